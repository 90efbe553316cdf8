"""``kripke-worker``: a check by processes that are there already, as inside an allocation of Slurm or PBS:

    mpiexec -n 8 kripke-worker check MODEL [options]

Every process runs this. The first does what ``kripke`` does with these arguments; the others work for it.
"""

from __future__ import annotations

import sys


def command() -> None:
    """The entry point."""
    from kripke.engines.unsupported import Unsupported

    try:
        sys.exit(_run(sys.argv[1:]))
    except Unsupported as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)


def _run(arguments: list[str]) -> int:
    from kripke.engines.distributed import here

    first, size = here.begin()
    if not first:
        here.attend()
        return 0
    from kripke.cli.main import main

    try:
        return main([*arguments, "--workers", str(size)])
    finally:
        here.end()


if __name__ == "__main__":
    command()
