"""Options of a search by several processes."""

from __future__ import annotations

import argparse

from kripke.cli.option_values import positive, size


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
        help="for --workers: the machines, a name or name:SLOTS on each line; ssh must work there without a password",
    )
    group.add_argument(
        "--partition",
        metavar="hash|auto|bytes:LIST|dynamic",
        help="for --workers: who owns a state: by a hash of all of it (default), by a few bytes that rarely change and "
        "that a sample chooses, or by these bytes; dynamic, or dynamic: before one of them: every worker owns every "
        "state until memory is short",
    )
    group.add_argument(
        "--siblings",
        metavar="N|all",
        help="for --workers: remember the last N states that were sent, or all, and do not send them again",
    )
    group.add_argument(
        "--look-ahead",
        action="store_true",
        help="for --workers: also expand the states that are sent, and keep the successors that the sender owns",
    )
    group.add_argument(
        "--cycles",
        metavar="owcty|nested",
        help="for --workers and formulas: how accepted cycles are found: breadth-first, then by elimination (default), "
        "or nested depth-first with a dependency structure, for comparison",
    )


def add_exploring_workers(parser: argparse.ArgumentParser) -> None:
    """Of ``kripke explore``."""
    parser.add_argument(
        "--workers",
        metavar="N",
        type=positive("a number of workers"),
        help="build it with N processes: --output is then a folder, with a fragment of the state space from each; "
        "kripke merge makes them one",
    )
    parser.add_argument("--hosts", metavar="FILE", help="for --workers: the machines, as for kripke check")
    parser.add_argument("--memory", metavar="SIZE", type=size, help="for each worker, such as 512M or 4G")


def add_merge(parser: argparse.ArgumentParser) -> None:
    """Of ``kripke merge``."""
    parser.add_argument("folder", metavar="FOLDER", help="fragments, as kripke explore --workers N writes them")
    parser.add_argument("--output", "-o", metavar="FILE", help="the whole state space: .parquet or .aut")
