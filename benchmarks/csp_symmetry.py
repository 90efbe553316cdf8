"""Symmetry of CSP-M networks: what a representative costs for each state, against the same search without symmetry.

Usage: python benchmarks/csp_symmetry.py [--require] [MODEL ...]

Times are those of the search alone: finding out which permutations are symmetries is done once. Overhead is the time
per state with symmetry against that without, as in N. Moffat, M. Goldsmith, B. Roscoe, *A representative function
approach to symmetry exploitation for CSP refinement checking* (ICFEM 2008), table 2. With --require the exit code says
whether it is below one half for groups of at most 120.
"""

import argparse
import re
import sys
from pathlib import Path

from kripke.algebra.model import TermProcess
from kripke.engines.explicit.safety import check
from kripke.engines.plan import SearchPlan
from kripke.languages.cspm.loading import load

EXAMPLES = Path(__file__).parents[1] / "examples" / "cspm"
LARGEST_GROUP = 120
MOST_OVERHEAD = 0.5
ROUNDS = 5
#: searches with symmetry are short: so many of them for one without
SMALL = 4


def hanoi(poles: int, discs: int) -> tuple[str, str]:
    text = (EXAMPLES / "hanoi.csp").read_text().partition("assert")[0]
    names = "ABCDEFGH"[:poles]
    text = text.replace("A | B | C | D", " | ".join(names)).replace("{1..4}", f"{{1..{discs}}}")
    return text + "MAIN = HANOI\n", "diff(POLES, {A})"


def dijkstra(participants: int) -> tuple[str, str]:
    text = (EXAMPLES / "dijkstra.csp").read_text().partition("assert")[0]
    names = " | ".join(f"P{number + 1}" for number in range(participants))
    return re.sub(r"datatype ID = .*", f"datatype ID = {names}", text) + "MAIN = DIJKSTRA\n", "ID"


#: the text, what may change places, how many permutations there are
MODELS = {
    "hanoi4p9d": (*hanoi(4, 9), 6),
    "hanoi5p8d": (*hanoi(5, 8), 24),
    "hanoi6p8d": (*hanoi(6, 8), 120),
    "dijkstra3": (*dijkstra(3), 6),
    "dijkstra4": (*dijkstra(4), 24),
}


def searched(model, methods: tuple[str, ...]):
    """For each method the result of a search, and its least time. They take turns, so that other work on the machine
    meets all of them."""
    plans = {method: SearchPlan(engine="native", deadlock=False, symmetry=method) for method in methods}
    found = {}
    for plan in plans.values():
        check(model, SearchPlan(**{**plan.to_json(), "max_states": 10}))  # compiled, and in the cache
    for _ in range(ROUNDS):
        for method, plan in plans.items():
            for _ in range(1 if method == "off" else SMALL):
                result = check(model, plan)
                best = min(result.seconds, found[method][1]) if method in found else result.seconds
                found[method] = result, best
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("models", nargs="*", metavar="MODEL")
    parser.add_argument("--require", action="store_true")
    options = parser.parse_args()
    heads = ("", "group", "method", "states", "of", "ns/state", "without", "overhead", "speed-up")
    print("".join(f"{head:>{12 if head == '' else 11}}" for head in heads))
    good = True
    for name, (text, claim, group) in MODELS.items():
        if options.models and name not in options.models:
            continue
        base = load(f"{name}.csp", text=text, process="MAIN", symmetric=(claim,))
        network = TermProcess(base).as_network(None)
        assert not isinstance(network, str), network
        symmetry = network.symmetry()
        assert not isinstance(symmetry, str), symmetry
        assert len(symmetry.permutations) + 1 == group
        found = searched(network, ("off", *symmetry.methods))
        plain, without = found["off"]
        for method in symmetry.methods:
            result, seconds = found[method]
            each, before = seconds / result.states, without / plain.states
            overhead = each / before - 1
            good = good and (group > LARGEST_GROUP or overhead < MOST_OVERHEAD)
            print(
                f"{name:<12}{group:>11}{method:>11}{result.states:>11,}{plain.states:>11,}{each * 1e9:>11,.0f}"
                f"{before * 1e9:>11,.0f}{overhead:>11.0%}{without / seconds:>11.1f}",
                flush=True,
            )
    return 0 if good or not options.require else 1


if __name__ == "__main__":
    sys.exit(main())
