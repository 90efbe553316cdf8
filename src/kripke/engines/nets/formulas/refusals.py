"""What has no place where questions about a net are answered: they are answered together, and without traces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kripke.engines.unsupported import Unsupported

#: what belongs to a single check: by the names of options and of fields of a plan
_OF_A_CHECK = {
    "invariants": "--invariant",
    "ltl": "--ltl",
    "properties": "--property and --ltl",
    "possible": "--possible",
    "claims": "--never",
    "ctl": "--ctl",
    "mu": "--mu",
    "progress": "--progress",
    "values": "--values",
    "prove": "--prove",
    "trace": "--trace",
}


def refuse_beside(given: Mapping[str, Any]) -> None:
    """Unsupported, where one of these was given as well."""
    for name, option in _OF_A_CHECK.items():
        if given.get(name):
            raise Unsupported(f"{option} and formulas do not go together: check them one after the other")
