"""Random nets in Maria's language: every type, arcs that bind in every way, expressions that may fail."""

from __future__ import annotations

import random
import re

TYPES = """
typedef unsigned (0..3) num;
typedef int (-1..1, 4) gap;
typedef enum { red, green = 3, blue } colour;
typedef struct { num n; colour c; } pair;
typedef union { gap g; pair p; bool b; } either;
typedef num[bool] two;
typedef pair (..{2, blue}) few;
typedef num[queue 2] line;
typedef colour[stack 2] pile;
typedef id[2] name;
"""
SHAPES = ("num", "gap", "colour", "pair", "either", "two", "few", "line", "pile", "bool", "name")


class _Writer:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.variables: dict[str, str] = {}

    def one_of(self, *choices: str) -> str:
        return self.random.choice(choices)

    def literal(self, type_: str) -> str:
        """A value that needs no variable."""
        choose = self.one_of
        match type_:
            case "num":
                return choose("0", "1", "2", "3", "<num", ">num", "+2")
            case "gap":
                return choose("is gap (is int 0 - is int 1)", "is gap 0", "is gap 4", "|<gap", "+is gap 1")
            case "colour":
                return choose("red", "green", "blue", "<colour", "+is colour green")
            case "pair":
                return f"{{{self.literal('num')}, {self.literal('colour')}}}"
            case "few":
                return choose("<few", ">few", "{0, green}", "{1, red}")
            case "either":
                inner = choose("gap", "pair", "bool")
                return f"{inner[0]} = {self.literal(inner)}"
            case "two":
                return f"{{{self.literal('num')}, {self.literal('num')}}}"
            case "line" | "pile":
                item = "num" if type_ == "line" else "colour"
                return "{" + ", ".join(self.literal(item) for _ in range(self.random.randrange(3))) + "}"
            case "bool":
                return choose("true", "false")
        return choose("")

    def known(self, type_: str) -> list[str]:
        return [name for name, other in self.variables.items() if other == type_]

    def value(self, type_: str, depth: int = 2) -> str:
        """A value made of variables; it may fail."""
        known = self.known(type_)
        if known and self.random.random() < 0.5:
            return self.random.choice(known)
        if type_ == "name":
            return self.random.choice(known) if known else ""
        if depth <= 0 or self.random.random() < 0.4:
            return self.literal(type_)
        options = [lambda: f"({self.condition(depth - 1)} ? {self.value(type_, depth - 1)} : {self.value(type_, 0)})"]
        inner = depth - 1
        match type_:
            case "num":
                options += [
                    lambda: (
                        f"is num ({self.number(inner)} {self.one_of('+', '-', '*', '/', '%', '&', '|', '^', '<<')} "
                        f"{self.number(inner)})"
                    ),
                    lambda: f"+{self.typed('num', inner)}",
                    lambda: f"is num {self.number(inner)}",
                    lambda: f"({self.typed('two', inner)})[{self.condition(inner)}]",
                    lambda: f"*{self.typed('line', inner)}",
                    lambda: f"({self.typed('pair', inner)}).n",
                ]
            case "gap":
                options += [
                    lambda: f"is gap (is int {self.number(inner)} - is int {self.number(inner)})",
                    lambda: f"({self.typed('either', inner)}).g",
                    lambda: f"|{self.typed('gap', inner)}",
                ]
            case "colour":
                options += [
                    lambda: f"*{self.typed('pile', inner)}",
                    lambda: f"+{self.typed('colour', inner)}",
                    lambda: f"is colour {self.number(inner)}",
                    lambda: f"({self.typed('pair', inner)}).c",
                ]
            case "pair":
                options += [
                    lambda: f"{{{self.value('num', inner)}, {self.value('colour', inner)}}}",
                    lambda: f"({self.typed('pair', inner)}).{{n {self.value('num', inner)}}}",
                    lambda: f"({self.typed('either', inner)}).p",
                    lambda: f"is pair {self.typed('few', inner)}",
                ]
            case "few":
                options += [
                    lambda: f"is few {self.typed('pair', inner)}",
                    lambda: f"({self.typed('few', inner)}).{{c {self.value('colour', inner)}}}",
                    lambda: f"+{self.typed('few', inner)}",
                ]
            case "either":
                options += [
                    lambda: f"g = {self.value('gap', inner)}",
                    lambda: f"p = {self.value('pair', inner)}",
                    lambda: f"+{self.typed('either', inner)}",
                ]
            case "two":
                options += [
                    lambda: f"{self.typed('two', inner)} {self.one_of('<<', '>>')} {self.number(inner)}",
                    lambda: f"({self.typed('two', inner)}).{{[{self.condition(inner)}] {self.value('num', inner)}}}",
                    lambda: f"{{{self.value('num', inner)}, {self.value('num', inner)}}}",
                ]
            case "line" | "pile":
                item = "num" if type_ == "line" else "colour"
                buffer = self.typed(type_, inner)
                options += [
                    lambda: f"{buffer} + {self.value(item, inner)}",
                    lambda: f"({buffer})[{self.number(inner)}] + {self.value(item, inner)}",
                    lambda: f"-{buffer}",
                    lambda: f"{buffer} - {self.number(inner)}",
                    lambda: f"-({buffer})[{self.number(0)}]",
                ]
            case "bool":
                return self.condition(inner)
        return self.random.choice(options)()

    def typed(self, type_: str, depth: int) -> str:
        text = self.value(type_, depth)
        return text if text in self.variables else f"(is {type_} ({text}))"

    def number(self, depth: int) -> str:
        options = [lambda: str(self.random.randrange(4))]
        if depth > 0:
            options += [
                lambda: f"(is unsigned {self.typed('num', depth - 1)})",
                lambda: f"/{self.typed('line', depth - 1)}",
                lambda: f"%{self.typed('pile', depth - 1)}",
                lambda: f"(is unsigned {self.typed('gap', depth - 1)})",
            ]
        return self.random.choice(options)()

    def condition(self, depth: int = 2) -> str:
        known = self.known("bool")
        if known and self.random.random() < 0.2:
            return self.random.choice(known)
        if depth <= 0:
            return self.one_of("true", "false")
        type_ = self.random.choice(SHAPES[:9])
        inner = depth - 1
        options = [
            lambda: self.comparison(type_, inner),
            lambda: f"({self.condition(inner)} {self.one_of('&&', '||', '=>', '<=>', '^^')} {self.condition(inner)})",
            lambda: f"(!{self.condition(inner)})",
            lambda: f"(({self.typed('either', inner)}) is {self.one_of('g', 'p', 'b')})",
            lambda: f"(num w && w <= {self.typed('num', inner)})",
            lambda: f"(colour w (w != {self.typed('colour', inner)}) || w < {self.typed('colour', inner)})",
        ]
        return self.random.choice(options)()

    def comparison(self, type_: str, depth: int) -> str:
        sign = self.one_of("==", "!=", "<", "<=", ">", ">=")
        return f"({self.typed(type_, depth)} {sign} {self.typed(type_, depth)})"

    def pattern(self, type_: str, depth: int = 2) -> str:
        """A token of an input arc: new variables, parts, or anything."""
        chance = self.random.random()
        if chance < 0.65 or type_ in ("name", "few", "gap", "bool"):
            known = self.known(type_)
            if known and self.random.random() < 0.3:
                return self.random.choice(known)
            name = f"x{len(self.variables)}"
            self.variables[name] = type_
            return name
        if chance < 0.75 or depth <= 0:
            return self.value(type_, 1) if self.random.random() < 0.5 else self.literal(type_)
        match type_:
            case "pair":
                return f"{{{self.pattern('num', depth - 1)}, {self.pattern('colour', depth - 1)}}}"
            case "two":
                return f"{{{self.pattern('num', depth - 1)}, {self.pattern('num', depth - 1)}}}"
            case "either":
                inner = self.one_of("gap", "pair", "bool")
                return f"{inner[0]} = {self.pattern(inner, depth - 1)}"
            case "line" | "pile":
                item = "num" if type_ == "line" else "colour"
                length = self.random.randrange(3)
                return "{" + ", ".join(self.pattern(item, depth - 1) for _ in range(length)) + "}"
        return self.literal(type_)


def random_text(seed: int, *, fair: bool = False) -> str:
    """A net of a few places and transitions, with fairness sets if asked for."""
    writer = _Writer(seed)
    choose = writer.random
    lines = [TYPES]
    places: dict[str, str] = {}
    for number in range(choose.randrange(2, 5)):
        type_ = choose.choice(SHAPES)
        capacity = choose.choice(["", "(0..3)", "(0..4, 6)", "(0..9)"])
        if type_ == "name":
            initial = choose.choice(["name v: v", "empty"])
        else:
            tokens = [f"{choose.randrange(1, 3)}#({writer.literal(type_)})" for _ in range(choose.randrange(1, 5))]
            initial = ", ".join(tokens[:1] if "(0..3" in capacity else tokens[:2] if "4" in capacity else tokens)
        places[f"p{number}"] = type_
        lines.append(f"place p{number} {capacity} {type_}: {initial};")
    first, type_ = next(iter(places.items()))
    if choose.random() < 0.1:
        other = choose.choice(["map v { place p0 } v", "place p0 union place p0", "subset v { place p0 } (v == v)"])
        lines.append(f"place copy {type_}: {other};")
    for number in range(choose.randrange(1, 4)):
        text = _transition(writer, f"t{number}", places)
        if fair:
            sets = f"{writer.one_of('weakly_fair', 'strongly_fair')} {writer.condition()}"
            text = f"{text.removesuffix(';')} {sets} {choose.choice(['', 'weakly_fair true'])};"
        lines.append(text)
    writer.variables = {}
    for name, kind in places.items():
        lines.append(f"prop has_{name}: cardinality place {name} > {choose.randrange(3)};")
        if kind != "name":
            lines.append(f"prop odd_{name}: ({writer.value(kind, 1)}) subset place {name};")
    if choose.random() < 0.3:
        lines.append(f"reject cardinality place {first} > 3;")
    if choose.random() < 0.5:
        lines.append(f"deadlock {choose.choice(['true', 'place p0 equals empty', 'max place p1 < 2'])};")
    return "\n".join(lines)


def _transition(writer: _Writer, name: str, places: dict[str, str]) -> str:
    choose = writer.random
    writer.variables = {}
    inputs = []
    for _ in range(choose.choice([1, 1, 2, 3])):
        place = choose.choice(list(places))
        token = writer.pattern(places[place])
        times = ""
        if choose.random() < 0.15:
            times = f"{writer.one_of('2', writer.number(1), writer.condition(1))}#"
        inputs.append(f"{place}: {times}({token})" if times else f"{place}: {token}")
    gates = [writer.condition() for _ in range(choose.choice([0, 0, 0, 1, 2]))]
    outputs = []
    if choose.random() < 0.3:
        writer.variables["y"] = "colour"
        outputs.append(f"{{ colour y! (y != {writer.literal('colour')}); }}")
    arcs = []
    for _ in range(choose.randrange(1, 4)):
        place = choose.choice(list(places))
        if places[place] == "name":
            text = writer.value("name") or "empty"
        else:
            text = writer.value(places[place], choose.choice([1, 1, 1, 2, 3]))
        times = f"{writer.number(1)}#" if choose.random() < 0.2 and text != "empty" else ""
        times = "" if times == "0#" else times
        arcs.append(f"{place}: {times}({text})")
    if choose.random() < 0.2:
        place = choose.choice(list(places))
        if any(arc.startswith(place) for arc in inputs):
            arcs.append(f"{place}: {choose.choice(['place ' + place, 'empty', 'map v { place ' + place + ' } v'])}")
    if outputs and not any(re.search(r"\by\b", arc) for arc in arcs):
        outputs = []
    urgent = "!" if choose.random() < 0.15 else ""
    gate = f"gate {', '.join(gates)}" if gates else ""
    out = f"out {{ {'; '.join(arcs)}; }}" if arcs else ""
    return f"trans {name}{urgent} {' '.join(outputs)} in {{ {'; '.join(inputs)}; }} {gate} {out};"


_PROCESSES = """
typedef unsigned (1..3) who;
typedef unsigned (0..2) stage;
typedef struct { who owner; stage at; } process;
typedef struct { who to; stage what; } letter;
place state (3) process: who w: { w, 0 };
place post (0..POST) letter;
place pool (0..4) stage: 0, POOL#1;
place line (3) struct { who to; stage[queue 2] items; }: who w: { w, {} };
place left (0..9) who: who w: LEFT#w;
place rest (0..3) who: (who w: w) minus (place busy);
place busy (0..3) who;
place tick (1) stage: 0;
"""
_IDLING = "place idle (1) bool: true; trans idles in { idle: x; } out { idle: x; };"  # for ever, beside the others


def process_text(seed: int) -> str:
    """A net of three processes that go through stages, alone or by what they share: much is independent, and letters
    that do not fit, queues that are full and wrong numbers are errors."""
    choose = random.Random(seed)
    shared = _PROCESSES.replace("POST", choose.choice(["2", "6", "40"])).replace("POOL", choose.choice(["1", "2"]))
    shared = shared.replace("LEFT", "2" if seed % 5 else "1")
    lines = [shared, _IDLING if choose.random() < 0.3 else ""]
    for number in range(choose.randrange(2, 6)):
        lines.append(_move(choose, f"t{number}"))
    for name, text in {
        "first": f"({{1, {choose.randrange(3)}}}) subset place state",
        "posted": "cardinality place post > 1",
        "third": f"cardinality subset p {{ place state }} (p.at == {choose.randrange(3)}) > 1",
        "resting": "cardinality place rest > 1",
    }.items():
        lines.append(f"prop {name}: {text};")
    if choose.random() < 0.3:
        lines.append(f"reject {choose.choice(['cardinality place post > 2', '(2#1) subset place pool'])};")
    if choose.random() < 0.6:
        lines.append(f"deadlock {choose.choice(['true', 'cardinality place post > 0'])};")
    return "\n".join(lines)


def _move(choose: random.Random, name: str) -> str:
    before, after = choose.choice(["0", "1", "2", "a", "a"]), choose.choice(["0", "1", "2", "+a", "is stage (a + 1)"])
    if before != "a":
        after = re.sub(r"\ba\b", before, after.replace("+a", "2"))
    inputs, outputs, gates = [f"state: {{ w, {before} }}"], [f"state: {{ w, {after} }}"], []
    if choose.random() < 0.4:  # not for ever
        inputs.append("left: w")
    for deed in choose.sample(range(choose.choice([9, 9, 12])), choose.choice([0, 1, 1, 2])):
        match deed:
            case 0:
                outputs.append(f"post: {{ {choose.choice(['+w', 'w', '2'])}, {choose.choice(['1', after])} }}")
            case 1:
                inputs.append("post: { w, m }")
                gates += choose.choice([[], ["m > 0"], [f"m == {before}"]])
            case 2:
                inputs.append("pool: c")
                outputs.append(choose.choice(["pool: c", "pool: +c", f"pool: (c == {before})#c"]))
            case 3:
                inputs.append(f"line: {{ {choose.choice(['+w', 'w'])}, q }}")
                full = choose.random() < 0.5
                outputs.append(f"line: {{ {inputs[-1].split('{ ')[1].split(',')[0]}, q + {before} }}")
                gates += ["%q > 0"] if full else []
            case 4 if not any("line" in arc for arc in inputs):
                inputs.append("line: { w, r }")
                outputs.append("line: { w, -r }")
                gates += ["/r > 0"] if choose.random() < 0.8 else []
            case 5:
                inputs.append("rest: w")
                outputs.append("busy: w")
            case 6:
                inputs.append("busy: w")
                outputs.append("rest: w")
            case 7:
                inputs.append("tick: k")
                outputs.append(choose.choice(["tick: k", "tick: +k"]))
                gates += choose.choice([[], ["k < 2"]])
            case 8:
                outputs.append("post: { w, stage y! (y > 0) }")
            case 9 if before == "a":  # fails for the last stage
                wanted = choose.randrange(1, 3)
                outputs.append(f"post: (is stage ({before} + 1) == {wanted})#{{ w, {wanted} }}")
            case 10 if before == "a":
                next_ = f"is process {{ w, is stage ({before} + 1) }}"
                gates.append(f"{next_} {choose.choice(['==', '!='])} is process {{ {choose.randrange(1, 4)}, 1 }}")
            case 11 if before == "a":
                inputs += ["pool: e", f"pool: {before}#(is stage (e + {choose.randrange(1, 3)}))"]
                outputs.append("pool: e")
    gate = f"gate {', '.join(gates)}" if gates else ""
    return f"trans {name} in {{ {'; '.join(inputs)}; }} {gate} out {{ {'; '.join(outputs)}; }};"
