"""Known bugs of public packages: found in the faulty version, not found in the mended one.

Usage: python benchmarks/real_bugs.py [--folder FOLDER] [--verbose] [NAME ...]

Downloads the packages into FOLDER (a temporary one if none is given); nothing else in this project does.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.testing.real_bugs import BUGS  # noqa: E402


def installed(folder: Path, package: str, version: str) -> Path:
    target = folder / f"{package}=={version}"
    if not target.exists():
        subprocess.run(
            [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(target), f"{package}=={version}"],
            check=True,
        )
    return target


def run(name: str, target: Path) -> tuple[int, str, float]:
    start = time.perf_counter()
    ran = subprocess.run(
        [sys.executable, "-m", "tests.testing.real_bugs", name],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(target)},
        capture_output=True,
        text=True,
    )
    return ran.returncode, ran.stdout + ran.stderr, time.perf_counter() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", help="where the packages are kept")
    parser.add_argument("--verbose", action="store_true", help="print the failing schedules")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BUGS))
    given = parser.parse_args()
    folder = Path(given.folder or tempfile.mkdtemp(prefix="kripke-real-bugs-")).resolve()
    good = True
    for name in given.names or BUGS:
        bug = BUGS[name]
        for version, expected in ((bug.faulty, 1), (bug.mended, 0)):
            code, text, seconds = run(name, installed(folder, bug.package, version))
            fits = code == expected and (expected == 0 or bug.words in text)
            good = good and fits
            first = text.strip().splitlines()[0] if text.strip() else ""
            print(
                f"{'ok ' if fits else 'NO '} {bug.package} {version:8} {name}: {first} ({seconds:.1f} s; {bug.report})"
            )
            if given.verbose or not fits:
                print(text)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
