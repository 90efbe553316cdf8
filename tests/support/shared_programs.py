"""Random programs of processes that share variables, in the manner of algorithms for mutual exclusion.

Every location has guarded steps to other locations. Guards and assignments are about elements of arrays, whose
subscripts are constants, the number of the process, local counters or other shared variables, and about bounds that
make errors possible: subscripts out of range, failed assertions, deadlocks.
"""

from __future__ import annotations

from random import Random

_TYPES = ("byte", "byte", "bool", "int", "short")


def shared_program(seed: int) -> str:
    """The text of a program, the same for the same seed."""
    choose = Random(seed)
    size = choose.randint(2, 3)
    lines = [f"{choose.choice(_TYPES)} a[{size}];", f"{choose.choice(_TYPES)} b[{size}];"]
    lines += [f"{choose.choice(_TYPES)} x;", f"{choose.choice(_TYPES)} y = {choose.randint(0, 1)};"]
    channel = choose.random() < 0.4
    if channel:
        lines.append(f"chan q[2] = [{choose.randint(1, 2)}] of {{ byte }};")
    for number in range(choose.randint(2, 3)):
        lines += _process(choose, number, size, channel)
    text = "\n".join(lines) + "\n"
    return text.replace("active proctype", "active D_proctype", 2) if seed % 10 == 4 else text


def meeting_program(seed: int) -> str:
    """One whose processes meet by rendezvous."""
    while "chan q" not in shared_program(seed):
        seed += 1_000
    text = shared_program(seed).replace("D_proctype", "proctype")
    return text.replace("chan q[2] = [1]", "chan q[2] = [0]").replace("chan q[2] = [2]", "chan q[2] = [0]")


def _process(choose: Random, number: int, size: int, channel: bool) -> list[str]:
    count = choose.randint(2, 4)
    names = [f"l{i}" if choose.random() < 0.9 else f"end_l{i}" for i in range(count)]
    lines = [f"active proctype P{number}() {{", "byte j = 0; byte k = 0;"]
    for name in names:
        lines.append(f"{name}: if")
        for _ in range(choose.randint(1, 3)):
            lines.append(f":: {_step(choose, number, size, channel)}; goto {choose.choice(names)}")
        if choose.random() < 0.15:
            lines.append(f":: else -> goto {choose.choice(names)}")
        lines.append("fi;")
    return [*lines, "}"]


def _step(choose: Random, number: int, size: int, channel: bool) -> str:
    what = choose.random()
    if channel and what < 0.15:
        which = choose.choice(("q[0]", "q[0]", "q[1]", "q[j % 2]", "q[k]", "q[x % 2]"))
        steps = (
            f"{which}!{choose.randint(0, 2)}",
            f"{which}?j",
            f"{which}?1",
            f"atomic {{ nempty({which}) -> {which}?k }}",
        )
        return choose.choice(
            (*steps, f"{choose.choice(('empty', 'full'))}({which})", f"len({which}) < {choose.randint(1, 2)}")
        )
    if what < 0.35:
        return _guard(choose, number, size)
    if what < 0.55:
        return _effect(choose, number, size)
    if what < 0.62:
        return f"assert({_comparison(choose, number, size)})"
    first = _guard(choose, number, size) if choose.random() < 0.7 else _effect(choose, number, size)
    body = [first, *(_effect(choose, number, size) for _ in range(choose.randint(1, 2)))]
    return f"{choose.choice(('d_step', 'd_step', 'atomic'))} {{ {'; '.join(body)} }}"


def _guard(choose: Random, number: int, size: int) -> str:
    parts = [_comparison(choose, number, size) for _ in range(choose.randint(1, 2))]
    if choose.random() < 0.3:
        parts.insert(0, f"j < {size}")
    return f"({choose.choice((' && ', ' && ', ' || ')).join(parts)})"


def _comparison(choose: Random, number: int, size: int) -> str:
    other = choose.choice((str(choose.randint(0, 2)), "k", "j", str(number), _shared(choose, number, size)))
    return f"{_shared(choose, number, size)} {choose.choice(('==', '==', '!=', '<', '>='))} {other}"


def _shared(choose: Random, number: int, size: int) -> str:
    array = choose.choice("ab")
    own, other = number % size, choose.randrange(size)
    subscript = choose.choice((str(own), str(other), f"j % {size}", f"(k + 1) % {size}", f"x % {size}", "j"))
    return choose.choice((f"{array}[{subscript}]", f"{array}[{subscript}]", "x", "y"))


def _effect(choose: Random, number: int, size: int) -> str:
    what = choose.random()
    if what < 0.3:
        return choose.choice((f"j = (j + 1) % {size + 1}", "j = 0", f"k = (k + 1) % {size}", "k = 0"))
    target = _shared(choose, number, size)
    value = choose.choice((str(choose.randint(0, 2)), "j", "k", str(number), f"({target} + 1) % 3"))
    if what < 0.4:
        return f"k = {_shared(choose, number, size)} % 3"
    return f"{target} = {value}"


def critical_program(seed: int) -> str:
    """Processes that count themselves in and out of sections, some of which only one can be in; the same for the same
    seed. Now and then a lock is forgotten, a count is wrong on one way, and processes are created or end."""
    choose = Random(seed)
    created = choose.random() < 0.4
    count = choose.randint(2, 3)
    start = choose.choice((0, 0, 1, 255))
    lines = [f"bool lock[2]; byte x; byte turn; {choose.choice(('byte', 'short', 'bit'))} inside; byte n = {start};"]
    head = "proctype P{}(byte me) {{" if created else "active proctype P{}() {{ byte me = _pid;"
    for number in range(count):
        lines.append(head.format(number))
        lines += ["do", *(f":: {_section(choose, count)}" for _ in range(choose.randint(1, 2)))]
        if choose.random() < 0.5:
            lines.append(f":: {_shared_step(choose, count)}; break")
        lines += ["od }"]
    if created:
        runs = "; ".join(f"run P{number}({number})" for number in range(count))
        lines.append(f"init {{ {choose.choice(('atomic { ' + runs + ' }', runs))} }}")
    return "\n".join(lines) + "\n"


def _section(choose: Random, count: int) -> str:
    which = choose.choice(("0", "1", "me % 2", "turn % 2"))
    enter = choose.choice((f"atomic {{ !lock[{which}] -> lock[{which}] = true }}", "turn == me", f"x == {count}"))
    leave = choose.choice((f"lock[{which}] = false", f"turn = (me + 1) % {count}", "d_step { x = 0; turn = me }"))
    body = [choose.choice(("inside++", "n = n + 2", "atomic { inside++; n-- }", "d_step { n++; inside++ }"))]
    body += [_shared_step(choose, count) for _ in range(choose.randint(1, 2))]
    out = {"inside++": "inside--", "n = n + 2": "n = n - 2", "atomic { inside++; n-- }": "inside--; n++"}
    body.append(out.get(body[0], "d_step { inside--; n-- }"))
    if choose.random() < 0.15:
        body.pop()
    return "; ".join([enter, *body, leave])


def _shared_step(choose: Random, count: int) -> str:
    return choose.choice(
        (
            "assert(inside <= 1)",
            "assert(x != 2)",
            f"x = (x + 1) % {count + 1}",
            "if :: x == 0 -> x = me :: else fi",
            "lock[x] = true",
            f"turn = (turn + 1) % {count}",
            "x = inside",
            "skip",
        )
    )


def tally_program(seed: int) -> str:
    """Processes that tell by an array of their own what they have counted, at one place of their loops; the same for
    the same seed. Now and then they count twice, or another writes what they tell by, and some of them end."""
    choose = Random(seed)
    count = choose.randint(2, 3)
    kind = choose.choice(("byte", "short", "int"))
    lines = [f"byte at[{count}]; {kind} n = {choose.choice((0, count))}; {kind} m; bool lock;"]
    for number in range(count):
        me = choose.choice((str(number), str(number), "_pid"))
        lines += [f"active proctype P{number}() {{", "do"]
        for stage in range(choose.randint(2, 3)):
            guard = f"at[{me}] == {stage}" + choose.choice(("", "", " && !lock", " && n != 1", f" && m < {count}"))
            body = [choose.choice(("n++", "n--", "m++", "lock = !lock", "n = n + 2; m--", "skip", "assert(n < 9)"))]
            body.append(f"at[{me}] = {choose.choice((stage + 1, stage + 1, stage + 1, 0))}")
            if choose.random() < 0.06:
                body.append(f"at[{choose.randrange(count)}] = 0")
            lines.append(f":: {choose.choice(('atomic', 'd_step'))} {{ {guard} -> {'; '.join(body)} }}")
        lines += [f":: {choose.choice(('n', 'm'))} == {choose.randint(0, count)} -> {_last_of(choose)}", "od }"]
    return "\n".join(lines) + "\n"


def _last_of(choose: Random) -> str:
    return choose.choice(("break", "assert(!lock)", "lock = false", "break", "assert(m == 0); break"))
