"""How fast the reference interpreter explores: states per second on the first states of every benchmark model.

python benchmarks/interpreter.py            a table and the median
python benchmarks/interpreter.py --require  fails where the median is below 20,000 states per second
"""

import argparse
import json
import os
import sys
from pathlib import Path
from statistics import median

from child import BenchmarkError, run_child
from kripke_command import find_kripke
from manifest import BenchmarkModel, load_models

BAR = 20_000
STATES = 30_000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--require", action="store_true", help="fail when the bar is missed")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="the best of N runs of each (default 1)")
    options = parser.parse_args()
    executable = find_kripke()
    if executable is None:
        print("the kripke command was not found beside this Python nor on PATH", file=sys.stderr)
        return 2
    rates = []
    for model in load_models():
        rate = max(measure(executable, model) for _ in range(max(1, options.repeat)))
        print(f"{model.name:<18} {rate:>9,.0f} states/s", flush=True)
        rates.append(rate)
    print(f"median             {median(rates):>9,.0f} states/s   at least {BAR:,}")
    return 1 if options.require and median(rates) < BAR else 0


def measure(executable: Path, model: BenchmarkModel) -> float:
    command = [str(executable), "check", str(model.path), *model.define_options, "--json", "--no-por"]
    command += ["--engine", "interpreter", "--max-states", str(STATES)]
    finished = run_child(command, environment=dict(os.environ))
    if finished.code not in (0, 3):  # holds, or stopped at the limit
        raise BenchmarkError(f"{model.name}: kripke ended with code {finished.code}\n{finished.stderr}")
    result = json.loads(finished.stdout)
    return int(result["states"]) / float(result["seconds"])


if __name__ == "__main__":
    sys.exit(main())
