/* numbering_binding.cpp -- states as numbers (native/stores/numbering.h) in the Python module kripke._native, for the
 * comparison with their definition (src/kripke/process/numbering.py) and for benchmarks/numbering.py.
 */
#include "bindings/numbering_binding.h"

#include "stores/number_store.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace nb = nanobind;
using namespace nb::literals;

namespace kripke {

namespace {

using WrittenScalar = std::tuple<uint32_t, uint32_t, uint32_t, bool, std::vector<std::pair<int64_t, int64_t>>>;
using WrittenQueue = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, std::vector<WrittenScalar>>;
using WrittenBlock = std::tuple<uint32_t, std::vector<WrittenScalar>, std::vector<WrittenQueue>>;

ValueRanges::Scalar scalar_of(WrittenScalar written, uint32_t room) {
    auto &[offset, size, bits, is_signed, ranges] = written;
    const bool whole = (size == 1 || size == 2 || size == 4) && bits >= 1 && bits <= 8 * size && !ranges.empty();
    if (!whole || uint64_t{offset} + size > room)
        throw std::invalid_argument("no scalar of a state");
    return {offset, size, bits, is_signed, std::move(ranges)};
}

ValueRanges::Block block_of(const WrittenBlock &written) {
    const auto &[bytes, scalars, queues] = written;
    ValueRanges::Block block{bytes, {}, {}};
    for (const WrittenScalar &scalar : scalars)
        block.scalars.push_back(scalar_of(scalar, bytes));
    for (const auto &[offset, length_bytes, capacity, message_bytes, fields] : queues) {
        if (length_bytes < 1 || length_bytes > 4 || fields.empty() ||
            offset + length_bytes + uint64_t{capacity} * message_bytes > bytes)
            throw std::invalid_argument("no queue of a state");
        ValueRanges::Queue &queue = block.queues.emplace_back();
        queue = {offset, length_bytes, capacity, message_bytes, {}};
        for (const WrittenScalar &field : fields)
            queue.fields.push_back(scalar_of(field, message_bytes));
    }
    return block;
}

} // namespace

ValueRanges ranges_of(const nb::tuple &written) {
    ValueRanges values;
    values.globals = block_of(nb::cast<WrittenBlock>(written[0]));
    for (const WrittenBlock &block : nb::cast<std::vector<WrittenBlock>>(written[1]))
        values.processes.push_back(block_of(block));
    values.control_bytes = nb::cast<uint32_t>(written[2]);
    values.process_of = nb::cast<std::vector<uint32_t>>(written[3]);
    for (const uint32_t process : values.process_of)
        if (process >= values.processes.size())
            throw std::invalid_argument("a control point of no process");
    for (const ValueRanges::Block &frame : values.processes)
        if (frame.scalars.empty() || frame.scalars.front().size != values.control_bytes || frame.scalars.front().offset != 0)
            throw std::invalid_argument("a frame begins with its control point");
    return values;
}

namespace {

/* What the native engine makes of states. */
class Numbers {
  public:
    Numbers(const nb::tuple &written, uint32_t suffix)
        : values_(ranges_of(written)), shapes_(values_, suffix), numberer_(shapes_) {}

    std::vector<uint64_t> words(const nb::bytes &state) {
        const uint8_t *const bytes = reinterpret_cast<const uint8_t *>(state.c_str());
        std::vector<uint64_t> words(NumberShapes::most_words(static_cast<uint32_t>(state.size())));
        words.resize(numberer_.whole(bytes, static_cast<uint32_t>(state.size()), words.data()));
        return words;
    }

    /* The same, by what differs from the state of other words. */
    std::vector<uint64_t> next(const std::vector<uint64_t> &before, const nb::bytes &state) {
        const uint8_t *const bytes = reinterpret_cast<const uint8_t *>(state.c_str());
        numberer_.read(before.data(), static_cast<uint32_t>(before.size()), before_);
        std::vector<uint64_t> words(NumberShapes::most_words(static_cast<uint32_t>(state.size())));
        words.resize(numberer_.next(before_, bytes, static_cast<uint32_t>(state.size()), words.data()));
        return words;
    }

    nb::bytes state(const std::vector<uint64_t> &words) {
        numberer_.read(words.data(), static_cast<uint32_t>(words.size()), other_);
        return nb::bytes(other_.bytes.data(), other_.length);
    }

    /* The groups, each with the product of its bases less one; none of a state that is kept as bytes. */
    std::vector<std::pair<uint64_t, uint64_t>> groups(const nb::bytes &state) {
        const std::vector<uint64_t> written = words(state);
        const uint32_t number = NumberShape::number_in(written.back());
        std::vector<std::pair<uint64_t, uint64_t>> groups;
        if (number == 0)
            return groups;
        const NumberShape &shape = *shapes_.numbered(number);
        for (uint32_t i = 0; i < shape.groups; ++i) {
            const uint32_t shift = i + 1 == shape.groups ? shape.shift : 0;
            const uint64_t last = shape.sizes[i] - 1;
            groups.emplace_back(written[shape.front + i] >> shift, last >> shift);
        }
        return groups;
    }

    uint32_t bits() const { return shapes_.bits(); }

    /* Handles of a store for all states of these, each (source, successors): processor time from all digits, and from
     * what differs from the source. Both include opening the source. */
    std::pair<double, double> time(const std::vector<std::pair<nb::bytes, std::vector<nb::bytes>>> &steps, uint32_t rounds) {
        SharedLimits limits;
        limits.values = std::make_shared<const ValueRanges>(values_);
        limits.suffix = shapes_.suffix();
        for (const auto &[source, targets] : steps) {
            limits.max_state_bytes = std::max(limits.max_state_bytes, static_cast<uint32_t>(source.size()));
            for (const nb::bytes &target : targets)
                limits.max_state_bytes = std::max(limits.max_state_bytes, static_cast<uint32_t>(target.size()));
        }
        Budget budget(0);
        Gate gate(1);
        NumberStore store(budget, limits, gate);
        NumberStore::View opened(store), never_opened(store);
        gate.come_back();
        const auto identify = [](NumberStore::View &view, const nb::bytes &state) {
            if (!view.make_room())
                throw std::bad_alloc();
            return view.identify(reinterpret_cast<const uint8_t *>(state.c_str()), static_cast<uint32_t>(state.size()));
        };
        std::vector<uint64_t> sources;
        for (const auto &[source, targets] : steps)
            sources.push_back(identify(never_opened, source));
        double best[2] = {1e9, 1e9};
        uint64_t sums[2] = {0, 0};
        for (uint32_t round = 0; round < rounds; ++round)
            for (const bool by_difference : {false, true}) {
                NumberStore::View &view = by_difference ? opened : never_opened;
                uint64_t sum = 0;
                const auto start = std::chrono::steady_clock::now();
                for (size_t i = 0; i < steps.size(); ++i) {
                    opened.open(sources[i]);
                    for (const nb::bytes &target : steps[i].second)
                        sum = sum * 31 + identify(view, target);
                }
                const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
                best[by_difference] = std::min(best[by_difference], seconds);
                sums[by_difference] = sum;
            }
        gate.leave();
        if (sums[0] != sums[1])
            throw std::logic_error("a state has two handles");
        return {best[0], best[1]};
    }

  private:
    const ValueRanges values_;
    NumberShapes shapes_;
    Numberer numberer_;
    Numberer::Numbered before_, other_;
};

} // namespace

void bind_numbering(nb::module_ &module) {
    nb::class_<Numbers>(module, "Numbers")
        .def(nb::init<const nb::tuple &, uint32_t>(), "values"_a, "suffix"_a = 0)
        .def("words", &Numbers::words, "state"_a)
        .def("next", &Numbers::next, "before"_a, "state"_a)
        .def("state", &Numbers::state, "words"_a)
        .def("groups", &Numbers::groups, "state"_a)
        .def("time", &Numbers::time, "steps"_a, "rounds"_a)
        .def_prop_ro("bits", &Numbers::bits);
}

} // namespace kripke
