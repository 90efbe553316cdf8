"""Options of directed searches."""

from __future__ import annotations

import argparse


def add_directed(how: argparse._ArgumentGroup) -> None:
    how.add_argument(
        "--estimate",
        metavar="E",
        help="for --search astar, best-first and ida: how far a state is from an error: bound (never too far), formula "
        "(tells more), active (how many can move), none, or an expression",
    )
    how.add_argument(
        "--weight",
        metavar="W",
        type=float,
        help="for --search astar and ida: count estimated steps W times (a trace may be W times as long); default 1",
    )
    how.add_argument(
        "--ties",
        metavar="RULE",
        help="for --search astar and best-first: of equally good states take the one met last (lifo) or first (fifo); "
        "default lifo",
    )
