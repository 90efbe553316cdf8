"""Where the examples that come with Maria are, and how they are loaded with changes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import kripke

CORPUS = Path(__file__).parents[4] / "shared" / "corpus" / "maria"
needed = pytest.mark.skipif(not CORPUS.is_dir(), reason=f"the example nets are not in {CORPUS}")

Edits = dict[str, str]


def windows(sender: int, receiver: int) -> Edits:
    return {r"tw = \d": f"tw = {sender}", r"rw = \d": f"rw = {receiver}"}


def loaded(folder: Path, name: str, edits: Edits, flags: str) -> kripke.LoadedModel:
    text = (CORPUS / f"{name}.pn").read_text(encoding="latin-1")
    for pattern, new in edits.items():
        text, replaced = re.subn(pattern, new, text)
        assert replaced, pattern
    file = folder / f"{name}.pn"
    file.write_text(text, encoding="latin-1")
    return kripke.load(file, defines=dict.fromkeys(flags.split(), ""))
