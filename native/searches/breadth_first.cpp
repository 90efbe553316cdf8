#include "searches/breadth_first.h"

#include "searches/retrace.h"

#include <new>

namespace kripke {

BreadthFirst::BreadthFirst(const kripke_model &model, const Options &options, Control &control)
    : Search(model, options, control, 0), batch_(budget_, model.max_state_bytes), layers_(budget_) {
    connect(this);
}

void BreadthFirst::explore() {
    out = batch_.room();
    if (out == nullptr || !layers_.push(0))
        return halt(Reason::memory);
    model().initial(this);
    flush();
    while (!stopped() && next_ < store_.end()) {
        storing_ = options_.max_depth == 0 || depth() < options_.max_depth;
        if (!layers_.push(store_.end()))
            return halt(Reason::memory);
        expand_layer();
        flush();
    }
}

uint64_t BreadthFirst::depth() const {
    const uint64_t begun = layers_.size();
    const bool last_is_empty = begun > 1 && layers_[begun - 1] == store_.end();
    return begun == 0 ? 0 : begun - 1 - last_is_empty;
}

/* Before: the layer is the records from next_ to layers_.top(). */
void BreadthFirst::expand_layer() {
    const uint64_t layer_end = layers_.top();
    while (next_ < layer_end) {
        const Record record = store_.record(next_);
        const uint8_t *const state = store_.state(record, expanded_state_);
        expand(next_, state, record.length);
        if (options_.reduction)
            settle_choice(state, record.length);
        if (stopped())
            return;
        publish_if_asked();
        next_ = record.next;
        ++expanded_;
    }
}

void BreadthFirst::take(uint32_t length, uint32_t) noexcept {
    ++handed_over_;
    batch_.add(out, length);
    uint8_t *const room = options_.reduction ? nullptr : batch_.room_in_batch();
    if (room != nullptr) [[likely]]
        out = room;
    else
        turn_over();
}

/* The batch, which holds the successors of this state alone, comes from a set of steps
 * that is enough if it leads on: take another, at last all. */
void BreadthFirst::settle_choice(const uint8_t *state, uint32_t length) {
    while (reduced && !options_.deadlocks_only && !stopped() && !leads_on()) {
        batch_.clear();
        out = batch_.room();
        ++choice;
        again = true;
        model().successors(state, length, this);
    }
    choice = 0;
    again = false;
    flush();
}

/* Is a successor still to be expanded? Where no cycle may be left without a state that
 * is expanded in full: are all? */
bool BreadthFirst::leads_on() {
    bool some = false, all = true;
    store_.begin(batch_.begin(), batch_.end());
    for (const Candidate &item : batch_) {
        const uint64_t offset = store_.find(item.state, item.length, item.hash, item.probe);
        const bool ahead = offset == no_state || offset > next_;
        some |= ahead;
        all &= ahead;
    }
    return some && (all || !options_.every_cycle);
}

/* The batch takes no more. With reduction it takes all successors of a state. */
void BreadthFirst::turn_over() noexcept {
    if (!options_.reduction)
        flush();
    if (stopped())
        batch_.clear(); /* what it holds and still will is of no use */
    uint8_t *const room = batch_.room();
    if (room != nullptr)
        out = room;
    else
        halt(Reason::memory); /* the place of the last one will do: nothing is read any more */
}

/* Look up all candidates, store the new ones. After: the batch is empty, or the
 * search is stopped. */
void BreadthFirst::flush() {
    if (stopped() || batch_.size() == 0)
        return;
    if (!storing_)
        look_beyond_limit();
    else if (!make_room(batch_.size(), batch_.bytes()) || !store_batch())
        return;
    batch_.clear();
    out = batch_.room();
}

/* False if stopped. */
bool BreadthFirst::store_batch() {
    const uint64_t before = transitions_;
    const Candidate *const end = store_.sift(batch_.begin(), batch_.end());
    for (const Candidate *item = batch_.begin(); item != end; ++item) {
        const auto [outcome, offset] = store_.find_or_insert(*item);
        transitions_ = before + item->place;
        if (outcome == Store::Insertion::full) {
            halt(Reason::states);
            return false;
        }
        ++transitions_;
        if (outcome == Store::Insertion::inserted) {
            check_state(offset, item->state, item->length);
            if (stopped())
                return false;
        }
    }
    transitions_ = before + batch_.size();
    return true;
}

/* Of the successors of states at the limit: is there an unknown one? */
void BreadthFirst::look_beyond_limit() {
    store_.begin(batch_.begin(), batch_.end());
    for (const Candidate &item : batch_) {
        const bool known = store_.find(item.state, item.length, item.hash, item.probe) != no_state;
        transitions_ += known;
        cut_ |= !known;
    }
}

void BreadthFirst::make_paths() {
    std::vector<ErrorPath *> lost;
    for (ErrorPath &error_path : error_paths_.kept())
        if (error_path.state != no_state)
            lost.push_back(&error_path);
    if (!lost.empty())
        Retrace(model(), store_, layers_, control_).find_paths(lost);
}

} // namespace kripke
