"""Which steps of a trace are shown, and what stands for the others: turns of a loop once, local steps of long traces.

A turn is a sequence of steps with the same statements by the same processes; where several follow one another, the
first is shown and a line says how often it comes again and what that changes. A step is local that touches nothing but
its own process. The deciding step, the step with the error and the beginning of an endless loop are always shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from kripke.model.capabilities.messages import messages_of
from kripke.model.trace import Difference, Step, Trace, differences
from kripke.numbers import counted

LONG = 60  # steps; only in longer traces are local steps and the middle left out
_FIRST, _LAST = 20, 30
_LONGEST_TURN = 16
_LEAST_SAVED = 4  # steps; less is not worth a line


class Fold(NamedTuple):
    """Steps from ``start`` to before ``stop`` for which a line stands; ``changes`` is what they change together."""

    start: int
    stop: int
    text: str
    changes: tuple[Difference, ...] = ()


def folded(trace: Trace) -> list[int | Fold]:
    """Positions of steps that are shown, and folds between them, in the order of the trace."""
    found = list(_turns(trace))
    if len(found) <= LONG:
        return found
    shown = list(islice(_local(trace, found), LONG + 1))
    if len(shown) <= LONG:
        return shown
    # Only both ends are looked at: what a step changes takes long to find out, and a trace may have a million.
    first, last = shown[:_FIRST], list(islice(_local(trace, found[::-1]), _LAST))[::-1]
    start, stop = _stop(first[-1]), _start(last[0])
    return [*first, Fold(start, stop, f"{stop - start:,} steps not shown; --full shows all"), *last]


def _start(entry: int | Fold) -> int:
    return entry if isinstance(entry, int) else entry.start


def _stop(entry: int | Fold) -> int:
    return entry + 1 if isinstance(entry, int) else entry.stop


def _turns(trace: Trace) -> Iterator[int | Fold]:
    signs = [tuple((part.actor, part.statement) for part in step.parts) for step in trace.steps]
    fixed = _fixed(trace)
    at = 0
    while at < len(signs):
        length, times = _repeated(signs, fixed, at)
        yield from range(at, at + length)
        at += length
        if times > 1:
            stop = at + length * (times - 1)
            again = "once more" if times == 2 else f"{times - 1:,} times more"
            text = f"the last {counted(length, 'step')} {again}" if length > 1 else f"the last step {again}"
            yield Fold(at, stop, text, _changes(trace, at, stop))
            at = stop


def _repeated(signs: Sequence[object], fixed: set[int], at: int) -> tuple[int, int]:
    """The length of the turn that begins here, and how often it comes; (1, 1) where there is none worth folding."""
    best, saved = (1, 1), _LEAST_SAVED - 1
    for length in range(1, min(_LONGEST_TURN, (len(signs) - at) // 2) + 1):
        turn, times = signs[at : at + length], 1
        while signs[(start := at + length * times) : start + length] == turn and not fixed & set(
            range(start, start + length)
        ):
            times += 1
        if length * (times - 1) > saved:
            best, saved = (length, times), length * (times - 1)
    return best


def _fixed(trace: Trace) -> set[int]:
    """Steps that must be seen."""
    fixed = {len(trace) - 1}
    fixed |= {index for index, step in enumerate(trace.steps) if step.violations}
    fixed |= {place for place in (trace.deciding, trace.loop_start) if place is not None}
    return fixed


def _local(trace: Trace, entries: Sequence[int | Fold]) -> Iterator[int | Fold]:
    """The entries, or those in reverse, with a fold for every run of local steps."""
    fixed = _fixed(trace)
    run: list[int] = []

    def ended() -> Iterator[int | Fold]:
        if len(run) < _LEAST_SAVED:
            yield from run
        else:
            text = f"{len(run):,} steps that touch nothing but their own process"
            start, stop = min(run), max(run) + 1
            yield Fold(start, stop, text, _changes(trace, start, stop))
        run.clear()

    for entry in entries:
        if isinstance(entry, int) and entry not in fixed and _is_local(trace.steps[entry]):
            run.append(entry)
            continue
        yield from ended()
        yield entry
    yield from ended()


def _is_local(step: Step) -> bool:
    actors = {step.actor_of(part) for part in step.parts}
    if len(actors) != 1 or any(messages_of(step.model)(part, step.before) is not None for part in step.parts):
        return False
    return is_local_change(actors.pop(), step.effects)


def is_local_change(actor: str, changes: Sequence[Difference]) -> bool:
    """Does it change nothing but what belongs to the process?"""
    return all(name == f"{actor}@" or name.startswith(f"{actor}.") for name, _, _ in changes)


def _changes(trace: Trace, start: int, stop: int) -> tuple[Difference, ...]:
    """What these steps change together."""
    model, last = trace.model, trace.steps[stop - 1].state
    if last is None:
        return ()
    return differences(model.describe(trace.steps[start].before), model.describe(last), model.omitted_value)
