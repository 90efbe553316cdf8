#include "searches/traversal.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace kripke {

Walk::Walk(const kripke_model &model, uint64_t max_states, uint64_t memory_limit)
    : Sink(model, &never_), budget_(memory_limit),
      store_(budget_, &never_, model.max_state_bytes, max_states, sizeof(uint64_t)), state_(model.max_state_bytes),
      candidates_(budget_, model.max_state_bytes) {
    connect(this);
    out = candidates_.room();
    if (out == nullptr)
        throw std::bad_alloc();
    model.initial(this);
    flush();
    initial_steps_ = handed_over_;
    initial_count_ = layer_end_ = store_.size();
}

void Walk::stop(const char *reason) {
    if (reason_ == nullptr)
        reason_ = reason;
}

void Walk::take(uint32_t length, uint32_t label) noexcept {
    ++handed_over_;
    if (out_of_memory_)
        return;
    try {
        candidates_.add(out, length);
        origins_.push_back({source_, label});
        uint8_t *room = candidates_.room_in_batch();
        if (room == nullptr) {
            flush();
            room = candidates_.room();
        }
        if (room != nullptr)
            out = room;
        else
            out_of_memory_ = true; /* and `out` stays: what goes there is not taken */
    } catch (const std::bad_alloc &) {
        out_of_memory_ = true;
    }
}

void Walk::complain(uint32_t code, uint32_t label) noexcept {
    ++handed_over_;
    if (steps_ == nullptr)
        return;
    try {
        steps_->sources.push_back(source_);
        steps_->targets.push_back(StepBatch::nowhere);
        steps_->labels.push_back(label);
        steps_->violations.push_back(static_cast<int32_t>(code));
    } catch (const std::bad_alloc &) {
        out_of_memory_ = true;
    }
}

/* Look up all candidates, number the new ones, note the steps to them. */
void Walk::flush() {
    if (candidates_.size() == 0)
        return;
    if (store_.make_room(candidates_.size(), candidates_.bytes()) != Store::Room::ready) {
        out_of_memory_ = true;
        return;
    }
    store_.begin(candidates_.begin(), candidates_.end());
    size_t position = 0;
    for (const Candidate &item : candidates_) {
        const Origin origin = origins_[position++];
        const uint64_t number = store_.size();
        const auto [outcome, offset] = store_.find_or_insert(item.state, item.length, item.hash, item.probe);
        if (outcome == Store::Insertion::full) {
            stop("states");
            continue;
        }
        if (outcome == Store::Insertion::inserted)
            std::memcpy(store_.record(offset).payload, &number, sizeof number);
        if (steps_ == nullptr)
            continue;
        steps_->sources.push_back(origin.source);
        steps_->targets.push_back(outcome == Store::Insertion::inserted ? number : number_of(offset));
        steps_->labels.push_back(origin.label);
        steps_->violations.push_back(-1);
    }
    candidates_.clear();
    origins_.clear();
    out = candidates_.room();
    if (out == nullptr)
        out_of_memory_ = true;
}

uint64_t Walk::number_of(uint64_t offset) const {
    uint64_t number;
    std::memcpy(&number, store_.record(offset).payload, sizeof number);
    return number;
}

bool Walk::expand(uint64_t count, StateBatch &states, StepBatch &steps) {
    states = {};
    steps = {};
    if (next_ >= store_.end() || out_of_memory_) {
        if (out_of_memory_)
            stop("memory");
        return false;
    }
    const uint64_t first_offset = next_;
    states.first = expanded_;
    steps_ = &steps;
    for (uint64_t done = 0; done < count && !out_of_memory_; ++done) {
        if (expanded_ == layer_end_) {
            flush(); /* the layer is complete only now */
            if (next_ >= store_.end() || out_of_memory_)
                break;
            ++depth_;
            layer_end_ = store_.size();
        }
        const Record record = store_.record(next_);
        source_ = expanded_;
        const uint64_t before = handed_over_;
        const uint8_t *state = store_.state(record, state_);
        model().successors(state, record.length, this);
        steps.depths.push_back(depth_);
        steps.deadlocks.push_back(handed_over_ == before && model().valid_end(state, record.length) == 0);
        next_ = record.next;
        ++expanded_;
    }
    flush();
    steps_ = nullptr;
    if (out_of_memory_)
        stop("memory");
    fill(states, first_offset, next_);
    return states.size() != 0;
}

bool Walk::read(uint64_t count, StateBatch &states) {
    states = {};
    states.first = read_;
    uint64_t end = reading_;
    for (uint64_t done = 0; done < count && end < store_.end(); ++done)
        end = store_.record(end).next;
    fill(states, reading_, end);
    reading_ = end;
    read_ += states.size();
    return states.size() != 0;
}

/* The states of the records from one offset to another. */
void Walk::fill(StateBatch &states, uint64_t offset, uint64_t end_offset) {
    for (uint64_t at = offset; at < end_offset;) {
        const Record record = store_.record(at);
        states.lengths.push_back(record.length);
        states.stride = std::max(states.stride, record.length);
        at = record.next;
    }
    states.rows.resize(states.lengths.size() * states.stride);
    uint8_t *row = states.rows.data();
    for (uint64_t at = offset; at < end_offset; row += states.stride) {
        const Record record = store_.record(at);
        std::memcpy(row, store_.state(record, state_), record.length);
        at = record.next;
    }
}

} // namespace kripke
