"""The queens in one transition of a high-level net, beside a plain backtracking solver in C, in the same run.

Usage: python benchmarks/queens.py [--require] [--sizes 4 13]

Every solution is an instance of the one transition of examples/maria/queens.pn; events must be as many as solutions.
Time is the processor time of the whole command, Python included, with the compiled net in the cache; that of the solver
is its own, compiled with -O2. The best of three runs of each.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from child import run_child
from kripke_command import find_kripke

MOST_TIMES = 20.0  # the solver's time, at the greatest size
NET = Path(__file__).parents[1] / "examples" / "maria" / "queens.pn"
SOLVER = r"""
#include <stdio.h>
#include <stdlib.h>
static int size, column[32], falling[64], rising[64];
static long place(int row) {
    long found = 0;
    if (row == size)
        return 1;
    for (int c = 0; c < size; c++)
        if (!column[c] && !falling[row + c] && !rising[row - c + size]) {
            column[c] = falling[row + c] = rising[row - c + size] = 1;
            found += place(row + 1);
            column[c] = falling[row + c] = rising[row - c + size] = 0;
        }
    return found;
}
int main(int count, char **words) {
    size = count > 1 ? atoi(words[1]) : 8;
    printf("%ld\n", place(0));
    return 0;
}
"""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="The queens in one transition, beside a solver in C.")
    parser.add_argument("--require", action="store_true", help="fail when the bar is missed")
    parser.add_argument("--sizes", type=int, nargs=2, default=(4, 13), metavar=("FROM", "TO"))
    options = parser.parse_args(arguments)
    kripke = find_kripke()
    if kripke is None:
        print("benchmarks: the kripke command was not found beside this Python nor on PATH", file=sys.stderr)
        return 2
    times = 0.0
    print(f"{'queens':>6}{'states':>8}{'events':>10}{'solver':>10}{'kripke':>10}{'times':>8}")
    with tempfile.TemporaryDirectory(prefix="kripke-queens-") as folder:
        solver, source = Path(folder) / "solver", Path(folder) / "solver.c"
        source.write_text(SOLVER)
        subprocess.run(["cc", "-O2", "-o", str(solver), str(source)], check=True)
        for size in range(options.sizes[0], options.sizes[1] + 1):
            net = Path(folder) / "queens.pn"
            net.write_text(NET.read_text().replace("1..6", f"1..{size}"))
            command = [str(kripke), "check", str(net), "--all-errors", "--json"]
            runs = [(run_child([str(solver), str(size)]), run_child(command)) for _ in range(4)]
            answer, found = json.loads(runs[0][1].stdout), int(runs[0][0].stdout)
            if (answer["states"], answer["transitions"] - 1) != (2, found):
                print(f"{size} queens: {answer['transitions'] - 1} events, but {found} solutions")
                return 1
            plain, own = (min(one.processor for one in side) for side in zip(*runs[1:], strict=True))
            times = own / max(plain, 0.001)
            print(
                f"{size:6}{answer['states']:8}{answer['transitions'] - 1:10,}{plain:8.2f} s{own:8.2f} s{times:8.1f}",
                flush=True,
            )
    print(f"{'times the solver, at the greatest size':40}{times:8.1f}   at most {MOST_TIMES:g}")
    return 1 if options.require and times > MOST_TIMES else 0


if __name__ == "__main__":
    raise SystemExit(main())
