"""Options of searches that are saved on the way."""

from __future__ import annotations

import argparse

from kripke.cli.option_values import duration


def add_checkpoints(how: argparse._ArgumentGroup) -> None:
    how.add_argument(
        "--checkpoint", metavar="FILE", help="save how far the search has come, to go on with --resume; bfs only"
    )
    how.add_argument(
        "--checkpoint-every",
        metavar="TIME",
        type=duration,
        help="how often to save (default 10m); the signal USR1 saves, too",
    )
    how.add_argument("--resume", metavar="FILE", help="go on from a checkpoint of the same model and options")
