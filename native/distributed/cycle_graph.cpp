#include "distributed/cycle_graph.h"

#include <cstring>

namespace kripke {

namespace {

/* An entry is the source of a step; where ways are kept, also its target, and whether it is marked. */
constexpr uint32_t short_entry = sizeof(uint64_t), long_entry = 3 * sizeof(uint64_t);

uint64_t word_at(const uint8_t *bytes) {
    uint64_t word;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

} // namespace

CycleGraph::CycleGraph(Budget &budget, uint32_t rank, uint32_t workers, uint64_t buffer_bytes, uint32_t spare,
                       uint32_t marks)
    : rank_(rank), workers_(workers), always_(marks == 0 ? 1 : 0), outbox_(budget, workers, buffer_bytes, spare), edges_(budget), vertices_(budget),
      flags_(budget), queue_(budget), budget_(budget) {}

// ---- Building -----------------------------------------------------------------------------------

bool CycleGraph::grow(uint64_t place) {
    while (vertices_.size() <= place)
        if (!vertices_.push({0, 0, 0}))
            return false;
    return true;
}

bool CycleGraph::leave(uint64_t place) {
    if (!grow(place))
        return false;
    ++vertices_[place].steps;
    return true;
}

bool CycleGraph::take(const Origin &origin, uint64_t target, bool initial) {
    const uint64_t place = place_of(target);
    if (!grow(place))
        return false;
    if (initial)
        return true;
    if (origin.source > forty || edges_.size() >= forty)
        return false;
    Vertex &vertex = vertices_[place];
    Edge edge;
    edge.source = static_cast<uint32_t>(origin.source);
    edge.source_high = static_cast<uint8_t>(origin.source >> 32);
    edge.next = static_cast<uint32_t>(vertex.first);
    edge.next_high = static_cast<uint8_t>(vertex.first >> 32);
    edge.marks = static_cast<uint8_t>(origin.word);
    edge.spare = 0;
    if (!edges_.push(edge))
        return false;
    vertex.first = edges_.size();
    back_steps_ += place < known_;
    marked_steps_ += edge.marks != 0;
    return true;
}

// ---- Phases ---------------------------------------------------------------------------------------

bool CycleGraph::begin() {
    phase_ = Phase::eliminate;
    queue_.shrink(0);
    head_ = 0;
    ways_.clear();
    keeps_ways_ = false;
    flags_.shrink(0);
    if (!flags_.make_room(vertices_.size()))
        return false;
    for (uint64_t place = 0; place < vertices_.size(); ++place)
        if (!flags_.push(in_s))
            return false;
    live_ = vertices_.size();
    for (uint64_t place = 0; place < vertices_.size(); ++place) {
        Vertex &vertex = vertices_[place];
        vertex.left = vertex.steps;
        if (vertex.left == 0 && !remove(place))
            return false;
    }
    return true;
}

bool CycleGraph::begin_reach(uint32_t mark, bool ways) {
    phase_ = Phase::reach;
    mark_ = mark;
    scan_ = 0;
    queue_.shrink(0);
    head_ = 0;
    keeps_ways_ = ways;
    for (uint64_t place = 0; place < flags_.size(); ++place)
        flags_[place] &= static_cast<uint8_t>(~reached);
    if (ways) {
        while (ways_.size() <= mark)
            ways_.push_back(std::make_unique<Stack<uint64_t>>(budget_));
        Stack<uint64_t> &own = *ways_[mark];
        own.shrink(0);
        if (!own.make_room(flags_.size()))
            return false;
        for (uint64_t place = 0; place < flags_.size(); ++place)
            if (!own.push(nowhere))
                return false;
    }
    return true;
}

bool CycleGraph::begin_drop() {
    phase_ = Phase::eliminate;
    queue_.shrink(0);
    head_ = 0;
    for (uint64_t place = 0; place < flags_.size(); ++place)
        if ((flags_[place] & (in_s | reached)) == in_s && !remove(place))
            return false;
    return true;
}

bool CycleGraph::remove(uint64_t place) {
    flags_[place] &= static_cast<uint8_t>(~in_s);
    --live_;
    return queue_.push(place);
}

bool CycleGraph::step(uint64_t most) {
    const auto each_step = [&](uint64_t place, bool marked_only) {
        for (uint64_t at = vertices_[place].first; at != 0;) {
            const Edge edge = edges_[at - 1];
            at = uint64_t{edge.next} | uint64_t{edge.next_high} << 32;
            const bool marked = (edge.marks >> mark_ & 1) != 0;
            if (marked_only && !marked)
                continue;
            if (!tell(uint64_t{edge.source} | uint64_t{edge.source_high} << 32, number_of(place), marked_only))
                failed_ = true;
        }
    };
    for (; most > 0 && !outbox_.crowded() && !failed_; --most) {
        if (phase_ == Phase::reach && scan_ < flags_.size()) {
            if ((flags_[scan_] & in_s) != 0)
                each_step(scan_, true);
            ++scan_;
        } else if (head_ < queue_.size()) {
            each_step(queue_[head_++], false);
            if (head_ == queue_.size()) {
                queue_.shrink(0);
                head_ = 0;
            }
        } else {
            return false;
        }
    }
    return !failed_;
}

bool CycleGraph::tell(uint64_t source, uint64_t target, bool marked) {
    const auto owner = static_cast<uint32_t>(source % workers_);
    if (owner == rank_)
        return hear(place_of(source), target, marked);
    uint8_t entry[long_entry];
    const uint64_t words[3] = {source, target, marked};
    std::memcpy(entry, words, sizeof words);
    return outbox_.put(owner, entry, keeps_ways_ ? long_entry : short_entry);
}

/* The step from one of our states to the target: its target was taken out, or reaches what is to be reached. */
bool CycleGraph::hear(uint64_t place, uint64_t target, bool marked) {
    uint8_t &flags = flags_[place];
    if ((flags & in_s) == 0)
        return true;
    if (phase_ == Phase::eliminate)
        return --vertices_[place].left != 0 || remove(place);
    if ((flags & reached) != 0)
        return true;
    flags |= reached;
    if (keeps_ways_)
        (*ways_[mark_])[place] = target << 1 | (marked ? 1 : 0);
    return queue_.push(place);
}

bool CycleGraph::receive(const uint8_t *bytes, uint64_t count, uint32_t from) {
    const uint8_t *at = bytes, *const end = bytes + count;
    const uint32_t entry_bytes = keeps_ways_ ? long_entry : short_entry;
    while (at != end) {
        if (static_cast<uint64_t>(end - at) < 1 + entry_bytes || *at != entry_bytes)
            return false;
        const uint64_t source = word_at(at + 1);
        const uint64_t target = keeps_ways_ ? word_at(at + 9) : from, marked = keeps_ways_ ? word_at(at + 17) : 0;
        at += 1 + entry_bytes;
        if (source % workers_ != rank_ || place_of(source) >= flags_.size() || target % workers_ != from ||
            target > forty || marked > 1 || (phase_ == Phase::eliminate && vertices_[place_of(source)].left == 0 &&
                                             (flags_[place_of(source)] & in_s) != 0))
            return false;
        if (!hear(place_of(source), target, marked != 0))
            failed_ = true;
    }
    return true;
}

uint64_t CycleGraph::any() const {
    for (uint64_t place = 0; place < flags_.size(); ++place)
        if ((flags_[place] & in_s) != 0)
            return number_of(place);
    return nowhere;
}

std::vector<uint64_t> CycleGraph::follow(uint32_t mark, uint64_t number, bool &through) {
    std::vector<uint64_t> numbers;
    through = false;
    const Stack<uint64_t> &ways = *ways_.at(mark);
    while (!through && number % workers_ == rank_ && place_of(number) < ways.size()) {
        const uint64_t way = ways[place_of(number)];
        if (way == nowhere)
            break;
        number = way >> 1;
        through = (way & 1) != 0;
        numbers.push_back(number);
    }
    return numbers;
}

} // namespace kripke
