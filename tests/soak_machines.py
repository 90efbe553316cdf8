"""Random machines through two implementations each: no difference is allowed.

    ./dev python -m tests.soak_machines --cases 1000 --seed 1 [--parts compiled sismic ...]

compiled: modes, charts and UML machines, interpreter against compiled form: the same states, steps, violations, atoms.
sismic: SCXML and UML machines against the interpreter of sismic, where all three mean the same.
promela: modes against a flat Promela twin: the same states at rest.
symbolic: modes, single states against sets of states: the same states, deadlocks, errors.
verdicts: modes, both searches: the same verdicts of deadlocks, errors, random formulas of CTL and LTL.
reduction: modes, charts and UML machines, with and without partial-order reduction: the same verdicts.
terms: modes, charts and UML machines, their encoding in terms against the interpreter, state by state.
claims: charts and UML machines: what the tables of the reduction say, held against every step.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from kripke.hierarchy import macro_steps, mode_emit, mode_encode
from kripke.hierarchy.chart import emit, interpreter
from kripke.languages.modes import read
from kripke.languages.scxml import load
from kripke.languages.uml import load as load_uml
from tests.hierarchy.test_chart_dependence import agree as agree_charts
from tests.hierarchy.test_chart_dependence import claims_hold
from tests.hierarchy.test_chart_emit import ATOMS
from tests.hierarchy.test_chart_emit import compare as compare_charts
from tests.hierarchy.test_chart_encode import encoded_chart, encoded_uml
from tests.hierarchy.test_mode_dependence import agree
from tests.hierarchy.test_mode_emit import compare as compare_modes
from tests.hierarchy.test_uml_emit import compare as compare_uml
from tests.support.encoded_steps import assert_encoded
from tests.support.promela_twin import compare_with_promela
from tests.support.random_charts import random_chart
from tests.support.random_modes import random_modes
from tests.support.random_uml import random_uml
from tests.support.sismic_twin import compare_with_sismic
from tests.support.symbolic_agreement import compare_sets, compare_verdicts


def lower_limits() -> None:
    """Where machines never come to rest, or there are too many cases, both sides say so; sooner here."""
    for module in (interpreter, emit):
        vars(module)["MOST_MICRO_STEPS"] = 200
    for module in (macro_steps, mode_emit):
        vars(module)["MOST_MICRO_STATES"] = 2_000
    vars(mode_encode)["MOST_CASES"] = 100


def compiled(seed: int, folder: str) -> int:
    path = Path(folder) / "m.scxml"
    found = compare_modes(read(random_modes(seed), conditions=["x = 2 & b", "in(t0)"]), 100)
    path.write_text(random_chart(seed))
    environment = ("a", "b", "c")
    found += compare_charts(load(str(path), environment=environment, queue=1 + seed % 2, conditions=ATOMS), 60)
    path = Path(folder) / "m.puml"
    path.write_text(random_uml(seed))
    return found + compare_uml(load_uml(str(path), queue=1 + seed % 2, conditions=["x == 1"]), 40)


def promela(seed: int, folder: str) -> int:
    return compare_with_promela(read(random_modes(seed)), folder, 250)


def symbolic(seed: int, folder: str) -> int:
    return compare_sets(read(random_modes(seed)), 2_000)


def verdicts(seed: int, folder: str) -> int:
    path = Path(folder) / "m.modes"
    path.write_text(random_modes(seed))
    return compare_verdicts(path, seed) if compare_sets(read(path.read_text()), 500) else 0


def reduction(seed: int, folder: str) -> int:
    path = Path(folder) / "m.modes"
    path.write_text(random_modes(seed, apart=True))
    engines = ("interpreter", "native") if seed % 20 == 0 else ("interpreter",)
    return agree(path, engines) + agree_charts(seed, Path(folder), engines, 500)


def claims(seed: int, folder: str) -> int:
    return claims_hold(seed, Path(folder), 40)


def terms(seed: int, folder: str) -> int:
    modes = assert_encoded(read(random_modes(seed, apart=seed % 2 == 0), conditions=["x = 2 & b", "in(t0)"]), 40)[0]
    return sum(max(0, n) for n in (modes, encoded_chart(seed, Path(folder), 30), encoded_uml(seed, Path(folder), 30)))


PARTS: dict[str, tuple[Callable[[int, str], int], str]] = {
    "compiled": (compiled, "states"),
    "sismic": (compare_with_sismic, "events"),
    "promela": (promela, "states"),
    "symbolic": (symbolic, "states"),
    "verdicts": (verdicts, "verdicts"),
    "reduction": (reduction, "verdicts"),
    "terms": (terms, "states"),
    "claims": (claims, "machines"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1e9, help="of each part: the last line names the next seed")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    options = parser.parse_args()
    lower_limits()
    with tempfile.TemporaryDirectory() as folder:
        for part in options.parts:
            function, what = PARTS[part]
            total = compared = 0
            end = time.monotonic() + options.seconds
            for number, seed in enumerate(range(options.seed, options.seed + options.cases), start=1):
                found = function(seed, folder)
                total += found
                compared += found > 0
                over = time.monotonic() > end
                if number % 50 == 0 or number == options.cases or over:
                    told = f"{compared} of {number} cases compared, {total:,} {what}, no difference"
                    print(f"{part}: {told}; next seed {seed + 1}", flush=True)
                if over:
                    break


if __name__ == "__main__":
    main()
