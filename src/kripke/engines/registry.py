"""Engines by name: what each serves, needs and refuses, how it runs, and what its answer can be relied on for.

An engine is a package. Its ``registration.py`` makes an ``Engine`` and hands it to ``register``; ``MODULES`` lists
these files, so that adding an engine touches its own package and one line here. A package outside Kripke names such a
module as an entry point of the group ``kripke.engines``; it is looked for where a name is asked for that nobody here
has. A registration is cheap: what runs is named as ``module:function``, and loaded when it is first used.

Where several engines serve a kind of property, the first of ``MODULES`` does, unless another is named.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import Field, dataclass, fields
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from kripke.engines.combinations import Combination, Rule
from kripke.engines.unsupported import Unsupported

if TYPE_CHECKING:
    from kripke.engines.explicit.search import Watch
    from kripke.engines.plan import SearchPlan
    from kripke.model.model import Model
    from kripke.model.result import Result

MODULES = (
    "kripke.engines.explicit.registration",
    "kripke.engines.distributed.registration",
    "kripke.engines.directed.registration",
    "kripke.engines.branching.registration",
    "kripke.engines.nets.registration",
    "kripke.engines.hierarchy.registration",
    "kripke.engines.refinement.registration",
    "kripke.engines.diagrams.registration",
    "kripke.engines.satisfiability.registration",
    "kripke.engines.portfolio.registration",
)
GROUP = "kripke.engines"

#: fields of a plan that every engine takes
ALWAYS_TAKEN = frozenset({"search", "engine", "properties", "invariants", "deadlock", "clarify", "clarify_limit"})
#: those that rules speak of: an engine with rules takes them, and refuses by its rules
IN_RULES = frozenset(
    {"store", "por", "threads", "symmetry", "max_depth", "max_switches", "deepen", "swarm", "checkpoint", "resume"}
)


class Property(Protocol):
    """What can be checked: ``kind`` says which engines can ("safety", "ltl", "ctl", "trace refinement", ...)."""

    @property
    def kind(self) -> str: ...


class Check(Protocol):
    """How an engine runs: a result for each of the properties, in their order, none for those after an interruption.

    What belongs together is given at once, so that a model is compiled, or a net unfolded, only once. A finding has the
    trace as it was found, replayed by the reference semantics; the checker has it made clear. ``Unsupported`` is raised
    before anything is searched. ``watch`` is called about ten times a second; ``origin`` goes into saved traces.
    """

    def __call__(
        self,
        model: Model,
        properties: Sequence[Any],
        plan: SearchPlan,
        *,
        watch: Watch | None,
        origin: Mapping[str, Any],
    ) -> Iterable[Result]: ...


class Read(Protocol):
    """From what a plan asks to properties."""

    def __call__(self, model: Model, plan: SearchPlan) -> Sequence[Property]: ...


@dataclass(frozen=True, slots=True)
class Need:
    """A capability, a type named as ``module:Type`` that a model must be an instance of; in words, whose it is."""

    capability: str
    whose: str


@dataclass(frozen=True, slots=True)
class Search:
    """What ``--search NAME`` chooses. ``words``: "depth-first", for reports. ``options``: fields of the plan that mean
    something to this search alone. ``counts``: what the number of states in its results is a number of."""

    name: str
    words: str
    options: tuple[str, ...] = ()
    counts: str = "state"


@dataclass(frozen=True, slots=True)
class Engine:
    """``serves`` are kinds of property. ``searches`` are for ``--search``, ``names`` for ``--engine``; where neither is
    given, the first engine that serves a property checks it; ``usual`` is the search of another engine that this one
    makes anyway. ``chosen_with`` is a field of a plan that chooses this engine, and no other, where it is given.
    ``check`` is a ``Check``, named as ``module:function``.
    ``answers`` says what its answer can be relied on for, ``words`` what it is called in reports. ``asked_with`` are
    fields of a plan that hold properties of its kind; ``read``, a ``Read``, makes them; ``refuse_beside`` raises
    ``Unsupported`` for what was given beside them by people, by its name, also where that is no part of a plan.

    ``takes`` are the fields of a plan that it knows, beside those that every engine must know: whatever else is given
    is refused, so that an option nobody thought of is never passed over. That sentence says ``because``, and
    ``asked_by``, where the engine is chosen by what is asked and not by name. With ``rules`` it refuses what does not
    go together; ``asks_rules``: it asks them itself, since its search depends on the property. ``needs`` are
    capabilities of the model. ``refuse``, a function of the plan as ``module:function``, raises ``Unsupported`` for the
    rest; ``refuse_check``, of model, properties and plan, for what depends on these and is said before any search.
    ``visits_states``: it goes from state to state, so that what else is made of states (proofs, causes of errors)
    goes with it.
    """

    name: str
    words: str
    serves: tuple[str, ...]
    check: str
    answers: str
    searches: tuple[Search, ...] = ()
    usual: str = ""
    names: tuple[str, ...] = ()
    chosen_with: str = ""
    asked_with: tuple[str, ...] = ()
    read: str = ""
    refuse_beside: str = ""
    takes: frozenset[str] = frozenset()
    because: str = "which does not know it"
    asked_by: str = ""
    rules: tuple[Rule, ...] = ()
    asks_rules: bool = False
    visits_states: bool = False
    needs: tuple[Need, ...] = ()
    refuse: str = ""
    refuse_check: str = ""

    def goes_by(self, plan: SearchPlan) -> bool:
        """Is it what the plan names, if it names any?"""
        chosen = chosen_with(plan)
        if (self is not chosen) if chosen is not None else self.chosen_with:
            return False
        by_search = plan.search in (None, self.usual) or any(search.name == plan.search for search in self.searches)
        by_name = plan.engine is None or plan.engine in self.names
        return by_search and by_name

    def refuse_options(self, plan: SearchPlan) -> None:
        """Unsupported, where an option is given that the engine does not take."""
        known = ALWAYS_TAKEN | self.takes | (IN_RULES if self.rules else frozenset())
        given = [field.name for field in fields(plan) if getattr(plan, field.name) not in _usual(field)]
        refused = [name for name in given if name not in known]
        refused += ["search"] if plan.search not in (None, self.usual) and not self.searches else []
        refused += ["engine"] if plan.engine is not None and plan.engine not in self.names else []
        if refused:
            asked_by = self.asked_by or chosen_by(plan)
            raise Unsupported(f"{option_of(refused[0])} does not go with {asked_by}, {self.because}: leave one out")

    def refuse_model(self, model: Model, plan: SearchPlan) -> None:
        """Unsupported, where the model lacks a capability."""
        for need in self.needs:
            if model.capability(loaded(need.capability)) is None:
                what = f"{self.asked_by} are" if self.asked_by else f"{chosen_by(plan)} is"
                raise Unsupported(f"{what} for {need.whose}; {model.file} is a {model.language} model")


class _Registry:
    def __init__(self) -> None:
        self.engines: dict[str, Engine] = {}
        self.complete = False  # were the modules of Kripke itself asked?
        self.looked_outside = False


_registry = _Registry()


def register(engine: Engine) -> None:
    """ValueError where a name is taken."""
    if engine.name in _registry.engines:
        raise ValueError(f"there are two engines {engine.name!r}")
    for search in engine.searches:
        if any(search.name == other.name for known in _registry.engines.values() for other in known.searches):
            raise ValueError(f"two engines call a search {search.name!r}")
    _registry.engines[engine.name] = engine


def engines() -> tuple[Engine, ...]:
    if not _registry.complete:
        _registry.complete = True
        for module in MODULES:
            import_module(module)
    return tuple(_registry.engines.values())


def searches() -> tuple[str, ...]:
    """The names that ``--search`` takes."""
    return tuple(search.name for engine in engines() for search in engine.searches)


def engine_names() -> tuple[str, ...]:
    """The names that ``--engine`` takes."""
    return tuple(dict.fromkeys(name for engine in engines() for name in engine.names))


def knows_search(name: str) -> bool:
    return name in searches() or (_look_outside() and name in searches())


def knows_engine(name: str) -> bool:
    return name in engine_names() or (_look_outside() and name in engine_names())


def owner_of(search: str) -> Engine | None:
    """The engine that makes this search, or has this name."""
    for engine in engines():
        if search in (engine.name, *engine.names) or any(one.name == search for one in engine.searches):
            return engine
    return None


def search_named(name: str) -> Search | None:
    """Of an engine without searches, what its reports say."""
    engine = owner_of(name)
    if engine is None:
        return None
    return next((one for one in engine.searches if one.name == name), Search(name, engine.words))


def engine_for(kind: str, plan: SearchPlan) -> Engine:
    """The engine that checks such a property: by name, or the first that can. Unsupported where there is none, or it
    does not take what else the plan says."""
    serving = [engine for engine in engines() if kind in engine.serves]
    if not serving and _look_outside():
        serving = [engine for engine in engines() if kind in engine.serves]
    chosen = next((engine for engine in serving if engine.goes_by(plan)), None)
    named = chosen_with(plan)
    asked = [one for one in serving if one.asked_by and one.chosen_with in ("", named.chosen_with if named else "")]
    for engine in asked if chosen is None else (chosen,):
        engine.refuse_options(plan)
    if chosen is None:
        raise Unsupported(f"{chosen_by(plan)} does not check what is asked ({kind}): leave it out")
    return chosen


def chosen_with(plan: SearchPlan) -> Engine | None:
    """The engine that an option of its own has chosen."""
    return next(
        (engine for engine in engines() if engine.chosen_with and getattr(plan, engine.chosen_with) is not None), None
    )


def asked_with(plan: SearchPlan) -> list[Engine]:
    """The engines whose properties the plan holds."""
    return [engine for engine in engines() if any(getattr(plan, field) for field in engine.asked_with)]


def refuse_beside(given: Mapping[str, Any]) -> None:
    """Unsupported, where an engine is asked something and does not go with what else was given, by its name."""
    for engine in engines():
        if engine.refuse_beside and any(given.get(field) for field in engine.asked_with):
            loaded(engine.refuse_beside)(given)


def refuse_without_states(search: str | None, engine: str | None, options: Iterable[str]) -> None:
    """Unsupported, where options were given that are made of states, and the engine that is named visits none."""
    name = search or engine
    owner = owner_of(name) if name is not None else None
    if owner is None or owner.visits_states:
        return
    chosen = f"--search {name}" if search is not None else f"--engine {name}"
    for option in options:
        raise Unsupported(f"{option} does not go with {chosen}, {owner.because}: leave one out")


def refusal(asked: Combination) -> str | None:
    """Why the combination cannot be; None: it can."""
    engine = owner_of(asked.search)
    rules = () if engine is None else engine.rules
    return next((rule.reason for rule in rules if rule.fits(asked)), None)


def refuse_options(plan: SearchPlan) -> None:
    """Unsupported, where what the plan names does not take what else it says."""
    chosen = chosen_with(plan)
    if chosen is not None:
        chosen.refuse_options(plan)
    elif plan.search is not None or plan.engine is not None:
        named = [engine for engine in engines() if plan.search is None or _makes(engine, plan.search)]
        named = [engine for engine in named if plan.search is not None or plan.engine in engine.names]
        if len(named) == 1:
            named[0].refuse_options(plan)
    owners: dict[str, list[str]] = {}
    for engine in engines():
        for search in engine.searches:
            for name in search.options:
                owners.setdefault(name, []).append(search.name)
    for name, names in owners.items():
        if getattr(plan, name) is not None and plan.search not in names:
            listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
            which = "that search" if len(names) == 1 else "one of them"
            raise Unsupported(f"{option_of(name)} belongs to --search {listed}: leave it out, or choose {which}")


def _makes(engine: Engine, search: str) -> bool:
    return any(one.name == search for one in engine.searches)


def _usual(field: Field[Any]) -> tuple[Any, ...]:
    """Values that say nothing: as if the option had not been given."""
    return (field.default, *_SAYS_NOTHING.get(field.name, ()))


_SAYS_NOTHING = {"store": ("full",), "symmetry": ("auto",)}


def refuse_in_words(plan: SearchPlan) -> None:
    """Unsupported, where an engine that the plan may mean refuses it by a function of its own."""
    for engine in engines():
        if engine.refuse and engine.goes_by(plan):
            loaded(engine.refuse)(plan)


def chosen_by(plan: SearchPlan) -> str:
    """What the user wrote that chose the engine."""
    chosen = chosen_with(plan)
    if chosen is not None:
        return option_of(chosen.chosen_with)
    if plan.search is not None:
        return f"--search {plan.search}"
    return "this check" if plan.engine is None else f"--engine {plan.engine}"


def option_of(field: str) -> str:
    """How a field of a plan is called on the command line."""
    return _OPTIONS.get(field, "--" + field.replace("_", "-"))


_OPTIONS = {
    "formula_files": "--formulas",
    "invariants": "--invariant",
    "properties": "--property",
    "deadlock": "--no-deadlock",
}


def loaded(name: str) -> Any:
    """What ``module:attribute`` names."""
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)


def _look_outside() -> bool:
    """Register what packages beside Kripke offer; False where that was done before. Looking for them takes longer than
    a small check: so only when somebody asks for what is not here."""
    if _registry.looked_outside:
        return False
    _registry.looked_outside = True
    from importlib.metadata import entry_points

    for point in entry_points(group=GROUP):
        point.load()
    return True
