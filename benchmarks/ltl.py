"""Formulas to automata: states and time, beside ``spin -f`` in the same run.

    python benchmarks/ltl.py            the 55 specification patterns and their negations, and fairness premises
    python benchmarks/ltl.py --require  fails when a bar is missed

SPIN is compared on states where it can translate a formula: without X (most builds do not know it) and in time.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import time
from statistics import median

from kripke.logic.formula import Formula, negation
from kripke.logic.parser import parse
from kripke.logic.patterns import PATTERNS, SCOPES
from kripke.logic.translation import buchi, generalised

PREMISES = {
    "unconditional": "[]<>p#",
    "weak": "<>[]e# -> []<>x#",
    "weak, other form": "[]([]e# -> <>x#)",
    "strong": "[]<>e# -> []<>x#",
}
BARS = {3: 0.1, 5: 2.0}  # seconds by number of premises
_SIGNS = {"and": "&&", "or": "||", "R": "V"}
_UNARY = {"not": "!", "X": "X", "F": "<>", "G": "[]"}


def spelled(formula: Formula) -> str:
    """As ``spin -f`` reads it: it has no W."""
    parts = [spelled(part) for part in formula.operands]
    match formula.operator:
        case "true" | "false" | "atom":
            return str(formula)
        case "W":
            return f"({parts[1]} V ({parts[0]} || {parts[1]}))"
        case operator if operator in _UNARY:
            return f"{_UNARY[operator]} ({parts[0]})"
    return "(" + f" {_SIGNS.get(formula.operator, formula.operator)} ".join(f"({part})" for part in parts) + ")"


def spin_states(formula: Formula, seconds: float) -> int | None:
    """How many states SPIN's claim has; None if SPIN does not manage."""
    try:
        run = subprocess.run(
            ["spin", "-f", spelled(formula)], capture_output=True, text=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return None
    if "never" not in run.stdout:
        return None
    return len(re.findall(r"^(?!never)\w+:", run.stdout, re.MULTILINE))


def compare_patterns(seconds: float) -> bool:
    """Prints a table; whether no formula has more states than in SPIN."""
    print(f"{'pattern':24}{'scope':14}{'':10}{'kripke':>8}{'spin':>8}{'ms':>9}")
    ours, theirs, all_ours, times = [], [], [], []
    lost = []
    for name, pattern in PATTERNS.items():
        for scope, text in zip(SCOPES, pattern.formulas, strict=True):
            for negated in (False, True):
                formula = parse(text)
                start = time.process_time()
                states = buchi(formula, negated=negated).states
                taken = time.process_time() - start
                other = spin_states(negation(formula) if negated else formula, seconds)
                times.append(taken)
                all_ours.append(states)
                if other is not None:
                    ours.append(states)
                    theirs.append(other)
                    if states > other:
                        lost.append(f"{name} {scope}{' negated' if negated else ''}: {states} states, SPIN {other}")
                shown = "-" if other is None else str(other)
                kind = "negated" if negated else ""
                print(f"{name:24}{scope:14}{kind:10}{states:8}{shown:>8}{taken * 1000:9.1f}", flush=True)
    print(f"\nall {len(all_ours)}: median {median(all_ours):g}, maximum {max(all_ours)}", end="")
    print(f"; median {median(times) * 1000:.1f} ms, maximum {max(times) * 1000:.0f} ms")
    if theirs:
        print(f"the {len(ours)} that SPIN translates within {seconds:g} s:", end=" ")
        print(f"median {median(ours):g} to {median(theirs):g}, maximum {max(ours)} to {max(theirs)}", end=", ")
        print(f"sum {sum(ours)} to {sum(theirs)}")
    for line in lost:
        print("LOST", line)
    return not lost


def measure_premises() -> bool:
    """Prints a table; whether every translation was quick enough."""
    print(f"\n{'premises':20}{'':10}{'number':>8}{'states':>8}{'sets':>6}{'s':>9}{'claim':>8}{'s':>9}")
    passed = True
    for name, premise in PREMISES.items():
        for count, bar in BARS.items():
            left = " && ".join(f"({premise.replace('#', str(index))})" for index in range(count))
            formula = parse(f"{left} -> [](q -> <>r)")
            for negated in (False, True):
                start = time.process_time()
                automaton = generalised(formula, negated=negated)
                middle = time.process_time()
                claim = buchi(formula, negated=negated)
                end = time.process_time()
                slow = max(middle - start, end - middle) > bar
                passed &= not slow
                print(
                    f"{name:20}{'negated' if negated else '':10}{count:8}{automaton.states:8}{automaton.sets:6}"
                    f"{middle - start:9.3f}{claim.states:8}{end - middle:9.3f}{'  TOO SLOW' if slow else ''}"
                )
    return passed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--require", action="store_true", help="fail when a bar is missed")
    parser.add_argument("--spin-seconds", type=float, default=5, help="how long SPIN may take for a formula")
    options = parser.parse_args()
    if shutil.which("spin") is None:
        print("spin is not installed", file=sys.stderr)
        return 2
    generalised(parse("[](p -> <>q)"))
    small = compare_patterns(options.spin_seconds)
    quick = measure_premises()
    return 1 if options.require and not (small and quick) else 0


if __name__ == "__main__":
    sys.exit(main())
