"""Rules of the recommendation (W3C, State Chart XML, 2015), each as the smallest chart of our own that obeys it by
ending in ``pass``. It is run, and checked: ``fail`` must not be reachable."""
# ruff: noqa: E501

from __future__ import annotations

from pathlib import Path

import pytest

from kripke.engines.explicit.safety import check
from kripke.engines.plan import SearchPlan
from kripke.languages.scxml import load
from kripke.languages.scxml.execution import run

PASS, FAIL = '<transition event="{}" target="pass"/>', '<transition event="{}" target="fail"/>'
ELSE_FAIL = '<transition event="*" target="fail"/>'
X = '<data id="x" expr="0"/>'


def up(name: str = "x") -> str:
    return f'<assign location="{name}" expr="{name} + 1"/>'


def state(inside: str, id_: str = "s0") -> str:
    return f'<state id="{id_}">{inside}</state>'


def entry(inside: str) -> str:
    return f"<onentry>{inside}</onentry>"


def decided(condition: str) -> str:
    return f'<transition cond="{condition}" target="pass"/><transition target="fail"/>'


RAISE = '<raise event="{}"/>'
RULES: dict[str, tuple[str, str]] = {
    # 3.3, 3.7, 3.10: states, finals, histories
    "done of a compound state": ("", state('<state id="a"><transition target="b"/></state><final id="b"/>' + PASS.format("done.state.s0"))),
    "done of a parallel state": (
        "",
        '<parallel id="p"><state id="a"><final id="af"/></state><state id="b"><state id="b1"><transition target="bf"/></state><final id="bf"/></state>'
        '<transition event="done.state.p" target="pass"/></parallel>',
    ),
    "data of done": (
        X,
        state('<final id="f"><donedata><param name="a" expr="3"/><param name="b" location="x"/></donedata></final>'
              '<transition event="done.state.s0" cond="_event.data.a == 3 &amp;&amp; _event.data.b === 0" target="pass"/>' + ELSE_FAIL),
    ),
    "content of done": ("", state('<final id="f"><donedata><content>21</content></donedata></final><transition event="done.state.s0" cond="_event.data == 21" target="pass"/>' + ELSE_FAIL)),
    "a bad parameter of done is left out": (
        "",
        state('<final id="f"><donedata><param name="a" expr="return"/></donedata></final>'
              '<transition event="error.execution" target="s1"/>' + ELSE_FAIL)
        + state('<transition event="done.state.s0" cond="_event.data === undefined" target="pass"/>' + ELSE_FAIL, "s1"),
    ),
    "the content of a default history": (
        X,
        '<state id="s0" initial="h">' + entry('<assign location="x" expr="x * 10 + 1"/>')
        + '<history id="h"><transition target="a"><assign location="x" expr="x * 10 + 2"/></transition></history>'
        + state(entry('<assign location="x" expr="x * 10 + 3"/>') + decided("x == 123"), "a") + "</state>",
    ),
    "a history is never active": ("", '<state id="s0" initial="h"><history id="h"><transition target="a"/></history>' + state(decided("!In('h')"), "a") + "</state>"),
    # 3.13: selection and order
    "entries from the outside in": (
        X,
        state(entry('<assign location="x" expr="1"/>') + state(entry('<assign location="x" expr="x * 10 + 2"/>') + decided("x == 12"), "a")),
    ),
    "several entry handlers in document order": (X, state(entry('<assign location="x" expr="1"/>') + entry('<assign location="x" expr="x * 10 + 2"/>') + decided("x == 12"))),
    "exits from the inside out": (
        X,
        state('<onexit><assign location="x" expr="x * 10 + 2"/></onexit>'
              + state('<onexit><assign location="x" expr="x * 10 + 1"/></onexit><transition target="s1"/>', "a"))
        + state(decided("x == 12"), "s1"),
    ),
    "exits before transitions before entries": (
        X,
        state('<onexit><assign location="x" expr="1"/></onexit><transition target="s1"><assign location="x" expr="x * 10 + 2"/></transition>')
        + state(entry('<assign location="x" expr="x * 10 + 3"/>') + decided("x == 123"), "s1"),
    ),
    "parents are left after their children": ("", state('<onexit><if cond="In(\'a\')"><raise event="bad"/></if></onexit>' + state('<transition target="s1"/>', "a")) + state(FAIL.format("bad") + '<transition target="pass"/>', "s1")),
    "inner transitions first": ("", state(entry(RAISE.format("e")) + FAIL.format("e") + state(PASS.format("e"), "a"))),
    "document order first": ("", state(entry(RAISE.format("e")) + PASS.format("e") + FAIL.format("e"))),
    "the first region wins a conflict": (
        "",
        '<parallel id="p">' + entry(RAISE.format("e")) + state(PASS.format("e"), "a") + state(FAIL.format("e"), "b") + "</parallel>",
    ),
    "regions move together": (
        X,
        '<parallel id="p">' + entry(RAISE.format("e")) + state('<transition event="e">' + up() + "</transition>", "a")
        + state('<transition event="e">' + up() + "</transition>", "b") + '<transition cond="x == 2" target="pass"/></parallel>',
    ),
    "an internal transition stays inside": (X, '<state id="s0" initial="a"><onexit>' + up() + '</onexit><transition event="e" target="b" type="internal"/>' + state(entry(RAISE.format("e")), "a") + state(decided("x == 0"), "b") + "</state>"),
    "an external transition leaves": (X, '<state id="s0" initial="a"><onexit>' + up() + '</onexit><transition event="e" target="b"/>' + state(entry(RAISE.format("e")), "a") + state(decided("x == 1"), "b") + "</state>"),
    "an internal transition to the outside is external": (
        X,
        state('<onexit>' + up() + '</onexit><transition event="e" type="internal" target="s0"><assign location="x" expr="x + 10"/></transition>'
              '<transition cond="x == 11" target="pass"/><transition cond="x &gt; 11" target="fail"/>' + state(entry('<if cond="x == 0"><raise event="e"/></if>'), "a")),
    ),
    "without an event before an event": ("", state(entry(RAISE.format("e")) + FAIL.format("e") + '<transition target="pass"/>')),
    "internal before external events": ("", state(entry('<send event="ext"/>' + RAISE.format("int")) + FAIL.format("ext") + PASS.format("int"))),
    "external events wait for the end of a macro step": (
        "",
        state(entry('<send event="ext"/>' + RAISE.format("i1")) + '<transition event="i1" target="s1"/>' + FAIL.format("ext"))
        + state(entry(RAISE.format("i2")) + '<transition event="i2" target="s2"/>' + FAIL.format("ext"), "s1") + state(PASS.format("ext") + ELSE_FAIL, "s2"),
    ),
    "events nobody takes are dropped": ("", state(entry(RAISE.format("a") + RAISE.format("b")) + PASS.format("b"))),
    # 3.12: descriptors
    "a prefix of tokens": ("", state(entry(RAISE.format("a.b.c")) + '<transition event="a.bc" target="fail"/><transition event="a.b" target="pass"/>')),
    "several descriptors": ("", state(entry(RAISE.format("b")) + PASS.format("a b.*"))),
    "a dot and a star add nothing": ("", state(entry(RAISE.format("a")) + PASS.format("a.*"))),
    # 4: executable content
    "one of several branches": (X, state(entry('<if cond="false"><raise event="a"/><elseif cond="true"/><raise event="b"/><else/><raise event="c"/></if>') + PASS.format("b") + ELSE_FAIL)),
    "foreach makes its variables": ("", state(entry('<foreach array="[1,2]" item="v" index="i"/>') + decided("v === 2 &amp;&amp; i === 1"))),
    "foreach in order": (X, state(entry('<foreach array="[1,2,3]" item="v"><assign location="x" expr="x * 10 + v"/></foreach>') + decided("x == 123"))),
    "foreach over a copy": ('<data id="a" expr="[1,2]"/>' + X, state(entry('<foreach array="a" item="v"><assign location="a" expr="[].concat(a, [9])"/>' + up() + "</foreach>") + decided("x == 2 &amp;&amp; a.length == 4"))),
    "foreach needs an array": (X, state(entry('<foreach array="7" item="v">' + up() + "</foreach>" + RAISE.format("on")) + '<transition event="error.execution" cond="x == 0" target="pass"/>' + ELSE_FAIL)),
    "foreach needs a name": (X, state(entry('<foreach array="[1]" item="\'continue\'">' + up() + "</foreach>" + RAISE.format("on")) + '<transition event="error.execution" cond="x == 0" target="pass"/>' + ELSE_FAIL)),
    "an error ends a foreach": (X, state(entry('<foreach array="[1,2,3]" item="v">' + up() + '<assign location="nobody" expr="1"/></foreach>') + '<transition event="error.execution" cond="x == 1" target="pass"/>' + ELSE_FAIL)),
    "raised events keep their order": ("", state(entry(RAISE.format("a") + RAISE.format("b")) + '<transition event="a" target="s1"/>' + ELSE_FAIL) + state(PASS.format("b") + ELSE_FAIL, "s1")),
    "an error ends a block and not the next": (X, state(entry('<assign location="nobody" expr="1"/>' + up()) + entry(up()) + decided("x == 1"))),
    # 5: data
    "a condition without a value is false": ("", state('<transition cond="return" target="fail"/>' + PASS.format("error.execution") + ELSE_FAIL)),
    "a place that is none": ("", state(entry('<assign location="a.b.c" expr="1"/>' + RAISE.format("on")) + PASS.format("error.execution") + ELSE_FAIL)),
    "a value that is none": (X, state(entry('<assign location="x" expr="return"/>' + RAISE.format("on")) + PASS.format("error.execution") + ELSE_FAIL)),
    "a variable without a good value is undefined": ('<data id="x" expr="return"/>', state('<transition event="error.execution" cond="typeof x === \'undefined\'" target="pass"/>' + ELSE_FAIL)),
    "a variable without a value is undefined": ('<data id="x"/>', state(decided("typeof x === 'undefined'"))),
    "early binding": ("", state(decided("y == 1")) + state('<datamodel><data id="y" expr="1"/></datamodel>', "s1")),
    "a text is true": ("", state("<transition cond=\"'foo'\" target=\"pass\"/><transition target=\"fail\"/>")),
    "an object in JSON": ('<data id="o">{"a": {"b": [1, 2]}}</data>', state(decided("o.a.b[1] == 2"))),
    "a text with single spaces": ("<data id=\"t\">  two\n   words </data>", state(decided("t === 'two words'"))),
    "XML as data": ('<data id="t"><books xmlns=""><book title="one"/><book title="two"/></books></data>', state(decided("t.getElementsByTagName('book')[1].getAttribute('title') == 'two'"))),
    "assignment of XML": ('<data id="t"/>', state(entry('<assign location="t"><a xmlns="" b="c"/></assign>') + decided("t.getAttribute('b') == 'c'"))),
    "a semicolon ends an expression": (X, state(entry('<assign location="x" expr="x + 2;"/>') + decided("x == 2"))),
    "queues in arrays": ('<data id="q" expr="[]"/><data id="v"/>', state(entry('<assign location="v" expr="q.push(1, 2)"/><assign location="v" expr="q.shift()"/>') + decided("v == 1 &amp;&amp; q.length == 1 &amp;&amp; Array.isArray(q) &amp;&amp; Object.keys(q).length == 1"))),
    "functions of numbers": ("", state(decided("parseInt('12px') === 12 &amp;&amp; parseInt('ff', 16) == 255 &amp;&amp; parseFloat('2.5e1x') == 25 &amp;&amp; isNaN(parseInt('x'))"))),
    # 5.10: system variables
    "no event before the first": ("", state(entry('<if cond="typeof _event !== \'undefined\'"><raise event="bad"/></if>') + FAIL.format("bad") + '<transition target="pass"/>')),
    "the event stays until the next": ("", state(entry(RAISE.format("a")) + '<transition event="a" target="s1"/>') + state(decided("_event.name == 'a'"), "s1")),
    "system variables are there": ("", state(decided("_sessionid !== undefined &amp;&amp; '' === _name &amp;&amp; _ioprocessors['scxml'].location !== undefined"))),
    "a system variable keeps its value": ('<data id="v" expr="_sessionid"/>', state(entry('<assign location="_sessionid" expr="27"/>') + '<transition event="error.execution" cond="v === _sessionid" target="pass"/>' + ELSE_FAIL)),
    "fields of an internal event": ("", state(entry(RAISE.format("a")) + "<transition event=\"a\" cond=\"_event.type == 'internal' &amp;&amp; _event.origin === undefined &amp;&amp; _event.origintype === undefined &amp;&amp; _event.sendid === undefined &amp;&amp; _event.invokeid === undefined\" target=\"pass\"/>" + ELSE_FAIL)),
    "fields of an error": ("", state(entry('<assign location="nobody" expr="1"/>') + "<transition event=\"error\" cond=\"_event.type == 'platform' &amp;&amp; _event.name == 'error.execution'\" target=\"pass\"/>" + ELSE_FAIL)),
    "the origin is where to answer": (
        "",
        state(entry('<send event="a"/>') + '<transition event="a" target="s1"><send event="b" targetexpr="_event.origin" typeexpr="_event.origintype"/></transition>' + ELSE_FAIL) + state("<transition event=\"b\" cond=\"_event.type == 'external'\" target=\"pass\"/>" + ELSE_FAIL, "s1"),
    ),
    # 6.2: send and cancel
    "everything may be computed": (
        '<data id="n" expr="\'event\'"/><data id="d" expr="\'10ms\'"/>',
        state(entry('<send eventexpr="n" delayexpr="d" typeexpr="\'http://www.w3.org/TR/scxml/#SCXMLEventProcessor\'" targetexpr="\'#_internal\'.length &gt; 20 ? \'\' : \'#_scxml_\' + _sessionid"><param name="p" expr="4"/></send>') + '<transition event="event" cond="_event.data.p == 4" target="pass"/>' + ELSE_FAIL),
    ),
    "arguments are taken when it is sent": (X, state(entry('<send event="e" delay="1s"><param name="p" expr="x"/></send><assign location="x" expr="2"/>') + '<transition event="e" cond="_event.data.p == 0" target="pass"/>' + ELSE_FAIL)),
    "names of variables": (X, state(entry('<send event="e" namelist="x"/>') + '<transition event="e" cond="_event.data.x === 0" target="pass"/>' + ELSE_FAIL)),
    "content that is computed": (X, state(entry('<send event="e"><content expr="x + 3"/></send>') + '<transition event="e" cond="_event.data === 3" target="pass"/>' + ELSE_FAIL)),
    "shorter delays first": ("", state(entry('<send event="b" delay="2s"/><send event="a" delay="1s"/>') + '<transition event="a" target="s1"/>' + ELSE_FAIL) + state(PASS.format("b"), "s1")),
    "a cancelled event does not come": ("", state(entry('<send id="i" event="a" delay="1s"/><send event="b" delay="2s"/><cancel sendid="i"/>') + PASS.format("b") + ELSE_FAIL)),
    "the name of what is cancelled may be computed": ('<data id="n" expr="\'i\'"/>', state(entry('<send id="i" event="a" delay="1s"/><send event="b" delay="2s"/><cancel sendidexpr="n"/>') + PASS.format("b") + ELSE_FAIL)),
    "a made name tells events apart": ('<data id="a"/><data id="b"/>', state(entry('<send event="e" idlocation="a" delay="1s"/><send event="f" idlocation="b"/>') + "<transition event=\"f\" cond=\"a !== b &amp;&amp; _event.sendid === b\" target=\"pass\"/>" + ELSE_FAIL)),
    "an unknown processor": ("", state(entry('<send event="e" type="27"/>' + RAISE.format("on")) + PASS.format("error.execution") + ELSE_FAIL)),
    "a session that is not there": ("", state(entry('<send event="e" target="#_scxml_nobody"/>' + RAISE.format("on")) + PASS.format("error.communication") + ELSE_FAIL)),
    "a target without a value": ("", state(entry('<send event="e" targetexpr="undefined"/>' + RAISE.format("on")) + PASS.format("error.communication") + ELSE_FAIL)),
    "a bad argument sends nothing": ("", state(entry('<send event="e" delayexpr="return"/><send event="f"/>') + PASS.format("error.execution") + ELSE_FAIL)),
    "the chart ends where a final state is reached": ("", state('<onexit><send event="late"/></onexit><transition target="pass"/>')),
}  # fmt: skip


def text(data: str, body: str, attributes: str = "") -> str:
    return (
        f'<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="ecmascript"{attributes}>'
        f'<datamodel>{data}</datamodel>{body}<final id="pass"/><final id="fail"/></scxml>'
    )


def obeys(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(str(path), (), None, real_time=False) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "ended in pass"
    result = check(
        load(str(path), invariants=["!In(fail)"]), SearchPlan(engine="interpreter", invariants=("!In(fail)",))
    )
    assert (result.verdict, result.complete) == ("holds", True)


@pytest.mark.parametrize("rule", RULES)
def test_rule(rule: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.scxml"
    path.write_text(text(*RULES[rule]))
    obeys(path, capsys)


def test_late_binding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.scxml"
    body = state('<transition cond="typeof y === \'undefined\'" target="s1"/><transition target="fail"/>')
    body += state('<datamodel><data id="y" expr="1"/></datamodel>' + decided("y == 1"), "s1")
    path.write_text(text("", body, ' binding="late"'))
    obeys(path, capsys)


def test_no_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.scxml"
    body = (
        '<parallel id="p">'
        + state("", "a")
        + state('<transition cond="In(\'a\')" target="pass"/><transition target="fail"/>', "b")
        + "</parallel>"
    )
    path.write_text(text("", body).replace("ecmascript", "null").replace("<datamodel></datamodel>", ""))
    obeys(path, capsys)


def test_data_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "d.txt").write_text("[1, 2]")
    (tmp_path / "t.txt").write_text(" two\n  words\n")
    path = tmp_path / "m.scxml"
    data = '<data id="a" src="file:d.txt"/><data id="t" src="t.txt"/>'
    path.write_text(text(data, state(decided("a[1] == 2 &amp;&amp; t == 'two words'"))))
    obeys(path, capsys)


def test_histories(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A shallow one keeps the child, a deep one what is innermost."""
    inner = '<state id="a1"><transition event="go" target="a2"/></state><state id="a2"/>'
    for kind, kept in (("shallow", "a1"), ("deep", "a2")):
        body = (
            f'<state id="s0" initial="a"><history id="h" type="{kind}"><transition target="a"/></history>'
            f'<state id="b"/><state id="a" initial="a1">{inner}</state><transition event="out" target="out"/></state>'
            f'<state id="out"><transition target="h"/></state>'
        )
        start = state(
            entry(RAISE.format("go") + RAISE.format("out") + '<send event="now"/>') + '<transition target="s0"/>', "st"
        )
        body = start + body.replace(
            '<transition event="out"',
            f'<transition event="now" cond="In(\'{kept}\')" target="pass"/><transition event="now" target="fail"/><transition event="out"',
        )
        path = tmp_path / f"{kind}.scxml"
        path.write_text(text("", body))
        obeys(path, capsys)
