#include "stores/numbering.h"

#include "memory/bits.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>

namespace kripke {

namespace {

using Digit = NumberShape::Digit;
using Unit = NumberShape::Unit;
using Kind = NumberShape::Kind;
using Wide = NumberShape::Wide;

uint32_t read_bytes(const uint8_t *at, uint32_t size) {
    if (size == 1)
        return *at;
    if (size == 2) {
        uint16_t value;
        std::memcpy(&value, at, sizeof value);
        return value;
    }
    uint32_t value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

void write_bytes(uint8_t *at, uint32_t size, uint32_t value) {
    if (size == 1) {
        *at = static_cast<uint8_t>(value);
    } else if (size == 2) {
        const auto half = static_cast<uint16_t>(value);
        std::memcpy(at, &half, sizeof half);
    } else {
        std::memcpy(at, &value, sizeof value);
    }
}

/* A value as it lies in a state: one byte has the lowest bits, more have the sign as well. */
uint32_t written(const Digit &digit, int64_t value) {
    const uint32_t width = digit.size == 1 ? digit.bits : 8u * digit.size;
    return static_cast<uint32_t>(static_cast<uint64_t>(value) & ((uint64_t{1} << width) - 1));
}

/* The number of the value that lies there among those of its type; false where it is none of them. */
inline bool index_of(const Digit &digit, const uint8_t *state, uint64_t &index) {
    const uint32_t content = read_bytes(state + digit.offset, digit.size);
    int64_t value = content;
    if (digit.is_signed) {
        const uint32_t unused = 64u - digit.bits;
        value = static_cast<int64_t>(static_cast<uint64_t>(content) << unused) >> unused;
        if (written(digit, value) != content)
            return false;
    }
    if (value >= digit.low && value <= digit.high) [[likely]] {
        index = static_cast<uint64_t>(value - digit.low);
        return true;
    }
    uint64_t before = 0;
    for (const auto &[low, high] : *digit.ranges) {
        if (value < low)
            return false;
        if (value <= high) {
            index = before + static_cast<uint64_t>(value - low);
            return true;
        }
        before += static_cast<uint64_t>(high - low) + 1;
    }
    return false;
}

inline int64_t value_of(const Digit &digit, uint64_t index) {
    if (index <= static_cast<uint64_t>(digit.high - digit.low)) [[likely]]
        return digit.low + static_cast<int64_t>(index);
    for (const auto &[low, high] : *digit.ranges) {
        const auto span = static_cast<uint64_t>(high - low);
        if (index <= span)
            return low + static_cast<int64_t>(index);
        index -= span + 1;
    }
    assert(false && "there is no such value");
    return 0;
}

/* The lowest digit of a number, and what is left of it. */
inline uint64_t take(const Digit &digit, uint64_t &left) {
    if (digit.is_power) { /* most are */
        const uint64_t index = left & (digit.base - 1);
        left >>= digit.width;
        return index;
    }
    auto quotient = static_cast<uint64_t>(Wide{left} * digit.inverse >> 64);
    uint64_t index = left - quotient * digit.base;
    if (index >= digit.base) {
        index -= digit.base;
        ++quotient;
    }
    left = quotient;
    return index;
}

/* Of a digit of a slot that is empty: are the bytes 0, as they must be? */
bool is_empty(const Digit &digit, const uint8_t *state) { return read_bytes(state + digit.offset, digit.size) == 0; }

uint32_t length_in(const Unit &unit, const uint8_t *state) { return read_bytes(state + unit.begin, unit.length_bytes); }

} // namespace

// ---- Shapes -----------------------------------------------------------------

NumberShape::NumberShape(const ValueRanges &values, const std::vector<uint32_t> &processes, uint32_t suffix_bytes,
                         uint32_t own_number)
    : number(own_number), length(values.globals.bytes), suffix(suffix_bytes), front(suffix > 1 ? (suffix + 7) / 8 : 0),
      groups(0), shift(bits_of(own_number) + (suffix == 1 ? 8 : 0)) {
    add_block(values.globals, 0, false);
    for (const uint32_t process : processes) {
        const ValueRanges::Block &frame = values.processes[process];
        add_block(frame, length, true);
        length += frame.bytes;
    }
    unit_of.assign(length, no_unit);
    std::vector<bool> known(length);
    for (uint32_t i = 0; i < units.size(); ++i) {
        std::fill(unit_of.begin() + units[i].begin, unit_of.begin() + units[i].end, i);
        std::fill_n(known.begin() + units[i].begin, units[i].length_bytes, true);
        for (uint32_t d = units[i].first_digit; d < units[i].last_digit; ++d)
            std::fill_n(known.begin() + digits[d].offset, digits[d].size, true);
    }
    for (uint32_t byte = 0; byte < length; ++byte)
        if (!known[byte])
            uncovered.push_back(byte);
    length += suffix;

    double all = 0;
    for (const Digit &digit : digits)
        all += std::log2(static_cast<double>(digit.base));
    bits = static_cast<uint32_t>(std::ceil(all - 1e-9));
    auto count = static_cast<uint32_t>((all + shift) / 64) + 1;
    count += (front + count) % 2;
    while (!weigh(count))
        count += 2;
}

void NumberShape::add_block(const ValueRanges::Block &block, uint32_t at, bool is_frame) {
    bool first = is_frame;
    for (const ValueRanges::Scalar &scalar : block.scalars) {
        const auto here = static_cast<uint32_t>(digits.size());
        add_digit(scalar, at, 0, Kind::plain);
        units.push_back({at + scalar.offset, at + scalar.offset + scalar.size, here, here + 1, 0, 0, 0, first});
        first = false;
    }
    for (const ValueRanges::Queue &queue : block.queues) {
        const auto here = static_cast<uint32_t>(digits.size());
        const uint32_t begin = at + queue.offset, messages = begin + queue.length_bytes;
        for (uint32_t slot = 0; slot < queue.capacity; ++slot)
            for (size_t i = 0; i < queue.fields.size(); ++i)
                add_digit(queue.fields[i], messages + slot * queue.message_bytes, slot, i == 0 ? Kind::first : Kind::rest);
        units.push_back({begin, messages + queue.capacity * queue.message_bytes, here, static_cast<uint32_t>(digits.size()),
                         queue.length_bytes, queue.capacity, static_cast<uint32_t>(queue.fields.size()), false});
    }
}

void NumberShape::add_digit(const ValueRanges::Scalar &scalar, uint32_t at, uint32_t slot, Kind kind) {
    uint64_t base = kind == Kind::first ? 1 : 0;
    for (const auto &[low, high] : scalar.ranges)
        base += static_cast<uint64_t>(high - low) + 1;
    const bool is_power = std::has_single_bit(base);
    const auto width = static_cast<uint8_t>(std::bit_width(base) - 1);
    const uint64_t inverse = is_power ? 0 : static_cast<uint64_t>((Wide{1} << 64) / base);
    const auto [low, high] = scalar.ranges.front();
    digits.push_back({at + scalar.offset, slot, static_cast<uint8_t>(scalar.size), static_cast<uint8_t>(scalar.bits),
                      scalar.is_signed, is_power, width, kind, 0, 0, base, inverse, low, high, &scalar.ranges});
}

/* Is there room for it in a group of this size: for the whole message, if it begins one that can lie in one group? */
bool NumberShape::fits(uint32_t digit, Wide size) const {
    constexpr Wide full = Wide{1} << 64;
    if (size * digits[digit].base > full)
        return false;
    Wide message = digits[digit].base;
    for (uint32_t i = digit + 1; digits[digit].kind == Kind::first && i < digits.size() && digits[i].kind == Kind::rest; ++i) {
        message *= digits[i].base;
        if (message > full)
            return true;
    }
    return message <= full / size;
}

/* Put the digits into so many groups; false where they do not fit. */
bool NumberShape::weigh(uint32_t count) {
    groups = count;
    sizes.clear();
    first_of.assign(1, 0);
    double all = shift, so_far = 0;
    for (const Digit &digit : digits)
        all += std::log2(static_cast<double>(digit.base));
    Wide size = count == 1 ? Wide{1} << shift : 1;
    const auto close = [&](uint32_t next) {
        sizes.push_back(static_cast<uint64_t>(size));
        first_of.push_back(next);
        size = sizes.size() + 1 == groups ? Wide{1} << shift : 1;
    };
    for (uint32_t i = 0; i < digits.size(); ++i) {
        const bool last = sizes.size() + 1 == groups;
        const bool enough = so_far >= all * static_cast<double>(sizes.size() + 1) / groups;
        if (!fits(i, size) || (enough && !last && digits[i].kind != Kind::rest)) {
            if (last)
                return false;
            close(i);
        }
        digits[i].group = front + static_cast<uint32_t>(sizes.size());
        digits[i].weight = static_cast<uint64_t>(size);
        size *= digits[i].base;
        so_far += std::log2(static_cast<double>(digits[i].base));
        if (size > Wide{1} << 64) /* the last group's own bits leave too little */
            return false;
    }
    while (sizes.size() < groups)
        close(static_cast<uint32_t>(digits.size()));

    together_with.resize(groups);
    for (uint32_t i = 0; i < groups; ++i)
        together_with[i] = i;
    for (uint32_t g = 1; g < groups; ++g)
        if (first_of[g] < digits.size() && digits[first_of[g]].kind == Kind::rest)
            together_with[g] = together_with[g - 1];
    return true;
}

const NumberShape *NumberShapes::of(const std::vector<uint32_t> &processes) {
    const std::lock_guard lock(mutex_);
    const auto [found, fresh] = numbers_.try_emplace(processes, static_cast<uint32_t>(shapes_.size()) + 1);
    if (fresh) {
        if (found->second >= most_shapes) {
            numbers_.erase(found);
            return nullptr;
        }
        shapes_.push_back(std::make_unique<NumberShape>(values_, processes, suffix_, found->second));
        bits_.store(std::max(bits(), shapes_.back()->bits), std::memory_order_relaxed);
    }
    return shapes_[found->second - 1].get();
}

const NumberShape *NumberShapes::numbered(uint32_t number) {
    const std::lock_guard lock(mutex_);
    return shapes_[number - 1].get();
}

// ---- From states to words ---------------------------------------------------

/* Null where its processes cannot be told. */
const NumberShape *Numberer::shape_of(const uint8_t *state, uint32_t length) {
    const ValueRanges &values = shapes_.values();
    if (!shapes_.knows_values() || length < shapes_.suffix())
        return nullptr;
    const uint32_t end = length - shapes_.suffix();
    size_t count = 0;
    bool same = last_ != nullptr;
    uint32_t at = values.globals.bytes;
    while (at < end) {
        if (end - at < values.control_bytes)
            return last_ = nullptr;
        const uint32_t control = read_bytes(state + at, values.control_bytes);
        if (control >= values.process_of.size())
            return last_ = nullptr;
        const uint32_t process = values.process_of[control];
        if (count == processes_.size())
            processes_.push_back(process), same = false;
        same &= processes_[count] == process;
        processes_[count++] = process;
        at += values.processes[process].bytes;
    }
    if (at != end)
        return last_ = nullptr;
    if (same && count == processes_.size())
        return last_;
    processes_.resize(count);
    const auto [found, fresh] = known_.try_emplace(processes_);
    if (fresh)
        found->second = shapes_.of(processes_);
    return last_ = found->second;
}

bool Numberer::add(const NumberShape &shape, const Unit &unit, const uint8_t *state, uint64_t *to) {
    const uint32_t filled = unit.length_bytes == 0 ? 0 : length_in(unit, state);
    if (filled > unit.capacity)
        return false;
    for (uint32_t i = unit.first_digit; i < unit.last_digit; ++i) {
        const Digit &digit = shape.digits[i];
        uint64_t index;
        if (digit.kind != Kind::plain && digit.slot >= filled) {
            if (!is_empty(digit, state))
                return false;
            continue;
        }
        if (!index_of(digit, state, index))
            return false;
        to[digit.group] += digit.weight * (index + (digit.kind == Kind::first));
    }
    return true;
}

/* The state before is known to fit. */
bool Numberer::change(const NumberShape &shape, const Unit &unit, const uint8_t *before, const uint8_t *state,
                      uint64_t *to) {
    uint32_t filled = 0, filled_before = 0, last = unit.last_digit;
    if (unit.length_bytes != 0) {
        filled = length_in(unit, state);
        filled_before = length_in(unit, before);
        if (filled > unit.capacity)
            return false;
        last = unit.first_digit + std::max(filled, filled_before) * unit.fields;
        uint8_t content = 0;
        const uint32_t used = std::max(filled, filled_before);
        const uint32_t slot_bytes = (unit.end - unit.begin - unit.length_bytes) / unit.capacity;
        for (uint32_t byte = unit.begin + unit.length_bytes + used * slot_bytes; byte < unit.end; ++byte)
            content |= state[byte];
        if (content != 0)
            return false;
    }
    for (uint32_t i = unit.first_digit; i < last; ++i) {
        const Digit &digit = shape.digits[i];
        const bool plain = digit.kind == Kind::plain;
        uint64_t index = 0, old = 0;
        if (plain || digit.slot < filled) {
            if (!index_of(digit, state, index))
                return false;
            index += digit.kind == Kind::first;
        } else if (!is_empty(digit, state)) {
            return false;
        }
        if (plain || digit.slot < filled_before) {
            index_of(digit, before, old);
            old += digit.kind == Kind::first;
        }
        to[digit.group] += digit.weight * (index - old);
    }
    return true;
}

void Numberer::put_suffix(const NumberShape &shape, const uint8_t *state, uint64_t *to) {
    const uint8_t *const suffix = state + shape.length - shape.suffix;
    uint64_t &last = to[shape.words() - 1];
    if (shape.suffix == 1) {
        const uint32_t below = shape.shift - 8;
        last = (last & ~(uint64_t{255} << below)) | uint64_t{*suffix} << below;
    } else if (shape.suffix > 1) {
        to[shape.front - 1] = 0;
        std::memcpy(to, suffix, shape.suffix);
    }
}

uint32_t Numberer::as_bytes(const uint8_t *state, uint32_t length, uint64_t *to) {
    const uint32_t words = ((length + 7) / 8 + 2) / 2 * 2;
    to[words - 2] = 0;
    to[length / 8] = 0;
    std::memcpy(to, state, length);
    to[words - 1] = uint64_t{length} << NumberShape::short_bits;
    return words;
}

uint32_t Numberer::whole(const uint8_t *state, uint32_t length, uint64_t *to) {
    const NumberShape *const shape = shape_of(state, length);
    if (shape == nullptr)
        return as_bytes(state, length, to);
    const uint32_t words = shape->words();
    std::fill_n(to, words, 0);
    to[words - 1] = NumberShape::written(shape->number);
    put_suffix(*shape, state, to);
    for (const Unit &unit : shape->units)
        if (!add(*shape, unit, state, to))
            return as_bytes(state, length, to);
    for (const uint32_t byte : shape->uncovered)
        if (state[byte] != 0)
            return as_bytes(state, length, to);
    return words;
}

uint32_t Numberer::next(const Numbered &before, const uint8_t *state, uint32_t length, uint64_t *to) {
    const NumberShape *const shape = before.shape;
    if (shape == nullptr || length != before.length)
        return whole(state, length, to);
    const uint8_t *const source = before.bytes.data();
    std::memcpy(to, before.number.data(), before.words * sizeof(uint64_t));
    put_suffix(*shape, state, to);
    const uint32_t end = length - shape->suffix;
    uint32_t done = 0; /* up to here nothing is left to do */
    for (uint32_t at = 0; at < end; at += 8) {
        const uint32_t left = end - at;
        uint64_t changed = left >= 8 ? load_word(state + at) ^ load_word(source + at)
                                     : load_tail(state, end, left) ^ load_tail(source, end, left);
        while (changed != 0) {
            const auto in_word = static_cast<uint32_t>(std::countr_zero(changed)) / 8;
            changed &= ~(uint64_t{255} << (8 * in_word));
            const uint32_t byte = at + in_word;
            if (byte < done)
                continue;
            const uint32_t number = shape->unit_of[byte];
            if (number == NumberShape::no_unit)
                return as_bytes(state, length, to);
            const Unit &unit = shape->units[number];
            if (unit.is_control) {
                const std::vector<uint32_t> &process_of = shapes_.values().process_of;
                const uint32_t size = unit.end - unit.begin;
                const uint32_t control = read_bytes(state + unit.begin, size);
                if (control >= process_of.size() || process_of[control] != process_of[read_bytes(source + unit.begin, size)])
                    return whole(state, length, to); /* what follows is another process's */
            }
            if (!change(*shape, unit, source, state, to))
                return as_bytes(state, length, to);
            done = unit.end;
        }
    }
    for (const uint32_t byte : shape->uncovered)
        if (state[byte] != 0)
            return as_bytes(state, length, to);
    return before.words;
}

// ---- And back ---------------------------------------------------------------

void Numberer::read(const uint64_t *words, uint32_t count, Numbered &to) {
    const uint32_t number = NumberShape::number_in(words[count - 1]);
    if (to.number.size() < count)
        to.number.resize(count);
    if (number == 0) {
        to.shape = nullptr;
        to.length = static_cast<uint32_t>(words[count - 1] >> NumberShape::short_bits);
        to.words = count;
        if (to.bytes.size() < to.length + slack)
            to.bytes.resize(to.length + slack);
        std::memcpy(to.bytes.data(), words, to.length);
        std::memcpy(to.number.data(), words, count * sizeof(uint64_t));
        return;
    }
    const bool same = to.shape != nullptr && to.shape->number == number;
    if (!same) {
        to.shape = shapes_.numbered(number);
        to.length = to.shape->length;
        to.words = count;
        to.bytes.assign(to.length + slack, 0);
    }
    const NumberShape &shape = *to.shape;
    uint8_t *const bytes = to.bytes.data();
    if (shape.suffix == 1)
        bytes[shape.length - 1] = static_cast<uint8_t>(words[count - 1] >> (shape.shift - 8));
    else if (shape.suffix > 1)
        std::memcpy(bytes + shape.length - shape.suffix, words, shape.suffix);
    /* Groups that are as before leave their bytes as they are; those that share a message are read together. */
    const uint64_t *const groups = words + shape.front;
    const auto digits_of = [&](uint32_t group, uint64_t word) {
        return group + 1 == shape.groups ? word >> shape.shift : word;
    };
    for (uint32_t first = 0, end = 0; first < shape.groups; first = end) {
        bool changed = !same;
        for (end = first; end < shape.groups && shape.together_with[end] == first; ++end)
            changed |= groups[end] != to.number[shape.front + end];
        if (!changed)
            continue;
        bool filled = false; /* is there a message in the slot at hand? */
        for (uint32_t group = first; group < end; ++group) {
            uint64_t left = digits_of(group, groups[group]);
            for (uint32_t i = shape.first_of[group]; i < shape.first_of[group + 1]; ++i) {
                const Digit &digit = shape.digits[i];
                uint64_t index = take(digit, left);
                if (digit.kind == Kind::plain) {
                    write_bytes(bytes + digit.offset, digit.size, written(digit, value_of(digit, index)));
                    continue;
                }
                if (digit.kind == Kind::first) {
                    filled = index != 0;
                    /* The length before is that of the state before; every slot that was filled or emptied is here. */
                    const Unit &unit = shape.units[shape.unit_of[digit.offset]];
                    const uint32_t before = length_in(unit, bytes);
                    if (filled ? before <= digit.slot : before > digit.slot)
                        write_bytes(bytes + unit.begin, unit.length_bytes, digit.slot + filled);
                    index -= filled;
                }
                write_bytes(bytes + digit.offset, digit.size, filled ? written(digit, value_of(digit, index)) : 0);
            }
        }
    }
    std::memcpy(to.number.data(), words, count * sizeof(uint64_t));
}

} // namespace kripke
