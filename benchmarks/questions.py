"""The SAT solver of `--engine pdr` beside those of python-sat, on the same clauses and questions.

Usage: python benchmarks/questions.py [--require] [--solvers NAME ...]

The search of each model is written down: every clause and every question. Then solvers of python-sat are given the
same, in the same order. A question's own clause gets a literal that is assumed with it, and false for good
afterwards; that is what one does over a solver that has no such clauses. Compared are the processor time of our whole
search and that of the other solver's questions alone; answers must be equal.
"""

import argparse
import sys
import tempfile
import time
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path

MODELS = Path(__file__).parent / "models"
CASES = (
    ("filter_lock.pml", {"N": 2}),
    ("szymanski.pml", {"N": 2}),
    ("bakery.pml", {"N": 2, "LIMIT": 2}),
)
SOLVERS = ("cadical153", "glucose4", "minisat22")

Entry = tuple[list[int], list[int], bool] | list[int]


def entries(transcript: bytes) -> Iterator[Entry]:
    """A clause; or what is assumed, a clause of the question's own, and the answer."""
    numbers = iter(array("i", transcript))
    for mark in numbers:
        first = list(iter(numbers.__next__, 0))
        if mark == 1:
            yield first
        else:
            own = list(iter(numbers.__next__, 0))
            yield first, own, bool(next(numbers))


def asked(name: str, log: Sequence[Entry]) -> float:
    """Processor seconds of another solver."""
    from pysat.solvers import Solver

    fresh = 1 + max(abs(one) for entry in log for part in _lists(entry) for one in part)
    start = time.process_time()
    with Solver(name=name) as solver:
        for entry in log:
            if isinstance(entry, list):
                solver.add_clause(entry)
                continue
            assumed, own, answer = entry
            if own:
                fresh += 1
                solver.add_clause([-fresh, *own])
                found = solver.solve(assumptions=[*assumed, fresh])
                solver.add_clause([-fresh])
            else:
                found = solver.solve(assumptions=assumed)
            assert found == answer, name
    return time.process_time() - start


def _lists(entry: Entry) -> Sequence[list[int]]:
    return [entry] if isinstance(entry, list) else entry[:2]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="The SAT solver of pdr beside others.")
    parser.add_argument("--require", action="store_true", help="fail where another one is faster")
    parser.add_argument("--solvers", nargs="*", default=list(SOLVERS), metavar="NAME")
    options = parser.parse_args(arguments)
    import kripke
    from kripke.engines.encoded import Encodings
    from kripke.engines.satisfiability.pdr import _Relation
    from kripke.engines.satisfiability.wrong import Wrong
    from kripke.model.property import Safety

    print(f"{'model':34}{'questions':>10}{'kripke':>10}" + "".join(f"{name:>12}" for name in options.solvers))
    missed = False
    for file, defines in CASES:
        with tempfile.TemporaryDirectory(prefix="kripke-questions-") as folder:
            copy = Path(folder) / file
            text = "".join(f"#define {name} {value}\n" for name, value in defines.items())
            copy.write_text(text + (MODELS / file).read_text())
            model = kripke.load(copy).model
        encoding = next(one for one in Encodings(model, "pdr") if not one.system.limits)
        relation = _Relation(Wrong(encoding, Safety(False, (), True), []))
        search = relation.search()
        start = time.process_time()
        search.holds(lambda levels, clauses: None)
        own = time.process_time() - start
        again = relation.search(written_down=True)
        again.holds(lambda levels, clauses: None)
        log = list(entries(again.transcript))
        others = [asked(name, log) for name in options.solvers]
        missed |= bool(others) and min(others) < own
        title = file.removesuffix(".pml") + "".join(f" {name}={value}" for name, value in defines.items())
        print(
            f"{title:34}{search.progress[2]:10,}{own:8.2f} s" + "".join(f"{one / own:10.1f} x" for one in others),
            flush=True,
        )
    return int(options.require and missed)


if __name__ == "__main__":
    sys.exit(main())
