"""Random programs that go on for ever and in which fairness matters: processes that count, wait for each other, switch
on and off what others wait for, and send messages."""

from __future__ import annotations

from random import Random


def fair_program(seed: int) -> str:
    """The text of a program, the same for the same seed. Its variables are ``g0`` and ``g1``, ``p0`` to ``p2``."""
    choose = Random(seed)
    lines = ["byte g0;", "byte g1;", "byte p0;", "byte p1;", "byte p2;"]
    lines += [f"chan {name} = [{choose.choice((0, 1, 1, 2))}] of {{ byte }};" for name in ("c0", "c1")]
    for number in range(choose.randint(2, 3)):
        lines += _process(choose, number)
    return "\n".join(lines) + "\n"


def _process(choose: Random, number: int) -> list[str]:
    count = choose.randint(1, 4)
    lines = [f"active proctype P{number}() {{", "byte i;"]
    for location in range(count):
        lines.append(f"l{location}: if")
        for _ in range(choose.choice((1, 1, 1, 2, 2, 3))):
            steps = [_step(choose, number) for _ in range(choose.choice((1, 1, 2)))]
            body = "; ".join(steps)
            body = f"{choose.choice(('atomic', 'd_step'))} {{ {body} }}" if choose.random() < 0.12 else body
            going = choose.choice((location + 1, choose.randrange(count))) % count
            lines.append(f":: {body}; goto l{going}")
        if choose.random() < 0.1:
            lines.append(f":: else -> goto l{choose.randrange(count)}")
        lines.append("fi;")
    return [*lines, "}"]


def _step(choose: Random, number: int) -> str:
    what = choose.random()
    if what < 0.4:
        return choose.choice((f"i = (i + 1) % {choose.randint(2, 3)}", "i == 0", "i > 0", "i = 0", "i = 1", "skip"))
    if what < 0.55:
        return choose.choice((f"p{number} = 1 - p{number}", f"p{number} = i", f"p{number} = 1"))
    if what < 0.7:
        return f"{choose.choice(('g0', 'g1'))} = {choose.choice(('0', '1', '1', 'i', '2'))}"
    if what < 0.85:
        atoms = [f"{choose.choice(('g0', 'g1', 'p0', 'p1', 'p2'))} == {choose.randint(0, 1)}" for _ in range(2)]
        return f"({choose.choice((atoms[0], ' || '.join(atoms), ' && '.join(atoms)))})"
    channel = choose.choice(("c0", "c1"))
    return choose.choice(
        (f"{channel}!{choose.randint(0, 1)}", f"{channel}?i", f"{channel}?1", f"nempty({channel})", f"empty({channel})")
    )
