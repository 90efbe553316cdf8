"""``kripke sql``: questions about state spaces, and the same counts as the checker's."""

from __future__ import annotations

import builtins
import json
import tomllib
from pathlib import Path

import pytest

pytest.importorskip("kripke._native")

EXAMPLES = Path(__file__).parents[2] / "examples" / "promela"
ENTRIES = tomllib.loads((EXAMPLES / "manifest.toml").read_text())["example"]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["file"])
def test_counts_are_those_of_the_checker(entry, kripke, tmp_path: Path) -> None:
    model = str(EXAMPLES / entry["file"])
    checked = json.loads(kripke("check", model, "--property", "safety", "--all-errors", "--json").out)
    assert kripke("explore", model, "-o", "space.parquet").code == 0
    question = (
        "select (select count(*) from states) as states,"
        " (select count(target) from transitions) + (select count(*) from states where initial) as transitions,"
        " (select max(depth) from states) as depth,"
        " (select count(*) from states where deadlock) + (select count(violation) from transitions) as errors"
    )
    ran = kripke("sql", "space.parquet", question, "--json")
    assert ran.code == 0, ran.err
    (answer,) = json.loads(ran.out)
    assert answer == {key: checked[key] for key in ("states", "transitions", "depth", "errors")}


OTHERS = [
    (manifest.parent.name, entry)
    for manifest in sorted(EXAMPLES.parent.glob("*/manifest.toml"))
    if manifest.parent != EXAMPLES
    for entry in tomllib.loads(manifest.read_text())["example"]
    if "assertions" not in entry  # of which not the states are counted but pairs of them
]


@pytest.mark.parametrize(
    ("folder", "entry"), OTHERS, ids=lambda value: value if isinstance(value, str) else value["file"]
)
def test_counts_of_the_other_examples(folder: str, entry, kripke) -> None:
    model = str(EXAMPLES.parent / folder / entry["file"])
    checked = json.loads(kripke("check", model, "--property", "safety", "--all-errors", "--json").out)
    question = (
        "select (select count(*) from states) as states,"
        " (select count(target) from transitions) + (select count(*) from states where initial) as transitions"
    )
    (answer,) = json.loads(kripke("sql", model, question, "--json").out)
    assert answer == {key: checked[key] for key in ("states", "transitions")}


def test_counts_of_a_script_of_processes(kripke) -> None:
    model = str(EXAMPLES.parent / "cspm" / "buffer.csp")
    (answer,) = json.loads(kripke("sql", model, "select count(*) as states from states", "--json").out)
    kripke("explore", model, "-o", "space.aut")
    header = Path("space.aut").read_text().partition("\n")[0]
    assert header.endswith(f",{answer['states']})")


def test_a_model_is_asked_at_once(kripke) -> None:
    model = str(EXAMPLES / "peterson.pml")
    ran = kripke("sql", model, "select inside, count(*) as states from states group by inside order by inside")
    assert ran.out == "inside  states\n     0      26\n     1      12\n"
    ran = kripke("sql", model, "select distinct turn from states order by 1", "--csv")
    assert ran.out == "turn\n0\n1\n"
    ran = kripke("sql", model, "select flag[1] from states", "--max-states", "3")
    assert ran.code != 0
    ran = kripke("sql", model, 'select "flag[1]" from states', "--max-states", "3", "--csv")
    assert (ran.code, ran.out) == (3, "flag[1]\nFalse\nTrue\nFalse\n")
    assert ran.err == "incomplete: the limit of states was reached; the answer is about what is there\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("space.parquet", ""), 'error: there is no question: write one, such as "select count(*) from states"\n'),
        (("space.parquet", " ; "), 'error: there is no question: write one, such as "select count(*) from states"\n'),
        (("space.parquet",), 'error: which question? write: kripke sql FILE "select count(*) from states"\n'),
        (("no.parquet", "select 1"), "error: cannot read no.parquet: there is no such file\n"),
        (("space.parquet", "selec 1"), "syntax error"),
        (("space.parquet", "select nothing from states"), '"nothing" not found'),
        (("space.parquet", "select * from read_csv('/etc/hostname')"), "disabled by configuration"),
        (("space.parquet", "copy states to 'stolen.csv'"), "disabled by configuration"),
    ],
)
def test_errors(arguments: tuple[str, ...], message: str, kripke) -> None:
    kripke("explore", str(EXAMPLES / "peterson.pml"), "-o", "space.parquet")
    ran = kripke("sql", *arguments)
    assert ran.code == 2
    assert message in ran.err


@pytest.mark.parametrize(
    ("missing", "arguments", "message"),
    [
        ("duckdb", ("sql", "x.parquet", "select 1"), "SQL needs DuckDB; install it with: pip install 'kripke[sql]'"),
        ("pyarrow", ("explore", "MODEL", "-o", "x.parquet"), "install them with: pip install 'kripke[data]'"),
    ],
)
def test_what_is_missing_is_named(missing, arguments, message, kripke, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    real = builtins.__import__

    def without(name: str, *rest: object) -> object:
        if name.partition(".")[0] == missing:
            raise ImportError(f"No module named {name!r}")
        return real(name, *rest)  # type: ignore[arg-type]

    for name in [name for name in sys.modules if name.partition(".")[0] == missing or name == "kripke.report.parquet"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without)
    ran = kripke(*(str(EXAMPLES / "peterson.pml") if part == "MODEL" else part for part in arguments))
    assert ran.code == 2
    assert message in ran.err
