"""Pieces of PNML for tests."""

from __future__ import annotations

HEAD = '<?xml version="1.0"?>\n<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">'
KINDS = "http://www.pnml.org/version-2009/grammar/"


def pnml(body: str, kind: str = "ptnet") -> str:
    """One net with one page; the body starts in line 3."""
    return f'{HEAD}<net id="n" type="{KINDS}{kind}"><page id="page">\n{body}\n</page></net></pnml>\n'


def place(identifier: str, initial: int | str = 0) -> str:
    return f'<place id="{identifier}"><initialMarking><text>{initial}</text></initialMarking></place>'


def arc(source: str, target: str, weight: int | str = 1) -> str:
    return (
        f'<arc id="{source}-{target}" source="{source}" target="{target}">'
        f"<inscription><text>{weight}</text></inscription></arc>"
    )


def transition(identifier: str) -> str:
    return f'<transition id="{identifier}"/>'


# --- coloured nets ----------------------------------------------------------------------------------------------------


def usersort(name: str) -> str:
    return f'<usersort declaration="{name}"/>'


def enumeration(identifier: str, *elements: str, kind: str = "cyclicenumeration") -> str:
    constants = "".join(f'<feconstant id="{name}" name="{name}"/>' for name in elements)
    return f'<namedsort id="{identifier}" name="{identifier}"><{kind}>{constants}</{kind}></namedsort>'


def product(identifier: str, *sorts: str) -> str:
    inside = "".join(map(usersort, sorts))
    return f'<namedsort id="{identifier}" name="{identifier}"><productsort>{inside}</productsort></namedsort>'


def variable(identifier: str, sort: str) -> str:
    return f'<variabledecl id="{identifier}" name="{identifier}">{usersort(sort)}</variabledecl>'


def declarations(*texts: str) -> str:
    return f"<declaration><structure><declarations>{''.join(texts)}</declarations></structure></declaration>"


def op(tag: str, *terms: str) -> str:
    return f"<{tag}>" + "".join(f"<subterm>{term}</subterm>" for term in terms) + f"</{tag}>"


def var(name: str) -> str:
    return f'<variable refvariable="{name}"/>'


def const(name: str) -> str:
    return f'<useroperator declaration="{name}"/>'


def times(number: int, term: str) -> str:
    return op("numberof", f'<numberconstant value="{number}"><positive/></numberconstant>', term)


def all_of(sort: str) -> str:
    return f"<all>{usersort(sort)}</all>"


def coloured_place(identifier: str, sort: str, initial: str | None = None) -> str:
    marking = "" if initial is None else f"<hlinitialMarking><structure>{initial}</structure></hlinitialMarking>"
    return f'<place id="{identifier}"><type><structure>{usersort(sort)}</structure></type>{marking}</place>'


def coloured_transition(identifier: str, guard: str | None = None) -> str:
    condition = "" if guard is None else f"<condition><structure>{guard}</structure></condition>"
    return f'<transition id="{identifier}">{condition}</transition>'


def coloured_arc(source: str, target: str, term: str) -> str:
    return (
        f'<arc id="{source}-{target}" source="{source}" target="{target}">'
        f"<hlinscription><structure>{term}</structure></hlinscription></arc>"
    )
