"""Assignments that define each other in a circle: none of them could be made first."""

from __future__ import annotations

from kripke.model.source import Sources
from kripke.synchronous.expressions import reads
from kripke.synchronous.system import Assignment, SynchronousSystem


def refuse_circles(system: SynchronousSystem, sources: Sources) -> None:
    """ModelError with the way round. What is assigned in all states counts at the start and in the next state."""
    for when, own, later in (("init", system.first, False), ("next", system.following, True)):
        needs = {one.variable: _needs(one, later) for one in own}
        needs |= {one.variable: _needs(one, False) for one in system.always}
        circle = _circle(needs)
        if circle is None:
            continue
        assigned = {one.variable: one for one in (*own, *system.always)}
        names = [system.variables[number].name for number in circle]
        way = " -> ".join(
            f"{when}({name})" if assigned[n] in own else name for n, name in zip(circle, names, strict=True)
        )
        first = assigned[circle[0]]
        hint = "what depends on the state before breaks the circle"
        raise sources.error(f"assignments in a circle: {way}", first.span, hint)


def _needs(assignment: Assignment, later: bool) -> list[int]:
    return sorted(number for number, is_later in reads(assignment.value) if is_later == later)


def _circle(needs: dict[int, list[int]]) -> list[int] | None:
    """Variables each of which needs the next one, the last the first."""
    done: set[int] = set()
    for start in needs:
        stack = [(start, iter(needs[start]))] if start not in done else []
        path = {start: None}
        while stack:
            number, waiting = stack[-1]
            following = next((each for each in waiting if each in needs and each not in done), None)
            if following is None:
                stack.pop()
                del path[number]
                done.add(number)
            elif following in path:
                way = list(path)
                return [*way[way.index(following) :], following]
            else:
                path[following] = None
                stack.append((following, iter(needs[following])))
    return None
