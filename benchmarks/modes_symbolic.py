"""Diagrams per control point against one flat diagram, on the generic hierarchic example.

    ./dev python benchmarks/modes_symbolic.py --largest 16

Both searches use the same diagrams, the same order of variables, the same native loop, the same rings of macro steps.
The flat one has control and all variables of all instances in one set, and relations with identities for what a
transition does not change. Times are of the processor. States are counted by the explicit search, too.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from time import process_time

import kripke
from kripke.engines.hierarchy.located import ALWAYS, CONTROL, NEVER, SPOT, Choice, LocatedSets
from kripke.engines.hierarchy.reachability import Reachability, explored
from kripke.hierarchy.mode_model import ModeModel
from kripke.hierarchy.modes import ABSENT, DEFAULT_ENTRY
from kripke.hierarchy.terms import evaluator, variables
from kripke.hierarchy.tree import Node
from kripke.languages.modes import load

EXAMPLE = Path(__file__).parents[1] / "examples" / "modes" / "generic.modes"
RESTING = -1
THERE = 0  # the one control point
Rows = list[list[tuple[int, int]]]


class Flat:
    """Level 0 says where a macro step has come to; then the places of the tree, each a level higher."""

    def __init__(self, model: ModeModel) -> None:
        self.model, self.tree, self.sets = model, model.tree, LocatedSets()
        self.domains: list[list[int]] = [[RESTING, *range(len(self.tree.nodes))]]
        self.domains += [[0]] * self.tree.size
        for number, variable in enumerate(model.system.globals):
            self.domains[1 + number] = list(range(variable.type.low, variable.type.high + 1))
        for node in self.tree.nodes:
            assert not any(self.tree.nodes[child].keeps for child in node.children), "without history only"
            self.domains[1 + node.position] = list(range(len(node.definition.positions)))
            for place, variable in zip(node.locals, node.definition.locals, strict=True):
                self.domains[1 + place] = sorted({0, *range(variable.type.low, variable.type.high + 1)})
        native = self.sets.native
        self.whole = native.move([(level, True, -1) for level in range(len(self.domains))])
        nothing = native.move([])
        values = [0, *(value - min(d) for value, d in zip(self.tree.start(), self.domains[1:], strict=False))]
        native.start(THERE, self.sets.single(list(enumerate(values))).handle)
        native.describe_control(THERE, [(1 + 2 * top, nothing) for top in range(len(self.tree.roots))], [])
        native.describe_spot(0, THERE, True, [])
        for top, root in enumerate(self.tree.roots):
            awake = 2 + 2 * top
            wakes = [Choice(ALWAYS, nothing, NEVER, (), r, self.whole, awake, 0) for r in self._wakes(root)]
            native.describe_spot(1 + 2 * top, THERE, False, [wakes])
            steps = [
                Choice(ALWAYS, nothing, NEVER, (), relation, self.whole, awake if moves else 0, 0)
                for relation, moves in self._relations(root)
            ]
            native.describe_spot(awake, THERE, False, [steps])

    # --- relations ----------------------------------------------------------------------------------------------------

    def relation(self, levels: list[int], rows: Rows, constants: dict[int, int]) -> int:
        """Rows over some levels, in their order; constants whatever was before; identity elsewhere."""
        order = sorted(range(len(levels)), key=lambda i: levels[i])
        return self._relation(0, [levels[i] for i in order], [[row[i] for i in order] for row in rows], constants)

    def _relation(self, at: int, levels: list[int], rows: Rows, constants: dict[int, int]) -> int:
        if not rows:
            return NEVER
        if at == len(self.domains):
            return ALWAYS
        if levels and levels[0] == at:
            groups: dict[tuple[int, int], Rows] = {}
            for row in rows:
                groups.setdefault(row[0], []).append(row[1:])
            entries = [
                (old, new, self._relation(at + 1, levels[1:], rest, constants))
                for (old, new), rest in sorted(groups.items())
            ]
        else:
            rest_of = self._relation(at + 1, levels, rows, constants)
            entries = [(value, constants.get(at, value), rest_of) for value in self.domains[at]]
        low = min(self.domains[at])
        return self.sets.native.relation_of([(old - low, new - low, rest) for old, new, rest in entries])

    def _subtree(self, number: int) -> Iterator[Node]:
        yield self.tree.nodes[number]
        for child in self.tree.nodes[number].children:
            yield from self._subtree(child)

    def _cleared(self, number: int) -> dict[int, int]:
        return {1 + p: 0 for n in self._subtree(number) for p in (n.position, *n.locals)}

    def _entered(self, number: int, position: int) -> dict[int, int]:
        node = self.tree.nodes[number]
        found = self._cleared(number) | {1 + node.position: position}
        return found | {1 + p: v.start for p, v in zip(node.locals, node.definition.locals, strict=True)}

    def _wakes(self, root: int) -> Iterator[int]:
        """The innermost instance of a mode at rest is where it goes on."""
        for node in self._subtree(root):
            levels, row, at = [0], [(RESTING, node.number)], node
            while at.number != root:
                owner = self.tree.nodes[at.parent]
                levels.append(1 + owner.position)
                row.append((owner.definition.inside[at.instance],) * 2)
                at = owner
            inner = [p for p in range(1, len(node.definition.positions)) if p not in node.definition.inside]
            yield self.relation([*levels, 1 + node.position], [[*row, (p, p)] for p in inner], {})
        place = 1 + self.tree.nodes[root].position
        constants = {level: value for level, value in self._entered(root, DEFAULT_ENTRY).items() if level != place}
        yield self.relation([0, place], [[(RESTING, root), (ABSENT, DEFAULT_ENTRY)]], constants)

    def _relations(self, root: int) -> Iterator[tuple[int, bool]]:
        """With each: does the macro step go on?"""
        for node in self._subtree(root):
            for position, indices in enumerate(node.definition.outgoing):
                if position == ABSENT:
                    continue
                guards = []
                for index in indices:
                    guards.append(node.definition.transitions[index].guard)
                    yield self._taken(node, index)
                used = sorted({node.places[v.number] for guard in guards for v in variables(guard)})
                tests = [evaluator(guard) for guard in guards]
                rows: Rows = []
                values = self.tree.start()
                for row in product(*(self.domains[1 + place] for place in used)):
                    for place, value in zip(used, row, strict=True):
                        values[place] = value
                    if not any(test(values, node.places) for test in tests):
                        out = node.parent if node.parent >= 0 else RESTING
                        rows.append([(node.number, out), (position, position), *((v, v) for v in row)])
                yield self.relation([0, 1 + node.position, *(1 + place for place in used)], rows, {}), node.parent >= 0

    def _taken(self, node: Node, index: int) -> tuple[int, bool]:
        transition = node.definition.transitions[index]
        target, definition = transition.target, node.definition
        used = {v.number for v in variables(transition.guard)} | {a.variable for a in transition.actions}
        used |= {v.number for a in transition.actions for v in variables(a.value)}
        places = sorted({node.places[n] for n in used if node.places[n] < self.tree.size})
        constants: dict[int, int] = {}
        own, following = (transition.source, target.position), node.number
        levels: list[int] = []
        ends: list[tuple[int, int]] = []
        if transition.source in definition.inside:
            constants |= self._cleared(node.children[definition.inside.index(transition.source)])
        match target.kind:
            case "exit":
                owner = self.tree.nodes[node.parent]
                constants |= self._cleared(node.number)
                own, following = (transition.source, ABSENT), owner.number
                inside = owner.definition.inside[node.instance]
                levels = [1 + owner.position]
                ends = [(inside, owner.definition.exits_of[node.instance] + target.position)]
            case "entry":
                child = node.children[target.instance]
                constants |= self._entered(child, target.position)
                own, following = (transition.source, definition.inside[target.instance]), child
            case _:
                following = RESTING if transition.pause else node.number
        guard, actions = evaluator(transition.guard), [(a.variable, evaluator(a.value)) for a in transition.actions]
        rows: Rows = []
        values = self.tree.start()
        for row in product(*(self.domains[1 + place] for place in places)):
            for place, value in zip(places, row, strict=True):
                values[place] = value
            if not guard(values, node.places):
                continue
            for variable, action in actions:
                values[node.places[variable]] = action(values, node.places)
            if any(values[place] not in self.domains[1 + place] for place in places):
                continue
            after = [constants.get(1 + place, values[place]) for place in places]
            rows.append([(node.number, following), own, *ends, *zip(row, after, strict=True)])
        found = self.relation([0, 1 + node.position, *levels, *(1 + place for place in places)], rows, constants)
        return found, following != RESTING

    def run(self) -> None:
        event = self.sets.advance(1 << 62)
        assert event.kind not in (CONTROL, SPOT)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=int, default=64)
    options = parser.parse_args()
    head = f"{'nodes':>6} {'made':>10} {'s':>7}"
    print(f"{'n':>3} {'states':>10} {'rings':>9} | {head} | flat: {head} | times: nodes, made, s")
    for n in (2, 4, 8, 16, 32, 64):
        if n > options.largest:
            break
        model = load(str(EXAMPLE), defines={"n": str(n)})
        begin = process_time()
        search = Reachability(model)
        explored(search)
        took = process_time() - begin
        begin = process_time()
        flat = Flat(model)
        flat.run()
        flat_took = process_time() - begin
        (reached,) = flat.sets.reached().values()
        enumerated = kripke.load(EXAMPLE, defines={"n": str(n)}).check(deadlock=False).states
        assert reached.count() == search.states == enumerated, (reached.count(), search.states, enumerated)
        nodes, flat_nodes = search.nodes, flat.sets.nodes([reached])
        made, flat_made = search.sets.native.made_nodes, flat.sets.native.made_nodes
        print(
            f"{n:>3} {search.states:>10,} {search.rings:>9,} | {nodes:>6} {made:>10,} {took:>7.2f} "
            f"| flat: {flat_nodes:>6} {flat_made:>10,} {flat_took:>7.2f} "
            f"| {flat_nodes / nodes:.1f}, {flat_made / made:.1f}, {flat_took / took:.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
