"""The checker of proofs: small, and with nothing in common with what makes them.

It believes the model (initial states, successors, atoms, who moves) and the formula as the language reads it, nothing
else. Why its checks are enough: take a run, a fair one where the proof asks for fairness, that breaks the formula, and
follow it with the automaton, fulfilling an until formula as soon as its right side is true. FAIL nodes it cannot enter,
from SUCC nodes it goes to earlier lines, in the set of an IND line it cannot stay: all nodes there put off the same
until formula, or a process that could always (again and again) move never does. So it goes to earlier lines for ever.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import reduce
from hashlib import sha256
from operator import and_
from typing import Any, Protocol

from kripke.logic.formula import Formula
from kripke.model.model import Model

_FORMAT = "kripke proof 1"
_DIGEST = ',\n"digest": "'

Term = tuple[Any, ...]
Vertex = tuple[int, int]
Node = tuple[frozenset[Term], frozenset[Term], frozenset[Term]]  # literals, next, promises


class Rejected(Exception):
    """The proof is none; the message says where it breaks."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """What was shown, and how large the proof is."""

    model: Model
    record: dict[str, Any]
    states: int
    vertices: int
    edges: int
    failed: int
    inductions: int


class Load(Protocol):
    def __call__(self, path: str, language: str, origin: dict[str, Any], /) -> Model | None:
        """The model that a file had when it was loaded in this way; None where its text has changed."""


def verify(text: str, load: Load, *, model_file: str | None = None) -> Accepted:
    """Check a proof against the model it names; Rejected where it is none."""
    record = record_of(text, _FORMAT)
    try:
        model, formula = _load(record, load, model_file)
        return Checker(record, model, formula).checked()
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, RecursionError) as problem:
        raise Rejected(f"the file is not put together as a proof is ({type(problem).__name__}: {problem})") from None


def record_of(text: str, format_: str) -> dict[str, Any]:
    """The content of a file of this format, whose digest is right."""
    body, sign, tail = text.rpartition(_DIGEST)
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        raise Rejected("the file is no proof: it is not JSON") from None
    if not isinstance(record, dict) or record.get("format") != format_ or not sign:
        raise Rejected(f"the file is no proof: it does not say '{format_}'")
    if tail != sha256(body.encode()).hexdigest() + '"\n}\n':
        raise Rejected("the file was changed after it was written: its digest is wrong")
    return record


def _load(record: dict[str, Any], load: Load, model_file: str | None) -> tuple[Model, Formula]:
    about = record["model"]
    path = model_file or about["file"]
    model = load(path, about["language"].lower(), about["origin"])
    if model is None:
        raise Rejected(f"the model {path} is not the one the proof is about: its text has changed")
    for property_ in model.properties:
        if property_.name == record["property"]["name"] and property_.formula is not None:
            if str(property_) != record["property"]["text"]:
                raise Rejected(f"the property {property_.name} says something else: {property_}")
            return model, property_.formula
    raise Rejected(f"the model has no formula {record['property']['name']!r}")


def _term(formula: Formula, sign: bool) -> Term:
    """The formula (sign) or its negation, with negations at atoms only."""
    match formula.operator, formula.operands:
        case ("true" | "false") as constant, _:
            return ("true",) if (constant == "true") == sign else ("false",)
        case "atom", _:
            return ("atom" if sign else "not", str(formula.atom))
        case "not", (inner,):
            return _term(inner, not sign)
        case ("and" | "or") as operator, parts:
            return _many("and" if (operator == "and") == sign else "or", [_term(part, sign) for part in parts])
        case "->", (left, right):
            return _many("or" if sign else "and", [_term(left, not sign), _term(right, sign)])
        case "<->", (left, right):
            same = _many("and", [_term(left, True), _term(right, sign)])
            return _many("or", [same, _many("and", [_term(left, False), _term(right, not sign)])])
        case ("X" | "F" | "G" | "U" | "R") as operator, parts:
            dual = {"X": "X", "F": "G", "G": "F", "U": "R", "R": "U"}[operator]
            return (operator if sign else dual, *(_term(part, sign) for part in parts))
        case ("W" | "M") as operator, (left, right):  # f W g = g R (f || g), f M g = g U (f && g)
            weak = (operator == "W") == sign
            both = _many("or" if weak else "and", [_term(left, sign), _term(right, sign)])
            return ("R" if weak else "U", _term(right, sign), both)
    raise Rejected(f"the formula has an operator {formula.operator} that proofs do not know")


def _many(operator: str, terms: list[Term]) -> Term:
    neutral, absorbing = (("true",), ("false",)) if operator == "and" else (("false",), ("true",))
    flat = {part for term in terms for part in (term[1:] if term[0] == operator else (term,))} - {neutral}
    if absorbing in flat:
        return absorbing
    return (operator, *sorted(flat, key=repr)) if len(flat) > 1 else next(iter(flat), neutral)


def _unfolded(terms: frozenset[Term]) -> set[Node]:
    """Every way to make all terms true: literals now, terms next, until formulas put off."""
    found: set[Node] = set()

    def go(left: list[Term], now: frozenset[Term], later: frozenset[Term], off: frozenset[Term]) -> None:
        if not left:
            literals = frozenset(term for term in now if term[0] in ("atom", "not"))
            names = [literal[1] for literal in literals]
            if len(names) == len(set(names)):
                found.add((literals, later, frozenset(term for term in off if term[-1] not in now)))
            return
        term, *rest = left
        if term in now or term == ("true",):
            return go(rest, now, later, off)
        now = now | {term}
        match term:
            case ("and", *parts):
                go([*parts, *rest], now, later, off)
            case ("or", *parts):
                for part in parts:
                    go([part, *rest], now, later, off)
            case ("X", inner):
                go(rest, now, later | {inner}, off)
            case ("G", inner):
                go([inner, *rest], now, later | {term}, off)
            case ("F", goal):
                go([goal, *rest], now, later, off)
                go(rest, now, later | {term}, off | {term})
            case ("U", keep, goal):
                go([goal, *rest], now, later, off)
                go([keep, *rest], now, later | {term}, off | {term})
            case ("R", end, keep):
                go([keep, end, *rest], now, later, off)
                go([keep, *rest], now, later | {term}, off)
            case ("atom" | "not", _):
                go(rest, now, later, off)
        return None

    go(sorted(terms, key=repr), frozenset(), frozenset(), frozenset())
    return found


def _tuples(value: Any) -> Any:
    return tuple(_tuples(part) for part in value) if isinstance(value, list) else value


def _same(value: Any, expected: Any) -> bool:
    """As JSON: 1, 1.0 and true are three things."""
    return json.dumps(value) == json.dumps(expected)


class Checker:
    """Checks what a proof says about a model and a formula."""

    def __init__(self, record: dict[str, Any], model: Model, formula: Formula) -> None:
        self.record, self.model, self.formula, self.fair = record, model, formula, record["fair"]
        if self.fair not in (None, "weak", "strong"):
            raise Rejected(f"there is no fairness {self.fair!r}")
        self.atoms = {name: place for place, name in enumerate(model.atoms)}
        self.nodes: list[Node] = []
        self.successors: list[list[int]] = []
        self.states: list[bytes] = []
        self.steps: dict[int, list[tuple[int, tuple[int, ...]]]] = {}  # from a state: where to, who moves
        self.lines: dict[Vertex, int] = {}  # which line refutes a vertex
        self.ranks: dict[Vertex, int] = {}
        self.used: set[Vertex] = set()
        self.edges = 0

    def checked(self) -> Accepted:
        negation = _term(self.formula, False)
        if _tuples(self.record["negation"]) != negation:
            raise Rejected("the formula that is refuted is not the negation of the property")
        self.check_automaton(negation)
        self.check_states()
        rules = {"FAIL": 0, "SUCC": 0, "IND": 0, "CONJ": 0}
        concluded: list[int] = []
        for number, line in enumerate(self.record["lines"]):
            try:
                rules[line["rule"]] += 1
                if line["rule"] == "CONJ":
                    concluded.append(self.check_conclusion(line))
                else:
                    self.check_line(number, line)
            except Rejected as problem:
                raise Rejected(f"line {number + 1}: {problem}") from None
        if sorted(concluded) != sorted(self.record["initial_states"]):
            raise Rejected("not every initial state has its conclusion, exactly once")
        if self.used != set(self.lines):
            raise Rejected("there are lines about nodes that nothing leads to")
        self.check_ranking()
        sizes = (len(self.states), len(self.lines), self.edges, rules["FAIL"], rules["IND"])
        return Accepted(self.model, self.record, *sizes)

    def check_automaton(self, negation: Term) -> None:
        for item in self.record["nodes"]:
            literals, later, promises = (_tuples(item[key]) for key in ("literals", "next", "promises"))
            self.nodes.append((frozenset(literals), frozenset(later), frozenset(promises)))
            self.successors.append(item["successors"])
        if len(set(self.nodes)) != len(self.nodes):
            raise Rejected("two nodes of the automaton are the same")
        for name, numbers, terms in [
            ("the start", self.record["initial_nodes"], frozenset([negation])),
            *((f"node {n + 1}", self.successors[n], node[1]) for n, node in enumerate(self.nodes)),
        ]:
            targets = {self.nodes[self.place(number, self.nodes)] for number in numbers}
            if len(targets) != len(numbers) or targets != _unfolded(terms):
                raise Rejected(f"the automaton does not go where it must from {name}")

    def check_states(self) -> None:
        """Every state is reachable, so that the model is only asked about states it knows."""
        self.states = [bytes.fromhex(text) for text in self.record["states"]]
        places = {state: place for place, state in enumerate(self.states)}
        if len(places) != len(self.states) or any(text != text.lower() for text in self.record["states"]):
            raise Rejected("a state is there twice, or not as it was written")
        initial = self.record["initial_states"]
        given = {self.states[self.place(number, self.states)] for number in initial}
        if len(given) != len(initial) or given != set(self.model.initial()):
            raise Rejected("the initial states are not those of the model")
        left = {s for line in self.record["lines"] if line["rule"] in ("SUCC", "IND") for _, s in line["at"]}
        reached, waiting = set(initial), list(initial)
        while waiting:
            number = waiting.pop()
            if number not in left:
                continue
            self.steps[number] = []
            for target, movers in self.moves(self.states[number]):
                if target not in places:
                    raise Rejected(f"a successor of state {number + 1} is missing")
                self.steps[number].append((places[target], movers))
                if places[target] not in reached:
                    reached.add(places[target])
                    waiting.append(places[target])
        if len(reached) != len(self.states):
            raise Rejected("there are states that cannot be reached")

    def moves(self, state: bytes) -> list[tuple[bytes, tuple[int, ...]]]:
        """Where steps lead and who takes part, the one who makes the step first. Who cannot move stays where it is."""
        found: set[tuple[bytes, tuple[int, ...]]] = set()
        for step in self.model.successors(state):
            if step.target is None:
                raise Rejected("a run ends in an error of the model")
            found.add((step.target, tuple(dict.fromkeys(part.actor for part in step.parts))))
        return sorted(found, key=repr) or [(state, ())]

    def able(self, state: int) -> set[int]:
        return {movers[0] for _, movers in self.steps[state] if movers}

    def place(self, number: Any, things: list[Any]) -> int:
        if type(number) is not int or not 0 <= number < len(things):
            raise Rejected(f"there is no number {number!r} here")
        return number

    def vertices(self, items: Any) -> list[Vertex]:
        found = [(self.place(x, self.nodes), self.place(s, self.states)) for x, s in items]
        if not found or len(set(found)) != len(found):
            raise Rejected("a node is named twice, or none at all")
        return found

    def targets(self, vertex: Vertex) -> list[tuple[Vertex, tuple[int, ...]]]:
        node, state = vertex
        if state not in self.steps:
            raise Rejected(f"the successors of state {state + 1} are not known")
        return [((x, s), movers) for x in self.successors[node] for s, movers in self.steps[state]]

    def check_line(self, number: int, line: dict[str, Any]) -> None:
        at = self.vertices(line["at"])
        if any(vertex in self.lines for vertex in at):
            raise Rejected("this was shown before")
        inside, exits = set(at), set[Vertex]()
        match line["rule"]:
            case "FAIL":
                self.check_failure(at, line)
            case "SUCC":
                exits = {target for target, _ in self.targets(at[0])}
                self.edges += len(self.targets(at[0]))
                if len(at) != 1 or exits & inside:
                    raise Rejected("SUCC is about one node that does not lead to itself")
            case "IND":
                edges = [target for vertex in at for target, _ in self.targets(vertex)]
                exits = set(edges) - inside
                self.edges += len(edges)
                self.used |= inside & set(edges)
                self.check_missed(inside, line["missed"])
        if any(vertex not in self.lines for vertex in exits):
            node, state = min(vertex for vertex in exits if vertex not in self.lines)
            raise Rejected(f"it leads to node x{node + 1} in state {state + 1}, which no earlier line is about")
        if line["rule"] != "FAIL" and not _same(line["premises"], sorted({self.lines[vertex] for vertex in exits})):
            raise Rejected("its premises are not the lines it leads to")
        rank = 1 + max((self.ranks[vertex] for vertex in exits), default=-1)
        if not _same(line["rank"], rank):
            raise Rejected(f"its rank must be {rank}")
        self.used |= exits
        for vertex in at:
            self.lines[vertex] = number
            self.ranks[vertex] = rank

    def check_failure(self, at: list[Vertex], line: dict[str, Any]) -> None:
        node, state = at[0]
        literal = _tuples(line["literal"])
        if len(at) != 1 or literal not in self.nodes[node][0]:
            raise Rejected("FAIL is about one node and a literal of it")
        place, bits = self.atoms[literal[1]], self.states[state]
        if self.model.failed_atoms(bits) >> place & 1:
            raise Rejected("the literal cannot be evaluated in this state")
        if self.model.atom_values(bits)[place] == (literal[0] == "atom"):
            raise Rejected("the literal is true in this state")

    def check_missed(self, inside: set[Vertex], missed: dict[str, Any]) -> None:
        """No run (that is fair) stays inside for ever."""
        match missed:
            case {"until": promise, **more} if not more:
                if any(_tuples(promise) not in self.nodes[node][2] for node, _ in inside):
                    raise Rejected("not every node puts off that formula")
            case {"weak": process, **more} if not more and self.fair is not None:
                self.check_idle(inside, process)
                if any(process not in self.able(state) for _, state in inside):
                    raise Rejected("the process cannot move everywhere")
            case {"strong": process, "parts": parts, **more} if not more and self.fair == "strong":
                self.check_idle(inside, process)
                rest = {v for v in inside if process not in self.able(v[1])}
                self.check_parts(rest, inside, parts)
            case _:
                raise Rejected("no reason, or one that the assumed fairness does not give")

    def check_idle(self, inside: set[Vertex], process: Any) -> None:
        if type(process) is not int:
            raise Rejected(f"{process!r} is no process")
        if any(process in m and target in inside for vertex in inside for target, m in self.targets(vertex)):
            raise Rejected("the process does move")

    def check_parts(self, rest: set[Vertex], inside: set[Vertex], parts: list[dict[str, Any]]) -> None:
        """What remains falls into parts; a run goes from later ones to earlier ones, and stays in none."""
        if rest == inside:
            raise Rejected("the process can move nowhere here")
        done: set[Vertex] = set()
        for part in parts:
            members = set(self.vertices(part["at"]))
            if not members <= rest or members & done:
                raise Rejected("the parts are not what remains")
            targets = {target for vertex in members for target, _ in self.targets(vertex)} & rest
            if not targets <= members | done:
                raise Rejected("a part leads to a later one")
            if part["missed"] is not None:
                self.check_missed(members, part["missed"])
            elif targets & members:
                raise Rejected("a run may stay in a part, and no reason is given against it")
            done |= members
        if done != rest:
            raise Rejected("the parts are not all that remains")

    def check_conclusion(self, line: dict[str, Any]) -> int:
        state = self.place(line["state"], self.states)
        starts = [(node, state) for node in self.record["initial_nodes"]]
        if any(vertex not in self.lines for vertex in starts):
            raise Rejected("not all nodes the automaton starts with are refuted in this state")
        if not _same(line["premises"], [self.lines[vertex] for vertex in starts]):
            raise Rejected("its premises are not the lines about this state")
        self.used |= set(starts)
        return state

    def check_ranking(self) -> None:
        """Bit i of a rank is one where its predicate is true."""
        width = max(1, max(self.ranks.values(), default=0).bit_length())
        ranking = self.record["ranking"]
        if len(ranking) != len(self.nodes) or any(len(bits) != width for bits in ranking):
            raise Rejected("the ranking function has the wrong number of bits")
        shown = [{**self.model.describe(state), "(state)": str(n)} for n, state in enumerate(self.states)]
        where: dict[tuple[str, str | None], int] = {}  # the states, as bits, in which a name has a value
        for name in {name for description in shown for name in description}:
            for state, description in enumerate(shown):
                where[name, description.get(name)] = where.get((name, description.get(name)), 0) | 1 << state
        ranked: dict[int, list[Vertex]] = {}  # of each node: states with their ranks
        for (node, state), rank in self.ranks.items():
            ranked.setdefault(node, []).append((state, rank))
        for node, members in ranked.items():
            for bit, cubes in enumerate(ranking[node]):
                found = 0
                for cube in cubes:
                    found |= reduce(and_, (where.get((name, value), 0) for name, value in cube), -1)
                if any((found >> state ^ rank >> bit) & 1 for state, rank in members):
                    raise Rejected(f"bit {bit} of the ranking function is wrong for node x{node + 1}")
