"""Every example gives what its manifest says, through the real command, on every engine and in every order."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from kripke.cli.main import main

EXAMPLES = Path(__file__).parents[2] / "examples"
CASES = [
    pytest.param(manifest.parent / entry["file"], entry, id=f"{manifest.parent.name}/{entry['file']}")
    for manifest in sorted(EXAMPLES.glob("*/manifest.toml"))
    for entry in tomllib.loads(manifest.read_text())["example"]
]
SEARCHED = [case for case in CASES if "assertions" not in case.values[1]]
ASSERTED = [case for case in CASES if "assertions" in case.values[1]]
CODES = {"holds": 0, "violated": 1, "unknown": 3}


def check(file: Path, *options: str) -> tuple[int, dict[str, Any]]:
    ran = subprocess.run(
        [sys.executable, "-m", "kripke", "check", str(file), "--json", *options],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.stderr == ""
    return ran.returncode, json.loads(ran.stdout)


@pytest.mark.parametrize(("file", "expected"), CASES)
def test_first_error(file: Path, expected: dict[str, Any]) -> None:
    code, result = check(file, *expected.get("options", ()))
    assert code == CODES[expected["verdict"]]
    assert result["verdict"] == expected["verdict"]
    if "kind" in expected:
        assert result["kind"] == expected["kind"]
    assert (result["trace"] is None) == (expected["verdict"] == "holds")


@pytest.mark.parametrize("search", ["bfs", "dfs"])
@pytest.mark.parametrize("engine", ["native", "interpreter"])
@pytest.mark.parametrize(("file", "expected"), SEARCHED)
def test_all_errors(
    file: Path, expected: dict[str, Any], engine: str, search: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """In this process: four starts of a command for each example would take longer than the searches."""
    options = (*expected.get("options", ()), "--all-errors", "--engine", engine, "--search", search)
    code = main(["check", str(file), "--json", *options])
    output, errors = capfd.readouterr()
    if engine not in expected.get("engines", [engine]):
        assert (code, errors) == (2, "error: this model has no compiled form\n")
        return
    assert errors == ""
    result = json.loads(output)
    assert result["properties"][0][
        "complete"
    ]  # the figures are those of the first search; that for a cycle ends at one
    assert result["verdict"] == expected["verdict"]
    for key in ("states", "transitions", "errors"):
        if key in expected:
            assert (key, result[key]) == (key, expected[key])


@pytest.mark.parametrize(("file", "expected"), ASSERTED)
def test_assertions(file: Path, expected: dict[str, Any]) -> None:
    _, result = check(file)
    assert [part["verdict"] for part in result["properties"]] == expected["assertions"]


def test_every_model_is_in_a_manifest() -> None:
    listed = {case.values[0] for case in CASES}
    beside = (".toml", ".lemmas", ".asn1")  # what belongs to models
    # Start-up files and their programs run under every schedule: tests/testing/test_distributed.py has what they give.
    models = (file for file in EXAMPLES.glob("*/*") if file.parent.name != "distributed")
    assert listed == {file for file in models if file.suffix not in beside}
