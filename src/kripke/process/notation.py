"""Expressions of process programs written out again for a person: ``!taken[left] || turn == _pid``."""

from __future__ import annotations

from kripke.process.expressions import (
    Accepting,
    AskChannel,
    AtLocation,
    Binary,
    BinaryOperator,
    Bind,
    ChannelElement,
    ChannelIdentity,
    Conditional,
    Constant,
    CValue,
    Enabled,
    Expression,
    Ignore,
    Match,
    NoProgress,
    OwnPid,
    Pattern,
    Place,
    Poll,
    Priority,
    ProcessCount,
    ProgramCounter,
    Read,
    RemoteRead,
    Timeout,
    Unary,
)

_STRENGTH = {
    BinaryOperator.LOGICAL_OR: 1,
    BinaryOperator.LOGICAL_AND: 2,
    BinaryOperator.OR: 3,
    BinaryOperator.XOR: 4,
    BinaryOperator.AND: 5,
    BinaryOperator.EQUAL: 6,
    BinaryOperator.NOT_EQUAL: 6,
    BinaryOperator.LESS: 7,
    BinaryOperator.LESS_EQUAL: 7,
    BinaryOperator.GREATER: 7,
    BinaryOperator.GREATER_EQUAL: 7,
    BinaryOperator.SHIFT_LEFT: 8,
    BinaryOperator.SHIFT_RIGHT: 8,
    BinaryOperator.ADD: 9,
    BinaryOperator.SUBTRACT: 9,
    BinaryOperator.MULTIPLY: 10,
    BinaryOperator.DIVIDE: 10,
    BinaryOperator.REMAINDER: 10,
}
_ATOM = 12
_UNARY = 11

Names = dict[int, str]


def write(expression: Expression) -> str:
    """The expression as text."""
    return _write(expression, None)[0]


def write_place(place: Place) -> str:
    """``x``, ``flag[other]``, ``printer[p].busy``."""
    subscripts = [write(index.value) for index in place.indices]
    path = _path_of(place)
    if path is None:
        return place.variable.name + "".join(f"[{text}]" for text in subscripts)
    for text in subscripts:
        path = path.replace("[]", f"[{text}]", 1)
    return place.variable.name + path


def _path_of(place: Place) -> str | None:
    """The way into the variable with ``[]`` for every subscript of the place; constant subscripts stay."""
    for component in place.variable.components:
        if component.offset == place.offset:
            path = component.path
            # The component with all variable subscripts 0: blank out as many as the place has, outermost first.
            left, done = path, ""
            for _ in place.indices:
                before, bracket, rest = left.partition("[0]")
                if not bracket:
                    return None
                done, left = done + before + "[]", rest
            return done + left
    return None


def write_pattern(pattern: Pattern) -> str:
    match pattern:
        case Match(value):
            return write(value)
        case Bind(place):
            return write_place(place)
        case Ignore():
            return "_"


def names_of(expression: Expression) -> Names | None:
    """The names of an expression's values, where they have names."""
    match expression:
        case Read(place) | RemoteRead(_, _, place):
            return place.variable.enumeration
        case Conditional(_, then, otherwise):
            return names_of(then) or names_of(otherwise)
        case _:
            return None


def _bracketed(expression: Expression, names: Names | None, least: int) -> str:
    text, strength = _write(expression, names)
    return text if strength >= least else f"({text})"


def _write(expression: Expression, names: Names | None) -> tuple[str, int]:
    """The text and how strongly it binds; ``names`` are those of what a constant is compared with."""
    match expression:
        case Constant(value):
            return (names or {}).get(value, str(value)), _ATOM if value >= 0 else _UNARY
        case Read(place):
            return write_place(place), _ATOM
        case Unary(symbol, operand):
            return symbol.value + _bracketed(operand, None, _UNARY), _UNARY
        case Binary(BinaryOperator.WITHIN | BinaryOperator.PRESENT, _, right):
            return _write(right, names)
        case Binary(symbol, left, right):
            strength = _STRENGTH[symbol]
            compared = strength in (6, 7)
            first = _bracketed(left, names_of(right) if compared else None, strength)
            second = _bracketed(right, names_of(left) if compared else None, strength + 1)
            return f"{first} {symbol.value} {second}", strength
        case Conditional(condition, then, otherwise):
            return f"({write(condition)} -> {_write(then, names)[0]} : {_write(otherwise, names)[0]})", _ATOM
        case ChannelIdentity(channel):
            return channel.name, _ATOM
        case ChannelElement(channels, index):
            return f"{channels[0].name.partition('[')[0]}[{write(index)}]", _ATOM
        case AskChannel(question, channel):
            return f"{question.value}({write(channel)})", _ATOM
        case Poll(channel, patterns, anywhere):
            fields = ", ".join(write_pattern(pattern) for pattern in patterns)
            return f"{write(channel)}{'??' if anywhere else '?'}[{fields}]", _ATOM
        case Timeout():
            return "timeout", _ATOM
        case OwnPid():
            return "_pid", _ATOM
        case ProcessCount():
            return "_nr_pr", _ATOM
        case AtLocation(process, pid, locations):
            which = f"{process.name}[{write(pid)}]" if pid is not None else process.name
            labels = [label for location in locations for label in process.locations[location].labels[:1]]
            label = labels[0] if labels else str(locations[0]) if locations else "unreachable"
            return f"{which}@{label}", _ATOM
        case Accepting():
            return "accept_", _ATOM
        case RemoteRead(process, pid, place):
            which = f"{process.name}[{write(pid)}]" if pid is not None else process.name
            return f"{which}:{write_place(place)}", _ATOM
        case CValue(_, text):
            return f"c_expr {{ {' '.join(text.split())} }}", _ATOM
        case Enabled(pid):
            return f"enabled({write(pid)})", _ATOM
        case ProgramCounter(pid):
            return f"pc_value({write(pid)})", _ATOM
        case Priority(pid):
            return f"get_priority({write(pid)})", _ATOM
        case NoProgress():
            return "np_", _ATOM
