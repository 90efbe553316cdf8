"""Several checks in one command, what other tools read of them, and the checks of a project."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Kripke
from tests.support.sarif import problems_of

GOOD = "byte x; active proctype P() { x = 1; assert(x == 1) }\n"
BAD = 'byte x;\nactive proctype P() {\n    x = 2;\n    assert(x == 1) /* <"&> */\n}\n'
WRONG = "active proctype P() { y = 1 }\n"


@pytest.fixture
def models(tmp_path: Path) -> Path:
    (tmp_path / "good.pml").write_text(GOOD)
    (tmp_path / "bad.pml").write_text(BAD)
    folder = tmp_path / "a folder"
    (folder / ".hidden").mkdir(parents=True)
    (folder / ".hidden" / "no.pml").write_text(WRONG)
    (folder / "wrong.pml").write_text(WRONG)
    (folder / "notes.txt").write_text("no model")
    return tmp_path


def test_a_table_and_files_for_others(kripke: Kripke, models: Path) -> None:
    ran = kripke(
        *("check", "good.pml", "bad.pml", "a folder", "--engine", "interpreter", "--github"),
        *("--junit", "j.xml", "--sarif", "s.sarif", "--json", "all.json"),
    )
    assert (ran.code, ran.err) == (2, "")
    lines = ran.out.splitlines()
    assert [line.split("  ")[0] for line in lines[:3]] == ["holds", "violated", "error"]
    assert "assertion violated: assert(x == 1) (bad.pml:4:5)" in lines[1]
    assert "a folder/wrong.pml:1:23: unknown name 'y'" in lines[2]
    assert lines[3] == (
        "::error file=bad.pml,line=4,col=5,title=violated%3A bad.pml::assertion violated: assert(x == 1) (bad.pml:4:5)"
    )
    assert lines[4].startswith("::error file=a folder/wrong.pml,line=1,col=23,title=error%3A a folder/wrong.pml::")
    assert lines[5] == "3 checks: 1 holds, 1 violated, 1 could not be checked"

    results = json.loads((models / "all.json").read_text())
    assert [result["verdict"] for result in results] == ["holds", "violated", "error"]
    assert results[1]["place"] == {"file": "bad.pml", "line": 4, "column": 5}
    assert results[2]["model"] == {"file": "a folder/wrong.pml"}

    suite = ElementTree.parse(models / "j.xml").getroot()
    numbers = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert suite.tag == "testsuites" and numbers == {"tests": "3", "failures": "1", "errors": "1", "skipped": "0"}
    cases = list(suite.iter("testcase"))
    assert [(case.get("classname"), case.get("name"), [e.tag for e in case]) for case in cases] == [
        ("models", "good.pml", []),
        ("models", "bad.pml", ["failure"]),
        ("a folder", "a folder/wrong.pml", ["error"]),
    ]
    assert cases[1][0].get("type") == "assertion" and "*** assertion violated ***" in (cases[1][0].text or "")

    log = json.loads((models / "s.sarif").read_text())
    assert problems_of(log) == []
    found = log["runs"][0]["results"]
    assert [(result["ruleId"], result["level"]) for result in found] == [("assertion", "error"), ("error", "error")]
    where = found[0]["locations"][0]["physicalLocation"]
    assert where == {"artifactLocation": {"uri": "bad.pml"}, "region": {"startLine": 4, "startColumn": 5}}
    assert found[1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20folder/wrong.pml"
    steps = found[0]["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [step["location"]["message"]["text"] for step in steps] == [
        "step 1: P:0 x = 2",
        "step 2: P:0 assert(x == 1)",
    ]


def test_an_array_on_standard_output(kripke: Kripke, models: Path) -> None:
    """``--json`` before the files takes none of them for its own, and overwrites none."""
    ran = kripke("check", "--json", "good.pml", "bad.pml", "--engine", "interpreter")
    assert [result["model"]["file"] for result in json.loads(ran.out)] == ["good.pml", "bad.pml"]
    assert ran.code == 1 and (models / "good.pml").read_text() == GOOD


def test_one_file_with_a_report(kripke: Kripke, models: Path) -> None:
    ran = kripke("check", "good.pml", "--engine", "interpreter", "--junit", "j.xml")
    assert ran.code == 0 and ran.out.splitlines()[-1] == "1 check: 1 holds"
    assert ElementTree.parse(models / "j.xml").getroot().get("failures") == "0"


def test_a_folder_for_the_results(kripke: Kripke, models: Path) -> None:
    ran = kripke("check", "good.pml", "--json", "a folder")
    assert ran.code == 2 and ran.err.startswith("error: --json a folder: this is a folder; name a file in it")
    assert ran.err.endswith("write it before the options: kripke check good.pml a folder --json\n")
    assert len(json.loads(kripke("check", "--json", "a folder", "--engine", "interpreter").out)) == 1


def test_other_readers_take_the_reports(kripke: Kripke, models: Path) -> None:
    """junitparser, and sarif-pydantic; with SARIF_SCHEMA=FILE also the schema of the standard."""
    junitparser = pytest.importorskip("junitparser")
    sarif_pydantic = pytest.importorskip("sarif_pydantic")
    kripke(
        "check", "good.pml", "bad.pml", "a folder", "--engine", "interpreter", "--junit", "j.xml", "--sarif", "s.sarif"
    )
    (suite,) = junitparser.JUnitXml.fromfile(str(models / "j.xml"))
    assert (suite.name, suite.tests, suite.failures, suite.errors, suite.skipped) == ("kripke", 3, 1, 1, 0)
    good, bad, wrong = suite
    assert good.is_passed and bad.is_failure and wrong.is_error
    assert "assert(x == 1)" in bad.result[0].message and "step" in bad.result[0].text

    log = json.loads((models / "s.sarif").read_text())
    (run,) = sarif_pydantic.Sarif.model_validate(log).runs
    (place,) = run.results[0].locations
    assert place.physical_location.artifact_location.uri == "bad.pml"
    assert (place.physical_location.region.start_line, place.physical_location.region.start_column) == (4, 5)
    schema = os.environ.get("SARIF_SCHEMA")
    if schema is not None:
        jsonschema = pytest.importorskip("jsonschema")
        jsonschema.validate(log, json.loads(Path(schema).read_text()))


def test_what_is_for_one_file_only(kripke: Kripke, models: Path) -> None:
    ran = kripke("check", "good.pml", "bad.pml", "--html", "r.html")
    assert (ran.code, ran.err) == (2, "error: --html is for a check of one file: leave it out\n")
    ran = kripke("check", "good.pml", "bad.pml", "--junit", "bad.pml")
    assert ran.code == 2 and "would overwrite a file that is read" in ran.err
    (models / "empty").mkdir()
    assert kripke("check", "empty").err == "error: there is no model in empty\n"


def test_names_of_others_do_not_break_the_forms(kripke: Kripke, tmp_path: Path) -> None:
    name = "a&b<\"'>,:%\n::error ::x.pml"
    (tmp_path / name).write_text(BAD)
    ran = kripke("check", name, "--engine", "interpreter", "--junit", "j.xml", "--sarif", "s.sarif", "--github")
    assert ran.code == 1
    assert [line for line in ran.out.splitlines() if line.startswith("::")] == [
        line for line in ran.out.splitlines() if line.startswith("::error file=a&b<\"'>%2C%3A%25%0A%3A%3Aerror")
    ]
    assert ElementTree.parse(tmp_path / "j.xml").getroot()[0][0].get("name") == name
    assert problems_of(json.loads((tmp_path / "s.sarif").read_text())) == []


# --- projects ---------------------------------------------------------------------------------------------------------

PROJECT = """
[defaults]
engine = "interpreter"

[[check]]
file = "good.pml"
states = 4

[[check]]
file = "b*.pml"
name = "known to fail"
verdict = "violated"
kind = "assertion"
"""


def test_a_project(kripke: Kripke, models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KRIPKE_CACHE", str(models / "cache"))
    (models / "kripke.toml").write_text(PROJECT)
    ran = kripke("test")
    assert (ran.code, ran.err) == (0, "")
    assert [line.split()[0] for line in ran.out.splitlines()] == ["passed", "passed", "2"]
    ran = kripke("test", "-q", "--json", "all.json")
    assert ran.out.startswith("2 checks: 2 passed, 2 from the cache, in ")
    assert [result["verdict"] for result in json.loads((models / "all.json").read_text())] == ["holds", "violated"]
    # What has changed is checked again; so is everything where the cache is not wanted.
    (models / "bad.pml").write_text(BAD.replace("x = 2", "x = 1"))
    ran = kripke("test", "--junit", "j.xml", "--sarif", "s.sarif", "--github")
    assert ran.code == 1
    wrong = "verdict is 'holds', expected 'violated'; kind is 'safety', expected 'assertion'"
    assert f"FAILED  known to fail  {wrong}  (bad.pml:1:1)" in ran.out
    assert "2 checks: 1 passed, 1 failed, 1 from the cache, in " in ran.out
    assert f"::error file=bad.pml,line=1,col=1,title=holds%3A known to fail::{wrong}" in ran.out
    assert ElementTree.parse(models / "j.xml").getroot().get("failures") == "1"
    log = json.loads((models / "s.sarif").read_text())
    assert problems_of(log) == [] and log["runs"][0]["results"][0]["ruleId"] == "expectation"
    assert "from the cache" not in kripke("test", "--no-cache").out


def test_an_included_file_counts(kripke: Kripke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KRIPKE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "part.h").write_text("#define LIMIT 3\n")
    (tmp_path / "m.pml").write_text('#include "part.h"\nbyte x; init { x = LIMIT; assert(x == 3) }\n')
    text = '[tool.kripke]\n[[tool.kripke.check]]\nfile = "m.pml"\nengine = "interpreter"\n'
    (tmp_path / "pyproject.toml").write_text(text)
    (tmp_path / "below").mkdir()
    assert kripke("test", "below", "-q").code == 0
    assert "1 from the cache" in kripke("test", "-q").out
    (tmp_path / "part.h").write_text("#define LIMIT 4\n")
    ran = kripke("test", "-q")
    assert ran.code == 1 and "from the cache" not in ran.out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no [[check]]"),
        ("[[check]]\nverdict = 'holds'", "check 1 needs a file"),
        ("[[check]]\nfile = 'none*.pml'", "check 1: no file is called none*.pml"),
        ("checks = 1", "there is no setting 'checks': there are check and defaults"),
        ("[[check]]\nfile = 'm.pml'\ninvariantt = 'x'", "check 1: its options are wrong"),
        ("[[check]]\nfile = 'm.pml'\noptions = 'x'", "check 1: options is a list of texts"),
        ("[[check]", "Expected ']]' at the end of an array declaration"),
        ("defaults = 1", "defaults is a table"),
    ],
)
def test_wrong_projects(kripke: Kripke, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "kripke.toml").write_text(text)
    ran = kripke("test")
    assert ran.code == 2 and message in ran.err and "kripke.toml" in ran.err


def test_a_file_that_changes_while_it_is_checked(monkeypatch: pytest.MonkeyPatch, models: Path) -> None:
    """The answer is about the old text: it is not remembered for the new one."""
    from kripke.cli import jobs
    from kripke.cli.arguments import parse

    monkeypatch.chdir(models)
    cache = jobs.ResultCache(str(models))
    job = jobs.Job("good", parse("check", ["good.pml", "--engine", "interpreter"]))
    job.options.outputs = {}
    run = jobs._record

    def slow(*arguments: Any) -> Any:
        (models / "good.pml").write_text(BAD)
        return run(*arguments)

    monkeypatch.setattr(jobs, "_record", slow)
    (record,) = jobs.run_jobs([job], 1, cache)
    assert record.verdict == "holds"
    monkeypatch.undo()
    monkeypatch.chdir(models)
    (record,) = jobs.run_jobs([job], 1, jobs.ResultCache(str(models)))
    assert (record.verdict, record.cached) == ("violated", False)


def test_two_at_once(models: Path) -> None:
    """They share the cache, and neither is in the way of the other."""
    (models / "kripke.toml").write_text(PROJECT)
    environment = {**os.environ, "KRIPKE_CACHE": str(models / "cache")}
    command = [sys.executable, "-m", "kripke", "test"]
    started = [
        subprocess.Popen(command, cwd=models, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(3)
    ]
    said = [process.communicate()[0] for process in started]
    assert [process.returncode for process in started] == [0, 0, 0]
    assert all("2 checks: 2 passed" in text for text in said)
    assert not [name for name in os.listdir(models / "cache" / "results") if not name.endswith(".json")]


def test_no_project(kripke: Kripke, tmp_path: Path) -> None:
    assert "there is no kripke.toml" in kripke("test").err


def test_a_check_that_dies_takes_nobody_with_it(monkeypatch: pytest.MonkeyPatch, models: Path) -> None:
    from kripke.cli import jobs
    from kripke.cli.arguments import parse

    killed: dict[str, Any] = {"command": ["/bin/sh", "-c", "cat >/dev/null; kill -9 $$"]}
    popen = jobs.subprocess.Popen

    def started(command: Any, **options: Any) -> Any:
        return popen(killed.pop("command", command), **options)

    monkeypatch.setattr(jobs.subprocess, "Popen", started)
    both = [jobs.Job(name, parse("check", [name, "--engine", "interpreter"])) for name in ("bad.pml", "good.pml")]
    for job in both:
        job.options.outputs = {}
    first, second = jobs.run_jobs(both, 1)
    assert (first.verdict, first.reason) == ("error", "the check ended without an answer (signal 9)")
    assert second.verdict == "holds"
