"""The examples that come with Maria, with the numbers of states and arcs that Maria 1.3.5 reports."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import kripke

CORPUS = Path(__file__).parents[4] / "shared" / "corpus" / "maria"
pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason=f"the example nets are not in {CORPUS}")

Edits = dict[str, str]


def windows(sender: int, receiver: int) -> Edits:
    return {r"tw = \d": f"tw = {sender}", r"rw = \d": f"rw = {receiver}"}


#: model, what is replaced in its text, flags, states, arcs
SMALL: list[tuple[str, Edits, str, int, int]] = [
    ("buffer", {"stack 2": "stack 1"}, "", 4, 6),
    ("buffer", {}, "", 10, 18),
    ("buffer", {"stack 2": "queue 3"}, "", 16, 30),
    ("const", {}, "", 1, 0),
    ("init", {}, "", 1, 0),
    ("dbm", {r"id\[10\]": "id[2]"}, "", 7, 8),
    ("dbm", {r"id\[10\]": "id[4]"}, "", 109, 224),
    ("dbm", {r"id\[10\]": "id[4]"}, "UNUSED", 109, 224),
    ("dbm", {r"id\[10\]": "id[3]"}, "PRIORITY", 22, 30),
    ("dbm", {r"id\[10\]": "id[4]"}, "PRIORITY", 61, 104),
    ("dining", {}, "", 14, 27),
    ("dining", {r"1\.\.3": "1..5"}, "", 82, 265),
    ("modular", {}, "OPT", 512, 1600),
    ("modular", {}, "OPT MODULAR", 512, 1600),
    ("mutex", {r"\(1\.\.2\)": "(1..1)"}, "", 3, 3),
    ("mutex", {}, "", 8, 14),
    ("mutex", {r"\(1\.\.2\)": "(1..5)"}, "", 112, 400),
    ("object", {}, "", 2, 1),
    ("output", {}, "", 3, 2),
    ("quant", {}, "", 2, 1),
    ("queens", {r"1\.\.8": "1..3"}, "", 1, 0),
    ("queens", {r"1\.\.8": "1..5"}, "", 2, 10),
    ("queens", {r"1\.\.8": "1..6"}, "", 2, 4),
    ("swn", windows(1, 1), "", 264, 582),
    ("swn", windows(1, 2), "", 432, 981),
    ("swn", windows(1, 1), "PRIORITY", 234, 450),
    ("swn-m", {}, "", 240, 504),
    ("swn-m", {}, "PRIOP", 204, 378),
    ("swn-m", windows(1, 1), "LOSSY", 108, 310),
    ("sync", {"n = 8": "n = 5"}, "", 32, 160),
    ("typecast", {}, "", 4, 8),
]


def loaded(folder: Path, name: str, edits: Edits, flags: str) -> kripke.LoadedModel:
    text = (CORPUS / f"{name}.pn").read_text(encoding="latin-1")
    for pattern, new in edits.items():
        text, replaced = re.subn(pattern, new, text)
        assert replaced, pattern
    file = folder / f"{name}.pn"
    file.write_text(text, encoding="latin-1")
    return kripke.load(file, defines=dict.fromkeys(flags.split(), ""))


@pytest.mark.parametrize(("name", "edits", "flags", "states", "arcs"), SMALL)
def test_counts_of_the_interpreter(tmp_path: Path, name: str, edits: Edits, flags: str, states: int, arcs: int) -> None:
    result = loaded(tmp_path, name, edits, flags).check(engine="interpreter", all_errors=True)
    assert (result.states, result.transitions - 1) == (states, arcs)
    assert result.errors == (1 if name == "dining" else 0)
