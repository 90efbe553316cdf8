"""A system of modes as one flat Promela process: where control is and all variables of all instances are globals.

It takes a micro step at a time; ``at`` says which instance is at work, 0 that the system is at rest. So the states with
``at == 0`` are those of the modes.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from kripke.hierarchy.mode_model import ModeModel
from kripke.hierarchy.modes import ABSENT, DEFAULT_ENTRY, Assignment, ModeTransition
from kripke.hierarchy.terms import Binary, Choice, Element, Inside, Number, Term, Unary, Variable
from kripke.hierarchy.tree import Node


class PromelaTwin:
    def __init__(self, model: ModeModel) -> None:
        self.tree, self.system = model.tree, model.system
        self.first = [number for number, top in enumerate(self.system.tops) if top.initialised]

    def text(self) -> str:
        start = self.tree.start()
        lines = [f"int v{place} = {start[place]};" for place in range(len(start))]
        lines += ["int at = 0;", f"int phase = {0 if self.first else 1};", "active proctype Twin() {", "  do"]
        lines += [f"  :: d_step {{ {guard} -> {'; '.join(body) or 'skip'} }}" for guard, body in self._options()]
        return "\n".join([*lines, "  od", "}"]) + "\n"

    def _options(self) -> Iterator[tuple[str, list[str]]]:
        done = 1 if not self.first else len(self.first)
        for number, top in enumerate(self.first):
            root = self.tree.nodes[self.tree.roots[top]]
            yield f"phase == {number} && at == 0 && v{root.position} == 0", self._entered(root, DEFAULT_ENTRY)
            yield f"phase == {number} && at == 0 && v{root.position} != 0", [f"phase = {number + 1}"]
        ready = f"phase >= {done}" if self.first else "true"
        for root_number in self.tree.roots:
            root = self.tree.nodes[root_number]
            yield f"{ready} && at == 0 && v{root.position} == 0", self._entered(root, DEFAULT_ENTRY)
            for path, at in self._inner(root):
                yield f"{ready} && at == 0 && {path}", [at]
        for node in self.tree.nodes:
            yield from self._steps(node, ready, done)
            yield from self._overrides(node)

    def _at(self, number: int, *, back: bool = False) -> str:
        """Control is in an instance, or on its way back into it."""
        return f"at = {number + 1 + back * len(self.tree.nodes)}"

    def _overrides(self, node: Node) -> Iterator[tuple[str, list[str]]]:
        """From the outside in; where none is enabled, to where control was left."""
        definition = node.definition
        here = f"at == {node.number + 1 + len(self.tree.nodes)}"
        none = "true"
        for index in definition.overriding:
            transition = definition.transitions[index]
            guard = self._expression(transition.guard, node)
            none += f" && !({guard})"
            for position in range(DEFAULT_ENTRY + 1, len(definition.positions)):
                body, moves = self._taken(node, transition, position)
                for condition, more in moves:
                    now = f"{here} && v{node.position} == {position} && ({guard})"
                    yield now + (f" && {condition}" if condition else ""), body + more
        if definition.overriding:
            none = f"{here} && {none}"
            outside = "".join(f" && v{node.position} != {inside}" for inside in definition.inside)
            yield none + outside, [self._at(node.number)]
            for inside, child in zip(definition.inside, node.children, strict=True):
                for path, at in self._inner(self.tree.nodes[child], f"{none} && v{node.position} == {inside}"):
                    yield path, [at]

    def _inner(self, node: Node, path: str = "true") -> Iterator[tuple[str, str]]:
        """Every instance control may be innermost in, or be on its way back into, and when it is."""
        here = f"{path} && v{node.position} != 0"
        if node.definition.overriding:
            yield f"{here} && v{node.position} != {DEFAULT_ENTRY}", self._at(node.number, back=True)
            yield f"{here} && v{node.position} == {DEFAULT_ENTRY}", self._at(node.number)
            return
        outside = "".join(f" && v{node.position} != {inside}" for inside in node.definition.inside)
        yield here + outside, self._at(node.number)
        for inside, child in zip(node.definition.inside, node.children, strict=True):
            yield from self._inner(self.tree.nodes[child], f"{path} && v{node.position} == {inside}")

    def _steps(self, node: Node, ready: str, done: int) -> Iterator[tuple[str, list[str]]]:
        definition = node.definition
        for position, indices in enumerate(definition.outgoing):
            if position == ABSENT:
                continue
            here = f"at == {node.number + 1} && v{node.position} == {position}"
            if not definition.is_entry(position):  # the entry before the first state ends here
                yield f"{here} && !({ready})", ["at = 0"]
                here += f" && {ready}"
            guards = [self._expression(definition.transitions[i].guard, node) for i in indices]
            for index, guard in zip(indices, guards, strict=True):
                body, moves = self._taken(node, definition.transitions[index], position)
                if not moves:
                    yield f"{here} && ({guard})", body
                for condition, more in moves:
                    yield f"{here} && ({guard})" + (f" && {condition}" if condition else ""), body + more
            none = "".join(f" && !({guard})" for guard in guards)
            out = f"at = {node.parent + 1}" if node.parent >= 0 else "at = 0"
            if definition.is_entry(position):
                yield f"{here} && !({ready}){none}", ["at = 0"]
                here += f" && {ready}"
            yield here + none, [out]

    def _taken(
        self, node: Node, transition: ModeTransition, position: int
    ) -> tuple[list[str], list[tuple[str, list[str]]]]:
        """Assignments; then, by cases, where control goes."""
        body = [self._assignment(action, node) for action in transition.actions]
        target, definition = transition.target, node.definition
        if target.kind == "default exit":
            return body, [("", [f"at = {node.parent + 1}" if node.parent >= 0 else "at = 0"])]
        left = None
        if position in definition.inside:
            left = self.tree.nodes[node.children[definition.inside.index(position)]]
            if not left.keeps:
                body += self._cleared(left)
        if target.kind == "position":
            after = "at = 0" if transition.pause else f"at = {node.number + 1}"
            return body, [("", [f"v{node.position} = {target.position}", after])]
        if target.kind == "exit":
            owner = self.tree.nodes[node.parent]
            out = owner.definition.exits_of[node.instance] + target.position
            return body, [("", [*self._cleared(node), f"v{owner.position} = {out}", f"at = {owner.number + 1}"])]
        child = self.tree.nodes[node.children[target.instance]]
        body.append(f"v{node.position} = {definition.inside[target.instance]}")
        if target.kind == "entry":
            return body, [("", [*self._cleared(child), *self._entered(child, target.position)])]
        fresh = self._entered(child, DEFAULT_ENTRY)
        if not child.keeps or (left is child and not left.keeps):
            return body, [("", fresh)]
        cases = [(f"v{child.position} == 0", fresh)]
        cases += [(path, [at]) for path, at in self._inner(child)]
        return body, cases

    def _entered(self, node: Node, position: int) -> list[str]:
        starts = [f"v{place} = {local.start}" for place, local in zip(node.locals, node.definition.locals, strict=True)]
        return [f"v{node.position} = {position}", *starts, f"at = {node.number + 1}"]

    def _cleared(self, node: Node) -> list[str]:
        mine = [f"v{place} = 0" for place in (node.position, *node.locals)]
        return [*mine, *(line for child in node.children for line in self._cleared(self.tree.nodes[child]))]

    def _assignment(self, action: Assignment, node: Node) -> str:
        value = self._expression(action.value, node)
        if action.index is None:
            return f"v{node.places[action.variable]} = {value}"
        index = self._expression(action.index, node)
        cases = [f":: ({index}) == {n} -> v{node.places[action.variable + n]} = {value}" for n in range(action.length)]
        return "if " + " ".join(cases) + " fi"

    def _expression(self, term: Term, node: Node) -> str:
        def of(inner: Term) -> str:
            return self._expression(inner, node)

        match term:
            case Number(_, value):
                return str(value)
            case Variable(_, number, _):
                return f"v{node.places[number]}"
            case Element(_, first, length, index, _):
                found = f"v{node.places[first + length - 1]}"
                for number in reversed(range(length - 1)):
                    found = f"(({of(index)}) == {number} -> v{node.places[first + number]} : {found})"
                return found
            case Inside(_, place, values, _):
                return "(" + " || ".join(f"v{place} == {value}" for value in values) + ")"
            case Unary(_, operator, operand):
                return f"({operator}({of(operand)}))"
            case Choice(_, condition, then, otherwise):
                return f"(({of(condition)}) -> ({of(then)}) : ({of(otherwise)}))"
            case Binary(_, "=>", left, right):
                return f"(!({of(left)}) || ({of(right)}))"
            case Binary(_, operator, left, right):
                return f"(({of(left)}) {operator} ({of(right)}))"
        raise TypeError(term)


def compare_with_promela(model: ModeModel, folder: str, most: int = 400) -> int:
    """The states at rest of both; how many; 0 where there are more, or a run-time error."""
    from kripke.languages.promela import load
    from kripke.process.passes import Passes

    states = model.initial()
    if model.initial_violations():
        return 0
    seen = set(states)
    for state in states:
        for step in model.successors(state):
            if step.target is None:
                if step.violations[0].code != 2:
                    return 0
            elif step.target not in seen:
                if len(states) >= most:
                    return 0
                seen.add(step.target)
                states.append(step.target)
    twin = PromelaTwin(model)
    path = Path(folder) / "twin.pml"
    path.write_text(twin.text())
    flat = load(str(path), passes=Passes(merge=False, dead="off"))
    done = str(max(1, len(twin.first)))
    found = flat.initial()
    met, resting = set(found), set[bytes]()
    places, start = range(model.tree.size), model.tree.start()
    for state in found:
        shown = flat.describe(state)
        if shown["at"] == "0" and shown.get("phase", done) == done:
            values = [int(shown.get(f"v{place}", start[place])) for place in places]  # some are never changed
            resting.add(model.tree.encode([*values, *model.tree.constants]))
        for step in flat.successors(state):
            assert step.target is not None, step.violations
            if step.target not in met:
                met.add(step.target)
                found.append(step.target)
    assert resting == seen, (len(resting), len(seen))
    return len(states)
