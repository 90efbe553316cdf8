"""SMV files through NuSMV and through Kripke: as many reachable states, the same answer to every specification.

    ./dev python -m tests.soak_nusmv --nusmv PATH examples/smv/*.smv
    ./dev python -m tests.soak_nusmv --nusmv PATH --cases 200 --seed 1
    ./dev python -m tests.soak_nusmv --nusmv PATH --written examples/promela/*.pml

PATH is the program NuSMV, or the library ``libdependencies.so`` of the Python package pynusmv, which has all of it
inside. ``--written`` takes models of other languages and lets NuSMV read what ``kripke emit --smv`` makes of them.
Every difference is printed; the exit code is 1 where there is one. What is refused, or takes too long, is counted.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import kripke
from kripke.checker.check import check_properties
from kripke.engines.plan import SearchPlan, Unsupported
from kripke.languages.registry import LANGUAGES
from kripke.languages.smv import read
from kripke.model.result import Result
from kripke.model.source import ModelError
from tests.support.smv_agreement import random_text

FORM = LANGUAGES["smv"].forms[0]
COMMANDS = ("go", "check_fsm", "print_reachable_states", "check_ctlspec", "check_ltlspec", "check_invar")
_DRIVER = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
library.NuSMVCore_init_data()
library.NuSMVCore_init(None, 0)
library.NuSMVCore_init_cmd_options()
for command in sys.argv[2:]:
    library.Cmd_CommandExecute(ctypes.create_string_buffer(command.encode()))
"""


def asked_of_nusmv(path: str, file: Path, seconds: float) -> str:
    """What it prints; empty where it takes too long."""
    commands = [f"read_model -i {file}", *COMMANDS]
    if ".so" in Path(path).name:
        program = [sys.executable, "-c", _DRIVER, path, *commands]
    else:
        script = file.with_suffix(".script")
        script.write_text("\n".join([*commands, "quit", ""]))
        program = [path, "-source", str(script)]
    try:
        done = subprocess.run(program, capture_output=True, text=True, timeout=seconds, check=False)
        return done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        return ""


def answers(result: Result) -> dict[str, list[str]]:
    """Verdicts by kind, in the order of the file."""
    found: dict[str, list[str]] = {"ctl": [], "ltl": [], "invariant": []}
    for part in result.parts:
        kind = "invariant" if part.kind in ("safety", "invariant") and part.name != "safety" else part.kind
        if kind in found:
            found[kind].append(part.verdict)
    return found


def compared(nusmv: str, text: str, name: str, seconds: float) -> str:
    try:
        ours = check_properties(read(text, name), SearchPlan(engine="bdd", time_limit=seconds))
    except (ModelError, Unsupported) as error:
        print(f"{name}: {str(error).splitlines()[0]}")
        return "refused by kripke"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.smv"
        file.write_text(text)
        said = asked_of_nusmv(nusmv, file, seconds)
    reachable = re.search(r"reachable states: ([\d.e+]+)", said)
    if reachable is None:
        if "A model must be" not in said:
            return "not decided by NuSMV"
        print(f"{name}: NuSMV: {next((line.strip() for line in said.splitlines() if line.strip()), '')}")
        return "refused by NuSMV"
    if "total: No deadlock" not in said:
        return "has states without a step"  # there NuSMV's answers mean nothing
    safety = next((part for part in ours.parts if part.name == "safety"), None)
    if safety is not None and safety.verdict == "violated":
        return "breaks a range"
    theirs = {
        "ctl": r"^-- specification (?!.*\b(?:LTL)\b).*is (true|false)",
        "invariant": r"^-- invariant .*is (true|false)",
    }
    verdicts = {"true": "holds", "false": "violated"}
    wanted = answers(ours)
    if any("unknown" in kind for kind in wanted.values()):
        return "not decided by kripke"
    specifications = [verdicts[one] for one in re.findall(theirs["ctl"], said, re.MULTILINE)]
    invariants = [verdicts[one] for one in re.findall(theirs["invariant"], said, re.MULTILINE)]
    count = float(reachable[1])
    states = max(part.states for part in ours.parts)
    same = abs(states - count) <= 1e-5 * count
    # Formulas of branching time come first, then those of linear time.
    same = same and specifications == [*wanted["ctl"], *wanted["ltl"]] and invariants == wanted["invariant"]
    if not same:
        print(f"DIFFERENT {name}: {states} states, {wanted}; NuSMV {count:g}, {specifications}, {invariants}")
    return "equal" if same else "DIFFERENT"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument("--nusmv", required=True, metavar="PATH")
    parser.add_argument("--cases", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--written", nargs="*", default=[], metavar="FILE")
    parser.add_argument("--seconds", type=float, default=20.0, help="for each model and program")
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    for file in given.files:
        counts[compared(given.nusmv, Path(file).read_text(), file, given.seconds)] += 1
    for file in given.written:
        try:
            text = FORM.write(kripke.load(file).model, FORM).text
        except (ModelError, Unsupported, OSError) as error:
            print(f"{file}: {str(error).splitlines()[0]}")
            counts["refused by kripke"] += 1
            continue
        counts[compared(given.nusmv, text, file, given.seconds)] += 1
    for number in range(given.cases):
        seed = given.seed * 100_000 + number
        # NuSMV 2.5, which pynusmv has, does not know abs yet, and leaves COMPASSION out of branching time.
        text = re.sub(r"^COMPASSION.*\n", "", random_text(seed).replace("abs(", "("), flags=re.MULTILINE)
        counts[compared(given.nusmv, text, f"{seed}.smv", given.seconds)] += 1
    for what, count in sorted(counts.items()):
        print(f"{count:6}  {what}")
    return int(counts["DIFFERENT"] > 0)


if __name__ == "__main__":
    sys.exit(main())
