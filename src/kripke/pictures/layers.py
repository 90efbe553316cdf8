"""A graph in layers (K. Sugiyama, S. Tagawa, M. Toda, IEEE Trans. SMC 11, 1981).

Cycles are broken, every node gets a layer, long edges are cut into pieces by nodes that are not seen, the order within
the layers is chosen so that few edges cross (E. Gansner, E. Koutsofios, S. North, K.-P. Vo, "A technique for drawing
directed graphs", IEEE TSE 19, 1993: medians and exchanges of neighbours), and coordinates are such that long edges are
straight (U. Brandes, B. Köpf, "Fast and simple horizontal coordinate assignment", GD 2001). A label is a node on its
edge: so there is always room for it.
"""

from __future__ import annotations

from bisect import bisect, insort
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor
from typing import NamedTuple

Item = Hashable
_SWEEPS = 24


class Size(NamedTuple):
    """Across: within a layer. Along: from layer to layer."""

    across: float
    along: float


class Place(NamedTuple):
    across: float
    along: float


class Link(NamedTuple):
    """An edge to be drawn; ``label`` is the room its label needs, (0, 0) for none."""

    source: Item
    target: Item
    label: Size = Size(0, 0)


@dataclass(frozen=True, slots=True)
class Layout:
    """Centres of nodes, for every link the points it goes through, and the centre of its label. Links from a node to
    itself are left to whoever draws."""

    nodes: Mapping[Item, Place]
    ways: Mapping[int, tuple[Place, ...]]
    labels: Mapping[int, Place]
    across: float
    along: float


def lay_out(sizes: Mapping[Item, Size], links: Sequence[Link], *, gap: float = 24, layer_gap: float = 34) -> Layout:
    """Nodes in the order of ``sizes``: the first ones come first where there is a choice."""
    straight = {index: link for index, link in enumerate(links) if link.source != link.target}
    turned = _back_edges(sizes, straight)
    layer_of = _layers(sizes, straight, turned)
    graph = _Pieces(sizes, straight, turned, layer_of)
    graph.order()
    across = _coordinates(graph, gap)
    return graph.laid_out(across, layer_gap)


def _ends(link: Link, turned: bool) -> tuple[Item, Item]:
    return (link.target, link.source) if turned else (link.source, link.target)


def _back_edges(sizes: Mapping[Item, Size], links: Mapping[int, Link]) -> set[int]:
    """Links that must be turned round for the graph to have no cycle: those back to where a search came from."""
    out: dict[Item, list[int]] = {item: [] for item in sizes}
    into: dict[Item, int] = dict.fromkeys(sizes, 0)
    for index, link in links.items():
        out[link.source].append(index)
        into[link.target] += 1
    turned: set[int] = set()
    done: set[Item] = set()
    on_path: set[Item] = set()
    for start in (*(item for item in sizes if not into[item]), *sizes):
        if start in done:
            continue
        done.add(start)
        on_path.add(start)
        stack = [(start, iter(out[start]))]
        while stack:
            item, rest = stack[-1]
            following = next(rest, None)
            if following is None:
                on_path.discard(item)
                stack.pop()
                continue
            target = links[following].target
            if target in on_path:
                turned.add(following)
            elif target not in done:
                done.add(target)
                on_path.add(target)
                stack.append((target, iter(out[target])))
    return turned


def _layers(sizes: Mapping[Item, Size], links: Mapping[int, Link], turned: set[int]) -> dict[Item, int]:
    """As near to the first layer as possible, then towards what follows where that makes edges shorter."""
    before: dict[Item, list[Item]] = {item: [] for item in sizes}
    after: dict[Item, list[Item]] = {item: [] for item in sizes}
    for index, link in links.items():
        first, second = _ends(link, index in turned)
        after[first].append(second)
        before[second].append(first)
    waiting = {item: len(before[item]) for item in sizes}
    ready = [item for item in sizes if not waiting[item]]
    layer = dict.fromkeys(sizes, 0)
    ordered: list[Item] = []
    for item in ready:  # the list grows while we walk along it
        ordered.append(item)
        for target in after[item]:
            layer[target] = max(layer[target], layer[item] + 1)
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)
    for item in reversed(ordered):
        if after[item] and len(after[item]) > len(before[item]):
            layer[item] = max(layer[item], min(layer[target] for target in after[item]) - 1)
    return layer


class _Piece(NamedTuple):
    """A node that is not seen, on the way of a link."""

    link: int
    layer: int


class _Pieces:
    """The graph with long links cut up: from here on every edge leads to the next layer. Nodes have even layers, so
    that every link has a piece in a layer of labels."""

    def __init__(
        self, sizes: Mapping[Item, Size], links: Mapping[int, Link], turned: set[int], layer_of: Mapping[Item, int]
    ) -> None:
        self.links = links
        self.turned = turned
        self.sizes: dict[Item, Size] = dict(sizes)
        self.layers: list[list[Item]] = [[] for _ in range(2 * max(layer_of.values(), default=0) + 1)]
        self.after: dict[Item, list[Item]] = {item: [] for item in sizes}
        self.before: dict[Item, list[Item]] = {item: [] for item in sizes}
        self.chains: dict[int, list[Item]] = {}
        for item in sizes:
            self.layers[2 * layer_of[item]].append(item)
        for index, link in links.items():
            first, second = _ends(link, index in turned)
            chain = [first]
            low, high = 2 * layer_of[first], 2 * layer_of[second]
            middle = (low + high) // 4 * 2 + 1
            for level in range(low + 1, high):
                piece = _Piece(index, level)
                self.sizes[piece] = link.label if level == min(middle, high - 1) else Size(0, 0)
                self.after[piece], self.before[piece] = [], []
                self.layers[level].append(piece)
                chain.append(piece)
            chain.append(second)
            self.chains[index] = chain
            for one, other in pairwise(chain):
                self.after[one].append(other)
                self.before[other].append(one)

    # --- the order within layers --------------------------------------------------------------------------------------

    def order(self) -> None:
        self._first_order()
        best, fewest = [list(layer) for layer in self.layers], self.crossings()
        for sweep in range(_SWEEPS):
            if not fewest:
                break
            down = sweep % 2 == 0
            self._medians(down)
            self._exchange()
            count = self.crossings()
            if count < fewest:
                best, fewest = [list(layer) for layer in self.layers], count
        self.layers = best

    def _first_order(self) -> None:
        """Depth first from the first layer: what belongs together begins together."""
        seen: dict[Item, None] = {}
        stack = [item for layer in reversed(self.layers) for item in reversed(layer)]
        while stack:
            item = stack.pop()
            if item in seen:
                continue
            seen[item] = None
            stack.extend(reversed(self.after[item]))
        place = {item: number for number, item in enumerate(seen)}
        for layer in self.layers:
            layer.sort(key=place.__getitem__)

    def _medians(self, down: bool) -> None:
        levels = range(1, len(self.layers)) if down else range(len(self.layers) - 2, -1, -1)
        around = self.before if down else self.after
        for level in levels:
            fixed = self.layers[level - 1 if down else level + 1]
            place = {item: number for number, item in enumerate(fixed)}
            layer = self.layers[level]
            middle = {
                item: _median(sorted(place[other] for other in around[item])) if around[item] else number
                for number, item in enumerate(layer)
            }
            layer.sort(key=middle.__getitem__)

    def _exchange(self) -> None:
        """Neighbours change places where that saves crossings."""
        for _ in range(4):
            better = False
            for level, layer in enumerate(self.layers):
                places = [
                    {item: number for number, item in enumerate(self.layers[near])}
                    if 0 <= near < len(self.layers)
                    else {}
                    for near in (level - 1, level + 1)
                ]
                for at in range(len(layer) - 1):
                    one, other = layer[at], layer[at + 1]
                    if self._cross(one, other, places) > self._cross(other, one, places):
                        layer[at], layer[at + 1] = other, one
                        better = True
            if not better:
                return

    def _cross(self, left: Item, right: Item, places: Sequence[Mapping[Item, int]]) -> int:
        count = 0
        for around, place in zip((self.before, self.after), places, strict=True):
            for one in around[left]:
                count += sum(place[other] < place[one] for other in around[right])
        return count

    def crossings(self) -> int:
        total = 0
        for upper, lower in pairwise(self.layers):
            place = {item: number for number, item in enumerate(lower)}
            ends: list[int] = []
            for item in upper:
                targets = sorted(place[other] for other in self.after[item])
                total += sum(len(ends) - bisect(ends, target) for target in targets)
                for target in targets:
                    insort(ends, target)
        return total

    # --- what comes out -----------------------------------------------------------------------------------------------

    def laid_out(self, across: Mapping[Item, float], layer_gap: float) -> Layout:
        centre: dict[Item, Place] = {}
        edge = 0.0
        least = min((across[item] - self.sizes[item].across / 2 for item in across), default=0.0)
        for level, layer in enumerate(self.layers):
            depth = max((self.sizes[item].along for item in layer), default=0.0)
            for item in layer:
                centre[item] = Place(across[item] - least, edge + depth / 2)
            edge += depth + (layer_gap / 2 if level < len(self.layers) - 1 else 0)
        ways = {}
        for index, chain in self.chains.items():
            points = [centre[item] for item in chain]
            ways[index] = tuple(reversed(points) if index in self.turned else points)
        labels = {item.link: centre[item] for item in centre if isinstance(item, _Piece) and self.sizes[item] != (0, 0)}
        width = max((centre[item].across + self.sizes[item].across / 2 for item in centre), default=0.0)
        nodes = {item: place for item, place in centre.items() if not isinstance(item, _Piece)}
        return Layout(nodes, ways, labels, width, edge)


def _median(places: Sequence[int]) -> float:
    """Of an even number, nearer to where the places are denser."""
    middle = len(places) // 2
    if len(places) % 2:
        return places[middle]
    if len(places) == 2:
        return sum(places) / 2
    left, right = places[middle - 1] - places[0], places[-1] - places[middle]
    return (places[middle - 1] * right + places[middle] * left) / (left + right) if left + right else places[middle]


# --- coordinates ------------------------------------------------------------------------------------------------------


def _coordinates(graph: _Pieces, gap: float) -> dict[Item, float]:
    """The middle of four alignments: to the upper or lower neighbours, as far left or right as possible."""
    conflicts = _conflicts(graph)
    found: list[dict[Item, float]] = []
    for up in (False, True):
        layers = graph.layers[::-1] if up else graph.layers
        around = graph.after if up else graph.before
        for right in (False, True):
            ordered = [layer[::-1] for layer in layers] if right else layers
            root = _aligned(ordered, around, conflicts)
            across = _compacted(ordered, root, lambda one, other: _apart(graph.sizes, one, other, gap))
            found.append({item: -x if right else x for item, x in across.items()})
    if not found[0]:
        return {}
    widths = [max(x.values()) - min(x.values()) for x in found]
    narrow = found[widths.index(min(widths))]
    for number, across in enumerate(found):
        pick: Callable[[Iterable[float]], float] = max if number % 2 else min
        shift = pick(narrow.values()) - pick(across.values())
        for item in across:
            across[item] += shift
    return {item: sum(sorted(x[item] for x in found)[1:3]) / 2 for item in found[0]}


def _apart(sizes: Mapping[Item, Size], one: Item, other: Item, gap: float) -> float:
    seen = sizes[one].across > 0 and sizes[other].across > 0
    return (sizes[one].across + sizes[other].across) / 2 + (gap if seen else gap / 2)


def _conflicts(graph: _Pieces) -> set[tuple[Item, Item]]:
    """Edges that cross a piece of a long link, which is to be straight."""
    found: set[tuple[Item, Item]] = set()
    for upper, lower in pairwise(graph.layers):
        place = {item: number for number, item in enumerate(upper)}
        first, scanned = 0, 0
        for number, item in enumerate(lower):
            inner = None
            if isinstance(item, _Piece):
                inner = next((place[other] for other in graph.before[item] if isinstance(other, _Piece)), None)
            if inner is None and number < len(lower) - 1:
                continue
            last = len(upper) if inner is None else inner
            for other in lower[scanned : number + 1]:
                for neighbour in graph.before[other]:
                    at = place[neighbour]
                    if (at < first or at > last) and not (isinstance(neighbour, _Piece) and isinstance(other, _Piece)):
                        found.add((neighbour, other))
            scanned, first = number + 1, last
    return found


def _aligned(
    layers: Sequence[Sequence[Item]], around: Mapping[Item, Sequence[Item]], conflicts: set[tuple[Item, Item]]
) -> dict[Item, Item]:
    """Of every node, the first of the block of nodes that are to stand in one line."""
    root = {item: item for layer in layers for item in layer}
    align = dict(root)
    place = {item: number for layer in layers for number, item in enumerate(layer)}
    for layer in layers:
        last = -1
        for item in layer:
            near = sorted(around[item], key=place.__getitem__)
            middle = (len(near) - 1) / 2
            for at in range(floor(middle), ceil(middle) + 1) if near else ():
                other = near[at]
                free = align[item] == item and (other, item) not in conflicts and (item, other) not in conflicts
                if free and last < place[other]:
                    align[other] = item
                    root[item] = align[item] = root[other]
                    last = place[other]
    return root


def _compacted(
    layers: Sequence[Sequence[Item]], root: Mapping[Item, Item], apart: Callable[[Item, Item], float]
) -> dict[Item, float]:
    """Blocks as far left as their neighbours allow, then right again where there is room for nothing."""
    distance: dict[Item, dict[Item, float]] = {block: {} for block in root.values()}
    for layer in layers:
        for one, other in pairwise(layer):
            to = distance[root[one]]
            to[root[other]] = max(to.get(root[other], 0.0), apart(one, other))
    waiting = dict.fromkeys(distance, 0)
    for to in distance.values():
        for block in to:
            waiting[block] += 1
    ordered = [block for block, count in waiting.items() if not count]
    at = dict.fromkeys(distance, 0.0)
    for block in ordered:  # the list grows while we walk along it
        for other, least in distance[block].items():
            at[other] = max(at[other], at[block] + least)
            waiting[other] -= 1
            if not waiting[other]:
                ordered.append(other)
    for block in reversed(ordered):
        if distance[block]:
            at[block] = max(at[block], min(at[other] - least for other, least in distance[block].items()))
    return {item: at[block] for item, block in root.items()}
