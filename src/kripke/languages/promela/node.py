"""What every syntax node is: an immutable record with a place.

`class Pair(Node)` with annotated fields behaves as a frozen, slotted dataclass would (type checkers are told so), but
costs a fiftieth of it to define: dataclasses spends longer on sixty classes than most models take to check.
`span` is given by keyword and takes no part in comparisons, nor do fields named in `UNCOMPARED`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, dataclass_transform

from kripke.model.source import NOWHERE, Span


def _keyword(*, default: Any, kw_only: bool) -> Any:
    return default


# How the types of fields start that hold no nodes.
_PLAIN = ("str", "int", "bool", "Literal", "tuple[str", "frozenset[str")


@dataclass_transform(frozen_default=True, field_specifiers=(_keyword,))
class NodeType(type):
    """Makes slots of the annotated fields and keeps their defaults."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> NodeType:
        annotations: dict[str, str] = namespace.get("__annotations__", {})
        fields = tuple(n for n, t in annotations.items() if not t.startswith("ClassVar"))
        namespace["DEFAULTS"] = {n: namespace.pop(n) for n in fields if n in namespace}
        namespace["__slots__"] = fields
        namespace["INNER"] = tuple(n for n in fields if not annotations[n].startswith(_PLAIN))
        if bases:
            namespace["__match_args__"] = fields
        return super().__new__(mcs, name, bases, namespace)


class Node(metaclass=NodeType):
    span: Span = _keyword(default=NOWHERE, kw_only=True)

    __match_args__: ClassVar[tuple[str, ...]] = ()
    #: the fields that may hold nodes, alone or in tuples
    INNER: ClassVar[tuple[str, ...]] = ()
    UNCOMPARED: ClassVar[frozenset[str]] = frozenset()

    # The first instance of a class makes the class's own __init__: most runs need few of them.
    if not TYPE_CHECKING:  # type checkers derive __init__ from the fields

        def __init__(self, *values: Any, **named: Any) -> None:
            make: Callable[..., None] = _make_init(type(self))
            make(self, *values, **named)

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"{type(self).__name__}.{name} cannot change: syntax nodes are immutable")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__}.{name} cannot change: syntax nodes are immutable")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, n) == getattr(other, n) for n in self.__match_args__ if n not in self.UNCOMPARED)

    def __hash__(self) -> int:
        return hash((type(self), *(getattr(self, n) for n in self.__match_args__ if n not in self.UNCOMPARED)))

    def __repr__(self) -> str:
        """Short, and valid Python: fields that have their default are left out."""
        defaults: dict[str, Any] = type(self).DEFAULTS  # type: ignore[attr-defined]
        shown = []
        for name in self.__match_args__:
            value = getattr(self, name)
            if name in self.UNCOMPARED or (name in defaults and defaults[name] == value):
                continue
            shown.append(f"{name}={value!r}" if name in defaults else repr(value))
        return f"{type(self).__name__}({', '.join(shown)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (type(self), tuple(getattr(self, n) for n in self.__match_args__), self.span))


def _rebuild(cls: type[Any], values: tuple[Any, ...], span: Span) -> Any:
    return cls(*values, span=span)


def _make_init(cls: type[Any]) -> Callable[..., None]:
    fields: tuple[str, ...] = cls.__match_args__
    scope: dict[str, Any] = {f"default_{n}": v for n, v in cls.DEFAULTS.items()}
    scope.update({f"set_{n}": getattr(cls, n).__set__ for n in (*fields, "span")}, nowhere=NOWHERE)
    parameters = [f"{n}=default_{n}" if n in cls.DEFAULTS else n for n in fields]
    lines = [f"def __init__({', '.join(['self', *parameters])}, *, span=nowhere):"]
    lines += [f"    set_{n}(self, {n})" for n in (*fields, "span")]
    exec("\n".join(lines), scope)
    init: Callable[..., None] = scope["__init__"]
    cls.__init__ = init
    return init


def walk(node: object) -> Iterator[Node]:
    """A node of the syntax tree and everything below it."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if isinstance(current, Node):
            yield current
            for name in current.INNER:
                below = getattr(current, name)
                if below:
                    waiting.append(below)
        elif isinstance(current, tuple):
            waiting.extend(current)
