"""Random programs in LF: small, closed, of every construct, and valid."""

from __future__ import annotations

import random

_MESSAGES = ("sig", "num(INT8)", "two(INT8, BOOLEAN)", "rec(Pair)", "link(Msg)")


class _Writer:
    def __init__(self, seed: int, choices: bool, plain: bool) -> None:
        self.plain = plain
        self.random = random.Random(seed)
        self.choices = choices
        known = _MESSAGES[:-2] if plain else _MESSAGES
        self.messages = self.random.sample(known, self.random.randint(1, min(4, len(known))))
        self.lines: list[str] = []
        self.indent = 0
        self.loops = 0
        self.others: list[str] = []

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def line(self, text: str) -> None:
        self.lines.append("  " * self.indent + text)

    # --- expressions --------------------------------------------------------------------------------------------------

    def number(self, depth: int = 0) -> str:
        simple = ["x", "y", "g", "h", str(self.random.randint(0, 3)), "a[x MOD 3]", "pr.first", "v"]
        if depth > 1 or self.random.random() < 0.5:
            return self.random.choice(simple)
        left, right = self.number(depth + 1), self.number(depth + 1)
        operator = self.pick("+", "-", "*", "MOD", "DIV", "+")
        if operator in ("MOD", "DIV"):
            right = self.pick("2", "3", "3", "x" if right[0] in "(0123456789" else right)
        return f"({left} {operator} {right})"

    def small(self) -> str:
        """A number that stays small: state spaces are to end."""
        if self.random.random() < 0.3:
            return str(self.random.randint(0, 3))
        return f"({self.number()}) MOD {self.random.randint(2, 4)}"

    def condition(self, depth: int = 0) -> str:
        kind = self.random.randint(0, 5)
        if kind == 0:
            return self.pick("b", "c", "pr.second", "TRUE")
        if kind == 1 and depth < 2:
            return f"({self.condition(depth + 1)} {self.pick('&', 'OR')} {self.condition(depth + 1)})"
        if kind == 2 and depth < 2:
            return f"~({self.condition(depth + 1)})"
        if kind == 3:
            return f"({self.pick('x', 'y', '1')} IN s)"
        return f"({self.number(1)} {self.pick('=', '#', '<', '<=', '>', '>=')} {self.number(1)})"

    def target(self) -> str:
        return self.pick("x", "y", "g", "h", "a[x MOD 3]", "a[1]", "pr.first", "v", "a[y]")

    # --- statements ---------------------------------------------------------------------------------------------------

    def communication(self) -> str:
        message = self.random.choice(self.messages).split("(")[0]
        sends = self.random.random() < 0.5
        port = self.pick("p", "p", "q", "ps[1]", "p" if self.plain else "ps[x MOD 2]")
        if sends:
            data = {
                "sig": "",
                "num": f"({self.small()})",
                "two": f"({self.small()}, {self.condition()})",
                "rec": "(pr)",
                "link": f"({self.pick('p', 'q')})",
            }[message]
        else:
            data = {
                "sig": "",
                "num": f"({self.pick(self.target(), self.target(), '1')})",
                "two": f"({self.pick('x', 'g', 'y')}, {self.pick('b', 'c', 'TRUE')})",
                "rec": "(pr)",
                "link": f"({self.pick('p', 'lp')})",
            }[message]
        return f"{port}{'!' if sends else '?'}{message}{data}"

    def block(self, depth: int) -> None:
        self.indent += 1
        count = self.random.randint(1, 3)
        for number in range(count):
            self.statement(depth, last=number + 1 == count)
        self.indent -= 1

    def ended(self, last: bool) -> None:
        if not last:
            self.lines[-1] += ";"

    def statement(self, depth: int, last: bool) -> None:
        kinds = ["assign", "assign", "communicate", "communicate", "inc", "reschedule", "set", "bool", "out"]
        if depth < 2:
            kinds += ["if", "while", "select", "select", "repeat", "for"]
            kinds += ["choice"] if self.choices else []
        kinds += ["call", "assert"] if self.others else ["assert"]
        kind = self.random.choice(kinds)
        if kind == "assign":
            self.line(f"{self.target()} := {self.small()}")
        elif kind == "communicate":
            self.line(self.communication())
        elif kind == "inc":
            copies = ("x := 1", "y := 2") if self.plain else ("pr := qr", "qr := pr")
            self.line(self.pick("INC(x)", "DEC(y)", "INC(g, 2)", "x := 0", *copies))
        elif kind == "reschedule":
            self.line("RESCHEDULE")
        elif kind == "set":
            self.line(self.pick("INCL(s, 1)", "EXCL(s, x)", "s := s + {2}", "s := {0..2} * s", "s := -s - {3..7}"))
        elif kind == "bool":
            self.line(f"{self.pick('b', 'c', 'pr.second')} := {self.condition()}")
        elif kind == "out":
            self.line(self.pick("Out.Int(x)", "Out.Ln", "y := x", 'Out.String("text")'))
        elif kind == "assert":
            self.line(f"ASSERT({self.pick('TRUE', 'TRUE', self.condition())})")
        elif kind == "call":
            name = self.random.choice(self.others)
            self.line(
                f"{self.pick('', 'CREATE ', 'CREATE ')}{name}({self.pick('p', 'q')}, {self.small()}, {self.target()})"
            )
        elif kind == "if":
            self.line(f"IF {self.condition()} THEN")
            self.block(depth + 1)
            if self.random.random() < 0.5:
                self.line(self.pick("ELSE", f"ELSIF {self.condition()} THEN"))
                self.block(depth + 1)
            self.line("END")
        elif kind == "while":
            self.line(f"WHILE {self.pick(self.condition(), self.condition(), 'TRUE')} DO")
            self.block(depth + 1)
            self.line("  ;" + self.pick("RESCHEDULE", self.communication(), "x := (x + 1) MOD 3; RESCHEDULE"))
            self.line("END")
        elif kind == "repeat":
            self.line("REPEAT")
            self.block(depth + 1)
            self.line(f"  ; RESCHEDULE UNTIL {self.condition()}")
        elif kind == "for":
            self.line(f"FOR {self.pick('y', 'x')} := 0 TO {self.pick('2', 'g MOD 3', '1')} DO")
            self.block(depth + 1)
            self.line("END")
        elif kind == "select":
            self.line("SELECT")
            for _ in range(self.random.randint(1, 3)):
                guard = f" & {self.condition()}" if self.random.random() < 0.4 else ""
                self.line(f"WHEN {self.communication()}{guard} THEN")
                self.block(depth + 1)
            self.line("END")
        else:
            self.line("CHOICE")
            self.block(depth + 1)
            self.line("OR")
            self.block(depth + 1)
            self.line("END")
        self.ended(last)

    def process(self, name: str, nested: bool) -> None:
        self.line(f"PROCESS {name}(p : Msg; x : INT8; {'' if self.plain else 'VAR '}v : INT8);")
        self.line("VAR y : INT8; b : BOOLEAN; s : SET8; pr, qr : Pair; lp : Msg; la : ARRAY 2 OF INT8;")
        if nested:
            self.indent += 1
            self.line(f"PROCESS Inner{name}(q : Msg; z : INT8; VAR w : INT8);")
            self.line("BEGIN")
            self.line(f"  w := z; {self.pick('y := w', 'b := y > z', 'INC(x)', 'la[z MOD 2] := y')};")
            self.line(f"  {self.pick('RESCHEDULE', 'q!' + self.signal(), 'p?' + self.signal())};")
            self.line(f"  {self.pick('INC(y)', 'w := y', 'x := 0')}")
            self.line(f"END Inner{name};")
            self.indent -= 1
        inner = [f"Inner{name}"] if nested else []
        before, self.others = self.others, self.others + inner
        self.line("BEGIN")
        self.block(0)
        self.line(f"END {name};")
        self.others = [*before, name] if self.random.random() < 0.3 and not self.plain else before

    def signal(self) -> str:
        if "sig" in self.messages:
            return "sig"
        self.messages.append("sig")
        return "sig"

    def program(self) -> str:
        names = [f"P{number}" for number in range(self.random.randint(1, 3))]
        for name in names:
            self.process(name, self.random.random() < 0.3 and not self.plain)
        body, self.lines = self.lines, []
        creations = [
            f"CREATE {self.random.choice(names)}({self.pick('q', 'ps[0]', 'ps[1]', 'q')}, "
            f"{self.random.randint(0, 2)}, {self.pick('g', 'h', 'a[1]')})"
            for _ in range(self.random.randint(2, 3))
        ]
        text = [
            "MODULE Random;",
            "IMPORT Out;",
            "TYPE Pair = RECORD first : INT8; second : BOOLEAN END;",
            f"     Msg = [{', '.join(self.messages)}];",
        ]
        text += ["PORT q : Msg; ps : ARRAY 2 OF Msg;", "VAR g, h : INT8; c : BOOLEAN; a : ARRAY 3 OF INT8;"]
        text += body
        text += [
            "BEGIN",
            f"  NEW(q); NEW(ps[0]); {self.pick('NEW(ps[1])', 'ps[1] := q')};",
            "  " + "; ".join(creations),
        ]
        return "\n".join([*text, "END Random.", ""])


def random_program(seed: int, *, choices: bool = True, plain: bool = False) -> str:
    """The text of a program that the front end takes. ``plain``: with ports that stay what they are, without references
    and nested processes."""
    return _Writer(seed, choices, plain).program()
