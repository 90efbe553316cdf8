"""What charts may say, what is refused where, and how an environment closes them."""
# ruff: noqa: E501

from __future__ import annotations

from pathlib import Path

import pytest

import kripke
from kripke.cli.main import main
from kripke.hierarchy.chart.model import ChartModel
from kripke.languages.scxml import load
from kripke.model.source import ModelError

EXAMPLES = Path(__file__).parents[3] / "examples" / "scxml"
HEAD = '<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0">\n'


@pytest.fixture
def chart(tmp_path: Path):  # type: ignore[no-untyped-def]
    """Writes a chart; the path of its file."""

    def write(body: str, head: str = HEAD) -> str:
        path = tmp_path / "m.scxml"
        path.write_text(head + body + "\n</scxml>\n")
        return str(path)

    return write


def refused(path: str) -> str:
    with pytest.raises(ModelError) as error:
        load(path)
    return str(error.value).replace(path, "m.scxml")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('<state id="a"><transition target="b"/></state>', "m.scxml:2:35: error: there is no state b"),
        ('<state id="a"/><state id="a"/>', "m.scxml:2:16: error: there are two states a"),
        ('<state id="a"><invoke type="scxml"/></state>',
         "m.scxml:2:15: error: invoke is not supported: a chart is checked as one session"),
        ('<script>x = 1</script><state id="a"/>', "m.scxml:2:1: error: script is not supported"),
        ('<state id="a"><transition cond="x.fill(1)"/></state>', "m.scxml:2:34: error: the method fill is not supported"),
        ('<state id="a"><transition cond="f(1)"/></state>', "m.scxml:2:33: error: the function f is not supported"),
        ('<state id="a"><transition cond="/a/.test(x)"/></state>', "m.scxml:2:33: error: patterns /.../ are not supported"),
        ('<state id="a"><onentry><wait/></onentry></state>', "m.scxml:2:24: error: wait is no executable content"),
        ('<parallel id="p"/>', "m.scxml:2:1: error: parallel contains no states"),
        ('<state id="a" initial="b"/><state id="b"/>',
         "m.scxml:2:1: error: state has no initial state: it contains none"),
        ('<state id="a"><state id="b"/><state id="c"/><transition target="b c"/></state>',
         "m.scxml:2:65: error: b and c cannot be active together"),
        ('<state id="a"><onentry><send event="e" delay="soon"/></onentry></state>',
         "m.scxml:2:47: error: soon is no delay"),
        ('<state id="a"><onentry><send event="e" type="http://www.w3.org/TR/scxml/#BasicHTTPEventProcessor"/></onentry></state>',
         "m.scxml:2:46: error: the I/O processor basichttp is not supported"),
        ('<datamodel><data id="x" src="../../etc/passwd"/></datamodel><state id="a"/>',
         "m.scxml:2:30: error: only a file beside the chart can be read"),
    ],
)  # fmt: skip
def test_refused(chart, body: str, message: str) -> None:  # type: ignore[no-untyped-def]
    assert refused(chart(body)).splitlines()[0] == message


def test_no_entities(chart) -> None:  # type: ignore[no-untyped-def]
    text = '<!DOCTYPE scxml [<!ENTITY a "b">]>\n' + HEAD
    assert refused(chart('<state id="a"/>', text)).splitlines()[0].endswith("entities are refused")


def test_no_external_entities(chart) -> None:  # type: ignore[no-untyped-def]
    text = '<!DOCTYPE scxml [<!ENTITY a SYSTEM "file:///etc/passwd">]>\n' + HEAD
    assert "entities are refused" in refused(chart('<state id="a">&a;</state>', text))


def test_no_xml(chart) -> None:  # type: ignore[no-untyped-def]
    assert (
        refused(chart('<state id="a">')).splitlines()[0]
        == "m.scxml:3:3: error: this is no well-formed XML: mismatched tag"
    )


def test_nesting_is_bounded(chart) -> None:  # type: ignore[no-untyped-def]
    assert "the elements are nested too deeply" in refused(chart("<state>" * 300 + "</state>" * 300))


def test_a_fault_is_found_when_the_chart_comes_to_it(chart) -> None:  # type: ignore[no-untyped-def]
    body = '<state id="a"><transition cond="return" target="bad"/><transition event="error.execution" target="good"/></state>'
    model = load(chart(body + '<final id="bad"/><final id="good"/>'))
    assert [str(warning).rpartition("m.scxml:")[2] for warning in model.warnings] == [
        "2:33: warning: 'return' is not expected here: error.execution when the chart comes here"
    ]
    assert reached(model) == {"good (ended)"}


def reached(model: ChartModel) -> set[str]:
    """All places a chart can be in."""
    states = model.initial()
    seen = set(states)
    for state in states:
        for step in model.successors(state):
            if step.target is not None and step.target not in seen:
                seen.add(step.target)
                states.append(step.target)
    return {model.describe(state)["chart@"] for state in states}


TIMERS = """<state id="a">
  <onentry><send event="late" delay="3s"/><send event="early" delay="2s"/></onentry>
  <transition event="early" target="b"/>
  <transition event="late" target="wrong"/>
  <transition event="reset" cond="!In('reset')" target="reset"/>
  <state id="waiting"/>
  <state id="reset"><onentry><send event="soon" delay="2s"/></onentry><transition event="reset" cond="false"/></state>
  <transition event="soon" target="c"/>
</state>
<final id="b"/><final id="c"/><final id="wrong"/>"""


def test_delays_are_in_order(chart) -> None:  # type: ignore[no-untyped-def]
    assert reached(load(chart(TIMERS), environment=())) == {"waiting", "b (ended)"}


def test_an_environment_may_act_at_any_time(chart) -> None:  # type: ignore[no-untyped-def]
    """A timer that is set later may end at the same time as the first, not before."""
    model = load(chart(TIMERS), environment=("reset",))
    assert reached(model) == {"waiting", "reset", "b (ended)"}
    body = TIMERS.replace('event="soon" delay="2s"', 'event="soon" delay="1s"')
    assert reached(load(chart(body), environment=("reset",))) == {"waiting", "reset", "b (ended)", "c (ended)"}


QUEUE = """<state id="a"><transition event="go" target="b"/></state>
<state id="b"><onentry><send event="own"/></onentry>
  <transition event="own" target="c"/><transition event="go" target="overtaken"/></state>
<final id="c"/><final id="overtaken"/>"""


def test_events_may_wait(chart) -> None:  # type: ignore[no-untyped-def]
    """With a queue of one the environment waits; with two its second event comes before the chart's own."""
    assert reached(load(chart(QUEUE))) == {"a", "b", "c (ended)"}
    assert reached(load(chart(QUEUE), queue=2)) == {"a", "b", "c (ended)", "overtaken (ended)"}


def test_events_of_the_environment(chart) -> None:  # type: ignore[no-untyped-def]
    assert load(chart(QUEUE)).environment.events == ("go",)
    assert load(chart(QUEUE), environment=("x",)).environment.events == ("x",)


def test_a_stuck_chart_is_a_deadlock(chart) -> None:  # type: ignore[no-untyped-def]
    path = chart('<state id="a"><transition event="go" target="b"/></state><state id="b"/>')
    result = kripke.load(path).check()
    assert (result.verdict, result.kind) == ("violated", "deadlock")
    assert result.trace is not None
    assert [step.statements for step in result.trace.steps] == [("event go", "a -> b on go")]


def test_an_endless_macro_step_is_an_error(chart) -> None:  # type: ignore[no-untyped-def]
    result = kripke.load(
        chart('<state id="a"><transition target="b"/></state><state id="b"><transition target="a"/></state>')
    ).check()
    assert (result.verdict, result.kind) == ("violated", "endless")


def test_formulas(chart) -> None:  # type: ignore[no-untyped-def]
    path = chart(
        '<datamodel><data id="n" expr="0"/></datamodel><state id="a"><transition event="go" cond="n &lt; 3" target="a">'
        '<assign location="n" expr="n + 1"/></transition></state>'
    )
    model = kripke.load(path)
    assert model.check(ltl="[] (n <= 3)", deadlock=False).verdict == "holds"
    assert model.check(ltl="<> n == 3", deadlock=False).verdict == "holds"
    assert model.check(ltl="[] (In(a) -> n < 2)").verdict == "violated"
    assert model.check(invariants=["n < 4 && In('a')"], deadlock=False).verdict == "holds"


def test_the_microwave() -> None:
    result = kripke.load(EXAMPLES / "microwave.scxml").check()
    assert result.trace is not None
    assert result.trace.steps[-2].after == {
        "chart@": "opened, heating",
        "seconds": "10",
        "later": "over in 10000 ms",
    }


def test_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(EXAMPLES / "microwave.scxml"), "--events", "more,start,open"]) == 3
    assert capsys.readouterr().out == "waits in opened, paused\n"
    assert main(["run", str(EXAMPLES / "microwave.scxml"), "--events", "more,start"]) == 3
    assert capsys.readouterr().out == "waits in closed, off\n"


def test_events_are_for_machines(capsys: pytest.CaptureFixture[str]) -> None:
    net = EXAMPLES.parent / "pnml" / "two_locks.pnml"
    assert main(["check", str(net), "--events", "a"]) == 2
    assert "--events is for state charts (SCXML)" in capsys.readouterr().err
    assert main(["run", str(net)]) == 2
    assert "a pnml model is checked, not run; languages that run: lf, scxml" in capsys.readouterr().err
