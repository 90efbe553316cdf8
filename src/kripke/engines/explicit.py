"""Explicit-state checking: from a model and options to a result.

The model is compiled and searched by the native engine, or, where that cannot be, searched by the reference engine.
Every path found is replayed with the reference semantics before it becomes a trace.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any, Literal

from kripke import __version__
from kripke.engines.combinations import Combination, PropertySort, refusal
from kripke.engines.memory import default_limit
from kripke.engines.replay import Deadline, ReplayFailure, ReplayTimeout, replay_discovery
from kripke.engines.search import Discovery, Fairness, Order, Outcome, Progress, SearchOptions, Watch
from kripke.engines.stores import DEFAULT_TABLE, HASH_BITS, MOST_HASHES, STORES, Loss, StoreName, StoreOptions
from kripke.model.model import Model
from kripke.model.observer import UNDECIDED
from kripke.model.product import Product
from kripke.model.property import Safety, Temporal
from kripke.model.result import Finding, Result, Verdict
from kripke.model.source import NOWHERE, Span
from kripke.report.numbers import size_text

if TYPE_CHECKING:
    from kripke.engines import native
    from kripke.engines.compile import CompiledModel
    from kripke.model.dependencies import DependencyAnalysis

EngineName = Literal["native", "interpreter"]

_CYCLES = {
    "ltl": "formula violated",
    "never": "acceptance cycle in never claim",
    "acceptance": "acceptance cycle",
    "progress": "non-progress cycle",
    "possible": "a run satisfies",
}

NOT_REPLAYED = "the error was found, but its trace could not be replayed in time: it is neither confirmed nor shown"
MOST_THREADS = 30  # as in native/parallel_nested.h
PLEASE_REPORT = "this is a bug in Kripke, please report it"


class Unsupported(Exception):
    """A request that makes no sense or that this version cannot serve; the message says which and what to do."""


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """How to check. ``engine`` None: native where possible. Limits of None: none, but for memory 80 % of what is free.

    ``search`` None: whatever is best. ``invariants`` are names of atoms of the model, ``properties`` of what to check
    (none: everything in the model), ``possible`` of formulas that some run is to satisfy; ``memory`` is in bytes,
    ``time_limit`` in seconds. ``clarify``: traces are made short and clear; otherwise they are as they were found.
    ``por``: search with partial-order reduction. ``threads``: so many search together. ``ctl``
    and ``mu`` are formulas of branching time. ``store`` keeps the states (None: the full one, for safety with several
    threads the tree); ``hash_bits`` belongs to hashcompact, ``hashes`` and ``store_size`` (bytes) to bitstate, ``runs``
    (repeated searches, each with other hashes) to both.
    """

    search: Order | None = None
    engine: EngineName | None = None
    deadlock: bool = True
    invariants: tuple[str, ...] = ()
    all_errors: bool = False
    clarify: bool = True
    max_depth: int | None = None
    max_states: int | None = None
    memory: int | None = None
    time_limit: float | None = None
    properties: tuple[str, ...] = ()
    fair: Fairness | Literal["events"] | None = None
    shortest: bool = False
    por: bool = False
    possible: tuple[str, ...] = ()
    threads: int = 1
    ctl: tuple[str, ...] = ()
    mu: tuple[str, ...] = ()
    store: StoreName | None = None
    hash_bits: int | None = None
    hashes: int | None = None
    store_size: int | None = None
    runs: int = 1

    def __post_init__(self) -> None:
        if self.search not in (None, "bfs", "dfs", "ndfs", "scc"):
            raise Unsupported(f"there is no search {self.search!r}: choose bfs, dfs, ndfs or scc")
        if self.fair not in (None, "weak", "strong", "weak-edges", "strong-edges", "events"):
            raise Unsupported(
                f"there is no fairness {self.fair!r}: choose weak, strong, weak-edges, strong-edges or events"
            )
        if self.shortest and self.search == "dfs":
            raise Unsupported("--shortest does not go with --search dfs, whose traces are long: leave one out")
        if self.engine not in (None, "native", "interpreter"):
            raise Unsupported(f"there is no engine {self.engine!r}: choose native or interpreter")
        if not 1 <= self.threads <= MOST_THREADS:
            raise Unsupported(f"{self.threads} threads: choose from 1 to {MOST_THREADS}")
        for name in ("max_depth", "max_states", "memory", "time_limit", "store_size", "runs"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise Unsupported(f"{name} must be greater than 0, not {value}")
        self._check_store()

    def _check_store(self) -> None:
        if self.store not in (None, *STORES):
            raise Unsupported(f"there is no store {self.store!r}: choose {', '.join(STORES[:-1])} or {STORES[-1]}")
        for option, given, stores in (
            ("--hash-bits", self.hash_bits is not None, ("hashcompact",)),
            ("--hashes", self.hashes is not None, ("bitstate",)),
            ("--store-size", self.store_size is not None, ("bitstate",)),
            ("--runs", self.runs > 1, ("hashcompact", "bitstate")),
        ):
            if given and self.store not in stores:
                raise Unsupported(
                    f"{option} belongs to --store {' and '.join(stores)}, not to --store {self.store or 'full'}"
                )
        if self.hash_bits not in (None, *HASH_BITS):
            raise Unsupported(f"hashes of {self.hash_bits} bits: choose 32, 40 or 64")
        if self.hashes is not None and not 1 <= self.hashes <= MOST_HASHES:
            raise Unsupported(f"{self.hashes} hashes: choose from 1 to {MOST_HASHES}")
        if self.engine == "interpreter" and self.needs_native:
            what = f"--threads {self.threads}" if self.store in (None, "full") else f"--store {self.store}"
            raise Unsupported(f"{what} needs the native engine: leave out --engine interpreter")

    @property
    def needs_native(self) -> bool:
        return self.store not in (None, "full") or self.threads > 1

    def store_for(self, sort: PropertySort) -> StoreName:
        return self.store or ("tree" if self.threads > 1 and sort == "safety" else "full")

    @property
    def wanted_engine(self) -> EngineName | None:
        """By name, where no other would do."""
        return "native" if self.needs_native else self.engine

    @property
    def safety_search(self) -> Order:
        """The order in which a search for what is bad in states and steps goes."""
        usual: Order = "dfs" if self.por or self.store in ("hashcompact", "bitstate") else "bfs"
        return {None: usual, "ndfs": "dfs", "scc": "dfs"}.get(self.search, self.search)  # type: ignore[return-value]


def check(
    model: Model,
    options: CheckOptions | None = None,
    *,
    watch: Watch | None = None,
    origin: Mapping[str, Any] | None = None,
    engine: Engine | None = None,
) -> Result:
    """Search the state space of a model for deadlocks, violations and broken invariants.

    ``watch`` is called about ten times a second. ``origin`` goes into saved traces.
    """
    options = options or CheckOptions()
    asked = search_options(model, options, options.safety_search)
    refuse_combination(options, asked, "safety")
    if options.threads > 1 and model.one_thread:
        raise Unsupported(f"--threads {options.threads}: {model.one_thread}; leave it out")
    asked = replace(asked, threads=options.threads, store=store_options(options, "safety"))
    if options.por:
        asked = replace(asked, dependencies=dependencies_on(model, asked.invariants, asked))
    engine = engine or prepare(model, options.wanted_engine, options.time_limit, dependencies=options.por)
    outcome = _search_repeatedly(engine, model, in_time_left(asked, engine), options.runs, watch)
    assertions = any(kind.name == "assertion" for kind in model.violation_kinds)
    safety = Safety(options.deadlock and model.has_deadlocks, options.invariants, assertions)
    return conclude(model, safety, options, asked, engine, outcome, origin)


def search_options(model: Model, options: CheckOptions, order: Order) -> SearchOptions:
    atoms = {name: number for number, name in enumerate(model.atoms)}
    unknown = [name for name in options.invariants if name not in atoms]
    if unknown:
        raise Unsupported(f"the model has no atom {unknown[0]!r} to serve as an invariant")
    return SearchOptions(
        order=order,
        deadlock=options.deadlock,
        invariants=tuple(atoms[name] for name in options.invariants),
        stop_at_first=not options.all_errors,
        max_depth=options.max_depth or 0,
        max_states=options.max_states or 0,
        memory=options.memory or default_limit(),
        time_limit=options.time_limit or 0.0,
    )


def store_options(options: CheckOptions, sort: PropertySort) -> StoreOptions:
    name = options.store_for(sort)
    memory = options.memory or default_limit()
    table = options.store_size or min(DEFAULT_TABLE, memory // 2)
    return StoreOptions(name, options.hash_bits or 64, options.hashes or 4, table if name == "bitstate" else 0)


def refuse_combination(options: CheckOptions, asked: SearchOptions, sort: PropertySort) -> None:
    """Unsupported, where this search does not go with what else was asked for."""
    por = options.por and (sort == "safety" or options.threads == 1)  # else it is left out, with a note
    reason = refusal(
        Combination(asked.order, options.store_for(sort), por, options.threads, sort, options.max_depth is not None)
    )
    if reason is None:
        return
    given = [f"--search {asked.order}"]
    given += [f"--store {options.store}"] if options.store is not None else []
    given += ["--por"] if por else []
    given += [f"--threads {options.threads}"] if options.threads > 1 else []
    given += ["--max-depth"] if options.max_depth is not None else []
    raise Unsupported(f"{' with '.join(given)}: {reason}")


def _search_repeatedly(engine: Engine, model: Model, asked: SearchOptions, runs: int, watch: Watch | None) -> Outcome:
    """Of a store that is not exact: again with other hashes, until there is an error. The most states count, and a
    state is missed if every run misses it."""
    outcome = engine.search(model, asked, watch)
    covered, seconds, missed = bytearray(outcome.covered), outcome.seconds, 1.0
    for run in range(1, runs):
        if outcome.reason or outcome.loss is None:
            break
        missed *= outcome.loss.omitted / max(1.0, outcome.states + outcome.loss.omitted)
        left = max(asked.time_limit - seconds, 0.001) if asked.time_limit else 0.0
        again = engine.search(model, replace(asked, store=replace(asked.store, seed=run), time_limit=left), watch)
        seconds += again.seconds
        covered = bytearray(a | b for a, b in zip(covered, again.covered, strict=True))
        best = again if again.reason or again.states > outcome.states else outcome
        if again.loss is not None:
            lost = again.loss.omitted / max(1.0, again.states + again.loss.omitted)
            best = replace(best, loss=Loss(again.loss.fill, missed * lost * best.states))
        outcome = replace(best, seconds=seconds, covered=bytes(covered))
    return outcome


def dependencies_on(model: Model, atoms: tuple[int, ...], asked: SearchOptions) -> DependencyAnalysis:
    """What partial-order reduction needs for a property of these atoms; refused where it is not sound or not there."""
    if asked.max_depth:
        raise Unsupported("--por with --max-depth: a depth limit cuts off what the reduction puts off; leave one out")
    analysis = model.dependencies(atoms)
    if isinstance(analysis, str):
        raise Unsupported(f"--por: {analysis}; leave it out to search every interleaving")
    return analysis


def in_time_left(asked: SearchOptions, engine: Engine) -> SearchOptions:
    """What is left for a search of the time that was given for compiling and searching."""
    if not asked.time_limit:
        return asked
    return replace(asked, time_limit=max(asked.time_limit - engine.seconds, 0.001))


# --- engines ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Interpreter:
    """The reference engine, and why it is it."""

    warnings: tuple[str, ...] = ()
    seconds: float = 0.0

    def search(self, model: Model, options: SearchOptions, watch: Watch | None) -> Outcome:
        from kripke.engines import reference

        return reference.search(model, options, watch)

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

    def search(self, model: Model, options: SearchOptions, watch: Watch | None) -> Outcome:
        return _search_natively(self.library, model, options, watch)

    def facts(self) -> dict[str, Any]:
        return {"name": "native", "compiler": self.compiled.compiler, "compile_cached": self.compiled.cached}


@dataclass(frozen=True, slots=True)
class _TooLate:
    """The time for compiling and searching was over before the model was compiled."""

    seconds: float
    warnings: tuple[str, ...] = ()

    def search(self, model: Model, options: SearchOptions, watch: Watch | None) -> Outcome:
        return Outcome("time", 0, 0, 0, 0, (), bytes(len(model.statements)), 0, 0, 0.0)

    def facts(self) -> dict[str, Any]:
        return {"name": "native"}


class _Gradual:
    """A large model: the interpreter goes first, and a small state space is known before a compiler would be done."""

    def __init__(self, model: Model, time_limit: float | None) -> None:
        self.model = model
        self.time_limit = time_limit
        self.used: _Native | _Interpreter | _TooLate = _Interpreter()

    @property
    def warnings(self) -> tuple[str, ...]:
        return self.used.warnings

    @property
    def seconds(self) -> float:
        return self.used.seconds

    def facts(self) -> dict[str, Any]:
        return self.used.facts()

    def search(self, model: Model, options: SearchOptions, watch: Watch | None) -> Outcome:
        if isinstance(self.used, _Interpreter):
            start = perf_counter()
            outcome = self._interpreted(model, options, watch)
            if outcome is not None:
                return outcome
            spent = perf_counter() - start
            left = None if self.time_limit is None else max(self.time_limit - spent, 0.001)
            self.used = _prepare(self.model, None, left)
            if options.time_limit:
                left = options.time_limit - spent - self.used.seconds
                options = replace(options, time_limit=max(left, 0.001))
        return self.used.search(model, options, watch)

    def _interpreted(self, model: Model, options: SearchOptions, watch: Watch | None) -> Outcome | None:
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

        small = 0 < options.max_states <= few
        try:
            outcome = _Interpreter().search(model, options if small else replace(options, max_states=few), look)
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
    model: Model, wanted: EngineName | None, time_limit: float | None = None, *, dependencies: bool = False
) -> Engine:
    """The engine to use. Where the native one was not asked for by name, there is always the interpreter."""
    if wanted == "interpreter":
        return _Interpreter()
    if wanted is None and not dependencies and len(model.statements) > _LARGE_MODEL:
        return _Gradual(model, time_limit)
    return _prepare(model, wanted, time_limit, dependencies)


def _prepare(
    model: Model, wanted: EngineName | None, time_limit: float | None, dependencies: bool = False
) -> _Native | _Interpreter | _TooLate:
    start = perf_counter()
    try:
        return _prepare_native(model, time_limit, dependencies=dependencies)
    except TimeoutError:
        return _TooLate(perf_counter() - start)
    except Unsupported as refusal:
        if wanted == "native":
            raise
        first_line = str(refusal).partition("\n")[0].rstrip(".:")
        return _Interpreter((f"{first_line}; using the interpreter, which is far slower (kripke doctor tells more)",))


def _prepare_native(model: Model, time_limit: float | None = None, *, dependencies: bool = False) -> _Native:
    """TimeoutError where the time is over before the model is compiled."""
    try:
        from kripke.engines import native
    except ImportError as error:
        raise Unsupported(f"the native engine is not installed ({error})") from error
    from kripke.engines.compile import CompileError, NoCompiler, TooSlow, compile_model, compiler_time_limit

    start = perf_counter()
    source = model.emit_c(dependencies=dependencies)
    if source is None:
        raise Unsupported("this model has no compiled form")
    try:
        timeout = compiler_time_limit()
        if time_limit is not None:
            timeout = min(timeout, max(time_limit - (perf_counter() - start), 0.001))
        compiled = compile_model(source, timeout=timeout)
    except TooSlow as error:
        if time_limit is not None and perf_counter() - start >= time_limit:
            raise TimeoutError from error
        raise Unsupported(f"the model could not be compiled: {error}") from error
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
    return _prepare_native(model).library


def _search_natively(library: native.Model, model: Model, options: SearchOptions, watch: Watch | None) -> Outcome:
    from kripke.engines import native

    asked = native.SearchOptions(
        order=options.order,
        deadlock=options.deadlock,
        invariants=options.invariants,
        stop_at_first=options.stop_at_first,
        max_depth=options.max_depth or None,
        max_states=options.max_states or None,
        memory_limit=options.memory or None,
        time_limit=options.time_limit or None,
        observer=model.observer if isinstance(model, Product) else None,
        fairness=options.fairness,
        processes=options.processes,
        shortest=options.shortest,
        threads=options.threads,
        store=options.store,
        dependencies=options.dependencies,
    )

    def tell(now: native.Progress) -> None:
        if watch is not None:
            watch(Progress(now.states, now.transitions, now.depth, now.queue, now.bytes, now.seconds))

    answer = native.search(library, asked, tell if watch is not None else None)
    return Outcome(
        reason=answer.reason or "",
        states=answer.states,
        transitions=answer.transitions,
        depth=answer.depth,
        errors=answer.errors,
        discoveries=tuple(
            Discovery(
                found.kind,
                -1 if found.code is None else found.code,
                -1 if found.label is None else found.label,
                found.path,
                found.loop_start,
            )
            for found in answer.findings
        ),
        covered=answer.covered,
        state_bytes=answer.state_bytes,
        store_bytes=answer.store_bytes,
        seconds=answer.seconds,
        samples=answer.samples,
        loss=answer.loss,
    )


# --- from the outcome of a search to a result -------------------------------------------------------------------------


def conclude(
    model: Model,
    goal: Safety | Temporal,
    options: CheckOptions,
    asked: SearchOptions,
    engine: Engine,
    outcome: Outcome,
    origin: Mapping[str, Any] | None,
    facts: Mapping[str, Any] | None = None,
    notes: tuple[str, ...] = (),
) -> Result:
    """What the outcome of a search means for the goal. ``facts`` are more to say about the search."""
    verdict: Verdict
    property_, kind = str(goal), str(goal.kind)
    findings: tuple[Finding, ...] = ()
    # The time limit is for all of it; there is always a second to say what was found.
    left = max(1.0, asked.time_limit - outcome.seconds) if asked.time_limit else None
    deadline = Deadline(left)
    try:
        findings = tuple(
            _finding(model, goal, discovery, options, asked, origin, deadline) for discovery in outcome.discoveries
        )
    except ReplayFailure as failure:
        verdict, reason = "unknown", _replay_failed(failure, outcome)
    else:
        if any(finding.unreplayed for finding in findings):
            notes = (*notes, NOT_REPLAYED)
        if findings:
            first = findings[0]
            verdict, reason, property_, kind = "violated", first.message, first.property, first.kind
        elif outcome.complete and (outcome.states or _unbreakable(model)):
            verdict, reason = "holds", ""
        else:
            verdict, reason = "unknown", _why_unknown(outcome, asked, options.runs)
    covered = outcome.covered
    put_off = asked.dependencies is not None and asked.dependencies.deadlocks_only
    whole = outcome.complete and isinstance(goal, Safety) and not put_off
    unreached = tuple(
        statement
        for number, statement in enumerate(model.statements)
        if not covered[number] and not model.executed(number)
    )
    return Result(
        verdict=verdict,
        reason=reason,
        property=property_,
        kind=kind,
        states=outcome.states,
        transitions=outcome.transitions,
        depth=outcome.depth,
        errors=outcome.errors,
        state_bytes=outcome.state_bytes,
        store_bytes=outcome.store_bytes,
        seconds=outcome.seconds,
        compile_seconds=engine.seconds,
        engine={
            **engine.facts(),
            "search": asked.order,
            "store": asked.store.name,
            "por": options.por,
            "threads": asked.threads,
            "all_errors": options.all_errors,
            "max_depth": options.max_depth,
            "max_states": options.max_states,
            "memory": asked.memory or None,
            "time_limit": options.time_limit,
            **_loss_facts(asked.store, outcome, options.runs),
            **(facts or {}),
        },
        complete=outcome.complete,
        trace=findings[0].trace if findings else None,
        model={"file": model.file, "language": model.language},
        version=__version__,
        warnings=(*(str(warning) for warning in model.warnings), *engine.warnings, *notes),
        findings=findings,
        unreached=unreached if whole else None,
        statement_count=len(model.statements),
        name=goal.name if isinstance(goal, Temporal) else goal.kind,
        interrupted=outcome.reason == "interrupted",
        samples=outcome.samples,
    )


def _finding(
    model: Model,
    goal: Safety | Temporal,
    discovery: Discovery,
    options: CheckOptions,
    asked: SearchOptions,
    origin: Mapping[str, Any] | None,
    deadline: Deadline,
) -> Finding:
    kind, property_, message, span = _name(model, goal, discovery)
    if not discovery.path:
        # There was no memory or time left to make a path. The error was still found.
        return Finding(kind, property_, message, span)
    from kripke.clarity.clarify import clarify, ending_of

    try:
        trace = replay_discovery(model, discovery, origin, asked.fairness, deadline)
    except (ReplayTimeout, KeyboardInterrupt):
        return Finding(kind, property_, message, span, unreplayed=True)
    if isinstance(goal, Temporal):
        return Finding(kind, property_, message, span, trace)
    if options.clarify:
        trace = clarify(trace, discovery)
    ending = ending_of(discovery)
    if ending is not None:
        last = trace.steps[-1].before if discovery.kind == "violation" else trace.final
        trace = replace(trace, explanation=model.explain(last, ending))
    return Finding(kind, property_, message, span, trace)


def _name(model: Model, goal: Safety | Temporal, discovery: Discovery) -> tuple[str, str, str, Span]:
    if isinstance(goal, Temporal):
        if discovery.kind == "cycle":
            return goal.kind, str(goal), f"{_CYCLES[goal.kind]}: {goal}", goal.span
        assert isinstance(model, Product)
        alarm = discovery.code - len(model.base.violation_kinds)
        if alarm >= 0:
            found = (*model.observer.alarms, UNDECIDED)[alarm]
            place = f" ({found.span})" if found.span.line else ""
            return found.kind, str(goal), f"{found.text}{place}", found.span
    if discovery.kind == "deadlock":
        return "deadlock", "no deadlock", f"deadlock: {model.deadlock_text}", NOWHERE
    if discovery.kind == "invariant":
        name = model.atoms[discovery.code]
        return "invariant", name, f"invariant violated: {name}", NOWHERE
    kind = model.violation_kinds[discovery.code]
    statement = model.statements[discovery.statement]
    place = f" ({statement.span})" if statement.span.line else ""
    return kind.name, statement.text, f"{kind.text}: {statement.text}{place}", statement.span


def _unbreakable(model: Model) -> bool:
    """Does the observer of the property accept nothing at all? The formula is then true of every run whatsoever."""
    return isinstance(model, Product) and not model.observer.initial and bool(model.base.initial())


def _loss_facts(store: StoreOptions, outcome: Outcome, runs: int) -> dict[str, Any]:
    if outcome.loss is None:
        return {}
    sizes = {"hash_bits": store.hash_bits} if store.name == "hashcompact" else {"hashes": store.hashes}
    return {**sizes, "fill": outcome.loss.fill, "omitted": outcome.loss.omitted, "runs": runs}


def _why_unknown(outcome: Outcome, asked: SearchOptions, runs: int) -> str:
    match outcome.reason:
        case "" if outcome.loss is not None and outcome.states:
            return outcome.loss.text(asked.store, outcome.states, runs)
        case "memory":
            limit = f" of {size_text(asked.memory)}" if asked.memory else ""
            return f"the memory limit{limit} was reached"
        case "states":
            return f"the limit of {asked.max_states:,} states was reached"
        case "depth":
            return f"the depth limit of {asked.max_depth:,} steps was reached"
        case "time":
            when = "" if outcome.states else " before the search began"
            return f"the time limit of {asked.time_limit:g} s was reached{when}"
        case "interrupted":
            return "interrupted"
        case "edges":
            return "fairness would be about more than 1,000 statements of processes"
        case "":
            return "the model has no initial state"
        case _:
            return f"the search ended early, but with no error to show; {PLEASE_REPORT}"


def _replay_failed(failure: ReplayFailure, outcome: Outcome) -> str:
    errors = "an error" if outcome.errors == 1 else f"{outcome.errors:,} errors"
    return f"the engine found {errors}, but the interpreter cannot replay it: {failure}; {PLEASE_REPORT}"
