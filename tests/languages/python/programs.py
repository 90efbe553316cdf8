"""Small programs with one schedule each: what they print must be what CPython prints."""

PROGRAMS = {
    "arithmetic": """
for a in (-7, -1, 0, 3, 12):
    for b in (-3, 2, 5):
        print(a + b, a - b, a * b, a // b, a % b, a & b, a | b, a ^ b, -a, ~b, a < b, a <= b, a == b, a != b)
print(2 ** 10, (-2) ** 3, 1 << 20, 1000 >> 3, -9 >> 1, 3_000_000_000 * 3, -(2 ** 62), divmod(17, -5), abs(-3))
print(int("42"), int(" -7 "), int(True), bool(0), bool([]), bool("x"), True + True, 5 if 3 > 2 > 1 else 6)
try:
    print(1 // 0)
except ZeroDivisionError as e:
    print("zero", e)
x = 10
x += 5; x -= 2; x *= 3; x //= 4; x %= 7; x <<= 3; x |= 1; x ^= 8; x &= 63; x >>= 1; x **= 2
print(x)
""",
    "strings": r"""
s = "hello, world"
print(s.upper(), s[0], s[-1], s[2:5], s[:3], s[-3:], s[::-1], s[::2], len(s), "lo" in s, s.find("o"), s.count("l"))
print(s.split(", "), "a b  c".split(), "-".join(["x", "y", "z"]), s.replace("l", "L"), "  pad ".strip() + "|")
print(repr("it's"), repr('say "hi"'), repr("a\n\tb\\"), "ab" * 3, "a" < "b", "abc" == "ab" + "c", ord("a"), chr(98))
name, n = "bob", 7
print(f"{name!r:>8}|{n:03d}|{n:5}|{name:<6}|{name:^7}|{n:x}|{n + 1} {'q' * 2}|{-n:05d}|{{}}")
print("x".startswith("x"), "abc".endswith("bc"), "12".isdigit(), "é", "日本"[1], str(12) + str(None), str([1, "a"]))
for c in "abc":
    print(c, end=" ")
print("a", "b", sep="-")
print("7".rjust(3, "0"), "7".ljust(3, ".") + "!")
""",
    "containers": """
xs = [3, 1, 2]
xs.append(5); xs.insert(1, 9); xs.extend((7, 8)); xs.remove(9)
print(xs, xs.pop(), xs.pop(0), xs, xs.index(2), xs.count(1), len(xs), 2 in xs, sorted(xs, reverse=True), sum(xs))
xs.sort(); print(xs); xs.reverse(); print(xs, xs[1:], xs[:-1], min(xs), max(xs), xs + [1], xs * 2)
ys = xs; ys += [4]; print(xs is ys, xs == [5, 2, 1, 4], xs)
d = {"b": 2, "a": 1}
d["c"] = 3; d["a"] += 10
print(d, d.get("z"), d.get("a", 0), "b" in d, list(d), sorted(d.items()), d.pop("b"), d, d.setdefault("q", []), len(d))
for k, v in d.items():
    print(k, v)
del d["a"]; print(list(d.keys()), list(d.values()), {**d, "n": 1}, dict(x=1, y=2))
t = (1, "a", (2, 3)); a, b, (c, e) = t; print(t, a, b, c, e, t[2][1], t + (4,), (1,), ())
first, *rest = [1, 2, 3]; print(first, rest); *init, last = "abc"; print(init, last)
s = {3, 1, 2}; s.add(5); s.discard(9); s.remove(3)
print(sorted(s), 1 in s, len(s), s | {7}, s & {1, 5}, s - {1}, {1, 2} <= {1, 2, 3}, {1, 2} == {2, 1}, set())
print([x * y for x in range(3) for y in range(3) if x != y], {k: k * k for k in range(3)}, {x % 3 for x in range(9)})
print(list(zip([1, 2], "ab")), list(enumerate("xy", 1)), list(map(lambda v: v + 1, [1, 2])), list(reversed([1, 2, 3])))
print(list(filter(None, [0, 1, 2])), any(x > 1 for x in [1, 2]), all([]), list(range(5, 0, -2)))
print((1, 2) < (1, 3), [1] < [1, 0])
for bad in ([1][5:], ):
    print(bad)
for call in (lambda: [][0], lambda: {}["k"], lambda: [].pop(), lambda: (1,)[3], lambda: [1].remove(2), lambda: "a"[1]):
    try:
        call()
    except LookupError as e:
        print(type(e).__name__, e)
    except ValueError as e:
        print("ValueError", e)
""",
    "functions": """
def f(a, b=2, *rest, key=None, **named):
    return (a, b, rest, key, named)
print(f(1), f(1, 3), f(1, 3, 4, 5, key=6), f(b=1, a=2, z=3), f(*[1, 2, 3], **{"key": 9}))
def counter():
    n = 0
    def step(by=1):
        nonlocal n
        n += by
        return n
    return step
c = counter(); d = counter()
print(c(), c(5), d(), c())
adders = [lambda x, i=i: x + i for i in range(3)]
print([g(10) for g in adders])
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
print([fib(i) for i in range(12)])
def outer():
    total = []
    def inner(x):
        total.append(x)
        if x > 0:
            inner(x - 1)
    inner(3)
    return total
print(outer())
def deco(g):
    def wrapped(*args):
        print("call", args)
        return g(*args)
    return wrapped
@deco
def plus(a, b):
    return a + b
print(plus(1, 2))
try:
    f()
except TypeError:
    print("TypeError")
def deep(n):
    return deep(n + 1)
try:
    deep(0)
except RecursionError as e:
    print("RecursionError")
print((lambda *a: len(a))(1, 2, 3), (y := 5) + y, max("abc", key=lambda ch: -ord(ch)))
""",
    "classes": """
class Animal:
    kind = "animal"
    count = 0
    def __init__(self, name):
        self.name = name
        Animal.count += 1
    def speak(self):
        return f"{self.name} makes a sound"
    @property
    def loud(self):
        return self.speak().upper()
    @staticmethod
    def twice(x):
        return 2 * x
    @classmethod
    def make(cls, name):
        return cls(name)
    def __repr__(self):
        return f"Animal({self.name!r})"
    def __eq__(self, other):
        return self.name == other.name
class Dog(Animal):
    kind = "dog"
    def __init__(self, name, tricks=0):
        super().__init__(name)
        self.tricks = tricks
    def speak(self):
        return super().speak() + " (woof)"
a, b = Animal("cat"), Dog("rex", tricks=3)
print(a, b, a.speak(), b.speak(), b.loud, Dog.kind, b.kind, a.kind, Animal.count)
print(Dog.twice(4), b.twice(5), Dog.make("z"))
print(isinstance(b, Animal), isinstance(a, Dog), issubclass(Dog, Animal), type(b).__name__, a == Animal("cat"), a != b)
b.tricks += 1
print(b.tricks, hasattr(b, "tricks"), hasattr(a, "wings"))
method = b.speak
print(method(), [x.name for x in [a, b]])
class Stack:
    def __init__(self):
        self.items = []
    def __len__(self):
        return len(self.items)
    def __getitem__(self, i):
        return self.items[i]
    def __contains__(self, x):
        return x in self.items
    def __iter__(self):
        for x in self.items:
            yield x
    def __add__(self, other):
        s = Stack()
        s.items = self.items + other.items
        return s
    def __lt__(self, other):
        return len(self) < len(other)
    def __call__(self, x):
        self.items.append(x)
        return self
    def __enter__(self):
        print("enter")
        return self
    def __exit__(self, kind, error, trace):
        print("exit", kind is None)
        return True
s = Stack()
print(bool(s), len(s)); s(1)(2)(3)
print(list(s), s[1], 2 in s, len(s + s), s < s + s, sorted([s + s, s])[0] is s, "yes" if s else "no")
with s as q:
    print(q is s)
    raise ValueError("swallowed")
print("after")
try:
    a.wings
except AttributeError as e:
    print(e)
class Node:
    def __init__(self, v):
        self.v = v
        self.next = None
head = None
for v in range(3):
    n = Node(v)
    n.next = head
    head = n
while head is not None:
    print(head.v, end=" ")
    head = head.next
print()
""",
    "exceptions": """
class Broken(Exception):
    def __init__(self, code):
        super().__init__(f"code {code}")
        self.code = code
def run(n):
    try:
        if n == 0:
            raise Broken(7)
        if n == 1:
            raise ValueError("bad")
        if n == 2:
            return "returned"
        if n == 3:
            raise KeyError("k")
    except Broken as e:
        print("broken", e.code, e)
        return "handled"
    except (ValueError, TypeError) as e:
        print("value", e, repr(e))
    else:
        print("else")
    finally:
        print("finally", n)
    return "end"
for i in range(5):
    try:
        print(run(i))
    except KeyError as e:
        print("outer", e)
def nested():
    for i in range(4):
        try:
            try:
                if i == 1:
                    continue
                if i == 3:
                    break
                raise RuntimeError(i)
            finally:
                print("inner", i)
        except RuntimeError as e:
            print("caught", e)
    try:
        try:
            raise ValueError("first")
        except ValueError:
            raise TypeError("second")
    except TypeError as e:
        print(e)
    try:
        try:
            raise ValueError("again")
        except ValueError:
            raise
    except ValueError as e:
        print(e)
    while True:
        try:
            return "done"
        finally:
            print("leaving")
print(nested())
try:
    assert 1 == 2, "math"
except AssertionError as e:
    print("assert", e)
try:
    undefined_later
except NameError as e:
    print(e)
undefined_later = 1
def unbound():
    if False:
        x = 1
    return x
try:
    unbound()
except UnboundLocalError as e:
    print(e)
try:
    None + 1
except TypeError:
    print("type")
try:
    a, b = [1, 2, 3]
except ValueError as e:
    print(e)
""",
    "generators": """
def numbers(n):
    for i in range(n):
        got = yield i
        if got:
            print("got", got)
    return "end"
print(list(numbers(3)), sum(numbers(4)))
g = numbers(3)
print(next(g), g.send("x"), next(g))
try:
    next(g)
except StopIteration as e:
    print("stop", e.value)
def both():
    result = yield from numbers(2)
    print("result", result)
    yield from [10, 20]
print([x for x in both()])
def guarded():
    try:
        while True:
            try:
                yield 1
            except ValueError as e:
                print("inside", e)
    finally:
        print("closed")
g = guarded()
next(g)
print(g.throw(ValueError("boo")))
g.close()
print(next(iter([]), "none"), next((x for x in range(9) if x > 5)), list(x * x for x in range(4)))
def primes():
    found = []
    n = 2
    while True:
        if all(n % p for p in found):
            found.append(n)
            yield n
        n += 1
for p in primes():
    if p > 20:
        break
    print(p, end=" ")
print()
d = {1: 2}
try:
    for k in d:
        d[k + 1] = 0
except RuntimeError as e:
    print(e)
""",
    "dataclasses": """
from dataclasses import dataclass, field
@dataclass
class Point:
    x: int
    y: int = 0
    tags: list = field(default_factory=list)
    def norm(self):
        return self.x * self.x + self.y * self.y
@dataclass(frozen=True)
class Key:
    a: int
    b: str = "b"
p, q = Point(1, 2), Point(1, y=2)
print(p, p == q, p is q, p.norm(), Point(3), p != Point(1, 3))
p.tags.append("t")
print(p, q.tags, {Key(1): "one", Key(2, "c"): "two"}[Key(1)], Key(1) in {Key(1)}, [Point(0), Point(1)].index(Point(1)))
try:
    Key(1).a = 2
except AttributeError as e:
    print("frozen")
""",
}

PROGRAMS["asyncio"] = """
import asyncio

async def child(name, n, log):
    for i in range(n):
        log.append((name, i))
        await asyncio.sleep(0)
    return name * 2

async def failing():
    await asyncio.sleep(0)
    raise ValueError("bad")

async def holder(lock, name, log):
    async with lock:
        log.append(name + " in")
        await asyncio.sleep(0)
        log.append(name + " out")

async def producer(queue, n):
    for i in range(n):
        await queue.put(i)
        print("put", i)
    await queue.put(None)

async def consumer(queue):
    total = 0
    while (item := await queue.get()) is not None:
        print("got", item)
        total += item
        queue.task_done()
    queue.task_done()
    return total

async def forever(log):
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        log.append("cancelled")
        raise
    finally:
        log.append("cleaned")

async def waiter(condition, log, name):
    async with condition:
        await condition.wait()
        log.append("woken " + name)

async def main():
    log = []
    print(await asyncio.gather(child("a", 2, log), child("b", 3, log)), log)
    task = asyncio.create_task(failing())
    try:
        await task
    except ValueError as e:
        print("caught", e, task.done())
    print(await asyncio.gather(failing(), child("c", 1, log), return_exceptions=True))
    log.clear()
    lock = asyncio.Lock()
    await asyncio.gather(holder(lock, "x", log), holder(lock, "y", log), holder(lock, "z", log))
    print(log, lock.locked())
    queue = asyncio.Queue(2)
    print(await asyncio.gather(producer(queue, 4), consumer(queue)))
    log.clear()
    t = asyncio.create_task(forever(log))
    await asyncio.sleep(0)
    t.cancel()
    try:
        await t
    except asyncio.CancelledError:
        print("main saw it", log, t.cancelled())
    log.clear()
    condition = asyncio.Condition()
    waiters = [asyncio.create_task(waiter(condition, log, n)) for n in "pq"]
    await asyncio.sleep(0)
    async with condition:
        condition.notify()
    await waiters[0]
    async with condition:
        condition.notify_all()
    await waiters[1]
    print(log)
    semaphore = asyncio.Semaphore(2)
    await asyncio.gather(*[holder(semaphore, n, log) for n in "123"])
    print(log)
    async with asyncio.TaskGroup() as group:
        one = group.create_task(child("g", 1, log))
        two = group.create_task(child("h", 2, log))
    print(one.result(), two.result(), await asyncio.wait_for(child("w", 1, log), None))
    return 5

print(asyncio.run(main()))
"""
