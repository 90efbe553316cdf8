"""Random SMV files through every engine, and models written as SMV and read again, for longer than the tests.

    ./dev python -m tests.soak_smv --cases 500 --seed 1
    ./dev python -m tests.soak_smv --round-trips examples/*/*.*

Every difference is printed; the exit code is 1 where there is one. What nobody knows in time is counted.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

import kripke
from kripke.checker.check import check_properties
from kripke.engines.plan import SearchPlan, Unsupported
from kripke.languages.registry import LANGUAGES
from kripke.languages.smv import read
from kripke.model.result import Result
from kripke.model.source import ModelError
from tests.support.smv_agreement import compared, random_model

FORM = LANGUAGES["smv"].forms[0]
MOST_TO_WALK = 20_000  # states, by the interpreter


def round_trip(file: str, seconds: float, most_states: int) -> str:
    """What comes of a model that is written as SMV: the number of states and what is wrong must be the same."""
    try:
        model = kripke.load(file)
        explicit = model.check(properties="safety", max_states=most_states, clarify=False)
        if explicit.verdict == "unknown":
            return "too large"
        text = FORM.write(model.model, FORM).text
    except (ModelError, Unsupported, OSError) as error:
        print(f"{file}: {str(error).splitlines()[0]}")
        return "refused"
    try:
        written = read(text)
    except ModelError as error:
        print(f"DIFFERENT {file}: what was written is not read: {str(error).splitlines()[0]}")
        return "DIFFERENT"
    plan = SearchPlan(engine="bdd", time_limit=seconds)
    again = check_properties(written, plan)
    errors = errors_of(again)
    if any(part.verdict == "unknown" for part in errors) or not errors:
        return "unknown"
    broken = any(part.verdict == "violated" for part in errors)
    if file.endswith(".smv"):  # its own invariants are among them
        stated = [part.verdict for part in errors_of(check_properties(model.model, plan))]
        explicit = replace(explicit, verdict="violated" if "violated" in stated else explicit.verdict)
    states = again.states
    if "  stable :=" in text and not broken:
        if states > MOST_TO_WALK:
            return "unknown"
        states = stable_states(text)
    same = broken == (explicit.verdict == "violated") and (broken or states == explicit.states)
    if not same:
        print(f"DIFFERENT {file}: {explicit.verdict}, {explicit.states} states; {again.verdict}, {states} states")
    return "equal" if same else "DIFFERENT"


def errors_of(result: Result) -> list[Result]:
    """What was said about deadlocks, errors and invariants."""
    asked = [part for part in result.parts or (result,) if part.kind in ("safety", "invariant")]
    return [part for part in asked if not part.name.startswith("range_of_")]


def stable_states(text: str) -> int:
    """Inside an atomic sequence the text has states that the model does not count."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "written.smv"
        file.write_text(text)
        asked = {"invariants": ("!stable",), "all_errors": True, "clarify": False}
        return kripke.load(str(file)).check(search="bfs", properties="safety", **asked).errors


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=10.0, help="for each check")
    parser.add_argument("--most-states", type=int, default=200_000)
    parser.add_argument("--round-trips", nargs="*", default=[], metavar="FILE")
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    for file in given.round_trips:
        counts[f"round trip: {round_trip(file, given.seconds, given.most_states)}"] += 1
    if given.round_trips:
        given.cases = 0
    for seed in range(given.seed * 100_000, given.seed * 100_000 + given.cases):
        model = random_model(seed)
        if model is None:
            counts["refused"] += 1
            continue
        for name, engine, same in compared(model, given.seconds):
            word = "unknown" if same is None else "equal" if same else "DIFFERENT"
            counts[f"{engine} {name}: {word}"] += 1
            if same is False:
                print(f"DIFFERENT smv_program({seed}) {name} {engine}")
    for what, count in sorted(counts.items()):
        print(f"{count:6}  {what}")
    return int(any("DIFFERENT" in what for what in counts))


if __name__ == "__main__":
    sys.exit(main())
