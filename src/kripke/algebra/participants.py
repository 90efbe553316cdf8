"""Who takes part in a step: the leaves of the term that move, by their places in it."""

from __future__ import annotations

from kripke.algebra.events import TAU, TICK
from kripke.algebra.parallel import Alphabetised, Linked, Parallel, SynchronisingChoice, SynchronisingInterrupt
from kripke.algebra.terms import External, Hide, Interrupt, Rename, Sequence, Sliding, Term, Throw

Place = tuple[int, ...]


def leaves(term: Term, place: Place = ()) -> list[tuple[Place, Term]]:
    """The parts of a network that go on at once."""
    found: list[tuple[Place, Term]] = []
    stack = [(place, term)]
    while stack:
        at, process = stack.pop()
        process = process.now()
        match process:
            case Parallel() | Linked():
                stack += [((*at, 1), process.right), ((*at, 0), process.left)]
            case Alphabetised():
                stack += [((*at, number), part) for number, part in reversed(list(enumerate(process.parts)))]
            case Hide() | Rename():
                stack.append((at, process.process))
            case _:
                found.append((at, process))
    return found


def participants(term: Term, event: int, target: Term, place: Place = ()) -> list[tuple[Place, Term, int]]:
    """The innermost processes that move in a step, each with its own event."""
    term = term.now()
    match term:
        case Hide():
            for inner, after in term.process.steps():
                if (TAU if term.hidden.has(inner) else inner) == event and term.world.hide(
                    after, term.hidden
                ) is target:
                    return participants(term.process, inner, after, place)
        case Rename():
            for inner, after in term.process.steps():
                if event in term.relation.of(inner) and term.world.rename(after, term.relation) is target:
                    return participants(term.process, inner, after, place)
        case Parallel() | Linked():
            return _of_pair(term, event, target, place)
        case Alphabetised() if isinstance(target, Alphabetised):
            moved = [at for at, (a, b) in enumerate(zip(term.parts, target.parts, strict=True)) if a is not b]
            if event not in (TAU, TICK):
                moved = [at for at, own in enumerate(term.alphabets) if own.has(event)]
            found = []
            for at in moved:
                inner = event
                if event == TAU and target.parts[at] is term.world.omega and term.parts[at].after(TICK):
                    inner = TICK
                found += participants(term.parts[at], inner, target.parts[at], (*place, at))
            return found
        case Sequence():
            for inner, after in term.first.steps():
                if inner == TICK and event == TAU and term.then() is target:
                    return participants(term.first, inner, after, place)
                if inner == event and term.world.sequence(after, term._then, term.name) is target:
                    return participants(term.first, inner, after, place)
        case External():
            for part in term.parts:
                if event != TAU and target in part.after(event):
                    return participants(part, event, target, place)
        case Interrupt() | SynchronisingChoice() | SynchronisingInterrupt() | Sliding():
            for part in (term.left, term.right):
                if event != TAU and target in part.after(event):
                    return participants(part, event, target, place)
                for after in part.after(event):
                    if event != TAU and after in target.children():
                        return participants(part, event, after, place)
        case Throw():
            for inner, after in term.process.steps():
                if inner == event:
                    return participants(term.process, event, after, place)
    return [(place, term, event)]


def _of_pair(term: Parallel | Linked, event: int, target: Term, place: Place) -> list[tuple[Place, Term, int]]:
    omega = term.world.omega
    if not isinstance(target, Parallel | Linked):
        return [(place, term, event)]
    found: list[tuple[Place, Term, int]] = []
    for number, (before, after) in enumerate(((term.left, target.left), (term.right, target.right))):
        together = isinstance(term, Parallel) and term.shared.has(event)
        if before is after and not together:
            continue
        if together:
            found += participants(before, event, after, (*place, number))
            continue
        if event == TAU and after is omega and after not in before.after(TAU):
            found += participants(before, TICK, after, (*place, number))
            continue
        own = [inner for inner, following in before.steps() if following is after]
        inner = event if event in own else own[0] if own else event
        found += participants(before, inner, after, (*place, number))
    if not found:  # a side that comes back to itself
        for number, side in enumerate((term.left, term.right)):
            if side in side.after(event):
                return participants(side, event, side, (*place, number))
    return found or [(place, term, event)]
