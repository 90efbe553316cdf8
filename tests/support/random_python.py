"""Random small programs in the part of Python that can be checked: threads with shared variables, objects and locks."""

from __future__ import annotations

import random

HEAD = """\
import threading
import queue
import random
from collections import deque
from dataclasses import dataclass

@dataclass
class Pair:
    a: int
    b: object = None

class Box:
    made = 0
    def __init__(self, value):
        self.value = value
        self.next = None
    def grow(self, by=1):
        self.value += by
        return self
    def __len__(self):
        return self.value % 3

x, y = 0, 1
flag = False
items = [1]
table = {"k": 2}
seen = set()
box = Box(1)
pair = Pair(1)
lock = threading.Lock()
relock = threading.RLock()
changed = threading.Condition()
event = threading.Event()
semaphore = threading.Semaphore(1)
tasks = queue.Queue(1)
line = deque()
"""


class _Writer:
    def __init__(self, seed: int, deadlocks: bool = True) -> None:
        self.choice = random.Random(seed)
        self.deadlocks = deadlocks  # may a thread take the lock that it holds?
        self.holds_lock = False
        self.lines: list[str] = []
        self.depth = 0

    def expression(self, level: int = 0) -> str:
        pick = self.choice
        simple = ["x", "y", "1", "2", "-1", "len(items)", "box.value", "v", "Box.made", "table.get('k', 0)", "pair.a"]
        if level > 1 or pick.random() < 0.5:
            return pick.choice(simple)
        a, b = self.expression(level + 1), self.expression(level + 1)
        return pick.choice([f"({a} + {b})", f"({a} - {b})", f"max({a}, {b})", f"({a} if {b} else 3)", f"{a} * 2",
                            f"[{a}, {b}][0]", f"(lambda q: q + {a})({b})", f"sum([z for z in ({a}, {b})])",
                            f"random.choice([{a}, {b}])", f"int(str({a}))"])  # fmt: skip

    def condition(self) -> str:
        a, b = self.expression(1), self.expression(1)
        return self.choice.choice([f"{a} < {b}", f"{a} == {b}", "flag", "items", f"{a} in items", "not flag",
                                   "box", "box.next is None", f"{a} in seen", "pair == Pair(1)",
                                   f"0 < {a} <= 2"])  # fmt: skip

    def put(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def block(self, head: str, count: int) -> None:
        self.put(head)
        self.depth += 1
        for _ in range(count):
            self.statement()
        self.depth -= 1

    def statement(self) -> None:
        pick, deep = self.choice, self.depth > 3
        kind = pick.randrange(14 if deep else 26)
        e = self.expression()
        simple = [
            f"x = {e}", f"y += {e}", "flag = not flag", f"items.append({e})", f"box.value = {e}", f"v = {e}",
            f"table['k'] = {e}", f"seen.add({e})", "box = Box(x)", "box.next = Box(v)", f"Box.made += {e}",
            f"pair.b = ({e}, items)", "box.grow()", f"line.append({e})",
        ]  # fmt: skip
        if kind < 14:
            self.put(simple[kind])
        elif kind == 14:
            held, self.holds_lock = self.holds_lock, True
            self.block("with relock:" if held and not self.deadlocks else "with lock:", 2)
            self.holds_lock = held
        elif kind == 15:
            self.block("with relock, relock:", 1)
        elif kind == 16:
            self.block(f"if {self.condition()}:", 1)
            self.block("else:", 1)
        elif kind == 17:
            self.block(f"for i in range({pick.randrange(1, 3)}):", 1)
        elif kind == 18:
            self.block("try:", 2)
            self.block("except (IndexError, KeyError) as error:", 1)
            self.block("finally:", 1)
        elif kind == 19:
            self.put(pick.choice(["items.pop()", "del table['k']", "v = items[1]", "line.popleft()", "seen.remove(1)"]))
        elif kind == 20:
            self.put("tasks.put(x)" if pick.random() < 0.5 else "v = tasks.get_nowait()")
        elif kind == 21:
            self.put(pick.choice(["event.set()", "event.wait()", "lock.acquire()", "semaphore.acquire()"]))
        elif kind == 22:
            self.block("with changed:", 0)
            self.depth += 1
            self.put(pick.choice(["changed.notify()", "changed.wait(1)", "changed.wait()"]))
            self.depth -= 1
        elif kind == 23:
            self.put(f"assert {self.condition()}")
        elif kind == 24:
            self.put("for item in items: v += item")
        else:
            self.put("print(x, f'{v:02d}', items)")


def random_python(seed: int) -> str:
    """A program of two or three threads."""
    writer = _Writer(seed)
    count = writer.choice.randrange(1, 3)
    for number in range(count):
        writer.put(f"def work{number}(v):")
        writer.depth = 1
        writer.put("global x, y, flag, box")
        for _ in range(writer.choice.randrange(1, 4)):
            writer.statement()
        writer.depth = 0
    for number in range(count):
        writer.put(f"threading.Thread(target=work{number}, args=({number},)).start()")
    writer.put("v = 0")
    for _ in range(writer.choice.randrange(0, 3)):
        writer.statement()
    return HEAD + "\n".join(writer.lines) + "\n"


def random_sequential(seed: int) -> str:
    """A program without threads and without choices, which prints what it did and how it ended."""
    for attempt in range(100):
        writer = _Writer(seed * 100 + attempt, deadlocks=False)
        writer.put("def work(v):")
        writer.depth = 1
        writer.put("global x, y, flag, box")
        for _ in range(writer.choice.randrange(4, 12)):
            writer.statement()
            writer.put("print(x, y, v, flag, items, table, sorted(seen), box.value, pair, list(line), Box.made)")
        writer.depth = 0
        body = "\n".join(writer.lines)
        if not any(word in body for word in ("random.", "event.wait", "acquire", "changed.wait", "tasks.put")):
            break
    end = (
        "try:\n    work(3)\nexcept Exception as error:\n"
        "    print(type(error).__name__, error if not isinstance(error, (TypeError, AttributeError)) else '')"
    )
    return HEAD + body + "\n" + end + "\n"
