"""From claims about a network and a specification to a symmetry that a search can use.

The paper's three algorithms differ in how a representative is found and in what is asked of the specification:

    SymCheck1   sorts; every exchange of two values must exchange whole parts; every node of the specification symmetric
    SymCheck2   takes the least image under all permutations; every node of the specification symmetric
    SymCheck3   the same, and permutes the node of the specification, too; the specification symmetric as a whole
"""

from __future__ import annotations

from collections.abc import Sequence

from kripke.algebra.network import Network, Rule
from kripke.algebra.symmetry.claims import Claim, EventPermutation
from kripke.algebra.symmetry.group import MOST_PERMUTATIONS, NoExchange, Tables, closed, exchange
from kripke.algebra.symmetry.matching import Asymmetric, Matcher, Matching
from kripke.algebra.symmetry.ranking import ranked, value_moves, with_values
from kripke.algebra.symmetry.specification import node_images
from kripke.model.assertions import SpecificationTable
from kripke.model.permutation_symmetry import (
    UNCHANGED,
    Component,
    Exchange,
    Permutation,
    PermutationSymmetry,
    Ranking,
)


def symmetry_of_network(
    network: Network, table: SpecificationTable | None, claims: Sequence[Claim], components: Sequence[Component]
) -> PermutationSymmetry | str:
    """``components``: where the states of the leaves are and, with a specification, its node. A sentence where a claim
    is not shown, or nothing can be done with it."""
    if not claims:
        return "no symmetry is claimed: say which values or events may change places, with --symmetric"
    tables = Tables()
    generators: list[Permutation] = []
    #: of sets of values whose permutations are all claimed: how many there are, and their generators
    counts: list[int] = []
    of_sets: list[list[Permutation]] = []
    universal = True
    exchanges: list[Exchange] = []
    no_sorting = ""
    matcher = Matcher(network)
    for claim in claims:
        own: list[Permutation] = []
        for generator in claim.generators:
            try:
                made = _generator(network, table, matcher, generator, tables)
            except Asymmetric as why:
                return f"the claim {claim.words} is not shown: by {generator.words}, {why}"
            own.append(made)
        if table is not None and any(one.tables[-1] != UNCHANGED for one in own):
            universal = False
        if all(one.is_identity() for one in own):
            continue
        generators += own
        if claim.all_of >= 2:
            counts.append(claim.all_of)
            of_sets.append(own)
        else:
            no_sorting = no_sorting or f"{claim.words} is a single permutation"
            continue
        try:
            # Of two values the exchange is all there is.
            exchanges.append(exchange(tables, own[0], own[-1], claim.all_of))
        except NoExchange as why:
            no_sorting = no_sorting or str(why)
    if not generators:
        return "the claimed permutations change nothing in this process"
    sizes = [len(leaf.states) for leaf in network.leaves] + ([] if table is None else [len(table.after)])
    group, ranking = closed(tables, generators), None
    if group and len(generators) == sum(map(len, of_sets)):
        moved = [value_moves(counts, which, len(own)) for which, own in enumerate(of_sets)]
        both = zip(of_sets, moved, strict=True)
        with_them = [with_values(*pair) for own, moves in both for pair in zip(own, moves, strict=True)]
        found = ranked(tables, with_them, counts, sizes)
        if found is not None:
            group, ranking = found
    return _chosen(tables, group, ranking, exchanges, no_sorting, universal, components, sizes)


def _chosen(
    tables: Tables,
    group: list[Permutation],
    ranking: Ranking | None,
    exchanges: list[Exchange],
    no_sorting: str,
    universal: bool,
    components: Sequence[Component],
    sizes: Sequence[int],
) -> PermutationSymmetry | str:
    positions = [position for one in exchanges for row in one.rows for position in row]
    if not no_sorting and len(set(positions)) != len(positions):
        no_sorting = "two claims move the same part"
    if not no_sorting and not universal:
        no_sorting = "the specification is symmetric, but not in every one of its states"
    notes: list[str] = []
    if not no_sorting:
        usual, name = "sort", "SymCheck1"
    else:
        if not group:
            return (
                f"there are more than {MOST_PERMUTATIONS:,} permutations to list, and sorting does not do: {no_sorting}"
            )
        usual, name = "canonical", "SymCheck2" if universal else "SymCheck3"
        notes.append(f"SymCheck1 does not apply: {no_sorting}")
        if not universal:
            notes.append("SymCheck2 does not apply: the specification is not symmetric in every one of its states")
    size = f"{len(group):,}" if group else f"more than {MOST_PERMUTATIONS:,}"
    notes.insert(0, f"searched with symmetry by {name}, {size} permutations")
    methods = tuple(name for name, good in (("sort", not no_sorting), ("canonical", bool(group))) if good)
    return PermutationSymmetry(
        components=tuple(components),
        tables=tuple(tables.rows),
        permutations=tuple(group[1:]),
        exchanges=tuple(exchanges) if not no_sorting else (),
        order=tuple(sorted(range(len(components)), key=lambda position: (-sizes[position], position))),
        methods=methods,
        usual=usual,
        other_methods=(
            f"sorting, SymCheck1, does not apply: {no_sorting}"
            if no_sorting
            else f"this network takes {' or '.join(methods)}"
        ),
        left_out=tuple(notes),
        ranking=ranking,
    )


def _generator(
    network: Network,
    table: SpecificationTable | None,
    matcher: Matcher,
    permuted: EventPermutation,
    tables: Tables,
) -> Permutation:
    found = matcher.match(network.root, network.root, permuted)
    _confirm(network, found, permuted)
    count = len(network.leaves)
    sources, renumbering = [0] * count, [UNCHANGED] * count
    for leaf, to in found.leaves.items():
        sources[to] = leaf
        renumbering[to] = tables.number(found.states[leaf])
    if table is not None:
        sources.append(count)
        renumbering.append(tables.number(node_images(table, permuted)))
    return Permutation(tuple(sources), tuple(renumbering))


def _confirm(network: Network, found: Matching, permuted: EventPermutation) -> None:
    """A second look, at the compiled rules: all of them must be mapped to each other."""
    rules = set(network.rules)
    if sorted(found.leaves) != list(range(len(network.leaves))) or sorted(found.leaves.values()) != sorted(
        found.leaves
    ):
        raise Asymmetric("not every part becomes another one")
    for rule in rules:
        moves = tuple(sorted((found.leaves[leaf], _image(found, leaf, event)) for leaf, event in rule.moves))
        if Rule(moves, permuted(rule.event)) not in rules:
            name = network.world.events.name
            raise Asymmetric(f"parts that do {name(rule.event)} together do not do {name(permuted(rule.event))} alike")


def _image(found: Matching, leaf: int, event: int) -> int:
    return event if event < 0 else found.events[leaf](event)
