"""The components of a state, for compression, as C: global variables, every channel, every process.

Channels of one shape share a table, and so do processes of one type: their values are much alike.
"""

from __future__ import annotations

from collections.abc import Sequence

from kripke.process.emit.code import Code, string
from kripke.process.emit.facts import Facts
from kripke.process.emit.processes import table
from kripke.process.program import MAX_PROCESSES, Channel

_LISTED = 3  # channels of a table that its name tells


class _Tables:
    """The tables in the order in which they were asked for."""

    def __init__(self) -> None:
        self.names: list[list[str]] = []
        self._numbers: dict[object, int] = {}

    def number(self, key: object, name: str) -> int:
        number = self._numbers.setdefault(key, len(self.names))
        if number == len(self.names):
            self.names.append([])
        self.names[number].append(name)
        return number

    def channels(self, channels: Sequence[Channel], owner: str = "") -> list[tuple[int, int]]:
        return [
            (self.number((channel.capacity, channel.fields), f"channel {owner}{channel.name}"), channel.size)
            for channel in channels
            if channel.size
        ]

    def texts(self) -> list[str]:
        return [", ".join(names[:_LISTED]) + (", ..." if len(names) > _LISTED else "") for names in self.names]


def component_functions(facts: Facts) -> tuple[str, str]:
    """What cuts a state, and its entries in the model's table."""
    program, tables = facts.program, _Tables()
    own = program.global_bytes - sum(channel.size for channel in program.channels)
    first = [(tables.number("globals", "globals"), own)] if own else []
    first += tables.channels(program.channels)
    frames = []
    for process in program.processes:
        size = process.frame_bytes - sum(channel.size for channel in process.channels)
        parts = [(tables.number(process.name, f"process {process.name}"), size)]
        frames.append(parts + tables.channels(process.channels, f"{process.name}."))
    most = max(map(len, frames), default=0)
    code = Code()
    code.line(table("char *const", "component_names", map(string, tables.texts())).rstrip())
    for name, parts in (("global_components", first), ("frame_components", [part for one in frames for part in one])):
        if parts:
            code.line(table("kripke_component", name, [f"{{{at}, {size}}}" for at, size in parts]).rstrip())
    starts = [sum(map(len, frames[:i])) for i in range(len(frames) + 1)]
    spread = [i for i, process in enumerate(program.processes) for _ in process.locations]
    if spread:
        code.line(table("uint32_t", "first_component", [str(starts[i]) for i in spread]).rstrip())
        code.line(table("uint32_t", "last_component", [str(starts[i + 1]) for i in spread]).rstrip())
    code.line()
    code.line(
        "static uint32_t components(const kripke_model *self, const uint8_t *s, uint32_t n, kripke_component *parts)"
    )
    with code.block():
        code.line(f"uint32_t count = {len(first)};")
        code.line("(void)self, (void)s, (void)n;")
        if first:
            code.line("memcpy(parts, global_components, sizeof global_components);")
        if spread:
            with code.block("for (uint32_t at = GLOBAL_BYTES; at < n; at += frame_bytes(s + at))"):
                code.line("uint32_t control = get_control(s + at);")
                code.line("for (uint32_t i = first_component[control]; i < last_component[control]; i++)")
                code.line("    parts[count++] = frame_components[i];")
        code.line("return count;")
    return code.text(), f"{len(tables.names)}, {len(first) + MAX_PROCESSES * most}, component_names, components"
