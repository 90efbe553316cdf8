"""Bounded model checking beside the solver alone: what `--engine bmc` costs over the same clauses and questions.

Usage: python benchmarks/bounded.py [--require] [--size N] [--one-by-one]

The model is the filter lock with `<=` for `<`, so that a process goes on beside one on its own level. A process looks
at all others in one step; with --one-by-one it looks at them in turn, as the lock of `models/` does, and runs are
longer. The run of the engine is recorded: every clause and every question to the solver. Then python-sat is given the
same, in the same order, by nobody else. The ratio is of processor times; the bar is 1.5.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from diagrams import whole_guards

BAR = 1.5
LOCK = Path(__file__).parent / "models" / "filter_lock.pml"


def broken_lock(size: int, *, one_by_one: bool = False) -> str:
    if not one_by_one:
        return whole_guards(size).replace("] < rung", "] <= rung")
    text = LOCK.read_text()
    assert "level[other] < rung" in text
    return f"#define N {size}\n" + text.replace("level[other] < rung", "level[other] <= rung")


class Recorder:
    """A solver that writes down what it is given and asked."""

    def __init__(self, name: str) -> None:
        from pysat.solvers import Solver

        self.solver = Solver(name=name)
        self.log: list[tuple[bool, list[int]]] = []

    def add_clause(self, clause: list[int]) -> None:
        self.log.append((True, list(clause)))
        self.solver.add_clause(clause)

    def solve(self, assumptions: Sequence[int] = ()) -> Any:
        self.log.append((False, list(assumptions)))
        return self.solver.solve(assumptions=assumptions)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.solver, name)

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(self, *_: object) -> None:
        self.solver.delete()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Bounded model checking beside the solver alone.")
    parser.add_argument("--require", action="store_true", help="fail where the ratio is above the bar")
    parser.add_argument("--size", type=int, default=3)
    parser.add_argument("--one-by-one", action="store_true", help="guards that look at one process")
    options = parser.parse_args(arguments)
    from pysat.solvers import Solver

    import kripke
    from kripke.engines.encoded import Encodings
    from kripke.engines.satisfiability import bounded
    from kripke.engines.satisfiability.circuit import SOLVER
    from kripke.engines.satisfiability.wrong import Wrong
    from kripke.model.property import Safety

    with tempfile.TemporaryDirectory(prefix="kripke-bounded-") as folder:
        file = Path(folder) / "lock.pml"
        file.write_text(broken_lock(options.size, one_by_one=options.one_by_one))
        model = kripke.load(file).model
        encoding = next(one for one in Encodings(model, "bmc") if not one.system.limits)
        wrong = Wrong(encoding, Safety(True, (), True), [])
        start = time.process_time()
        answer = bounded.bounded(wrong, 100, None, lambda _: None)
        own = time.process_time() - start
        recorders: list[Recorder] = []
        plain = bounded.load_solver

        def recording(name: str) -> Recorder:
            recorders.append(Recorder(name))
            return recorders[-1]

        bounded.load_solver = lambda _: recording  # type: ignore[assignment,return-value]
        bounded.bounded(wrong, 100, None, lambda _: None)
        bounded.load_solver = plain
    start = time.process_time()
    with Solver(name=SOLVER) as solver:
        for is_clause, literals in recorders[0].log:
            if is_clause:
                solver.add_clause(literals)
            else:
                found = solver.solve(assumptions=literals)
    alone = time.process_time() - start
    assert found and answer.error is not None
    questions = sum(not is_clause for is_clause, _ in recorders[0].log)
    ratio = own / alone
    print(f"shortest counterexample: {answer.facts['bound']} commands, {answer.depth} steps")
    print(f"{len(recorders[0].log) - questions:,} clauses, {questions} questions")
    print(f"kripke {own:.2f} s, python-sat alone {alone:.2f} s, ratio {ratio:.2f} (bar {BAR})")
    return int(options.require and ratio > BAR)


if __name__ == "__main__":
    sys.exit(main())
