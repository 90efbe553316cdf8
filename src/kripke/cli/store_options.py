"""Options of stores: where the states are kept."""

from __future__ import annotations

import argparse

from kripke.cli.option_values import positive, size


def add_store(how: argparse._ArgumentGroup) -> None:
    how.add_argument(
        "--store",
        metavar="STORE",
        help="where to keep the states: full (default), tree, collapse or numbers (a third of the memory), all exact; "
        "hashcompact or bitstate, which may miss some; cache, which drops states when it is full and may take long; "
        "disk, which is slow, for more states than memory holds",
    )
    how.add_argument(
        "--store-size",
        metavar="SIZE",
        type=size,
        help="memory for the table of --store bitstate (default 128M), of --store cache (512M), of each search of a "
        "--swarm",
    )
    how.add_argument(
        "--replaces",
        choices=("least", "first"),
        help="for --store cache: the state that makes room is the one below which the search visited least (default), "
        "or the first in the table that may go",
    )
    how.add_argument(
        "--hashes",
        metavar="N",
        type=positive("a number of bits"),
        help="for --store bitstate: bits set for each state; default 4",
    )
    how.add_argument(
        "--hash-bits",
        metavar="32|40|64",
        type=positive("a number of bits"),
        help="for --store hashcompact: bits kept of each state; default 64",
    )
    how.add_argument(
        "--runs",
        metavar="N",
        type=positive("a number of runs"),
        default=1,
        help="for --store bitstate and hashcompact: search N times, each with other hashes, until there is an error",
    )
