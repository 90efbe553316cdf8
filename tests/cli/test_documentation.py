"""The sessions shown in the documentation are what the command prints today, but for times and rates."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("kripke._native")

ROOT = Path(__file__).parents[2]


def sessions(page: str) -> list[tuple[list[str], str]]:
    """(arguments, output) of every ``kripke check`` in a console block that shows its output."""
    text = (ROOT / page).read_text()
    found = re.findall(r"```console\n\$ (?:\./dev )?kripke (check [^\n]*)\n(.+?)```", text, re.DOTALL)
    return [(command.replace("'", "").split(" "), output) for command, output in found if not output.startswith("$")]


def comparable(output: str) -> str:
    """Without the figures of this run and this machine."""
    output = output.partition("\nnever executed")[0]
    output = re.sub(r"[\d.]+ KB for states", "S for states", output)
    output = re.sub(r"\d+\.\d\d s(, [\d.]+( [kMG])? states/s)?", "T", output)
    return re.sub(r"compiled by \S+ in T(, from the cache)?", "compiled", output).rstrip()


def test_readme(kripke, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    ((arguments, shown),) = sessions("README.md")
    assert comparable(kripke(*arguments).out) == comparable(shown)


def test_nets(kripke, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    ((arguments, shown),) = sessions("docs/languages/pnml.md")
    assert comparable(kripke(*arguments).out) == comparable(shown)


def test_tutorial(kripke, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "tutorial.md").read_text()
    model = re.findall(r"```promela\n(.+?)```", page, re.DOTALL)[0]
    broken, repaired, quiet = sessions("docs/tutorial.md")
    lock = tmp_path / "lock.pml"
    lock.write_text(model)
    assert comparable(kripke(*broken[0]).out) == comparable(broken[1])
    lines = model.split("\n")
    lock.write_text("\n".join([*lines[:5], "    :: atomic { !busy; busy = true };", *lines[7:]]))
    assert comparable(kripke(*repaired[0]).out) == comparable(repaired[1])
    assert kripke("check", "lock.pml", "--invariant", "inside <= 1", "--quiet").out == quiet[1]


def test_every_link_leads_somewhere() -> None:
    for page in [ROOT / "README.md", *ROOT.glob("docs/**/*.md")]:
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
            elsewhere = target.startswith("https://github.com/")  # bug reports of others
            assert elsewhere or (page.parent / target).exists(), f"{page.name}: {target}"
