#include "searches/graph.h"

#include "memory/hash.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace kripke {

namespace {

constexpr uint64_t bytes_per_edge = 4 * sizeof(uint32_t);  /* both directions, with room to grow */
constexpr uint64_t bytes_per_label = 2 * sizeof(uint32_t); /* with room to grow */
constexpr uint64_t bytes_per_state = 8 * sizeof(uint64_t); /* likewise */

bool has(const StateSet &set, uint32_t state) { return (set[state / 64] >> (state % 64) & 1) != 0; }
void put(StateSet &set, uint32_t state) { set[state / 64] |= uint64_t{1} << (state % 64); }
void drop(StateSet &set, uint32_t state) { set[state / 64] &= ~(uint64_t{1} << (state % 64)); }

} // namespace

Graph::Graph(const kripke_model &model, const Options &options, Control &control, bool labelled)
    : Search(model, options, control, sizeof(uint32_t)), room_(model.max_state_bytes + size_t{64}),
      truth_((model.atom_count + size_t{63}) / 64 * 2), atoms_(options.invariants.size()),
      labelled_(labelled) {
    connect(this);
    out = room_.data();
}

void Graph::explore() {
    model().initial(this);
    initial_ = states();
    targets_.resize(initial_); /* an initial state that came twice is one */
    labels_.resize(labelled_ ? initial_ : 0);
    while (!stopped() && expanded_ < offsets_.size()) {
        rows_.push_back(targets_.size());
        const uint64_t offset = offsets_[expanded_];
        const Record record = store_.record(offset);
        expand(offset, store_.state(record, expanded_state_), record.length);
        ++expanded_;
        publish_if_asked();
    }
    rows_.push_back(targets_.size());
    if (!stopped() && violated_)
        halt(Reason::error);
}

void Graph::take(uint32_t length, uint32_t label) noexcept {
    ++handed_over_;
    if (stopped() || !make_room(1, length))
        return;
    try {
        const uint64_t hash = hash_bytes(out, length);
        const auto [outcome, offset] = store_.find_or_insert(out, length, hash, store_.probe(hash));
        if (outcome == Store::Insertion::full || offsets_.size() == UINT32_MAX)
            return halt(Reason::states);
        uint32_t number;
        uint8_t *const payload = store_.record(offset).payload;
        if (outcome == Store::Insertion::inserted) {
            if (!budget_.take(bytes_per_state + atoms_.size() / 8 + 1))
                return halt(Reason::memory);
            number = states();
            std::memcpy(payload, &number, sizeof number);
            offsets_.push_back(offset);
            note_atoms(out, length);
        } else {
            std::memcpy(&number, payload, sizeof number);
        }
        if (!budget_.take(bytes_per_edge + (labelled_ ? bytes_per_label : 0)))
            return halt(Reason::memory);
        targets_.push_back(number);
        if (labelled_)
            labels_.push_back(label);
        ++transitions_;
    } catch (const std::bad_alloc &) {
        halt(Reason::memory);
    }
}

void Graph::note_atoms(const uint8_t *state, uint32_t length) {
    if (atoms_.empty())
        return;
    const size_t words = truth_.size() / 2;
    std::fill(truth_.begin() + static_cast<std::ptrdiff_t>(words), truth_.end(), 0);
    model().atoms(state, length, truth_.data());
    const uint32_t number = states() - 1;
    for (size_t i = 0; i < atoms_.size(); ++i) {
        if (number % 64 == 0)
            atoms_[i].push_back(0);
        if (has(truth_, options_.invariants[i]))
            put(atoms_[i], number);
        undecided_ |= has(truth_, static_cast<uint32_t>(words * 64) + options_.invariants[i]);
    }
}

StateSet Graph::ex(const StateSet &inside) const {
    StateSet result(words());
    for (uint32_t state = 0; state < states(); ++state)
        for (const uint32_t *next = successors_begin(state); next != successors_end(state); ++next)
            if (has(inside, *next)) {
                put(result, state);
                break;
            }
    return result;
}

StateSet Graph::ex(const StateSet &inside, const std::vector<uint8_t> &labels) const {
    StateSet result(words());
    for (uint32_t state = 0; state < states(); ++state)
        for (uint64_t i = rows_[state]; i < rows_[state + size_t{1}]; ++i)
            if (labels_[i] < labels.size() && labels[labels_[i]] != 0 && has(inside, targets_[i])) {
                put(result, state);
                break;
            }
    return result;
}

void Graph::make_predecessors() {
    if (!columns_.empty())
        return;
    columns_.resize(states() + size_t{2});
    for (uint64_t i = initial_; i < targets_.size(); ++i)
        ++columns_[targets_[i] + size_t{2}];
    for (size_t i = 2; i < columns_.size(); ++i)
        columns_[i] += columns_[i - 1];
    sources_.resize(targets_.size() - initial_);
    for (uint32_t state = 0; state < states(); ++state)
        for (const uint32_t *next = successors_begin(state); next != successors_end(state); ++next)
            sources_[columns_[*next + size_t{1}]++] = state;
    columns_.pop_back();
}

StateSet Graph::eu(const StateSet &through, const StateSet &reached) {
    make_predecessors();
    StateSet result = reached;
    std::vector<uint32_t> waiting;
    for (uint32_t state = 0; state < states(); ++state)
        if (has(reached, state))
            waiting.push_back(state);
    while (!waiting.empty()) {
        const uint32_t state = waiting.back();
        waiting.pop_back();
        for (uint64_t i = columns_[state]; i < columns_[state + size_t{1}]; ++i) {
            const uint32_t source = sources_[i];
            if (has(through, source) && !has(result, source)) {
                put(result, source);
                waiting.push_back(source);
            }
        }
    }
    return result;
}

/* Take away, again and again, the states of which every successor was taken away. */
StateSet Graph::eg(const StateSet &inside) {
    make_predecessors();
    StateSet result = inside;
    std::vector<uint32_t> left(states()); /* successors inside */
    std::vector<uint32_t> waiting;
    for (uint32_t state = 0; state < states(); ++state) {
        if (!has(inside, state))
            continue;
        for (const uint32_t *next = successors_begin(state); next != successors_end(state); ++next)
            left[state] += has(inside, *next);
        if (left[state] == 0 && successors_begin(state) != successors_end(state))
            waiting.push_back(state);
    }
    for (const uint32_t state : waiting)
        drop(result, state);
    while (!waiting.empty()) {
        const uint32_t state = waiting.back();
        waiting.pop_back();
        for (uint64_t i = columns_[state]; i < columns_[state + size_t{1}]; ++i) {
            const uint32_t source = sources_[i];
            if (has(result, source) && --left[source] == 0) {
                drop(result, source);
                waiting.push_back(source);
            }
        }
    }
    return result;
}

} // namespace kripke
