"""``python -m kripke``: the command line."""

import sys

from kripke.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
