"""How long `kripke test` takes on 50 models: at first, and when nothing has changed.

    ./dev python benchmarks/project_cache.py [--require]

With --require the second run must take less than a second.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MODELS = 50
TEXT = """byte x;
active [2] proctype P() {{ do :: x < {limit} -> x++ :: else -> break od }}
"""


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for limit in range(1, MODELS + 1):
            (folder / f"m{limit}.pml").write_text(TEXT.format(limit=limit))
        (folder / "kripke.toml").write_text('[[check]]\nfile = "*.pml"\nltl = "[] (x <= 50)"\n')
        seconds = [_run(folder) for _ in range(4)]
    first, best = seconds[0], min(seconds[1:])
    print(f"{MODELS} models: first {first:.2f} s, then {', '.join(f'{s:.2f}' for s in seconds[1:])} s")
    return int("--require" in sys.argv and best >= 1)


def _run(folder: Path) -> float:
    environment = {**os.environ, "KRIPKE_CACHE": str(folder / "cache")}
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "kripke", "test", "-q"], cwd=folder, env=environment, check=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())
