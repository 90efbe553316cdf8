"""Random programs in LF through everything that must agree; to be started by a person.

    ./dev python -m tests.soak_lf --cases 1000 --seed 1

Compiled against interpreter, state by state; runs against the state space; sorted queues against those in order of
arrival; reduced searches against whole ones.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

from kripke.engines.explicit.safety import check
from kripke.engines.plan import SearchPlan
from kripke.languages.lf import load
from tests.support.action_agreement import assert_agreement
from tests.support.lf_runs import assert_run_is_a_path
from tests.support.random_lf import random_program

MOST_STATES = 20_000


def outcomes(file: str, *, por: bool = False, **options: object) -> set[tuple[str, str]] | None:
    """The sorts of errors, each with its place; None where the space is too large."""
    result = check(load(file, **options), SearchPlan(all_errors=True, max_states=MOST_STATES, por=por))  # type: ignore[arg-type]
    return {(one.kind, str(one.span)) for one in result.findings} if result.complete else None


def differences(seed: int, folder: Path) -> Iterator[str]:
    file = folder / "random.lf"
    file.write_text(random_program(seed, plain=seed % 2 == 0))
    path = str(file)
    queues = ("sorted", "arrival", "kernel")[seed % 3]
    model = load(path, queues=queues, fine=seed % 5 == 0)
    assert_agreement(model.program, folder, most_states=200, sanitize=seed % 10 == 0)
    assert_run_is_a_path(load(path).program, folder, "--actions", "300", "--seed", str(seed))
    whole = outcomes(path)
    if whole is None:
        return
    arrival = outcomes(path, queues="arrival")
    if arrival is not None and arrival != whole:
        yield f"arrival: {sorted(arrival ^ whole)}"
    reduced = outcomes(path, por=True)
    if reduced != whole:
        yield f"reduced: {sorted((reduced or set()) ^ whole)}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    wrong = 0
    for seed in range(options.seed, options.seed + options.cases):
        if seed % 10 == 0:
            print(f"at seed {seed}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            for difference in differences(seed, Path(folder)):
                wrong += 1
                print(f"seed {seed}: {difference}", flush=True)
    print(f"{options.cases} programs, {wrong} differences")


if __name__ == "__main__":
    main()
