"""Random programs of like processes: some keep to the rules of symmetry, some do not."""

from __future__ import annotations

from random import Random


def random_symmetric(random: Random) -> str:
    """Promela text with a few processes of one or two types, which name each other, or tell each other apart."""
    count = random.randint(2, 3)
    first = random.randint(0, 1)  # another process before them
    capacity = random.randint(1, 2)
    lines = ["byte owner = 255, shared;", f"bool flag[{first + count}];", f"byte friend[{first + count}] = 255;"]
    lines.append(f"chan q = [{capacity}] of {{ byte, byte }};")
    lines.append(f"chan own[{first + count}] = [1] of {{ byte }};")
    if first:
        lines += ["active proctype other() {", "    byte who = 255;", "    do"]
        lines += [f"    :: {random.choice(_OTHERS)}" for _ in range(random.randint(1, 2))]
        lines += ["    od", "}"]
    lines += [f"active [{count}] proctype P() {{", "    byte mine = 255, x;", "    do"]
    for _ in range(random.randint(2, 5)):
        statements = [random.choice(_ANY) for _ in range(random.randint(1, 3))]
        if random.random() < 0.06:
            statements.append(random.choice(_BREAKING))
        guard = random.choice(_GUARDS)
        body = "; ".join([guard, *statements])
        lines.append(f"    :: atomic {{ {body} }}" if random.random() < 0.4 else f"    :: {body}")
    lines += ["    od", "}"]
    return "\n".join(lines) + "\n"


_GUARDS = [
    "owner == 255",
    "owner == _pid",
    "owner != _pid",
    "mine == 255",
    "mine != 255 && mine != _pid",
    "x < 2",
    "x == 0",
    "shared < 2",
    "!flag[_pid]",
    "flag[_pid]",
    "friend[_pid] == 255",
    "nempty(q)",
    "len(own[_pid]) == 0",
]
_ANY = [
    "owner = _pid",
    "owner = 255",
    "mine = owner",
    "mine = _pid",
    "mine = 255",
    "owner = mine",
    "x = (x + 1) % 2",
    "shared = (shared + 1) % 3",
    "shared = x",
    "flag[_pid] = !flag[_pid]",
    "friend[_pid] = owner",
    "friend[_pid] = mine",
    "mine = friend[_pid]",
    "if :: mine != 255 -> flag[mine] = true :: else fi",
    "if :: owner != 255 -> mine = friend[owner] :: else fi",
    "q!_pid,x",
    "q!mine,shared",
    "q?mine,x",
    "q?eval(_pid),x",
    "q?mine,_",
    "own[_pid]!mine",
    "own[_pid]?mine",
    "if :: owner != 255 -> own[owner]!_pid :: else fi",
    "assert(owner != _pid || x != 1)",
    "assert(mine == 255 || friend[_pid] != _pid)",
]
_BREAKING = ["mine = 1", "shared = _pid", "x = _pid % 2", "flag[1] = true", "owner = owner + 1", "own[1]!mine"]
_OTHERS = [
    "owner = 255",
    "q?who,_",
    "q!who,1",
    "who = owner",
    "owner == _pid -> owner = 255",
    "who != 255 -> flag[who] = false",
    "atomic { who != 255 -> owner = who; who = 255 }",
    "shared > 0 -> shared--",
]
