"""The Python interface: a model that was loaded, with what can be done with it."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

from kripke.checker.check import check_properties
from kripke.deadline import OutOfTime, current, keeping
from kripke.engines.explicit.search import Watch
from kripke.engines.plan import PlanOptions, SearchPlan, Unsupported
from kripke.engines.runs.simulation import Simulation, choose_at_random, new_seed, simulate
from kripke.languages.registry import language_of_text, load_model, options_of_languages
from kripke.languages.request import MOST_VALUES, LoadRequest, estimate_expression
from kripke.model.model import Model
from kripke.model.result import Result, unsearched
from kripke.model.source import ModelError
from kripke.model.trace import SavedTrace, Trace

if TYPE_CHECKING:
    from kripke.logic.automaton import Automaton
    from kripke.pictures.picture import Picture
    from kripke.pictures.svg import Layouts


def load(
    path: str | os.PathLike[str],
    *,
    language: str | None = None,
    defines: Mapping[str, object] | None = None,
    undefines: Sequence[str] = (),
    include_paths: Sequence[str | os.PathLike[str]] = (),
    include_root: str | os.PathLike[str] | None = None,
    allow_c: bool = False,
    **options: object,
) -> LoadedModel:
    """Load a model from a file. ModelError, with the place, says what is wrong with it.

    ``defines`` are macros (the values are written as text). C code in the model is compiled and run only with
    ``allow_c``. With ``include_root``, files outside of that folder are not included. Some languages have
    ``options`` of their own: for Promela ``merge``, ``dead_variables`` and ``slice`` choose passes
    that make state spaces smaller; nets of Maria have ``modular`` and ``compress=["paths", "hidden"]``.
    """
    for name in options:
        if name not in options_of_languages():
            raise TypeError(f"load() got an unexpected keyword argument {name!r}")
    request = LoadRequest(
        path=os.fspath(path),
        language=language,
        defines={name: _macro(value) for name, value in (defines or {}).items()},
        undefines=tuple(undefines),
        include_paths=tuple(os.fspath(folder) for folder in include_paths),
        include_root=None if include_root is None else os.fspath(include_root),
        allow_c=allow_c,
        options=options,
    )
    return LoadedModel(request, load_model(request))


def loads(
    text: str,
    *,
    language: str | None = None,
    name: str = "model",
    include_paths: Sequence[str | os.PathLike[str]] = (),
    **options: Any,
) -> LoadedModel:
    """Load a model from its text. Without a ``language`` the text must show it; ``options`` are those of ``load``.

    Files that it includes are looked for in the present folder. The text lies in a file of its own as long as the model
    is there: a saved trace of it can be replayed with the text saved elsewhere.
    """
    import shutil
    import tempfile
    import weakref

    chosen = language_of_text(text, language)
    folder = tempfile.mkdtemp(prefix="kripke-")
    path = os.path.join(folder, f"{name}{chosen.endings[0]}")
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        model = load(path, language=chosen.name, include_paths=(*include_paths, os.getcwd()), **options)
    except ModelError as error:
        shutil.rmtree(folder, ignore_errors=True)
        span = error.span
        if span is not None and span.file == path:
            span = replace(span, file=os.path.basename(path))
        message = error.message.replace(path, os.path.basename(path))
        raise ModelError(message, span, error.hint, error.source_line, error.details) from None
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(model, shutil.rmtree, folder, ignore_errors=True)
    return model


def load_trace(path: str | os.PathLike[str], model: LoadedModel | None = None, *, allow_c: bool = False) -> Trace:
    """A saved trace, replayed; ValueError where the model does not allow it any more.

    Without a model, the file named in the trace is loaded as it was when the trace was made. Whether C code in it may
    run is asked anew: ``allow_c``.
    """
    from kripke.engines.runs.replay import replay_saved

    saved = SavedTrace.read(path)
    if model is None:
        request = replace(request_of_trace(saved), allow_c=allow_c)
        model = LoadedModel(request, load_model(request))
    replayed = replay_saved(_observed(model.model, saved), saved)
    if replayed.deviation is not None:
        raise ValueError(replayed.deviation)
    return replace(replayed.trace, file=saved.file)


def automaton(formula: str) -> Automaton:
    """The Büchi automaton of a formula over plain names; a notebook draws it."""
    from kripke.logic.parser import parse
    from kripke.logic.translation import TranslationTooLarge, generalised

    try:
        return generalised(parse(formula))
    except TranslationTooLarge as refusal:
        raise Unsupported(str(refusal)) from refusal


def _observed(model: Model, saved: SavedTrace) -> Model:
    if "property" not in saved.origin:
        return model
    from kripke.engines.linear.product_search import observed

    return observed(model, saved.origin)


def request_of_trace(saved: SavedTrace, model_file: str | None = None) -> LoadRequest:
    """How to load the model of a trace: from the named file, from where the trace says, or from beside the trace."""
    path = model_file or saved.model_file
    if model_file is None and not os.path.exists(path):
        beside = os.path.join(os.path.dirname(saved.file), os.path.basename(path))
        path = beside if os.path.exists(beside) else path
    return LoadRequest(path=path, language=saved.language.lower() or None).with_origin(saved.origin)


def plan_of_trace(saved: SavedTrace) -> SearchPlan:
    """How the check was asked for that found a trace; the default plan where the file is older than plans."""
    written = saved.origin.get("plan", {})
    if not isinstance(written, dict):
        raise Unsupported(f"a plan is an object, not {written!r}")
    return SearchPlan.from_json(written)


class LoadedModel:
    """A model and the way it was loaded. ``model`` is what engines work on."""

    def __init__(self, request: LoadRequest, model: Model) -> None:
        self.request = request
        self.model = model

    def __repr__(self) -> str:
        return f"<{self.model.language} model {self.model.file}>"

    @cached_property
    def origin(self) -> dict[str, Any]:
        """What a saved trace says about the model."""
        return self.request.to_json()

    @property
    def facts(self) -> Mapping[str, object]:
        """What the model contains: sizes, processes, channels, variables."""
        return self.model.facts()

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(str(warning) for warning in self.model.warnings)

    def check(
        self,
        *,
        ltl: str | Sequence[str] = (),
        never: str | Sequence[str] = (),
        values: int | None = None,
        watch: Watch | None = None,
        **plan: Unpack[PlanOptions],
    ) -> Result:
        """Verify; the result is true when everything holds.

        By default safety and every formula and claim of the model are checked; ``ltl`` (formulas), ``never`` (files
        with claims) and ``properties`` (names, "safety", "acceptance", "progress") check these alone. ``fair``: only
        runs that are fair to every process; ``shortest``: a counterexample of the fewest steps. With ``values``
        formulas are many-valued, from 0 to ``values`` - 1, and ``Result.value`` is the answer. ``possible`` are
        formulas that some run is to satisfy: the trace is such a run. ``por``: with partial-order reduction.
        ``symmetry`` keeps one of the states that differ only by which of several like processes, or values of tokens,
        is which.
        ``threads`` search together. ``store`` keeps the states: "full", "tree", "collapse", "numbers",
        "hashcompact" (``hash_bits``), "bitstate" (``hashes``, ``store_size``), "cache" (``store_size``,
        ``replaces``) or "disk".
        ``max_switches``, ``deepen``, ``swarm`` and the search "walk" (``walks``, ``seed``) see a part of the runs only.
        The searches "prefix" (by unfolding) and "symbolic" (by sets of markings) are for Petri nets.
        ``formula_files`` (of the Model Checking Contest) and ``examine`` ("OneSafe", "StateSpace", ...) ask of a Petri
        net: ``Result.answers()`` has what is answered.
        The search "sweep" drops states that ``progress``, an expression, says are left behind.
        ``ctl`` and ``mu`` are formulas of branching time. ``coverage``: why does it hold?
        ``another``: the counterexample with this number after the first. ``checkpoint``: a file to go on from with
        ``resume``, written every ``checkpoint_every`` seconds.
        ``invariants`` are conditions on global variables. ``clarify`` makes
        traces short and clear. ``memory`` is in bytes or text such as "4G". ``watch`` is called about ten times a
        second with the progress. Unsupported says what this version cannot do.
        """
        unknown = plan.keys() - PlanOptions.__annotations__
        if unknown:
            raise TypeError(f"check() got an unexpected keyword argument {min(unknown)!r}")
        wanted = SearchPlan.of(plan)
        try:
            with keeping(current().within(wanted.time_limit)):
                return self._check(wanted, ltl, never, values, watch)
        except OutOfTime:
            engine = {"name": "native", "search": wanted.search or "bfs", "store": "full", "por": False, "threads": 1}
            reason = "the time limit was reached while the model was read"
            return unsearched(reason, engine, {"file": self.model.file, "language": self.model.language})

    def _check(
        self,
        wanted: SearchPlan,
        ltl: str | Sequence[str],
        never: str | Sequence[str],
        values: int | None,
        watch: Watch | None,
    ) -> Result:
        formulas, claims = _several(ltl), _several(never)
        if values is not None and not 2 <= values <= MOST_VALUES:
            raise Unsupported(f"{values} is not a number of values: from 2 to {MOST_VALUES}")
        together = (*formulas, *(formula for formula in wanted.possible if formula not in formulas))
        conditions: tuple[str, ...] = ()
        if wanted.ctl or wanted.mu:
            from kripke.engines.branching.branching import conditions_of

            conditions = conditions_of(wanted.ctl, wanted.mu)
        if wanted.lemmas is not None:
            from kripke.engines.theories.lemma_file import read_lemmas

            conditions += tuple(lemma.condition for lemma in read_lemmas(wanted.lemmas))
        loaded = self._asking(
            replace(
                self.request,
                invariants=wanted.invariants,
                formulas=together,
                claims=claims,
                conditions=conditions,
                progress=wanted.progress,
                estimate=estimate_expression(wanted.estimate),
                formula_files=wanted.formula_files,
                values=values,
                events=wanted.fair == "events",
            )
        )
        names = [p.name for p in loaded.model.properties if p.span.file in claims]
        wanted = replace(wanted, properties=(*wanted.properties, *formulas, *names))
        return check_properties(loaded.model, wanted, watch=watch, origin=loaded.origin)

    def simulate(self, *, seed: int | None = None, steps: int = 1000) -> Simulation:
        """One random run; the same for the same seed."""
        seed = new_seed() if seed is None else seed
        return simulate(self.model, choose_at_random(seed), steps=steps, seed=seed, origin=self.origin)

    def picture(self, *, layout: Layouts = "own", levels: int | None = None, fold: Collection[str] = ()) -> Picture:
        """The processes as automata, or the net; a notebook shows it, ``save`` writes an SVG file.
        Of nested states: ``layout`` is "own" or "graphviz", so many ``levels`` are drawn, and nothing inside of those
        to ``fold``."""
        from kripke.model.diagram import TooLarge
        from kripke.pictures.graphs import model_diagrams
        from kripke.pictures.picture import Picture

        diagrams = [one.folded(levels, fold) for one in model_diagrams(self.model)]
        try:
            for diagram in diagrams:
                diagram.refuse_large("facts tells what the model contains")
        except TooLarge as refusal:
            raise Unsupported(str(refusal)) from refusal
        return Picture(tuple(diagrams), layout)

    def state_graph(self) -> Picture:
        """All states and steps of a small model; Unsupported where there are more than a person can look at."""
        from kripke.engines.explicit.exploration import explore
        from kripke.model.diagram import MOST_NODES
        from kripke.pictures.graphs import space_diagram
        from kripke.pictures.picture import Picture

        space = explore(self.model, MOST_NODES)
        if not space.complete:
            raise Unsupported(f"a picture of more than {MOST_NODES} states would be a hairball: ask in SQL instead")
        return Picture((space_diagram(space, self.model.file),))

    def _repr_html_(self) -> str:
        from kripke.report.html import model_html

        return model_html(self.model)

    def _asking(self, request: LoadRequest) -> LoadedModel:
        """Conditions are compiled together with the model, so the model is read once more."""
        return self if request == self.request else LoadedModel(request, load_model(request))


def _several(value: str | Sequence[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _macro(value: object) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)
