"""Which engine, and options of those that work on sets of states."""

from __future__ import annotations

import argparse

from kripke.cli.option_values import positive


def add_symbolic(how: argparse._ArgumentGroup) -> None:
    how.add_argument(
        "--engine",
        metavar="ENGINE",
        help="native (default where there is a C compiler) or interpreter; bdd: sets of states as decision diagrams; "
        "bmc, induction, pdr: errors and proofs with a SAT solver",
    )
    how.add_argument(
        "--depth",
        metavar="N",
        type=positive("a number of steps"),
        help="for --engine bmc: look at runs of up to N steps (default 30); for induction: the largest k (default 60)",
    )
    how.add_argument(
        "--completeness",
        metavar="diameter|recurrence",
        help="for --engine bmc: go on until nothing new can come. diameter: as far as the farthest state (needs the "
        "extra bdd); recurrence: as long as there are ways without a repeated state",
    )
    how.add_argument(
        "--lemmas",
        metavar="FILE",
        help="for --engine induction and pdr: named conditions, one on each line (name: condition); the report says "
        "which are inductive, alone or relative to others, and these are used",
    )
    how.add_argument(
        "--unbounded",
        action="store_true",
        help="for --engine induction and pdr: integers (int) have no bounds (needs the extra smt)",
    )
