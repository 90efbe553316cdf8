"""Formula files: what is read, and what it means."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.pnml_nets import arc, place, pnml, transition

pytest.importorskip("kripke._native")

import kripke
from kripke.cli.main import main
from kripke.engines.branching.graph import GraphLimits
from kripke.engines.nets.formulas.answers import QueryAnswerer, thresholds
from kripke.engines.nets.formulas.examinations import StateSpaceSize, measure
from kripke.languages.pnml import load
from kripke.languages.pnml.document import FileSources
from kripke.languages.pnml.formulas import read_queries
from kripke.model.source import ModelError

# p -t-> q -u-> r, two tokens
LINE = pnml(
    place("p", 2)
    + place("q")
    + place("r")
    + "".join(map(transition, "tu"))
    + arc("p", "t")
    + arc("t", "q")
    + arc("q", "u")
    + arc("u", "r")
)


def tokens(*places: str) -> str:
    return "<tokens-count>" + "".join(f"<place>{name}</place>" for name in places) + "</tokens-count>"


def at_most(left: str, right: str) -> str:
    return f"<integer-le>{left}{right}</integer-le>"


def number(value: int) -> str:
    return f"<integer-constant>{value}</integer-constant>"


def fireable(*names: str) -> str:
    return "<is-fireable>" + "".join(f"<transition>{name}</transition>" for name in names) + "</is-fireable>"


def op(tag: str, *operands: str) -> str:
    return f"<{tag}>{''.join(operands)}</{tag}>"


def until(before: str, reach: str) -> str:
    return op("until", op("before", before), op("reach", reach))


def exists(tag: str, *operands: str) -> str:
    return op("exists-path", op(tag, *operands))


def always(tag: str, *operands: str) -> str:
    return op("all-paths", op(tag, *operands))


def properties(*formulas: str) -> str:
    return (
        '<property-set xmlns="http://mcc.lip6.fr/">\n'
        + "\n".join(
            f"<property><id>f{n}</id><description>x</description><formula>{formula}</formula></property>"
            for n, formula in enumerate(formulas)
        )
        + "\n</property-set>"
    )


def write(folder: Path, name: str, text: str) -> str:
    file = folder / name
    file.write_text(text)
    return str(file)


def answers(folder: Path, *formulas: str, interpret: bool = False) -> list[bool | int | None]:
    model = load(write(folder, "line.pnml", LINE))
    queries = read_queries(write(folder, "f.xml", properties(*formulas)), model.net, FileSources())
    return [answer.value for answer in QueryAnswerer(model, interpret).answer(queries)]


MEANINGS = [
    (exists("finally", at_most(number(2), tokens("r"))), True),
    (exists("finally", at_most(number(3), tokens("r"))), False),
    (always("globally", at_most(tokens("p", "q", "r"), number(2))), True),
    (always("globally", at_most(tokens("q"), number(1))), False),
    (always("finally", at_most(number(2), tokens("r"))), True),
    (op("negation", exists("globally", fireable("t", "u"))), True),
    (fireable("t"), True),
    (op("conjunction", fireable("t"), fireable("u")), False),
    (op("disjunction", fireable("u"), exists("next", fireable("u"))), True),
    (always("next", always("next", op("disjunction", fireable("t"), fireable("u")))), True),
    (op("all-paths", until(fireable("t"), fireable("u"))), True),
    (op("exists-path", until(op("negation", fireable("u")), op("negation", fireable("t")))), False),
    (exists("finally", op("deadlock")), True),
    (op("place-bound", "<place>q</place>"), 2),
    (op("place-bound", "<place>p</place><place>r</place>"), 2),
]


LINEAR = [
    (op("all-paths", op("finally", op("globally", at_most(number(2), tokens("r"))))), True),
    (op("all-paths", op("globally", op("finally", fireable("t")))), False),
    # A run that ends stays in its last state for ever.
    (op("all-paths", op("next", op("next", op("next", op("next", op("next", op("deadlock"))))))), True),
    (op("all-paths", op("disjunction", op("next", fireable("t")), op("next", fireable("u")))), True),
    (op("all-paths", until(fireable("t"), op("globally", op("negation", fireable("t"))))), True),
    (op("all-paths", until(fireable("u"), fireable("u"))), False),
]


def test_linear_time(tmp_path: Path) -> None:
    assert answers(tmp_path, *(formula for formula, _ in LINEAR)) == [value for _, value in LINEAR]
    assert answers(tmp_path, LINEAR[0][0], interpret=True) == [None]


def test_both_times_mixed(tmp_path: Path) -> None:
    mixed = op("exists-path", op("finally", op("globally", fireable("t"))))
    assert answers(tmp_path, mixed) == [None]


@pytest.mark.parametrize("interpret", [False, True])
def test_meaning(tmp_path: Path, interpret: bool) -> None:
    assert answers(tmp_path, *(formula for formula, _ in MEANINGS), interpret=interpret) == [
        value for _, value in MEANINGS
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<a/>", "this is no set of properties: the outermost element is a"),
        (properties(op("strange")), "there is no support for strange in formulas"),
        (properties(fireable("x")), "the net has no transition x"),
        (properties(at_most(tokens("x"), number(1))), "the net has no place x"),
        (properties(op("is-fireable")), "is-fireable names no transition"),
        (properties(op("negation")), "negation needs one operand, not 0"),
        (properties(op("until", op("before", fireable("t")))), "until needs before and reach"),
        (properties(at_most(tokens("p"), op("integer-constant", "many"))), "'many' is not a number"),
        (properties(at_most(tokens("p"), op("integer-constant", "--5"))), "'--5' is not a number"),
        (properties(at_most(tokens("p"), op("integer-constant", "\u00b2"))), "'\u00b2' is not a number"),
        (properties(at_most(tokens("p"), op("integer-constant", "-" + "9" * 30))), "-" + "9" * 30 + " is out of range"),
        ("<property-set><property><formula/></property></property-set>", "this property has no id"),
        (properties(fireable("t")).replace("f0</id>", "a</id>") * 1 + "x", "this is no well-formed XML"),
    ],
)
def test_errors(tmp_path: Path, text: str, message: str) -> None:
    net = load(write(tmp_path, "line.pnml", LINE)).net
    with pytest.raises(ModelError) as caught:
        read_queries(write(tmp_path, "f.xml", text), net, FileSources())
    assert caught.value.message.startswith(message)


def test_unbounded_nets_are_unknown_where_they_must_be(tmp_path: Path) -> None:
    model = load(write(tmp_path, "source.pnml", pnml(place("p") + transition("t") + arc("t", "p"))))
    texts = (
        op("place-bound", "<place>p</place>"),
        exists("finally", at_most(number(20), tokens("p"))),
        always("globally", at_most(tokens("p"), number(2000))),
        always("finally", at_most(number(2000), tokens("p"))),
        always("globally", at_most(number(0), tokens("p"))),  # there are never fewer than no tokens
        always("finally", at_most(number(20), tokens("p"))),
    )
    queries = read_queries(write(tmp_path, "f.xml", properties(*texts)), model.net, FileSources())
    found = QueryAnswerer(model, limits=GraphLimits(max_states=100)).answer(queries)
    assert [answer.value for answer in found] == [None, True, False, None, True, True]
    assert found[2].way == ("t",) * 2001  # along the solution of the state equation, not by a search
    assert found[0].reason == "the limit of states was reached; at least 18,432"
    assert found[1].way == ("t",) * 20


def nested(depth: int) -> str:
    formula = fireable("t")
    for _ in range(depth):
        formula = op("equivalence", formula, fireable("u"))
    return formula


def test_nested_equivalences(tmp_path: Path) -> None:
    """Each doubles what is inside it: a hundred of them fill no memory, ten are answered."""
    assert answers(tmp_path, exists("finally", nested(10))) == [True]
    with pytest.raises(ModelError, match="has more than 1,000,000 parts when written without equivalences"):
        answers(tmp_path, exists("finally", nested(100)))


def test_bounds_far_away(tmp_path: Path) -> None:
    """Two steps, and each makes two thousand millions of tokens more: no search for every number between."""
    body = (
        place("p", 2_147_483_647) + place("q") + transition("t") + arc("p", "t", 10**9) + arc("t", "q", 2_147_483_647)
    )
    model = load(write(tmp_path, "large.pnml", pnml(body)))
    bounds = (op("place-bound", "<place>q</place>"), op("place-bound", "<place>p</place>", "<place>q</place>"))
    queries = read_queries(write(tmp_path, "f.xml", properties(*bounds)), model.net, FileSources())
    values = [4_294_967_294, 147_483_647 + 4_294_967_294]
    for reduce in (True, False):
        assert [answer.value for answer in QueryAnswerer(model, reduce=reduce).answer(queries)] == values
    assert measure(QueryAnswerer(model)) == StateSpaceSize(3, 2, *values)


def test_thresholds_always_decide() -> None:
    """What is tried holds the next number, so that nothing above is left where it is out of reach, and the limit."""
    for low in (0, 7, 8, 1000, 1 << 31):
        assert thresholds(low, None)[0] == low + 1 and thresholds(low, None)[-1] >= low + 2048
        assert thresholds(low, low) == []
        for high in (low + 1, low + 12, low + 13, low + 1000, low + (1 << 31)):
            tried = thresholds(low, high)
            assert tried[0] == low + 1 and tried[-1] == high and len(tried) <= 14
            assert tried == sorted(set(tried))


def test_a_search_that_ends_early_has_not_seen_every_step(tmp_path: Path) -> None:
    """Three steps in any order; the marking with four tokens is the last one found, before its like are expanded."""
    names = ("a", "b", "c")
    body = place("p", 1) + "".join(place(name, 1) + transition(f"t{name}") for name in names)
    body += "".join(arc(name, f"t{name}") + arc(f"t{name}", "p") for name in names)
    model = load(write(tmp_path, "n.pnml", pnml(body)))
    for reduce in (True, False):
        assert measure(QueryAnswerer(model, reduce=reduce)) == StateSpaceSize(8, 12, 4, 4)


def test_a_net_without_places(tmp_path: Path) -> None:
    model = load(write(tmp_path, "n.pnml", pnml(transition("t") + transition("u"))))
    for interpret in (False, True):
        assert measure(QueryAnswerer(model, interpret=interpret)) == StateSpaceSize(1, 2, 0, 0)


def test_next_in_a_deadlock(tmp_path: Path) -> None:
    """Of branching time there is no next marking, of linear time it is the same again; the name says which is meant."""
    model = load(write(tmp_path, "stuck.pnml", pnml(place("p") + transition("t") + arc("p", "t"))))
    text = properties(*[always("next", fireable("t"))] * 2 + [always("next", op("negation", fireable("t")))] * 2)
    text = text.replace(">f1<", ">net-LTLFireability-1<").replace(">f3<", ">net-LTLFireability-3<")
    queries = read_queries(write(tmp_path, "f.xml", text), model.net, FileSources())
    for interpret in (False, True):
        found = [answer.value for answer in QueryAnswerer(model, interpret=interpret).answer(queries)]
        assert found == ([True, None, True, None] if interpret else [True, False, True, True])


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    net = write(tmp_path, "line.pnml", LINE)
    file = write(tmp_path, "f.xml", properties(*(formula for formula, _ in MEANINGS[:2]), MEANINGS[-1][0]))
    assert main(["check", net, "--formulas", file, "--examine", "OneSafe", "--examine", "StateSpace"]) == 1
    assert capsys.readouterr().out == (
        "true   f0  (after 4 steps)\n"
        "false  f1\n"
        "2      f2\n"
        "false  OneSafe  (after 0 steps)\n"
        "6 states, 6 transitions, at most 2 tokens in a place, 2 in a marking\n"
    )
    assert main(["check", net, "--formulas", file, "--json"]) == 1
    record = json.loads(capsys.readouterr().out)
    assert [formula["value"] for formula in record["formulas"]] == [True, False, 2]
    assert record["formulas"][0]["way"] == ["t", "u", "t", "u"]
    assert main(["check", net, "--examine", "Beauty"]) == 2
    assert main(["check", net, "--examine", "OneSafe", "--invariant", "p < 3"]) == 2


def test_questions_are_answered_by_the_one_checker(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The answers are parts of one result, in the order of the files and names; a file may be asked twice."""
    net = write(tmp_path, "line.pnml", LINE)
    file = write(tmp_path, "f.xml", properties(MEANINGS[0][0], MEANINGS[-1][0]))
    result = kripke.load(net).check(formula_files=[file, file], examine=["StateSpace", "OneSafe"])
    assert [(part.name, part.kind, part.verdict) for part in result.parts] == [
        ("f0", "formula", "holds"),
        ("f1", "formula", "holds"),
        ("f0", "formula", "holds"),
        ("f1", "formula", "holds"),
        ("StateSpace", "examination", "holds"),
        ("OneSafe", "examination", "violated"),
    ]
    assert [answer.value for answer in result.answers()] == [True, 2, True, 2, 6, False]
    assert (result.verdict, result.reason, result.errors) == ("violated", "OneSafe is false", 1)
    record = result.to_json()
    assert [formula["name"] for formula in record["formulas"]] == ["f0", "f1", "f0", "f1", "OneSafe"]
    assert record["formulas"][1] == {
        "name": "f1",
        "verdict": "holds",
        "value": 2,
        "reason": "",
        "technique": "search",
        "way": None,
    }
    assert record["state_space"] == {
        "states": 6,
        "transitions": 6,
        "max_token_in_place": 2,
        "max_token_per_marking": 2,
        "reason": "",
    }
    assert str(result).splitlines()[-2:] == [
        "false  OneSafe  (after 0 steps)",
        "6 states, 6 transitions, at most 2 tokens in a place, 2 in a marking",
    ]
    page = tmp_path / "page.html"
    assert main(["check", net, "--examine", "OneSafe", "--quiet", "--html", str(page)]) == 1
    assert capsys.readouterr().out == "false  OneSafe  (after 0 steps)\n"
    assert "OneSafe is false" in page.read_text(encoding="utf-8")


def test_what_was_answered_before_ctrl_c_is_answered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(answerer: QueryAnswerer) -> StateSpaceSize:
        raise KeyboardInterrupt

    monkeypatch.setattr("kripke.engines.nets.formulas.check.measure", interrupted)
    net = write(tmp_path, "line.pnml", LINE)
    asked = ["--examine", "ReachabilityDeadlock", "--examine", "StateSpace", "--examine", "Liveness"]
    assert main(["check", net, *asked]) == 3
    assert capsys.readouterr().out == (
        "true     ReachabilityDeadlock  (after 4 steps)\n"
        "unknown  StateSpace  (interrupted)\n"
        "unknown  Liveness  (interrupted)\n"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--examine", "OneSafe", "--store", "tree"], "--store"),
        (["--examine", "OneSafe", "--threads", "2"], "--threads"),
        (["--examine", "OneSafe", "--search", "dfs"], "--search"),
        (["--examine", "OneSafe", "--ctl", "AG (p < 3)"], "--ctl"),
        (["--examine", "OneSafe", "--property", "safety"], "--property"),
        (["--examine", "OneSafe", "--coverage"], "--coverage"),
        (["--examine", "OneSafe", "--another"], "--another"),
        (["--examine", "OneSafe", "--trace", "t.json"], "--trace"),
    ],
)
def test_what_does_not_go_with_questions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    assert main(["check", write(tmp_path, "line.pnml", LINE), *options]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert message in error


def test_questions_are_for_nets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = write(tmp_path, "m.pml", "byte x; active proctype P() { x = 1 }")
    file = write(tmp_path, "f.xml", properties(fireable("t")))
    for option in (["--examine", "OneSafe"], ["--formulas", file]):
        assert main(["check", model, *option]) == 2
        assert capsys.readouterr().err == (
            f"error: --formulas and --examine are for place/transition nets; {model} is a promela model\n"
        )
    empty = write(tmp_path, "e.xml", properties())
    assert main(["check", write(tmp_path, "line.pnml", LINE), "--formulas", empty]) == 2
    assert capsys.readouterr().err == f"error: --formulas: there is no formula in {empty}\n"


def test_a_file_of_formulas_is_not_a_formula(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """``--formulas`` and ``--ltl`` are different options, also inside."""
    model = write(tmp_path, "m.pml", "byte x; active proctype P() { x = 1 }")
    assert main(["check", model, "--ltl", "[] (x <= 1)"]) == 0
    assert capsys.readouterr().out.startswith("holds: [] (x <= 1)")
    file = write(tmp_path, "f.xml", properties(fireable("t")))
    net = write(tmp_path, "line.pnml", LINE)
    assert main(["check", net, "--formulas", file, "--ltl", "[] p"]) == 2
    assert "--ltl and formulas do not go together" in capsys.readouterr().err
    assert main(["check", net, "--formulas", file, "--progress", "p"]) == 2
    assert "--progress and formulas do not go together" in capsys.readouterr().err
