"""Channels of a Promela model in LF: a rendezvous is a channel, a buffer is a few arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kripke.languages.promela.as_lf.names import Names, Refusals, scalar_type
from kripke.process.expressions import ChannelElement, ChannelIdentity, Expression, IntType, Read
from kripke.process.nodes import nodes_of
from kripke.process.program import Assign, Channel, ProcessType, Program, Run, Variable


@dataclass(eq=False, slots=True)
class Group:
    """A channel, or an array of channels that are alike. ``fields``: the names of the arrays of a buffer."""

    base: str
    channels: list[Channel]
    name: str = ""
    length: str = ""
    fields: tuple[str, ...] = ()

    @property
    def is_array(self) -> bool:
        return "[" in self.channels[0].name

    @property
    def first(self) -> Channel:
        return self.channels[0]

    @property
    def capacity(self) -> int:
        return self.first.capacity


class Channels:
    def __init__(self, program: Program, names: Names, refusals: Refusals) -> None:
        self._refusals = refusals
        self.groups: list[Group] = []
        self._group_of: dict[int, Group] = {}
        self._types: dict[tuple[str, ...], str] = {}
        for channel in program.channels:
            self._add(channel, self.groups)
        self.local: dict[int, list[Group]] = {}
        for process in program.processes:
            for channel in process.channels:
                self._add(channel, self.local.setdefault(id(process), []))
        for group in self.groups:
            self._name(group, names)
        self._held = self._flow(program)

    def _add(self, channel: Channel, groups: list[Group]) -> None:
        base = channel.name.split("[")[0]
        if any(field.name == "chan" for field in channel.fields):
            raise self._refusals.refuse("channels are sent in messages", channel.span)
        if not groups or groups[-1].base != base or "[" not in channel.name:
            groups.append(Group(base, []))
        groups[-1].channels.append(channel)
        self._group_of[id(channel)] = groups[-1]

    def _name(self, group: Group, names: Names) -> None:
        group.name = names.new(group.base)
        if group.capacity:
            group.length = names.new(f"{group.base}Length")
            group.fields = tuple(names.new(f"{group.base}Field{i}") for i in range(len(group.first.fields)))

    def name_local(self, process: ProcessType, names: Names) -> list[Group]:
        found = self.local.get(id(process), [])
        for group in found:
            if group.capacity:
                raise self._refusals.refuse("a buffered channel of a process", group.first.span)
            self._name(group, names)
        return found

    # --- who holds what -----------------------------------------------------------------------------------------------

    def _flow(self, program: Program) -> dict[int, set[int]]:
        """The channels that a variable for channels may hold, by the numbers of groups."""
        flows: list[tuple[Variable, Expression]] = []
        for process in program.processes:
            edges = (edge for location in process.locations for edge in location.edges)
            for action in (*process.setup, *(action for edge in edges for action in edge.actions)):
                for node in nodes_of(action.operation):
                    match node:
                        case Assign(place, value) if place.variable.is_channel:
                            flows.append((place.variable, value))
                        case Run(started, arguments, _, _):
                            scalars = started.parameter_scalars()
                            flows += [(v, a) for (v, _), a in zip(scalars, arguments, strict=False) if v.is_channel]
        held: dict[int, set[int]] = {}
        for start in program.initial:
            for (variable, _), number in zip(start.process.parameter_scalars(), start.arguments, strict=False):
                if variable.is_channel and 0 < number <= len(program.channels):
                    held.setdefault(id(variable), set()).add(id(self._group_of[id(program.channels[number - 1])]))
        changed = True
        while changed:
            changed = False
            for variable, value in flows:
                before = held.setdefault(id(variable), set())
                more = {id(group) for group in self._named(value)}
                if isinstance(value, Read):
                    more |= held.get(id(value.place.variable), set())
                if not more <= before:
                    before |= more
                    changed = True
        return held

    def _named(self, operand: Expression) -> list[Group]:
        match operand:
            case ChannelIdentity(channel):
                return [self._group_of[id(channel)]]
            case ChannelElement(channels, _):
                return [self._group_of[id(channels[0])]]
        return []

    def _every(self) -> Iterator[Group]:
        yield from self.groups
        for groups in self.local.values():
            yield from groups

    def held_by(self, variable: Variable) -> list[Group]:
        return [group for group in self._every() if id(group) in self._held.get(id(variable), set())]

    def meant(self, operand: Expression) -> list[Group]:
        """The channels that an operation may be about, which are all alike."""
        found = self.held_by(operand.place.variable) if isinstance(operand, Read) else self._named(operand)
        kinds = {(bool(group.capacity), self._signature(group.first.fields)) for group in found}
        if len(kinds) != 1:
            raise self._refusals.refuse("it is not known which sort of channel this is")
        return found

    # --- types --------------------------------------------------------------------------------------------------------

    @staticmethod
    def _signature(fields: tuple[IntType, ...]) -> tuple[str, ...]:
        return tuple(scalar_type(field) for field in fields)

    def type_of(self, group: Group) -> str:
        """The channel type of a rendezvous."""
        return self._types.setdefault(self._signature(group.first.fields), f"Link{len(self._types) + 1}")

    def type_of_variable(self, variable: Variable) -> str:
        found = self.held_by(variable)
        if not found:
            raise self._refusals.refuse(f"nothing says which channels {variable.name} holds", variable.span)
        if any(group.capacity for group in found):
            raise self._refusals.refuse("a buffered channel in a variable or parameter", variable.span)
        if len({self._signature(group.first.fields) for group in found}) > 1:
            raise self._refusals.refuse(f"{variable.name} holds channels of different types", variable.span)
        return self.type_of(found[0])

    def declared_types(self) -> list[str]:
        return [
            f"  {name} = [m{'(' + ', '.join(fields) + ')' if fields else ''}];" for fields, name in self._types.items()
        ]
