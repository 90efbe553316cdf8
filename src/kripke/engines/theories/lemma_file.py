"""A file of lemmas: named conditions on states, one in a line.

    # every ticket of somebody who waits is a number
    tickets: !WAITS(0) || number[0] > 0

Empty lines and those that begin with ``#`` say nothing.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from kripke.engines.unsupported import Unsupported

_LINE = re.compile(r"\s*([A-Za-z_]\w*)\s*:\s*(.+?)\s*$")
_LONGEST = 1 << 20


class Lemma(NamedTuple):
    name: str
    condition: str


def read_lemmas(path: str) -> list[Lemma]:
    """Unsupported, with the place, where the file is none."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read(_LONGEST + 1)
    except OSError as error:
        raise Unsupported(f"--lemmas: cannot read {path}: {error.strerror or error}") from error
    if len(text) > _LONGEST:
        raise Unsupported(f"--lemmas: {path} has more than {_LONGEST:,} characters")
    found: dict[str, Lemma] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _LINE.match(line)
        if match is None:
            raise Unsupported(f"{path}:{number}: a lemma is a name, a colon and a condition")
        if match[1] in found:
            raise Unsupported(f"{path}:{number}: there are two lemmas {match[1]!r}")
        found[match[1]] = Lemma(match[1], match[2])
    if not found:
        raise Unsupported(f"--lemmas: there is no lemma in {path}")
    return list(found.values())
