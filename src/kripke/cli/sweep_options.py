"""The options of ``kripke sweep``."""

from __future__ import annotations

import argparse

from kripke.cli.option_values import positive


def add_sweep(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="PLAN", nargs="?", help="the plan, a file in TOML (docs/sweeps.md)")
    parser.add_argument(
        "--output", "-o", metavar="FOLDER", help="where results go; default: the name of the plan with .results"
    )
    parser.add_argument(
        "--no-cache", action="store_false", dest="cache", help="check everything anew, also what has not changed"
    )
    parser.add_argument("--list", action="store_true", help="only list the combinations, with what is left out and why")
    parser.add_argument("--parquet", action="store_true", help="write the results as Parquet, too (needs kripke[data])")
    parser.add_argument("--quiet", "-q", action="store_true", help="print only the matrix and the count")
    parser.add_argument("--json", metavar="FILE", nargs="?", const="-", help="write the rows of the results as JSON")
    parser.add_argument(
        "--jobs", metavar="N", type=positive("a number of jobs"), help="run N checks at a time; default: all cores"
    )
