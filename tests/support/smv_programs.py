"""Random SMV modules: small, with everything that the language has, sometimes with values outside of types."""

from __future__ import annotations

from random import Random


class _Writer:
    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.booleans: list[str] = []
        self.numbers: list[tuple[str, int, int]] = []
        self.names: list[str] = []
        self.words: list[tuple[str, int, bool]] = []
        self.arrays: list[str] = []
        self.inputs: list[str] = []

    def pick(self, *texts: str) -> str:
        return self.random.choice(texts)

    def boolean(self, depth: int = 2, later: bool = False) -> str:
        r = self.random
        if depth == 0 or r.random() < 0.2:
            options = [
                f"{self.read(n, later)} {self.pick('=', '<', '!=', '>=')} {r.randint(0, 3)}" for n, _, _ in self.numbers
            ]
            options += [self.read(b, later) for b in self.booleans]
            options += [f"{self.read(n, later)} = {self.pick('red', 'green', 'blue')}" for n in self.names]
            options += [f"{self.read(w, later)} = {self.word_constant(k, s)}" for w, k, s in self.words]
            options += [f"{self.read(f'{a}[{r.randint(0, 2)}]', later)} = {r.randint(0, 2)}" for a in self.arrays]
            return r.choice(options)
        a, b = self.boolean(depth - 1, later), self.boolean(depth - 1, later)
        number = self.number(1, later)
        return self.pick(
            f"({a} & {b})", f"({a} | {b})", f"!({a})", f"({a} -> {b})", f"({a} <-> {b})", f"({a} xor {b})",
            f"({number} < {self.number(1, later)})", f"({number} in {{0, 2, {r.randint(0, 4)}}})",
            f"({number} in 1..2)", f"(count({a}, {b}, {a}) = 2)", f"({a} ? {b} : {self.boolean(0, later)})",
        )  # fmt: skip

    def read(self, name: str, later: bool) -> str:
        """Some reads are of the next state, where that may be."""
        return f"next({name})" if later and self.random.random() < 0.4 else name

    def word_constant(self, width: int, signed: bool) -> str:
        if signed:
            return f"swconst({self.random.randint(-(1 << (width - 1)), (1 << (width - 1)) - 1)}, {width})"
        return f"0ud{width}_{self.random.randrange(1 << width)}"

    def number(self, depth: int, later: bool = False) -> str:
        r = self.random
        if depth == 0 or r.random() < 0.3:
            options = [self.read(n, later) for n, _, _ in self.numbers] + [str(r.randint(0, 3))]
            options += [f"toint({self.read(w, later)})" for w, _, _ in self.words]
            if self.numbers and self.arrays and r.random() < 0.3:
                options += [f"{a}[{self.numbers[0][0]} mod 3]" for a in self.arrays]
            return r.choice(options)
        a, b = self.number(depth - 1, later), self.number(depth - 1, later)
        return self.pick(
            f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"(({a} + {b}) mod 3)", f"max({a}, {b})", f"abs({a} - {b})",
            f"({a} / 2)", f"case {self.boolean(0, later)} : {a}; TRUE : {b}; esac",
        )  # fmt: skip

    def word(self, width: int, signed: bool, depth: int = 2) -> str:
        r = self.random
        same = [w for w, k, s in self.words if (k, s) == (width, signed)]
        if depth == 0 or r.random() < 0.3:
            return r.choice([*same, self.word_constant(width, signed)])
        a, b = self.word(width, signed, depth - 1), self.word(width, signed, depth - 1)
        other = [w for w, k, _ in self.words if k != width]
        options = [
            f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} & {b})", f"({a} | {b})", f"({a} xor {b})", f"(!{a})",
            f"(-{a})", f"({a} << {r.randint(0, width)})", f"({a} >> {r.randint(0, width)})", f"({a} -> {b})",
            f"({a} << ({self.number(1)} mod {width}))" if r.random() < 0.2 else f"({a} xnor {b})",
        ]  # fmt: skip
        if other:
            options.append(f"resize({'signed' if signed else 'unsigned'}({r.choice(other)}), {width})")
        if width > 1 and not signed:
            cut = r.randint(1, width - 1)
            options.append(f"({a}[{cut - 1}:0] :: {b}[{width - 1}:{cut}])")
        return r.choice(options)

    def of(self, kind: str) -> str:
        """A value to assign, perhaps one of several."""
        r = self.random
        if r.random() < 0.25:
            return f"case {self.boolean()} : {self.of(kind)}; TRUE : {self.of(kind)}; esac"
        several = r.random() < 0.3
        match kind.split():
            case ["boolean"]:
                return "{TRUE, FALSE}" if several else self.boolean()
            case ["names"]:
                return (
                    self.pick("{red, blue}", "{green, red} union blue")
                    if several
                    else self.pick("red", "green", *self.names)
                )
            case ["number", low, high]:
                if several:
                    return self.pick(f"{low}..{high}", f"{{{low}, {high}}}", f"{{{low}}} union {{{high}}}")
                if r.random() < 0.1:
                    return self.number(2)
                span = int(high) - int(low) + 1
                return f"({low} + abs({self.number(2)}) mod {span})"
            case ["word", width, signed]:
                inner = self.word(int(width), signed == "1")
                return f"{{{inner}, {self.word_constant(int(width), signed == '1')}}}" if several else inner
        raise AssertionError(kind)


def smv_program(seed: int) -> str:
    """A whole file, without properties. Its inner variables are b0, n0, e0 and so on."""
    writer = _Writer(seed)
    r = writer.random
    declared: list[tuple[str, str, str]] = []  # name, type as text, kind
    for number in range(r.randint(1, 2)):
        writer.booleans.append(f"b{number}")
        declared.append((f"b{number}", "boolean", "boolean"))
    for number in range(r.randint(1, 2)):
        low = r.choice([0, 0, 0, -1, 1])
        high = low + r.randint(1, 4)
        writer.numbers.append((f"n{number}", low, high))
        declared.append((f"n{number}", f"{low}..{high}", f"number {low} {high}"))
    if r.random() < 0.6:
        writer.names.append("e0")
        declared.append(("e0", "{red, green, blue}", "names"))
    if r.random() < 0.5:
        width, signed = r.randint(1, 3), r.random() < 0.4
        writer.words.append(("w0", width, signed))
        declared.append(("w0", f"{'signed' if signed else 'unsigned'} word[{width}]", f"word {width} {int(signed)}"))
    if r.random() < 0.3:
        declared.append(("odd", "{1, 3, 4}", "odd"))
    if r.random() < 0.3:
        writer.arrays.append("a0")
    lines = ["MODULE main", "VAR", *(f"  {name} : {type_};" for name, type_, _ in declared)]
    if writer.arrays:
        lines.append("  a0 : array 0..2 of 0..2;")
    frozen = r.random() < 0.2
    if r.random() < 0.3:
        lines += ["IVAR", "  i0 : boolean;"]
        writer.inputs.append("i0")
    if frozen:
        lines += ["FROZENVAR", "  f0 : 0..2;"]
    lines += ["DEFINE", f"  d0 := {writer.boolean()};", "ASSIGN"]
    if writer.arrays:
        lines += [f"  init(a0[{i}]) := {i};" for i in range(3)]
        lines.append(f"  next(a0[1]) := {writer.of('number 0 2')};")
        lines.append("  next(a0[2]) := a0[1];")
        lines.append("  next(a0[0]) := a0[0];")
    writer.booleans.append("d0")
    for name, _, kind in declared:
        if kind == "odd":
            lines += ["  init(odd) := {1, 4};", "  next(odd) := case odd = 1 : {3, 4}; odd = 3 : 4; TRUE : {1}; esac;"]
            continue
        if r.random() < 0.8:
            lines.append(_plain_init(name, kind, r))
        if r.random() < 0.75:
            text = writer.of(kind)
            if writer.inputs and r.random() < 0.5:
                text = f"case i0 : {text}; TRUE : {name}; esac"
            lines.append(f"  next({name}) := {text};")
    for _ in range(r.choice([0, 0, 0, 1, 2])):
        shape = r.random()
        if shape < 0.5:
            lines.append(f"TRANS {writer.boolean(2, later=True)};")
        elif shape < 0.75:
            name, low, high = writer.numbers[0]
            lines.append(f"TRANS ({writer.boolean(1)} & next({name}) = {low}) | next({name}) = {name} | "
                         f"({writer.boolean(1)} & next({name}) in {{{low}, {high}}});")  # fmt: skip
        else:
            lines.append(f"INVAR {writer.boolean(1)} | {writer.boolean(1)};")
    if r.random() < 0.2:
        lines.append(f"INIT {writer.boolean(1)};")
    for _ in range(r.choice([0, 0, 0, 1])):
        lines.append(f"JUSTICE {writer.boolean(1)};")
    if r.random() < 0.1:
        lines.append(f"COMPASSION({writer.boolean(1)}, {writer.boolean(1)});")
    return "\n".join(lines) + "\n"


def _plain_init(name: str, kind: str, r: Random) -> str:
    match kind.split():
        case ["boolean"]:
            return f"  init({name}) := {r.choice(['TRUE', 'FALSE'])};"
        case ["names"]:
            return f"  init({name}) := red;"
        case ["number", low, high]:
            return f"  init({name}) := {r.choice([low, high])};"
        case ["word", width, signed]:
            return f"  init({name}) := {'swconst(0, ' + width + ')' if signed == '1' else '0ud' + width + '_0'};"
    raise AssertionError(kind)
