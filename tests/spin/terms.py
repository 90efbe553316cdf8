"""Random expressions, message arguments and the names they are made of.

Subscripts are always in range, divisors are never zero, and values assigned to wide variables are kept small.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from random import Random

SIGNED = ("short", "int")
_MTYPES = ("red", "green", "blue")
_SUBSCRIPT = re.compile(r"\[(?!\d+\])")
_BYTES = ("byte", "pid", "short", "int")
# Variables that hold every value of a field: when SPIN takes a receive back, it restores the message from the variable.
_RECEIVERS = {
    "bit": _BYTES,
    "bool": _BYTES,
    "byte": _BYTES,
    "pid": _BYTES,
    "short": ("short", "int"),
    "int": ("int",),
    "mtype": ("mtype",),
}


@dataclass
class Line:
    """A line of the program, with what is nested below it and the line that closes it."""

    text: str
    children: list[Line] = field(default_factory=list)
    closing: str = ""

    def show(self, indent: int = 0) -> list[str]:
        shown = ["    " * indent + self.text]
        for child in self.children:
            shown += child.show(indent + 1)
        if self.closing:
            shown.append("    " * indent + self.closing)
        return shown


def text_of(lines: list[Line]) -> str:
    """The program as text."""
    return "\n".join(row for line in lines for row in line.show()) + "\n"


@dataclass
class Struct:
    name: str
    fields: list[Variable] = field(default_factory=list)

    def leaves(self) -> list[str]:
        """The types of the fields, inner structures taken apart."""
        found: list[str] = []
        for part in self.fields:
            found += part.struct.leaves() if part.struct else [part.type]
        return found

    def is_flat(self) -> bool:
        """No arrays and no bits inside, so that it can be sent."""
        return all(f.size is None and not f.width and (f.struct is None or f.struct.is_flat()) for f in self.fields)


@dataclass
class Variable:
    """A variable or a field of a structure."""

    name: str
    type: str
    struct: Struct | None = None
    size: int | None = None
    width: int | None = None

    def declaration(self) -> str:
        type_ = self.struct.name if self.struct else self.type
        width = f" : {self.width}" if self.width else ""
        count = f"[{self.size}]" if self.size else ""
        return f"{type_} {self.name}{width}{count}"


@dataclass(frozen=True)
class Signature:
    """The fields of a message: types, structures, channels of a signature."""

    fields: tuple[str | Struct | Signature, ...]

    def __hash__(self) -> int:
        return id(self)

    def leaves(self) -> list[str]:
        """The fields with structures taken apart."""
        found: list[str] = []
        for item in self.fields:
            found += item.leaves() if isinstance(item, Struct) else ["chan" if isinstance(item, Signature) else item]
        return found

    def text(self) -> str:
        names = []
        for item in self.fields:
            names.append(item if isinstance(item, str) else item.name if isinstance(item, Struct) else "chan")
        return ", ".join(names)


@dataclass
class Channel:
    """A channel, an array of them, or a variable that holds one; capacity -1: not known."""

    name: str
    signature: Signature
    capacity: int
    size: int | None = None
    variable: bool = False

    def declaration(self) -> str:
        return f"chan {self.name}"


class Scope:
    """What can be named at a place of the program."""

    def __init__(self, parent: Scope | None) -> None:
        self.parent = parent
        self.variables: list[Variable] = []
        self.channels: list[Channel] = []
        self.frozen: list[str] = parent.frozen if parent is not None else []

    def all_variables(self) -> list[Variable]:
        outer = self.parent.all_variables() if self.parent is not None else []
        own = {variable.name for variable in self.variables}
        return [variable for variable in outer if variable.name not in own] + self.variables

    def all_channels(self) -> list[Channel]:
        outer = self.parent.all_channels() if self.parent is not None else []
        return outer + self.channels


class Terms:
    """Makes expressions for one program."""

    def __init__(self, random: Random, features: Collection[str]) -> None:
        self.random = random
        self.features = features

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    # --- places -------------------------------------------------------------------------------------------------------

    def place(
        self, scope: Scope, *, types: tuple[str, ...] | None = None, small: bool = False, plain: bool = False
    ) -> tuple[str, str] | None:
        """The text and type of some scalar that may be written. ``small``: with few values; ``plain``: just a name."""
        for _ in range(12):
            variables = scope.all_variables()
            if not variables:
                return None
            variable = self.random.choice(variables)
            text, type_ = self._part(variable, scope)
            if text in scope.frozen:
                continue
            if text.count(variable.name) > 1:
                continue  # a[a[0]] = 1: SPIN takes it back with the new subscript
            if plain and ("[" in text or "." in text):
                continue
            if types is not None and type_ not in types:
                continue
            if small and type_ not in ("bit", "bool", "unsigned", "byte"):
                continue
            if small and type_ == "byte" and not self.chance(0.3):
                continue
            return text, type_
        return None

    def _part(self, variable: Variable, scope: Scope) -> tuple[str, str]:
        text = variable.name
        if variable.size:
            text += f"[{self.subscript(variable.size, scope)}]"
        if variable.struct is None:
            return text, variable.type
        rest, type_ = self._part(self.random.choice(variable.struct.fields), scope)
        return f"{text}.{rest}", type_

    def subscript(self, size: int, scope: Scope) -> str:
        """An index below ``size``."""
        if size == 1:
            return "0"
        if self.chance(0.5):
            return str(self.random.randrange(size))
        if size in (2, 4):
            return f"({self.expression(scope, 0)}) & {size - 1}"
        unsigned = [v for v in scope.all_variables() if not v.size and v.type in ("byte", "bit", "bool", "pid")]
        if unsigned and self.chance(0.7):
            return f"{self.random.choice(unsigned).name} % {size}"
        return "_pid % 3" if size == 3 and self.chance(0.0) else str(self.random.randrange(size))

    # --- expressions --------------------------------------------------------------------------------------------------

    def constant(self) -> str:
        if self.chance(0.85):
            return str(self.random.randint(0, 3))
        return str(self.random.choice((-1, -2, 255, 256, 7, 100)))

    def expression(self, scope: Scope, depth: int) -> str:
        """Any integer."""
        if depth <= 0 or self.chance(0.3):
            return self._leaf(scope)
        kind = self.random.choice(("arithmetic", "arithmetic", "bits", "divide", "compare", "unary", "conditional"))
        left = self.expression(scope, depth - 1)
        if kind == "arithmetic":
            return self._joined(left, self.random.choice("+-*"), self.expression(scope, depth - 1))
        if kind == "bits":
            operator = self.random.choice(("&", "|", "^", "<<", ">>"))
            if operator in ("<<", ">>"):
                return f"(({left}) {operator} {self.random.randint(0, 2)})"
            return self._joined(left, operator, self.expression(scope, depth - 1))
        if kind == "divide":
            return f"({left} {self.random.choice('/%')} {self.random.choice((1, 2, 3, '(-2)'))})"
        if kind == "compare":
            return self._joined(left, self._comparison(), self.expression(scope, depth - 1))
        if kind == "unary":
            return f"{self.random.choice(('-', '~', '!'))}({left})"
        test = self.condition(scope, queries=False)
        return f"({test} -> {left} : {self.expression(scope, depth - 1)})"

    def _joined(self, left: str, operator: str, right: str) -> str:
        """With brackets, or without, so that precedence is tested too."""
        return f"{left} {operator} {right}" if self.chance(0.3) else f"({left} {operator} {right})"

    def _comparison(self) -> str:
        return self.random.choice(("<", "<=", ">", ">=", "==", "!="))

    def _leaf(self, scope: Scope) -> str:
        variables = scope.all_variables()
        if variables and self.chance(0.65):
            variable = self.random.choice(variables)
            # A subscript inside a subscript inside ... has to end somewhere.
            if variable.size and variable.size > 1 and self.chance(0.5):
                return self.constant()
            return self._part(variable, scope)[0]
        if self.chance(0.12):
            return "_pid" if scope.parent else "_nr_pr"  # outside a process there is no pid
        if self.chance(0.05):
            return "_nr_pr"
        if "last" in self.features and self.chance(0.3):
            return "_last"
        channels = scope.all_channels()
        if channels and self.chance(0.15):
            return f"len({self.channel(self.random.choice(channels), scope)})"
        return self.constant()

    def bounded(self, scope: Scope, depth: int) -> str:
        """An integer of few values."""
        if self.chance(0.35):
            return self.constant()
        text = self.expression(scope, depth)
        return f"({text}) {self.random.choice(('% 2', '% 3', '& 1', '& 3'))}"

    def value(self, type_: str, scope: Scope) -> str:
        """Something to assign to a variable of this type."""
        if type_ == "mtype":
            others = [v.name for v in scope.all_variables() if v.type == "mtype" and not v.size]
            return self.random.choice((*_MTYPES, *others))
        if type_ in ("bit", "bool", "unsigned") and self.chance(0.5):
            return self.expression(scope, 2)
        if type_ == "byte" and self.chance(0.05):
            return self.expression(scope, 1)
        return self.bounded(scope, self.random.randint(0, 2))

    def condition(self, scope: Scope, *, queries: bool = True) -> str:
        """Something that is true now and then."""
        kind = self.random.random()
        channels = scope.all_channels()
        if queries and channels and kind < 0.2:
            return self._query(scope, self.random.choice(channels))
        if kind < 0.3:
            return f"({self.condition(scope, queries=False)} || {self.condition(scope, queries=False)})"
        if kind < 0.35:
            return f"!({self.condition(scope, queries=False)})"
        if kind < 0.42:
            return f"({self.expression(scope, 1)})"
        if kind < 0.47:
            return self.random.choice(("true", "(1)", "(1 == 1)", "(0)", "(1 > 2)"))
        mtypes = [v.name for v in scope.all_variables() if v.type == "mtype" and not v.size]
        if mtypes and kind < 0.55:
            return f"({self.random.choice(mtypes)} {self.random.choice(('==', '!='))} {self.random.choice(_MTYPES)})"
        left = self.expression(scope, self.random.randint(0, 2))
        return f"({left} {self._comparison()} {self.random.choice((self.constant(), self.expression(scope, 0)))})"

    def _query(self, scope: Scope, channel: Channel) -> str:
        name = self.channel(channel, scope)
        kind = self.random.choice(("empty", "nempty", "full", "nfull", "len", "poll", "poll"))
        if channel.capacity <= 0 and kind == "poll":
            kind = "len"  # to poll a rendezvous channel is an error in SPIN
        if kind == "poll":
            operator = self.random.choice(("?", "??"))
            return f"{name}{operator}[{self._arguments(scope, channel.signature, peek=True)}]"
        if kind == "len":
            return f"(len({name}) {self._comparison()} {self.random.randint(0, 2)})"
        text = f"{kind}({name})"
        if self.chance(0.25):
            return f"({text} && {self.condition(scope, queries=False)})"
        return text

    # --- channels -----------------------------------------------------------------------------------------------------

    def channel(self, channel: Channel, scope: Scope) -> str:
        if channel.size is None:
            return channel.name
        # No variable: SPIN would take a receive into it back from another channel; no length for the same reason.
        index = (
            f"_pid & {channel.size - 1}" if scope.parent and self.chance(0.3) else self.random.randrange(channel.size)
        )
        return f"{channel.name}[{index}]"

    def channel_of(self, signature: Signature, scope: Scope) -> str | None:
        """Some channel for such messages."""
        found = [c for c in scope.all_channels() if c.signature is signature]
        return self.channel(self.random.choice(found), scope) if found else None

    def send(self, scope: Scope, channel: Channel | None = None, name: str | None = None) -> str:
        channel = channel or self.random.choice(scope.all_channels())
        operator = "!!" if "sorted" in self.features and self.chance(0.4) else "!"
        values: list[str] = []
        for item in channel.signature.fields:
            if isinstance(item, Struct):
                values.append(self._struct(item, scope) or "?")
            elif isinstance(item, Signature):
                values.append(self.channel_of(item, scope) or "?")
            elif operator == "!!" and item != "mtype":
                # SPIN sorts by the values before they are cut to the size of the fields.
                values.append(f"({self.expression(scope, 1)}) & 1")
            else:
                values.append(self.value(item, scope))
        if "?" in values:
            return "skip"
        # The blank keeps `q! !x` from becoming a sorted send.
        return f"{name or self.channel(channel, scope)}{operator} {self._list(values)}"

    def _list(self, values: list[str]) -> str:
        if len(values) > 1 and self.chance(0.2):
            return f"{values[0]}({', '.join(values[1:])})"
        return ", ".join(values)

    def _struct(self, struct: Struct, scope: Scope) -> str | None:
        found = [v for v in scope.all_variables() if v.struct is struct]
        if not found:
            return None
        variable = self.random.choice(found)
        return f"{variable.name}[{self.subscript(variable.size, scope)}]" if variable.size else variable.name

    def receive(self, scope: Scope) -> str:
        channel = self.random.choice(scope.all_channels())
        operator = "?"
        if "sorted" in self.features and self.chance(0.4):
            operator = "??"
        arguments = self._arguments(scope, channel.signature, peek=False)
        if "?" in arguments:
            return "skip"
        # Peeking at a rendezvous channel is an error in SPIN.
        if channel.capacity > 0 and self.chance(0.15):
            arguments = f"<{arguments}>"
        return f"{self.channel(channel, scope)}{operator}{arguments}"

    def _arguments(self, scope: Scope, signature: Signature, *, peek: bool) -> str:
        values: list[str] = []
        taken: set[str] = set()
        for item in signature.fields:
            if isinstance(item, Struct):
                name = self._struct(item, scope)
                if name is None or name in taken:
                    return "?"
                taken.add(name)
                values.append(name)
            elif isinstance(item, Signature):
                variables = [c.name for c in scope.all_channels() if c.variable and c.signature is item]
                variables = [name for name in variables if name not in taken]
                if variables and self.chance(0.8):
                    taken.add(variables[0])
                    values.append(variables[0])
                else:
                    values.append("_")
            else:
                values.append(self._argument(scope, item, taken))
        return ", ".join(values)

    def _argument(self, scope: Scope, type_: str, taken: set[str]) -> str:
        kind = self.random.random()
        if kind < 0.5:
            place = self.place(scope, types=_RECEIVERS[type_])
            if place is not None and _SUBSCRIPT.search(place[0]):
                return "_"  # q?i, a[i]: SPIN takes it back with the new subscript
            name = re.split(r"[\[.]", place[0])[0] if place is not None else ""
            if place is not None and name not in taken:
                taken.add(name)
                return place[0]
            return "_"
        if kind < 0.65:
            return "_"
        if kind < 0.85:
            return self.random.choice(_MTYPES) if type_ == "mtype" else str(self.random.randint(0, 2))
        # Neither a channel's length nor a variable of the same receive: SPIN restores the message from the expression.
        kinds = ("mtype",) if type_ == "mtype" else ("bit", "bool", "byte", "short", "int", "unsigned", "pid")
        names = [v.name for v in scope.all_variables() if v.type in kinds and not v.size and v.name not in taken]
        if not names:
            return "eval(_pid)"
        name = self.random.choice(names)
        taken.add(name)
        return f"eval({name})" if type_ == "mtype" or self.chance(0.5) else f"eval(({name} + 1) % 3)"
