"""Large and hostile nets through the command: ``python -m tests.soak_hostile_nets [--megabytes 100]``.

Each file has so many megabytes of one thing. The command must end with an answer or an error of its own, without a
traceback, and in bounded memory; what it said, how long it took and the most memory it held are printed. The exit code
is 1 where one of them did not.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter

LONGEST = 300  # seconds
MOST = 30  # bytes of memory per byte of the file, beside a quarter of a gigabyte

Parts = Iterator[str]

PNML = (
    '<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" '
    'type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">',
    "</page></net></pnml>",
)
PEP = ("PEP\nPTNet\nFORMAT_N\nPL\n", '1"a"0@0M1\n', "TR\n", '1"t"0@0\n', "TP\n1<1\n", "PT\n1>1\n")


def around(head: str, part: Callable[[int], str], tail: str) -> Callable[[int], Parts]:
    """``part(0)``, ``part(1)``, ... until the file is as long as it is to be."""

    def parts(size: int) -> Parts:
        yield head
        number, written = 0, 0
        while written < size:
            text = "".join(part(n) for n in range(number, number + 1000))
            number += 1000
            written += len(text)
            yield text
        yield tail

    return parts


FILES: dict[str, Callable[[int], Parts]] = {
    "graphics.pnml": around(
        PNML[0] + '<place id="p"><graphics>', lambda _: '<position x="1" y="2"/>' * 4, "</graphics></place>" + PNML[1]
    ),
    "places.pnml": around(PNML[0], lambda n: f'<place id="p{n}"/>', PNML[1]),
    "arcs.pnml": around(
        PNML[0] + '<place id="p"/><transition id="t"/>', lambda n: f'<arc id="a{n}" source="p" target="t"/>', PNML[1]
    ),
    "text.pnml": around(PNML[0] + '<place id="p"><name><text>', lambda _: "x" * 100, "</text></name></place>"),
    "attribute.pnml": around(PNML[0] + '<place id="', lambda _: "x" * 100, '"/>' + PNML[1]),
    "deep.pnml": around(PNML[0], lambda _: "<page>", ""),
    "names.pnml": around(PNML[0], lambda _: '<place id="p"/>', PNML[1]),
    "comment.pnml": around("<!--", lambda _: "x" * 100, "-->" + PNML[0] + PNML[1]),
    "zeros.pnml": around("", lambda _: "\0" * 100, ""),
    "bomb.pnml": around('<!DOCTYPE x [<!ENTITY a "', lambda _: "a" * 100, '">]><pnml>&a;&a;</pnml>'),
    "places.ll_net": around(PEP[0], lambda n: f'{n + 1}"p{n}"0@0M1\n', PEP[2] + PEP[3]),
    "arcs.ll_net": around("".join(PEP[:5]) + PEP[5], lambda _: "1>1\n", ""),
    "line.ll_net": around(PEP[0] + '1"', lambda _: "x" * 100, '"0@0M1\n'),
    "zeros.ll_net": around("", lambda _: "\0" * 100, ""),
    "comment.pn": around("/*", lambda _: "x" * 100, "*/ place p bool: true;"),
    "places.pn": around("", lambda n: f"place p{n} bool: true;\n", ""),
    "nested.pn": around("place p bool: ", lambda _: "(" * 100, ";"),
    "tokens.pn": around("place p unsigned: ", lambda n: f"{n}, ", "0;"),
    "zeros.pn": around("", lambda _: "\0" * 100, ""),
}


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--megabytes", type=int, default=100)
    arguments.add_argument("names", nargs="*", help="of files; default: all")
    options = arguments.parse_args()
    size = options.megabytes << 20
    most = (size * MOST >> 10) + (1 << 18)  # kilobytes
    failed = False
    with tempfile.TemporaryDirectory(prefix="kripke-hostile-") as folder:
        for name in options.names or FILES:
            file = Path(folder) / name
            with file.open("w", encoding="ascii") as out:
                for part in FILES[name](size):
                    out.write(part)
            begin = perf_counter()
            code, said, peak = run([sys.executable, "-m", "kripke", "info", str(file)], most)
            seconds = perf_counter() - begin
            wrong = code not in (0, 2, 3) or "Traceback" in said or peak > most
            failed |= wrong
            first = next((line for line in said.splitlines() if line.strip()), "").replace(folder, "")[:110]
            word = "WRONG " if wrong else ""
            print(f"{word}{name}: code {code}, {peak >> 10:,} MB, {seconds:.1f} s: {first}", flush=True)
            file.unlink()
    return 1 if failed else 0


def run(command: list[str], most: int) -> tuple[int, str, int]:
    """Exit code, what was printed, and the most memory in kilobytes."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (4 * most << 10, 4 * most << 10))
        resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST))

    with tempfile.TemporaryFile("w+") as output:
        child = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, preexec_fn=limit)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        return child.returncode, output.read(100_000), usage.ru_maxrss


if __name__ == "__main__":
    raise SystemExit(main())
