"""The answer of a check as text: the verdict first, the way to the error, the figures, what was never executed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kripke.engines.explicit.stores import STORES
from kripke.engines.registry import Search, search_named
from kripke.model.observer import UNDECIDED
from kripke.model.property import SAFETY
from kripke.model.result import Finding, Result
from kripke.model.trace import Trace
from kripke.numbers import counted, rate_text, size_text, time_text
from kripke.report.answers import answer_lines
from kripke.report.lemmas import lemma_lines
from kripke.report.terminal import Terminal, wrap
from kripke.report.trace_table import numbers_observer, place_text, trace_table

_UNREACHED_SHOWN = 10
_WORTH_MENTIONING = 0.1  # seconds
_MANY_STATES = 10_000
_PRODUCT_SEARCHES = ("bfs", "dfs", "ndfs", "scc")
_STATE_SHOWN = 40  # names of the last state


def _seen(result: Result) -> str:
    """How much was looked at. ``states`` of an unfolding are events, those of random walks and swarms an estimate, and
    where states were dropped and met again they are visits."""
    engine = result.engine
    about = "about " if engine.get("estimated") else ""
    noun = "visit" if _counts_visits(engine) else _search(engine).counts
    return about + counted(result.states, noun)


def _search(engine: Mapping[str, Any]) -> Search:
    name = engine["search"]
    return search_named(name) or Search(name, name)


def _by_formulas(engine: Mapping[str, Any]) -> bool:
    """Did a solver answer, which looks at no single state?"""
    return engine["search"] in ("bmc", "induction", "pdr")


def _counts_visits(engine: Mapping[str, Any]) -> bool:
    return bool(engine.get("dropped") or engine.get("persistent"))


def check_report(result: Result, terminal: Terminal, *, full: bool = False) -> Iterator[str]:
    """The lines of the report. Where questions were asked, they are the answers."""
    if answers := result.answers():
        yield from answer_lines(answers, terminal)
        return
    yield verdict_line(result, terminal)
    yield from property_lines(result, terminal)
    for number, finding in enumerate(result.findings, start=1):
        yield from _finding(finding, number, result, terminal, full)
    yield ""
    for line in (*scope(result), *statistics(result)):
        yield from wrap(line, terminal.width)
    if result.coverage is None:
        yield from unreached(result, terminal, full=full)
        return
    from kripke.report.coverage_report import coverage_report

    yield from coverage_report(result.coverage, terminal, full=full)


def verdict_line(result: Result, terminal: Terminal) -> str:
    """``holds: no deadlock, no failed assertion in 4,321 states``."""
    match result.verdict:
        case "holds":
            word = terminal.style("holds", "bold", "green")
            if len(result.parts) > 1:
                return f"{word}: all {len(result.parts)} properties"
            uncounted = "any reachable state" if _by_formulas(result.engine) else "states that were not counted"
            return f"{word}: {result.property} in {_seen(result) if result.states else uncounted}"
        case "violated":
            word = terminal.style("violated", "bold", "red")
            if len(result.findings) > 1 and len(result.parts) < 2:
                return f"{word}: {counted(result.errors, 'error')}, {len(result.findings)} of them different"
            # "violated: assertion violated: ..." would say it twice.
            return f"{word}: {result.reason.replace(' violated: ', ' ', 1)}{_after(result.trace)}"
        case "possible":
            word = terminal.style("possible", "bold", "green")
            if len(result.parts) > 1:
                return f"{word}: all {len(result.parts)} formulas"
            return f"{word}: {result.reason}{_after(result.trace)}"
        case "impossible":
            word = terminal.style("impossible", "bold", "red")
            return f"{word}: {result.reason}, {counted(result.states, 'state')}"
        case "unknown":
            seen = "" if _by_formulas(result.engine) else f", after {_seen(result)}"
            return terminal.style("unknown", "bold", "yellow") + f": {result.reason}{seen}"


def _after(trace: Trace | None) -> str:
    if trace is None:
        return ""
    if trace.loop_start is None:
        return f", after {counted(len(trace.moves), 'step')}"
    loop = f"a loop of {counted(len(trace) - trace.loop_start, 'step')}"
    return f", {loop} after {counted(trace.loop_start, 'step')}" if trace.loop_start else f", {loop}"


def property_lines(result: Result, terminal: Terminal) -> Iterator[str]:
    """Where several properties were checked: each with its verdict."""
    if len(result.parts) < 2:
        return
    styles = {"holds": "green", "violated": "red", "possible": "green", "impossible": "red", "unknown": "yellow"}
    width = max(len(part.name) for part in result.parts)
    longest = max(8, *(len(part.verdict) for part in result.parts))
    for part in result.parts:
        word = terminal.style(part.verdict.ljust(longest), styles[part.verdict])
        search = f"{_search(part.engine).words} search, {time_text(part.seconds)}"
        why = f": {part.reason}" if part.verdict == "unknown" else ""
        seen = "" if _by_formulas(part.engine) else f"{_seen(part)}, "
        yield f"  {part.name.ljust(width)}  {word}  {seen}{search}{why}"


def _finding(finding: Finding, number: int, result: Result, terminal: Terminal, full: bool) -> Iterator[str]:
    yield ""
    if len(result.findings) > 1:
        often = f" ({finding.count:,} such errors)" if finding.count is not None and finding.count > 1 else ""
        yield terminal.style(f"{number}. {finding.message}{_after(finding.trace)}{often}", "bold")
    if finding.trace is None:
        early = "the model fails before its first state"
        late = "there was no memory or time left to make one"
        if result.engine["search"] == "symbolic":
            late = "sets of markings tell that there is one, another --search shows it"
        yield f"  no trace: {late if result.states else early}"
        return
    yield from trace_table(finding.trace, terminal, full=full)
    if finding.trace.omitted:
        yield f"      ({counted(finding.trace.omitted, 'step')} left out that the error does not need)"
    yield from why(finding.trace, terminal)
    yield ""
    yield from final_state(finding.trace, terminal, full=full)
    if finding.trace.file:
        yield f"trace saved in {finding.trace.file}"


def why(trace: Trace, terminal: Terminal) -> Iterator[str]:
    """The explanation of the error, if there is one."""
    if trace.explanation is None or not trace.explanation.reasons:
        return
    yield ""
    yield f"{terminal.style('why', 'bold')}: {trace.explanation.summary}"
    for reason in trace.explanation.reasons:
        first, *more = wrap(str(reason), (terminal.width or 120) - 4)
        yield f"  {first}"
        yield from (f"    {line}" for line in more)


def final_state(trace: Trace, terminal: Terminal, *, full: bool = False) -> Iterator[str]:
    """The names and values of the last state, as many to a line as fit."""
    described = trace.model.describe(trace.final)
    state = {name: value for name, value in described.items() if not numbers_observer(name, value)}
    ended = bool(trace.moves) and trace.moves[-1].state is None
    yield terminal.style("state before the last step:" if ended else "state at the end:", "dim")
    yield from state_lines(state, terminal, full=full)


def state_lines(state: Mapping[str, str], terminal: Terminal, *, full: bool = False) -> Iterator[str]:
    shown = list(state.items()) if full else list(state.items())[:_STATE_SHOWN]
    line, width = "", terminal.width or 120
    for name, value in shown:
        item = f"{name[:-1]} at {value}" if name.endswith("@") else f"{name} = {value}"
        if line and len(line) + len(item) + 4 > width:
            yield f"  {line},"
            line = item
        else:
            line = f"{line}, {item}" if line else item
    if line:
        yield f"  {line}"
    if len(shown) < len(state):
        yield f"  and {len(state) - len(shown):,} more; --full shows all"


def scope(result: Result) -> Iterator[str]:
    """What a check of formulas alone says nothing about, and what it finds beside them."""
    parts = result.parts or (result,)
    if any(part.name == SAFETY or part.engine["search"] not in _PRODUCT_SEARCHES for part in parts):
        return
    if any(part.verdict in ("possible", "impossible") or part.engine.get("asked") == "assertion" for part in parts):
        return
    own = ("ltl", "never", "acceptance", "progress", UNDECIDED.kind)
    for part in parts:
        if part.verdict == "violated" and part.kind not in own:
            yield f"{part.name} is not decided: another error came first"
    names = ", ".join(part.name for part in parts)
    yield (
        f"checked: {names} alone; assertions and run-time errors were met only on the runs that this takes, deadlocks "
        "and other properties not at all"
    )


def statistics(result: Result) -> Iterator[str]:
    """How large, how fast, how much memory; by which engine, where nobody named one."""
    for words in dict.fromkeys(part.engine["auto"] for part in result.parts or (result,) if "auto" in part.engine):
        yield f"engine: {words}"
    for part in result.parts or (result,):
        if "lemmas" in part.engine:
            yield from lemma_lines(part.engine["lemmas"])
    if result.engine["search"] == "prefix" and "conditions" in result.engine:
        conditions, cut_offs = (counted(result.engine[name], name[:-1]) for name in ("conditions", "cut-offs"))
        yield f"unfolding of {_seen(result)}, {conditions}, {cut_offs}, {time_text(result.seconds)}"
        return
    if result.engine["search"] in ("symbolic", "bdd"):
        diagram = f"a diagram of {counted(result.engine['nodes'], 'node')}" if "nodes" in result.engine else "diagrams"
        peak = f"{result.engine.get('peak_nodes', 0):,} nodes at most, {size_text(result.store_bytes)}"
        counts = f"{_seen(result)}, {counted(result.transitions, 'transition')} in " if "nodes" in result.engine else ""
        yield f"{counts}{diagram}, {peak}, {time_text(result.seconds)}"
        return
    if _by_formulas(result.engine):
        yield f"{_asked_solver(result.engine)}{time_text(result.seconds)}"
        yield f"{_search(result.engine).words} search, {result.engine['name']} engine"
        return
    depth = "" if result.engine["search"] == "graph" else f"depth {result.depth:,}, "
    yield (
        f"{_seen(result)}, {counted(result.transitions, 'transition')}, "
        f"{depth}{time_text(result.seconds)}, {rate_text(result.states, result.seconds)}"
    )
    # Of a few states the empty table takes more than they do: the quotient would tell nothing.
    engine = result.engine
    kept = result.states >= _MANY_STATES and not engine.get("estimated") and not _counts_visits(engine)
    each = f" ({result.store_bytes / result.states:.0f} bytes per state)" if kept else ""
    yield f"{size_text(result.store_bytes)} for states{each}, state vector {counted(result.state_bytes, 'byte')}"
    line = f"{_search(engine).words} search, {engine['name']} engine{_asked_for(engine)}"
    if "compiler" in engine:
        cached = ", from the cache" if engine.get("compile_cached") else ""
        line += f", compiled by {engine['compiler']} in {time_text(result.compile_seconds)}{cached}"
    if result.clarify_seconds >= _WORTH_MENTIONING:
        line += f", traces made clear in {time_text(result.clarify_seconds)}"
    yield line
    yield from engine.get("passes", ())
    if "expanded" in engine:
        yield from _directed(engine)
    if "workers" in engine:
        yield _workers(engine)
    counted_part = result.parts[0] if result.parts else result  # whose figures these are
    if counted_part.complete:
        return
    if result.verdict == "possible":
        yield "the search ended at the first such run: the figures are not those of the whole state space"
    if result.verdict == "violated":
        early = "at the first error" if not engine.get("all_errors") else "before everything was seen"
        yield f"the search ended {early}: the figures are not those of the whole state space"


def _asked_solver(engine: Mapping[str, Any]) -> str:
    """What a solver was asked, as far as it is known."""
    if "levels" in engine:
        clauses, levels, questions = (counted(engine[f"{name}s"], name) for name in ("clause", "level", "question"))
        return f"{clauses} in {levels}, {questions} to the solver, "
    bound = engine.get("bound", engine.get("k"))
    return "" if not bound else f"runs of up to {counted(bound, 'command')}, "


def _directed(engine: Mapping[str, Any]) -> Iterator[str]:
    """What a directed search went by, and what its trace is worth."""
    again = f", {engine['reopened']:,} of them again" if engine["reopened"] else ""
    rounds = f" in {counted(engine['rounds'], 'round')}" if engine["rounds"] > 1 else ""
    weight = f", weight {engine['weight']:g}" if "weight" in engine else ""
    yield f"estimate: {engine['estimate']}{weight}; {counted(engine['expanded'], 'state')} expanded{again}{rounds}"
    if engine["shortest"]:
        yield "no run to an error of this kind is shorter"


def _workers(engine: Mapping[str, Any]) -> str:
    """How several processes shared the states."""
    hosts = f" on {counted(len(engine['hosts']), 'host')}" if len(engine["hosts"]) > 1 else ""
    sent = f"{engine['transferred']:.1%} of the steps sent to another worker"
    memory = f"{size_text(engine['largest_worker_bytes'])} at most for one of them"
    return f"{counted(engine['workers'], 'worker')}{hosts}, states by {engine['partition']}: {sent}, {memory}"


def _asked_for(engine: Mapping[str, Any]) -> str:
    """What the search went by beside its order, where that is not the usual."""
    parts = [f"{engine['threads']} threads"] if engine.get("threads", 1) > 1 else []
    parts += [f"store {engine['store']}"] if engine.get("store", "full") in STORES[1:] else []
    parts += ["partial-order reduction"] if engine.get("por") else []
    reduction = engine.get("reduction", "")
    parts += [f"no partial-order reduction ({reduction[6:]})"] if reduction.startswith("none: ") else []
    parts += [f"symmetry ({engine['symmetry']})"] if engine.get("symmetry", "off") != "off" else []
    return "".join(f", {part}" for part in parts)


def unreached(result: Result, terminal: Terminal, *, full: bool = False) -> Iterator[str]:
    """Statements a complete search never executed."""
    if not result.unreached:
        return
    statements = sorted(
        (statement for statement in result.unreached if statement.span.line),
        key=lambda statement: (statement.span.file, statement.span.line, statement.span.column),
    )
    if not statements:
        return
    yield ""
    yield f"never executed: {len(statements):,} of {counted(result.statement_count, 'statement')}"
    shown = statements if full else statements[:_UNREACHED_SHOWN]
    places = [place_text(statement.span) for statement in shown]
    width = terminal.width or 120
    place_width = max(map(len, places))
    process_width = max(len(statement.component) for statement in shown)
    for place, statement in zip(places, shown, strict=True):
        line = f"  {place.ljust(place_width)}  {statement.component.ljust(process_width)}  {statement.text}".rstrip()
        yield line if len(line) <= width else line[: width - 3] + "..."
    if len(shown) < len(statements):
        yield f"  and {len(statements) - len(shown):,} more; --full shows all"
