"""``kripke lts``: minimise, compare and compose labelled transition systems in ``.aut`` files."""

from __future__ import annotations

import argparse

from kripke.cli.main import UsageError


def run(options: argparse.Namespace) -> int:
    from kripke.algebra.lts.equivalences import equivalent, quotient
    from kripke.algebra.lts.system import Lts

    systems = [Lts.read(name) for name in options.files]
    if options.operation == "compare":
        if len(systems) != 2:
            raise UsageError("kripke lts compare needs two files")
        same = equivalent(systems[0], systems[1], options.equivalence)
        print(f"{'equivalent' if same else 'not equivalent'}: {options.equivalence} bisimulation")
        return 0 if same else 1
    if options.output is None:
        raise UsageError(f"kripke lts {options.operation} needs a file to write: -o FILE")
    if options.operation == "minimise":
        if len(systems) != 1:
            raise UsageError("kripke lts minimise needs one file")
        made = quotient(systems[0], options.equivalence)
    else:
        from kripke.algebra.lts.composition import composed

        made = composed(systems, options.together.split(",") if options.together is not None else None)
    made.write(options.output)
    before = " and ".join(f"{len(system.steps):,}" for system in systems)
    print(f"{len(made.steps):,} states, {made.transitions:,} transitions (from {before} states)")
    return 0
