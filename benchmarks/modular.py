"""States of a family of modular nets, flat and with `--modular`, as a picture.

Usage: python benchmarks/modular.py [--most N] [--flat N] [--output docs/pictures/modular.svg]

N stations stand round a table. Each prepares by itself, in two steps; a turn goes round, and whose turn it is serves
and begins to prepare again. Flat, the preparations of all stations are interleaved, and there are N * 3^N states; with
`--modular` only whose turn it is counts: N states.
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from kripke_command import find_kripke

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 640, 360, 70, 50, 20, 130


def stations(count: int) -> str:
    lines = [f"typedef unsigned (0..{count - 1}) seat_t;", "place turn (1) seat_t: 0;"]
    for i in range(count):
        lines.append(f"trans :serve{i} in {{ turn: {i}; }} out {{ turn: {(i + 1) % count}; }};")
    for i in range(count):
        lines.append(
            f"subnet s{i} {{ place p (1) unsigned (0..2): 0; trans cut in {{ p: 0; }} out {{ p: 1; }};"
            f" trans cook in {{ p: 1; }} out {{ p: 2; }};"
            f" trans serve : trans serve{i} in {{ p: 2; }} out {{ p: 0; }}; }};"
        )
    return "\n".join([*lines, "deadlock true;", ""])


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Plot the states of modular nets.")
    parser.add_argument("--most", type=int, default=24, help="stations, with --modular")
    parser.add_argument("--flat", type=int, default=13, help="stations, flat")
    parser.add_argument(
        "--output", type=Path, default=Path(__file__).parent.parent / "docs" / "pictures" / "modular.svg"
    )
    options = parser.parse_args(arguments)
    kripke = find_kripke()
    if kripke is None:
        print("benchmarks: the kripke command was not found beside this Python nor on PATH", file=sys.stderr)
        return 2
    flat: dict[int, int] = {}
    modular: dict[int, int] = {}
    with tempfile.TemporaryDirectory(prefix="kripke-modular-") as folder:
        for count in range(2, options.most + 1):
            file = Path(folder) / "stations.pn"
            file.write_text(stations(count))
            modular[count] = states(kripke, file, "--modular")
            if count <= options.flat:
                flat[count] = states(kripke, file)
            print(
                f"{count:3} stations: {modular[count]:6,} states with --modular, flat {flat.get(count, 0):,}",
                flush=True,
            )
    options.output.write_text(picture({"flat": flat, "--modular": modular}))
    print(f"{options.output} written")
    return 0


def states(kripke: Path, file: Path, *options: str) -> int:
    answer = subprocess.run([kripke, "check", file, "--json", *options], capture_output=True, text=True, check=False)
    result = json.loads(answer.stdout)
    assert result["verdict"] == "holds", result
    return int(result["states"])


def picture(curves: dict[str, dict[int, int]]) -> str:
    """States by stations, on a logarithmic scale."""
    most = max(count for curve in curves.values() for count in curve)
    decades = math.ceil(math.log10(max(number for curve in curves.values() for number in curve.values())))

    def at(count: int, number: float) -> tuple[float, float]:
        x = LEFT + (count - 2) / (most - 2) * (WIDTH - LEFT - RIGHT)
        return x, HEIGHT - BOTTOM - math.log10(number) / decades * (HEIGHT - BOTTOM - TOP)

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
        ' font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
    ]
    for decade in range(decades + 1):
        x, y = at(2, 10**decade)
        lines.append(f'<line x1="{x:.0f}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="#ddd"/>')
        lines.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{10**decade:,}</text>')
    for count in range(2, most + 1, 2):
        x, y = at(count, 1)
        lines.append(f'<text x="{x:.1f}" y="{y + 18:.1f}" text-anchor="middle">{count}</text>')
    lines.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{HEIGHT - 10}" text-anchor="middle">stations</text>')
    lines.append(f'<text x="{LEFT - 60}" y="{TOP - 6}">states</text>')
    for colour, (name, curve) in zip(("#c33", "#27c"), curves.items(), strict=True):
        points = [at(count, number) for count, number in curve.items()]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        lines.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        lines += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points]
        x, y = points[-1]
        last = list(curve.values())[-1]
        lines.append(f'<text x="{x + 8:.1f}" y="{y + 4:.1f}" fill="{colour}">{name}: {last:,}</text>')
    return "\n".join([*lines, "</svg>", ""])


if __name__ == "__main__":
    raise SystemExit(main())
