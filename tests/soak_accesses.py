"""Random pairs of threads that share all kinds of things: what CPython does, switched between single instructions, is
found by ``kripke.testing``, or it says that it has not seen all.

Usage: python -m tests.soak_accesses [--programs 200] [--seed 1]
"""

from __future__ import annotations

import argparse
import importlib.util
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.testing.opcode_schedules import outcomes
from tests.testing.test_shared_accesses import explored

HEAD = """
import array, bisect, collections, copy, dataclasses, functools, heapq, itertools, operator, random, types

class Base:
    count = 0
    table = {}

class Thing(Base):
    def __init__(self):
        self.x = 0
        self.items = [1, 2]
        self.other = None

    @property
    def double(self):
        return self.x * 2

    @double.setter
    def double(self, value):
        self.x = value

    def __len__(self):
        return self.x

    def __eq__(self, other):
        return self.x == getattr(other, "x", other)

    __hash__ = None

    def bump(self, by=1):
        self.x += by
        return self.x

class Bag(list):
    def put(self, value):
        self.append(value)
        return len(self)

@dataclasses.dataclass
class Point:
    x: int = 0
    tags: list = dataclasses.field(default_factory=list)

total = 0

def numbers():
    for each in range(3):
        yield each

def make():
    global total
    total = 0
    Base.count = 0
    Base.table = {}
    t, u = Thing(), Thing()
    t.other = u
    items, table, members = [3, 1], {"a": 1}, {1, 2}
    ring, bag = collections.deque([1, 2]), Bag([1])
    counts, default = collections.Counter("a"), collections.defaultdict(int)
    ordered, user = collections.OrderedDict(a=1, b=2), collections.UserDict(a=1)
    ints, raw = array.array("i", [1]), bytearray(b"ab")
    view, keys = memoryview(raw), table.keys()
    p, space = Point(), types.SimpleNamespace(x=0)
    it, gen, count, chained = iter(items), numbers(), itertools.count(), itertools.chain(items, ring)
    source = random.Random(1)
    push, bump = items.append, t.bump
    add = functools.partial(operator.setitem, table, "p")
    cell = 0

    @functools.lru_cache
    def cached(key):
        return [key]

    alias = items
    nested = [items, (table, members)]
    log = [None, None]

    def one():
        nonlocal cell, members
        global total
        r = []
        try:
ONE
        except (RuntimeError, ValueError, IndexError, KeyError, StopIteration, TypeError) as error:
            r.append(type(error).__name__)
        log[0] = r

    def other():
        nonlocal cell, members
        global total
        r = []
        try:
OTHER
        except (RuntimeError, ValueError, IndexError, KeyError, StopIteration, TypeError) as error:
            r.append(type(error).__name__)
        log[1] = r

    def left():
        return repr((log, t.x, u.x, t.items, items, table, sorted(members), ring, bag, dict(counts), dict(default),
            list(ordered), dict(user), ints.tolist(), bytes(raw), p, space.x, cell, total, Base.count))

    return one, other, left
"""

STATEMENTS = """
t.x += 1
r.append(t.x)
t.bump()
r.append(bump(2))
t.double += 1
r.append(t.double)
r.append(len(t))
r.append(bool(t))
r.append(t == 1)
r.append(t == u)
t.other.x = 5
r.append(t.other.x)
t.items += [t.x]
t.items.append(4)
r.append(sum(t.items))
Base.count += 1
Thing.count = 4
r.append(t.count)
r.append(Thing.count)
Base.table["k"] = 1
r.append(len(t.table))
total += 1
r.append(total)
r.append(globals()["total"])
cell += 1
r.append(cell)
items.append(9)
push(8)
r.append(items[-1])
r.append(items.pop())
items[0] += 1
items[:] = [7]
r.append(items[:])
del items[0]
r.append(alias[0])
items.sort()
r.append(max(items))
r.append([e for e in items])
r.extend(items)
r += alias
r.append(2 in items)
heapq.heappush(items, 0)
bisect.insort(items, 2)
source.shuffle(items)
r.append(source.random() < 0.5)
r.append(items == [3, 1])
r.append(repr(nested))
r.append(copy.deepcopy(nested)[0])
a, *b = items; r.append(a)
r.append(list(map(str, items)))
r.append(sorted(items, key=lambda e: -e))
r.append(list(reversed(items)))
for i, e in enumerate(items): r.append(e)
for a, b in zip(items, ring): r.append((a, b))
table["b"] = 2
table["a"] += 1
table.update(c=3)
r.append(table.pop("a", None))
r.append(table.get("b"))
r.append(table.setdefault("b", 5))
r.append([e for e in table.items()])
r.append(sorted(table))
r.append("b" in keys)
r.append(len(keys))
r.append(dict(table))
r.append({**table})
del table["a"]
add(3)
r.append(table | {"z": 1})
match table:~case {"b": v}: r.append(v)
match items:~case [a, b]: r.append(a)
match p:~case Point(x=0): r.append("zero")
members.add(3)
members.discard(1)
members |= {8}
r.append(len(members))
r.append(sorted(members & {3, 8}))
ring.append(3)
ring.rotate()
r.append(ring[0])
r.append([e for e in ring])
r.append(ring.popleft())
r.append(bag.put(2))
bag.append(3)
r.append(bag[0])
bag[0] += 1
r.append([e for e in bag])
if bag: bag.pop()
counts["a"] += 1
counts.update("ab")
r.append(counts.most_common(1))
r.append(counts["b"])
default["k"] += 1
r.append(default["q"])
ordered.move_to_end("a")
r.append(next(iter(ordered)))
r.append(ordered.popitem()[0])
user["a"] += 1
r.append(user.get("a"))
r.append(len(user))
ints[0] += 1
ints.append(2)
r.append(ints[0])
r.append(sum(ints))
raw[0] += 1
view[0] = 1
r.append(view[0])
r.append(raw.decode("latin-1"))
p.x += 1
p.tags.append(1)
r.append(p == Point(1))
r.append(dataclasses.replace(p).x)
r.append(dataclasses.asdict(p))
r.append(f"{p}")
object.__setattr__(p, "x", 9)
setattr(p, "x", 3)
r.append(getattr(p, "x"))
r.append(operator.attrgetter("x")(p))
p.__dict__["x"] = 6
vars(p).update(x=4)
space.x += 1
r.append(repr(space))
r.append(next(it, None))
for e in it: r.append(e)
r.append(next(gen, None))
for e in gen: r.append(e)
r.append(list(gen))
r.append(next(count))
r.append(list(chained))
r.append(cached(1) is cached(1))
r.append(cached.cache_info().misses)
cached.cache_clear()
r.append(isinstance(t, Base))
r.append("%s %s" % (items, t.x))
r.append("-".join(map(str, ring)))
r.append(any(e > 5 for e in items))
(lambda *a, **k: r.append(len(a) + len(k)))(*items, **table)
r.append(functools.reduce(operator.add, items, 0))
r.append(t in [u, t])
r.append([t, u].index(1))
list.append(items, 1)
dict.update(table, a=7)
""".strip().splitlines()


def lines_of(statement: str) -> str:
    return statement.replace(":~", ":\n" + 16 * " ")


def program(seed: int) -> str:
    chance = random.Random(seed)
    pool = chance.sample(STATEMENTS, 8)
    indent = " " * 12
    bodies = [
        "\n".join(indent + lines_of(chance.choice(pool)) for _ in range(chance.choice((1, 2, 2)))) for _ in range(2)
    ]
    return HEAD.replace("ONE", bodies[0]).replace("OTHER", bodies[1])


def related(seed: int) -> str:
    """Statements that name the same thing."""
    chance = random.Random(seed)
    first = chance.choice(STATEMENTS)
    words = {"t.", "items", "table", "members", "ring", "bag", "counts", "default", "ordered", "user", "ints", "raw"}
    words |= {"view", "p.", "p)", "space", "it", "gen", "count", "chained", "cached", "nested", "Base", "cell", "total"}
    named = [word for word in words if word in first]
    others = [each for each in STATEMENTS if any(word in each for word in named)] or STATEMENTS
    indent = " " * 12
    lines = [first, *(chance.choice(others) for _ in range(chance.choice((0, 1))))]
    return HEAD.replace("ONE", "\n".join(indent + lines_of(line) for line in lines)).replace(
        "OTHER", "\n".join(indent + lines_of(chance.choice(others)) for _ in range(chance.choice((1, 2))))
    )


def compare(text: str, folder: Path, number: int) -> tuple[str, set[Any]]:
    file = folder / f"accesses_{number}.py"
    file.write_text(text)
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    happens = outcomes(module.make)
    found, is_all = explored(module.make)
    del sys.modules[file.stem]
    if not is_all:
        return "not all", set()
    return "all", happens - found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    wrong = 0
    counts = {"all": 0, "not all": 0}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(given.seed, given.seed + given.programs):
            text = (related if seed % 4 else program)(seed)
            try:
                said, missing = compare(text, Path(folder), seed)
            except AssertionError as error:
                said, missing = "all", {str(error)[:400]}
            counts[said] += 1
            if missing:
                wrong += 1
                workers = text[text.index("    def one()") : text.index("    def left()")]
                print(f"seed {seed} misses {sorted(missing)[:2]}\n{workers}", flush=True)
    print(f"{given.programs} programs, {counts['not all']} said not to be all, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
