"""Text of models and files on a terminal: nothing in it acts, and nothing in it looks like a line of ours."""

from __future__ import annotations

import io
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kripke.cli.safe_stream import SafeStream
from kripke.report.terminal import Terminal
from kripke.text import visible

pty = pytest.importorskip("pty")

BREAKS = ["\r", "\nholds: no deadlock", "\u202egnp", "\u2066", "\x7f", "\u200b", "\x9b1A"]
ATTACKS = [*BREAKS, "\x1b[2J", "\x1b]0;t\x07", "\x00"]

NET = """<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
<net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
<place id="p"><name><text>{name}</text></name><initialMarking><text>1</text></initialMarking></place>
<transition id="t"><name><text>{name}</text></name></transition><arc id="a" source="p" target="t"/>
</page></net></pnml>"""


def test_visible() -> None:
    assert visible("x\x1b[1m\u202e\n\t") == "x\\x1b[1m\\u202e\\n\\t"
    assert visible("a\tb\n", keep="\n\t") == "a\tb\n"
    assert visible("grün → ✓") == "grün → ✓"


def test_our_own_colours_pass_and_no_others() -> None:
    inner = io.StringIO()
    stream = SafeStream(inner)
    terminal = Terminal(colour=True, escape=stream.mark)
    print(terminal.style("holds", "green"), "\x1b[31mred", file=stream)  # type: ignore[arg-type]
    assert inner.getvalue() == "\x1b[32mholds\x1b[0m \\x1b[31mred\n"


def on_a_terminal(folder: Path, *arguments: str) -> str:
    """What the command writes to a terminal."""
    parent, child = pty.openpty()
    environment = {**os.environ, "TERM": "xterm"}
    process = subprocess.Popen(
        [sys.executable, "-m", "kripke", *arguments],
        cwd=folder,
        stdin=child,
        stdout=child,
        stderr=child,
        env=environment,
    )
    os.close(child)
    text = b""
    while True:
        try:
            piece = os.read(parent, 65536)
        except OSError:
            break
        if not piece:
            break
        text += piece
    process.wait(timeout=120)
    os.close(parent)
    return text.decode(errors="replace")


def plain(text: str) -> str:
    """Without what the command itself may write: colours, the progress line, line ends of a terminal."""
    text = re.sub(r"\x1b\[(K|[0-9;]*m)", "", text)
    return text.replace("\r\n", "\n").replace("\r", "")


def acts(text: str) -> set[str]:
    return {character for character in plain(text) if visible(character, keep="\n\t") != character}


def test_names_of_a_net(tmp_path: Path) -> None:
    seed = random.Random(20_261_117)
    for number in range(3):
        name = "".join(seed.sample([*BREAKS, "ab "], 5))
        escaped = "".join(f"&#{ord(c)};" if ord(c) > 126 or c in "\n\r" else c for c in name)
        (tmp_path / f"m{number}.pnml").write_text(NET.format(name=escaped))
        shown = on_a_terminal(tmp_path, "check", f"m{number}.pnml")
        assert "deadlock" in shown
        assert acts(shown) == set(), (name, shown)
        assert not any(line.startswith("holds") for line in plain(shown).split("\n")), shown


@pytest.mark.parametrize("verb", [("check",), ("simulate", "--seed", "1"), ("info",), ("emit", "--c")])
def test_texts_of_promela(tmp_path: Path, verb: tuple[str, ...]) -> None:
    attack = "".join(ATTACKS)
    inline = attack.replace("\n", " ")
    model = f'byte x;\nactive proctype P() {{ printf("a{inline}b"); /* {attack} */ x = 1; assert(x == 2) }}\n'
    (tmp_path / "m.pml").write_text(model)
    assert acts(on_a_terminal(tmp_path, verb[0], "m.pml", *verb[1:])) == set()


@pytest.mark.parametrize("character", ["\x1b[2J", "\x9b1A", "\u202e", "\n"])
def test_a_source_line_with_an_error(tmp_path: Path, character: str) -> None:
    (tmp_path / "m.pml").write_text(f"byte x; {character} oops\n")
    assert acts(on_a_terminal(tmp_path, "check", "m.pml")) == set()


@pytest.mark.parametrize(
    "rest", [["check", "m{}.pml"], ["check", "missing{}"], ["check", "m{}.pml", "--property", "{}"], ["{}"]]
)
def test_names_of_files_and_options(tmp_path: Path, rest: list[str]) -> None:
    attack = "".join(ATTACKS).replace("\x00", "")
    (tmp_path / f"m{attack}.pml").write_text("active proctype P() { assert(false) }\n")
    shown = on_a_terminal(tmp_path, *(word.format(attack) for word in rest))
    assert acts(shown) == set()
    if "--property" not in rest:  # who writes a line break into an option sees it
        assert not any(line.startswith("holds") for line in plain(shown).split("\n")), shown
