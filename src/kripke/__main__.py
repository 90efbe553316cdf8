"""``python -m kripke``: the command line."""

import sys

from kripke.cli.main import command

if __name__ == "__main__":
    sys.exit(command())
