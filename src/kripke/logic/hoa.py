"""Automata in the Hanoi omega-automata format, version 1 (Babiak et al., CAV 2015), written and read.

Read are Büchi and generalised Büchi automata with explicit labels, on edges or on states, and acceptance on either.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn

from kripke.logic.automaton import Automaton, Cube, Edge
from kripke.logic.guards import Guards

if TYPE_CHECKING:
    from kripke.model.source import ModelError


def written(automaton: Automaton) -> str:
    """The automaton as text."""
    lines = ["HOA: v1"]
    if automaton.title:
        lines.append(f"name: {_quoted(automaton.title)}")
    lines += [f"States: {automaton.states}"]
    lines += [f"Start: {state}" for state in automaton.initial]
    lines.append(" ".join([f"AP: {len(automaton.atoms)}", *(_quoted(str(atom)) for atom in automaton.atoms)]))
    lines += _acceptance(automaton.sets)
    lines.append("properties: trans-labels explicit-labels " + ("state-acc" if automaton.state_based else "trans-acc"))
    lines.append('tool: "kripke"')
    lines.append("--BODY--")
    for state in range(automaton.states):
        name = f" {_quoted(automaton.state_names[state])}" if automaton.state_names else ""
        marks = _marks(automaton.marks_of_state(state)) if automaton.state_based else ""
        lines.append(f"State: {state}{name}{marks}")
        for edge in automaton.edges_from(state):
            marks = "" if automaton.state_based else _marks(edge.marks)
            lines.append(f"[{_label(edge.guard)}] {edge.target}{marks}")
    lines.append("--END--")
    return "\n".join(lines) + "\n"


def _acceptance(sets: int) -> list[str]:
    if sets == 0:
        return ["acc-name: all", "Acceptance: 0 t"]
    name = "Buchi" if sets == 1 else f"generalized-Buchi {sets}"
    return [f"acc-name: {name}", f"Acceptance: {sets} " + "&".join(f"Inf({index})" for index in range(sets))]


def _marks(marks: int) -> str:
    numbers = [str(index) for index in range(marks.bit_length()) if marks >> index & 1]
    return f" {{{' '.join(numbers)}}}" if numbers else ""


def _label(guard: tuple[Cube, ...]) -> str:
    return " | ".join(
        "&".join(str(index) if positive else f"!{index}" for index, positive in cube.literals()) or "t"
        for cube in guard
    )


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


# --- reading ----------------------------------------------------------------------------------------------------------

_TOKEN: Final = re.compile(
    r"""(?:\s|/\*.*?\*/)*(?:
        (?P<body> --BODY--|--END--|--ABORT-- )
      | (?P<header> [A-Za-z_][\w-]*: )
      | (?P<string> "(?:[^"\\]|\\.)*" )
      | (?P<number> \d+ )
      | (?P<word> @?[A-Za-z_][\w-]* )
      | (?P<sign> [\[\](){}!&|] )
      | (?P<end> \Z )
    )""",
    re.VERBOSE | re.DOTALL,
)


class _Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


def read(text: str, file: str = "automaton.hoa") -> Automaton:
    """The automaton in a text. Raises ModelError with the place of what is wrong or not supported."""
    return _Reader(text, file).automaton()


class _Reader:
    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self.token = self.scan(0)
        self.states: int | None = None
        self.initial: list[int] = []
        self.atoms: list[Hashable] = []
        self.sets: int | None = None
        self.title = ""
        self.guards = Guards()
        self.aliases: dict[str, int] = {}
        self.depth = 0

    # --- tokens -------------------------------------------------------------------------------------------------------

    def scan(self, position: int) -> _Token:
        match = _TOKEN.match(self.text, position)
        if match is None:
            while self.text[position].isspace():
                position += 1
            self.token = _Token("", "", position, position + 1)
            raise self.error(f"{self.text[position]!r} means nothing in an automaton")
        kind = match.lastgroup or "end"
        return _Token(kind, match[kind], match.start(kind), match.end(kind))

    def advance(self) -> _Token:
        token = self.token
        self.token = self.scan(token.end)
        return token

    def error(self, message: str, token: _Token | None = None) -> ModelError:
        from kripke.model.source import Sources, Span

        start, end = (token or self.token)[2:]
        before = self.text[:start].split("\n")
        line, column = len(before), len(before[-1]) + 1
        sources = Sources()
        sources.add(self.file, self.text)
        return sources.error(message, Span(self.file, line, column, line, column + max(1, end - start)))

    def fail(self, wanted: str) -> NoReturn:
        found = f"'{self.token.text}'" if self.token.text else "the end of the text"
        raise self.error(f"expected {wanted}, found {found}")

    def number(self, what: str, below: int | None = None) -> int:
        if self.token.kind != "number":
            self.fail(what)
        token = self.advance()
        value = int(token.text) if len(token.text) < 10 else 10**9
        if value >= (10**9 if below is None else below):
            raise self.error(f"{token.text} is too large for {what}", token)
        return value

    def accept(self, sign: str) -> bool:
        if self.token.text == sign and self.token.kind in ("sign", "word"):
            self.advance()
            return True
        return False

    def expect(self, sign: str) -> None:
        if not self.accept(sign):
            self.fail(f"'{sign}'")

    def string(self, what: str) -> str:
        if self.token.kind != "string":
            self.fail(what)
        return re.sub(r"\\(.)", r"\1", self.advance().text[1:-1])

    # --- grammar ------------------------------------------------------------------------------------------------------

    def automaton(self) -> Automaton:
        if self.token.text != "HOA:":
            self.fail("'HOA:'")
        while self.token.kind != "body":
            self.header()
        if self.sets is None:
            raise self.error("there is no 'Acceptance:' line")
        self.advance()
        edges: list[Edge] = []
        marked_states = True
        while self.token.text == "State:":
            marked_states &= self.state(edges)
        if self.token.text != "--END--":
            self.fail("'State:' or '--END--'")
        largest = max([state for edge in edges for state in (edge.source, edge.target)] + self.initial, default=-1)
        states = largest + 1 if self.states is None else self.states
        return Automaton(
            self.atoms, states, self.initial, edges, self.sets, state_based=marked_states, title=self.title
        )

    def header(self) -> None:
        token = self.advance()
        match token.text:
            case "HOA:":
                if self.advance().text != "v1":
                    raise self.error("only version v1 of the format can be read", token)
            case "States:":
                self.states = self.number("a number of states", 10_000_000)
            case "Start:":
                self.initial.append(self.number("an initial state", self.states))
                if self.token.text == "&":
                    raise self.error("alternating automata cannot be read")
            case "AP:":
                count = self.number("a number of atoms", 100_000)
                self.atoms = [self.string("the name of an atom in double quotes") for _ in range(count)]
            case "Acceptance:":
                self.acceptance()
            case "Alias:":
                name = self.advance().text
                self.aliases[name] = self.label()
            case "name:":
                self.title = self.string("a name in double quotes")
            case _:
                if token.kind != "header":
                    raise self.error(f"expected a header line, found '{token.text}'", token)
                if token.text[0].isupper():
                    raise self.error(f"the header '{token.text}' is not supported", token)
                while self.token.kind not in ("header", "body", "end"):
                    self.advance()

    def acceptance(self) -> None:
        start = self.token
        self.sets = self.number("a number of acceptance sets", 10_000)
        found: list[int] = []
        if not self.accept("t"):
            while True:
                if not self.accept("Inf"):
                    raise self.error("only Büchi and generalised Büchi acceptance can be read: Inf(0)&Inf(1)&...")
                self.expect("(")
                found.append(self.number("an acceptance set", self.sets))
                self.expect(")")
                if not self.accept("&"):
                    break
        if self.token.text == "|" or sorted(found) != list(range(self.sets)):
            raise self.error("only Büchi and generalised Büchi acceptance can be read: Inf(0)&Inf(1)&...", start)

    def state(self, edges: list[Edge]) -> bool:
        """The edges of a state; whether all its edges have the same marks."""
        self.advance()
        label = self.bracketed_label()
        source = self.number("a state", self.states)
        if self.token.kind == "string":
            self.advance()
        marks = self.marks()
        first = len(edges)
        while self.token.text == "[" or self.token.kind == "number":
            own = self.bracketed_label()
            guard = own if own is not None else label
            if guard is None:
                raise self.error("this edge has no label; implicit labels cannot be read")
            target = self.number("a state", self.states)
            if self.token.text == "&":
                raise self.error("alternating automata cannot be read")
            edge_marks = marks | self.marks()
            cubes = self.guards.cubes(guard)
            if cubes:
                edges.append(Edge(source, cubes, target, edge_marks))
        return len({edge.marks for edge in edges[first:]}) <= 1

    def marks(self) -> int:
        found = 0
        if self.accept("{"):
            while not self.accept("}"):
                found |= 1 << self.number("an acceptance set or '}'", self.sets)
        return found

    def bracketed_label(self) -> int | None:
        if not self.accept("["):
            return None
        label = self.label()
        self.expect("]")
        return label

    def label(self) -> int:
        return self.operands("|", lambda: self.operands("&", self.literal, self.guards.both), self.guards.either)

    def operands(self, sign: str, part: Callable[[], int], joined: Callable[[int, int], int]) -> int:
        value = part()
        while self.accept(sign):
            value = joined(value, part())
        return value

    def literal(self) -> int:
        self.depth += 1
        if self.depth > 100:
            raise self.error("nested too deeply")
        try:
            if self.accept("!"):
                return self.literal() ^ 1
            if self.accept("("):
                value = self.label()
                self.expect(")")
                return value
            if self.accept("t"):
                return 0
            if self.accept("f"):
                return 1
            if self.token.text in self.aliases:
                return self.aliases[self.advance().text]
            return self.guards.variable(self.number("the number of an atom", len(self.atoms)))
        finally:
            self.depth -= 1
