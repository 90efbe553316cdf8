"""Where the numbers of a network's leaves lie in its states.

A leaf of six states takes three bits. Fields do not cross a word of 64 bits, so that compiled code reads and writes one
with a shift and a mask. Leaves that move together lie side by side: the halves of a state are then as independent of
each other as can be, and a store that shares halves of states has few of them (native/stores/tree_store.h).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kripke.algebra.network import Network, Rule

WORD = 64


@dataclass(frozen=True, slots=True)
class Field:
    """``bit``: where it begins; ``bits``: how many it has."""

    bit: int
    bits: int


class StateLayout:
    """The fields of the leaves by their numbers, and last that of the specification, if there is one.

    ``in_bytes``: every field has whole bytes, as exchanges of leaves need it.
    """

    def __init__(self, sizes: Sequence[int], order: Iterable[int], *, in_bytes: bool) -> None:
        fields: list[Field] = [Field(0, 0)] * len(sizes)
        at = 0
        for number in order:
            bits = (sizes[number] - 1).bit_length()
            if in_bytes:
                bits = 8 * (1 if bits <= 8 else 2 if bits <= 16 else 4)
            if at % WORD + bits > WORD:
                at += WORD - at % WORD
            fields[number] = Field(at, bits)
            at += bits
        self.fields = fields
        self.bytes = max(1, (at + 7) // 8)
        self.words = (self.bytes + 7) // 8

    def encode(self, numbers: Iterable[int]) -> bytes:
        word = 0
        for number, field in zip(numbers, self.fields, strict=True):
            word |= number << field.bit
        return word.to_bytes(self.bytes, "little")

    def decode(self, state: bytes) -> tuple[int, ...]:
        word = int.from_bytes(state, "little")
        return tuple(word >> field.bit & (1 << field.bits) - 1 for field in self.fields)


def layout_of(network: Network, nodes: int, *, in_bytes: bool) -> StateLayout:
    """``nodes``: those of the specification beside the network, 0 if there is none."""
    sizes = [len(leaf.states) for leaf in network.leaves]
    order = list(range(len(sizes))) if in_bytes else neighbours_together(len(sizes), network.rules)
    if nodes:
        order.append(len(sizes))
        sizes.append(nodes)
    return StateLayout(sizes, order, in_bytes=in_bytes)


def neighbours_together(count: int, rules: Iterable[Rule]) -> list[int]:
    """The leaves so that those who move together are near each other: the next is the one with most rules in common
    with those before it, those of long ago counting less."""
    common: list[dict[int, int]] = [{} for _ in range(count)]
    for rule in rules:
        movers = [leaf for leaf, _ in rule.moves]
        if len(movers) > 8:  # all together: says nothing about who is near whom
            continue
        for one in movers:
            for other in movers:
                if one != other:
                    common[one][other] = common[one].get(other, 0) + 1
    order: list[int] = []
    left = dict.fromkeys(range(count))
    pull = [0.0] * count
    while left:
        # From a leaf with few partners one goes round a ring, or along a chain.
        chosen = max(left, key=lambda leaf: (pull[leaf], -len(common[leaf]), -leaf))
        del left[chosen]
        order.append(chosen)
        if count <= 512:
            pull = [amount / 2 for amount in pull]
        for other, weight in common[chosen].items():
            pull[other] += weight
    return order
