"""Markings as the bytes of a state, the same in the interpreter and in compiled nets.

Bits, the least significant of each byte first. Constant and implicit places take none. A place has the number of its
tokens (in as few bits as its capacity needs), how many of them are distinct, and for each in descending multiplicity
how many there are, in the bits that what is left over needs, and the index of the value.
"""

from __future__ import annotations

from kripke.nets.high_level.evaluation import Marking, Tokens
from kripke.nets.high_level.net import HighLevelNet, Place
from kripke.nets.high_level.types import Ranges

#: numbers of tokens of a place without a capacity: (bits of the prefix, prefix, first number, bits that follow)
COUNT_CODES = ((1, 0b0, 0, 0), (2, 0b01, 1, 3), (3, 0b011, 9, 8), (4, 0b0111, 265, 16), (4, 0b1111, 65801, 32))
LONGEST = 1 << 14  # bytes; a longer state is an error of the step that leads to it
_COUNT_BITS = 36


def bit_length(number: int) -> int:
    """Bits that tell so many things apart."""
    return (number - 1).bit_length() if number > 0 else 0


def set_size(ranges: Ranges) -> int:
    return sum(high - low + 1 for low, high in ranges)


def empty_bit(capacity: Ranges) -> bool:
    """Has the place one bit that tells empty from not?"""
    return bit_length(set_size(capacity)) > 2 and capacity[0][0] == 0


def longest(net: HighLevelNet) -> int:
    """Bytes of the longest state, or the limit if that is less."""
    total = 0
    for number in net.stored:
        place = net.places[number]
        most = (1 << 32) if place.capacity is None else place.capacity[-1][1]
        distinct = min(most, place.type.count)
        total += _COUNT_BITS + 32 + distinct * (min(bit_length(most), 32) + place.type.bits)
        if total > LONGEST * 8:
            return LONGEST
    return max(1, (total + 7) // 8)


class _Writer:
    def __init__(self) -> None:
        self.bits = 0
        self.length = 0

    def put(self, number: int, width: int) -> None:
        self.bits |= number << self.length
        self.length += width


class _Reader:
    def __init__(self, state: bytes) -> None:
        self.bits = int.from_bytes(state, "little")

    def get(self, width: int) -> int:
        number = self.bits & ((1 << width) - 1)
        self.bits >>= width
        return number


def encode(net: HighLevelNet, marking: Marking) -> bytes:
    """The bytes of a marking whose places keep their capacities."""
    writer = _Writer()
    for number in net.stored:
        _encode_place(writer, net.places[number], marking[number])
    return writer.bits.to_bytes(max(1, (writer.length + 7) // 8), "little")


def _encode_place(writer: _Writer, place: Place, tokens: Tokens) -> None:
    total = sum(tokens.values())
    capacity = place.capacity
    if capacity is None:
        for width, prefix, first, follow in reversed(COUNT_CODES):
            if total >= first:
                writer.put(prefix, width)
                writer.put(total - first, follow)
                break
    else:
        if empty_bit(capacity):
            writer.put(int(total > 0), 1)
        if total or not empty_bit(capacity):
            writer.put(_position(capacity, total), bit_length(set_size(capacity)))
    if not total:
        return
    kinds = len(tokens)
    writer.put(kinds - 1, bit_length(total))
    type_ = place.type
    for count, index in sorted((-count, type_.index(value)) for value, count in tokens.items()):
        low, high = -(-total // kinds), total - kinds + 1
        writer.put(-count - low, bit_length(high - low + 1))
        writer.put(index, type_.bits)
        total, kinds = total + count, kinds - 1


def _position(ranges: Ranges, number: int) -> int:
    before = 0
    for low, high in ranges:
        if low <= number <= high:
            return before + number - low
        before += high - low + 1
    raise ValueError(number)


def _number(ranges: Ranges, position: int) -> int:
    for low, high in ranges:
        if position <= high - low:
            return low + position
        position -= high - low + 1
    raise ValueError(position)


def decode(net: HighLevelNet, state: bytes) -> Marking:
    """The stored places of a state; the others are left empty."""
    reader = _Reader(state)
    marking: Marking = [{} for _ in net.places]
    for number in net.stored:
        _decode_place(reader, net.places[number], marking[number])
    return marking


def _decode_place(reader: _Reader, place: Place, tokens: Tokens) -> None:
    total = _decode_count(reader, place.capacity)
    if not total:
        return
    kinds = reader.get(bit_length(total)) + 1
    type_ = place.type
    while kinds:
        low, high = -(-total // kinds), total - kinds + 1
        count = low + reader.get(bit_length(high - low + 1))
        tokens[type_.value(reader.get(type_.bits))] = count
        total, kinds = total - count, kinds - 1


def _decode_count(reader: _Reader, capacity: Ranges | None) -> int:
    if capacity is None:
        ones = 0
        while ones < 4 and reader.get(1):
            ones += 1
        _, _, first, follow = COUNT_CODES[ones]
        return first + reader.get(follow)
    if empty_bit(capacity) and not reader.get(1):
        return 0
    return _number(capacity, reader.get(bit_length(set_size(capacity))))
