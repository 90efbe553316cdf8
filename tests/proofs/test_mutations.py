"""Every change of a proof is rejected: of any letter by the digest, and of anything it says by the rules."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from kripke.languages.registry import load_again
from kripke.logic.parser import parse
from kripke.model.model import Model
from kripke.model.property import Temporal
from kripke.proofs.certificate import text_of
from kripke.proofs.construction import prove
from kripke.proofs.verification import Checker, Rejected, verify
from tests.support.proof_systems import Mutex, Walks

CASES: dict[str, tuple[Model, str, Any]] = {
    "alternation": (Walks([[(0, 1)], [(0, 0)]], [[True], [False]]), "[]<>p", None),
    "mutex": (Mutex(), "[]<>(cr0 || cr1)", None),
    "response": (Mutex(), "[] (cr0 -> <> !cr0)", None),
    "weak": (Walks([[(0, 0), (1, 1)], []], [[False], [True]]), "<> p", "weak"),
    "strong": (Walks([[(0, 1), (1, 2)], [(0, 0)], []], [[False], [False], [True]]), "<> p", "strong"),
}


def record_of(model: Model, text: str, fair: Any) -> tuple[dict[str, Any], Any]:
    formula = parse(text, "--ltl")
    proof = prove(model, Temporal(text, "ltl", text, formula=formula), fair=fair)
    return json.loads(json.dumps(proof.to_json())), formula


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to everything in a record."""
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in items:
        yield from places(part, (*path, key))


def mutations(record: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Numbers and texts changed, items dropped and repeated: everywhere."""
    for path in places(record):
        if path[0] in ("format", "model", "property"):
            continue  # what verify() looks at, below

        def changed(make: Any, path: tuple[Any, ...] = path) -> dict[str, Any]:
            other = copy.deepcopy(record)
            holder = other
            for key in path[:-1]:
                holder = holder[key]
            make(holder, path[-1])
            return other

        value: Any = record
        for key in path:
            value = value[key]
        if isinstance(value, bool) or value is None or isinstance(value, str):
            for wrong in ("p", "", "true", None, 0) if value != "p" else ("q", None):
                if wrong != value:
                    yield f"{path} = {wrong!r}", changed(lambda h, k, wrong=wrong: h.__setitem__(k, wrong))
        elif isinstance(value, int):
            for wrong in (value + 1, value - 1, -value - 1, float(value), str(value), None):
                yield f"{path} = {wrong!r}", changed(lambda h, k, wrong=wrong: h.__setitem__(k, wrong))
        if isinstance(path[-1], int):
            yield f"without {path}", changed(lambda h, k: h.pop(k))
            yield f"{path} twice", changed(lambda h, k: h.insert(k, copy.deepcopy(h[k])))
        else:
            yield f"without {path}", changed(lambda h, k: h.pop(k))


def harmless(record: dict[str, Any], other: dict[str, Any]) -> bool:
    """The same said in another way: a set with an item twice, a bit of the rank as another true predicate."""

    def sets(node: dict[str, Any]) -> list[Any]:
        parts = [{json.dumps(item) for item in node[key]} for key in ("literals", "next", "promises")]
        return [*parts, node.get("successors")]

    try:
        if [sets(node) for node in record["nodes"]] != [sets(node) for node in other["nodes"]]:
            return False
        rest = [{k: v for k, v in r.items() if k not in ("nodes", "ranking")} for r in (record, other)]
        return rest[0] == rest[1] and json.dumps(rest[0]) == json.dumps(rest[1])
    except (KeyError, TypeError):
        return False


@pytest.mark.parametrize("name", CASES)
def test_whatever_a_proof_says_is_checked(name: str) -> None:
    model, text, fair = CASES[name]
    record, formula = record_of(model, text, fair)
    Checker(record, model, formula).checked()
    tried = 0
    for what, other in mutations(record):
        if harmless(record, other):
            continue
        tried += 1
        try:
            Checker(other, model, formula).checked()
        except (Rejected, KeyError, TypeError, ValueError, IndexError, AttributeError):
            continue
        raise AssertionError(f"accepted with {what}")
    assert tried > 80


@pytest.mark.parametrize("name", CASES)
def test_a_wrong_ranking_function_is_rejected(name: str) -> None:
    model, text, fair = CASES[name]
    record, formula = record_of(model, text, fair)
    for node, bits in enumerate(record["ranking"]):
        for bit, cubes in enumerate(bits):
            if not any(node == x for line in record["lines"] for x, _ in line.get("at", ())):
                continue
            other = copy.deepcopy(record)
            other["ranking"][node][bit] = [] if cubes else [[]]
            with pytest.raises(Rejected, match=f"bit {bit} of the ranking function is wrong"):
                Checker(other, model, formula).checked()


def test_a_proof_of_another_formula_is_rejected() -> None:
    record, _ = record_of(*CASES["mutex"])
    with pytest.raises(Rejected, match="not the negation of the property"):
        Checker(record, Mutex(), parse("[]<> cr0", "--ltl")).checked()


def test_a_proof_about_another_model_is_rejected() -> None:
    record, formula = record_of(*CASES["alternation"])
    with pytest.raises(Rejected, match=r"cannot be reached|successor of state|line \d+"):
        Checker(record, Walks([[(0, 1)], [(0, 0), (0, 1)]], [[True], [False]]), formula).checked()
    with pytest.raises(Rejected, match="line 1: the literal is true in this state"):
        Checker(record, Walks([[(0, 1)], [(0, 0)]], [[False], [False]]), formula).checked()


def test_every_letter_counts(tmp_path: Path) -> None:
    model = tmp_path / "m.pml"
    model.write_text("bool b; active proctype P() { do :: b = !b od } ltl again { []<> b }")
    from kripke.languages.registry import load_model
    from kripke.languages.request import LoadRequest

    request = LoadRequest(path=str(model))
    loaded = load_model(request)
    text = text_of(prove(loaded, loaded.properties[0], origin=request.to_json()).to_json())
    assert verify(text, load_again).states == 2
    for place in range(len(text)):
        for other in (text[:place] + text[place + 1 :], text[:place] + chr(ord(text[place]) ^ 1) + text[place + 1 :]):
            with pytest.raises(Rejected):
                verify(other, load_again)
    # Also with a digest that fits: what the proof says about where it comes from.
    record = json.loads(text)
    del record["digest"]
    for path in places(record):
        if path[0] not in ("model", "property") or path in (("model", "language"), ("model", "origin", "allow_c")):
            continue
        other = copy.deepcopy(record)
        holder = other
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = "x"
        reasons = (
            r"text has changed|cannot read|no formula|something else|put together|not those of the model|no such choice"
        )
        with pytest.raises(Exception, match=reasons):
            verify(text_of(other), load_again)
    model.write_text("bool b; active proctype P() { do :: b = !b :: skip od } ltl again { []<> b }")
    with pytest.raises(Rejected, match="its text has changed"):
        verify(text, load_again)


def test_what_is_no_proof_is_rejected_with_a_sentence() -> None:
    for text in ("", "{", "[]", "{}", '{"format": "kripke proof 1"}', "[" * 100_000):
        with pytest.raises(Rejected, match=r"no proof|changed after"):
            verify(text, load_again)
    body = '{\n"format": "kripke proof 1"'
    with pytest.raises(Rejected, match="not put together as a proof is"):
        verify(f'{body},\n"digest": "{sha256(body.encode()).hexdigest()}"\n}}\n', load_again)
