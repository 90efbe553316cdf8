"""The experiments of p2b (M. Baldamus, J. Schröder-Babo, SPIN 2001): single states against sets of states.

Usage: python benchmarks/p2b.py [--memory 1G] [--most SECONDS] [--svg FILE] [--only TEXT]

1. Philosophers with a dictionary: chopsticks and dictionary are channels of one message. Who wants to eat takes the
   dictionary and puts it back, or, while somebody has it, the sticks.
2. An arbiter: processes ask on a channel of their own, are told to go on on another, and say when they are done.

Printed are processor seconds of the whole command; --svg draws them.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from child import run_child
from kripke_command import find_kripke

DICTIONARY = """
chan stick[N] = [1] of { bit };
chan dict = [1] of { bit };

active [N] proctype philosopher()
{
    stick[_pid]!0;
    if :: _pid == 0 -> dict!0 :: else fi;
    do
    :: dict?_ -> dict!0
    :: empty(dict) -> stick[_pid]?_; stick[(_pid + 1) % N]?_; stick[_pid]!0; stick[(_pid + 1) % N]!0
    od
}
"""
ARBITER = """
chan ask[N] = [1] of { bit };
chan go[N] = [1] of { bit };
chan done = [1] of { bit };
byte inside;

active [N] proctype process()
{
    do
    :: ask[_pid]!0; go[_pid]?_; inside++; assert(inside == 1); inside--; done!0
    od
}

active proctype arbiter()
{
    byte i;
    do
    :: ask[i]?_ -> go[i]!0; done?_; i = (i + 1) % N
    :: empty(ask[i]) -> i = (i + 1) % N
    od
}
"""
EXPERIMENTS = {
    "dictionary": (DICTIONARY, (2, 3, 4, 5, 6, 7, 8, 10, 30), {"native": (), "bdd": ("--engine", "bdd")}),
    "arbiter": (ARBITER, (2, 4, 6, 8, 10), {"native --por auto": ("--por", "auto"), "bdd": ("--engine", "bdd")}),
}
COLOURS = ("#2166ac", "#b2182b")
WIDTH, HEIGHT, MARGIN = 420, 260, 50


def measured(kripke: Path, file: Path, options: Sequence[str], memory: str, most: float) -> tuple[float, str, int]:
    """Processor seconds, the verdict, states."""
    limits = ["--memory", memory, "--time-limit", str(most), "--no-deadlock", "--json"]
    finished = run_child([str(kripke), "check", str(file), *options, *limits])
    result = json.loads(finished.stdout)
    if result["verdict"] == "unknown":
        print(f"    {result['reason']}")
    return finished.processor, result["verdict"], result["states"]


def drawn(title: str, sizes: Sequence[int], rows: dict[str, list[float | None]]) -> str:
    """Seconds over sizes, on a scale of powers of ten; what was not done ends the line."""
    lines = [f'<text x="{WIDTH / 2}" y="18" text-anchor="middle" font-weight="bold">{title}</text>']
    low, high = -1.0, 3.0

    def place(index: int, seconds: float) -> tuple[float, float]:
        from math import log10

        x = MARGIN + (WIDTH - MARGIN - 20) * index / max(1, len(sizes) - 1)
        share = (min(max(log10(max(seconds, 1e-3)), low), high) - low) / (high - low)
        return x, HEIGHT - MARGIN - (HEIGHT - MARGIN - 30) * share

    for power in range(int(low), int(high) + 1):
        y = place(0, 10.0**power)[1]
        lines.append(f'<line x1="{MARGIN}" y1="{y:.1f}" x2="{WIDTH - 20}" y2="{y:.1f}" stroke="#ddd"/>')
        lines.append(f'<text x="{MARGIN - 6}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g} s</text>')
    for index, size in enumerate(sizes):
        lines.append(
            f'<text x="{place(index, 1)[0]:.1f}" y="{HEIGHT - MARGIN + 18}" text-anchor="middle">{size}</text>'
        )
    for (name, seconds), colour in zip(rows.items(), COLOURS, strict=False):
        points = [place(index, one) for index, one in enumerate(seconds) if one is not None]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        lines.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        lines += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points]
        row = HEIGHT - 16 if colour == COLOURS[0] else HEIGHT - 2
        lines.append(f'<text x="{MARGIN}" y="{row}" fill="{colour}">{name}</text>')
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Single states against sets of states.")
    parser.add_argument("--memory", default="1G")
    parser.add_argument("--most", type=float, default=60.0, metavar="SECONDS")
    parser.add_argument("--only", default="", metavar="TEXT")
    parser.add_argument("--svg", type=Path)
    options = parser.parse_args(arguments)
    kripke = find_kripke()
    if kripke is None:
        print("benchmarks: the kripke command was not found beside this Python nor on PATH", file=sys.stderr)
        return 2
    pictures: list[str] = []
    with tempfile.TemporaryDirectory(prefix="kripke-p2b-") as folder:
        for title, (text, sizes, ways) in EXPERIMENTS.items():
            if options.only not in title:
                continue
            rows: dict[str, list[float | None]] = {way: [] for way in ways}
            given_up: set[str] = set()
            for size in sizes:
                file = Path(folder) / f"{title}{size}.pml"
                file.write_text(f"#define N {size}\n" + text)
                for way, more in ways.items():
                    if way in given_up:
                        rows[way].append(None)
                        continue
                    seconds, verdict, states = measured(kripke, file, more, options.memory, options.most)
                    print(f"{title:12}{size:4} {way:18}{seconds:8.2f} s  {verdict:8}{states:22.6g}", flush=True)
                    rows[way].append(seconds if verdict != "unknown" else None)
                    if verdict == "unknown":
                        given_up.add(way)
            pictures.append(drawn(title, sizes, rows))
    if options.svg is not None:
        parts = [f'<g transform="translate({number * WIDTH},0)">{one}</g>' for number, one in enumerate(pictures)]
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH * len(parts)} {HEIGHT}" '
        style = 'font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="white"/>'
        options.svg.write_text(head + style + "\n".join(parts) + "</svg>\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
