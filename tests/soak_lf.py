"""Random programs in LF through everything that must agree; to be started by a person.

    ./dev python -m tests.soak_lf --cases 1000 --seed 1

Compiled against interpreter, state by state; runs against the state space; sorted queues against those in order of
arrival; actions against single statements; reduced, sliced and symmetric searches against whole ones; the encoding in
terms against the interpreter. Random Promela models against what ``emit --lf`` makes of them.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from kripke.engines.explicit.safety import check
from kripke.engines.plan import SearchPlan
from kripke.languages.lf import load
from kripke.model.symmetry import Symmetry
from tests.support.action_agreement import assert_agreement
from tests.support.encoded_steps import assert_encoded
from tests.support.lf_runs import assert_run_is_a_path
from tests.support.promela_as_lf import compare, random_model
from tests.support.random_lf import random_program

MOST_STATES = 20_000


def outcomes(file: str, *, por: bool = False, symmetry: str = "off", **options: object) -> set[tuple[str, str]] | None:
    """The sorts of errors, each with its place; None where the space is too large."""
    plan = SearchPlan(all_errors=True, max_states=MOST_STATES, por=por, symmetry=symmetry)  # type: ignore[arg-type]
    result = check(load(file, **options), plan)  # type: ignore[arg-type]
    return {(one.kind, str(one.span)) for one in result.findings} if result.complete else None


def differences(seed: int, folder: Path, done: Counter[str]) -> Iterator[str]:
    file = folder / "random.lf"
    file.write_text(random_program(seed, plain=seed % 2 == 0))
    path = str(file)
    queues = ("sorted", "arrival", "kernel")[seed % 3]
    model = load(path, queues=queues, fine=seed % 5 == 0)
    assert_agreement(model.program, folder, most_states=200, sanitize=seed % 10 == 0)
    assert_run_is_a_path(load(path).program, folder, "--actions", "300", "--seed", str(seed))
    done["compiled and run"] += 1
    done["in terms"] += assert_encoded(model, most_states=30)[0] > 0
    try:
        done[f"Promela: {compare(random_model(seed), folder, 5_000)}"] += 1
    except AssertionError as difference:
        yield f"Promela: {difference}"
    whole = outcomes(path)
    if whole is None:
        return
    for name, options in (("arrival", {"queues": "arrival"}), ("reduced", {"por": True})):
        found = outcomes(path, **options)  # type: ignore[arg-type]
        done[name] += found is not None
        if found is not None and found != whole:
            yield f"{name}: {sorted(found ^ whole)}"
    fine = outcomes(path, fine=True)
    if fine is not None:  # smaller steps have every run of larger ones
        done["fine"] += 1
        if not {one for one in whole if one[0] != "endless"} <= fine:
            yield f"fine: {sorted(whole - fine)}"
    sliced = outcomes(path, slice=True)
    if sliced is not None:
        done["sliced"] += 1
        ranges = any(kind == "range" for kind, _ in whole)
        if not {one for one in whole if one[0] != "range"} <= sliced or (not ranges and sliced != whole):
            yield f"sliced: {sorted(sliced ^ whole)}"
    if isinstance(load(path).symmetry(), Symmetry):
        alike = outcomes(path, symmetry="canonical")
        done["symmetric"] += 1
        if alike != whole:
            yield f"symmetric: {sorted((alike or set()) ^ whole)}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    wrong = 0
    done: Counter[str] = Counter()
    for seed in range(options.seed, options.seed + options.cases):
        if seed % 10 == 0:
            print(f"at seed {seed}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            try:
                for difference in differences(seed, Path(folder), done):
                    wrong += 1
                    print(f"seed {seed}: {difference}", flush=True)
            except AssertionError as difference:
                wrong += 1
                print(f"seed {seed}: {difference}", flush=True)
    print(f"{options.cases} programs, {wrong} differences; compared: {dict(done)}")


if __name__ == "__main__":
    main()
