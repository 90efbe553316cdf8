"""Random modes and charts through interpreter and compiled form: the same states, steps, violations, atoms.

./dev python -m tests.soak_machines --cases 1000 --seed 1
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from kripke.languages.modes import read
from kripke.languages.scxml import load
from tests.hierarchy.test_chart_emit import ATOMS
from tests.hierarchy.test_chart_emit import compare as compare_charts
from tests.hierarchy.test_mode_emit import compare as compare_modes
from tests.support.random_charts import random_chart
from tests.support.random_modes import random_modes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    modes = charts = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.scxml"
        for seed in range(options.seed, options.seed + options.cases):
            modes += compare_modes(read(random_modes(seed), conditions=["x = 2 & b", "in(t0)"]), 100)
            path.write_text(random_chart(seed))
            environment = ("a", "b", "c")
            charts += compare_charts(load(str(path), environment=environment, queue=1 + seed % 2, conditions=ATOMS), 60)
            print(f"seed {seed}: {modes:,} states of modes, {charts:,} of charts", flush=True)


if __name__ == "__main__":
    main()
