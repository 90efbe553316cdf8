"""Macros and their expansion, by the rules gcc follows.

A macro is disabled while its own expansion is being rescanned; its name met in that time is painted: it is not expanded
then or later. Arguments are fully expanded before they are put in, except beside `#` and `##`. See "The C Preprocessor
Internals", Macro Expansion, in gcc's documentation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from kripke.languages.promela.lexer import FRESH, GLUED, SPACED, Token, tokenize
from kripke.model.source import ModelError, Sources

MOST_TOKENS: Final = 2_000_000
_DEEPEST: Final = 100  # macro calls inside arguments of macro calls


class Macro(NamedTuple):
    name: str
    parameters: tuple[str, ...] | None  # None: an object-like macro
    variadic: bool
    body: tuple[Token, ...]
    definition: Token


class _EndOf(NamedTuple):
    """On the stack of tokens to rescan: here the expansion of a macro ends."""

    name: str


_Stack = list["Token | _EndOf"]
_Arguments = list[list[Token]]


def copy(token: Token, lead: int, place: Token | None = None) -> Token:
    at = place or token
    new = Token(token.kind, token.text, at.file, at.line, at.column, at.end, lead)
    new.painted = token.painted
    return new


class Expander:
    """Expands macros in tokens. `more` gives the token after the ones at hand, and takes it with a second call."""

    def __init__(self, macros: Mapping[str, Macro], sources: Sources) -> None:
        self.macros = macros
        self.sources = sources
        self.disabled: set[str] = set()
        self.produced = 0
        self.depth = 0

    def expand(self, tokens: list[Token], more: TokenSupply | None = None) -> list[Token]:
        """The tokens with every macro expanded; a call may go on in what `more` supplies."""
        stack: _Stack = list(reversed(tokens))
        out: list[Token] = []
        lead = GLUED  # of a macro that left nothing behind: the next token stands for it
        while stack:
            token = stack.pop()
            if isinstance(token, _EndOf):
                self.disabled.discard(token.name)
                continue
            macro = self.macros.get(token.text)
            if macro is not None and not token.painted and token.kind != "string":
                if macro.name in self.disabled:
                    token = copy(token, token.lead)
                    token.painted = True
                else:
                    replacement = self._replacement(macro, token, stack, more)
                    if replacement is not None:
                        if replacement:
                            replacement[0].lead = max(token.lead, lead)
                            lead = GLUED
                        else:
                            lead = max(lead, token.lead)
                        self.disabled.add(macro.name)
                        stack.append(_EndOf(macro.name))
                        stack.extend(reversed(replacement))
                        continue
            if lead > token.lead:
                token = copy(token, lead)
            lead = GLUED
            out.append(token)
        if lead and more is not None:
            more.follow(lead)
        return out

    def _replacement(self, macro: Macro, use: Token, stack: _Stack, more: TokenSupply | None) -> list[Token] | None:
        """What a use of a macro becomes; None where the name of a function-like macro is not followed by `(`."""
        arguments: _Arguments = []
        if macro.parameters is not None:
            while stack and isinstance(stack[-1], _EndOf):
                self.disabled.discard(stack.pop().name)  # type: ignore[union-attr]
            following = stack[-1] if stack else (more.peek() if more is not None else None)
            if following is None or isinstance(following, _EndOf) or following.kind != "(":
                return None
            arguments = self._arguments(macro, use, stack, more)
        elif macro.name == "__LINE__":
            return [Token("number", str(use.line), use.file, use.line, use.column, use.end, use.lead)]
        elif macro.name == "__FILE__":
            return [Token("string", f'"{use.file}"', use.file, use.line, use.column, use.end, use.lead)]
        replacement = self._substitute(macro, arguments, use)
        self.produced += len(replacement) + 1
        if self.produced > MOST_TOKENS:
            raise self._error(f"macro '{macro.name}' and others expand to more than {MOST_TOKENS:,} tokens", use)
        return replacement

    def _arguments(self, macro: Macro, use: Token, stack: _Stack, more: TokenSupply | None) -> _Arguments:
        parameters = macro.parameters or ()
        arguments: _Arguments = [[]]
        depth = 0
        while True:
            if stack:
                token = stack.pop()
            elif more is not None and (supplied := more.take(macro.name)) is not None:
                token = supplied
            else:
                raise self._error(f"the arguments of macro '{macro.name}' are not closed: ')' is missing", use)
            if isinstance(token, _EndOf):
                self.disabled.discard(token.name)
                continue
            if token.kind == "(":
                depth += 1
                if depth == 1:
                    continue
            elif token.kind == ")":
                depth -= 1
                if depth == 0:
                    break
            elif token.kind == "," and depth == 1 and not (macro.variadic and len(arguments) == len(parameters)):
                arguments.append([])
                continue
            arguments[-1].append(token)
        if not parameters and arguments == [[]]:
            arguments = []
        if macro.variadic and len(arguments) == len(parameters) - 1:
            arguments.append([])
        if len(arguments) != len(parameters):
            raise self._error(
                f"macro '{macro.name}' takes {_count(len(parameters), 'argument')}, but is given {len(arguments)}", use
            )
        return arguments

    def _substitute(self, macro: Macro, arguments: _Arguments, use: Token) -> list[Token]:
        """The body with arguments in the place of parameters, `#` and `##` carried out."""
        body = macro.body
        position = {name: i for i, name in enumerate(macro.parameters or ())}
        expanded: dict[int, list[Token]] = {}
        out: list[Token] = []
        paste = False
        index = 0
        while index < len(body):
            token = body[index]
            index += 1
            lead = min(token.lead, SPACED)
            if token.kind == "##" and 1 < index < len(body):
                paste = True
                continue
            before_paste = index < len(body) - 1 and body[index].kind == "##"
            if token.kind == "#" and macro.parameters is not None:
                argument = position[body[index].text]  # checked when the macro was defined
                index += 1
                piece = [_stringified(arguments[argument], use, lead)]
                before_paste = index < len(body) - 1 and body[index].kind == "##"
            elif token.text in position and token.kind != "string":
                argument = position[token.text]
                if paste or before_paste:
                    piece = [copy(t, min(t.lead, SPACED)) for t in arguments[argument]]
                else:
                    if argument not in expanded:
                        expanded[argument] = self._expanded_argument(arguments[argument], use)
                    piece = [copy(t, min(t.lead, SPACED)) for t in expanded[argument]]
                if piece:
                    piece[0].lead = lead
                if paste and macro.variadic and argument == len(position) - 1 and out and out[-1].kind == ",":
                    # gcc: `, ## __VA_ARGS__` drops the comma if there are none, and pastes nothing otherwise.
                    paste = False
                    if not piece:
                        out.pop()
            else:
                piece = [copy(token, lead, use)]
            if paste:
                paste = False
                if piece:
                    left = out.pop()
                    piece[0] = self._pasted(left, piece[0], macro, use) if left.text else piece[0]
            elif not piece and before_paste:
                piece = [Token("placemarker", "", use.file, use.line, use.column, use.end, lead)]
            out += piece
            if self.produced + len(out) > MOST_TOKENS:
                break
        return [token for token in out if token.kind != "placemarker"]

    def _expanded_argument(self, argument: list[Token], use: Token) -> list[Token]:
        if not any(token.text in self.macros for token in argument):
            return argument
        if self.depth == _DEEPEST:
            raise self._error("calls of macros are nested too deeply", use)
        self.depth += 1
        result = self.expand(argument)
        self.depth -= 1
        return result

    def _pasted(self, left: Token, right: Token, macro: Macro, use: Token) -> Token:
        pasted = tokenize(left.text + right.text, use.file, self.sources)
        if len(pasted) != 1:
            raise self._error(f"macro '{macro.name}' pastes '{left.text}' and '{right.text}', which is no token", use)
        return copy(pasted[0], left.lead, left)

    def _error(self, message: str, at: Token) -> ModelError:
        return self.sources.error(message, at.span)


class TokenSupply:
    """The tokens of a text still to be read."""

    def __init__(
        self, tokens: list[Token], adjust: Callable[[Token], Token], obey: Callable[[Token, str], None]
    ) -> None:
        self.tokens = tokens
        self.index = 0
        self.adjust = adjust
        self.obey = obey  # carries out a directive that stands inside the arguments of a macro

    def peek(self) -> Token | None:
        return self.tokens[self.index] if self.index < len(self.tokens) else None

    def take(self, macro: str) -> Token | None:
        """The next token, for the arguments of a macro."""
        while (token := self.peek()) is not None:
            self.index += 1
            if token.kind != "#" or token.lead != FRESH:
                return self.adjust(token)
            self.obey(token, macro)
        return None

    def follow(self, lead: int) -> None:
        """The next token comes after at least this much white space."""
        token = self.peek()
        if token is not None and token.lead < lead:
            token.lead = lead


def _stringified(argument: list[Token], use: Token, lead: int) -> Token:
    parts: list[str] = []
    for token in argument:
        if parts and token.lead:
            parts.append(" ")
        quoted = token.kind in ("string", "char")
        parts.append(token.text.replace("\\", "\\\\").replace('"', '\\"') if quoted else token.text)
    return Token("string", '"' + "".join(parts) + '"', use.file, use.line, use.column, use.end, lead)


def _count(number: int, noun: str) -> str:
    return f"{number or 'no'} {noun}{'' if number == 1 else 's'}"
