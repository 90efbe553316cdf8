"""The layout in layers: nothing overlaps, edges go where they should, few of them cross."""

from __future__ import annotations

from itertools import combinations, pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from kripke.pictures.layers import Layout, Link, Place, Size, lay_out

LABEL = Size(40, 12)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[dict[int, Size], list[Link]]:
    count = draw(st.integers(1, 12))
    numbers = st.integers(0, count - 1)
    sizes = {n: Size(draw(st.integers(10, 90)), draw(st.integers(10, 40))) for n in range(count)}
    ends = draw(st.lists(st.tuples(numbers, numbers, st.booleans()), max_size=20))
    return sizes, [Link(a, b, LABEL if labelled else Size(0, 0)) for a, b, labelled in ends]


def boxes(layout: Layout, sizes: dict[int, Size]) -> list[tuple[Place, Size]]:
    return [(layout.nodes[n], size) for n, size in sizes.items()] + [(at, LABEL) for at in layout.labels.values()]


@settings(max_examples=150, deadline=None)
@given(graphs())
def test_nothing_overlaps_and_everything_is_inside(graph: tuple[dict[int, Size], list[Link]]) -> None:
    sizes, links = graph
    layout = lay_out(sizes, links)  # type: ignore[arg-type]
    for at, size in boxes(layout, sizes):
        assert at.across - size.across / 2 >= -1e-6 and at.across + size.across / 2 <= layout.across + 1e-6
        assert at.along - size.along / 2 >= -1e-6 and at.along + size.along / 2 <= layout.along + 1e-6
    for (a, one), (b, other) in combinations(boxes(layout, sizes), 2):
        apart = abs(a.across - b.across) >= (one.across + other.across) / 2 - 1e-6
        above = abs(a.along - b.along) >= (one.along + other.along) / 2 - 1e-6
        assert apart or above


@settings(max_examples=100, deadline=None)
@given(graphs())
def test_links_lead_from_layer_to_layer(graph: tuple[dict[int, Size], list[Link]]) -> None:
    sizes, links = graph
    layout = lay_out(sizes, links)  # type: ignore[arg-type]
    for index, link in enumerate(links):
        if link.source == link.target:
            assert index not in layout.ways
            continue
        way = layout.ways[index]
        assert (way[0], way[-1]) == (layout.nodes[link.source], layout.nodes[link.target])
        signs = {b.along > a.along for a, b in pairwise(way)}
        assert len(signs) == 1  # up or down all the way
        assert (index in layout.labels) == (link.label != (0, 0))
        if index in layout.labels:
            assert layout.labels[index] in way


def crossings(layout: Layout) -> int:
    """Of straight pieces between the same two layers."""
    pieces = {tuple(sorted(piece, key=lambda p: p.along)) for way in layout.ways.values() for piece in pairwise(way)}
    return sum(
        (a.across - c.across) * (b.across - d.across) < -1e-6
        for (a, b), (c, d) in combinations(pieces, 2)
        if a.along == c.along and b.along == d.along
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 30), min_size=1, max_size=25), st.randoms(use_true_random=False))
def test_trees_have_no_crossings(parents: list[int], mixed: object) -> None:
    links = [Link(parent % (child + 1), child + 1) for child, parent in enumerate(parents)]
    mixed.shuffle(links)  # type: ignore[attr-defined]
    layout = lay_out({n: Size(20, 20) for n in range(len(parents) + 1)}, links)
    assert crossings(layout) == 0


def test_a_diamond_is_symmetric_and_a_long_edge_straight() -> None:
    sizes = {name: Size(20, 20) for name in "abcde"}
    layout = lay_out(sizes, [Link("a", "b"), Link("a", "c"), Link("b", "d"), Link("c", "d"), Link("d", "e")])
    at = layout.nodes
    assert at["a"].across == at["d"].across == at["e"].across
    assert abs(at["b"].across + at["c"].across - 2 * at["a"].across) < 1e-6
    chain = [Link("a", "b"), Link("b", "c"), Link("c", "d"), Link("d", "e"), Link("a", "e")]
    way = lay_out(sizes, chain).ways[4]
    assert len({place.across for place in way[1:-1]}) == 1


def test_the_cube_gets_few_crossings() -> None:
    links = [Link(n, n | 1 << bit) for n in range(8) for bit in range(3) if not n >> bit & 1]
    assert crossings(lay_out({n: Size(20, 20) for n in range(8)}, links)) <= 4
