"""Why does it hold? Coverage as text, and as the lines of a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kripke.model.coverage import Coverage
from kripke.model.model import Statement
from kripke.numbers import counted
from kripke.report.terminal import Terminal, wrap
from kripke.report.trace_table import place_text, trace_table

_SHOWN = 10


class Line(NamedTuple):
    """A heading with what is to say, and the details that are worth a look."""

    head: str
    text: str
    details: tuple[str, ...] = ()


def coverage_lines(coverage: Coverage) -> Iterator[Line]:
    """What is to say, in the order in which one would ask."""
    if coverage.reason:
        yield Line("limits", f"only {counted(coverage.states, 'state')} were looked at: the limit was reached")
    yield _statements(coverage)
    if coverage.options:
        missed = [option.statement for option in coverage.options if not option.taken]
        taken = len(coverage.options) - len(missed)
        yield Line("branches", f"{taken:,} of {counted(len(coverage.options), 'option')} taken", _places(missed))
    if coverage.messages:
        yield _messages(coverage)
    changes = "never changes" if len(coverage.unchanging) == 1 else "never change"
    yield _constants("variables", changes, coverage.unchanging, "every variable changes")
    if coverage.atom_count:
        atoms = [(name, "true" if value else "false") for name, value in coverage.constant_atoms]
        said = "every condition of a property is true somewhere and false somewhere"
        changes = f"of {counted(coverage.atom_count, 'condition')} never {'changes' if len(atoms) == 1 else 'change'}"
        yield _constants("conditions", changes, atoms, said, "is always")
    for vacuity in coverage.vacuous:
        yield Line("vacuous", f"{vacuity.property}: {vacuity.text}")


def _statements(coverage: Coverage) -> Line:
    real = [
        (statement, done)
        for number, (statement, done) in enumerate(zip(coverage.statements, coverage.executed, strict=True))
        if statement.span.line and number not in coverage.forbidden
    ]
    missed = [statement for statement, done in real if not done]
    said = f"{len(real) - len(missed):,} of {counted(len(real), 'statement')} executed"
    return Line("statements", said, _places(missed))


def _messages(coverage: Coverage) -> Line:
    uses = coverage.messages
    details = [
        f"{use.name} is never {' and never '.join(words)}"
        for use in uses
        if (words := [word for word, used in (("sent", use.sent), ("received", use.received)) if used is False])
    ]
    sent = sum(use.sent is not False for use in uses)
    received = sum(use.received is not False for use in uses)
    return Line("messages", f"of {counted(len(uses), 'type')} {sent:,} sent, {received:,} received", tuple(details))


def _constants(head: str, verb: str, found: Sequence[tuple[str, str]], none: str, sign: str = "=") -> Line:
    if not found:
        return Line(head, none)
    return Line(head, f"{len(found):,} {verb}", tuple(f"{name} {sign} {value}" for name, value in found))


def _places(statements: Sequence[Statement]) -> tuple[str, ...]:
    ordered = sorted(statements, key=lambda s: (s.span.file, s.span.line, s.span.column))
    return tuple(
        f"never: {place_text(statement.span)}  {statement.component}  {statement.text}" for statement in ordered
    )


def samples_text(coverage: Coverage) -> str:
    """``2 runs of 12 and 7 steps execute every statement that can be executed``."""
    lengths = [f"{len(trace):,}" for trace in coverage.samples]
    if not lengths:
        return "there is none: no step can be made"
    shown = {part.statement for trace in coverage.samples for step in trace.steps for part in step.parts}
    possible = {number for number, done in enumerate(coverage.executed) if done}
    ending = {number for number, times in enumerate(coverage.executions) if times}
    every = "every statement" if ending <= shown else f"{len(possible & shown):,} of {len(possible):,} statements"
    # What initialises a variable, or stands inside an atomic sequence, ends no step.
    what = f"{every} that {'can be executed' if possible <= shown or not ending <= shown else 'ends a step'}"
    if len(lengths) == 1:
        return f"one run of {counted(len(coverage.samples[0]), 'step')} executes {what}"
    return f"{len(lengths)} runs of {', '.join(lengths[:-1])} and {lengths[-1]} steps together execute {what}"


def coverage_report(coverage: Coverage, terminal: Terminal, *, full: bool = False) -> Iterator[str]:
    """The section of the text report."""
    yield ""
    yield terminal.style("coverage:", "bold")
    lines = [*coverage_lines(coverage), Line("sample runs", samples_text(coverage))]
    width = max(len(line.head) for line in lines)
    for line in lines:
        first, *more = wrap(line.text, max((terminal.width or 120) - width - 4, 30))
        head = line.head.ljust(width)
        yield f"  {terminal.style(head, 'yellow') if line.head == 'vacuous' else head}  {first}"
        yield from (f"  {' ' * width}  {rest}" for rest in more)
        shown = line.details if full else line.details[:_SHOWN]
        yield from (f"  {' ' * width}    {detail}" for detail in shown)
        if len(shown) < len(line.details):
            yield f"  {' ' * width}    and {len(line.details) - len(shown):,} more; --full shows all"
    if full:
        for number, trace in enumerate(coverage.samples, start=1):
            yield ""
            yield terminal.style(f"sample run {number}:", "bold")
            yield from trace_table(trace, terminal, full=True)
