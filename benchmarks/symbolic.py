"""Sets of markings of nets that contests use: all reachable markings by `--search symbolic`, counted.

Usage: python benchmarks/symbolic.py [--require] [--only TEXT] [--shuffle SEED]

The nets are made from the rules of their families (net_families.py). Where there is a formula for the number of
markings, the answer is compared with it. The bar is 60 seconds of processor time for each net. With --shuffle places
and transitions come in any order, as they do in files of others.
"""

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from child import run_child
from kripke_command import find_kripke
from net_families import COUNTS, FAMILIES, Net, pnml

BAR = 60.0  # seconds of processor time
NETS = (
    ("shared-memory", 20),
    ("railroad", 20),
    ("kanban", 100),
    ("fms", 200),
    ("token-ring", 20),
    ("philosophers", 400),
    ("database", 4),
    ("signalling", 8),
)


def shuffled(net: Net, seed: int) -> Net:
    source = random.Random(seed)
    places, transitions = list(net.places), list(net.transitions)
    source.shuffle(places)
    source.shuffle(transitions)
    return Net({place: net.places[place] for place in places}, {name: net.transitions[name] for name in transitions})


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Measure sets of markings.")
    parser.add_argument("--require", action="store_true", help="fail when a net takes longer than it may")
    parser.add_argument("--only", default="", metavar="TEXT", help="nets whose names contain this text")
    parser.add_argument("--shuffle", type=int, metavar="SEED", help="places and transitions in any order")
    options = parser.parse_args(arguments)
    kripke = find_kripke()
    if kripke is None:
        print("benchmarks: the kripke command was not found beside this Python nor on PATH", file=sys.stderr)
        return 2
    missed = False
    print(f"{'net':20}{'markings':>16}{'nodes':>12}{'processor':>12}")
    with tempfile.TemporaryDirectory(prefix="kripke-symbolic-") as folder:
        for family, size in NETS:
            name = f"{family}-{size}"
            if options.only not in name:
                continue
            net = FAMILIES[family](size)
            file = Path(folder) / f"{name}.pnml"
            file.write_text(pnml(name, net if options.shuffle is None else shuffled(net, options.shuffle)))
            command = [str(kripke), "check", str(file), "--search", "symbolic", "--no-deadlock", "--json"]
            finished = run_child([*command, "--time-limit", "600"])
            result = json.loads(finished.stdout)
            known = result["complete"] and (family not in COUNTS or COUNTS[family](size) == result["states"])
            late = finished.processor > BAR
            missed |= late or not known
            mark = "  MISSED" if late else "" if known else f"  WRONG OR UNKNOWN: {result['reason']}"
            nodes = result["engine"].get("nodes", 0)
            print(f"{name:20}{result['states']:16.5g}{nodes:12,}{finished.processor:10.2f} s{mark}", flush=True)
    return 1 if missed and options.require else 0


if __name__ == "__main__":
    raise SystemExit(main())
