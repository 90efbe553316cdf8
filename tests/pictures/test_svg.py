"""Pictures: well-formed, complete, with nothing in them that a model could smuggle in; and refused where too large."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

from kripke.languages.registry import load_model
from kripke.languages.request import LoadRequest
from kripke.model.diagram import Arrow, Diagram, Node
from kripke.pictures.graphs import model_diagrams
from kripke.pictures.svg import svg

ROOT = Path(__file__).parents[2]
NAMESPACE = "{http://www.w3.org/2000/svg}"


def drawn(text: str) -> tuple[list[str], int]:
    """The texts in a picture, and the number of its arrows."""
    root = ET.fromstring(text)
    assert root.tag == f"{NAMESPACE}svg"
    return [element.text or "" for element in root.iter(f"{NAMESPACE}text")], len(list(root.iter(f"{NAMESPACE}path")))


def kripke(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "kripke", *arguments], cwd=ROOT, capture_output=True, text=True)


def test_the_text_of_a_model_is_never_markup() -> None:
    attack = "</text><script>alert(1)</script>&\"'"
    nodes = [Node("a", (attack,), "circle", beside=attack), Node("b", (attack,), "double"), Node("c", ("x",), "bar")]
    arrows = [
        Arrow(None, "a"),
        Arrow("a", "b", attack, "bad"),
        Arrow("b", "b", attack),
        Arrow("b", "c"),
        Arrow("c", "a"),
    ]
    for direction in ("down", "right"):
        texts, arrows_drawn = drawn(svg(Diagram(attack, nodes, arrows, direction)))  # type: ignore[arg-type]
        assert texts.count(attack) == 6
        assert arrows_drawn == len(arrows)


def test_processes() -> None:
    ran = kripke("emit", "examples/promela/lost_update.pml", "--svg")
    texts, arrows = drawn(ran.stdout)
    assert {"clerk", "auditor"} <= set(texts)
    assert arrows > 6
    assert ran.stdout == kripke("emit", "examples/promela/lost_update.pml", "--svg").stdout


def test_a_formula_and_a_net() -> None:
    texts, _ = drawn(kripke("emit", "--ltl", "[] (p -> <> q)", "--svg").stdout)
    assert "[](p -> <>q)" in texts and any("!q" in text for text in texts)
    texts, arrows = drawn(kripke("emit", "examples/pnml/two_locks.pnml", "--svg").stdout)
    assert {"two_locks", "first_takes_a", "second_ends", "a", "b"} <= set(texts)
    assert arrows == 20


def test_a_state_space(tmp_path: Path) -> None:
    ran = kripke("explore", "examples/promela/philosophers_deadlock.pml", "-o", str(tmp_path / "space.svg"))
    assert ran.stdout.startswith("35 states, 75 steps drawn in ")
    text = (tmp_path / "space.svg").read_text()
    _, arrows = drawn(text)
    assert arrows == 75 + 1
    assert text.count('class="node bad"') == 1 and text.count('class="node start"') == 1


def test_a_state_space_that_is_too_large(tmp_path: Path) -> None:
    ran = kripke("explore", "examples/promela/semaphore_pool.pml", "-o", str(tmp_path / "x.svg"))
    assert ran.returncode == 2
    assert "a picture of more than 300 states would be a hairball: kripke simulate --interactive" in ran.stderr
    assert not (tmp_path / "x.svg").exists()


def test_a_net_that_is_too_large(tmp_path: Path) -> None:
    places = "".join(f'<place id="p{i}"><name><text>p{i}</text></name></place>' for i in range(301))
    net = '<net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">'
    text = f'<?xml version="1.0"?><pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">{net}{places}</page></net></pnml>'
    (tmp_path / "n.pnml").write_text(text)
    ran = kripke("emit", str(tmp_path / "n.pnml"), "--svg")
    assert ran.returncode == 2
    assert "--svg: a picture of 301 nodes would be a hairball (at most 300)" in ran.stderr


def test_the_end_of_a_process_leads_nowhere(tmp_path: Path) -> None:
    file = tmp_path / "m.pml"
    file.write_text("byte x; active proctype p() { x = 1; x = 2 }")
    (diagram,) = model_diagrams(load_model(LoadRequest(str(file))))
    assert [(arrow.source, arrow.label) for arrow in diagram.arrows if arrow.source] == [("0", "x = 1"), ("1", "x = 2")]
    assert [node.shape for node in diagram.nodes] == ["circle", "circle", "double"]
