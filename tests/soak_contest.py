"""Every known answer about the contest's nets: ``python -m tests.soak_contest [--time-limit 60] [FOLDER] [NAME ...]``.

For each net and each examination, all its formulas together have the time limit. Prints, per examination, how many
answers there are, how many are right, wrong and not computed, and the longest time; then the totals. The exit code is 1
if an answer is wrong, or more than a twentieth is not computed.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from time import perf_counter

from kripke.engines.branching.graph import GraphLimits
from kripke.engines.nets.formulas.answers import QueryAnswerer
from tests.support.contest_oracle import CORPUS, KINDS, computed, instances, known, model_of

SMALLEST_PART = 20  # of all answers that may be missing


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--time-limit", type=float, default=60.0)
    arguments.add_argument("folder", nargs="?", type=Path, default=CORPUS)
    arguments.add_argument("names", nargs="*")
    options = arguments.parse_args()
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    longest = dict.fromkeys(KINDS, 0.0)
    for name in options.names or instances(options.folder):
        model = model_of(name, options.folder)
        line = []
        for kind in KINDS:
            if not (options.folder / name / "oracle" / f"{name}-{kind}.out").exists():
                continue
            begin = perf_counter()
            answerer = QueryAnswerer(model, limits=GraphLimits(time_limit=options.time_limit))
            answers = computed(answerer, name, kind, options.folder)
            seconds = perf_counter() - begin
            longest[kind] = max(longest[kind], seconds)
            found: Counter[str] = Counter()
            for number, (value, right) in enumerate(zip(answers, known(name, kind, options.folder), strict=True)):
                found["unknown" if value is None else "right" if value == right else "wrong"] += 1
                if value is not None and value != right:
                    print(f"{name} {kind} {number}: {value} instead of {right}", flush=True)
            counts[kind] += found
            missing = f" unknown {found['unknown']}" if found["unknown"] else ""
            line.append(f"{kind} {seconds:.1f} s{missing}")
        print(f"{name}: {', '.join(line)}", flush=True)
    total = sum(counts.values(), Counter())
    print(f"\n{'':8}{'answers':>9}{'right':>9}{'wrong':>9}{'unknown':>9}{'longest':>11}")
    for kind, found in [*counts.items(), ("all", total)]:
        seconds = max(longest.values()) if kind == "all" else longest[kind]
        figures = (found.total(), found["right"], found["wrong"], found["unknown"])
        print(f"{kind:8}" + "".join(f"{figure:9,}" for figure in figures) + f"{seconds:9.1f} s")
    return 1 if total["wrong"] or total["unknown"] * SMALLEST_PART > total.total() else 0


if __name__ == "__main__":
    raise SystemExit(main())
