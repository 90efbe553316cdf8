"""Options of ``kripke lts``."""

from __future__ import annotations

import argparse


def add_lts(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("operation", choices=("minimise", "compare", "compose"), help="what to do")
    parser.add_argument("files", nargs="+", metavar="FILE", help="transition systems (.aut)")
    parser.add_argument("-o", "--output", metavar="FILE", help="where to write the result (.aut)")
    parser.add_argument(
        "--equivalence",
        choices=("strong", "branching", "divergence-branching", "weak", "divergence-weak"),
        default="strong",
        help="which states count as equal (default: strong bisimulation)",
    )
    parser.add_argument(
        "--together",
        metavar="EVENTS",
        help="compose: the events that all systems do together, separated by commas (default: an event happens "
        "together in all systems that have it)",
    )
