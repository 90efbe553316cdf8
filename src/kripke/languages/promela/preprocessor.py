"""The C preprocessor, on tokens, so that every token keeps the place a user should look at.

Does what `gcc -E` does to a model before SPIN sees it, macros across lines and all, minus system headers.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Final

from kripke.languages.promela.conditions import as_number, evaluate
from kripke.languages.promela.lexer import FRESH, GLUED, SPACED, WRAPPED, Token, tokenize, written
from kripke.languages.promela.macros import Expander, Macro, TokenSupply, copy
from kripke.model.source import Diagnostic, ModelError, Sources, Span

DEEPEST_INCLUDE: Final = 64
_DEEPEST_QUESTION: Final = 6  # macros inside macros with a `defined` in them
COMMAND_LINE: Final = "<command line>"


def find_included(name: str, places: Sequence[str], at: Span, sources: Sources) -> str:
    """The path of a file that a model names; ModelError where there is none."""
    for place in places:
        path = os.path.join(place, name)
        if os.path.isfile(path):
            return path
    looked = ", ".join(f"'{place or '.'}'" for place in places)
    raise sources.error(f"cannot find '{name}'", at, f"looked in {looked}")


def read_source(path: str | os.PathLike[str], included_at: Span | None = None, sources: Sources | None = None) -> str:
    """The text of a file: UTF-8, or failing that Latin-1; line ends become `\\n`."""
    name = os.fspath(path)
    sources = sources or Sources()
    try:
        with open(name, "rb") as file:
            data = file.read()
    except OSError as problem:
        reason = "there is no such file" if isinstance(problem, FileNotFoundError) else problem.strerror
        raise sources.error(f"cannot read '{name}': {reason}", included_at) from None
    if b"\0" in data:
        raise sources.error(f"cannot read '{name}': this looks like a binary file", included_at)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n")


class Preprocessor:
    """Reads texts one after the other; macros last from one to the next."""

    def __init__(
        self,
        *,
        defines: Mapping[str, str | int] | None = None,
        undefines: Sequence[str] = (),
        include_paths: Sequence[str | os.PathLike[str]] = (),
        sources: Sources | None = None,
    ) -> None:
        self.sources = sources if sources is not None else Sources()
        self.include_paths = [os.fspath(path) for path in include_paths]
        self.warnings: list[Diagnostic] = []
        self.macros: dict[str, Macro] = {}
        self.expander = Expander(self.macros, self.sources)
        self.output: list[Token] = []
        self.open_files: list[str] = []
        self.read_once: set[str] = set()
        for name in ("__LINE__", "__FILE__"):
            self.macros[name] = Macro(name, None, False, (), Token("name", name, COMMAND_LINE, 0, 0, 0, FRESH))
        for name, value in (defines or {}).items():
            line = f"{name} {value}"
            self.sources.add(COMMAND_LINE, f"#define {line}")
            tokens = tokenize(line, COMMAND_LINE, self.sources)
            self._define(tokens, tokens[0] if tokens else Token("end", "", COMMAND_LINE, 1, 1, 1, FRESH))
        for name in undefines:
            self.macros.pop(name, None)

    def run(self, text: str, file: str) -> list[Token]:
        """The tokens of a text and of what it includes, all directives carried out."""
        if "\0" in text:
            raise ModelError(f"cannot read '{file}': this looks like a binary file")
        self.output = []
        self._read(text.replace("\r\n", "\n"), file)
        return self.output

    def _read(self, text: str, file: str) -> None:
        self.sources.add(file, text)
        tokens = tokenize(text, file, self.sources)
        if "#" not in text and len(self.macros) == 2 and "__" not in text:
            self.output += tokens
            return
        self.open_files.append(file)
        _File(self, text, file, tokens).read()
        self.open_files.pop()

    def include(self, name: str, from_file: str, at: Span) -> None:
        if len(self.open_files) >= DEEPEST_INCLUDE:
            cycle = " (it includes itself)" if os.path.normpath(name) in map(os.path.basename, self.open_files) else ""
            raise self.sources.error(f"#include is nested deeper than {DEEPEST_INCLUDE} files{cycle}", at)
        places = [os.path.dirname(from_file), *self.include_paths]
        path = find_included(name, places, at, self.sources)
        self.sources.admit(path, at, self.include_paths)
        if os.path.realpath(path) not in self.read_once:
            self._read(read_source(path, at, self.sources), path)

    def _define(self, line: list[Token], directive: Token) -> None:
        """`line` is what stands after `#define`."""
        if not line or not _is_word(line[0]):
            raise self.sources.error("#define needs the name of a macro", (line[0] if line else directive).span)
        name, rest = line[0], line[1:]
        if name.text == "defined":
            raise self.sources.error("'defined' cannot be the name of a macro", name.span)
        parameters: tuple[str, ...] | None = None
        variadic = False
        if rest and rest[0].kind == "(" and rest[0].lead == GLUED:
            parameters, variadic, rest = self._parameters(name, rest[1:])
            for index, token in enumerate(rest):
                if token.kind == "#" and (index + 1 == len(rest) or rest[index + 1].text not in parameters):
                    raise self.sources.error("'#' is not followed by a parameter of the macro", token.span)
        if rest and "##" in (rest[0].kind, rest[-1].kind):
            raise self.sources.error("'##' stands at an end of the macro", rest[0].span)
        self.macros[name.text] = Macro(name.text, parameters, variadic, tuple(rest), name)

    def _parameters(self, name: Token, line: list[Token]) -> tuple[tuple[str, ...], bool, list[Token]]:
        """Parameters, whether the last takes any number of arguments, and the tokens after the list."""
        parameters: list[str] = []
        index = 0
        texts = [token.text for token in line] + [""] * 4
        if texts[0] == ")":
            return (), False, line[1:]
        while True:
            if texts[index : index + 2] == ["..", "."]:
                index += 2
                variadic, parameter = True, "__VA_ARGS__"
            elif index < len(line) and _is_word(line[index]):
                parameter = texts[index]
                index += 1
                variadic = texts[index : index + 2] == ["..", "."]
                index += 2 if variadic else 0
            else:
                raise self.sources.error(f"the parameters of macro '{name.text}' are malformed", name.span)
            if parameter in parameters:
                raise self.sources.error(f"macro '{name.text}' has two parameters '{parameter}'", name.span)
            parameters.append(parameter)
            if texts[index] == ")":
                return tuple(parameters), variadic, line[index + 1 :]
            if texts[index] != "," or variadic:
                raise self.sources.error(f"the parameters of macro '{name.text}' are not closed by ')'", name.span)
            index += 1


class _Condition:
    """An open `#if`: whether its present part is read, and whether any part was."""

    def __init__(self, directive: Token, active: bool, taken: bool) -> None:
        self.directive = directive
        self.active = active
        self.taken = taken
        self.last = False  # `#else` was seen


class _File:
    """One text on its way through the preprocessor."""

    def __init__(self, preprocessor: Preprocessor, text: str, file: str, tokens: list[Token]) -> None:
        self.preprocessor = preprocessor
        self.sources = preprocessor.sources
        self.macros = preprocessor.macros
        self.text = text
        self.real_file = file
        self.file = file
        self.line_shift = 0
        self.supply = TokenSupply(tokens, self._placed, self._directive_in_arguments)
        self.conditions: list[_Condition] = []

    def _placed(self, token: Token) -> Token:
        """The token with the place `#line` gives it."""
        if self.line_shift or self.file is not self.real_file:
            token.line += self.line_shift
            token.file = self.file
        return token

    def read(self) -> None:
        supply, macros, output = self.supply, self.macros, self.preprocessor.output
        tokens = supply.tokens
        total = len(tokens)
        plain = True  # no `#line` seen
        while supply.index < total:
            token = tokens[supply.index]
            supply.index += 1
            if token.lead == FRESH and token.kind == "#":
                self._directive(token)
                plain = self._is_plain()
                continue
            if not plain:
                self._placed(token)
            if token.text in macros:
                output += self.preprocessor.expander.expand([token], supply)
                plain = self._is_plain()
                following = supply.peek()
                if following is not None and following.line + self.line_shift != token.line:
                    supply.follow(WRAPPED)  # as in gcc's output: after a call over several lines a new line starts
            else:
                output.append(token)
        if self.conditions:
            opened = self.conditions[-1].directive
            raise self.sources.error(f"this #{opened.text} has no #endif", opened.span)

    def _is_plain(self) -> bool:
        return not self.line_shift and self.file is self.real_file

    def _directive_in_arguments(self, sharp: Token, macro: str) -> None:
        """As gcc does it: `#if` and the like decide what the arguments of a macro are."""
        following = self.supply.peek()
        if following is not None and following.text == "include":
            raise self.sources.error(f"an #include inside the arguments of macro '{macro}'", self._placed(sharp).span)
        self._directive(sharp)

    def _skip(self) -> None:
        """To the next directive."""
        tokens, index = self.supply.tokens, self.supply.index
        while index < len(tokens) and not (tokens[index].lead == FRESH and tokens[index].kind == "#"):
            index += 1
        self.supply.index = index

    def _rest_of_line(self) -> list[Token]:
        tokens, start = self.supply.tokens, self.supply.index
        stop = start
        while stop < len(tokens) and tokens[stop].lead != FRESH:
            stop += 1
        self.supply.index = stop
        return [self._placed(token) for token in tokens[start:stop]]

    def _directive(self, sharp: Token) -> None:
        """Carry out a directive, and pass over what it leaves out."""
        self._placed(sharp)
        line = self._rest_of_line()
        if line:
            self._carry_out(line)
        if self.conditions and not self.conditions[-1].active:
            self._skip()

    def _carry_out(self, line: list[Token]) -> None:
        name, rest = line[0], line[1:]
        skipping = bool(self.conditions) and not self.conditions[-1].active
        match name.text:
            case "if" | "ifdef" | "ifndef":
                # Inside a part that is left out nothing of an inner #if is read, whatever its condition.
                holds = not skipping and self._holds(name, rest)
                self.conditions.append(_Condition(name, holds, holds or skipping))
            case "elif" | "else":
                self._other_part(name, rest)
            case "endif":
                if not self.conditions:
                    raise self.sources.error("#endif without #if", name.span)
                self.conditions.pop()
            case _ if skipping:
                pass
            case "define":
                self.preprocessor._define(rest, name)
            case "undef":
                if not rest or not _is_word(rest[0]):
                    raise self.sources.error("#undef needs the name of a macro", name.span)
                self.macros.pop(rest[0].text, None)
            case "include":
                self._include(name, rest)
            case "error":
                raise self.sources.error(f"#error {written(rest).strip()}", name.span)
            case "warning":
                message = f"#warning {written(rest).strip()}"
                self.preprocessor.warnings.append(Diagnostic(message, name.span))
            case "line":
                self._renumber(name, self.preprocessor.expander.expand(rest))
            case _ if name.kind == "number":
                self._renumber(name, line)
            case "pragma":
                if [token.text for token in rest] == ["once"]:
                    self.preprocessor.read_once.add(os.path.realpath(self.real_file))
            case "ident" | "sccs" | "assert" | "unassert":
                pass
            case _:
                raise self.sources.error(f"there is no preprocessor directive #{name.text}", name.span)

    def _holds(self, name: Token, rest: list[Token]) -> bool:
        if name.text in ("if", "elif"):
            return evaluate(self._condition(rest, name), name, self.sources) != 0
        if not rest or not _is_word(rest[0]):
            raise self.sources.error(f"#{name.text} needs the name of a macro", name.span)
        return (rest[0].text in self.macros) == (name.text == "ifdef")

    def _condition(self, line: list[Token], directive: Token) -> list[Token]:
        """The tokens of a condition, `defined` and macros replaced."""
        tokens: list[Token] = []
        line = self._with_questions(line)
        index = 0
        while index < len(line):
            token = line[index]
            index += 1
            if token.text == "defined":
                words = [t.text for t in line[index : index + 3]]
                if words[:1] == ["("] and words[2:] == [")"]:
                    index, word = index + 3, words[1]
                elif words and words[0] != "(":
                    index, word = index + 1, words[0]
                else:
                    raise self.sources.error("'defined' needs the name of a macro", token.span)
                known = as_number(int(word in self.macros), token)
                known.painted = True
                tokens.append(known)
            else:
                tokens.append(token)
        return self.preprocessor.expander.expand(tokens)

    def _with_questions(self, line: list[Token]) -> list[Token]:
        """`defined` may come out of a macro: the bodies of such macros, before the names in them are expanded."""
        for _ in range(_DEEPEST_QUESTION):
            if not any(self._asks(token.text) for token in line):
                break
            line = [part for token in line for part in self._question(token)]
        return line

    def _question(self, token: Token) -> list[Token]:
        return [copy(t, SPACED, token) for t in self.macros[token.text].body] if self._asks(token.text) else [token]

    def _asks(self, name: str, depth: int = 0) -> bool:
        macro = self.macros.get(name)
        if macro is None or macro.parameters is not None or depth == _DEEPEST_QUESTION:
            return False
        return any(token.text == "defined" or self._asks(token.text, depth + 1) for token in macro.body)

    def _other_part(self, name: Token, rest: list[Token]) -> None:
        if not self.conditions:
            raise self.sources.error(f"#{name.text} without #if", name.span)
        condition = self.conditions[-1]
        if condition.last:
            raise self.sources.error(f"#{name.text} after #else", name.span)
        condition.last = name.text == "else"
        condition.active = not condition.taken and (condition.last or self._holds(name, rest))
        condition.taken = condition.taken or condition.active

    def _include(self, name: Token, rest: list[Token]) -> None:
        if rest and rest[0].kind not in ("string", "<"):
            rest = self.preprocessor.expander.expand(rest)
        if rest and rest[0].kind == "<":
            raise self.sources.error(
                "#include <...>: there are no system headers in a model",
                rest[0].span,
                'write #include "file" for a file of your own; for C code use c_decl { \\#include <...> }',
            )
        if not rest or rest[0].kind != "string":
            raise self.sources.error('#include needs a file name in double quotes: #include "file"', name.span)
        self.preprocessor.include(rest[0].text[1:-1], self.real_file, rest[0].span)

    def _renumber(self, name: Token, line: list[Token]) -> None:
        """`#line 12 "file"`, or gcc's mark `# 12 "file"`: what the next line is called."""
        if not line or not line[0].text.isdecimal():
            raise self.sources.error("#line needs a line number", name.span)
        following = self.supply.peek()
        if len(line) > 1 and line[1].kind == "string":
            self.file = line[1].text[1:-1]
        next_line = name.line - self.line_shift + 1
        if following is not None and following.line < next_line:
            next_line = following.line
        self.line_shift = min(int(line[0].text[:10]), 1 << 31) - next_line
        self.sources.add_alias(self.file, int(line[0].text[:10]), self._lines(), next_line - 1)

    def _lines(self) -> list[str]:
        if not hasattr(self, "_split"):
            self._split = self.text.split("\n")
        return self._split


def _is_word(token: Token) -> bool:
    return token.text[0].isalpha() or token.text[0] == "_"
