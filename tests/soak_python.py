"""Random Python programs: what they print against CPython, the compiled machine against the interpreter, and the
answers with partial-order reduction against those without.

./dev python -m tests.soak_python --programs 200 --seed 1000 [--sanitize]
"""

from __future__ import annotations

import argparse
import sys

from kripke.heap.program import Options
from kripke.languages.python.loading import read
from tests.heap.test_compiled import CONDITIONS, compare, compare_sanitized
from tests.heap.test_reduction import reduced, same_answers, same_verdict
from tests.languages.python.test_outputs import printed_by_python, printed_here
from tests.support.random_python import random_python, random_sequential


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sanitize", action="store_true", help="the C with address and undefined-behaviour sanitizers")
    parser.add_argument("--states", type=int, default=150)
    given = parser.parse_args()
    different = states = whole = left = formulas = 0
    for seed in range(given.seed, given.seed + given.programs):
        options = Options(
            ("access", "access", "line", "instruction")[seed % 4],
            ("heap", "heap", "order", "site", "thread")[seed % 5],
            "sweep" if seed % 5 < 2 else ("sweep", "count", "none")[seed % 3],
        )
        try:
            text = random_sequential(seed)
            assert printed_here(text) == printed_by_python(text), "prints"
            model = read(random_python(seed), options=options, conditions=CONDITIONS[: seed % 7])
            agreement = compare_sanitized if given.sanitize else compare
            states += agreement(model, given.states)
            states += agreement(reduced(model), given.states)
            plain, fewer = same_answers(model, 10 * given.states)
            whole, left = whole + plain, left + fewer
            formulas += same_verdict(seed, 10 * given.states)
        except AssertionError as error:
            different += 1
            print(f"seed {seed}: {str(error)[:2000]}")
    print(f"{given.programs} programs twice, {states} states compared, {different} different")
    print(f"with reduction {left} of {whole} states, the same answers; {formulas} formulas, the same verdicts")
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main())
