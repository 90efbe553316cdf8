"""All reachable states as diagrams: `--engine bdd` beside plain chaining loops over CUDD (dd) and OxiDD.

Usage: python benchmarks/diagrams.py [--require] [--only TEXT] [--most SECONDS] [--nets FOLDER]

The peers get what this engine has: the same commands in terms, the same bits, the same order of variables. A peer is
the loop that one writes first over a package: a relation for every command, over what it reads and writes; each is
applied to all that is known so far, until nothing is new. Every run is a process of its own; the time is processor time
from the model's text to the number of states. `pip install oxidd dd` brings the peers; one that is missing is said so.

With --nets: also the place/transition nets of a folder of the model checking contest (`NAME/model.pnml`); the number of
markings is compared with `NAME/oracle/*-SS.out`, where there is one.
"""

import argparse
import json
import re
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from child import run_child
from net_families import Net, pnml

FOLDER = Path(__file__).parent
LOCK = FOLDER / "models" / "filter_lock.pml"
PLACES = ("think", "fork", "has", "eat")
WAYS = ("kripke", "cudd", "oxidd")
#: a name, the file or family, the number of processes, and the states where they are known
CASES = (
    ("filter-lock-3", "lock", 3, 51_596),
    ("filter-lock-4", "lock", 4, 8_843_939),
    ("whole-guards-4", "whole", 4, 76_407),
    ("whole-guards-5", "whole", 5, 2_270_321),
    ("philosophers-100", "net", 100, None),
    ("philosophers-400", "net", 400, None),
)


def whole_guards(count: int) -> str:
    """The filter lock, a process looks at all others in one step."""
    lines = [f"byte level[{count}]; byte last[{count}]; byte inside;"]
    for me in range(count):
        low = " && ".join(f"level[{other}] < rung" for other in range(count) if other != me)
        lines.append(
            f"active proctype P{me}() {{ byte rung; do :: rung = 1; do :: rung < {count} -> level[{me}] = rung; "
            f"last[rung] = {me}; (last[rung] != {me} || ({low})); rung++ :: else -> break od; "
            f"inside++; assert(inside == 1); inside--; level[{me}] = 0 od }}"
        )
    return "\n".join(lines)


def text_of(kind: str, count: int) -> tuple[str, str]:
    """The text of a model and the ending of its file."""
    if kind == "lock":
        return f"#define N {count}\n" + LOCK.read_text(), ".pml"
    if kind == "whole":
        return whole_guards(count), ".pml"
    return pnml(f"philosophers-{count}", philosophers(count)), ".pnml"


def philosophers(count: int) -> Net:
    """Each takes the left fork, then the right one: some (1 + sqrt(2))^count markings."""
    places = {f"{place}{i}": int(place in ("think", "fork")) for i in range(count) for place in PLACES}
    transitions: dict[str, tuple[dict[str, int], dict[str, int]]] = {}
    for i in range(count):
        left, right = f"fork{i}", f"fork{(i + 1) % count}"
        transitions[f"left{i}"] = {f"think{i}": 1, left: 1}, {f"has{i}": 1}
        transitions[f"right{i}"] = {f"has{i}": 1, right: 1}, {f"eat{i}": 1}
        transitions[f"end{i}"] = {f"eat{i}": 1}, {f"think{i}": 1, left: 1, right: 1}
    return Net(places, transitions)


# --- in a process of its own ------------------------------------------------------------------------------------------


class Cudd:
    def __init__(self, names: Sequence[str]) -> None:
        from dd import cudd

        self._cudd, self.bdd = cudd, cudd.BDD()
        self.bdd.configure(reordering=False)
        self.bdd.declare(*names)
        self.true, self.false = self.bdd.true, self.bdd.false

    def var(self, name: str) -> Any:
        return self.bdd.var(name)

    def conj(self, a: Any, b: Any) -> Any:
        return a & b

    def disj(self, a: Any, b: Any) -> Any:
        return a | b

    def neg(self, a: Any) -> Any:
        return ~a

    def xor(self, a: Any, b: Any) -> Any:
        return self.bdd.apply("xor", a, b)

    def ite(self, a: Any, b: Any, c: Any) -> Any:
        return self.bdd.ite(a, b, c)

    def stepping(self, relation: Any, gone: Sequence[str], after: dict[str, str]) -> Callable[[Any], Any]:
        names = set(gone)
        return lambda states: self.bdd.let(after, self._cudd.and_exists(states, relation, names))

    def count(self, states: Any, bits: int) -> float:
        return float(self.bdd.count(states, bits))


class OxiDD:
    def __init__(self, names: Sequence[str]) -> None:
        from oxidd.bcdd import BCDDManager
        from oxidd.util import BooleanOperator

        self._and = BooleanOperator.AND
        self.manager = BCDDManager(1 << 25, 1 << 22, 1)
        self.manager.add_named_vars(names)
        self.number = {name: number for number, name in enumerate(names)}
        self.true, self.false = self.manager.true(), self.manager.false()

    def var(self, name: str) -> Any:
        return self.manager.var(self.number[name])

    def conj(self, a: Any, b: Any) -> Any:
        return a & b

    def disj(self, a: Any, b: Any) -> Any:
        return a | b

    def neg(self, a: Any) -> Any:
        return ~a

    def xor(self, a: Any, b: Any) -> Any:
        return a ^ b

    def ite(self, a: Any, b: Any, c: Any) -> Any:
        return a.ite(b, c)

    def stepping(self, relation: Any, gone: Sequence[str], after: dict[str, str]) -> Callable[[Any], Any]:
        cube = self.true
        for name in sorted(gone, key=self.number.__getitem__, reverse=True):
            cube = cube & self.var(name)
        pairs = [(self.number[old], self.var(new)) for old, new in after.items()]
        renaming = self.true.make_substitution(pairs)
        return lambda states: states.apply_exists(self._and, relation, cube).substitute(renaming)

    def count(self, states: Any, bits: int) -> float:
        variables = self.manager.num_vars()
        return float(int(states.sat_count(variables)) >> (variables - bits))  # with all of them it is no float


def chained(system: Any, package: Callable[[Sequence[str]], Any]) -> float:
    """The number of states, stable or not, by the loop that one writes first."""
    from kripke.engines.diagrams.order import static_order
    from kripke.terms.bits import Blaster, variable_bits

    now = {s: [f"x{n}_{b}" for b in range(variable_bits(s.sort))] for n, s in enumerate(system.variables)}
    after = {s: [name.replace("x", "y") for name in names] for s, names in now.items()}
    names = [name for symbol, bit in static_order(system) for name in (now[symbol][bit], after[symbol][bit])]
    diagrams = package(names)
    blaster = Blaster(diagrams, lambda symbol: [diagrams.var(name) for name in now[symbol]])
    steps = []
    for command in system.commands:
        assert not command.choices, "the models here have none"
        relation = blaster.truth(command.guard)
        gone: list[str] = []
        for symbol, update in command.updates.items():
            gone += now[symbol]
            for later, bit in zip(after[symbol], blaster.stored(update, symbol.sort), strict=True):
                relation = relation & diagrams.neg(diagrams.xor(diagrams.var(later), bit))
        renaming = {a: n for s in command.updates for n, a in zip(now[s], after[s], strict=True)}
        steps.append(diagrams.stepping(relation, gone, renaming))
    states, before = blaster.truth(system.initial), None
    stable = blaster.truth(system.stable)
    while states != before:
        before = states
        for step in steps:
            states = states | step(states)
    return float(diagrams.count(states & stable, sum(map(len, now.values()))))


def own(system: Any) -> int:
    from kripke.engines.diagrams.deep_stack import with_stack
    from kripke.engines.diagrams.reach import Reached
    from kripke.engines.diagrams.space import Space

    def work() -> int:
        space = Space(system)
        reached = Reached(space, lambda _: None)
        reached.close(lambda _: False)
        return space.count(reached.states & space.stable)

    return with_stack(1 << 28, work)


def child(way: str, file: str, most: str) -> None:
    import kripke
    from kripke.engines.encoded import Encodings

    resource.setrlimit(resource.RLIMIT_CPU, (int(most), int(most)))
    start = time.process_time()
    model = kripke.load(file).model
    # With the bounds that are known, not those that are assumed: the peers would not know when these are left.
    encodings = list(Encodings(model, "bdd"))
    encoding = next((one for one in encodings if not one.system.limits), encodings[-1])
    system = encoding.system
    encoded = time.process_time()
    states = own(system) if way == "kripke" else chained(system, {"cudd": Cudd, "oxidd": OxiDD}[way])
    usage = resource.getrusage(resource.RUSAGE_SELF)
    done = {"states": states, "encoding": encoded - start, "diagrams": time.process_time() - encoded}
    print(json.dumps({**done, "megabytes": usage.ru_maxrss / 1024}))


# --- the comparison ---------------------------------------------------------------------------------------------------


def measured(way: str, file: Path, most: float) -> dict[str, Any]:
    finished = run_child([sys.executable, __file__, "--child", way, str(file), str(int(most))])
    if finished.code == -signal.SIGKILL or finished.code == -signal.SIGXCPU:
        return {"error": f"not done in {most:g} s"}
    try:
        return dict(json.loads(finished.stdout))
    except ValueError:
        return {"error": (finished.stderr.strip().splitlines() or ["it said nothing"])[-1][:60]}


def contest_count(folder: Path) -> int | None:
    for file in folder.glob("oracle/*-SS.out"):
        found = re.search(r"STATE_SPACE STATES (\d+) ", file.read_text())
        if found:
            return int(found[1])
    return None


def cases(folder: Path, nets: Path | None) -> Iterator[tuple[str, Path, int | None]]:
    for name, kind, count, states in CASES:
        text, ending = text_of(kind, count)
        file = folder / f"{name}{ending}"
        file.write_text(text)
        yield name, file, states
    for net in sorted(nets.glob("*-PT-*/model.pnml")) if nets is not None else ():
        yield net.parent.name, net, contest_count(net.parent)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Compare decision diagrams.")
    parser.add_argument("--require", action="store_true", help="fail where a peer is faster")
    parser.add_argument("--only", default="", metavar="TEXT", help="models whose names contain this text")
    parser.add_argument("--most", type=float, default=120.0, metavar="SECONDS", help="for each run")
    parser.add_argument("--nets", type=Path, metavar="FOLDER", help="also the nets in this folder")
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.child:
        child(*options.child)
        return 0
    missed = False
    print(f"{'model':20}{'states':>14}" + "".join(f"{way:>12}" for way in WAYS) + "   least peer / kripke")
    with tempfile.TemporaryDirectory(prefix="kripke-diagrams-") as folder:
        for name, file, known in cases(Path(folder), options.nets):
            if options.only not in name:
                continue
            found = {way: measured(way, file, options.most) for way in WAYS}
            seconds = {way: one["diagrams"] for way, one in found.items() if "diagrams" in one}
            states = found["kripke"].get("states", 0)
            same = all(abs(one["states"] - states) <= 1e-9 * states for one in found.values() if "states" in one)
            wrong = not same or (known is not None and known != states) or "kripke" not in seconds
            peers = [seconds[way] for way in WAYS[1:] if way in seconds]
            ratio = min(peers) / max(seconds.get("kripke", 0.0), 1e-3) if peers and "kripke" in seconds else 0.0
            missed |= wrong or (bool(peers) and ratio < 1)
            columns = "".join(f"{seconds[way]:10.2f} s" if way in seconds else f"{'-':>12}" for way in WAYS)
            print(f"{name:20}{states:14.5g}{columns}{ratio:12.1f}{'  WRONG' if wrong else ''}", flush=True)
            for way, one in found.items():
                if "error" in one:
                    print(f"    {way}: {one['error']}")
    return 1 if missed and options.require else 0


if __name__ == "__main__":
    raise SystemExit(main())
