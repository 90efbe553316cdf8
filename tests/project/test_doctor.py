"""``kripke doctor``: healthy and sick machines."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from kripke._native import ABI
from kripke.cli.main import main


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KRIPKE_CACHE", str(tmp_path / "cache"))


def report(capsys: pytest.CaptureFixture[str], code: int) -> dict[str, dict[str, Any]]:
    """The parts by name; of several compilers the first."""
    assert main(["doctor", "--json"]) == code
    told = json.loads(capsys.readouterr().out)
    assert told["ok"] is (code == 0)
    return {part["name"]: part for part in reversed(told["parts"])}


def test_healthy(capsys: pytest.CaptureFixture[str]) -> None:
    parts = report(capsys, code=0)
    assert list(reversed(parts))[:3] == ["kripke", "python", "native engine"]
    assert parts["native engine"]["abi"] == ABI
    assert parts["C compiler"]["loaded"] == "yes"
    assert parts["C compiler"]["compile_seconds"] > 0
    assert parts["cache"]["safe"] is True
    assert parts["cache"]["models"] == 0
    assert 0 < parts["memory"]["search_limit"] <= parts["memory"]["free"] <= parts["memory"]["total"]
    assert 1 <= parts["cores"]["usable"] <= parts["cores"]["total"]
    assert {"spin", "dot", "ziglang", "duckdb"} <= set(parts)


def test_every_extra(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib import metadata

    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    parts = report(capsys, code=0)
    extras = project["optional-dependencies"].keys() - {"dev"}
    assert {f"kripke[{extra}]" for extra in extras} <= set(parts)
    assert parts["kripke[lsp]"]["installed"] is True
    found = metadata.distribution

    def lacking(name: str) -> metadata.Distribution:
        if name == "pygls":
            raise metadata.PackageNotFoundError(name)
        return found(name)

    monkeypatch.setattr(metadata, "distribution", lacking)
    part = report(capsys, code=0)["kripke[lsp]"]
    assert (part["status"], part["missing"]) == ("missing", ["pygls"])
    assert part["advice"] == "pip install 'kripke[lsp]' installs it."


def test_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("ok       kripke: 0.1.0 in ")
    assert any(line.startswith("ok       C compiler: ") and line.endswith(" s and loaded") for line in lines)
    assert lines[-1] == "everything needed is here"


def test_no_compiler(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KRIPKE_CC", "/nowhere/cc")
    assert main(["doctor"]) == 2
    lines = capsys.readouterr().out.splitlines()
    at = lines.index("missing  C compiler: KRIPKE_CC is set to '/nowhere/cc', but there is no such program.")
    assert lines[at + 1] == (
        "         Set KRIPKE_CC to the command of a C compiler, or unset it to use cc, gcc, clang, tcc or ziglang."
    )
    assert lines[-1] == "something needed is missing: see above"


def test_compiler_that_does_not_work(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "cc"
    broken.write_text("#!/bin/sh\necho no licence\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("KRIPKE_CC", str(broken))
    part = report(capsys, code=2)["C compiler"]
    assert part["status"] == "missing"
    assert "no licence" in part["advice"]


def test_cache_that_is_not_safe(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o777)
    part = report(capsys, code=0)["cache"]
    assert (part["status"], part["safe"], part["needed"]) == ("warning", False, False)
    assert part["text"] == (
        f"the cache folder {tmp_path / 'cache'} is not used: "
        "others may write to it (mode 0777; chmod go-w makes it safe)"
    )


def test_report_in_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["doctor", "--json", str(tmp_path / "report.json")]) == 0
    assert capsys.readouterr().out.endswith("everything needed is here\n")
    assert json.loads((tmp_path / "report.json").read_text())["ok"] is True
