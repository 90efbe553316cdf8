"""``python -m kripke.web.desks NAME``: a process of the workbench. Its setting comes as the first line of its input."""

from __future__ import annotations

import json
import sys
from importlib import import_module

NAMES = ("editing", "exploring", "reaching", "tables", "checking")


def main() -> int:
    name = sys.argv[1]
    if name not in NAMES:
        print(f"error: there is no desk {name!r}: there are {', '.join(NAMES)}", file=sys.stderr)
        return 2
    setting = json.loads(sys.stdin.buffer.readline())
    import_module(f"kripke.web.desks.{name}").work(setting)
    return 0


if __name__ == "__main__":
    sys.exit(main())
