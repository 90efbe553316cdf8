"""Data types in ASN.1: what they mean, how models use them, what is refused; counts of the public examples."""

import random
import re
from itertools import product
from pathlib import Path

import pytest

import kripke
from kripke.languages.promela import load
from kripke.languages.promela.asn1.parser import parse
from kripke.languages.promela.asn1.resolution import Resolution
from kripke.languages.promela.asn1.types import cardinality
from kripke.model.source import ModelError, Sources
from kripke.process.value_set import ValueSet
from tests.support.agreement import assert_agreement

CORPUS = Path(__file__).parents[4] / "shared" / "corpus" / "promela" / "spin-examples"

TYPES = """
Some-Types DEFINITIONS AUTOMATIC TAGS ::= BEGIN
max INTEGER ::= 5  -- a comment --
Small ::= INTEGER (8..15) /* another /* inside */ */
Odd ::= INTEGER (5 | 7 | 11 | 13)
Both ::= INTEGER (0..10) (3..20)
Meet ::= INTEGER (0..10 ^ 3..20)
Hole ::= INTEGER (0..10 EXCEPT 3)
Other ::= Small (ALL EXCEPT 9)
Within ::= INTEGER (INCLUDES Odd | 3)
Named ::= INTEGER { low(0), high(9) } (low..high)
Lower ::= Small (MIN..10)
Open ::= INTEGER (0<..<max)
More ::= INTEGER (0..3, ..., 7)
Colour ::= ENUMERATED { red, green(5), blue, ..., pink }
Warm ::= Colour (red | pink)
Yes ::= BOOLEAN (TRUE)
Pair ::= SEQUENCE { a INTEGER (5..7), b INTEGER (3..7) }
Point ::= SEQUENCE { x INTEGER (5..7), y INTEGER (3..7) OPTIONAL, z BOOLEAN DEFAULT TRUE }
Bag ::= SET { colour Colour, COMPONENTS OF Pair }
Fixed ::= Point (WITH COMPONENTS { ..., x (5), y PRESENT })
Four ::= SEQUENCE SIZE (4) OF Small
List ::= SEQUENCE (SIZE (0..max)) OF INTEGER (0..3)
Grid ::= SEQUENCE SIZE (2) OF SEQUENCE SIZE (3) OF BOOLEAN
Choice ::= CHOICE { n INTEGER (0..3), c Colour, nothing NULL, inner SEQUENCE { k BOOLEAN } }
Two ::= Choice (WITH COMPONENTS { n (0..1), nothing })
Set INTEGER ::= { 1 | 4 }
origin Point ::= { x 5, y 3 }
chosen Choice ::= inner : { k TRUE }
few List ::= { 1, 2 }
END
"""
SIZES = {
    "Small": 8, "Odd": 4, "Both": 8, "Meet": 8, "Hole": 10, "Other": 7, "Within": 5, "Named": 10, "Lower": 3, "Open": 4,
    "More": 5, "Colour": 4, "Warm": 2, "Yes": 1, "Pair": 15, "Point": 36, "Bag": 60, "Fixed": 10, "Four": 4096,
    "List": 1365, "Grid": 64, "Choice": 11, "Two": 3, "Set": 2,
}  # fmt: skip


def types_of(text):
    sources = Sources()
    modules = parse(text, "t.asn1", sources)
    resolution = Resolution(modules, sources)
    return resolution.types(modules[-1]), resolution.values(modules[-1])


def module(text):
    return f"T DEFINITIONS ::= BEGIN\n{text}\nEND"


def test_how_many_values_types_have():
    types, values = types_of(TYPES)
    assert {name: cardinality(type_) for name, (type_, _) in types.items()} == SIZES
    assert [values[name][1] for name in ("max", "origin", "chosen", "few")] == [
        5, {"x": 5, "y": 3, "z": 1}, ("inner", {"k": 1}), [1, 2],
    ]  # fmt: skip
    assert dict(types["Colour"][0].names) == {0: "red", 5: "green", 1: "blue", 2: "pink"}


@pytest.mark.parametrize("seed", range(40))
def test_sets_of_values_are_sets(seed):
    choose = random.Random(seed)

    def some():
        return [(low, low + choose.randrange(4)) for low in (choose.randrange(-9, 9) for _ in range(3))]

    one, other = some(), some()
    a, b = ValueSet.of(one), ValueSet.of(other)
    plain = [{n for low, high in ranges for n in range(low, high + 1)} for ranges in (one, other)]
    assert [set(a), set(a | b), set(a & b), set(a - b)] == [
        plain[0], plain[0] | plain[1], plain[0] & plain[1], plain[0] - plain[1],
    ]  # fmt: skip
    assert [a.index(n) for n in a] == list(range(len(a))) and [a.at(i) for i in range(len(a))] == sorted(plain[0])
    assert (a <= b) == (plain[0] <= plain[1])


def random_type(choose, depth):
    """A random type in the part of ASN.1 that asn1tools reads, and how many values it has."""
    kind = choose.choice(("range", "set", "enum", "bool") if depth == 0 else ("record", "list", "choice", "range"))
    if kind == "range":
        low = choose.randrange(-5, 5)
        high = low + choose.randrange(6)
        return f"INTEGER ({low}..{high})", high - low + 1
    if kind == "set":
        values = choose.sample(range(20), choose.randrange(1, 5))
        return f"INTEGER ({' | '.join(map(str, values))})", len(values)
    if kind == "enum":
        names = [f"e{i}" for i in range(choose.randrange(1, 5))]
        return f"ENUMERATED {{ {', '.join(names)} }}", len(names)
    if kind == "bool":
        return "BOOLEAN", 2
    if kind == "list":
        inner, count = random_type(choose, depth - 1)
        low, high = sorted((choose.randrange(3), choose.randrange(1, 4)))
        return f"SEQUENCE (SIZE ({low}..{high})) OF {inner}", sum(count**n for n in range(low, high + 1))
    parts = [random_type(choose, depth - 1) for _ in range(choose.randrange(1, 4))]
    if kind == "choice":
        body = ", ".join(f"f{i} {text}" for i, (text, _) in enumerate(parts))
        return f"CHOICE {{ {body} }}", sum(count for _, count in parts)
    optional = [choose.random() < 0.3 for _ in parts]
    words = [" OPTIONAL" if one else "" for one in optional]
    body = ", ".join(f"f{i} {text}{words[i]}" for i, (text, _) in enumerate(parts))
    total = 1
    for (_, count), one in zip(parts, optional, strict=True):
        total *= count + one
    return f"{choose.choice(('SEQUENCE', 'SET'))} {{ {body} }}", total


def test_random_types_are_read_as_a_library_reads_them():
    library = pytest.importorskip("asn1tools.parser")
    choose = random.Random(7)
    for _ in range(60):
        text, count = random_type(choose, choose.randrange(3))
        types, _ = types_of(module(f"A ::= {text}"))
        assert cardinality(types["A"][0]) == count, text
        assert "A" in library.parse_string(module(f"A ::= {text}"))["T"]["types"], text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A ::= INTEGER (0..3) (5..7)", "no value is left"),
        ("A ::= SEQUENCE { a A }", "'A' is defined by itself"),
        ("A ::= B", "there is no type 'B'"),
        ("A ::= OCTET STRING", "'OCTET' has no place in a state"),
        ("A ::= SET OF INTEGER (0..1)", "SET OF has no place in a state"),
        ("A ::= INTEGER (0..x)", "there is no value 'x'"),
        ("x INTEGER ::= x", "'x' is defined by itself"),
        ("A ::= ENUMERATED { a, a }", "'a' is there twice"),
        ("A ::= INTEGER (0..4294967295)", "values of a model have 32 bits"),
        ("A ::= SEQUENCE { a BOOLEAN, a BOOLEAN }", "'a' is there twice"),
        ("P ::= SEQUENCE { a BOOLEAN }\np P ::= { }", "'a' is missing"),
        ("A ::= INTEGER (0..3", "expected ')'"),
        ("A ::= CHOICE { }", "a CHOICE has at least one alternative"),
        ("A{B} ::= SEQUENCE { a B }", "types with parameters are not read"),
        ("A ::= " + "SEQUENCE { a " * 120, "nested too deeply"),
        ("A ::= $", "'$' has no meaning in ASN.1"),
        ("/* A ::= INTEGER", "this comment is never closed"),
    ],
)
def test_what_is_wrong_in_a_module(text, message):
    with pytest.raises(ModelError) as error:
        types_of(module(text))
    assert message in str(error.value)
    assert re.search(r"t\.asn1:\d+:\d+", str(error.value))


def written(folder, model, types=TYPES):
    (folder / "types.asn1").write_text(types)
    path = folder / "model.pml"
    path.write_text('import types from "types.asn1"\n' + model)
    return str(path)


USES = """
chan c = [2] of { Point };
Colour colour = blue;
Point p = {x 5, y 3};
List list;
Choice choice;
Grid grid;
Point many[2] = {x 6};
proctype B(Small s; Point q) { Small t; t = s; assert(q.x == 7 && t == 9) }
active proctype A() {
  Small i = 9;
  Point q;
  assert(p == origin && list.length == 0 && many[1].x == 6 && many[1].z);
  q = {x 7};
  assert(!present(q.y) && q != origin);
  q.y = 4;
  assert(present(q.y) && q.y == 4);
  c!q;
  c!{x 6, z FALSE};
  c?p;
  assert(p == q);
  q = {x p.x};
  c?p;
  assert(!p.z && p == {x 6, z FALSE} && q.x == 7);
  list = {1, 2,
          3};
  list[1] = 0;
  assert(list.length == 3 && list[1] == 0 && list[2] == 3);
  list.length = 1;
  assert(list == {1});
  grid[1][2] = TRUE;
  assert(grid[1][2] && !grid[0][2]);
  choice = inner : {k TRUE};
  assert(choice.inner.k && choice == chosen);
  choice.inner.k = FALSE;
  choice.n = 2;
  assert(present(choice.n) && !present(choice.inner));
  if :: colour = Colour.green :: colour = red fi;
  run B(i, q);
  do :: i < max + 7 -> i++ :: i == max + 7 -> break od;
}
"""


def test_a_model_with_all_of_it(tmp_path):
    model = load(written(tmp_path, USES))
    states = assert_agreement(model.program, tmp_path)
    result = kripke.load(tmp_path / "model.pml").check(all_errors=True)
    assert (result.verdict, result.states) == ("holds", states)


FAILING = {
    "i = i + 1": "value outside of its type",
    "odd = odd + 1": "value outside of its type",
    "odd = list[0]": "use of a component that is absent",
    "i = p.y + 5": "use of a component that is absent",
    "choice.inner.k = TRUE": "use of a component that is absent",
    "list.length = i": "value outside of its type",
    "c!(i - 15)": "value outside of its type",
    "run P(i)": "value outside of its type",
    "list[i] = 0": "use of a component that is absent",
    "list[0 - i] = 0": "array index out of range",
}


def failing(statements):
    """A process that does one of the statements."""
    options = "\n".join(f":: {statement}" for statement in statements)
    return f"""
    Odd odd = 5; List list; Choice choice; Point p = {{x 5}};
    chan c = [1] of {{ Odd }};
    proctype P(Odd o) {{ odd = o }}
    active proctype A() {{ Small i = 15; if {options} fi }}
    """


def test_values_that_a_type_has_not(tmp_path):
    for statement, error in FAILING.items():
        result = kripke.load(written(tmp_path, failing([statement]))).check(deadlock=False, engine="interpreter")
        assert result.verdict == "violated" and error in str(result), statement
    assert assert_agreement(load(written(tmp_path, failing(FAILING))).program, tmp_path) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Small s = 3; init { skip }", "3 is no value of its type (8..15)"),
        ("Point p = {y 3}; init { skip }", "component 'x' is missing"),
        ("Point p = {x 5, w 1}; init { skip }", "'Point' has no component 'w'"),
        ("List l = {0, 0, 0, 0, 0, 0}; init { skip }", "6 elements, where 'List' has 0..5"),
        ("Choice c = {n 1}; init { skip }", "a value of a CHOICE is written: alternative : value"),
        ("Choice c; init { c = m : 1 }", "'Choice' has no alternative 'm'"),
        ("Point p; init { p = {x 5, y p.x} }", "the new value uses the variable that is assigned"),
        ("Point p; Pair q; init { p = q }", "a value of type 'Pair', where one of 'Point' is expected"),
        ("Point p; init { present(p.x) }", "this component is always there"),
        ("chan c = [1] of { Small }; Lower l; init { c?l }", "'l' cannot hold every value of this field"),
        ("Point p; init { p }", "'p' is a structure: name one of its fields"),
        ("init { red = 1 }", "'red' is an mtype value and cannot be assigned"),
    ],
)
def test_what_is_wrong_in_a_model(tmp_path, text, message):
    with pytest.raises(ModelError) as error:
        load(written(tmp_path, text))
    assert message in str(error.value)


def test_channels_whose_ranges_differ_are_not_mixed(tmp_path):
    text = "chan a = [1] of { Small }; chan b = [1] of { Odd }; proctype P(chan c) { c!9 } init { run P(a); run P(b) }"
    with pytest.raises(ModelError, match="their messages have different ranges"):
        load(written(tmp_path, text))
    assert load(written(tmp_path, text.replace("{ Odd }", "{ Small }"))).program.channels


def test_names_that_mean_several_values_are_qualified(tmp_path):
    types = module("A ::= ENUMERATED { on, off }\nB ::= ENUMERATED { off, on }")
    with pytest.raises(ModelError, match="'on' means several values"):
        load(written(tmp_path, "A a; init { a = on }", types))
    result = kripke.load(written(tmp_path, "A a; B b; init { a = A.on; b = B.on; assert(a == 0 && b == 1) }", types))
    assert result.check().verdict == "holds"


def test_files_are_found_and_kept_inside_the_root(tmp_path):
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "types.asn1").write_text(TYPES)
    (inner / "m.pml").write_text('import types from "../types.asn1"\nSmall s; init { s = s }')
    assert load(str(inner / "m.pml")).program.variables
    with pytest.raises(ModelError, match="it lies outside of"):
        load(str(inner / "m.pml"), include_root=str(inner))
    (inner / "m.pml").write_text('import types from "none.asn1"\ninit { skip }')
    with pytest.raises(ModelError, match=r"cannot find 'none\.asn1'"):
        load(str(inner / "m.pml"))


# --- the public examples ----------------------------------------------------------------------------------------------

SIGNALS = ["r", "w", "raw", "RD", "WR", "RX", "MX", "MXdone", "req0", "req1", "CtoB", "BtoC", "grant", "done"]


def lower(name):
    """Items of an enumeration begin with a lower-case letter in ASN.1."""
    return name if name[0].islower() else f"bus{name}"


def snoopy(folder):
    text = (CORPUS / "snoopy.pml").read_text()
    text = re.sub(r"mtype\s*=\s*\{.*?\};", 'import types from "snoopy.asn1"', text, count=1, flags=re.DOTALL)
    for name in SIGNALS:
        text = re.sub(rf"\b{name}\b", lower(name), text)
    text = text.replace("mtype", "Signal").replace("byte state", "Line state").replace("byte which", "Signal which")
    signals = ", ".join(map(lower, SIGNALS))
    (folder / "snoopy.asn1").write_text(module(f"Signal ::= ENUMERATED {{ {signals} }}\nLine ::= INTEGER (1..3)"))
    (folder / "snoopy.pml").write_text(text)
    return folder / "snoopy.pml"


def leader(folder):
    text = (CORPUS / "leader0.pml").read_text()
    text = re.sub(r"mtype\s*=\s*\{.*?\};", 'import types from "leader.asn1"', text, count=1, flags=re.DOTALL)
    for old, new in (
        ("{ mtype, byte}", "{ Kind, Number }"),
        ("byte nr_leaders", "Leaders nr_leaders"),
        ("byte mynumber", "Number mynumber"),
        ("bit Active", "Flag Active"),
        ("byte nr,", "Number nr,"),
        ("byte proc", "Position proc"),
    ):
        assert old in text
        text = text.replace(old, new)
    types = "Kind ::= ENUMERATED { one, two, winner }\nNumber ::= INTEGER (0..5)\nLeaders ::= INTEGER (0..1)"
    (folder / "leader.asn1").write_text(module(f"{types}\nFlag ::= BOOLEAN\nPosition ::= INTEGER (0..6)"))
    (folder / "leader.pml").write_text(text)
    return folder / "leader.pml"


@pytest.mark.skipif(not CORPUS.is_dir(), reason=f"the SPIN examples are not at {CORPUS}")
@pytest.mark.parametrize(
    ("make", "plain", "states", "transitions", "vector"),
    [(snoopy, "snoopy.pml", 81013, 273782, 112), (leader, "leader0.pml", 15779, 58181, 196)],
)
def test_counts_are_those_of_plain_promela(tmp_path, make, plain, states, transitions, vector):
    """And of the paper, whose SPIN forgot no dead variables.

    With its hash table the native store takes less for a state than 0.6 of SPIN's vector there.
    """
    typed, untyped = (kripke.load(path, dead_variables="off") for path in (make(tmp_path), CORPUS / plain))
    whole = typed.check(all_errors=True, search="dfs", por=False)
    assert (whole.states, whole.transitions) == (states, transitions)
    assert whole.store_bytes / states < 0.6 * vector
    counts = [
        (r.states, r.transitions) for r in (m.check(all_errors=True, search="dfs", por=True) for m in (typed, untyped))
    ]
    assert counts[0] == counts[1]


def test_orders_of_imports_and_modules(tmp_path):
    (tmp_path / "a.asn1").write_text(
        module("A ::= INTEGER (0..last)\nlast INTEGER ::= 2").replace("T DEF", "First DEF")
    )
    second = "Second DEFINITIONS ::= BEGIN IMPORTS A, last FROM First; B ::= SEQUENCE SIZE (last) OF A END"
    (tmp_path / "b.asn1").write_text(second)
    files = ['import types from "a.asn1"', 'import types from "b.asn1"']
    path = tmp_path / "m.pml"
    for order in product((0, 1), repeat=2):
        if len(set(order)) < 2:
            continue
        path.write_text("\n".join(files[i] for i in order) + "\nB b; init { b[1] = 2 }")
        if order == (0, 1):
            assert kripke.load(path).check(deadlock=False).verdict == "holds"
        else:
            with pytest.raises(ModelError, match="there is no module 'First'"):
                load(str(path))
