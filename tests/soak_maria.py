"""What Maria says of its examples, beside what Kripke says: ``python -m tests.soak_maria [--most N] [NAME ...]``.

States, arcs and sizes of states of every example with every option, in the compiled form where there is one; sizes of
unfolded nets; answers to formulas; our net of the leader election and that of the queens. --most leaves out rows of
more states. The exit code is 1 if a row differs. The whole takes some minutes.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import kripke
from kripke.checker.check import check_properties
from kripke.engines.plan import SearchPlan
from kripke.languages.maria import load
from kripke.model.model import Model
from kripke.nets.high_level.model import HighLevelModel
from kripke.nets.high_level.unfolding import unfold
from kripke.nets.place_transition import PlaceTransitionNet
from tests.support.maria_corpus import CHAINS, CORPUS, QUESTIONS, ROWS, UNFOLDED, Row, edited, loaded

WIDTH = 70
EXAMPLES = Path(__file__).parents[1] / "examples" / "maria"
LEADERS = {3: (69, 126), 4: (240, 588), 5: (870, 2693), 6: (3213, 12013), 7: (11949, 52310), 8: (44544, 223338)}
QUEENS = {4: 2, 5: 10, 6: 4, 7: 40, 8: 92, 9: 352, 10: 724, 11: 2680, 12: 14200, 13: 73712}


class Line(NamedTuple):
    what: str
    expected: str
    found: str


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--most", type=int, default=1 << 60, metavar="N")
    arguments.add_argument("names", nargs="*", help="of models; default: all")
    options = arguments.parse_args()
    if not CORPUS.is_dir():
        print(f"the examples of Maria are not in {CORPUS}", file=sys.stderr)
        return 2
    different = rows = 0
    with tempfile.TemporaryDirectory(prefix="kripke-maria-") as folder:
        begin = perf_counter()
        for line in lines(Path(folder), options.most, options.names):
            seconds, begin = perf_counter() - begin, perf_counter()
            rows += 1
            different += line.expected != line.found
            word = "" if line.expected == line.found else "  DIFFERENT"
            print(f"{line.what:{WIDTH}} {line.expected:>24} {line.found:>24} {seconds:7.1f} s{word}", flush=True)
    print(f"{rows} rows, {different} different")
    return 1 if different else 0


def lines(folder: Path, most: int, names: list[str]) -> Iterator[Line]:
    for row in ROWS:
        if row.states <= most and (not names or row.name in names):
            yield explored(folder, row)
    for name, edits, flags, sizes in UNFOLDED:
        if not names or name in names:
            net = net_of(loaded(folder, name, edits, flags))
            yield Line(f"{' '.join([name, *edits.values()])}, unfolded", figures(*sizes), figures(*sizes_of(net)))
    for name, edits, states, arcs in (*CHAINS, ("dbm", {}, 196821, 1182610)):
        if states <= most and (not names or name in names):
            what = f"{' '.join([name, *edits.values()])} --compress paths"
            result = kripke.load(edited(folder, name, edits), compress=["paths"]).check(all_errors=True, clarify=False)
            yield Line(what, figures(states, arcs), figures(result.states, result.transitions - 1))
    for name, edits, flags, formula, holds in QUESTIONS:
        if not names or name in names:
            model = load(str(edited(folder, name, edits)), formulas=[formula], defines=dict.fromkeys(flags.split(), ""))
            verdict = check_properties(model, SearchPlan(properties=(formula,))).verdict
            what = f"{' '.join([name, *edits.values(), flags])}: {formula}"
            yield Line(
                what if len(what) < WIDTH else f"{what[: WIDTH - 4]} ...", "holds" if holds else "violated", verdict
            )
    if not names or "leader_election" in names:
        for nodes, counts in LEADERS.items():
            yield own(folder, "leader_election", "nodes = 3", f"nodes = {nodes}", counts)
        for nodes, counts in ((3, (62, 123)), (4, (231, 583))):
            yield own(folder, "leader_election", "nodes = 3", f"nodes = {nodes}", counts, compress=["paths"])
    if not names or "queens" in names:
        for size, solutions in QUEENS.items():
            yield own(folder, "queens", "1..6", f"1..{size}", (2, solutions))


def explored(folder: Path, row: Row) -> Line:
    """Sizes are those of successors, the initial state only if it is one."""
    model = loaded(folder, row.name, row.edits, row.flags, modular=row.modular)
    result = model.check(all_errors=True, clarify=False)
    expected = figures(row.states, row.arcs, *(row.size or ()))
    found = [result.states, result.transitions - 1]
    if row.size is not None:
        sizes = measured(model.model)
        found += [min(sizes), max(sizes)]
    return Line(str(row), expected, figures(*found))


def measured(model: Model) -> set[int]:
    states = list(model.initial())
    seen, sizes = set(states), set()
    for state in states:  # the list grows while we walk along it
        for step in model.successors(state):
            if step.target is not None:
                sizes.add(len(step.target))
                if step.target not in seen:
                    seen.add(step.target)
                    states.append(step.target)
    return sizes


def own(folder: Path, name: str, old: str, new: str, expected: tuple[int, int], compress: Sequence[str] = ()) -> Line:
    file = folder / f"{name}.pn"
    file.write_text((EXAMPLES / f"{name}.pn").read_text().replace(old, new))
    result = kripke.load(file, compress=compress).check(all_errors=True, clarify=False)
    option = "".join(f" --compress {what}" for what in compress)
    return Line(f"our {name}.pn, {new}{option}", figures(*expected), figures(result.states, result.transitions - 1))


def net_of(model: kripke.LoadedModel) -> PlaceTransitionNet:
    assert isinstance(model.model, HighLevelModel)
    return unfold(model.model.net).net


def sizes_of(net: PlaceTransitionNet) -> tuple[int, int, int]:
    return len(net.places), len(net.transitions), sum(len(t.preset) + len(t.postset) for t in net.transitions)


def figures(*numbers: int) -> str:
    return " ".join(f"{number:,}" for number in numbers)


if __name__ == "__main__":
    raise SystemExit(main())
