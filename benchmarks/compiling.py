"""How long the C compiler takes for a large model: 5,000 edges, without the cache.

python benchmarks/compiling.py            the seconds
python benchmarks/compiling.py --require  fails from 20 s on
"""

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

from child import run_child
from kripke_command import find_kripke

BAR = 20.0
TYPES, LINES = 20, 125


def model_text() -> str:
    """Process types with two edges at every location."""
    step = "if :: a < 200 -> a = a + {n} :: q?a,b fi;"
    body = " ".join(step.replace("{n}", str(line % 7 + 1)) for line in range(LINES))
    types = (f"active proctype P{number}() {{ short b; {body} }}" for number in range(TYPES))
    return "byte a; chan q = [4] of { byte, short };\n" + "\n".join(types) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--require", action="store_true", help="fail when the bar is missed")
    options = parser.parse_args()
    executable = find_kripke()
    if executable is None:
        print("the kripke command was not found beside this Python nor on PATH", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "large.pml"
        file.write_text(model_text())
        os.environ["KRIPKE_CACHE"] = folder
        finished = run_child([executable, "check", str(file), "--json", "--engine", "native", "--max-states", "1000"])
    seconds = json.loads(finished.stdout)["compile_seconds"]
    print(f"{TYPES * LINES * 2:,} edges: compiled in {seconds:.1f} s")
    return 1 if options.require and seconds >= BAR else 0


if __name__ == "__main__":
    sys.exit(main())
