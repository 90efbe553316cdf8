"""Symmetry of a specification in normal form."""

from __future__ import annotations

from kripke.algebra.symmetry.claims import EventPermutation
from kripke.algebra.symmetry.matching import Asymmetric
from kripke.model.assertions import SpecificationTable


def minimised(table: SpecificationTable) -> SpecificationTable:
    """Equal nodes become one: then a symmetry is seen as a permutation of the nodes."""
    demands = (
        [frozenset(own) for own in table.demands] if table.demands is not None else [frozenset()] * len(table.after)
    )
    blocks = _numbered([(demands[node], node in table.chaotic) for node in range(len(table.after))])
    while True:
        following = _numbered(
            [
                (blocks[node], frozenset((event, blocks[to]) for event, to in own.items()))
                for node, own in enumerate(table.after)
            ]
        )
        if max(following) == max(blocks):
            break
        blocks = following
    # Node 0 is the initial one: blocks are numbered as they are met.
    members = {block: node for node, block in reversed(list(enumerate(blocks)))}
    order = [members[block] for block in range(len(members))]
    return SpecificationTable(
        [{event: blocks[to] for event, to in table.after[node].items()} for node in order],
        None if table.demands is None else [table.demands[node] for node in order],
        frozenset(blocks[node] for node in table.chaotic),
    )


def _numbered(keys: list[tuple[object, ...]]) -> list[int]:
    known: dict[tuple[object, ...], int] = {}
    return [known.setdefault(key, len(known)) for key in keys]


def node_images(table: SpecificationTable, permuted: EventPermutation) -> tuple[int, ...]:
    """The node that every node becomes; Asymmetric where the specification does not become itself."""
    image = [-1] * len(table.after)
    image[0] = 0
    pending = [0]
    for node in pending:
        to = image[node]
        if (node in table.chaotic) != (to in table.chaotic) or not _same_demands(table, node, to, permuted):
            raise Asymmetric("the specification demands other events after a trace than after the permuted one")
        its = table.after[to]
        if len(its) != len(table.after[node]):
            raise Asymmetric("the specification allows other events after a trace than after the permuted one")
        for event, following in table.after[node].items():
            reached = its.get(permuted(event))
            if reached is None:
                raise Asymmetric("the specification allows other events after a trace than after the permuted one")
            if image[following] < 0:
                image[following] = reached
                pending.append(following)
            elif image[following] != reached:
                raise Asymmetric("the specification goes on differently after a trace than after the permuted one")
    return tuple(to if to >= 0 else node for node, to in enumerate(image))


def _same_demands(table: SpecificationTable, node: int, to: int, permuted: EventPermutation) -> bool:
    if table.demands is None:
        return True
    mine = {frozenset(map(permuted, demand)) for demand in table.demands[node]}
    return mine == set(table.demands[to])
