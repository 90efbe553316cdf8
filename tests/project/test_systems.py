"""The page of systems: every row has a status, every command in it runs and prints what the page says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from kripke.cli.main import main

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "systems.md").read_text()
ROWS = re.split(r"^### ", PAGE, flags=re.M)[1:]
COMMANDS = re.findall(r"^- `kripke ([^`]+)`\s→\s+`([^`]+)`$", PAGE, flags=re.M)
DOCUMENTS = 44  # systems in the five documents


def test_every_system_has_a_row_with_a_status() -> None:
    assert len(ROWS) == DOCUMENTS
    for row in ROWS:
        status = re.search(r"^Status: \*\*(works|part|not yet|nothing to build)\*\*\.", row, flags=re.M)
        assert status, row.splitlines()[0]
        if status.group(1) == "works":
            assert "→" in row, f"{row.splitlines()[0]}: no command shows that it works"


def test_no_command_is_written_in_another_form() -> None:
    assert PAGE.count("`kripke ") == len(COMMANDS)


@pytest.mark.parametrize(("command", "words"), COMMANDS)
def test_its_commands_run(
    command: str, words: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    code = main(shlex.split(command))
    printed = capsys.readouterr()
    assert code in (0, 1), printed.err
    assert words in printed.out


@pytest.mark.parametrize("named", sorted(set(re.findall(r"`((?:tests|examples|benchmarks)/[^`* ]+)`", PAGE))))
def test_the_files_it_names_exist(named: str) -> None:
    assert (ROOT / named).exists()
