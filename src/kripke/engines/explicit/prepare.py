"""The engine for a model: the native one with the model compiled, or the interpreter, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from kripke.deadline import OutOfTime
from kripke.engines.explicit.search import Checkpoints, Outcome, Progress, SearchRequest, Watch
from kripke.engines.plan import EngineName, Unsupported
from kripke.model.capabilities.compilable import c_source
from kripke.model.capabilities.estimate import Estimate, Estimator
from kripke.model.capabilities.ranged import Ranged
from kripke.model.model import Model
from kripke.model.preemptions import Preemptions
from kripke.model.product import Product

if TYPE_CHECKING:
    from kripke.compilation.compile import CompiledModel
    from kripke.engines.explicit import native


@dataclass(frozen=True, slots=True)
class _Interpreter:
    """The reference engine, and why it is it."""

    warnings: tuple[str, ...] = ()
    seconds: float = 0.0

    def search(self, model: Model, request: SearchRequest, watch: Watch | None) -> Outcome:
        from kripke.engines.explicit import reference

        if request.safe is not None:
            from kripke.engines.reduction.at_safe_places import at_safe_places

            model = at_safe_places(model, request.safe)
        return reference.search(model, request, watch)

    def facts(self) -> dict[str, Any]:
        return {"name": "interpreter"}


@dataclass(frozen=True, slots=True)
class _Native:
    """The native engine with a compiled model."""

    compiled: CompiledModel
    library: native.Model
    seconds: float

    @property
    def warnings(self) -> tuple[str, ...]:
        return self.compiled.warnings

    def search(self, model: Model, request: SearchRequest, watch: Watch | None) -> Outcome:
        return _search_natively(self.library, model, request, watch)

    def facts(self) -> dict[str, Any]:
        return {"name": "native", "compiler": self.compiled.compiler, "compile_cached": self.compiled.cached}


@dataclass(frozen=True, slots=True)
class _TooLate:
    """The time for compiling and searching was over before the model was compiled."""

    seconds: float
    warnings: tuple[str, ...] = ()

    def search(self, model: Model, request: SearchRequest, watch: Watch | None) -> Outcome:
        return Outcome("time", 0, 0, 0, 0, (), bytes(len(model.statements)), 0, 0, 0.0)

    def facts(self) -> dict[str, Any]:
        return {"name": "native"}


class _Gradual:
    """A large model: the interpreter goes first, and a small state space is known before a compiler would be done."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.used: _Native | _Interpreter | _TooLate = _Interpreter()

    @property
    def warnings(self) -> tuple[str, ...]:
        return self.used.warnings

    @property
    def seconds(self) -> float:
        return self.used.seconds

    def facts(self) -> dict[str, Any]:
        return self.used.facts()

    def search(self, model: Model, request: SearchRequest, watch: Watch | None) -> Outcome:
        if isinstance(self.used, _Interpreter):
            start = perf_counter()
            outcome = self._interpreted(model, request, watch)
            if outcome is not None:
                return outcome
            spent = perf_counter() - start
            self.used = _prepare(self.model, None)
            if request.time_limit:
                left = request.time_limit - spent - self.used.seconds
                request = replace(request, time_limit=max(left, 0.001))
        return self.used.search(model, request, watch)

    def _interpreted(self, model: Model, request: SearchRequest, watch: Watch | None) -> Outcome | None:
        """The outcome, where there is one about as soon as a compiler would be done."""
        few = _STATES_PER_STATEMENT * len(self.model.statements)
        longest = _SECONDS_PER_STATEMENT * len(self.model.statements)
        start = process_time()

        def look(now: Progress) -> None:
            spent = process_time() - start
            slow = spent > longest / 2 and now.states < _SLOW * spent
            if slow or spent > longest:
                raise _Slow
            if watch is not None:
                watch(now)

        small = 0 < request.max_states <= few
        try:
            outcome = _Interpreter().search(model, request if small else replace(request, max_states=few), look)
        except _Slow:
            return None
        return outcome if small or outcome.reason != "states" else None


class _Slow(Exception):
    """The interpreter takes longer than a compiler would."""


Engine = _Native | _Interpreter | _TooLate | _Gradual

_LARGE_MODEL = 5_000  # statements
_STATES_PER_STATEMENT = 2
_SECONDS_PER_STATEMENT = 0.0005  # what a C compiler takes
_SLOW = 500  # states per second


def prepare(
    model: Model,
    wanted: EngineName | None,
    *,
    dependencies: bool = False,
    estimators: Sequence[Estimator] = (),
) -> Engine:
    """The engine to use. Where the native one was not asked for by name, there is always the interpreter.
    ``estimators``: for a search that goes by these."""
    if wanted == "interpreter":
        return _Interpreter()
    if wanted is None and not dependencies and not estimators and len(model.statements) > _LARGE_MODEL:
        return _Gradual(model)
    return _prepare(model, wanted, dependencies, estimators)


def _prepare(
    model: Model, wanted: EngineName | None, dependencies: bool = False, estimators: Sequence[Estimator] = ()
) -> _Native | _Interpreter | _TooLate:
    start = perf_counter()
    try:
        return prepare_native(model, dependencies=dependencies, estimators=estimators)
    except OutOfTime:
        return _TooLate(perf_counter() - start)
    except Unsupported as refusal:
        if wanted == "native":
            raise
        first_line = str(refusal).partition("\n")[0].rstrip(".:")
        return _Interpreter((f"{first_line}; using the interpreter, which is far slower (kripke doctor tells more)",))


def prepare_native(model: Model, *, dependencies: bool = False, estimators: Sequence[Estimator] = ()) -> _Native:
    """OutOfTime where the time is over before the model is compiled."""
    try:
        from kripke.engines.explicit import native
    except ImportError as error:
        raise Unsupported(f"the native engine is not installed ({error})") from error
    from kripke.compilation.compile import CompileError, NoCompiler, compile_model

    start = perf_counter()
    known = model.capability(Estimate) if estimators else None
    if known is not None:
        source = known.emit_estimates(estimators, dependencies=dependencies)
    else:
        source = c_source(model, dependencies=dependencies)
    if source is None:
        raise Unsupported("this model has no compiled form")
    try:
        compiled = compile_model(source)
    except NoCompiler as error:
        raise Unsupported(str(error)) from error
    except CompileError as error:
        raise Unsupported(f"the model could not be compiled: {error}") from error
    try:
        library = native.open_model(compiled.path)
    except RuntimeError as error:
        raise Unsupported(f"the compiled model could not be loaded: {error}") from error
    return _Native(compiled, library, perf_counter() - start)


def native_library(model: Model) -> native.Model:
    """The compiled model, opened; Unsupported where that cannot be."""
    return prepare_native(model).library


def _search_natively(library: native.Model, model: Model, request: SearchRequest, watch: Watch | None) -> Outcome:
    from kripke.engines.explicit import native

    searched = model
    if isinstance(model, Product):
        request, searched = replace(request, observer=model.observer), model.base
    elif isinstance(model, Preemptions):
        request = replace(request, max_switches=model.most, every_switch=model.every)
    if request.store.name == "numbers" and (ranged := searched.capability(Ranged)) is not None:
        request = replace(request, store=replace(request.store, values=ranged.value_ranges()))
    if request.checkpoints is None:
        return native.search(library, request, watch)
    return _search_with_checkpoints(library, request, request.checkpoints, watch)


def _search_with_checkpoints(
    library: native.Model, request: SearchRequest, checkpoints: Checkpoints, watch: Watch | None
) -> Outcome:
    from kripke.engines.explicit import native
    from kripke.engines.explicit.checkpoint import requests

    with requests(checkpoints) as wanted:

        def look(now: Progress) -> bool:
            if watch is not None:
                watch(now)
            return wanted.take()

        try:
            return native.search(library, request, look)
        except RuntimeError as error:
            raise Unsupported(f"--resume {checkpoints.resume}: {error}") from error
