/* States as numbers: of random shapes, with values the model told of and others; there and back, whole and by difference. */
#include "stores/numbering.h"

#include "check.h"

#include <cstring>
#include <map>
#include <random>

namespace {

using namespace kripke;

using Bytes = std::vector<uint8_t>;
using Words = std::vector<uint64_t>;

std::mt19937_64 chance(11);

uint64_t below(uint64_t bound) { return chance() % bound; }

ValueRanges::Scalar random_scalar(uint32_t offset) {
    static constexpr uint32_t sizes[] = {1, 2, 4};
    ValueRanges::Scalar scalar{offset, sizes[below(3)], 0, below(2) == 0, {}};
    scalar.bits = 8 * scalar.size;
    const int64_t least = scalar.is_signed ? -(int64_t{1} << (scalar.bits - 1)) : 0;
    int64_t at = below(3) == 0 ? least : least + static_cast<int64_t>(below(100));
    for (uint64_t i = 0; i <= below(3); ++i) {
        const int64_t last = at + static_cast<int64_t>(below(9));
        scalar.ranges.emplace_back(at, last);
        at = last + 2 + static_cast<int64_t>(below(5));
    }
    if (below(4) == 0)
        scalar.ranges.assign(1, {least, least + (int64_t{1} << scalar.bits) - 1});
    return scalar;
}

ValueRanges::Block random_block(bool is_frame, uint32_t process) {
    ValueRanges::Block block;
    if (is_frame) {
        block.scalars.push_back({0, 1, 8, false, {{3 * process, 3 * process + 2}}});
        block.bytes = 1;
    }
    for (uint64_t i = below(6); i > 0; --i) {
        block.scalars.push_back(random_scalar(block.bytes));
        block.bytes += block.scalars.back().size + (below(5) == 0); /* at times a byte that is nobody's */
    }
    for (uint64_t i = below(3); i > 0; --i) {
        ValueRanges::Queue queue{block.bytes, 1, static_cast<uint32_t>(1 + below(4)), 0, {}};
        for (uint64_t field = 0; field <= below(3); ++field) {
            queue.fields.push_back(random_scalar(queue.message_bytes));
            queue.message_bytes += queue.fields.back().size;
        }
        block.bytes += 1 + queue.capacity * queue.message_bytes;
        block.queues.push_back(queue);
    }
    return block;
}

void fill(const ValueRanges::Scalar &scalar, uint8_t *at) {
    const auto &[low, high] = scalar.ranges[below(scalar.ranges.size())];
    const int64_t value = low + static_cast<int64_t>(below(static_cast<uint64_t>(high - low) + 1));
    std::memcpy(at + scalar.offset, &value, scalar.size);
}

void fill(const ValueRanges::Block &block, uint8_t *at) {
    for (const ValueRanges::Scalar &scalar : block.scalars)
        fill(scalar, at);
    for (const ValueRanges::Queue &queue : block.queues) {
        const auto length = static_cast<uint32_t>(below(queue.capacity + 1));
        at[queue.offset] = static_cast<uint8_t>(length);
        uint8_t *const messages = at + queue.offset + 1;
        std::memset(messages, 0, uint64_t{queue.capacity} * queue.message_bytes);
        for (uint32_t slot = 0; slot < length; ++slot)
            for (const ValueRanges::Scalar &field : queue.fields)
                fill(field, messages + slot * queue.message_bytes);
    }
}

/* With some of its parts another state's, where both are as long. */
Bytes random_state(const ValueRanges &values, uint32_t suffix, const Bytes &other) {
    Bytes state(values.globals.bytes);
    fill(values.globals, state.data());
    for (uint64_t i = below(4); i > 0; --i) {
        const ValueRanges::Block &frame = values.processes[below(values.processes.size())];
        const size_t at = state.size();
        state.resize(at + frame.bytes);
        fill(frame, state.data() + at);
    }
    for (uint32_t i = 0; i < suffix; ++i)
        state.push_back(static_cast<uint8_t>(below(3)));
    if (!state.empty() && state.size() == other.size() && below(2) == 0)
        std::memcpy(state.data(), other.data(), below(state.size() + 1));
    if (!state.empty() && below(4) == 0) /* perhaps a value the model did not tell of, a queue too long, an unclean slot */
        state[below(state.size())] = static_cast<uint8_t>(chance());
    if (!state.empty() && below(20) == 0)
        state.pop_back();
    return state;
}

void there_and_back(uint32_t suffix) {
    ValueRanges values;
    values.globals = random_block(false, 0);
    for (uint32_t process = 0; process < 3; ++process) {
        values.processes.push_back(random_block(true, process));
        values.process_of.insert(values.process_of.end(), 3, process);
    }
    NumberShapes shapes(values, suffix);
    Numberer one(shapes), other(shapes);
    Numberer::Numbered before, back;
    std::map<Words, Bytes> known;
    Bytes last;
    for (uint32_t i = 0; i < 300; ++i) {
        const Bytes state = random_state(values, suffix, last);
        const auto length = static_cast<uint32_t>(state.size());
        Words whole(NumberShapes::most_words(length)), next(whole.size());
        whole.resize(one.whole(state.data(), length, whole.data()));
        next.resize(other.next(before, state.data(), length, next.data()));
        CHECK(whole == next);
        CHECK(whole.size() % 2 == 0);
        const auto [found, fresh] = known.try_emplace(whole, state);
        CHECK(fresh || found->second == state);
        one.read(whole.data(), static_cast<uint32_t>(whole.size()), back);
        CHECK(Bytes(back.bytes.begin(), back.bytes.begin() + back.length) == state);
        other.read(whole.data(), static_cast<uint32_t>(whole.size()), before);
        last = state;
    }
}

} // namespace

void test_numbering() {
    for (uint32_t round = 0; round < 200; ++round)
        for (const uint32_t suffix : {0u, 1u, 2u, 9u})
            there_and_back(suffix);
    NumberShapes none({}, 0);
    Numberer numberer(none);
    const Bytes state(13, 7);
    Words words(NumberShapes::most_words(13));
    CHECK(numberer.whole(state.data(), 13, words.data()) == 4);
}
