"""``kripke merge``: one state space of the fragments that several workers wrote, as a stream."""

from __future__ import annotations

import argparse
import os

from kripke.cli.main import UNKNOWN, UsageError
from kripke.numbers import counted

ENDINGS = (".parquet", ".aut")


def run(options: argparse.Namespace) -> int:
    if options.output is None:
        raise UsageError(f"where to? name a file with --output; its ending chooses the format: {', '.join(ENDINGS)}")
    if os.path.splitext(options.output)[1] not in ENDINGS:
        raise UsageError(f"cannot write {options.output}: the formats are {', '.join(ENDINGS)}")
    try:
        from kripke.report.fragments import merge, read_fragments
    except ImportError as error:
        raise UsageError(
            f"fragments need numpy and pyarrow ({error}); install them with: pip install 'kripke[data]'"
        ) from None
    found = read_fragments(options.folder)
    merge(found, options.output)
    states, steps = counted(sum(found.states), "state"), counted(sum(found.transitions), "transition")
    print(f"{states}, {steps} of {counted(found.size, 'fragment')} written to {options.output}")
    if found.reason:
        print(f"incomplete: when the fragments were made, a limit was reached ({found.reason})")
        return UNKNOWN
    return 0
