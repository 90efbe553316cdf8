"""The parser: text in, exact tree or exact report out."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from kripke.languages.promela.parser import parse, parse_expression, parse_file, parse_formula
from kripke.languages.promela.syntax import (
    ArrayInitializer,
    Assert,
    Assignment,
    Atomic,
    Binary,
    Block,
    Break,
    CCode,
    CDeclaration,
    CExpression,
    ChannelInitializer,
    ChannelQuery,
    Conditional,
    Constant,
    CState,
    CTrack,
    Declaration,
    DeclarationStatement,
    Decrement,
    Do,
    DStep,
    Else,
    Eval,
    ExclusiveAccess,
    Expression,
    ExpressionStatement,
    For,
    ForIn,
    Goto,
    If,
    Increment,
    Init,
    Inline,
    InlineCall,
    Item,
    Labelled,
    Ltl,
    MtypeDeclaration,
    Never,
    NonProgress,
    Option,
    Poll,
    Printf,
    Printm,
    ProcessQuery,
    Proctype,
    Receive,
    Reference,
    RemoteLabel,
    RemoteVariable,
    Run,
    Select,
    Send,
    SetPriority,
    Statement,
    TemporalBinary,
    TemporalUnary,
    Timeout,
    Trace,
    Typedef,
    TypeName,
    Unary,
    Unless,
    Variable,
)  # fmt: skip
from kripke.model.source import ModelError, Span

CORPUS = Path(__file__).resolve().parents[4] / "shared" / "corpus" / "promela" / "spin-examples"

x, y, z, q = Reference("x"), Reference("y"), Reference("z"), Reference("q")
p, r = Reference("p"), Reference("r")
ONE, TWO, THREE = Constant(1), Constant(2), Constant(3)
SKIP = ExpressionStatement(ONE)


def statements(text: str) -> tuple[Statement, ...]:
    """The body of an init, after definitions that end in a line of dashes."""
    before, _, body = text.rpartition("---\n")
    init = parse(f"{before} init {{ {body} }}", "m.pml").items[-1]
    assert isinstance(init, Init)
    return init.body


def report(text: str) -> str:
    with pytest.raises(ModelError) as caught:
        parse(text, "m.pml")
    return caught.value.render()


def assign(target: Reference, value: int) -> Assignment:
    return Assignment(target, Constant(value))


# Expressions


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1", ONE),
        ("true", ONE),
        ("false", Constant(0)),
        ("'a'", Constant(97)),
        ("'\\n'", Constant(10)),
        ("2147483647", Constant(2147483647)),
        ("x", x),
        ("_pid", Reference("_pid")),
        ("x[1].y[z]", Reference("x", ONE, Reference("y", z))),
        ("-x", Unary("-", x)),
        ("!x && ~y", Binary("&&", Unary("!", x), Unary("~", y))),
        ("!!x", Unary("!", Unary("!", x))),
        ("x + y * z", Binary("+", x, Binary("*", y, z))),
        ("x - y - z", Binary("-", Binary("-", x, y), z)),
        ("(x - y) - z", Binary("-", Binary("-", x, y), z)),
        ("x - (y - z)", Binary("-", x, Binary("-", y, z))),
        ("x || y && z", Binary("||", x, Binary("&&", y, z))),
        ("x | y ^ z & 1", Binary("|", x, Binary("^", y, Binary("&", z, ONE)))),
        ("x == y < z", Binary("==", x, Binary("<", y, z))),
        ("x & y == z", Binary("&", x, Binary("==", y, z))),
        ("x << y + 1", Binary("<<", x, Binary("+", y, ONE))),
        ("-x * y", Binary("*", Unary("-", x), y)),
        ("(x -> y : z)", Conditional(x, y, z)),
        ("(x > 1 -> 1 : 2) + 3", Binary("+", Conditional(Binary(">", x, ONE), ONE, TWO), THREE)),
        ("len(q) < 3", Binary("<", ChannelQuery("len", q), THREE)),
        ("nempty(q) && full(q)", Binary("&&", ChannelQuery("nempty", q), ChannelQuery("full", q))),
        ("q?[x, _]", Poll(q, (x, Reference("_")))),
        ("q??[eval(x + 1), -3]", Poll(q, (Eval(Binary("+", x, ONE)), Constant(-3)), anywhere=True)),
        ("run P(1, x)", Run("P", (ONE, x))),
        ("run P() priority 3", Run("P", (), 3)),
        ("timeout", Timeout()),
        ("np_", NonProgress()),
        ("enabled(x)", ProcessQuery("enabled", x)),
        ("pc_value(1) > 2", Binary(">", ProcessQuery("pc_value", ONE), TWO)),
        ("P@crit", RemoteLabel("P", None, "crit")),
        ("P[1]@crit", RemoteLabel("P", ONE, "crit")),
        ("c_expr { now.x == 1 }", CExpression("now.x == 1")),
        ("c_expr [p != 0] { *p }", CExpression("*p", "p != 0")),
    ],
)
def test_expressions(text: str, expected: Expression) -> None:
    assert parse_expression(text) == expected


def test_remote_variables_need_a_known_proctype() -> None:
    module = parse("proctype P() { byte v; skip }\n#define big (P[2]:v > 3)")
    expected = Binary(">", RemoteVariable("P", TWO, Reference("v")), THREE)
    assert parse_expression("big", module=module) == expected
    assert parse_expression("(x -> y : P:v)", module=module) == Conditional(
        x, y, RemoteVariable("P", None, Reference("v"))
    )


def test_long_chains_stay_flat() -> None:
    def depth(node: object) -> int:
        return 1 + max(depth(node.left), depth(node.right)) if isinstance(node, Binary) else 0

    assert depth(parse_expression(" || ".join(["x"] * 5000))) < 80
    assert depth(parse_expression(" || ".join(["x"] * 5))) == 4


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[] p", TemporalUnary("[]", p)),
        ("[]<>p", TemporalUnary("[]", TemporalUnary("<>", p))),
        ("always eventually p", TemporalUnary("[]", TemporalUnary("<>", p))),
        ("X next p", TemporalUnary("X", TemporalUnary("X", p))),
        ("p U q", TemporalBinary("U", p, q)),
        ("p until q stronguntil r", TemporalBinary("U", TemporalBinary("U", p, q), r)),
        ("p release q", TemporalBinary("V", p, q)),
        ("p V q W r", TemporalBinary("W", TemporalBinary("V", p, q), r)),
        ("p weakuntil q", TemporalBinary("W", p, q)),
        ("[] p -> q", Binary("->", TemporalUnary("[]", p), q)),
        ("[] (p implies <> q)", TemporalUnary("[]", Binary("->", p, TemporalUnary("<>", q)))),
        ("p -> q <-> r", Binary("<->", Binary("->", p, q), r)),
        ("p && q U r || x == 1", Binary("||", Binary("&&", p, TemporalBinary("U", q, r)), Binary("==", x, ONE))),
        ("![] !p", Unary("!", TemporalUnary("[]", Unary("!", p)))),
        ("x < 1 U P@l", TemporalBinary("U", Binary("<", x, ONE), RemoteLabel("P", None, "l"))),
        ("p equivalent !full(q)", Binary("<->", p, Unary("!", ChannelQuery("full", q)))),
    ],
)
def test_formulas(text: str, expected: Expression) -> None:
    assert parse_formula(text) == expected
    assert parse(f"ltl f {{ {text} }}").items == (Ltl("f", expected),)


# Statements


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("skip", SKIP),
        ("x = y + 1", Assignment(x, Binary("+", y, ONE))),
        ("x++", Increment(x)),
        ("x[1].y--", Decrement(Reference("x", ONE, Reference("y")))),
        ("q!x,1", Send(q, (x, ONE))),
        ("q!x(1,y+1)", Send(q, (x, ONE, Binary("+", y, ONE)))),
        ("q!!x", Send(q, (x,), sorted=True)),
        ("q?x,1", Receive(q, (x, ONE))),
        ("q?x(_)", Receive(q, (x, Reference("_")))),
        ("q?(x, y)", Receive(q, (x, y))),
        ("q??x,eval(y)", Receive(q, (x, Eval(y)), anywhere=True)),
        ("q?<x>", Receive(q, (x,), peek=True)),
        ("q??<x, -1>", Receive(q, (x, Constant(-1)), anywhere=True, peek=True)),
        ("q?[x] && y", ExpressionStatement(Binary("&&", Poll(q, (x,)), y))),
        ("x == 1", ExpressionStatement(Binary("==", x, ONE))),
        ("(x)", ExpressionStatement(x)),
        ("P@l", ExpressionStatement(RemoteLabel("P", None, "l"))),
        ("run P()", ExpressionStatement(Run("P"))),
        ("assert(x)", Assert(x)),
        ("assert x == 1", Assert(Binary("==", x, ONE))),
        ('printf("%d\\n", x)', Printf("%d\\n", (x,))),
        ("printm(x)", Printm(x)),
        ("set_priority(x, 3)", SetPriority(x, THREE)),
        ("xr q, r", ExclusiveAccess("xr", (q, r))),
        ("goto L", Goto("L")),
        ("c_code { now.x = 1; }", CCode("now.x = 1;")),
        ("c_code [now.x] { f(\"}\"); }", CCode('f("}");', "now.x")),
        ("atomic { skip; skip }", Atomic((SKIP, SKIP))),
        ("d_step { skip }", DStep((SKIP,))),
        ("{ skip }", Block((SKIP,))),
        ("if :: x -> skip :: else fi", If((Option((ExpressionStatement(x), SKIP)), Option((Else(),))))),
        ("do :: x = 1; break od", Do((Option((assign(x, 1), Break())),))),
        ("A: B: skip", Labelled(("A", "B"), SKIP)),
        ("end:", Labelled(("end",), SKIP)),
        ("skip unless { x }", Unless(SKIP, Block((ExpressionStatement(x),)))),
        ("L: { skip } unless x", Unless(Labelled(("L",), Block((SKIP,))), ExpressionStatement(x))),
        ("for (x : 1 .. y) { skip }", For(x, ONE, y, (SKIP,))),
        ("for (x in y)\n{ skip }", ForIn(x, y, (SKIP,))),
        ("select (x : 1 .. 3)", Select(x, ONE, THREE, "options")),
        ("select (x : 1..40)", Select(x, ONE, Constant(40), "text")),
        ("select (a_b : 1 .. 3)", Select(Reference("a_b"), ONE, THREE, "loop")),
        ("select (x : 1 .. y)", Select(x, ONE, y, "loop")),
        ("in = 1", assign(Reference("in"), 1)),
    ],
)  # fmt: skip
def test_statements(text: str, expected: Statement) -> None:
    assert statements(text) == (expected,)


@pytest.mark.parametrize(
    "text",
    [
        "x = 1; y = 2",
        "x = 1 -> y = 2",
        "x = 1;;; y = 2;",
        "x = 1\ny = 2",
        "x = 1 // comment\n\n  y = 2\n",
        "x = 1 /* a\n b */ y = 2",
        "x =\n1\ny = 2",
        "x = 1\n-> y = 2",
        "#define two 2\nx = 1\ny = two\n",
        "#define both(a) a = 1; \\\n y = 2\nboth(\nx)",
    ],
)
def test_separators(text: str) -> None:
    assert statements("\n" + text) == (assign(x, 1), assign(y, 2))


def test_no_separator_is_needed_after_a_brace_or_else() -> None:
    assert statements("{ skip } x = 1") == (Block((SKIP,)), assign(x, 1))
    assert statements("if :: else x = 1 fi") == (If((Option((Else(), assign(x, 1))),)),)
    assert statements("{ skip }\n unless x") == (Unless(Block((SKIP,)), ExpressionStatement(x)),)


def test_a_line_end_ends_a_statement_outside_parentheses_only() -> None:
    assert statements("y = x\n-x > 1") == (
        Assignment(y, x),
        ExpressionStatement(Binary(">", Unary("-", x), ONE)),
    )
    assert statements("y = (x\n-x)") == (Assignment(y, Binary("-", x, x)),)


def test_declarations_say_whether_they_belong_to_the_first_state() -> None:
    body = statements("byte x; xr q; int y = 1; skip; byte z; { byte p; skip }")
    found = [s.initial for s in body if isinstance(s, DeclarationStatement)]
    inner = body[-1]
    assert found == [True, True, False]
    assert isinstance(inner, Block)
    assert inner.body[0] == DeclarationStatement(Declaration(TypeName("byte"), (Variable("p"),)), False)


# Inlines


def test_an_inline_is_expanded_where_it_is_called() -> None:
    text = "inline f(a, b) { a = b; q!a }\n---\nf(x, y + 1) skip"
    body = Block((Assignment(x, Binary("+", y, ONE)), Send(q, (x,))))
    assert statements(text) == (InlineCall("f", (x, Binary("+", y, ONE)), body), SKIP)


def test_arguments_replace_all_parameters_at_once() -> None:
    text = "inline f(a, b) { a = b }\n---\nf(b, a)"
    assert statements(text)[0].body == Block((Assignment(Reference("b"), Reference("a")),))  # type: ignore[union-attr]


def test_parameters_are_not_replaced_in_strings_and_c_code() -> None:
    text = 'inline f(a) { printf("a"); c_code { a = 1; } }\n---\nf(x)'
    assert statements(text)[0].body == Block((Printf("a"), CCode("a = 1;")))  # type: ignore[union-attr]


def test_the_result_of_an_inline_is_assigned() -> None:
    text = "inline f(a) { return a + 1 }\n---\nx = f(2)"
    body = Block((Assignment(x, Binary("+", TWO, ONE)),))
    assert statements(text) == (InlineCall("f", (TWO,), body, target=x),)


def test_inlines_call_inlines_and_keep_their_own_places() -> None:
    text = "inline g(b) {\n  x = b\n}\ninline f(a) {\n  g(a)\n}\ninit { f(3) }"
    (call,) = parse(text, "m.pml").items[-1].body  # type: ignore[union-attr]
    assert isinstance(call, InlineCall)
    assert call.span == Span("m.pml", 7, 8, 7, 12)
    inner = call.body.body[0]
    assert isinstance(inner, InlineCall)
    assert inner.body.body[0] == assign(x, 3)
    assert inner.body.body[0].span == Span("m.pml", 2, 3, 2, 8)


def test_select_in_an_inline_is_a_loop() -> None:
    call = statements("inline f() { select (x : 1 .. 3) }\n---\nf()")[0]
    assert isinstance(call, InlineCall)
    assert call.body == Block((Select(x, ONE, THREE, "loop"),))


# Modules

BYTE = TypeName("byte")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("byte x", Declaration(BYTE, (Variable("x"),))),
        ("hidden int x = 1, y[3]", Declaration(
            TypeName("int"), (Variable("x", initial=ONE), Variable("y", THREE)), "hidden")),
        ("unsigned x : 3 = 1", Declaration(TypeName("unsigned"), (Variable("x", width=3, initial=ONE),))),
        ("byte x[2] = {1, 2}", Declaration(BYTE, (Variable("x", TWO, initial=ArrayInitializer((ONE, TWO))),))),
        ("chan q", Declaration(TypeName("chan"), (Variable("q"),))),
        ("chan q[2] = [1] of { byte, mtype:m }", Declaration(TypeName("chan"), (
            Variable("q", TWO, initial=ChannelInitializer(ONE, (BYTE, TypeName("mtype", "m")))),))),
        ("mtype = { a, b c }", MtypeDeclaration(("a", "b", "c"))),
        ("mtype { a }", MtypeDeclaration(("a",))),
        ("mtype:m = { a }", MtypeDeclaration(("a",), "m")),
        ("mtype:m x", Declaration(TypeName("mtype", "m"), (Variable("x"),))),
        ("typedef T { byte x; byte y\nbyte z }", Typedef("T", tuple(
            Declaration(BYTE, (Variable(n),)) for n in "xyz"))),
        ("proctype P() { skip }", Proctype("P", (), (SKIP,))),
        ("active [2] D_proctype P(byte x, y; int z) priority 3 provided (x > 1)\n{ skip }", Proctype(
            "P", (Declaration(BYTE, (Variable("x"), Variable("y"))), Declaration(TypeName("int"), (Variable("z"),))),
            (SKIP,), TWO, 3, Binary(">", x, ONE), True)),
        ("active proctype P() { skip }", Proctype("P", (), (SKIP,), ONE)),
        ("init priority 2 { skip }", Init((SKIP,), 2)),
        ("never { skip }", Never(None, (SKIP,))),
        ("never n { skip }", Never("n", (SKIP,))),
        ("trace { q!x }", Trace("trace", (Send(q, (x,)),))),
        ("notrace { q?x }", Trace("notrace", (Receive(q, (x,)),))),
        ("ltl { x }", Ltl(None, x)),
        ("inline f(a, b) { skip }", Inline("f", ("a", "b"))),
        ("c_decl { \\#include <a.h>\n typedef int t; }", CDeclaration("#include <a.h>\n typedef int t;")),
        ("c_code { int f() { return '}'; } }", CCode("int f() { return '}'; }")),
        ('c_state "int x" "Global"', CState("int x", "Global")),
        ('c_track "&x" "sizeof(int)" "UnMatched"', CTrack("&x", "sizeof(int)", "UnMatched")),
    ],
)  # fmt: skip
def test_module_items(text: str, expected: Item) -> None:
    assert parse(text).items == (expected,)
    assert parse(text + ";\n" + text.replace(" f(", " g(")).items[0] == expected


def test_a_typedef_name_is_a_type_from_there_on() -> None:
    items = parse("typedef T { byte x }; T t; chan q = [1] of { T }; init { T\nu; u.x = 1 }").items
    assert items[1] == Declaration(TypeName("T"), (Variable("t"),))
    init = items[3]
    assert isinstance(init, Init)
    assert init.body[0] == DeclarationStatement(Declaration(TypeName("T"), (Variable("u"),)), True)


def test_definitions_given_from_outside() -> None:
    assert parse("byte x = N", defines={"N": 3}).items == (Declaration(BYTE, (Variable("x", initial=THREE),)),)


def test_spans_point_at_the_text() -> None:
    module = parse("byte x;\nactive proctype P() {\n  x = x +\n    1\n}\n", "m.pml")
    proctype = module.items[1]
    assert isinstance(proctype, Proctype)
    assert proctype.span == Span("m.pml", 2, 1, 5, 2)
    assert proctype.body[0].span == Span("m.pml", 3, 3, 4, 6)
    assert (
        module.sources.error("no", proctype.body[0].span).render() == "m.pml:3:3: error: no\n    x = x +\n    ^~~~~~~"
    )


def test_nodes_are_immutable_values() -> None:
    node = parse_expression("x + 1")
    assert node == parse_expression(" x+1 ")
    assert hash(node) == hash(parse_expression("x + 1"))
    assert pickle.loads(pickle.dumps(node)) == node
    assert repr(node) == "Binary('+', Reference('x'), Constant(1))"
    with pytest.raises(AttributeError, match="immutable"):
        node.operator = "-"  # type: ignore[misc]


def test_warnings() -> None:
    module = parse("int x = 4294967295;\ninit { if :: L: skip fi }", "m.pml")
    assert [str(warning) for warning in module.warnings] == [
        "m.pml:1:9: warning: 4294967295 does not fit into 32 bits and is read as -1",
        "m.pml:2:14: warning: label 'L' stands at the start of an option",
    ]


# Errors


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("init {\n  if\n  :: (x = 1) -> skip\n  fi\n}",
         "m.pml:3:9: error: expected ')', found '='\n    :: (x = 1) -> skip\n          ^\n"
         "hint: '=' assigns; to compare, write '=='"),
        ("init { x + 1 = 2 }",
         "m.pml:1:14: error: expected ';' or '->' before '='\n  init { x + 1 = 2 }\n               ^\n"
         "hint: '=' assigns to a variable; to compare, write '=='"),
        ("init {\n  if\n  :: skip\n}",
         "m.pml:4:1: error: expected 'fi', found '}'\n  }\n  ^\nhint: the 'if' at 2:3 is not closed"),
        ("init { do :: skip fi }",
         "m.pml:1:19: error: expected 'od', found 'fi'\n  init { do :: skip fi }\n                    ^~\n"
         "hint: the 'do' at 1:8 is not closed"),
        ("init { skip",
         "m.pml:1:12: error: expected '}', found the end of the text\n  init { skip\n             ^\n"
         "hint: the '{' at 1:6 is not closed"),
        ("init { if :: x -> skip :: else if (y) skip fi fi }",
         "m.pml:1:35: error: expected '::' after 'if', found '('\n"
         "  init { if :: x -> skip :: else if (y) skip fi fi }\n                                    ^\n"
         "hint: an if is written: if :: condition -> statement :: else -> statement fi"),
        ("init { do skip od }",
         "m.pml:1:11: error: expected '::' after 'do', found 'skip'\n  init { do skip od }\n            ^~~~\n"
         "hint: options are written: do :: statements :: statements od"),
        ("init { itn x; skip }",
         "m.pml:1:8: error: unknown type 'itn'\n  init { itn x; skip }\n         ^~~\nhint: did you mean 'int'?"),
        ("typedef Message { byte x }\nMesage m;",
         "m.pml:2:1: error: unknown type 'Mesage'\n  Mesage m;\n  ^~~~~~\nhint: did you mean 'Message'?"),
        ("chan q = [1] of { bite }",
         "m.pml:1:19: error: unknown type 'bite'\n  chan q = [1] of { bite }\n                    ^~~~\n"
         "hint: did you mean 'bit'?"),
        ("chan q = [1] of { unsigned }",
         "m.pml:1:19: error: 'unsigned' cannot be the type of a message field\n  chan q = [1] of { unsigned }\n"
         "                    ^~~~~~~~\nhint: use byte, short or int"),
        ("proctype P(byte x, int y) { skip }",
         "m.pml:1:20: error: expected a name after ',', found 'int'\n  proctype P(byte x, int y) { skip }\n"
         "                     ^~~\nhint: declarations of different types are separated by ';'"),
        ("proctype P(byte x = 1) { skip }",
         "m.pml:1:17: error: a parameter has no initial value\n  proctype P(byte x = 1) { skip }\n"
         "                  ^~~~~"),
        ("init { x = 1 y = 2 }",
         "m.pml:1:14: error: expected ';' or '->' before 'y'\n  init { x = 1 y = 2 }\n               ^"),
        ("init { x\n= 1 }",
         "m.pml:2:1: error: expected an expression, found '='\n  = 1 }\n  ^\n"
         "hint: '=' assigns; to compare, write '=='"),
        ("init { x = }",
         "m.pml:1:12: error: expected an expression, found '}'\n  init { x = }\n             ^"),
        ("init { }",
         "m.pml:1:8: error: expected a statement, found '}'\n  init { }\n         ^\n"
         "hint: write 'skip' where nothing is to be done"),
        ("init { foo(1) }",
         "m.pml:1:8: error: there is no inline 'foo'\n  init { foo(1) }\n         ^~~\n"
         "hint: inlines are defined before they are used"),
        ("inline enter(a) { skip }\ninit { entr(1) }",
         "m.pml:2:8: error: there is no inline 'entr'\n  init { entr(1) }\n         ^~~~\nhint: did you mean 'enter'?"),
        ("inline f(a) { skip }\ninit { f() }",
         "m.pml:2:8: error: inline 'f' takes 1 argument, but is given 0\n  init { f() }\n         ^"),
        ("inline f() { g() }\ninline g() { f() }\ninit { f() }",
         "m.pml:2:14: error: inline 'f' calls itself\n  inline g() { f() }\n               ^\n"
         "hint: 'f' calls 'g' calls 'f'"),
        ("inline f() { f() }\ninit { f() }",
         "m.pml:1:14: error: inline 'f' calls itself\n  inline f() { f() }\n               ^\nhint: 'f' calls 'f'"),
        ("inline f() { x = }\ninit { f() }",
         "m.pml:1:18: error: expected an expression, found '}'\n  inline f() { x = }\n                   ^\n"
         "hint: inline 'f' is called at m.pml:2:8"),
        ("inline f() { return 1 }\ninit { f() }",
         "m.pml:1:14: error: 'return' in inline 'f', whose result is not used\n  inline f() { return 1 }\n"
         "               ^~~~~~\nhint: call it as variable = f(...)"),
        ("init { return 1 }", "m.pml:1:8: error: 'return' outside an inline\n  init { return 1 }\n         ^~~~~~"),
        ("inline f(a, a) { skip }",
         "m.pml:1:13: error: inline 'f' has two parameters 'a'\n  inline f(a, a) { skip }\n              ^"),
        ("init { break }", "m.pml:1:8: error: 'break' outside a loop\n  init { break }\n         ^~~~~"),
        ("init { goto if }",
         "m.pml:1:13: error: expected a label after 'goto', found 'if'\n  init { goto if }\n              ^~\n"
         "hint: 'if' is a keyword of Promela"),
        ("init { atomic { L: skip } }",
         "m.pml:1:17: error: label 'L' cannot stand here\n  init { atomic { L: skip } }\n                  ^\n"
         "hint: write L: atomic { ... }"),
        ("init { L: x = 1 unless y }",
         "m.pml:1:8: error: label 'L' cannot stand here\n  init { L: x = 1 unless y }\n         ^\n"
         "hint: write L: { statement unless ... }"),
        ("init { skip unless L: skip }",
         "m.pml:1:20: error: label 'L' cannot stand here\n  init { skip unless L: skip }\n                     ^\n"
         "hint: the guard of an escape is no place to jump to"),
        ("init { L: byte x; skip }",
         "m.pml:1:8: error: label 'L' stands before a declaration\n  init { L: byte x; skip }\n         ^\n"
         "hint: labels belong to statements; use 'skip'"),
        ("init { skip; chan c = [1] of { byte } }",
         "m.pml:1:19: error: channel 'c' is created after the start of the body\n"
         "  init { skip; chan c = [1] of { byte } }\n                    ^~~~~~~~~~~~~~~~~~~\n"
         "hint: declare it at the start of the proctype, before all statements"),
        ("init { mtype = { a } }",
         "m.pml:1:8: error: the names of an mtype are declared at the top level only\n  init { mtype = { a } }\n"
         "         ^~~~~"),
        ("init { q?x+1 }",
         "m.pml:1:11: error: expected ';' or '->' before '+'\n  init { q?x+1 }\n            ^"),
        ("init { q?(x == 1) }",
         "m.pml:1:13: error: expected ')', found '=='\n  init { q?(x == 1) }\n              ^~\n"
         "hint: the '(' at 1:10 is not closed"),
        ("init { select (x : 3 .. 1) }",
         "m.pml:1:20: error: the range 3 .. 1 is empty\n  init { select (x : 3 .. 1) }\n                     ^"),
        ("init { x = 0x10 }",
         "m.pml:1:12: error: malformed number '0x10'\n  init { x = 0x10 }\n             ^~~~\n"
         "hint: numbers are decimal"),
        ("init { x = 'ab' }", "m.pml:1:12: error: 'ab' is not one character\n  init { x = 'ab' }\n             ^~~~"),
        ('init { printf("a) }',
         "m.pml:1:15: error: expected a format in double quotes, found a string that is not closed\n"
         '  init { printf("a) }\n                ^'),
        ("init { x = f(1) }",
         "m.pml:1:12: error: there is no inline 'f'\n  init { x = f(1) }\n             ^\n"
         "hint: inlines are defined before they are used"),
        ("init { [] x }",
         "m.pml:1:8: error: expected an expression, found '['\n  init { [] x }\n         ^\n"
         "hint: temporal operators belong into an ltl formula"),
        ("ltl p { [] x = 1 }",
         "m.pml:1:14: error: expected '}' or an operator, found '='\n  ltl p { [] x = 1 }\n               ^\n"
         "hint: '=' assigns; to compare, write '=='"),
        ("ltl p { [] x", "m.pml:1:7: error: the '{' of this formula is not closed\n  ltl p { [] x\n        ^"),
        ("c_code x", "m.pml:1:1: error: 'c_code' needs C code in braces after it\n  c_code x\n  ^~~~~~"),
        ("c_code { x", "m.pml:1:1: error: the '{' after this 'c_code' is never closed\n  c_code { x\n  ^~~~~~"),
        ('c_state "x"', "m.pml:1:12: error: 'c_state' takes two or three strings, found the end of the text\n"
         '  c_state "x"\n             ^'),
        ("active byte x", "m.pml:1:8: error: expected 'proctype' after 'active', found 'byte'\n  active byte x\n"
         "         ^~~~"),
        ("byte x = 1 + ;", "m.pml:1:14: error: expected an expression, found ';'\n  byte x = 1 + ;\n               ^"),
        ("x = 1", "m.pml:1:1: error: expected a declaration or a proctype, found 'x'\n  x = 1\n  ^"),
    ],
)  # fmt: skip
def test_error_reports(text: str, expected: str) -> None:
    assert report(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "init { x = " + "(" * 20000 + "1" + ")" * 20000 + " }",
        "init { " + "{" * 20000 + "skip" + "}" * 20000 + " }",
        "init { " + "if :: " * 20000,
        "init { x = " + "!" * 20001 + "y }",
        "init { x = " + "a[" * 20000 + " }",
        "init { x" + ".a" * 20000 + " = 1 }",
        "init { q?" + "a(" * 20000 + " }",
        "init { " + "skip unless { " * 20000 + " }",
        "init { x = " + "1 - " * 20000 + "1 }",
        "ltl { " + "[]" * 20000 + " p }",
    ],
)
def test_deep_nesting_is_refused(text: str) -> None:
    assert "error: nested too deeply" in report(text)


def test_reasonable_nesting_is_not() -> None:
    parse("init { " + "if :: " * 120 + "skip" + " fi" * 120 + " }")
    parse_expression("(" * 140 + "1" + ")" * 140)


def test_inlines_cannot_explode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kripke.languages.promela.inlines.MOST_TOKENS", 10_000)
    text = "inline f0() { skip }\n"
    text += "".join(f"inline f{i}() {{ f{i - 1}(); f{i - 1}(); f{i - 1}() }}\n" for i in range(1, 30))
    assert "inlines expand to more than 10,000 tokens" in report(text + "init { f29() }")


def test_the_whole_corpus_parses() -> None:
    if not CORPUS.is_dir():
        pytest.skip(f"the corpus of SPIN's examples is not at {CORPUS}")
    files = sorted(CORPUS.rglob("*.pml"))
    assert len(files) >= 78
    for file in files:
        assert parse_file(file).items
