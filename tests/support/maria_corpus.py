"""The examples that come with Maria: where they are, how they are loaded with changes, and what Maria 1.3.5 says of
them: states, arcs, sizes of states, sizes of unfolded nets, answers to formulas."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

import kripke

CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "maria"
needed = pytest.mark.skipif(not CORPUS.is_dir(), reason=f"the example nets are not in {CORPUS}")

Edits = dict[str, str]


def windows(sender: int, receiver: int) -> Edits:
    return {r"tw = \d": f"tw = {sender}", r"rw = \d": f"rw = {receiver}"}


def edited(folder: Path, name: str, edits: Edits) -> Path:
    """An example with other sizes."""
    text = (CORPUS / f"{name}.pn").read_text(encoding="latin-1")
    for pattern, new in edits.items():
        text, replaced = re.subn(pattern, new, text)
        assert replaced, pattern
    file = folder / f"{name}.pn"
    file.write_text(text, encoding="latin-1")
    return file


def loaded(folder: Path, name: str, edits: Edits, flags: str, *, modular: bool = False) -> kripke.LoadedModel:
    return kripke.load(edited(folder, name, edits), defines=dict.fromkeys(flags.split(), ""), modular=modular)


class Row(NamedTuple):
    """``edits`` are replaced in the text of the model; ``modular`` is Maria's -R. ``tested``: whether it is
    quick enough for the tests, and in which form. ``size``: the fewest and most bytes of a successor."""

    name: str
    edits: Edits
    flags: str
    states: int
    arcs: int
    size: tuple[int, int] | None = None
    tested: str = ""
    modular: bool = False

    def __str__(self) -> str:
        edits = " ".join(self.edits.values())
        flags = " ".join(f"-D{flag}" for flag in self.flags.split())
        return " ".join(word for word in (self.name, edits, flags, "--modular" if self.modular else "") if word)


def _sites(number: int) -> Edits:
    return {r"id\[10\]": f"id[{number}]"}


def _people(number: int) -> Edits:
    return {r"1\.\.3": f"1..{number}"}


def _processes(number: int) -> Edits:
    return {r"\(1\.\.2\)": f"(1..{number})"}


def _board(number: int) -> Edits:
    return {r"1\.\.8": f"1..{number}"}


def _parts(number: int) -> Edits:
    return {"n = 8": f"n = {number}"}


SMALL, COMPILED = "interpreter", "compiled"

ROWS = [
    Row("buffer", {"stack 2": "stack 1"}, "", 4, 6, (2, 2), SMALL),
    Row("buffer", {"stack 2": "queue 1"}, "", 4, 6, (2, 2)),
    Row("buffer", {}, "", 10, 18, (1, 2), SMALL),
    Row("buffer", {"stack 2": "queue 2"}, "", 10, 18, (1, 2)),
    Row("buffer", {"stack 2": "stack 3"}, "", 16, 30, (1, 2)),
    Row("buffer", {"stack 2": "queue 3"}, "", 16, 30, (1, 2), SMALL),
    Row("const", {}, "", 1, 0, None, SMALL),
    Row("init", {}, "", 1, 0, None, SMALL),
    Row("dbm", _sites(2), "", 7, 8, (1, 2), SMALL),
    Row("dbm", _sites(3), "", 28, 42, (2, 4)),
    Row("dbm", _sites(4), "", 109, 224, (2, 5), SMALL),
    Row("dbm", _sites(5), "", 406, 1090, (1, 7)),
    Row("dbm", _sites(6), "", 1459, 4872, (1, 9)),
    Row("dbm", _sites(7), "", 5104, 20426, None, COMPILED),
    Row("dbm", _sites(8), "", 17497, 81664),
    Row("dbm", _sites(9), "", 59050, 314946),
    Row("dbm", {}, "", 196831, 1181000),
    Row("dbm", _sites(4), "UNUSED", 109, 224, None, SMALL),
    Row("dbm", {}, "UNUSED", 196831, 1181000),
    Row("dbm", _sites(3), "PRIORITY", 22, 30, None, SMALL),
    Row("dbm", _sites(4), "PRIORITY", 61, 104, None, SMALL),
    Row("dbm", {}, "PRIORITY", 10231, 46100, None, COMPILED),
    Row("dining", _people(2), "", 6, 8),
    Row("dining", {}, "", 14, 27, (2, 3), SMALL),
    Row("dining", _people(4), "", 34, 88),
    Row("dining", _people(5), "", 82, 265, (3, 6), SMALL),
    Row("dining", _people(6), "", 198, 768),
    Row("dining", _people(8), "", 1154, 5968),
    Row("dining", _people(10), "", 6726, 43480, (7, 13), COMPILED),
    Row("modular", {}, "MODULAR", 836, 2644, (4, 4), SMALL, modular=True),
    Row("modular", {}, "MODULAR MIN", 512, 1600, (4, 4), SMALL, modular=True),
    Row("modular", {}, "MODULAR MAX", 898, 2819, (4, 4), SMALL, modular=True),
    Row("modular", {}, "MODULAR OPT", 512, 1600, (2, 2), SMALL, modular=True),
    Row("modular", {}, "OPT MODULAR", 512, 1600, (2, 2), SMALL),
    Row("modular", {}, "OPT", 512, 1600, (2, 2), SMALL),
    Row("modular", {}, "", 30965760, 216489984),
    Row("mutex", _processes(1), "", 3, 3, None, SMALL),
    Row("mutex", {}, "", 8, 14, (1, 1), SMALL),
    Row("mutex", _processes(3), "", 20, 48),
    Row("mutex", _processes(4), "", 48, 144),
    Row("mutex", _processes(5), "", 112, 400, None, SMALL),
    Row("mutex", _processes(10), "", 6144, 38400, (1, 7), COMPILED),
    Row("object", {}, "", 2, 1, (16, 16), SMALL),
    Row("order", {}, "", 80000, 80000, None, COMPILED),
    Row("output", {}, "", 3, 2, (1, 1), SMALL),
    Row("quant", {}, "", 2, 1, (1, 1), SMALL),
    Row("queens", _board(2), "", 1, 0),
    Row("queens", _board(3), "", 1, 0, None, SMALL),
    Row("queens", _board(4), "", 2, 2, (1, 1)),
    Row("queens", _board(5), "", 2, 10, (1, 1), SMALL),
    Row("queens", _board(6), "", 2, 4, (1, 1), SMALL),
    Row("queens", _board(7), "", 2, 40),
    Row("queens", {}, "", 2, 92, None, COMPILED),
    Row("queens", _board(9), "", 2, 352),
    Row("queens", _board(10), "", 2, 724),
    Row("queens", _board(11), "", 2, 2680),
    Row("resource", {}, "", 538318, 4136459),
    Row("swn", windows(1, 1), "", 264, 582, (3, 3), SMALL),
    Row("swn", windows(1, 2), "", 432, 981, (4, 4), SMALL),
    Row("swn", windows(2, 1), "", 4662, 14403, (4, 4), COMPILED),
    Row("swn", windows(2, 2), "", 8268, 25168, (6, 6)),
    Row("swn", windows(3, 3), "", 117792, 407358, None, COMPILED),
    Row("swn", {}, "", 1233728, 4620776),
    Row("swn", windows(1, 1), "PRIORITY", 234, 450, None, SMALL),
    Row("swn", windows(1, 2), "PRIORITY", 369, 729),
    Row("swn", windows(2, 1), "PRIORITY", 3048, 7947),
    Row("swn", windows(2, 2), "PRIORITY", 5360, 13860, None, COMPILED),
    Row("swn", windows(3, 3), "PRIORITY", 66204, 192942),
    Row("swn", {}, "PRIORITY", 601256, 1873408),
    Row("swn-m", {}, "", 240, 504, (6, 6), SMALL),
    Row("swn-m", {}, "", 174, 438, (6, 6), SMALL, modular=True),
    Row("swn-m", {}, "PRIOP", 204, 378, (6, 6), SMALL),
    Row("swn-m", {}, "PRIOP", 145, 289, (6, 6), SMALL, modular=True),
    Row("swn-m", {}, "LLQ", 2280, 5808, (3, 5), COMPILED),
    Row("swn-m", {}, "LLQ", 990, 5304, (3, 5), modular=True),
    Row("swn-m", {}, "TIMEOUT", 169266, 499716),
    Row("swn-m", {}, "TIMEOUT", 148458, 584862, modular=True),
    Row("swn-m", {}, "TIMEOUT TIMEOUT_SEND", 17898, 51564, None, COMPILED),
    Row("swn-m", {}, "TIMEOUT TIMEOUT_SEND", 14670, 53868, modular=True),
    Row("swn-m", {}, "LOSSY", 323724, 1537638, None, COMPILED),
    Row("swn-m", windows(1, 1), "LOSSY", 108, 310, (2, 2), SMALL),
    Row("swn-m", windows(1, 1), "LOSSY", 64, 172, (2, 2), SMALL, modular=True),
    Row("swn-m", windows(2, 2), "LOSSY", 9388, 40256, (4, 4)),
    Row("swn-m", windows(2, 2), "LOSSY", 7080, 65692, (4, 4), modular=True),
    Row("sync", _parts(2), "", 4, 8),
    Row("sync", _parts(5), "", 32, 160, None, SMALL),
    Row("sync", {}, "", 256, 2048, (5, 49), COMPILED),
    Row("typecast", {}, "", 4, 8, (2, 2), SMALL),
]

#: model, what is replaced, flags, places, transitions and arcs of the net that it unfolds to over coverable tokens
UNFOLDED: list[tuple[str, Edits, str, tuple[int, int, int]]] = [
    ("buffer", {}, "", (16, 24, 72)),
    ("dining", {}, "", (12, 9, 30)),
    ("mutex", {}, "", (7, 6, 16)),
    ("output", {}, "", (3, 2, 7)),
    ("quant", {}, "", (4, 4, 16)),
    ("sync", {}, "", (72, 16, 144)),
    ("typecast", {}, "", (4, 4, 8)),
    ("dbm", _sites(3), "", (28, 18, 78)),
    ("dbm", {}, "", (301, 200, 960)),
    ("modular", {}, "", (64, 53, 128)),
    ("object", {}, "", (4, 1, 4)),
    ("queens", _board(4), "", (4, 24, 56)),
    ("queens", _board(5), "", (5, 125, 385)),
    ("swn", windows(1, 1), "UNFOLD", (36, 402, 4972)),
    ("queens", _board(6), "", (6, 796, 2924)),
    ("resource", {}, "", (193, 4610, 64322)),
]
SLOW_TO_UNFOLD = 2  # of them, the last ones

_FAIR, _WEAK, _NONE = {}, {"strongly_fair": "weakly_fair"}, {"strongly_fair": "enabled"}
_SEND = "[]<>true equals place white_req || <>true equals place blue_req"
_MUTEX = (
    "[]<>((>pid_t subset place quiet) => (>pid_t subset place pending))",
    "([]<>(>pid_t subset place quiet)) => ([]<>(>pid_t subset place pending))",
    "[]((>pid_t subset place pending) => <>(>pid_t subset place critical))",
    "[] cardinality place critical <= 1",
)

#: model, what is replaced, flags, a formula, whether it holds
QUESTIONS: list[tuple[str, Edits, str, str, bool]] = [
    *(
        ("mutex", {**_processes(number), **fair}, "", formula, at == 3 or (at == 2 and fair is _FAIR))
        for number in (2, 3, 4, 5)
        for fair in (_FAIR, _WEAK, _NONE)
        for at, formula in enumerate(_MUTEX)
    ),
    *(
        ("swn", windows(*size), flags, _SEND, bool(flags))
        for size in ((1, 1), (1, 2), (2, 1))
        for flags in ("", "FAIR")
    ),
]

#: model, what is replaced, states and arcs with Maria's -Z
CHAINS: list[tuple[str, Edits, int, int]] = [
    ("dining", {}, 14, 33),
    ("dining", _people(5), 82, 275),
    ("buffer", {}, 10, 30),  # Maria says 33 arcs: it counts the last state of a loop twice
    ("mutex", {}, 8, 16),
    ("swn-m", {}, 240, 540),
    ("object", {}, 1, 0),
    ("quant", {}, 1, 0),
]
