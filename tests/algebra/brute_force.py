"""Processes by brute force: steps by the rules as the book has them, behaviours by listing traces one by one.

Shares nothing with ``kripke``. A process is a tuple; definitions are a dictionary. Behaviours up to a length:
for every trace what a stable state offers after it, and whether the process diverges after it.
"""

from __future__ import annotations

from random import Random

EVENTS = ("a", "b", "c")
TAU, TICK = "tau", "tick"
STOP, SKIP, OMEGA = ("stop",), ("skip",), ("omega",)


class TooLarge(Exception):
    pass


def steps(p, defs, depth=0):
    """All (event, process) of a process."""
    if depth > 60:
        raise TooLarge
    go = lambda q: steps(q, defs, depth + 1)  # noqa: E731
    kind = p[0]
    if kind in ("stop", "omega"):
        return []
    if kind == "skip":
        return [(TICK, OMEGA)]
    if kind == "div":
        return [(TAU, p)]
    if kind == "pre":
        return [(p[1], p[2])]
    if kind == "var":
        return go(defs[p[1]])
    if kind == "int":
        return [(TAU, p[1]), (TAU, p[2])]
    found = []
    if kind == "ext":
        found += [(e, ("ext", q, p[2]) if e == TAU else q) for e, q in go(p[1])]
        found += [(e, ("ext", p[1], q) if e == TAU else q) for e, q in go(p[2])]
    elif kind == "slide":
        found += [(e, ("slide", q, p[2]) if e == TAU else q) for e, q in go(p[1])]
        found.append((TAU, p[2]))
    elif kind == "seq":
        found += [(TAU, p[2]) if e == TICK else (e, ("seq", q, p[2])) for e, q in go(p[1])]
    elif kind == "intr":
        found += [(e, OMEGA if e == TICK else ("intr", q, p[2])) for e, q in go(p[1])]
        found += [(e, ("intr", p[1], q) if e == TAU else q) for e, q in go(p[2])]
    elif kind == "exc":
        for e, q in go(p[2]):
            found.append((e, p[3] if e in p[1] else OMEGA if e == TICK else ("exc", p[1], q, p[3])))
    elif kind == "hide":
        found += [(TAU if e in p[1] else e, OMEGA if e == TICK else ("hide", p[1], q)) for e, q in go(p[2])]
    elif kind == "ren":
        for e, q in go(p[2]):
            images = [new for old, new in p[1] if old == e] or [e]
            found += [(image, OMEGA if e == TICK else ("ren", p[1], q)) for image in images]
    elif kind == "par":
        shared, left, right = p[1], p[2], p[3]
        if left == OMEGA and right == OMEGA:
            return [(TICK, OMEGA)]
        mine, its = go(left), go(right)
        found += [
            (TAU, ("par", shared, OMEGA, right)) if e == TICK else (e, ("par", shared, q, right))
            for e, q in mine
            if e not in shared
        ]
        found += [
            (TAU, ("par", shared, left, OMEGA)) if e == TICK else (e, ("par", shared, left, q))
            for e, q in its
            if e not in shared
        ]
        found += [(e, ("par", shared, q, r)) for e, q in mine if e in shared for f, r in its if f == e]
    elif kind == "alpha":
        a, b, left, right = p[1:]
        if left == OMEGA and right == OMEGA:
            return [(TICK, OMEGA)]
        mine, its = go(left), go(right)
        found += [(TAU, ("alpha", a, b, OMEGA if e == TICK else q, right)) for e, q in mine if e in (TAU, TICK)]
        found += [(TAU, ("alpha", a, b, left, OMEGA if e == TICK else q)) for e, q in its if e in (TAU, TICK)]
        found += [(e, ("alpha", a, b, q, right)) for e, q in mine if e in a and e not in b]
        found += [(e, ("alpha", a, b, left, q)) for e, q in its if e in b and e not in a]
        found += [(e, ("alpha", a, b, q, r)) for e, q in mine if e in a and e in b for f, r in its if f == e]
    else:
        raise ValueError(kind)
    return found


class Behaviour:
    """The states and steps of a process, all of them."""

    def __init__(self, process, defs, most=150):
        self.start = process
        self.table = {}
        stack = [process]
        while stack:
            state = stack.pop()
            if state in self.table:
                continue
            if len(self.table) >= most or len(repr(state)) > 3000:
                raise TooLarge
            self.table[state] = steps(state, defs)
            stack += [target for _, target in self.table[state]]
        # A state diverges if invisible steps can be taken more often than there are states.
        self.divergent = {s for s in self.table if any(e == TAU for e, _ in self.table[s])}
        for _ in self.table:
            self.divergent = {
                s for s in self.divergent if any(e == TAU and t in self.divergent for e, t in self.table[s])
            }

    def closed(self, states):
        states = set(states)
        while True:
            more = {t for s in states for e, t in self.table[s] if e == TAU} - states
            if not more:
                return frozenset(states)
            states |= more

    def after(self, states, event):
        return self.closed({t for s in states for e, t in self.table[s] if e == event})

    def offers(self, states):
        """What stable states offer; one that can end offers nothing else."""
        found = set()
        for state in states:
            events = {e for e, _ in self.table[state]}
            if TAU not in events:
                found.add(frozenset({TICK}) if TICK in events else frozenset(events))
        return found

    def diverges(self, states):
        return bool(states & self.divergent)


def refines(spec: Behaviour, impl: Behaviour, model: str, length: int) -> bool:
    """Is every behaviour of ``impl`` with traces up to a length one of ``spec``? By listing traces."""
    pending = [(spec.closed({spec.start}), impl.closed({impl.start}), 0)]
    while pending:
        allowed, possible, size = pending.pop()
        if model in ("FD", "VD"):
            if spec.diverges(allowed):
                continue
            if impl.diverges(possible):
                return False
        if model != "T":
            wanted = spec.offers(allowed)
            if any(not any(w <= offer for w in wanted) for offer in impl.offers(possible)):
                return False
        if model in ("V", "VD") and not revivals(impl, possible) <= revivals(spec, allowed):
            return False
        if size == length:
            continue
        for event in (*EVENTS, TICK):
            following = impl.after(possible, event)
            if following:
                permitted = spec.after(allowed, event)
                if not permitted:
                    return False
                pending.append((permitted, following, size + 1))
    return True


def revivals(process: Behaviour, states) -> set:
    """Every set that a state at rest refuses, each with an event that it can do then, or with none: a deadlock."""
    found = set()
    for offer in process.offers(states):
        refusable = [e for e in (*EVENTS, TICK) if e not in offer]
        for number in range(2 ** len(refusable)):
            refused = frozenset(e for at, e in enumerate(refusable) if number >> at & 1)
            found |= {(refused, event) for event in offer or (None,)}
    return found


def has_refusal_trace(process: Behaviour, trace) -> bool:
    """``trace``: pairs of what is refused (None: not looked at) and the event after it; None at the end: no event."""
    states = process.closed({process.start})
    for refused, event in trace:
        following = set()
        resting = False
        for state in states:
            offers = process.offers({state})
            able = {e for e, _ in process.table[state]}
            if refused is not None:
                if not offers or next(iter(offers)) & refused:
                    continue
                resting, able = True, next(iter(offers))
            following |= {t for e, t in process.table[state] if e == event and e in able}
        if event is None:
            return resting or refused is None
        states = process.closed(following)
        if not states:
            return False
    return True


def refusal_traces(process: Behaviour, length: int):
    """Those that look at every rest, and those that look at none, in all mixtures."""
    pending = [(process.start, ())]
    known = set(pending)
    while pending:
        state, trace = pending.pop()
        offers = process.offers({state})
        following = [(t, trace) for e, t in process.table[state] if e == TAU]
        yield (*trace, (None, None))
        if offers:
            offer = next(iter(offers))
            refused = frozenset((*EVENTS, TICK)) - offer
            yield (*trace, (refused, None))
            following += [(t, (*trace, (refused, e))) for e, t in process.table[state] if e in offer]
        following += [(t, (*trace, (None, e))) for e, t in process.table[state] if e != TAU]
        if len(known) > 20_000:
            raise TooLarge
        for one in following:
            if len(one[1]) <= length and one not in known:
                known.add(one)
                pending.append(one)


def refines_refusals(spec: Behaviour, impl: Behaviour, length: int) -> bool:
    return all(has_refusal_trace(spec, trace) for trace in refusal_traces(impl, length))


def deterministic(process: Behaviour, length: int) -> bool:
    pending = [(process.closed({process.start}), 0)]
    while pending:
        states, size = pending.pop()
        if process.diverges(states):
            return False
        for event in (*EVENTS, TICK):
            following = process.after(states, event)
            if following:
                if any(event not in offer for offer in process.offers(states)):
                    return False
                if size < length:
                    pending.append((following, size + 1))
    return True


# ---- random processes and their text ----


def random_process(random: Random, depth: int, names: int, guarded: bool = False):
    """``guarded``: a name may stand here, since an event came before it."""
    if depth <= 0 or random.random() < 0.12:
        leaves = [STOP, SKIP, ("pre", random.choice(EVENTS), STOP), ("div",) if random.random() < 0.15 else STOP]
        if guarded:
            leaves += [("var", random.randrange(names))] * 6
        return random.choice(leaves)
    go = lambda g=guarded: random_process(random, depth - 1, names, g)  # noqa: E731
    some = lambda: frozenset(e for e in EVENTS if random.random() < 0.5)  # noqa: E731
    # Under parallel and similar operators a recursion would grow without end.
    flat = lambda: random_process(random, depth - 1, names, False)  # noqa: E731
    kind = random.choice(
        ["pre"] * 6 + ["ext"] * 3 + ["int"] * 2 + ["slide", "seq", "intr", "exc", "hide", "ren", "par", "par", "alpha"]
    )
    if kind == "pre":
        return ("pre", random.choice(EVENTS), go(True))
    if kind in ("ext", "int"):
        return (kind, go(), go())
    if kind == "slide":
        return (kind, go(), go())
    if kind == "seq":
        return (kind, flat(), go(False))
    if kind == "intr":
        return (kind, flat(), go(False))
    if kind == "exc":
        return (kind, some(), flat(), go(False))
    if kind == "hide":
        return (kind, some(), flat())
    if kind == "ren":
        pairs = tuple((random.choice(EVENTS), random.choice(EVENTS)) for _ in range(random.randrange(1, 3)))
        return (kind, pairs, flat())
    if kind == "par":
        return (kind, some(), flat(), flat())
    return (kind, some(), some(), flat(), flat())


def text(p) -> str:
    """The process in CSP-M."""
    events = lambda some: "{" + ",".join(sorted(some)) + "}"  # noqa: E731
    match p:
        case ("stop",):
            return "STOP"
        case ("skip",):
            return "SKIP"
        case ("div",):
            return "DIV"
        case ("pre", e, q):
            return f"({e} -> {text(q)})"
        case ("var", n):
            return f"X{n}"
        case ("ext", q, r):
            return f"({text(q)} [] {text(r)})"
        case ("int", q, r):
            return f"({text(q)} |~| {text(r)})"
        case ("slide", q, r):
            return f"({text(q)} [> {text(r)})"
        case ("seq", q, r):
            return f"({text(q)} ; {text(r)})"
        case ("intr", q, r):
            return f"({text(q)} /\\ {text(r)})"
        case ("exc", a, q, r):
            return f"({text(q)} [| {events(a)} |> {text(r)})"
        case ("hide", a, q):
            return f"({text(q)} \\ {events(a)})"
        case ("ren", pairs, q):
            return f"({text(q)} [[ {', '.join(f'{old} <- {new}' for old, new in pairs)} ]])"
        case ("par", a, q, r):
            return f"({text(q)} [| {events(a)} |] {text(r)})"
        case ("alpha", a, b, q, r):
            return f"({text(q)} [{events(a)} || {events(b)}] {text(r)})"
    raise ValueError(p)
