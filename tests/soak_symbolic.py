"""Agreement of the symbolic engines with the explicit one, for longer than the tests: random programs, files of models.

    ./dev python -m tests.soak_symbolic --cases 1000 --seed 1
    ./dev python -m tests.soak_symbolic --files examples/promela/*.pml

Every difference is printed; the exit code is 1 where there is one. What an engine refuses, or does not decide in time,
is counted. Of files there is a row each: the states and the verdict of the explicit engine, then what the others say.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random

import kripke
from kripke.engines.plan import Unsupported
from kripke.model.source import ModelError
from tests.support.creation_programs import creation_program
from tests.support.shared_programs import meeting_program, shared_program

ENGINES = {"bdd": {}, "bmc": {"depth": 12}, "induction": {"depth": 8}, "pdr": {}}
LTL = ["[] <> (x == 0)", "<> [] (y == 1)", "[] (x == 1 -> <> (y == 0))", "[] (x < 2)", "(x == 0) U (y == 2)"]
CTL = ["AG EF x == 0", "EF (x == 1 && y == 1)", "AF y == 1", "EG x == 0", "E (x == 0 U y == 1)", "AX x == 0"]


class Comparison:
    def __init__(self, seconds: float, most_states: int) -> None:
        self.seconds, self.most_states = seconds, most_states
        self.counts: Counter[str] = Counter()

    def model(self, name: str, model: kripke.Model, options: dict[str, str], engines: list[str]) -> str:
        """What was found, in one line."""
        try:
            explicit = model.check(max_states=self.most_states, clarify=False, **options)
        except (Unsupported, ModelError) as refusal:
            self.counts["refused by all"] += 1
            return f"refused: {str(refusal).splitlines()[0]}"
        if explicit.verdict == "unknown":
            self.counts["too large, or not decided"] += 1
            return f"{explicit.states:,} states: {explicit.reason}"
        said = [f"{explicit.states:,} {explicit.verdict}"]
        for engine in engines:
            try:
                answer = model.check(
                    engine=engine, clarify=False, time_limit=self.seconds, **ENGINES[engine], **options
                )
            except Unsupported as refusal:
                self.counts[f"{engine}: refused"] += 1
                said.append(f"{engine} refused")
                print(f"{name} {options}: {str(refusal).splitlines()[0]}")
                continue
            judged = self.judged(name, engine, options, explicit, answer)
            self.counts[f"{engine}: {judged}"] += 1
            said.append(f"{engine} {judged} {answer.seconds:.1f} s")
        return ", ".join(said)

    def judged(self, name: str, engine: str, options: object, explicit: kripke.Result, answer: kripke.Result) -> str:
        if answer.verdict == "unknown":
            return "unknown"
        same = answer.verdict == explicit.verdict
        if engine == "bdd" and answer.verdict == "holds" and explicit.kind == "safety":
            same = same and answer.states == explicit.states
        if same:
            return "equal"
        self.counts["DIFFERENT"] += 1
        print(
            f"DIFFERENT {name} {options} {engine}: {explicit.verdict}, {explicit.states} states; "
            f"{answer.verdict}, {answer.states} states; {answer.reason}"
        )
        return "different"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=20.0, help="for each check")
    parser.add_argument("--most-states", type=int, default=1_000_000)
    parser.add_argument("--engines", nargs="*", default=list(ENGINES), choices=list(ENGINES))
    parser.add_argument("--files", nargs="*", default=[])
    given = parser.parse_args()
    comparison = Comparison(given.seconds, given.most_states)
    for file in given.files:
        try:
            model = kripke.load(file)
        except (ModelError, OSError) as error:
            print(f"{file}: {error}".splitlines()[0])
            continue
        row = comparison.model(file, model, {"properties": "safety"}, given.engines)
        print(f"{file}: {row}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(0 if given.files else given.cases):
            seed = given.seed * 100_000 + number
            choose = Random(seed)
            written = choose.choice([shared_program, meeting_program, shared_program, creation_program])
            path = Path(folder) / "m.pml"
            path.write_text(written(seed))
            model = kripke.load(path)
            name = f"{written.__name__}({seed})"
            comparison.model(name, model, {}, given.engines)
            if written is not creation_program and "bdd" in given.engines:
                comparison.model(name, model, {"ltl": choose.choice(LTL)}, ["bdd"])
                comparison.model(name, model, {"ctl": choose.choice(CTL)}, ["bdd"])
    for what, count in sorted(comparison.counts.items()):
        print(f"{count:6}  {what}")
    return int(comparison.counts["DIFFERENT"] > 0)


if __name__ == "__main__":
    sys.exit(main())
