"""Sets of markings of nets that contests use: all reachable markings by `--search symbolic`, counted.

Usage: python benchmarks/symbolic.py [--require] [--only TEXT] [--shuffle SEED [--anonymous]]

The nets are made from the rules of their families (net_families.py). Where there is a formula for the number of
markings, the answer is compared with it. Then formulas of branching time on nets that are too large to enumerate, with
the answers that follow from how the nets are made. The bar is 60 seconds of processor time for each line. With
--shuffle places and transitions come in any order, as they do in files of others; with --anonymous their names tell
nothing, either.
"""

import argparse
import json
import random
import re
import sys
import tempfile
from collections.abc import Sequence
from hashlib import md5
from pathlib import Path
from typing import NamedTuple

from child import run_child
from kripke_command import find_kripke
from net_families import COUNTS, FAMILIES, Net, Weights, pnml

BAR = 60.0  # seconds of processor time


class Line(NamedTuple):
    """A net whose markings are counted and, where there is one, a formula over its places with its truth."""

    family: str
    size: int
    formula: str = ""
    holds: bool = True

    @property
    def name(self) -> str:
        return f"{self.family}-{self.size}"


LINES = (
    Line("shared-memory", 20),
    Line("railroad", 20),
    Line("kanban", 100),
    Line("fms", 200),
    Line("token-ring", 20),
    Line("philosophers", 400),
    Line("database", 4),
    Line("signalling", 8),
    Line("database", 4, "AG EF (active1 > 0)", True),
    Line("database", 4, "EF (changes1_1 > 0 && changes2_1 > 0)", False),
    Line("database", 4, "AG (changes1_1 > 0 -> AF (active1 > 0))", False),
    Line("database", 4, "AG (told1_1 > 0 -> EF (heard2_1_1 > 0 && heard3_1_1 > 0))", True),
    Line("signalling", 8, "AG EF (signal > 7)", True),
    Line("signalling", 8, "EF (erkPP > 15)", True),
    Line("signalling", 8, "AG (erkPP > 0 -> EX (mek > 3))", False),
    Line("signalling", 8, "AF (raf < 32)", True),
    Line("energy-bus", 6, "AG EF (off0 > 0)", False),
    Line("energy-bus", 6, "EF (drive0 > 0 && drive1 > 0 && drive2 > 0)", True),
)


def shuffled(net: Net, seed: int) -> Net:
    source = random.Random(seed)
    places, transitions = list(net.places), list(net.transitions)
    source.shuffle(places)
    source.shuffle(transitions)
    return Net({place: net.places[place] for place in places}, {name: net.transitions[name] for name in transitions})


def hidden_names(net: Net) -> dict[str, str]:
    return {place: "p" + md5(place.encode()).hexdigest() for place in net.places}


def anonymous(net: Net) -> Net:
    """With names that tell nothing, in the order that the net has."""
    names = hidden_names(net)

    def renamed(weights: Weights) -> Weights:
        return {names[place]: weight for place, weight in weights.items()}

    both = enumerate(net.transitions.values())
    steps = {f"t{number}": (renamed(preset), renamed(postset)) for number, (preset, postset) in both}
    return Net({names[place]: tokens for place, tokens in net.places.items()}, steps)


def _write(file: Path, line: Line, seed: int | None, hidden: bool) -> dict[str, str]:
    """Write the net of a line; what its places are called in the file, where that differs."""
    net = FAMILIES[line.family](line.size)
    if seed is not None:
        net = shuffled(net, seed)
    file.write_text(pnml(line.name, anonymous(net) if hidden else net))
    return hidden_names(net) if hidden else {}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Measure sets of markings.")
    parser.add_argument("--require", action="store_true", help="fail when a net takes longer than it may")
    parser.add_argument("--only", default="", metavar="TEXT", help="nets whose names contain this text")
    parser.add_argument("--shuffle", type=int, metavar="SEED", help="places and transitions in any order")
    parser.add_argument("--anonymous", action="store_true", help="names that tell nothing")
    options = parser.parse_args(arguments)
    kripke = find_kripke()
    if kripke is None:
        print("benchmarks: the kripke command was not found beside this Python nor on PATH", file=sys.stderr)
        return 2
    missed = False
    print(f"{'net':20}{'markings':>16}{'nodes':>12}{'processor':>12}{'seconds':>10}{'peak':>10}")
    with tempfile.TemporaryDirectory(prefix="kripke-symbolic-") as folder:
        for line in LINES:
            if options.only not in line.name:
                continue
            file = Path(folder) / f"{line.family}-{line.size}.pnml"
            names = _write(file, line, options.shuffle, options.anonymous)
            command = [str(kripke), "check", str(file), "--search", "symbolic", "--no-deadlock", "--json"]
            if line.formula:
                words = re.split(r"(\W+)", line.formula)
                command += ["--ctl", "".join(names.get(word, word) for word in words)]
            finished = run_child([*command, "--time-limit", "600"])
            result = json.loads(finished.stdout)
            # A formula that does not hold ends the search early, as errors do: it is not said to be complete.
            right = result["verdict"] == ("holds" if line.holds else "violated")
            right = right and (line.family not in COUNTS or COUNTS[line.family](line.size) == result["states"])
            late = finished.processor > BAR
            missed |= late or not right
            mark = "  MISSED" if late else "" if right else f"  WRONG OR UNKNOWN: {result['reason']}"
            print(
                f"{line.name:20}{result['states']:16.5g}{result['engine'].get('nodes', 0):12,}"
                f"{finished.processor:10.2f} s{finished.wall:8.2f} s{finished.peak_bytes >> 20:7} MB{mark}"
                f"{'  ' if line.formula else ''}{line.formula}",
                flush=True,
            )
    return 1 if missed and options.require else 0


if __name__ == "__main__":
    raise SystemExit(main())
