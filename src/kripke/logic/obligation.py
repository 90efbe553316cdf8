"""The smallest deterministic automaton of an obligation: a boolean combination of safety and guarantee.

Languages of this class have weak deterministic automata (all or no cycles of a component are accepted), which can be
found by the subset construction (Dax, Eisinger, Klaedtke, ATVA 2007) and made minimal like automata on words (Löding,
IPL 2001). Deterministic automata make smaller products, and the search for accepted cycles in weak ones is cheap.
"""

from __future__ import annotations

from kripke.logic.components import components
from kripke.logic.guards import FALSE, TRUE, Guards
from kripke.logic.pruning import without_useless_states
from kripke.logic.symbolic_automaton import Out, SymbolicAutomaton, merged, reachable

_MOST_LETTERS = 64  # ways to go on from a set of states


def minimal_weak(symbolic: SymbolicAutomaton, most_states: int) -> SymbolicAutomaton | None:
    """A minimal weak deterministic automaton with the same language, marks on states; None if it would be too large.

    Right only if its language is an obligation.
    """
    subsets = _determinised(symbolic, most_states)
    if subsets is None:
        return None
    sets, out = subsets
    colours = _coloured(symbolic, sets, out)
    return _minimal(symbolic.guards, out, colours)


_Edges = list[tuple[int, int]]  # (guard, target)


def _determinised(symbolic: SymbolicAutomaton, most_states: int) -> tuple[list[frozenset[int]], list[_Edges]] | None:
    """The subset construction; complete, with the empty set as the state that accepts nothing."""
    guards = symbolic.guards
    start = frozenset([symbolic.initial])
    names = {start: 0}
    found = [start]
    out: list[_Edges] = []
    for subset in found:
        regions: list[tuple[int, frozenset[int]]] = [(TRUE, frozenset())]
        by_target: dict[int, int] = {}
        for state in subset:
            for guard, target, _ in symbolic.out[state]:
                by_target[target] = guards.either(by_target.get(target, FALSE), guard)
        for target, guard in by_target.items():
            split = []
            for region, reached in regions:
                inside = guards.both(region, guard)
                outside = guards.both(region, guard ^ 1)
                if inside != FALSE:
                    split.append((inside, reached | {target}))
                if outside != FALSE:
                    split.append((outside, reached))
            regions = split
            if len(regions) > _MOST_LETTERS:
                return None
        together: dict[int, int] = {}
        for region, reached in regions:
            if reached not in names:
                names[reached] = len(found)
                found.append(reached)
                if len(found) > most_states:
                    return None
            number = names[reached]
            together[number] = guards.either(together.get(number, FALSE), region)
        out.append([(guard, target) for target, guard in together.items()])
    return found, out


def _coloured(symbolic: SymbolicAutomaton, subsets: list[frozenset[int]], out: list[_Edges]) -> list[int]:
    """Löding's colours: even where cycles are accepted, never falling along edges."""
    colours = [2 * len(out)] * len(out)
    for component in components([[target for _, target in edges] for edges in out]):
        inside = set(component)
        after = [colours[target] for state in component for _, target in out[state] if target not in inside]
        colour = min(after, default=2 * len(out))
        cycle = _cycle(component, inside, out)
        if cycle is not None and _accepted(symbolic, subsets[component[0]], cycle) != (colour % 2 == 0):
            colour -= 1
        for state in component:
            colours[state] = colour
    return colours


def _cycle(component: list[int], inside: set[int], out: list[_Edges]) -> list[int] | None:
    """The guards along some cycle through the first state of a component."""
    start = component[0]
    came: dict[int, tuple[int, int]] = {}
    queue = [start]
    for state in queue:
        for guard, target in out[state]:
            if target == start:
                guards = [guard]
                while state != start:
                    state, guard = came[state]
                    guards.append(guard)
                return guards[::-1]
            if target in inside and target not in came:
                came[target] = (state, guard)
                queue.append(target)
    return None


def _accepted(symbolic: SymbolicAutomaton, subset: frozenset[int], cycle: list[int]) -> bool:
    """Does it accept the word of these guards (one letter of each), over and over, from one of the states?"""
    letters = [symbolic.guards.a_letter(guard) for guard in cycle]
    length = len(letters)
    names: dict[tuple[int, int], int] = {(state, 0): index for index, state in enumerate(subset)}
    found = list(names)
    out: list[list[tuple[int, int]]] = []
    for state, position in found:
        edges = []
        for guard, target, marks in symbolic.out[state]:
            if symbolic.guards.holds(guard, letters[position]):
                key = (target, (position + 1) % length)
                if key not in names:
                    names[key] = len(found)
                    found.append(key)
                edges.append((names[key], marks))
        out.append(edges)
    for component in components([[target for target, _ in edges] for edges in out]):
        inside = set(component)
        inner = [marks for node in component for target, marks in out[node] if target in inside]
        gathered = 0
        for marks in inner:
            gathered |= marks
        if inner and gathered == symbolic.all_marks:
            return True
    return False


def _minimal(guards: Guards, out: list[_Edges], colours: list[int]) -> SymbolicAutomaton:
    parities = [colour % 2 for colour in colours]
    count = len(set(parities))
    classes = parities if count == 2 else [0] * len(out)
    while True:
        numbers: dict[tuple[int, frozenset[tuple[int, int]]], int] = {}
        refined = []
        for state, edges in enumerate(out):
            together: dict[int, int] = {}
            for guard, target in edges:
                together[classes[target]] = guards.either(together.get(classes[target], FALSE), guard)
            refined.append(numbers.setdefault((parities[state], frozenset(together.items())), len(numbers)))
        if len(numbers) == count:
            break
        classes, count = refined, len(numbers)
    edges_of: list[list[Out]] = [[] for _ in range(count)]
    for state, edges in enumerate(out):
        if not edges_of[classes[state]]:
            mark = 1 - colours[state] % 2
            edges_of[classes[state]] = merged(guards, [Out(guard, classes[target], mark) for guard, target in edges])
    return without_useless_states(reachable(SymbolicAutomaton(guards, 1, classes[0], edges_of)))
