"""Communications whose outcome is known when the program is compiled: no guard, no constant may refuse a message.

For each of them there is one function that hands over the message. It knows its own side. On the side of the partner
only those communications are looked at that offer the same message in the other direction, often a single one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kripke.actions.emit.expressions import address, value
from kripke.actions.program import Alternative, Communicate, Control, ControlKind, Program, Queues


class _Offering(NamedTuple):
    """An alternative with the number that offers have, and the statement it belongs to."""

    number: int
    control: Control
    communicate: Communicate
    alternative: Alternative


def _offerings(program: Program) -> Iterator[_Offering]:
    """All alternatives, in the order of their numbers."""
    number = 0
    for control in program.numbers:
        if control.kind is not ControlKind.WAITING:
            continue
        instruction = program.processes[control.process].code[control.at]
        assert isinstance(instruction, Communicate)
        for alternative in instruction.alternatives:
            yield _Offering(number, control, instruction, alternative)
            number += 1


def _refuses(alternative: Alternative) -> bool:
    return alternative.guard is not None or any(target.place is None for target in alternative.targets)


def _partners(program: Program, communicate: Communicate, mine: Alternative) -> list[_Offering]:
    """Those that may offer the opposite. A message has a number among those of its channel type: others may have it."""
    fields = len(mine.values) + len(mine.targets)
    return [
        one
        for one in _offerings(program)
        if one.alternative.sends != mine.sends
        and one.alternative.message == mine.message
        and len(one.alternative.values) + len(one.alternative.targets) == fields
        and not (communicate.selects and one.communicate.selects)
    ]


def is_plain(program: Program, communicate: Communicate) -> bool:
    """Is every partner met, whoever it is? Queues that keep an order are looked after by the general way."""
    return program.queues is Queues.SORTED and not any(
        _refuses(mine) or any(_refuses(one.alternative) for one in _partners(program, communicate, mine))
        for mine in communicate.alternatives
    )


def meeting_functions(program: Program) -> str:
    lines: list[str] = []
    for control, number in program.numbers.items():
        if control.kind is not ControlKind.WAITING:
            continue
        communicate = program.processes[control.process].code[control.at]
        assert isinstance(communicate, Communicate)
        if is_plain(program, communicate):
            for index, mine in enumerate(communicate.alternatives):
                own = _Offering(-1, control, communicate, mine)
                lines += _function(program, f"meet_{number}_{index}", own)
    return "\n".join(lines)


def _function(program: Program, name: str, mine: _Offering) -> list[str]:
    partners = _partners(program, mine.communicate, mine.alternative)
    fields = max(len(mine.alternative.values), len(mine.alternative.targets))
    sends = mine.alternative.sends
    lines = [
        f"static void {name}(memory *w, uint32_t self, const offer *partner) {{",
        "    uint8_t *const s = w->s, *const f = s + w->at[self], *const covered = w->sink->covered;",
        f"    uint32_t label = {mine.alternative.statement};",
        "    (void)f, (void)covered;",
    ]
    if fields:
        lines.append("    int64_t " + ", ".join(f"v{i} = 0" for i in range(fields)) + ";")
    if sends:
        lines += [f"    {line}" for line in _given(mine.alternative)]
    lines += ["    {", "        uint8_t *const f = s + w->at[partner->pid];", "        (void)f;"]
    if len(partners) == 1:
        lines += [f"        {line}" for line in _their_side(program, partners[0], sends)]
    else:
        lines.append("        switch (partner->alternative) {")
        for one in partners:
            lines.append(f"        case {one.number}:")
            lines += [f"            {line}" for line in _their_side(program, one, sends)]
            lines.append("            break;")
        lines += ["        default: return;", "        }"]
    lines.append("    }")
    if not sends:
        lines += [f"    {line}" for line in _taken(mine.alternative)]
    lines += [f"    {line}" for line in _goes_on(program, mine)]
    return [*lines, "    emit_with(w, partner->pid, label);", "}"]


def _their_side(program: Program, one: _Offering, i_send: bool) -> list[str]:
    # A step has the statement of the one who receives.
    passed = [*_taken(one.alternative), f"label = {one.alternative.statement};"] if i_send else _given(one.alternative)
    return [*passed, *_goes_on(program, one)]


def _given(alternative: Alternative) -> list[str]:
    return [f"v{i} = {value(part)};" for i, (part, _) in enumerate(alternative.values)]


def _taken(alternative: Alternative) -> list[str]:
    return [
        f"set_{8 * target.type.size}({address(target.place)}, v{i});"
        for i, target in enumerate(alternative.targets)
        if target.place is not None
    ]


def _goes_on(program: Program, one: _Offering) -> list[str]:
    """Out of the queue: what was kept is forgotten."""
    ready = program.numbers[Control(one.control.process, ControlKind.READY, one.alternative.next)]
    return [
        *(f"memset(f + {start}, 0, {size});" for start, size in one.communicate.pending if size),
        f"set_control(f, {ready});",
        f"covered[{one.alternative.statement}] = 1;",
    ]
