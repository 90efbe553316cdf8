"""Families of nets that tools are compared on, each from the rules its authors published, in words of our own.

    python benchmarks/net_families.py kanban 100 > kanban-100.pnml

``Net`` gives the places with their tokens, and transitions with their presets and postsets. Where there is a formula
for the number of reachable markings, ``COUNTS`` has it: the figures of a benchmark can be checked without another tool.
"""

import sys
from collections.abc import Callable
from math import comb
from typing import NamedTuple

Weights = dict[str, int]


class Net(NamedTuple):
    """Tokens of places, and what transitions take and bring."""

    places: dict[str, int]
    transitions: dict[str, tuple[Weights, Weights]]


class _Draft:
    """A net under construction: places appear with their first arc, in the order of the transitions."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}
        self.transitions: dict[str, tuple[Weights, Weights]] = {}

    def mark(self, tokens: int, *places: str) -> None:
        self.places.update(dict.fromkeys(places, tokens))

    def step(self, name: str, takes: str, brings: str) -> None:
        both = []
        for text in (takes, brings):
            weights: Weights = {}
            for place in text.split():
                weights[place] = weights.get(place, 0) + 1
                self.places.setdefault(place, 0)
            both.append(weights)
        self.transitions[name] = (both[0], both[1])

    def net(self) -> Net:
        return Net(self.places, self.transitions)


def shared_memory(count: int) -> Net:
    """Processors that use their own memory, or over one bus that of another (M. Ajmone Marsan and others, 1984)."""
    draft = _Draft()
    draft.mark(1, "bus")
    for x in range(1, count + 1):
        draft.mark(1, f"active{x}", f"memory{x}")
        draft.step(f"begin_own{x}", f"active{x}", f"own{x}")
        draft.step(f"end_own{x}", f"own{x} memory{x}", f"active{x} memory{x}")
        draft.step(f"ask{x}", f"active{x}", f"queue{x}")
    for x in range(1, count + 1):
        for y in range(1, count + 1):
            if x != y:
                draft.step(f"begin{x}_{y}", f"queue{x} memory{y} bus", f"access{x}_{y}")
                draft.step(f"end{x}_{y}", f"access{x}_{y}", f"active{x} memory{y} bus")
    return draft.net()


def kanban(tokens: int) -> Net:
    """Four cells of a factory, the second and third side by side (M. Tilgner, Y. Takahashi, G. Ciardo, 1996)."""
    draft = _Draft()
    draft.mark(tokens, *(f"kanban{i}" for i in range(1, 5)))
    for i in range(1, 5):
        draft.step(f"redo{i}", f"machine{i}", f"back{i}")
        draft.step(f"again{i}", f"back{i}", f"machine{i}")
        draft.step(f"done{i}", f"machine{i}", f"out{i}")
    draft.step("enter", "kanban1", "machine1")
    draft.step("split", "out1 kanban2 kanban3", "kanban1 machine2 machine3")
    draft.step("join", "out2 out3 kanban4", "kanban2 kanban3 machine4")
    draft.step("leave", "out4", "kanban4")
    return draft.net()


def flexible_manufacturing(parts: int) -> Net:
    """Three sorts of parts on machines of three sorts (G. Ciardo, K. Trivedi, 1993)."""
    draft = _Draft()
    draft.mark(parts, "P1", "P2", "P3")
    draft.mark(3, "M1")
    draft.mark(1, "M2")
    draft.mark(2, "M3")
    for name, takes, brings in (
        ("start1", "P1", "P1wM1"),
        ("load1", "P1wM1 M1", "P1M1"),
        ("unload1", "P1M1", "P1d M1"),
        ("alone1", "P1d", "P1s"),
        ("joint1", "P1d", "P1wP2"),
        ("ship1", "P1s", "P1"),
        ("start2", "P2", "P2wM2"),
        ("load2", "P2wM2 M2", "P2M2"),
        ("unload2", "P2M2", "P2d M2"),
        ("alone2", "P2d", "P2s"),
        ("joint2", "P2d", "P2wP1"),
        ("ship2", "P2s", "P2"),
        ("meet", "P1wP2 P2wP1", "P12"),
        ("start12", "P12", "P12wM3"),
        ("load12", "P12wM3 M3", "P12M3"),
        ("unload12", "P12M3", "P12s M3"),
        ("ship12", "P12s", "P1 P2"),
        ("start3", "P3", "P3M2"),
        ("work3", "P3M2 M2", "P3s M2"),
        ("ship3", "P3s", "P3"),
    ):
        draft.step(name, takes, brings)
    return draft.net()


def token_ring(count: int) -> Net:
    """E. Dijkstra's self-stabilising ring: a process that differs from the one before it takes over its value."""
    draft = _Draft()
    values = range(count + 1)
    for process in values:
        for value in values:
            draft.mark(int(process == value), f"s{process}_{value}")
    for process in values[1:]:
        for own in values:
            for other in values:
                if own != other:
                    before = f"s{process - 1}_{other}"
                    draft.step(
                        f"take{process}_{own}_{other}", f"s{process}_{own} {before}", f"s{process}_{other} {before}"
                    )
    for value in values:
        last, after = f"s{count}_{value}", (value + 1) % (count + 1)
        draft.step(f"next{value}", f"s0_{value} {last}", f"s0_{after} {last}")
    return draft.net()


def railroad(trains: int) -> Net:
    """Trains at a level crossing: a controller counts those that are near it, and moves the gate."""
    draft = _Draft()
    numbers = range(1, trains + 2)
    for i in numbers:
        draft.mark(int(i <= trains), f"far{i}")
        draft.mark(int(i == 3), f"gate{i}")
        draft.mark(int(i == 1), f"near{i}")
        draft.mark(0, f"left{i}", f"order{i}")
    draft.mark(1, "idle", "raised", "free", *(f"track{i}" for i in range(1, trains + 1)))
    for i in range(1, trains + 1):
        draft.step(f"come{i}", f"far{i} free track{i}", f"coming{i} arrival")
        draft.step(f"cross{i}", f"free coming{i}", f"free head{i} tail{i}")
        draft.step(f"go{i}", f"head{i} tail{i}", f"track{i} left{i}")
    draft.step("first", "idle near1 arrival", "closing near2 close")
    draft.step("close", "raised gate3 close", "falling gate2")
    draft.step("closed", "falling gate2", "order1 down gate1")
    draft.step("safe", "order1 closing", "free idle")
    for i in range(2, trains + 1):
        draft.step(f"another{i}", f"idle near{i} arrival", f"free idle near{i + 1}")
    for i in numbers:
        for k in range(3, trains + 2):
            draft.step(f"pass{k}_{i}", f"idle near{k} left{i}", f"far{i} idle near{k - 1}")
        draft.step(f"last{i}", f"idle near2 left{i}", f"far{i} near1 opening open")
    draft.step("open", "down gate1 open", "gate2 rising")
    draft.step("opened", "gate2 rising", "order3 raised gate3")
    draft.step("done", "order3 opening", "idle")
    return draft.net()


def philosophers(count: int) -> Net:
    """Who thinks takes both forks, in either order, and puts them back."""
    draft = _Draft()
    for i in range(count):
        draft.mark(1, f"think{i}", f"fork{i}")
    for i in range(count):
        left, right = f"fork{i}", f"fork{(i + 1) % count}"
        draft.step(f"left{i}", f"think{i} {left}", f"has_left{i}")
        draft.step(f"right{i}", f"think{i} {right}", f"has_right{i}")
        draft.step(f"then_right{i}", f"has_left{i} {right}", f"eat{i}")
        draft.step(f"then_left{i}", f"has_right{i} {left}", f"eat{i}")
        draft.step(f"end{i}", f"eat{i}", f"think{i} {left} {right}")
    return draft.net()


def database(sites: int) -> Net:
    """Sites with a copy of every record each: who holds the lock of a record changes it and tells all others, who
    acknowledge; in the character of the contest's DatabaseWithMutex."""
    draft = _Draft()
    everyone = range(1, sites + 1)
    for f in everyone:
        draft.mark(1, f"lock{f}")
    for s in everyone:
        draft.mark(1, f"active{s}")
    for s in everyone:
        for f in everyone:
            here = f"{s}_{f}"
            draft.step(f"ask{here}", f"active{s}", f"waits{here}")
            draft.step(f"begin{here}", f"waits{here} lock{f}", f"changes{here}")
            told = " ".join(f"message{t}_{here}" for t in everyone if t != s)
            heard = " ".join(f"heard{t}_{here}" for t in everyone if t != s)
            draft.step(f"tell{here}", f"changes{here}", f"told{here} {told}")
            draft.step(f"end{here}", f"told{here} {heard}", f"active{s} lock{f}")
            for t in everyone:
                if t != s:
                    draft.step(f"read{t}_{here}", f"message{t}_{here}", f"writes{t}_{here}")
                    draft.step(f"answer{t}_{here}", f"writes{t}_{here}", f"heard{t}_{here}")
    return draft.net()


def signalling(tokens: int) -> Net:
    """A cascade of three kinases (C.-Y. Huang, J. Ferrell, 1996), each molecule a token: reversible reactions, so sets
    that are far from products, in the character of the contest's Angiogenesis."""
    draft = _Draft()
    draft.mark(tokens, "signal", "phosphatase1", "phosphatase2", "phosphatase3")
    draft.mark(4 * tokens, "raf")
    draft.mark(2 * tokens, "mek", "erk")

    def reaction(name: str, enzyme: str, before: str, after: str) -> None:
        draft.step(f"bind_{name}", f"{enzyme} {before}", f"{enzyme}_{before}")
        draft.step(f"free_{name}", f"{enzyme}_{before}", f"{enzyme} {before}")
        draft.step(f"make_{name}", f"{enzyme}_{before}", f"{enzyme} {after}")

    reaction("raf", "signal", "raf", "rafP")
    reaction("raf_back", "phosphatase1", "rafP", "raf")
    for enzyme, protein, phosphatase in (("rafP", "mek", "phosphatase2"), ("mekPP", "erk", "phosphatase3")):
        reaction(f"{protein}1", enzyme, protein, f"{protein}P")
        reaction(f"{protein}2", enzyme, f"{protein}P", f"{protein}PP")
        reaction(f"{protein}2_back", phosphatase, f"{protein}PP", f"{protein}P")
        reaction(f"{protein}1_back", phosphatase, f"{protein}P", protein)
    return draft.net()


def energy_bus(devices: int) -> Net:
    """Devices on one bus, each a machine of its own, whose steps depend on what two others are doing: many transitions
    over few places, in the character of the contest's EnergyBus."""
    draft = _Draft()
    modes = ("off", "start", "ready", "charge", "drive", "fault", "stop")
    ways = (
        ("off", "start", ()),
        ("start", "ready", ("off", "ready", "charge", "drive")),
        ("ready", "charge", ("ready", "off", "stop")),
        ("ready", "drive", ("ready", "drive", "charge")),
        ("charge", "ready", ("ready", "charge", "drive")),
        ("drive", "ready", ()),
        ("charge", "fault", ("fault", "drive")),
        ("drive", "fault", ("fault", "off")),
        ("fault", "stop", ("stop", "off", "ready", "start")),
        ("ready", "stop", ("off", "ready", "stop")),
        ("stop", "off", ()),
    )
    for i in range(devices):
        for mode in modes:
            draft.mark(int(mode == "off"), f"{mode}{i}")
    for i in range(devices):
        left, right = (i + 1) % devices, (i + 2) % devices
        for before, after, seen in ways:
            for one in seen or ("",):
                for other in seen or ("",):
                    beside = f"{one}{left} {other}{right}" if one else ""
                    name = f"{before}_{after}{i}_{one}_{other}"
                    draft.step(name, f"{before}{i} {beside}", f"{after}{i} {beside}")
    return draft.net()


FAMILIES: dict[str, Callable[[int], Net]] = {
    "shared-memory": shared_memory,
    "kanban": kanban,
    "fms": flexible_manufacturing,
    "token-ring": token_ring,
    "railroad": railroad,
    "philosophers": philosophers,
    "database": database,
    "signalling": signalling,
    "energy-bus": energy_bus,
}


# --- how many markings are reachable ----------------------------------------------------------------------------------


def shared_memory_markings(count: int) -> int:
    """Each processor is active, in its own memory, or waiting; and one of them may be in the memory of another."""
    return 3**count + count * (count - 1) * 3 ** (count - 1)


def kanban_markings(tokens: int) -> int:
    """The outer cells are independent; the inner ones have always equally many parts."""
    inner = sum(comb(tokens - free + 2, 2) ** 2 for free in range(tokens + 1))
    return comb(tokens + 3, 3) ** 2 * inner


def flexible_manufacturing_markings(parts: int) -> int:
    """By the number of joint parts: places of one sort hold the rest, one of them no more than it has machines."""

    def spread(tokens: int, places: int, most: int) -> int:
        """Ways to put tokens on so many places, the last of which holds at most so many."""
        return sum(comb(tokens - last + places - 2, places - 2) for last in range(min(tokens, most) + 1))

    joint = (spread(n, 4, 2) * spread(parts - n, 6, 3) * spread(parts - n, 6, 1) for n in range(parts + 1))
    return sum(joint) * comb(parts + 2, 2)


def token_ring_markings(count: int) -> int:
    """Found by enumeration up to 10, and a pattern beyond: a Catalan number and the runs from the legitimate states."""
    processes = count + 1
    return comb(2 * processes, processes) // (processes + 1) + processes**2 - 2


COUNTS: dict[str, Callable[[int], int]] = {
    "shared-memory": shared_memory_markings,
    "kanban": kanban_markings,
    "fms": flexible_manufacturing_markings,
    "token-ring": token_ring_markings,
}


def pnml(name: str, net: Net) -> str:
    lines = [
        '<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">',
        f'<net id="{name}" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="page">',
    ]
    numbers = {place: f"p{number}" for number, place in enumerate(net.places)}
    for place, tokens in net.places.items():
        marking = f"<initialMarking><text>{tokens}</text></initialMarking>" if tokens else ""
        lines.append(f'<place id="{numbers[place]}"><name><text>{place}</text></name>{marking}</place>')
    arcs = 0
    for number, (transition, (preset, postset)) in enumerate(net.transitions.items()):
        lines.append(f'<transition id="t{number}"><name><text>{transition}</text></name></transition>')
        ends = [(numbers[p], f"t{number}", w) for p, w in preset.items()]
        ends += [(f"t{number}", numbers[p], w) for p, w in postset.items()]
        for source, target, weight in ends:
            inscription = "" if weight == 1 else f"<inscription><text>{weight}</text></inscription>"
            lines.append(f'<arc id="arc{arcs}" source="{source}" target="{target}">{inscription}</arc>')
            arcs += 1
    return "\n".join([*lines, "</page></net></pnml>", ""])


def main() -> int:
    if len(sys.argv) != 3 or sys.argv[1] not in FAMILIES or not sys.argv[2].isdecimal():
        print(f"usage: net_families.py {'|'.join(FAMILIES)} SIZE", file=sys.stderr)
        return 2
    family, size = sys.argv[1], int(sys.argv[2])
    print(pnml(f"{family}-{size}", FAMILIES[family](size)), end="")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
