"""From the syntax tree to checked modes: names, types, permissions, and which transitions may connect what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from kripke.hierarchy.modes import (
    DEFAULT_ENTRY,
    Assignment,
    Binding,
    Condition,
    Definition,
    Instance,
    Local,
    ModeSystem,
    ModeTransition,
    Parameter,
    Target,
    Top,
)
from kripke.hierarchy.terms import TRUE, Binary, Inside, Number, Term, number
from kripke.hierarchy.tree import Node, Tree
from kripke.hierarchy.types import BOOL, Type, same_kind
from kripke.languages.modes.expressions import Scope, Seen
from kripke.languages.modes.syntax import (
    Expression,
    File,
    InstanceText,
    ModeText,
    Name,
    Place,
    TransitionText,
    VariableText,
)
from kripke.model.source import ModelError, Sources, Span

_MOST = 255  # top-level modes
_LONGEST_ARRAY = 4_096


class Checker:
    def __init__(self, file: File, path: str, sources: Sources, defines: Mapping[str, str]) -> None:
        self.file = file
        self.path = path
        self.sources = sources
        self.constants: dict[str, Number] = {}
        self.enumerations: dict[str, Type] = {}
        self.scope = Scope(sources, self.constants, self.enumerations)
        self.numbers: dict[str, int] = {}
        self.definitions: list[Definition] = []
        self._texts = {mode.name.text: mode for mode in file.modes}
        self._constants(defines)

    def error(self, message: str, span: Span, hint: str | None = None) -> ModelError:
        return self.sources.error(message, span, hint)

    def _constants(self, defines: Mapping[str, str]) -> None:
        known = {name.text for name, _ in self.file.constants}
        for defined in defines:
            if defined not in known:
                raise ModelError(f"-D {defined}: {self.path} has no constant of this name")
        for name, values in self.file.enumerations:
            self.unique([*values, name], "enumeration")
            for value in values:
                if any(value.text in other.names for other in self.enumerations.values()):
                    raise self.error(f"{value.text} is a value of another enumeration already", value.span)
            if len(values) > 256:
                raise self.error("an enumeration has at most 256 values", name.span)
            self.enumerations[name.text] = Type(0, len(values) - 1, tuple(value.text for value in values))
        self.unique([name for name, _ in self.file.constants], "constant")
        for name, expression in self.file.constants:
            if name.text in defines:
                try:
                    self.constants[name.text] = number(int(defines[name.text]))
                except ValueError:
                    raise ModelError(f"-D {name.text}={defines[name.text]}: the value must be a number") from None
            else:
                term = self.scope.term(expression)
                result = self.scope.value(term, expression)
                self.constants[name.text] = Number(term.type, result) if term.type.names else number(result)

    def unique(self, names: Iterable[Name], what: str) -> None:
        seen: set[str] = set()
        for name in names:
            if name.text in seen:
                raise self.error(f"there are two of the name {name.text} ({what})", name.span)
            seen.add(name.text)

    # --- the system ---------------------------------------------------------------------------------------------------

    def system(self) -> ModeSystem:
        self.unique([mode.name for mode in self.file.modes], "mode")
        self.unique([variable.name for variable in self.file.variables], "variable")
        self.unique([top.name for top in self.file.system], "mode of the system")
        if not self.file.system:
            hint = "name the modes that run in parallel: system { a: A; b: B; }"
            raise ModelError(f"{self.path} has no system", hint=hint)
        if len(self.file.system) > _MOST:
            raise self.error(f"a system has at most {_MOST} modes", self.file.system[_MOST].name.span)
        globals_ = self._locals(self.file.variables)
        for mode in self.file.modes:
            self.define(mode, ())
        seen = self.seen(self.file.variables, local=False)
        tops = []
        for top in self.file.system:
            definition = self.definitions[self._number(top.mode, ())]
            if definition.entries or definition.exits:
                hint = "wrap it in a mode that has neither and uses it as a submode"
                raise self.error(
                    f"{definition.name} has entry or exit points: it is no top-level mode", top.name.span, hint
                )
            if not definition.outgoing[1]:
                hint = f"add a transition from its default entry: de -> POINT; in mode {definition.name}"
                raise self.error(f"{definition.name} has nowhere to start", top.name.span, hint)
            bindings = self._bindings(top, definition, seen)
            tops.append(Top(top.name.text, self.numbers[top.mode.text], bindings, top.initialised, top.name.span))
        return ModeSystem(self.path, globals_, self.definitions, tops)

    def together(self, modes: Sequence[Name]) -> ModeSystem:
        """A system of these modes, whose variables are the globals of the same names."""
        globals_ = self._locals(self.file.variables)
        for text in self.file.modes:
            self.define(text, ())
        seen = self.seen(self.file.variables, local=False)
        tops = []
        for place, mode in enumerate(modes, start=1):
            definition = self.definitions[self._number(mode, ())]
            if definition.entries or definition.exits or not definition.outgoing[1]:
                hint = "one has only a default entry and exit"
                raise self.error(f"{definition.name} is no top-level mode", mode.span, hint)
            bindings = self._bindings(InstanceText(mode, mode, ()), definition, seen)
            name = mode.text if len(modes) == 1 else f"{mode.text}{place}"
            tops.append(Top(name, self.numbers[mode.text], bindings, False, mode.span))
        return ModeSystem(self.path, globals_, self.definitions, tops)

    def _length(self, text: VariableText) -> int | None:
        """Of an array."""
        if text.type.length is None:
            return None
        length = self.scope.constant(text.type.length)
        if not 1 <= length <= _LONGEST_ARRAY:
            raise self.error(f"an array has 1 to {_LONGEST_ARRAY:,} elements, not {length}", text.type.length.span)
        return length

    def seen(self, texts: Sequence[VariableText], *, local: bool, first: int = 0) -> dict[str, Seen]:
        """Variables as a scope shows them, numbered in their order."""
        found = {}
        for text in texts:
            length = self._length(text)
            type_ = self.scope.type(text.type)
            found[text.name.text] = Seen(first, type_, text.read, text.write, local, length)
            first += 1 if length is None else length
        return found

    def _names(self, text: VariableText) -> list[str]:
        """An array is a variable for each of its elements."""
        name, length = text.name.text, self._length(text)
        return [name] if length is None else [f"{name}[{number}]" for number in range(length)]

    def _locals(self, texts: Sequence[VariableText]) -> tuple[Local, ...]:
        found = []
        for text in texts:
            type_, names = self.scope.type(text.type), self._names(text)
            starts = self._starts(text, type_, len(names))
            found += [Local(n, type_, start, text.name.span) for n, start in zip(names, starts, strict=True)]
        return tuple(found)

    def _starts(self, text: VariableText, type_: Type, count: int) -> list[int]:
        if text.start is None:
            return [0 if type_.is_integer and type_.low <= 0 <= type_.high else type_.low] * count
        if text.start.kind != "list":
            return [self._start(text.start, type_)] * count
        if text.type.length is None or len(text.start.operands) != count:
            what = f"{count} elements" if text.type.length is not None else "one value"
            raise self.error(f"{text.name.text} has {what}, not {len(text.start.operands)}", text.start.span)
        return [self._start(one, type_) for one in text.start.operands]

    def _start(self, expression: Expression, type_: Type) -> int:
        term = self.scope.term(expression)
        value = self.scope.value(term, expression)
        if not same_kind(term.type, type_):
            raise self.error(f"the start value is of type {term.type}, the variable of {type_}", expression.span)
        if not type_.low <= value <= type_.high:
            raise self.error(f"the start value {value} is not in {type_}", expression.span)
        return value

    def _number(self, mode: Name, users: tuple[str, ...]) -> int:
        text = self._texts.get(mode.text)
        if text is None:
            raise self.error(f"there is no mode {mode.text}", mode.span)
        if mode.text in users:
            way = " -> ".join([*users[users.index(mode.text) :], mode.text])
            raise self.error(f"modes must not contain themselves: {way}", mode.span)
        self.define(text, users)
        return self.numbers[mode.text]

    # --- one mode -----------------------------------------------------------------------------------------------------

    def define(self, mode: ModeText, users: tuple[str, ...]) -> None:
        if mode.name.text in self.numbers:
            return
        users = (*users, mode.name.text)
        inner = [self._number(instance.mode, users) for instance in mode.instances]
        self.unique([v.name for v in (*mode.parameters, *mode.locals)], "variable")
        names = [*mode.entries, *mode.exits, *mode.points, *(i.name for i in mode.instances)]
        self.unique(names, "control point or submode")
        parameters = tuple(
            Parameter(name, self.scope.type(v.type), v.read, v.write, v.name.span)
            for v in mode.parameters
            for name in self._names(v)
        )
        locals_ = self._locals(mode.locals)
        seen = self.seen(mode.parameters, local=False)
        seen |= self.seen(mode.locals, local=True, first=len(parameters))
        positions = ["", "de", *(e.text for e in mode.entries), *(p.text for p in mode.points)]
        exits_of = []
        for instance, index in zip(mode.instances, inner, strict=True):
            exits_of.append(len(positions))
            positions += [f"{instance.name.text}.{x}" for x in self.definitions[index].exits]
        inside = range(len(positions), len(positions) + len(inner))
        positions += [instance.name.text for instance in mode.instances]
        if len(positions) > 65_000:
            raise self.error("a mode has at most 65,000 control points", mode.name.span)
        ends = _Ends(self, mode, [self.definitions[i] for i in inner], positions, exits_of, inside)
        transitions = tuple(self._transition(t, ends, seen) for t in mode.transitions)
        kept = {t.target.instance for t in transitions if t.target.kind == "default entry"}
        instances = tuple(
            Instance(
                instance.name.text,
                inner[i],
                self._bindings(instance, self.definitions[inner[i]], seen),
                i in kept,
                instance.name.span,
            )
            for i, instance in enumerate(mode.instances)
        )
        for i in kept:
            definition = self.definitions[inner[i]]
            if not definition.outgoing[1]:
                hint = f"add a transition from its default entry: de -> POINT; in mode {definition.name}"
                raise self.error(f"{definition.name} is entered at its border, but has nowhere to start",
                                 next(t.span for t in transitions if t.target.kind == "default entry"
                                      and t.target.instance == i), hint)  # fmt: skip
        outgoing: list[list[int]] = [[] for _ in positions]
        for index, transition in enumerate(transitions):
            outgoing[transition.source].append(index)
        self.numbers[mode.name.text] = len(self.definitions)
        self.definitions.append(
            Definition(
                mode.name.text,
                parameters,
                locals_,
                tuple(e.text for e in mode.entries),
                tuple(x.text for x in mode.exits),
                tuple(p.text for p in mode.points),
                instances,
                tuple(positions),
                tuple(inside),
                tuple(exits_of),
                transitions,
                tuple(map(tuple, outgoing)),
                tuple(index for index, transition in enumerate(transitions) if transition.overrides),
                mode.name.span,
            )
        )

    def _bindings(self, user: InstanceText, definition: Definition, seen: Mapping[str, Seen]) -> tuple[Binding, ...]:
        given = {formal.text: (formal, value) for formal, value in user.bindings}
        self.unique([formal for formal, _ in user.bindings], "variable of the mode")
        formals = self._texts[definition.name].parameters
        for formal, _ in user.bindings:
            if formal.text not in (p.name.text for p in formals):
                raise self.error(f"{definition.name} has no read or write variable {formal.text}", formal.span)
        found: list[Binding] = []
        for text in formals:
            parameter, length = definition.parameters[len(found)], self._length(text)
            if length is not None:
                parameter = replace(parameter, name=text.name.text)
            first = self._binding(parameter, length, given.get(text.name.text), user, definition, seen)
            found.append(first)
            for offset in range(1, length or 1):
                assert first.variable is not None
                found.append(Binding(first.variable + offset))
        return tuple(found)

    def _binding(
        self,
        parameter: Parameter,
        length: int | None,
        given: tuple[Name, Expression] | None,
        user: InstanceText,
        definition: Definition,
        seen: Mapping[str, Seen],
    ) -> Binding:
        where = user.name.span if given is None else given[1].span
        name = parameter.name if given is None else given[1].text if given[1].kind == "name" else ""
        actual = seen.get(name)
        if actual is None:
            if given is None:
                hint = f"declare it, or say what it stands for: {user.name.text}: {definition.name}({name} = ...)"
                raise self.error(f"{definition.name} uses the variable {name}, which is not declared here", where, hint)
            if length is not None:
                raise self.error(f"{parameter.name} is an array in {definition.name}: it needs one", where)
            if parameter.write:
                raise self.error(f"{parameter.name} is written in {definition.name}: it needs a variable", where)
            return Binding(None, self._start(given[1], parameter.type))
        if (actual.type, actual.length) != (parameter.type, length):
            mine, theirs = _shown(actual.type, actual.length), _shown(parameter.type, length)
            raise self.error(
                f"{name} is of type {mine} here, but {parameter.name} in {definition.name} of {theirs}", where
            )
        if parameter.read and not actual.read:
            raise self.error(f"{definition.name} reads {parameter.name}, but {name} is not to be read here", where)
        if parameter.write and not actual.write:
            raise self.error(f"{definition.name} writes {parameter.name}, but {name} is not to be written here", where)
        return Binding(actual.number)

    def _transition(self, text: TransitionText, ends: _Ends, seen: Mapping[str, Seen]) -> ModeTransition:
        source, target = ends.source(text.source), ends.target(text.target)
        if text.pause and target.kind != "position":
            hint = "only at a point of the mode itself it is plain where the next macro step goes on"
            raise self.error(f"a macro step cannot pause at {text.target}", text.span, hint)
        if text.overrides and source != DEFAULT_ENTRY:
            hint = "write: override de -> ..."
            raise self.error(f"{text.source} has no way back that could be overridden, only de has", text.span, hint)
        enters, leaves = ends.is_entry(source), target.kind == "exit"

        def refusal(variable: Seen) -> str:
            if enters and variable.local:
                return "is local: a transition from an entry point reads only what comes from outside"
            return ""

        scope = Scope(self.sources, self.constants, self.enumerations, seen, refusal)
        guard = TRUE if text.guard is None else scope.condition(text.guard)
        actions = []
        for action in text.actions:
            variable = seen.get(action.name.text)
            if variable is None:
                raise self.error(f"{action.name.text} is not declared here", action.name.span)
            if not variable.write:
                hint = f"declare: read write {action.name.text}"
                raise self.error(f"{action.name.text} is declared to be read, not written", action.name.span, hint)
            if leaves and variable.local:
                hint = "it is gone once the mode is left"
                raise self.error(
                    f"an exit transition does not write the local {action.name.text}", action.name.span, hint
                )
            if (variable.length is None) != (action.index is None):
                what = "no array" if variable.length is None else "an array"
                way_out = None if variable.length is None else f"write {action.name.text}[0] for its first element"
                raise self.error(f"{action.name.text} is {what}", action.name.span, way_out)
            value = scope.term(action.value)
            if not same_kind(value.type, variable.type):
                raise self.error(f"{action.name.text} is of type {variable.type}, not {value.type}", action.value.span)
            if value.type.high < variable.type.low or value.type.low > variable.type.high:
                raise self.error(f"this value is never in {variable.type}", action.value.span)
            index = None if action.index is None else scope.index(variable, action.index)
            if isinstance(index, Number):
                actions.append(Assignment(variable.number + index.value, variable.type, value))
            else:
                length = 1 if index is None else variable.length or 1
                actions.append(Assignment(variable.number, variable.type, value, index, length))
        return ModeTransition(
            text.name, source, target, guard, tuple(actions), text.pause, text.span, text.text, str(text.source),
            str(text.target), text.overrides,
        )  # fmt: skip


class _Ends:
    """What the two ends of a transition of a mode may be."""

    def __init__(
        self,
        checker: Checker,
        mode: ModeText,
        inner: Sequence[Definition],
        positions: Sequence[str],
        exits_of: Sequence[int],
        inside: Sequence[int],
    ) -> None:
        self.checker, self.mode, self.inner = checker, mode, inner
        self.positions, self.exits_of, self.inside = positions, exits_of, inside
        self.instances = [instance.name.text for instance in mode.instances]
        self.entries = [name.text for name in mode.entries]
        self.exits = [name.text for name in mode.exits]

    def is_entry(self, position: int) -> bool:
        return 1 <= position <= 1 + len(self.entries)

    def _instance(self, place: Place) -> tuple[int, str]:
        """The instance and the point of it; its border where only it is named. -1: it is a point of the mode."""
        name, point = place.instance, place.point
        if not name and point in self.instances:
            return self.instances.index(point), ""
        if not name:
            return -1, point
        if name not in self.instances:
            raise self.checker.error(f"there is no submode {name} in {self.mode.name.text}", place.span)
        return self.instances.index(name), point

    def source(self, place: Place) -> int:
        error = self.checker.error
        index, point = self._instance(place)
        if index < 0:
            if point == "dx" or point in self.exits:
                hint = "transitions from there belong to the mode that uses this one"
                raise error(f"{place} is an exit of the mode itself: no transition starts there", place.span, hint)
            if point not in self.positions:
                raise error(f"there is no control point {point} in {self.mode.name.text}", place.span)
            return self.positions.index(point)
        definition = self.inner[index]
        if point in ("", "dx"):
            return self.inside[index]
        if point == "de" or point in definition.entries:
            raise error(f"{place} is an entry of the submode: transitions lead to it", place.span)
        if point not in definition.exits:
            raise error(f"{definition.name} has no exit point {point}", place.span)
        return self.exits_of[index] + definition.exits.index(point)

    def target(self, place: Place) -> Target:
        error = self.checker.error
        index, point = self._instance(place)
        if index < 0:
            if point == "dx":
                return Target("default exit")
            if point in self.exits:
                return Target("exit", self.exits.index(point))
            if point == "de" or point in self.entries:
                raise error(f"{place} is an entry of the mode itself: no transition leads there", place.span)
            if point not in self.positions:
                raise error(f"there is no control point {point} in {self.mode.name.text}", place.span)
            return Target("position", self.positions.index(point))
        definition = self.inner[index]
        if point in ("", "de"):
            return Target("default entry", 1, index)
        if point == "dx" or point in definition.exits:
            raise error(f"{place} is an exit of the submode: transitions start there", place.span)
        if point not in definition.entries:
            raise error(f"{definition.name} has no entry point {point}", place.span)
        return Target("entry", 2 + definition.entries.index(point), index)


class Conditions:
    """Conditions on states: over the globals, and where control is."""

    def __init__(self, checker: Checker, system: ModeSystem, tree: Tree) -> None:
        self.checker = checker
        self.tree = tree
        seen = checker.seen(checker.file.variables, local=False)
        self.scope = Scope(checker.sources, checker.constants, checker.enumerations, seen, inside=self.inside)

    def condition(self, name: str, expression: Expression, span: Span) -> Condition:
        return Condition(name, self.scope.condition(expression), span)

    def inside(self, expression: Expression) -> Term:
        names = expression.text.split(".")
        tops = [top.name.text for top in self.checker.file.system]
        roots = {self.tree.nodes[root].name: self.tree.nodes[root] for root in self.tree.roots}
        node: Node | None = roots.get(names[0])
        if node is None:
            raise self.checker.error(
                f"there is no mode {names[0]} in the system", expression.span, f"there are {', '.join(tops)}"
            )
        term: Term | None = None
        rest = names[1:]
        while rest:
            definition = node.definition
            whole = ".".join(rest)
            if whole in definition.positions[1:]:
                return _both(term, self._at(node, (definition.positions.index(whole),), expression.text))
            index = next((i for i, one in enumerate(definition.instances) if one.name == rest[0]), -1)
            if index < 0:
                known = ", ".join(definition.positions[1:])
                raise self.checker.error(
                    f"{node.name} has no control point {rest[0]}", expression.span, f"there are {known}"
                )
            term = _both(term, self._at(node, (definition.inside[index],), expression.text))
            node = self.tree.nodes[node.children[index]]
            rest = rest[1:]
        return self._at(node, tuple(range(1, len(node.definition.positions))), expression.text)

    def _at(self, node: Node, positions: tuple[int, ...], text: str) -> Term:
        return Inside(BOOL, node.position, positions, f"in({text})")


def _shown(type_: Type, length: int | None) -> str:
    return str(type_) if length is None else f"array[{length}] of {type_}"


def _both(one: Term | None, other: Term) -> Term:
    return other if one is None else Binary(BOOL, "&&", one, other)
