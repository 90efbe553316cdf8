"""Types and their unification.

A channel ``c : Int.Bool`` has the type ``Int => Bool => Event``: dotted with a number and a truth value it yields an
event. A dotted expression is kept as a list until it is known what it yields: in ``c.x`` the name x may stand for both
fields. A dotted *pattern* that begins with a plain name splits a value, and events are not split.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import count

MOST_PARTS = 20_000
MOST_SHOWN = 200  # parts


class TypeMismatch(Exception):
    """Two types do not go together; the message says which."""


class Type:
    __slots__ = ()


_numbers = count(1)


class Var(Type):
    """An unknown type, or with ``rigid`` the name of one that an annotation leaves open.

    ``extends``: what must be dotted to a value of this type, and what that yields, an event or a value of a datatype;
    FDR writes ``a =>* b``.
    """

    __slots__ = ("constraints", "extends", "number", "ref", "rigid")

    def __init__(
        self, constraints: frozenset[str] = frozenset(), rigid: str = "", extends: tuple[Type, Type] | None = None
    ) -> None:
        self.number = next(_numbers)
        self.ref: Type | None = None
        self.constraints = constraints
        self.rigid = rigid
        self.extends = extends


class Con(Type):
    """Int, Bool, Char, Proc, Event, Set, Seq, Map, Tuple, Fun (arguments, result), Dotable (field, result), Data."""

    __slots__ = ("args", "name")

    def __init__(self, name: str, *args: Type) -> None:
        self.name = name
        self.args = args


class Data(Con):
    """A datatype. Two of the same name (of two instances of a module) are different."""

    __slots__ = ("comparable",)

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.comparable = True


class Dot(Type):
    """``split``: a pattern whose first part is a plain name."""

    __slots__ = ("items", "split")

    def __init__(self, items: list[Type], split: bool = False) -> None:
        self.items = items
        self.split = split


INT, BOOL, CHAR, PROC, EVENT = Con("Int"), Con("Bool"), Con("Char"), Con("Proc"), Con("Event")


def set_of(item: Type) -> Con:
    return Con("Set", item)


def seq_of(item: Type) -> Con:
    return Con("Seq", item)


def function(arguments: list[Type], result: Type) -> Con:
    return Con("Fun", *arguments, result)


def chain(fields: list[Type], result: Type) -> Type:
    """``f1 => f2 => result``."""
    for field in reversed(fields):
        result = Con("Dotable", field, result)
    return result


def prune(kind: Type) -> Type:
    while isinstance(kind, Var) and kind.ref is not None:
        kind = kind.ref
    if isinstance(kind, Dot):
        return _simplified(kind)
    return kind


def is_dotable(kind: Type) -> bool:
    return isinstance(kind, Con) and kind.name == "Dotable"


def fields_of(kind: Type) -> tuple[list[Type], Type]:
    """What a chain takes, and what it yields."""
    found: list[Type] = []
    kind = prune(kind)
    while isinstance(kind, Con) and kind.name == "Dotable":
        found.append(kind.args[0])
        kind = prune(kind.args[1])
    return found, kind


def _flat(items: list[Type]) -> list[Type]:
    found: list[Type] = []
    for item in items:
        while isinstance(item, Var) and item.ref is not None:
            item = item.ref
        if isinstance(item, Dot):
            found.extend(_flat(item.items))
        else:
            found.append(item)
    return found


def _simplified(kind: Dot) -> Type:
    items = _reduced(_flat(kind.items))
    return items[0] if len(items) == 1 else Dot(items, kind.split)


def _reduced(items: list[Type]) -> list[Type]:
    """Chains take the fields behind them, as far as these are known."""
    while len(items) > 1:
        head = items[0]
        if not is_dotable(head):
            return [head, *_reduced(items[1:])]
        assert isinstance(head, Con)
        field, result, following = prune(head.args[0]), head.args[1], items[1]
        if isinstance(following, Var):
            return items
        if is_dotable(following) and not is_dotable(field):
            rest = _reduced(items[1:])
            if is_dotable(rest[0]):
                if len(rest) > 1:
                    return [head, *rest]
                inner, yielded = fields_of(rest[0])
                unify(field, yielded)
                return [chain(inner, result)]
            items = [head, *rest]
            following = items[1]
        expected = _flat([field])
        if len(expected) > 1:  # a field that is itself dotted
            items = [chain(expected, result), *items[1:]]
            continue
        unify(field, following)
        items = [prune(result), *items[2:]]
    return items


# ---- unification ----


def unify(left: Type, right: Type) -> None:
    left, right = prune(left), prune(right)
    if left is right:
        return
    if isinstance(left, Var) and not left.rigid:
        _bind(left, right)
    elif isinstance(right, Var) and not right.rigid:
        _bind(right, left)
    elif isinstance(left, Dot) or isinstance(right, Dot):
        if not isinstance(left, Dot):
            left, right = right, left
        assert isinstance(left, Dot)
        _unify_dot(left, right)
    elif isinstance(left, Con) and isinstance(right, Con):
        same = left is right if isinstance(left, Data) or isinstance(right, Data) else left.name == right.name
        if not same or len(left.args) != len(right.args):
            raise _mismatch(left, right)
        if left.name == "Dotable":
            _unify_chains(left, right)
            return
        if left.args:
            _unify_parts(left, right)
    else:
        raise _mismatch(left, right)


class _Progress:
    """Pairs of types that were unified since the outermost call began: types share parts, and each pair is met once."""

    def __init__(self) -> None:
        self.pairs: dict[tuple[int, int], tuple[Type, Type]] = {}
        self.depth = 0


_progress = _Progress()


def _unify_parts(left: Con, right: Con) -> None:
    key = (id(left), id(right))
    if key in _progress.pairs:
        return
    _progress.depth += 1
    try:
        for one, other in zip(left.args, right.args, strict=True):
            unify(one, other)
        _progress.pairs[key] = (left, right)
    finally:
        _progress.depth -= 1
        if not _progress.depth:
            _progress.pairs.clear()


def _unify_chains(left: Con, right: Con) -> None:
    """``a => Event`` and ``Int => Int => Event``: one unknown field may stand for several."""
    mine, its = fields_of(left), fields_of(right)
    one, other = _flat(mine[0]), _flat(its[0])
    if isinstance(mine[1], Var) or isinstance(its[1], Var) or len(one) == len(other):
        size = min(len(one), len(other))
        for a, b in zip(one, other, strict=False):
            unify(a, b)
        unify(chain(one[size:], mine[1]), chain(other[size:], its[1]))
        return
    unify(mine[1], its[1])
    if len(one) > len(other):
        one, other = other, one
    last = one[-1]
    if not isinstance(last, Var) or last.rigid:
        raise _mismatch(left, right)
    for a, b in zip(one[:-1], other, strict=False):
        unify(a, b)
    unify(last, Dot(other[len(one) - 1 :]))


def _mismatch(left: Type, right: Type) -> TypeMismatch:
    return TypeMismatch(f"{show(left)} and {show(right)} do not go together")


def _bind(var: Var, kind: Type) -> None:
    if isinstance(kind, Var):
        if kind.rigid:
            missing = var.constraints - kind.constraints
            if missing:
                raise TypeMismatch(f"{kind.rigid} is any type, but {', '.join(sorted(missing))} is needed of it")
        else:
            kind.constraints |= var.constraints
        var.ref = kind
        if var.extends is not None:
            extend(kind, *var.extends)
        return
    if occurs(var, kind):
        raise TypeMismatch(f"a type would contain itself: {show(var)} and {show(kind)}")
    var.ref = kind
    for constraint in var.constraints:
        require(kind, constraint)
    if var.extends is not None:
        extend(kind, *var.extends)


def extend(kind: Type, fields: Type, yielded: Type) -> None:
    """TypeMismatch unless values of this type, dotted with ``fields``, are ``yielded``; complete ones are already."""
    kind = prune(kind)
    if isinstance(kind, Var):
        if kind.extends is not None:
            unify(kind.extends[0], fields)
            unify(kind.extends[1], yielded)
        elif kind.rigid:
            raise TypeMismatch(f"{kind.rigid} is any type, but an event or a value of a datatype is needed")
        else:
            kind.extends = (fields, yielded)
    elif isinstance(kind, Dot):  # what its parts take is known when they are
        if is_dotable(kind.items[0]):
            unify(yielded, fields_of(kind.items[0])[1])
    elif is_dotable(kind):
        taken, result = fields_of(kind)
        unify(yielded, result)
        unify(fields, taken[0] if len(taken) == 1 else Dot(taken))
    else:
        unify(yielded, kind)


def occurs(var: Var, kind: Type) -> bool:
    return var.number in free(kind)


def _unify_dot(left: Dot, right: Type) -> None:
    """``left`` cannot be reduced further."""
    if isinstance(right, Dot):
        _unify_dots(left, right)
        return
    head = left.items[0]
    if left.split:
        raise TypeMismatch(f"{show(right)} is not split by a pattern such as x.y: name its channel or constructor")
    if is_dotable(head):
        if is_dotable(right):
            _take_one_each(left, right)
        else:
            _complete(left.items, [right])
    elif isinstance(head, Var) and not head.rigid and _yieldable(right):
        _bind(head, chain(left.items[1:], right))
    else:
        raise _mismatch(left, right)


def _yieldable(kind: Type) -> bool:
    return isinstance(kind, Data) or is_dotable(kind) or (isinstance(kind, Con) and kind.name == "Event")


def _take_one_each(left: Dot, right: Type) -> None:
    """Something that is not complete: every part takes one field."""
    kind = left.items[0]
    for item in left.items[1:]:
        kind = prune(kind)
        if not is_dotable(kind):
            raise _mismatch(left, right)
        assert isinstance(kind, Con)
        unify(kind.args[0], item)
        kind = kind.args[1]
    unify(kind, right)


def _unify_dots(left: Dot, right: Dot) -> None:
    for one, other in ((left, right), (right, left)):
        if is_dotable(one.items[0]) and not is_dotable(other.items[0]):
            _complete(one.items, other.items)
            return
    if is_dotable(left.items[0]):
        for each in (left, right):
            _, yielded = fields_of(each.items[0])
            _complete(each.items, [yielded])
        unify(fields_of(left.items[0])[1], fields_of(right.items[0])[1])
        return
    mine, its = left.items, right.items
    size = min(len(mine), len(its))
    for at in range(size - 1):
        unify(mine[at], its[at])
    unify(
        mine[size - 1] if len(mine) == size else Dot(mine[size - 1 :], left.split),
        its[size - 1] if len(its) == size else Dot(its[size - 1 :], right.split),
    )


def _complete(items: list[Type], target: list[Type]) -> None:
    """The fields of a chain from the parts behind it; a last name takes all that are left."""
    fields, yielded = fields_of(items[0])
    unify(yielded, target[0])
    _distribute([*fields, *target[1:]], items[1:])


def _distribute(fields: list[Type], items: list[Type]) -> None:
    fields = _flat(fields)
    at = 0
    while fields:
        if at == len(items):
            raise TypeMismatch(f"fields are missing: {show(Dot(fields) if len(fields) > 1 else fields[0])}")
        item = prune(items[at])
        if isinstance(item, Dot):
            items = [*items[:at], *item.items, *items[at + 1 :]]
            continue
        at += 1
        if isinstance(item, Var) and at == len(items):
            unify(item, fields[0] if len(fields) == 1 else Dot(fields))
            return
        if is_dotable(item) and not is_dotable(prune(fields[0])):
            inner, yielded = fields_of(item)
            unify(fields[0], yielded)
            fields = [*inner, *fields[1:]]
        else:
            unify(fields[0], item)
            fields = fields[1:]
        fields = _flat(fields)
    if at < len(items):
        raise TypeMismatch(f"there is no field left for {show(items[at])}")


# ---- constraints ----


def require(kind: Type, constraint: str, seen: dict[tuple[int, str], Type] | None = None) -> None:
    """TypeMismatch unless the type satisfies Eq, Ord, Set, Complete or Yieldable."""
    kind = prune(kind)
    seen = {} if seen is None else seen
    if (id(kind), constraint) in seen:
        return
    seen[(id(kind), constraint)] = kind
    if isinstance(kind, Var):
        if kind.rigid:
            if constraint not in kind.constraints and constraint != "Complete":
                raise TypeMismatch(f"{kind.rigid} is any type, but {constraint} is needed of it")
        else:
            kind.constraints |= {constraint}
        return
    if isinstance(kind, Dot):
        for item in kind.items:
            if constraint not in ("Complete", "Yieldable"):
                require(item, constraint, seen)
        return
    assert isinstance(kind, Con)
    if constraint == "Yieldable":
        if not isinstance(kind, Data) and kind.name != "Event":
            raise TypeMismatch(f"{show(kind)} is neither an event nor a value of a datatype")
        return
    if constraint == "Complete":
        if kind.name == "Dotable":
            raise TypeMismatch(f"{show(kind)} is not complete: fields are missing")
        return
    if kind.name == "Fun" or (kind.name == "Proc" and constraint != "Set"):
        raise TypeMismatch(f"{show(kind)} cannot be {_DEEDS[constraint]}")
    if isinstance(kind, Data):
        if (constraint == "Eq" and not kind.comparable) or constraint == "Ord":
            raise TypeMismatch(f"{kind.name} cannot be {_DEEDS[constraint]}")
        return
    if constraint == "Ord" and kind.name in ("Event", "Dotable", "Bool"):
        raise TypeMismatch(f"{show(kind)} cannot be ordered")
    for part in kind.args:
        require(part, "Eq" if constraint == "Ord" and kind.name in ("Set", "Seq", "Map") else constraint, seen)


_DEEDS = {"Eq": "compared", "Ord": "ordered", "Set": "a member of a set"}


# ---- schemes ----


class Scheme:
    """A type with variables that stand for any type."""

    __slots__ = ("kind", "variables")

    def __init__(self, variables: list[Var], kind: Type) -> None:
        self.variables = variables
        self.kind = kind

    def instance(self) -> Type:
        if not self.variables:
            return self.kind
        fresh: dict[int, Type] = {}
        for var in self.variables:
            fresh[var.number] = Var(var.constraints)
        for var in self.variables:
            if var.extends is not None:
                fields, yielded = var.extends
                fresh[var.number] = Var(
                    var.constraints, extends=(substitute(fields, fresh), substitute(yielded, fresh))
                )
        return substitute(self.kind, fresh)


def substitute(kind: Type, given: dict[int, Type], known: dict[int, tuple[Type, Type]] | None = None) -> Type:
    """``known``: parts that were met before; types share parts, and are not to be written out."""
    known = {} if known is None else known
    kind = prune(kind)
    if isinstance(kind, Var):
        return given.get(kind.number, kind)
    if id(kind) in known:
        return known[id(kind)][1]
    made: Type = kind
    if isinstance(kind, Dot):
        made = Dot([substitute(item, given, known) for item in kind.items], kind.split)
    elif isinstance(kind, Con) and kind.args:
        made = Con(kind.name, *(substitute(part, given, known) for part in kind.args))
    known[id(kind)] = (kind, made)
    if len(known) > MOST_PARTS:
        raise TypeMismatch(f"a type has more than {MOST_PARTS:,} parts")
    return made


def free(kind: Type, found: dict[int, Var] | None = None, seen: dict[int, Type] | None = None) -> dict[int, Var]:
    found = {} if found is None else found
    seen = {} if seen is None else seen
    kind = prune(kind)
    if id(kind) in seen:
        return found
    seen[id(kind)] = kind
    if isinstance(kind, Var):
        found[kind.number] = kind
        for part in kind.extends or ():
            free(part, found, seen)
    elif isinstance(kind, Con):
        for part in kind.args:
            free(part, found, seen)
    elif isinstance(kind, Dot):
        for part in kind.items:
            free(part, found, seen)
    return found


# ---- words ----


def lettered(kind: Type) -> str:
    """In words that do not depend on what was typed before: unknown types are a, b, c."""
    letters: dict[int, Type] = {}
    for var in free(kind).values():
        letters[var.number] = Var(rigid=var.rigid or _letter(len(letters)))
    for var in free(kind).values():
        if var.extends is not None:
            fields, yielded = var.extends
            letters[var.number] = Var(extends=(substitute(fields, letters), substitute(yielded, letters)))
    return show(substitute(kind, letters))


def _letter(number: int) -> str:
    return "abcdefghijklmnopqrstuvwxyz"[number % 26] + str(number // 26 or "")


def show(kind: Type, room: list[int] | None = None) -> str:
    """In words, as far as a reader would go: types share parts, and written out may have millions."""
    room = [MOST_SHOWN] if room is None else room
    room[0] -= 1
    with suppress(TypeMismatch):  # what does not fit is shown as it was written
        kind = prune(kind)
    if isinstance(kind, Var) and kind.ref is not None:
        return show(kind.ref, room)
    if room[0] < 0:
        return "..."
    if isinstance(kind, Var):
        if kind.extends is not None:
            return " =>* ".join(show(part, room) for part in kind.extends)
        return kind.rigid or f"t{kind.number}"
    if isinstance(kind, Dot):
        return ".".join(show(item, room) for item in kind.items)
    assert isinstance(kind, Con)
    parts = [show(part, room) for part in kind.args]
    match kind.name:
        case "Set":
            return f"{{{parts[0]}}}"
        case "Seq":
            return f"<{parts[0]}>"
        case "Map":
            return f"(| {parts[0]} => {parts[1]} |)"
        case "Tuple":
            return f"({', '.join(parts)})"
        case "Fun":
            return f"({', '.join(parts[:-1])}) -> {parts[-1]}"
        case "Dotable":
            return f"{parts[0]} => {parts[1]}"
    return kind.name
