"""Random programs in which processes create others and channels, and hand channels on, by parameters and in messages.

Numbers of channels travel in the same fields as constants and are compared with them; numbers of new processes go to
variables, which are read now and then. Some processes end, some never do.
"""

from __future__ import annotations

from random import Random

_TYPES = 4


def creation_program(seed: int) -> str:
    """The text of a program, the same for the same seed."""
    choose = Random(seed)
    looks = choose.random() < 0.25  # at the numbers of processes
    lines = [f"chan g = [{choose.choice((0, 1, 2, 2))}] of {{ byte }}; byte x, y, made;"]
    owners = [choose.random() < 0.5 for _ in range(_TYPES)]
    for number in range(_TYPES):
        lines += _process(choose, number, owns=owners[number], looks=looks)
    starts = "; ".join(f"run P{choose.randrange(3)}(g, g)" for _ in range(choose.choice((1, 2, 2, 3))))
    lines.append(f"init {{ {choose.choice((starts, 'atomic { ' + starts + ' }'))} }}")
    return "\n".join(lines) + "\n"


def _process(choose: Random, number: int, *, owns: bool, looks: bool) -> list[str]:
    """Processes create only those of later types, so that there are few."""
    lines = [f"proctype P{number}(chan a; chan b) {{", "chan c; byte v;"]
    if owns:
        lines.append(f"chan m = [{choose.randint(0, 1)}] of {{ byte }};")
    channels = ("a", "b", "g", "m") if owns else ("a", "b", "g")
    steps = [_step(choose, channels) for _ in range(choose.randint(0, 2))]
    if owns:
        steps.append(choose.choice((f"assert(m != {choose.randint(2, 5)})", "y = m", "x = m", "g!m", "m!m")))
    children = range(number + 1, min(number + 3, _TYPES))
    for _ in range(choose.randint(1, 2) if children else 0):
        given = f"{choose.choice(channels)}, {choose.choice(channels)}"
        creation = f"run P{choose.choice(children)}({given})"
        if choose.random() < 0.4:
            creation = f"made = {creation}"
        if choose.random() < 0.3:
            creation = f"atomic {{ {creation}; {_step(choose, channels)} }}"
        steps.insert(choose.randint(0, len(steps)), creation)
    if looks:
        looking = choose.choice(("x = made", "x = _pid", "assert(_nr_pr < 5)", "(made != 3)", "assert(made != 4)"))
        steps.insert(choose.randint(0, len(steps)), looking)
    lines.append(";\n".join(steps or ["skip"]))
    if choose.random() < 0.5:
        turns = "\n".join(f":: {_step(choose, channels)}" for _ in range(choose.randint(1, 2)))
        lines.append(f"; {choose.choice(('', 'end: '))}do\n{turns}\nod")
    return [*lines, "}"]


def _step(choose: Random, channels: tuple[str, ...]) -> str:
    channel = choose.choice(channels)
    what = choose.random()
    if what < 0.35:
        return f"{channel}!{choose.choice(('1', '2', '3', 'x', *channels))}"
    if what < 0.65:
        return f"{channel}?{choose.choice(('1', '2', '3', 'v', 'v', 'c', 'eval(v)', 'b'))}"
    return choose.choice(
        (
            "x = 1 - x",
            "y = v",
            "a = b",
            "b = c",
            "(x == 0)",
            f"assert(v != {choose.randint(2, 4)})",
            f"assert(y != {choose.randint(2, 5)})",
            f"assert(b != {choose.randint(2, 4)})",
            f"if :: y == {choose.randint(2, 5)} -> assert(x != {choose.randint(1, 4)}) :: else fi",
            "if :: c?1 :: nfull(g) fi",
            "if :: nempty(g) -> g?v :: else fi",
            "atomic { x == 0 -> x = 1; g!1 }",
        )
    )
