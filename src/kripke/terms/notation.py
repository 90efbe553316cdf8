"""Terms as text, for people."""

from __future__ import annotations

from kripke.terms.term import Op, Term, parts_first

_SIGNS = {Op.AND: " and ", Op.OR: " or ", Op.EQUAL: " = ", Op.LESS: " < ", Op.ADD: " + ", Op.MULTIPLY: " * "}


def written(term: Term) -> str:
    """In full, with parentheses."""
    texts: dict[int, str] = {}
    for part in parts_first(term):
        texts[id(part)] = _text(part, [texts[id(inner)] for inner in part.args])
    return texts[id(term)].removeprefix("(").removesuffix(")") if term.op in _SIGNS else texts[id(term)]


def _text(term: Term, parts: list[str]) -> str:
    match term.op:
        case Op.CONSTANT:
            return str(term.value).lower()
        case Op.VARIABLE:
            return str(term.value)
        case Op.NOT:
            inner = term.args[0]
            if inner.op is Op.EQUAL:
                return parts[0].replace(" = ", " != ", 1) if parts[0].count(" = ") == 1 else f"not {parts[0]}"
            return f"not {parts[0]}"
        case Op.ITE:
            return f"(if {parts[0]} then {parts[1]} else {parts[2]})"
        case Op.WRAP:
            assert isinstance(term.value, tuple)
            return f"wrap({parts[0]}, {term.value[0]} bits)"
        case op:
            return "(" + _SIGNS.get(op, f" {op.value} ").join(parts) + ")"
