"""Options of a search by several processes."""

from __future__ import annotations

import argparse

from kripke.cli.option_values import positive


def add_workers(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--workers",
        metavar="N",
        type=positive("a number of workers"),
        help="search with N processes that own a part of the states each, on this machine or on those of --hosts; "
        "--memory is then that of each",
    )
    group.add_argument(
        "--hosts",
        metavar="FILE",
        help="for --workers: the machines, a name on each line, as mpiexec reads them",
    )
