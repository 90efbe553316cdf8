"""Certificates of induction and pdr: accepted by the checker with another solver; changed ones are rejected."""

import json
from pathlib import Path

import pytest

from kripke.cli.main import main
from kripke.proofs.certificate import text_of

EXAMPLES = Path(__file__).parents[2] / "examples"
PETERSON = str(EXAMPLES / "promela" / "peterson.pml")
BAKERY = str(EXAMPLES / "symbolic" / "nonatomic_bakery.pml")
LEMMAS = str(EXAMPLES / "symbolic" / "nonatomic_bakery.lemmas")
GROWS = "int x; active proctype P() { do :: x < 9 -> x = x + 1 :: x > 4 -> x = x + x od }"


def made(tmp_path, capsys, file, *options):
    name = tmp_path / "c.json"
    assert main(["check", file, "--prove", str(name), "-q", *options]) == 0
    capsys.readouterr()
    return name


def verified(name, capsys):
    code = main(["verify-proof", str(name)])
    return code, capsys.readouterr().out


def changed(name, change):
    record = json.loads(name.read_text())
    record.pop("digest")
    change(record)
    name.write_text(text_of(record))


def test_pdr(tmp_path, capsys):
    name = made(tmp_path, capsys, PETERSON, "--engine", "pdr")
    code, said = verified(name, capsys)
    assert (code, said.splitlines()[0]) == (0, f"accepted: {PETERSON} satisfies: no deadlock, no failed assertion")


def test_the_bakery_with_unbounded_tickets(tmp_path, capsys):
    options = ("--engine", "induction", "--unbounded", "--no-deadlock", "--invariant", "PAIRS(APART)")
    name = made(tmp_path, capsys, BAKERY, *options, "--lemmas", LEMMAS)
    code, said = verified(name, capsys)
    assert (code, said.splitlines()[0].endswith("invariant PAIRS(APART), integers without bounds")) == (0, True)


def test_integers_without_bounds_by_pdr(tmp_path, capsys):
    model = tmp_path / "m.pml"
    model.write_text(GROWS)
    name = made(tmp_path, capsys, str(model), "--engine", "pdr", "--unbounded", "--invariant", "x >= 0")
    assert verified(name, capsys)[0] == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda r: r.update(invariants=[]), "something is wrong where the invariants hold"),
        (lambda r: r["invariants"].append("false"), "the invariants do not hold at the start"),
        (lambda r: r["invariants"].append("(= v0 0)"), "a step leads from the invariants to a state in which"),
        (lambda r: r["invariants"].append("v0)"), "an invariant cannot be read"),
        (lambda r: r["invariants"].append("(exit)"), "an invariant cannot be read at 'exit'"),
        (lambda r: r["invariants"].append("(= v99 0)"), "there is no variable v99"),
        (lambda r: r.pop("asked"), "not put together as a certificate is"),
        (lambda r: r["asked"].update(invariants=["nothing"]), "not put together as a certificate is"),
    ],
)
def test_a_changed_one_is_rejected(change, message, tmp_path, capsys):
    name = made(tmp_path, capsys, PETERSON, "--engine", "pdr")
    changed(name, change)
    code, said = verified(name, capsys)
    assert (code, message in said) == (1, True), said


def test_a_letter_that_changed_is_seen(tmp_path, capsys):
    name = made(tmp_path, capsys, PETERSON, "--engine", "pdr")
    name.write_text(name.read_text().replace('"k": 0', '"k": 1'))
    assert verified(name, capsys) == (1, "rejected: the file was changed after it was written: its digest is wrong\n")
