"""Measure place/transition nets of 20 to 100 places: states per second of one thread, bytes per state with
`--store tree`, and the same nets, smaller, in SNAKES in the same run.

Usage: python benchmarks/nets.py [--require] [--peer PYTHON]

Speed is states by the processor time of the whole command, Python included, with the compiled model in the cache: other
programs change that little. Memory is what the store says of itself. SNAKES (`pip install snakes`) runs in the Python
given by --peer, by default this one; without it there is no comparison.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from child import run_child
from kripke_command import find_kripke

BARS = {
    "states per second, median": ("at least", 1_000_000.0),
    "bytes per state with tree, greatest": ("at most", 40.0),
    "times as fast as SNAKES, least": ("at least", 100.0),
}


class Net(NamedTuple):
    """Marked places, all places, and transitions with their presets and postsets."""

    marked: list[str]
    places: list[str]
    transitions: dict[str, tuple[list[str], list[str]]]


def philosophers(count: int) -> Net:
    """Who takes one fork after the other, and puts both back."""
    places, marked, transitions = [], [], {}
    for i in range(count):
        fork, other = f"fork{i}", f"fork{(i + 1) % count}"
        places += [f"think{i}", fork, f"left{i}", f"eat{i}"]
        marked += [f"think{i}", fork]
        transitions[f"take{i}"] = ([f"think{i}", fork], [f"left{i}"])
        transitions[f"more{i}"] = ([f"left{i}", other], [f"eat{i}"])
        transitions[f"stop{i}"] = ([f"eat{i}"], [f"think{i}", fork, other])
    return Net(marked, places, transitions)


def pipeline(count: int) -> Net:
    """Buffers of one place each between cells that work for a while."""
    places, marked, transitions = [], [], {}
    for i in range(count):
        places += [f"empty{i}", f"full{i}", f"busy{i}"]
        marked.append(f"empty{i}")
        transitions[f"work{i}"] = ([f"busy{i}"], [f"full{i}"])
        if i:
            transitions[f"move{i}"] = ([f"full{i - 1}", f"empty{i}"], [f"empty{i - 1}", f"busy{i}"])
    transitions["enter"] = (["empty0"], ["busy0"])
    transitions["leave"] = ([f"full{count - 1}"], [f"empty{count - 1}"])
    return Net(marked, places, transitions)


def token_ring(stations: int, tokens: int) -> Net:
    """Stations that pass a few tokens round, and work when they hold one."""
    places, marked, transitions = [], [], {}
    for i in range(stations):
        places += [f"free{i}", f"held{i}", f"used{i}"]
        marked.append(f"held{i}" if i < tokens else f"free{i}")
        transitions[f"use{i}"] = ([f"held{i}"], [f"used{i}"])
        after = (i + 1) % stations
        transitions[f"pass{i}"] = ([f"used{i}", f"free{after}"], [f"free{i}", f"held{after}"])
    return Net(marked, places, transitions)


def clients(count: int, locks: int) -> Net:
    """Clients that want any of a few locks."""
    places = [f"lock{i}" for i in range(locks)]
    marked, transitions = list(places), {}
    for i in range(count):
        places += [f"idle{i}", f"wants{i}", *(f"has{i}_{k}" for k in range(locks))]
        marked.append(f"idle{i}")
        transitions[f"ask{i}"] = ([f"idle{i}"], [f"wants{i}"])
        for k in range(locks):
            transitions[f"get{i}_{k}"] = ([f"wants{i}", f"lock{k}"], [f"has{i}_{k}"])
            transitions[f"end{i}_{k}"] = ([f"has{i}_{k}"], [f"idle{i}", f"lock{k}"])
    return Net(marked, places, transitions)


#: a large net for Kripke, and a small one of the same kind for both
FAMILIES: dict[str, tuple[Callable[[], Net], Callable[[], Net]]] = {
    "philosophers": (lambda: philosophers(17), lambda: philosophers(6)),
    "pipeline": (lambda: pipeline(14), lambda: pipeline(7)),
    "token ring": (lambda: token_ring(22, 6), lambda: token_ring(8, 3)),
    "clients": (lambda: clients(11, 3), lambda: clients(6, 3)),
}


def pnml(name: str, net: Net) -> str:
    lines = [
        '<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">',
        f'<net id="{name}" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="page">',
    ]
    for place in net.places:
        tokens = "<initialMarking><text>1</text></initialMarking>" if place in net.marked else ""
        lines.append(f'<place id="{place}">{tokens}</place>')
    arcs = 0
    for transition, (preset, postset) in net.transitions.items():
        lines.append(f'<transition id="{transition}"/>')
        for source, target in [(p, transition) for p in preset] + [(transition, p) for p in postset]:
            lines.append(f'<arc id="arc{arcs}" source="{source}" target="{target}"/>')
            arcs += 1
    return "\n".join([*lines, "</page></net></pnml>", ""])


SNAKES = """
import json, sys, time
from snakes.nets import MultiArc, PetriNet, Place, StateGraph, Transition, Value, dot
marked, places, transitions = json.load(sys.stdin)
net = PetriNet("net")
for name in places:
    net.add_place(Place(name, [dot] if name in marked else []))
for name, (preset, postset) in transitions.items():
    net.add_transition(Transition(name))
    for place in preset:
        net.add_input(place, name, Value(dot))
    for place in postset:
        net.add_output(place, name, Value(dot))
begin = time.process_time()
graph = StateGraph(net)
graph.build()
print(json.dumps([len(graph), time.process_time() - begin]))
"""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Measure place/transition nets.")
    parser.add_argument("--require", action="store_true", help="fail when a bar is missed")
    parser.add_argument("--repeat", type=int, default=3, help="the best of so many runs of each (default 3)")
    parser.add_argument("--peer", default=sys.executable, metavar="PYTHON", help="a Python that has SNAKES")
    options = parser.parse_args(arguments)
    kripke = find_kripke()
    if kripke is None:
        print("benchmarks: the kripke command was not found beside this Python nor on PATH", file=sys.stderr)
        return 2
    has_snakes = subprocess.run([options.peer, "-c", "import snakes"], capture_output=True).returncode == 0
    rates, sizes, ratios = [], [], []
    print(
        f"{'net':14}{'places':>7}{'states':>12}{'states/s':>12}{'tree, bytes':>12}"
        f"{'small':>8}{'SNAKES/s':>10}{'times':>8}"
    )
    with tempfile.TemporaryDirectory(prefix="kripke-nets-") as folder:
        for name, (large, small) in FAMILIES.items():
            net = large()
            file = Path(folder) / "net.pnml"
            file.write_text(pnml("net", net))
            states = checked(kripke, file)[0]["states"]
            rate = states / min(checked(kripke, file)[1] for _ in range(options.repeat))
            tree, _ = checked(kripke, file, "--store", "tree")
            assert tree["states"] == states
            size = tree["store_bytes"] / states
            rates.append(rate)
            sizes.append(size)
            line = f"{name:14}{len(net.places):7}{states:12,}{rate:12,.0f}{size:12.1f}"
            if has_snakes:
                file.write_text(pnml("net", small()))
                own, _ = checked(kripke, file)
                text = json.dumps(small())
                answer = subprocess.run(
                    [options.peer, "-c", SNAKES], input=text, capture_output=True, text=True, check=True
                )
                found, seconds = json.loads(answer.stdout)
                assert found == own["states"], (found, own["states"])
                ratios.append(rate / (found / seconds))
                line += f"{found:8,}{found / seconds:10,.0f}{ratios[-1]:8,.0f}"
            print(line, flush=True)
    figures = {
        "states per second, median": median(rates),
        "bytes per state with tree, greatest": max(sizes),
    }
    if ratios:
        figures["times as fast as SNAKES, least"] = min(ratios)
    else:
        print("no comparison: SNAKES is not installed (pip install snakes, or --peer PYTHON)")
    missed = False
    for figure, value in figures.items():
        sense, bar = BARS[figure]
        kept = value >= bar if sense == "at least" else value <= bar
        missed |= not kept
        print(f"{figure}: {value:,.1f} ({sense} {bar:,.0f}){'' if kept else '  MISSED'}")
    return 1 if missed and options.require else 0


def checked(kripke: Path, file: Path, *options: str) -> tuple[dict[str, Any], float]:
    """The result of a search of all states, and its processor time."""
    finished = run_child([str(kripke), "check", str(file), "--no-deadlock", "--json", *options])
    result = json.loads(finished.stdout)
    assert result["verdict"] == "holds", result
    return result, finished.processor


if __name__ == "__main__":
    raise SystemExit(main())
