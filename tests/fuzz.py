"""Feed the Promela front end with what is no Promela: ``python -m tests.fuzz --minutes 10``.

Texts are made by changing example models (at the level of characters, words and lines, and by crossing two of them),
by writing down words of the language at random, and by a loose grammar that nests everything in everything. Whatever
comes in, the answer is a model or a ``ModelError`` with a place inside the text; never another exception, and never
later than after a few seconds. What breaks this is made smaller and printed.
"""

from __future__ import annotations

import argparse
import random
import re
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from kripke.languages.promela import load
from kripke.languages.promela.lexer import KEYWORDS
from kripke.model.source import ModelError
from tests.spin.generator import generate
from tests.spin.terms import text_of

ROOT = Path(__file__).parents[1]
CORPUS = ROOT.parent / "shared" / "corpus" / "promela" / "spin-examples"
LONGEST = 5.0
"""Seconds of computing that a text of this size may take; half a second would do. Time in which others compute does not
count."""

_SIGNS = re.findall(
    r"\S+", "-> -- ++ :: .. << >> <= >= == != !! ?? && || ; : , . ! ? ( ) [ ] { } = + - * / % & | ^ ~ < > @ # ##"
)
_DIRECTIVES = (
    "#define",
    "#undef",
    "#if",
    "#ifdef",
    "#ifndef",
    "#elif",
    "#else",
    "#endif",
    "#include",
    "#line",
    "#error",
)
_NAMES = ("x", "y", "a", "q", "P", "Q", "T", "m1", "m2", "f", "_pid", "_nr_pr", "_last", "_", "L", "end1", "N")
_NUMBERS = ("0", "1", "2", "255", "256", "65536", "2147483647", "4294967296", "99999999999999999999", "0x1", "1.5")
_ODD = (
    "'",
    '"',
    "\\",
    "\t",
    "\r",
    "\0",
    "/*",
    "*/",
    "//",
    "$",
    "`",
    "\x7f",
    "ä",
    "\u2028",
    "\ufeff",
    "\\\n",
    "%s",
    "\n",
)
WORDS = [*sorted(KEYWORDS), *_SIGNS, *_DIRECTIVES, *_NAMES, *_NUMBERS]


# --- texts ------------------------------------------------------------------------------------------------------------


def seeds() -> list[str]:
    """The models to start from."""
    files = sorted((ROOT / "examples" / "promela").glob("*.pml"))
    if CORPUS.is_dir():
        files += sorted(CORPUS.rglob("*.pml"))
    return [file.read_text(errors="replace") for file in files] + [text_of(generate(seed)) for seed in range(20)]


def make(chance: random.Random, models: list[str]) -> str:
    kind = chance.random()
    if kind < 0.6:
        return mutate(chance, chance.choice(models), models)
    if kind < 0.75:
        return " ".join(chance.choice(WORDS) for _ in range(chance.randrange(1, 120)))
    return _Grammar(chance).module()


def mutate(chance: random.Random, text: str, models: list[str]) -> str:
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        text = chance.choice(_MUTATIONS)(chance, text, models)
    return text


def _cut(chance: random.Random, text: str) -> tuple[int, int]:
    start = chance.randrange(len(text) + 1)
    return start, min(len(text), start + chance.choice((0, 1, 1, 2, 5, 20, 100)))


def _delete(chance: random.Random, text: str, _: list[str]) -> str:
    start, stop = _cut(chance, text)
    return text[:start] + text[stop:]


def _insert(chance: random.Random, text: str, _: list[str]) -> str:
    start, _stop = _cut(chance, text)
    return text[:start] + chance.choice((chance.choice(_ODD), f" {chance.choice(WORDS)} ")) + text[start:]


def _double(chance: random.Random, text: str, _: list[str]) -> str:
    start, stop = _cut(chance, text)
    return text[:stop] + text[start:stop] * chance.choice((1, 2, 50)) + text[stop:]


def _other_word(chance: random.Random, text: str, _: list[str]) -> str:
    words = list(re.finditer(r"\w+|[^\w\s]+", text))
    if not words:
        return text
    word = chance.choice(words)
    return text[: word.start()] + chance.choice(WORDS) + text[word.end() :]


def _swap_words(chance: random.Random, text: str, _: list[str]) -> str:
    words = re.split(r"(\W+)", text)
    first, second = chance.randrange(len(words)), chance.randrange(len(words))
    words[first], words[second] = words[second], words[first]
    return "".join(words)


def _cross(chance: random.Random, text: str, models: list[str]) -> str:
    other = chance.choice(models).splitlines(keepends=True) or [""]
    lines = text.splitlines(keepends=True) or [""]
    start = chance.randrange(len(other))
    at = chance.randrange(len(lines))
    return "".join([*lines[:at], *other[start : start + chance.randrange(1, 12)], *lines[at:]])


def _macro(chance: random.Random, text: str, _: list[str]) -> str:
    """Some word of the text becomes a macro for others."""
    names = re.findall(r"\b[A-Za-z_]\w*\b", text) or ["x"]
    name, body = chance.choice(names), " ".join(chance.choice([*names, *WORDS]) for _ in range(chance.randrange(6)))
    head = chance.choice((name, f"{name}(a)", f"{name}(a, b)", f"{name}(...)", f"{name}()"))
    return f"#define {head} {body}\n{text}"


def _truncate(chance: random.Random, text: str, _: list[str]) -> str:
    return text[: chance.randrange(len(text) + 1)]


_MUTATIONS: tuple[Callable[[random.Random, str, list[str]], str], ...] = (
    _delete, _insert, _double, _other_word, _other_word, _swap_words, _cross, _macro, _truncate,
)  # fmt: skip


class _Grammar:
    """Texts that are nearly Promela: every construct, nested in every other, names that exist or do not."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.left = 150

    def pick(self, *choices: str) -> str:
        return self.chance.choice(choices)

    def name(self) -> str:
        return self.pick(*_NAMES)

    def module(self) -> str:
        head = (
            "mtype = { m1, m2 }; typedef T { byte f; int a[2] }; byte x, a[3]; int y;\n"
            "chan q = [1] of { byte, mtype };\n"
            "inline I(v) { v = 1 }\n"
        )
        units = [self.unit() for _ in range(self.chance.randrange(1, 5))]
        return (head if self.chance.random() < 0.8 else "") + "\n".join(units)

    def unit(self) -> str:
        match self.chance.randrange(9):
            case 0:
                return self.declaration() + ";"
            case 1:
                return f"typedef {self.name()} {{ {self.declaration()}; {self.declaration()} }}"
            case 2:
                return f"ltl {self.name()} {{ {self.formula()} }}"
            case 3:
                return f"never {{ {self.sequence()} }}"
            case 4:
                return f"inline {self.name()}({self.name()}, {self.name()}) {{ {self.sequence()} }}"
            case 5:
                return f"#define {self.name()}({self.name()}) {self.sequence()}"
            case 6:
                return self.pick("init", "trace", "notrace") + f" {{ {self.sequence()} }}"
            case _:
                parameters = self.pick("", "", self.declaration(), f"{self.declaration()}; {self.declaration()}")
                suffix = self.pick("", "", "", f" priority {self.pick(*_NUMBERS)}", f" provided ({self.expression()})")
                start = self.pick("active", "active [2]", f"active [{self.expression()}]", "")
                kind = self.pick("proctype", "proctype", "D_proctype")
                return f"{start} {kind} {self.name()}({parameters}){suffix} {{ {self.sequence()} }}"

    def declaration(self) -> str:
        type_ = self.pick("bit", "bool", "byte", "short", "int", "unsigned", "mtype", "chan", "pid", "T", "mtype:m1")
        part = self.pick("", "", f"[{self.expression()}]", f" : {self.pick(*_NUMBERS)}")
        start = self.pick(
            "",
            f" = {self.expression()}",
            f" = {{ {self.expression()}, 2 }}",
            f" = [{self.expression()}] of {{ byte, T }}",
        )
        return f"{self.pick('', '', 'hidden ', 'local ', 'show ')}{type_} {self.name()}{part}{start}"

    def sequence(self) -> str:
        separator = self.pick("; ", "; ", " -> ", "\n", " ")
        return separator.join(self.statement() for _ in range(self.chance.randrange(1, 4)))

    def options(self) -> str:
        return " ".join(f":: {self.pick('', 'else -> ')}{self.sequence()}" for _ in range(self.chance.randrange(1, 4)))

    def statement(self) -> str:
        self.left -= 1
        if self.left < 0:
            return "skip"
        match self.chance.randrange(22):
            case 0:
                return f"if {self.options()} fi"
            case 1:
                return f"do {self.options()} od"
            case 2:
                return self.pick("atomic", "d_step", "") + f" {{ {self.sequence()} }}"
            case 3:
                return f"{{ {self.sequence()} }} unless {{ {self.sequence()} }}"
            case 4:
                return f"{self.name()}: {self.statement()}"
            case 5:
                return f"goto {self.name()}"
            case 6:
                return f"{self.reference()}{self.pick('!', '!!')}{self.expression()},{self.expression()}"
            case 7:
                arguments = f"{self.pick('_', 'eval(' + self.expression() + ')', self.reference())},{self.reference()}"
                return self.reference() + self.pick("?", "??", "?<", "??<") + arguments + self.pick("", "", ">")
            case 8:
                head = f"{self.name()} {self.pick(':', 'in')} {self.expression()} .. {self.expression()}"
                return f"for ({head}) {{ {self.sequence()} }}"
            case 9:
                return f"select ({self.name()} : {self.expression()} .. {self.expression()})"
            case 10:
                return f"assert({self.expression()})"
            case 11:
                return f'printf("%d %e %s %%", {self.expression()})'
            case 12:
                return self.declaration()
            case 13:
                return f"I({self.expression()})"
            case 14:
                return self.pick("break", "else", "skip", "timeout", "printm(m1)", "xr q", "xs q, a", "c_code { x++; }")
            case 15:
                return f"{self.reference()}{self.pick('++', '--')}"
            case 16:
                return f"for ({self.name()} in {self.name()}) {{ {self.sequence()} }}"
            case 17:
                return f"set_priority({self.expression()}, {self.expression()})"
            case 18 | 19:
                return self.expression()
            case _:
                return f"{self.reference()} = {self.expression()}"

    def reference(self) -> str:
        return self.name() + self.pick("", "", "", f"[{self.expression()}]", f".{self.name()}", f"[1].{self.name()}[0]")

    def expression(self) -> str:
        self.left -= 1
        if self.left < 0:
            return "1"
        match self.chance.randrange(13):
            case 0:
                return f"({self.expression()})"
            case 1:
                return self.pick("!", "-", "~", "!!") + self.expression()
            case 2 | 3:
                return f"{self.expression()} {self.pick(*_SIGNS)} {self.expression()}"
            case 4:
                return f"({self.expression()} -> {self.expression()} : {self.expression()})"
            case 5:
                return (
                    f"{self.pick('len', 'full', 'empty', 'nfull', 'nempty', 'enabled', 'pc_value')}({self.reference()})"
                )
            case 6:
                return f"run {self.name()}({self.expression()})"
            case 7:
                return f"{self.name()}[{self.expression()}]{self.pick('@', ':')}{self.name()}"
            case 8:
                return f"{self.reference()}{self.pick('?', '??')}[{self.expression()}]"
            case 9 | 10:
                return self.pick(*_NUMBERS, "true", "false", "'a'", "np_", "timeout")
            case _:
                return self.reference()

    def formula(self) -> str:
        self.left -= 1
        if self.left < 0:
            return "x"
        match self.chance.randrange(4):
            case 0:
                return f"{self.pick('[]', '<>', 'X', '!', 'always', 'eventually', 'next')} {self.formula()}"
            case 1:
                operator = self.pick("U", "V", "W", "->", "<->", "&&", "||", "until", "implies", "release", "weakuntil")
                return f"({self.formula()} {operator} {self.formula()})"
            case _:
                return self.expression()


# --- the front end ----------------------------------------------------------------------------------------------------


class TooSlow(BaseException):
    """No Exception: nothing on the way may catch it."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """``TooSlow`` after so many seconds of computing."""

    def ring(_number: int, _frame: FrameType | None) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGPROF, ring)
    # Again and again: raised inside a destructor, an exception is lost.
    signal.setitimer(signal.ITIMER_PROF, seconds, 0.5)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def trial(text: str, folder: Path, *, emit: bool = True) -> str | None:
    """What is wrong with the answer to a text, in a line that tells one fault from another; None if nothing is."""
    path = folder / "model.pml"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        with limited(LONGEST):
            model = load(str(path))
            model.facts()
            if emit:
                model.emit_c()
    except ModelError as error:
        return _wrong_place(error, text, str(path))
    except TooSlow:
        return f"no answer within {LONGEST:g} s of computing"
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} at {Path(place.filename).name}:{place.lineno} ({place.name})"
    return None


def _wrong_place(error: ModelError, text: str, path: str) -> str | None:
    error.render()
    if not error.message or "\n" in error.message:
        return f"odd message {error.message!r}"
    if error.span is None:
        return None if error.message.startswith("cannot read ") else f"no place: {error.message}"
    if error.span.file == path and "#" not in text and not 0 < error.span.line <= text.count("\n") + 1:
        return f"place outside the text: {error.message}"
    return None


def smaller(text: str, fault: str, folder: Path, seconds: float = 30.0) -> str:
    """A shorter text with the same fault: pieces are left out while that is possible."""
    until = time.monotonic() + seconds
    size = max(1, len(text) // 2)
    while size and time.monotonic() < until:
        at, before = 0, text
        while at < len(text) and time.monotonic() < until:
            candidate = text[:at] + text[at + size :]
            if trial(candidate, folder) == fault:
                text = candidate
            else:
                at += size
        if text == before:
            size //= 2
    return text


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=None)
    asked = parser.parse_args()
    seed = asked.seed if asked.seed is not None else int(time.time())
    chance = random.Random(seed)
    models = seeds()
    print(f"seed {seed}, {len(models)} models to start from", flush=True)
    faults = Counter[str]()
    tried = 0
    until = time.monotonic() + asked.minutes * 60
    with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
        folder = Path(name)
        while time.monotonic() < until:
            text = make(chance, models)
            tried += 1
            fault = trial(text, folder)
            if fault is not None:
                faults[fault] += 1
                if faults[fault] == 1:
                    print(f"--- text {tried}: {fault}\n{smaller(text, fault, folder)!r}", flush=True)
    print(f"{tried} texts, {sum(faults.values())} faults of {len(faults)} kinds")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
