"""Context switches of depth-first traces: as the search found them, and as a person sees them.

Every example that breaks something is searched depth-first twice (formulas by nested depth-first search), with and
without `--no-clarify`, for each of its properties alone. A switch is a step of another process than the one before.
The trace as it was found is compared with the one that is shown: shortened, reordered, or another run to the same
error. Both were replayed by the reference interpreter and end in the same sort of error; of a run that repeats for
ever stem and loop are counted together.

    ./dev python benchmarks/switches.py [MODEL ...] [--require]

The bars: never more switches than before, and a median reduction of 40 % over the traces that have a switch. With
`--require` a missed bar is a failure. Nets have no processes, so their traces have no switches and are not counted.
"""

import argparse
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import kripke
from kripke.clarity.reorder import switches
from kripke.model.assertions import Assertions
from kripke.model.trace import Trace

EXAMPLES = Path(__file__).parents[1] / "examples"
LEAST = 0.4


@dataclass(frozen=True)
class Row:
    """One error: steps and switches, as found and as shown."""

    file: Path
    property: str
    found: Trace
    shown: Trace

    @property
    def before(self) -> int:
        return switches(self.found.steps)

    @property
    def after(self) -> int:
        return switches(self.shown.steps)

    @property
    def reduction(self) -> float:
        return 1 - self.after / self.before


def violated_examples() -> list[Path]:
    """What the manifests say is violated, but for files of SMV, in which all move at once."""
    return [
        manifest.parent / entry["file"]
        for manifest in sorted(EXAMPLES.glob("*/manifest.toml"))
        for entry in tomllib.loads(manifest.read_text())["example"]
        if entry["verdict"] == "violated" and not entry["file"].endswith(".smv")
    ]


def rows_of(file: Path) -> Iterator[Row]:
    """The traces of a model that have a switch, one for each property that is violated."""
    model = kripke.load(file)
    if model.model.capability(Assertions):  # about processes, of whose actors a trace tells nothing
        return
    temporal = [named.name for named in model.model.properties if named.kind in ("ltl", "never")]
    for name in ("safety", *temporal):
        search = "dfs" if name == "safety" else "ndfs"
        found = model.check(search=search, clarify=False, properties=name)
        shown = model.check(search=search, properties=name)
        assert (found.verdict, found.kind) == (shown.verdict, shown.kind), file
        if found.trace is not None and shown.trace is not None and switches(found.trace.steps):
            yield Row(file, name, found.trace, shown.trace)


def main() -> int:
    parser = argparse.ArgumentParser(description="context switches of depth-first traces, as found and as shown")
    parser.add_argument("models", nargs="*", type=Path, metavar="MODEL")
    parser.add_argument("--require", action="store_true", help="fail where a bar is missed")
    options = parser.parse_args()
    rows: list[Row] = []
    print(f"{'example':<38} {'property':<14} {'steps':>13} {'switches':>13} {'fewer':>6}")
    for file in options.models or violated_examples():
        for row in rows_of(file):
            rows.append(row)
            name = "/".join(file.parts[-2:])
            steps, changes = f"{len(row.found)} -> {len(row.shown)}", f"{row.before} -> {row.after}"
            print(f"{name:<38} {row.property:<14} {steps:>13} {changes:>13} {row.reduction:6.0%}", flush=True)
    if not rows:
        print("no trace has a switch")
        return 0
    middle, more = median(row.reduction for row in rows), sum(row.after > row.before for row in rows)
    print(f"\n{len(rows)} traces: median reduction {middle:.0%} (bar: {LEAST:.0%}), more than before in {more}")
    return 1 if options.require and (middle < LEAST or more) else 0


if __name__ == "__main__":
    sys.exit(main())
