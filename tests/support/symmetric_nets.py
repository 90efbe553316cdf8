"""Random nets in Maria's language whose values are mostly used as names, and what a symmetry of them must keep to.

Whether values may change places is found out here by force: every permutation of every state is looked at, by its
values and not by the numbers that an engine works with.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations, product
from pathlib import Path

from kripke.engines.explicit.prepare import prepare
from kripke.engines.explicit.search import Outcome, SearchRequest
from kripke.engines.symmetry.representative import representative
from kripke.engines.symmetry.symmetric import concrete
from kripke.languages.maria import load
from kripke.model.value_symmetry import Shape, ValueFamily, ValueSymmetry
from kripke.nets.high_level.marking import decode, encode
from kripke.nets.high_level.model import HighLevelModel
from kripke.nets.high_level.types import ArrayType, BufferType, StructType, Type, UnionType

MOST_IMAGES = 12_000  # of all states under all permutations
SHAPES = ("name", "seat", "chair", "colour", "pair", "link", "flags", "held", "line", "either")


class Difference(Exception):
    """What symmetry changes, and of which net."""


# --- nets -------------------------------------------------------------------------------------------------------------


class _Writer:
    """``strict``: how likely it is that values are used as names only."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.strict = self.random.choice((0.85, 0.97, 1.0))
        self.variables: dict[str, str] = {}
        self.seats = self.random.choice((2, 3, 3, 4))
        self.names = self.random.choice((2, 3))

    def loose(self) -> bool:
        return self.random.random() > self.strict

    def text(self) -> str:
        holds = self.random.sample(SHAPES, self.random.randrange(2, 4))
        places = {f"p{number}": type_ for number, type_ in enumerate(holds)}
        lines = [
            f"typedef id[{self.names}] name;",
            f"typedef unsigned (1..{self.seats}) seat;",
            f"typedef unsigned (1..{self.seats}) chair;",
            "typedef enum { red, green, blue } colour;",
            "typedef struct { name n; seat s; } pair;",
            "typedef struct { seat one; seat other; } link;",
            "typedef bool[seat] flags;",
            "typedef name[colour] held;",
            "typedef seat[queue 2] line;",
            "typedef union { name n; seat s; bool b; } either;",
        ]
        for place, type_ in places.items():
            lines.append(f"place {place} (0..{self.random.randrange(4, 6)}) {type_}: {self.initial(type_)};")
        for number in range(self.random.randrange(2, 4)):
            lines.append(self.transition(f"t{number}", places))
        if self.random.random() < 0.3:
            lines.append(f"reject {self.question(places)};")
        lines.append(f"deadlock {self.random.choice(('true', self.question(places)))};")
        return "\n".join(lines)

    def initial(self, type_: str) -> str:
        one_of = self.random.choice
        match type_:
            case "name":
                return "name x: x"
            case "seat" | "chair":
                return one_of((f"{type_} x: x", f"{type_} x: x", f"{type_} x: x", "1, 2"))
            case "colour":
                return one_of(("colour x: x", "colour x: x", "red"))
            case "pair":
                return one_of(("name n: {n, 1}", "name n: {n, 2}"))
            case "link":
                return one_of(("seat s: {s, s}", "{1, 2}", "{1, 1}, {2, 1}"))
            case "flags":
                return "{" + ", ".join(one_of(("true", "false")) for _ in range(self.seats)) + "}"
            case "held":
                return "name n: {n, n, n}"
            case "line":
                return "{}"
        return one_of(("b = true", "s = 1", "name x: n = x"))

    def question(self, places: dict[str, str]) -> str:
        place, type_ = self.random.choice(list(places.items()))
        if type_ in ("seat", "colour") and self.random.random() < 0.5:
            quantifier = self.random.choice(("&&", "||"))
            return f"{type_} x {quantifier} (x subset place {place})"
        if type_ == "link" and self.random.random() < 0.5:
            return f"cardinality subset x {{ place {place} }} (x.one == x.other) > 1"
        return f"cardinality place {place} {self.random.choice(('> 1', '== 0', '!= 2'))}"

    def transition(self, name: str, places: dict[str, str]) -> str:
        self.variables = {}
        taken = self.random.sample(sorted(places), self.random.randrange(1, len(places) + 1))
        inputs = [f"{place}: {self.pattern(places[place])};" for place in taken]
        gates = [self.condition() for _ in range(self.random.randrange(3)) if self.variables]
        outputs = []
        for place in self.random.sample(sorted(places), self.random.randrange(1, len(places) + 1)):
            outputs.append(f"{place}: {self.tokens(places[place])};")
        gate = f" gate {', '.join(gates)}" if gates else ""
        return f"trans {name} in {{ {' '.join(inputs)} }}{gate} out {{ {' '.join(outputs)} }};"

    def variable(self, type_: str) -> str:
        known = [name for name, other in self.variables.items() if other == type_]
        if known and self.random.random() < 0.3:
            return self.random.choice(known)
        name = f"{type_[:2]}{len(self.variables)}"
        self.variables[name] = type_
        return name

    def pattern(self, type_: str) -> str:
        if type_ == "pair" and self.random.random() < 0.6:
            return f"{{{self.variable('name')}, {self.variable('seat')}}}"
        if type_ == "link" and self.random.random() < 0.6:
            return f"{{{self.variable('seat')}, {self.variable('seat')}}}"
        if type_ == "seat" and self.loose():
            return "1" if self.random.random() < 0.5 else f"+{self.variable('seat')}"
        if type_ == "seat" and self.random.random() < 0.15:
            return f"seat t: {self.random.choice(('t', '.w'))}"
        return self.variable(type_)

    def tokens(self, type_: str) -> str:
        if type_ in ("seat", "colour", "chair") and self.random.random() < 0.2:
            known = [name for name, other in self.variables.items() if other == type_]
            return f"{type_} t{f' (t != {self.random.choice(known)})' if known else ''}: t"
        if type_ == "link" and self.random.random() < 0.2:
            return f"seat t: {{t, {self.value('seat')}}}"
        return self.value(type_)

    def value(self, type_: str, depth: int = 2) -> str:
        known = [name for name, other in self.variables.items() if other == type_]
        if known and (depth <= 0 or self.random.random() < 0.6):
            return self.random.choice(known)
        choices: list[str] = []
        inner = depth - 1
        match type_:
            case "name":
                choices += [f"{name}.n" for name, other in self.variables.items() if other in ("pair", "either")]
                choices += [
                    f"{name}[red]" for name, other in self.variables.items() if other == "held" and self.loose()
                ]
                choices += [] if choices else ["name !"]
            case "seat":
                choices += [f"{name}.s" for name, other in self.variables.items() if other in ("pair", "either")]
                choices += [f"{name}.one" for name, other in self.variables.items() if other == "link"]
                choices += [f"is seat {name}" for name, other in self.variables.items() if other == "chair"]
                choices += [f"*{name}" for name, other in self.variables.items() if other == "line"]
                choices += [f"+{self.variable_of('seat')}"] if self.loose() and self.variable_of("seat") else []
                choices += ["1", "2"] if self.loose() else []
                choices += [] if choices else ["seat !"]
            case "chair":
                seat = self.variable_of("seat")
                choices += [f"is chair {seat}"] if seat else ["chair !"]
            case "colour":
                choices += ["red"] if self.loose() else ["colour !"]
            case "pair":
                choices += [f"{{{self.value('name', inner)}, {self.value('seat', inner)}}}"]
            case "link":
                choices += [f"{{{self.value('seat', inner)}, {self.value('seat', inner)}}}"]
                choices += [f"{{{name}.other, {name}.one}}" for name in known]
            case "flags":
                seat = self.variable_of("seat")
                choices += [f"{name}.{{[{seat}] {self.random.choice(('true', 'false'))}}}" for name in known if seat]
                choices += ["{" + ", ".join(["false"] * self.seats) + "}"]
                choices += [f"{name} << 1" for name in known if self.loose()]
            case "held":
                choices += ["{" + ", ".join(self.value("name", 0) for _ in range(3)) + "}"]
                colour = self.variable_of("colour")
                choices += [f"{name}.{{[{colour}] {self.value('name', 0)}}}" for name in known if colour]
            case "line":
                choices += [f"{name} + {self.value('seat', inner)}" for name in known] + [f"-{name}" for name in known]
                choices += ["{}", f"{{{self.value('seat', inner)}}}"]
            case "either":
                choices += [f"n = {self.value('name', inner)}", f"s = {self.value('seat', inner)}", "b = false"]
        return self.random.choice(choices)

    def variable_of(self, type_: str) -> str:
        return next((name for name, other in self.variables.items() if other == type_), "")

    def condition(self) -> str:
        name, type_ = self.random.choice(list(self.variables.items()))
        same = [other for other, known in self.variables.items() if known == type_]
        choices = [f"{self.random.choice(same)} {self.random.choice(('==', '!='))} {name}"]
        match type_:
            case "seat":
                choices += [f"{name} != 1", f"{name} < {self.random.choice(same)}"] if self.loose() else []
                choices += [f"seat t || (t == {name} && t != {self.random.choice(same)})"]
            case "flags":
                seat = self.variable_of("seat")
                choices = [f"{name}[{seat}]"] if seat else [f"seat t && ({name}[t])", f"seat t || (!{name}[t])"]
            case "line":
                choices = [f"/{name} > 0", f"%{name} > 0"]
            case "either":
                choices += [f"{name} is s", f"!({name} is b)"]
            case "link":
                choices += [f"{name}.one != {name}.other"]
        return self.random.choice(choices)


def random_net(seed: int) -> str:
    return _Writer(seed).text()


# --- permutations by force --------------------------------------------------------------------------------------------

Moves = tuple[tuple[int, ...], ...]


def moves_of(family: ValueFamily) -> Iterator[tuple[int, ...]]:
    """All permutations of a family: where each value goes."""
    if family.turn:
        for by in range(0, family.count, family.turn):
            yield tuple((value + by) % family.count for value in range(family.count))
        return
    for orders in product(*(permutations(cell) for cell in family.cells)):
        to = list(range(family.count))
        for cell, order in zip(family.cells, orders, strict=True):
            for value, other in zip(cell, order, strict=True):
                to[value] = other
        yield tuple(to)


def permuted(model: HighLevelModel, symmetry: ValueSymmetry, state: bytes, moves: Moves) -> bytes:
    """The state in which value i of family f is value ``moves[f][i]``."""
    marking = decode(model.net, state)
    for number, place in zip(model.net.stored, symmetry.containers, strict=True):
        type_ = model.net.places[number].type
        marking[number] = {_image(type_, place.shape, value, moves): c for value, c in marking[number].items()}
    return encode(model.net, marking)


def _image(type_: Type, shape: Shape, value, moves: Moves):
    if shape.kind == "plain":
        return value
    if shape.kind == "value":
        return type_.value(moves[shape.family][type_.index(value)])
    match type_:
        case StructType():
            return tuple(_image(t, s, item, moves) for t, s, item in zip(type_.types, shape.parts, value, strict=True))
        case BufferType():
            return tuple(_image(type_.item, shape.parts[0], item, moves) for item in value)
        case ArrayType():
            items = [_image(type_.item, shape.parts[0], item, moves) for item in value]
            if shape.family < 0:
                return tuple(items)
            moved = dict(zip(moves[shape.family], items, strict=True))
            return tuple(moved[at] for at in range(len(items)))
        case UnionType():
            return value[0], _image(type_.components[value[0]][1], shape.parts[value[0]], value[1], moves)
    raise TypeError(type_)


def all_states(model: HighLevelModel, most: int) -> list[bytes]:
    """Those that can be reached; where there are more than ``most``, some more than these."""
    states = dict.fromkeys(model.initial())
    waiting = list(states)
    while waiting and len(states) <= most:
        for step in model.successors(waiting.pop()):
            if step.target is not None and step.target not in states:
                states[step.target] = None
                waiting.append(step.target)
    return list(states)


def behaviour(model: HighLevelModel, state: bytes) -> tuple[object, ...]:
    """What can be seen of a state, and where it leads."""
    steps = model.successors(state)
    violations = sorted(v for step in steps for v in step.violations)
    labels = sorted((step.parts[0].statement, step.target or b"") for step in steps)
    return violations, labels, model.valid_end(state)


def check_automorphism(model: HighLevelModel, symmetry: ValueSymmetry, state: bytes, moves: Moves, seed: int) -> None:
    violations, labels, end = behaviour(model, state)
    images = sorted((t, permuted(model, symmetry, target, moves) if target else b"") for t, target in labels)
    if (violations, images, end) != behaviour(model, permuted(model, symmetry, state, moves)):
        raise Difference(f"net {seed}: {moves} is no automorphism of {model.describe(state)}")


# --- with and without -------------------------------------------------------------------------------------------------


def kinds(outcome: Outcome) -> set[tuple[str, int, int]]:
    return {(found.kind, found.code, found.statement) for found in outcome.error_paths}


def compare(seed: int, folder: Path, text: str | None = None) -> str:
    """What became of the net: a word; Difference where symmetry changes an answer."""
    path = folder / f"{seed}.pn"
    path.write_text(random_net(seed) if text is None else text)
    model = load(str(path))
    symmetry = model.symmetry()
    if isinstance(symmetry, str):
        return "no symmetry"
    group = [tuple(moves) for moves in product(*map(moves_of, symmetry.families))]
    most = MOST_IMAGES // len(group)
    states = all_states(model, most)
    if len(states) > most:
        return "large"
    chosen = random.Random(seed)
    for state in chosen.sample(states, min(len(states), 40)):
        check_automorphism(model, symmetry, state, chosen.choice(group), seed)
    classes: dict[bytes, set[bytes]] = {}
    for state in states:
        images = [permuted(model, symmetry, state, moves) for moves in group]
        classes.setdefault(min(images), set()).update(images)
    for method in ("sort", "canonical"):
        choose = representative(symmetry, method)
        for images in classes.values():
            found = set(map(choose, images))
            if not found <= images or (method == "canonical" and len(found) > 1):
                raise Difference(f"net {seed}, {method}: {len(found)} representatives of one class")
    return _search(model, symmetry, len(states), len(classes), seed)


def _search(model: HighLevelModel, symmetry: ValueSymmetry, states: int, classes: int, seed: int) -> str:
    asked = SearchRequest(stop_at_first=False, memory=1 << 30)
    engines = prepare(model, "native"), prepare(model, "interpreter")
    everything = engines[0].search(model, asked, None)
    for method in ("sort", "canonical"):
        reduced = replace(asked, symmetry=symmetry, method=method)
        first, second = (engine.search(model, reduced, None) for engine in engines)
        if (first.states, first.transitions, kinds(first)) != (second.states, second.transitions, kinds(second)):
            raise Difference(f"net {seed}, {method}: {first.states} states native, {second.states} interpreted")
        if kinds(first) != kinds(everything):
            raise Difference(f"net {seed}, {method}: {kinds(first)} instead of {kinds(everything)}")
        if not classes <= first.states <= everything.states or everything.states != states:
            raise Difference(f"net {seed}, {method}: {first.states} states, {classes} classes, {states} in all")
        if method == "canonical" and first.states != classes:
            raise Difference(f"net {seed}: {first.states} states of {classes} classes")
        for error in first.error_paths:
            concrete(model, symmetry, error.path, lambda: None)
    return "reduced" if classes < states else "the same"
