"""Counts that ProB printed for CSP-M scripts (M. Leuschel, M. Fontaine, *Probing the depths of CSP-M*, ICFEM 2008).

Its states are terms as they are written. So a call is a state of its own, by its name and its arguments, and what it
stands for is another; an argument that came in by an input is not the same as an equal one that was computed; the
process that is checked is a call, too. Local definitions get what they use as further arguments, and ``let`` is what it
has behind ``within``. An artificial root comes on top, with one step. Counted in this way the numbers
are those of the paper. Kripke counts what a process can do from there on by its text and values: fewer states.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from kripke.algebra.terms import Term
from kripke.languages.cspm.parser import parse
from kripke.languages.cspm.processes import Processes
from kripke.languages.cspm.program import Program
from kripke.languages.cspm.scopes import Scope
from kripke.languages.cspm.syntax import Apply, Expr, Function, Let, Name
from kripke.languages.cspm.values import force

CORPUS = Path(__file__).parents[4] / "shared" / "corpus" / "cspm" / "cspmf"

SERVER = """
ID = {0..3}
channel new, ping, ack : ID
channel shutdown
Server = new?id -> (Server ||| Serve(id)) [] shutdown -> STOP
Serve(id) = ping!id -> ack!id -> Serve(id)
User = new?i -> UserActive(i)
UserActive(i) = ping!i -> ack!i -> UserActive(i)
MAIN = Server [| {| new, ping, ack, shutdown |} |] User
"""
#: its source is not printed; it does N events, one after the other
MCCARTHY = """
channel out : {0..N}
M(n) = if n > N then STOP else out.n -> M(n + 1)
MAIN = M(1)
"""
FIBONACCI = """
channel out, gen : {0..5}
Fib(x, y) = out!x -> if y < 8 then Fib(y, x + y) else gen!x -> STOP
MAIN = Fib(1, 1)
"""


class Call(Term):
    """A call that was not looked into yet."""

    __slots__ = ("_build",)
    operator = "call"

    def __init__(self, world, build) -> None:
        super().__init__(world)
        self._build = build

    def _make(self):
        return self._build().steps()


def counted(program: Program, start: Term) -> tuple[int, int]:
    seen, transitions = {start: None}, 0
    todo = [start]
    for state in todo:
        for _, target in state.steps():
            transitions += 1
            if target not in seen:
                seen[target] = None
                todo.append(target)
    return len(seen), transitions


def as_counted(text: str, process: str) -> tuple[int, int]:
    program = Program(parse("script.csp", text))
    return counted(program, program.value(process))


def as_printed(text: str, process: str, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    script = parse("script.csp", text)
    #: a name that stands for a name
    meant = {
        declaration.name: declaration.clauses[0].body.name
        for declaration in script.declarations
        if isinstance(declaration, Function) and isinstance(declaration.clauses[0].body, Name)
    }
    #: functions that are a local definition behind ``within``, and these calls
    local = {
        declaration.name: declaration.clauses[0].body.body
        for declaration in script.declarations
        if isinstance(declaration, Function)
        and isinstance(declaration.clauses[0].body, Let)
        and isinstance(declaration.clauses[0].body.body, Name | Apply)
    }
    waiting = {id(node) for node in local.values()}
    inputs: list[Scope] = []
    plain_prefix, plain_term, plain_code = Processes._prefix, Processes.term, Processes.code

    def prefix(self, node, scope):
        if any(field.mark != "!" for field in node.fields):
            inputs.append(scope)
        return plain_prefix(self, node, scope)

    def is_input(scope: Scope | None, node: Expr) -> bool:
        while isinstance(node, Name) and scope is not None:
            if node.name in scope.names:
                return any(scope is known for known in inputs)
            scope = scope.parent
        return False

    def code_of(self, node):
        if id(node) in waiting:
            waiting.discard(id(node))
            return self.term(node)
        return plain_code(self, node)

    def term(self, node):
        called = node.function if isinstance(node, Apply) else node
        if isinstance(called, Name) and called.name == "diamond":  # compressions are not known
            return self.term(node.arguments[0])
        code = plain_term(self, node)
        if not isinstance(called, Name) or called.name in ("STOP", "SKIP", *local):
            return code
        used = self.key_of(self.collected(lambda: plain_code(self, called))[1])
        arguments = node.arguments if isinstance(node, Apply) else []
        values = [self.code(argument) for argument in arguments]
        received = tuple(is_input(self.scope, argument) for argument in arguments)
        name = meant.get(called.name, called.name)

        def made(env):
            key = ("call", name, tuple(force(value(env)) for value in values), received, used(env))
            return self.world.make(key, lambda: Call(self.world, lambda: code(env)))

        return made

    monkeypatch.setattr(Processes, "_prefix", prefix)
    monkeypatch.setattr(Processes, "term", term)
    monkeypatch.setattr(Processes, "code", code_of)
    program = Program(script)
    unfolded = program.value(process)
    start = program.world.make(("start",), lambda: Call(program.world, lambda: unfolded))
    states, transitions = counted(program, start)
    return states + 1, transitions + 1  # the root


def test_the_crossing(monkeypatch) -> None:
    """The public script has its speed regulators replaced by STOP. With one for each segment, the first system that it
    checks has the printed figures."""
    if not (CORPUS / "crossing.csp").exists():
        pytest.skip("the public scripts are not here")
    text = (CORPUS / "crossing.csp").read_text()
    regulators = "|| j : REALTRACKS @ [{|tock, enter.j, enter.(j+1)%Segments|}] SpeedReg(j,min)"
    assert text.count("SpeedRegs(min) = STOP") == 1
    text = text.replace("SpeedRegs(min) = STOP", f"SpeedRegs(min) = {regulators}")
    text += "\nCHECKED = System(NormalTrain, NormalGate)\n"
    assert as_counted(text, "CHECKED") == (3930, 9360)
    assert as_printed(text, "CHECKED", monkeypatch) == (5517, 12737)


def test_the_bank_is_another_one(monkeypatch) -> None:
    """892 states and 1,231 transitions are printed; the public script has fewer in both ways of counting."""
    if not (CORPUS / "bankv4.csp").exists():
        pytest.skip("the public scripts are not here")
    text = (CORPUS / "bankv4.csp").read_text()
    assert as_counted(text, "FullBankSystem") == (494, 708)
    assert as_printed(text, "FullBankSystem", monkeypatch) == (563, 931)


@pytest.mark.parametrize(
    ("text", "process", "ours", "printed"),
    [
        (SERVER, "MAIN", (9, 12), (14, 17)),
        ("N = 200" + MCCARTHY, "MAIN", (201, 200), (202, 201)),
        ("N = 10000" + MCCARTHY, "MAIN", (10001, 10000), (10002, 10001)),
        ("N = 30000" + MCCARTHY, "MAIN", (30001, 30000), (30002, 30001)),
        (FIBONACCI, "MAIN", (7, 6), (8, 7)),
        ("peterson1.fdr2", "SYSTEM", (56, 112), (58, 115)),
        ("peterson2.fix.fdr2", "SYSTEM", (56, 112), (215, 429)),
    ],
)
def test_counts(text: str, process: str, ours: tuple[int, int], printed: tuple[int, int], monkeypatch) -> None:
    if "\n" not in text:
        if not (CORPUS / text).exists():
            pytest.skip("the public scripts are not here")
        text = (CORPUS / text).read_text()
    assert as_counted(text, process) == ours
    assert as_printed(text, process, monkeypatch) == printed
