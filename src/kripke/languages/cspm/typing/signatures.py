"""The types of what every script knows, and of what it asks for with ``external`` or ``transparent``."""

from __future__ import annotations

from kripke.languages.cspm.typing.types import (
    BOOL,
    CHAR,
    EVENT,
    INT,
    PROC,
    Con,
    Scheme,
    Type,
    Var,
    function,
    seq_of,
    set_of,
)


def _tuple(*parts: Type) -> Con:
    return Con("Tuple", *parts)


def _any(*constraints: str) -> Var:
    return Var(frozenset(constraints))


def builtins() -> dict[str, Scheme]:
    found: dict[str, Scheme] = {}

    def known(name: str, kind: Type, *variables: Var) -> None:
        found[name] = Scheme(list(variables), kind)

    for name in ("true", "false", "True", "False"):
        known(name, BOOL)
    for name, kind in (("Int", INT), ("Bool", BOOL), ("Char", CHAR), ("Proc", PROC), ("Events", EVENT)):
        known(name, set_of(kind))
    for name in ("STOP", "SKIP", "DIV"):
        known(name, PROC)
    for name in ("RUN", "CHAOS"):
        known(name, function([set_of(EVENT)], PROC))
    known("WAIT", function([INT], PROC))
    known("timed_priority", function([PROC], PROC))
    pairs = set_of(_tuple(EVENT, EVENT))
    known("BUFFER", function([INT, pairs], PROC))
    known("WEAK_BUFFER", function([INT, EVENT, pairs], PROC))
    known("SIGNAL_BUFFER", function([INT, EVENT, pairs], PROC))
    a = _any("Eq")
    for name in ("union", "inter", "diff"):
        b = _any("Set")
        known(name, function([set_of(b), set_of(b)], set_of(b)), b)
    known("member", function([a, set_of(a)], BOOL), a)
    known("card", function([set_of(a)], INT), a)
    known("seq", function([set_of(a)], seq_of(a)), a)
    known("elem", function([a, seq_of(a)], BOOL), a)
    s = _any("Set")
    known("Union", function([set_of(set_of(s))], set_of(s)), s)
    known("Inter", function([set_of(set_of(s))], set_of(s)), s)
    known("empty", function([set_of(s)], BOOL), s)
    known("set", function([seq_of(s)], set_of(s)), s)
    known("Set", function([set_of(s)], set_of(set_of(s))), s)
    known("Seq", function([set_of(s)], set_of(seq_of(s))), s)
    v = _any()
    known("null", function([seq_of(v)], BOOL), v)
    known("length", function([seq_of(v)], INT), v)
    known("head", function([seq_of(v)], v), v)
    known("tail", function([seq_of(v)], seq_of(v)), v)
    known("concat", function([seq_of(seq_of(v))], seq_of(v)), v)
    known("error", function([seq_of(CHAR)], v), v)
    known("show", function([v], seq_of(CHAR)), v)
    k, m = _any("Set"), _any()
    mapping = Con("Map", k, m)
    known("emptyMap", mapping, k, m)
    known("mapFromList", function([seq_of(_tuple(k, m))], mapping), k, m)
    known("mapLookup", function([mapping, k], m), k, m)
    known("mapMember", function([mapping, k], BOOL), k, m)
    known("mapToList", function([mapping], seq_of(_tuple(k, m))), k, m)
    known("mapUpdate", function([mapping, k, m], mapping), k, m)
    known("mapUpdateMultiple", function([mapping, seq_of(_tuple(k, m))], mapping), k, m)
    known("mapDelete", function([mapping, k], mapping), k, m)
    images = _any("Set")
    known("Map", function([set_of(k), set_of(images)], set_of(Con("Map", k, images))), k, images)
    fields, yielded = _any(), _any("Yieldable")
    beginning = Var(extends=(fields, yielded))
    known("productions", function([beginning], set_of(yielded)), beginning, fields, yielded)
    known("extensions", function([beginning], set_of(fields)), beginning, fields, yielded)
    return found


def imports() -> dict[str, Scheme]:
    """By name; every compression takes a process and gives one."""
    from kripke.languages.cspm.operators import COMPRESSIONS

    found = {
        name: Scheme([], function([PROC], PROC)) for name in (*COMPRESSIONS, "chase", "chase_nocache", "loop", "deter")
    }
    a, b = _any("Eq"), _any("Eq")
    relation = set_of(_tuple(a, b))
    found["transpose"] = Scheme([a, b], function([relation], set_of(_tuple(b, a))))
    found["relational_image"] = Scheme([a, b], function([relation], function([a], set_of(b))))
    found["relational_inverse_image"] = Scheme([a, b], function([relation], function([b], set_of(a))))
    found["mtransclose"] = Scheme([a], function([set_of(_tuple(a, a)), set_of(a)], set_of(_tuple(a, a))))
    order = function([PROC, seq_of(set_of(EVENT))], PROC)
    found["prioritise"] = found["prioritise_nocache"] = Scheme([], order)
    events = set_of(EVENT)
    found["prioritisepo"] = Scheme([], function([PROC, events, set_of(_tuple(EVENT, EVENT)), events], PROC))
    found["trace_watchdog"] = found["failure_watchdog"] = Scheme([], function([PROC, events, EVENT], PROC))
    return found
