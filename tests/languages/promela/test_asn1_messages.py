"""What is said about mistakes in ASN.1 and in values of its types, and where."""

import re

import pytest

from kripke.languages.promela import load
from kripke.model.source import ModelError
from tests.languages.promela.test_asn1 import module, types_of, written


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("T DEFINITIONS AUTOMATIC 3 ::= BEGIN END", "expected '::=', found"),
        ("T DEFINITIONS ::= BEGIN EXPORTS A", "expected ';' after what is exported"),
        ("T DEFINITIONS ::= BEGIN A ::= BOOLEAN", "expected a type, a value or 'END', found the end of the text"),
        ("T DEFINITIONS ::= BEGIN IMPORTS 3 FROM B; END", "expected a name to import or 'FROM', found"),
    ],
)
def test_modules(text, message):
    refused(text, message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("3 ::= BOOLEAN", "expected the name of a type or a value, found"),
        ("A ::= CLASS { }", "object classes are not read"),
        ("A ::= ENUMERATED { ... }", "an enumeration has at least one item"),
        ("A ::= INTEGER (...)", "a constraint is empty"),
        ("A ::= INTEGER (PATTERN 3)", "constraints with 'PATTERN' are not read"),
        ("A ::= INTEGER (MIN)", "expected '..', found"),
        ("x INTEGER ::= -y", "expected a number, found"),
        ('x INTEGER ::= "y"', "strings have no place in a state"),
        ("x INTEGER ::= )", "expected a value, found"),
        ("x INTEGER ::= 1234567890123456789012345678901", "this number is too large"),
        ("A ::= CHOICE { a BOOLEAN OPTIONAL }", "an alternative is neither OPTIONAL nor has it a DEFAULT"),
        ("A ::= SEQUENCE { COMPONENTS OF BOOLEAN }", "COMPONENTS OF needs a SEQUENCE or SET"),
        ("A ::= INTEGER (0..3) (5..7)", "no value is left: the constraint contradicts the type"),
        ("A ::= SEQUENCE (SIZE (1)) OF BOOLEAN\nB ::= A (SIZE (2))", "no size is left"),
        ("A ::= SEQUENCE { a BOOLEAN } (SIZE (1))", "this constraint is not read for a SEQUENCE or SET"),
        (
            "P ::= SEQUENCE { a BOOLEAN }\nA ::= P (WITH COMPONENTS { ..., a ABSENT })",
            "'a' cannot be absent: it is not OPTIONAL",
        ),
        ("C ::= CHOICE { a BOOLEAN }\nA ::= C (WITH COMPONENTS { ..., a ABSENT })", "no alternative is left"),
        ("C ::= CHOICE { a BOOLEAN }\nA ::= C (WITH COMPONENTS { b })", "there is no component 'b'"),
        ("A ::= ENUMERATED { a, b } (a..b)", "a range of ENUMERATED"),
        ("A ::= INTEGER (SIZE (1))", "this constraint is not for INTEGER"),
        (
            f"A ::= INTEGER ({' | '.join(str(2 * i) for i in range(1_500))})",
            "a set of 1,500 ranges: at most 1,000 are read",
        ),
        (
            "A0 ::= BOOLEAN\n" + "\n".join(f"A{i} ::= SEQUENCE {{ x A{i - 1}, y A{i - 1} }}" for i in range(1, 40)),
            "is too large",
        ),
        ("A ::= SEQUENCE (SIZE (1) | 3) OF BOOLEAN", "only SIZE is read here"),
        ("P ::= SEQUENCE { a BOOLEAN }\nq INTEGER ::= 3\np P ::= q", "'q' is no value of this type"),
        ("A ::= INTEGER (0..3)\nx A ::= 7", "7 is no value of this type (0..3)"),
        ("A ::= SEQUENCE (SIZE (0..2)) OF BOOLEAN\nx A ::= { a TRUE }", "elements of a SEQUENCE OF have no names"),
        ("A ::= SEQUENCE (SIZE (2)) OF BOOLEAN\nx A ::= { TRUE }", "1 elements, where the size is 2"),
        ("A ::= CHOICE { a BOOLEAN }\nx A ::= b : TRUE", "there is no alternative 'b'"),
        ("P ::= SEQUENCE { a BOOLEAN }\nx P ::= 3", "this is no value of its type"),
    ],
)
def test_types_and_values(text, message):
    refused(module(text), message)


def refused(text, message):
    with pytest.raises(ModelError) as error:
        types_of(text)
    assert message in str(error.value)
    assert re.search(r"t\.asn1:\d+:\d+", str(error.value))


@pytest.mark.parametrize(
    ("text", "types", "message"),
    [
        (
            "init { skip }",
            "A ::= BOOLEAN\nEND\nU DEFINITIONS ::= BEGIN A ::= BOOLEAN",
            "there are two names that are 'A' in Promela",
        ),
        ("A a; init { skip }", "A ::= SEQUENCE OF BOOLEAN", "'A' has no greatest length: a state needs one"),
        ("A a; init { skip }", "A ::= SEQUENCE (SIZE (0)) OF BOOLEAN", "'A' is always empty"),
        ("P p; init { p = 3 }", "P ::= SEQUENCE { a BOOLEAN }", "expected a value of type 'P'"),
        (
            "P p; init { p = {1} }",
            "P ::= SEQUENCE { a BOOLEAN }",
            "the name of a component is missing: {name value, name value}",
        ),
        ("P p; init { p = {a 1, 2} }", "P ::= SEQUENCE { a BOOLEAN }", "expected the name of a component, found"),
        (
            "L l; init { l = {a 1} }",
            "L ::= SEQUENCE (SIZE (0..2)) OF BOOLEAN",
            "elements of a SEQUENCE OF have no names",
        ),
        (
            "P p; byte b; init { b = 1 + {a 1} }",
            "P ::= SEQUENCE { a BOOLEAN }",
            "a structured value stands alone: assigned, sent, or compared with a variable",
        ),
        (
            "chan a = [1] of { A }; chan b = [1] of { B }; proctype P(chan c) { c!1 } init { run P(a); run P(b) }",
            "A ::= INTEGER (0..3)\nB ::= INTEGER (1..5)",
            "'c' may be any channel here, and their messages have different ranges",
        ),
        (
            "P p; init { select(p.a : 0..3) }",
            "P ::= SEQUENCE { a INTEGER (0..3) OPTIONAL }",
            "'p' has a component here that may be absent",
        ),
    ],
)
def test_models(tmp_path, text, types, message):
    with pytest.raises(ModelError) as error:
        load(written(tmp_path, text, module(types)))
    assert message in str(error.value)
    assert re.search(r":\d+:\d+", str(error.value))


def test_the_file_is_named(tmp_path):
    path = tmp_path / "m.pml"
    path.write_text("import types from types\ninit { skip }")
    with pytest.raises(ModelError, match="expected the name of a file, found"):
        load(str(path))
