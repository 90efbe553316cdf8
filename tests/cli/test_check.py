"""``kripke check``: output, files, exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from kripke.cli.main import main
from kripke.languages.registry import LANGUAGES

Toy = Callable[[str], str]


def test_holds(kripke, toy: Toy) -> None:
    ran = kripke("check", toy("counters"), "--engine", "interpreter")
    assert ran.code == 0
    assert ran.out.startswith("holds: no deadlock, no failed assertion in 9 states\n")
    assert ran.err == ""


def test_violated(kripke, toy: Toy) -> None:
    ran = kripke("check", toy("assertion"), "--engine", "interpreter")
    assert ran.code == 1
    assert ran.out.startswith("violated: assertion y = y + 1 (toy.pml:7:5), after 2 steps\n\nstep  process")


def test_unknown(kripke, toy: Toy) -> None:
    ran = kripke("check", toy("huge"), "--engine", "interpreter", "--max-states", "1_000")
    assert ran.code == 3
    assert ran.out.startswith("unknown: the limit of 1,000 states was reached, after 1,000 states\n")


def test_quiet_is_one_line(kripke, toy: Toy) -> None:
    ran = kripke("check", toy("assertion"), "--quiet")
    assert (ran.code, ran.err) == (1, "")
    assert ran.out == "violated: assertion y = y + 1 (toy.pml:7:5), after 2 steps\n"


def test_no_deadlock(kripke, toy: Toy) -> None:
    assert kripke("check", toy("deadlock"), "--quiet").code == 1
    ran = kripke("check", toy("deadlock"), "--quiet", "--no-deadlock")
    assert (ran.code, ran.out) == (0, "holds: no failed assertion in 4 states\n")


def test_dfs_and_no_por(kripke, toy: Toy) -> None:
    ran = kripke("check", toy("counters"), "--search", "dfs", "--no-por", "--store", "full", "--threads", "1")
    assert ran.code == 0
    assert "depth-first search, interpreter engine" in ran.out


def test_json_on_standard_output_is_the_only_output(kripke, toy: Toy) -> None:
    ran = kripke("check", toy("assertion"), "--json")
    record = json.loads(ran.out)
    assert (ran.code, ran.err) == (1, "")
    assert (record["verdict"], record["kind"], record["errors"]) == ("violated", "assertion", 1)
    assert record["model"]["file"] == "toy.pml"
    assert len(record["trace"]["steps"]) == 2


def test_without_reduction_where_there_is_none(kripke, toy: Toy) -> None:
    ran = kripke("check", toy("counters"), "--por", "--quiet")
    assert ran.code == 0
    assert ran.out == kripke("check", toy("counters"), "--quiet").out
    reason = "this kind of model does not say which of its steps depend on each other"
    assert f"searched without partial-order reduction: {reason}" in kripke("check", toy("counters"), "--por").err


def test_json_before_the_model_does_not_swallow_it(kripke, toy: Toy) -> None:
    assert json.loads(kripke("check", "--json", toy("counters")).out)["states"] == 9


def test_json_to_a_file_leaves_the_text(kripke, toy: Toy) -> None:
    ran = kripke("check", toy("counters"), "--json", "out.json")
    assert ran.out.startswith("holds")
    assert json.loads(Path("out.json").read_text())["verdict"] == "holds"


def test_trace_files(kripke, toy: Toy) -> None:
    ran = kripke("check", toy("several"), "--all-errors", "--trace", "t.json", "--json")
    record = json.loads(ran.out)
    assert [finding["trace"]["file"] for finding in record["findings"]] == ["t.json", "t.2.json"]
    assert record["trace"]["file"] == "t.json"
    assert json.loads(Path("t.2.json").read_text())["format"] == "kripke-trace"


def test_the_report_names_the_trace_file(kripke, toy: Toy) -> None:
    assert "\ntrace saved in t.json\n" in kripke("check", toy("assertion"), "--trace", "t.json").out


def test_interrupted_before_the_search(kripke, toy: Toy) -> None:
    ran = kripke("check", toy("interrupt"), "--quiet")
    assert (ran.code, ran.out) == (3, "unknown: interrupted before the search began, after 0 states\n")
    assert json.loads(kripke("check", toy("interrupt"), "--json").out)["verdict"] == "unknown"


def test_no_memory(kripke, toy: Toy) -> None:
    ran = kripke("check", toy("memory"), "--quiet")
    assert (ran.code, ran.out) == (3, "unknown: out of memory, after 0 states\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--ltl", "[] p"], "--ltl: the language toy has none of these yet"),
        (["--never", "n.pml"], "--never: the language toy has none of these yet"),
        (
            ["--fair", "weak"],
            "--fair weak: fairness is about infinite runs, and only safety is checked here; "
            "give a formula with --ltl, or a property of the model with --property",
        ),
        (
            ["--fair", "no"],
            "--fair no: not in this version; there are weak, strong, weak-edges, strong-edges and events",
        ),
        (
            ["--search", "ndfs"],
            "--search ndfs looks for cycles, and only safety is checked here; choose bfs or dfs, "
            "or give a formula with --ltl",
        ),
        (["--property", "p"], "--property p: the model has no property of that name; there is safety alone"),
        (
            ["--store", "zip"],
            "--store zip: not in this version; there are full, tree, collapse, numbers, hashcompact, bitstate, "
            "cache and disk",
        ),
        (["--hashes", "3"], "--hashes belongs to --store bitstate, not to --store full"),
        (["--store", "hashcompact", "--hash-bits", "17"], "hashes of 17 bits: choose 32, 40 or 64"),
        (
            ["--store", "tree", "--engine", "interpreter"],
            "--store tree needs the native engine: leave out --engine interpreter",
        ),
        (
            ["--store", "bitstate", "--search", "bfs"],
            "--search bfs with --store bitstate: this store keeps no states, and breadth-first search goes on from "
            "those it keeps: choose dfs",
        ),
        (
            ["--search", "guess"],
            "--search guess: not in this version; there are bfs, dfs, ndfs, scc, walk, sweep, astar, best-first, ida, "
            "directed-bfs, directed-dfs, prefix, symbolic and hierarchic",
        ),
        (
            ["--engine", "gpu"],
            "--engine gpu: not in this version; there are native, interpreter, bdd, bmc, induction, pdr and auto",
        ),
        (["--threads", "31"], "31 threads: choose from 1 to 30"),
        (["-D", "=3"], "-D =3: a macro has a name; write -D NAME or -D NAME=VALUE"),
        (["--trace", "no/such/t.json"], "cannot write no/such/t.json: there is no directory no/such"),
        (["--html", "."], "cannot write .: it is a directory"),
        (["--engine", "native"], "this model has no compiled form"),
        (["--invariant", "z"], "the model has no atom 'z' to serve as an invariant"),
    ],
)
def test_what_this_version_does_not_do_is_refused_in_words(kripke, toy: Toy, options, message: str) -> None:
    if options[-1] == "native":
        pytest.importorskip("kripke._native")
    ran = kripke("check", toy("counters"), *options)
    assert (ran.code, ran.out, ran.err) == (2, "", f"error: {message}\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--memory", "lots"], "argument --memory: 'lots' is not an amount of memory such as 512M or 4G"),
        (["--time-limit", "soon"], "argument --time-limit: 'soon' is not a time such as 90, 5m or 2h"),
        (
            ["--max-depth", "0"],
            "argument --max-depth: '0' is not a number of steps: it must be a whole number greater than 0",
        ),
        (["--maxdepth", "3"], "there is no option --maxdepth; did you mean --max-depth?"),
    ],
)
def test_wrong_values(kripke, toy: Toy, options, message: str) -> None:
    ran = kripke("check", toy("counters"), *options)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == f"error: {message}\nkripke check --help lists the options\n"


def test_a_model_error_shows_the_line(kripke, toy: Toy) -> None:
    ran = kripke("check", toy("wrong"))
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "wrong.toy:3:7: error: there is no variable y\n"
        "    x = y;\n"
        "        ^\n"
        "hint: declare it\n"
    )  # fmt: skip


def test_an_unexpected_exception_is_no_traceback(kripke, toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = kripke("check", toy("crash"))
    assert ran.code == 2
    assert ran.err == (
        "internal error: ZeroDivisionError: oops\n"
        "this is a bug in Kripke, please report it, with the model and the command; "
        "KRIPKE_DEBUG=1 shows where it happened\n"
    )
    monkeypatch.setenv("KRIPKE_DEBUG", "1")
    assert "Traceback (most recent call last)" in kripke("check", toy("crash")).err


def test_a_model_nested_too_deeply(kripke, toy: Toy) -> None:
    ran = kripke("check", toy("deep"))
    assert (ran.code, ran.err) == (2, "error: the model is nested too deeply\n")


def test_a_model_is_known_by_its_text_where_its_name_does_not_tell(kripke, tmp_path: Path) -> None:
    for name in ("leader", "model.txt", "model.pr", "model.pm"):
        (tmp_path / name).write_text("/* a process */\nactive proctype P() { skip }\n")
        assert kripke("check", name).code == 0
    (tmp_path / "start").write_text("init { skip }\n")
    assert kripke("check", "start").code == 0


def test_files_that_cannot_be_read(kripke, tmp_path: Path) -> None:
    (tmp_path / "folder.pml").mkdir()
    (tmp_path / "binary.pml").write_bytes(b"\x7fELF\0\0")
    (tmp_path / "model.xyz").write_text("?")
    (tmp_path / "README").write_text("?")
    languages = ", ".join(f"{name} ({' '.join(LANGUAGES[name].endings)})" for name in sorted(LANGUAGES))
    known = f"hint: name it with --lang; known languages: {languages}\n"
    for name, message in {
        "missing.pml": "error: cannot read missing.pml: No such file or directory\n",
        "missing": "error: cannot read missing: No such file or directory\n",
        "folder.pml": "error: there is no model in folder.pml\n",
        "binary.pml": "error: cannot read binary.pml: it is a binary file, not a model\n",
        "model.xyz": f"error: the ending '.xyz' of model.xyz names no known language\n{known}",
        "README": f"error: the name README names no known language\n{known}",
    }.items():
        ran = kripke("check", name)
        assert (ran.code, ran.out, ran.err) == (2, "", message)


def test_an_unknown_language(kripke, toy: Toy) -> None:
    ran = kripke("check", toy("counters"), "--lang", "klingon")
    assert ran.code == 2
    assert ran.err.startswith("error: there is no language 'klingon'\n")


def test_lang_instead_of_the_ending(kripke, tmp_path: Path) -> None:
    (tmp_path / "model.txt").write_text("counters")
    assert kripke("check", "model.txt", "--lang", "toy", "--quiet").code == 0


def test_main_takes_the_arguments_of_the_process(monkeypatch: pytest.MonkeyPatch, toy: Toy) -> None:
    monkeypatch.setattr("sys.argv", ["kripke", "check", toy("counters"), "--quiet"])
    assert main() == 0


def test_an_html_report(kripke, toy: Toy) -> None:
    ran = kripke("check", toy("assertion"), "--html", "report.html", "--quiet")
    assert (ran.code, ran.err) == (1, "")
    page = Path("report.html").read_text()
    assert page.startswith("<!doctype html>") and "assertion violated" in page
    assert "kripke check assertion.toy --html report.html --quiet" in page
    ran = kripke("check", toy("assertion"), "--html", "no/report.html")
    assert (ran.code, ran.err) == (2, "error: cannot write no/report.html: there is no directory no\n")


def test_the_report_of_a_model_that_holds_shows_the_model(kripke, tmp_path: Path) -> None:
    (tmp_path / "m.pml").write_text("byte x; active proctype swing() { do :: x = 1 - x od }")
    assert kripke("check", "m.pml", "--html", "m.html", "--quiet").code == 0
    page = (tmp_path / "m.html").read_text()
    assert "<figcaption>swing</figcaption>" in page and '"space":{"start":[0]' in page
