#include "distributed/distributed_search.h"

#include <cstring>
#include <new>
#include <unordered_map>

namespace kripke {

namespace {

constexpr size_t most_found = 100; /* errors of different sorts that are kept */
constexpr uint64_t batch_states = 128;
static_assert(Outbox::block <= ShortPlan::slack, "what lies behind a state in the batch is readable");

/* Never a batch that cannot take the successors of one state in order: the longest state must fit. */
uint64_t room_for(const kripke_model &model, uint64_t wanted) {
    const uint64_t least = uint64_t{model.max_state_bytes} + 2 * max_varint_bytes + 16;
    return wanted < least ? least : wanted;
}

/* A varint that ends before `end`. */
const uint8_t *read_length(const uint8_t *at, const uint8_t *end, uint32_t &length) {
    if (*at < 0x80) [[likely]] {
        length = *at;
        return at + 1;
    }
    uint32_t width = 0;
    while (width < max_varint_bytes && at + width != end && (at[width] & 0x80) != 0)
        ++width;
    if (width == max_varint_bytes || at + width == end)
        throw BadBatch("a batch of states is damaged");
    return get_varint(at, length);
}

} // namespace

DistributedSearch::DistributedSearch(const kripke_model &model, const Options &options, Control &control,
                                     const Setup &setup, Partition partition)
    : Sink(model, control.stop_word()), options_(options), setup_(setup), control_(control),
      budget_(options.memory_limit), partition_(std::move(partition)),
      part_(StatePart::make(model, options_, control, budget_, setup.numbered)),
      outbox_(budget_, setup.workers, room_for(model, setup.buffer_bytes), setup.spare),
      siblings_(budget_, setup.siblings == Setup::usual ? 0 : setup.siblings), batch_(budget_, model.max_state_bytes),
      arrived_(batch_states) {
    connect(this);
    for (uint32_t i = 0; i < partition_.classes(); ++i)
        if (partition_.owner_of_class(i) >= setup.workers)
            throw std::invalid_argument("a class belongs to a worker that is not there");
    if (setup.numbered) {
        if (setup.look_ahead || options_.max_depth != 0 || !options_.invariants.empty())
            throw std::invalid_argument("numbered states do not go with look-ahead, invariants or a depth limit");
        origins_.resize(batch_states);
        numbers_.resize(batch_states);
    }
    if (setup.rank >= setup.workers)
        throw std::invalid_argument("a worker's number is too large");
    if (!options_.invariants.empty()) {
        const size_t words = (model.atom_count + 63) / 64;
        truth_.resize(2 * words);
        required_.resize(words);
        for (const uint32_t atom : options_.invariants)
            required_.at(atom / 64) |= uint64_t{1} << (atom % 64);
    }
    aside_.resize(uint64_t{model.max_state_bytes} + ShortPlan::slack);
    out = batch_.room();
    if (out == nullptr)
        throw std::bad_alloc();
}

/* Every worker makes all of them: each counts, and keeps, its own. */
void DistributedSearch::begin() {
    origin_ = Origin::initial;
    model().initial(this);
    flush();
    if (lost)
        halt(Reason::memory);
}

bool DistributedSearch::expand(uint64_t most) {
    for (const std::string &state : present_later_)
        restore(reinterpret_cast<const uint8_t *>(state.data()), static_cast<uint32_t>(state.size()));
    flush();
    present_later_.clear();
    origin_ = Origin::step;
    for (; most > 0 && !stopped() && !outbox_.crowded(); --most) {
        const StatePart::State state = part_->next();
        if (state.bytes == nullptr) {
            flush();
            return false;
        }
        expand_state(state);
    }
    flush(); /* what is received meanwhile must not move what the part has opened */
    return !stopped();
}

void DistributedSearch::expand_state(StatePart::State state) {
    const uint64_t before = handed_over_;
    source_ = state;
    source_number_ = steps_ != nullptr ? number_of(part_->present()) : 0;
    sender_ = setup_.look_ahead && expanded_ < senders_.size() ? senders_[expanded_] : UINT32_MAX;
    ++expanded_;
    model().successors(state.bytes, state.length, this);
    if (lost) [[unlikely]]
        halt(Reason::memory);
    if (steps_ != nullptr && handed_over_ == before && !stopped() &&
        model().valid_end(state.bytes, state.length) == 0 && !steps_->stick(part_->present()))
        halt(Reason::memory);
    /* A model that was asked to stop may have left before its first step. */
    if (handed_over_ == before && !stopped() && options_.deadlock && model().valid_end(state.bytes, state.length) == 0)
        found({Kind::deadlock, -1, -1}, state.bytes, state.length, level_);
    if (part_->by_source() || setup_.look_ahead)
        flush();
}

void DistributedSearch::take(uint32_t length, uint32_t label) noexcept {
    if (mode_ == Mode::search) [[likely]] {
        ++handed_over_;
        if (steps_ != nullptr) {
            origins_[batch_.size()] = {source_number_, steps_->word_of(label, marks)};
            if (origin_ == Origin::step && !steps_->leave(part_->present()))
                halt(Reason::memory);
        }
        add(length);
    } else if (mode_ == Mode::look_ahead) {
        if (partition_.owner(out, length) == setup_.rank) {
            try {
                later_.emplace_back(reinterpret_cast<const char *>(out), length);
            } catch (const std::bad_alloc &) {
                halt(Reason::memory);
            }
        }
    } else {
        for (size_t i = 0; i < wanted_->size(); ++i) {
            const std::string &state = (*wanted_)[i];
            if (parents_[i].empty() && state.size() == length && std::memcmp(state.data(), out, length) == 0) {
                parents_[i].assign(reinterpret_cast<const char *>(source_.bytes), source_.length);
                --missing_;
            }
        }
    }
}

/* A batch is looked up together. Who looks ahead has all successors of a state in it: the model is asked again in between,
 * and must have ended before. */
void DistributedSearch::add(uint32_t length) noexcept {
    batch_.add(out, length);
    uint8_t *const room = setup_.look_ahead ? batch_.room() : batch_.room_in_batch();
    if (room != nullptr) [[likely]]
        out = room;
    else
        turn_over();
}

void DistributedSearch::complain(uint32_t code, uint32_t label) noexcept {
    if (mode_ != Mode::search)
        return;
    ++handed_over_;
    if (steps_ != nullptr && source_.bytes != nullptr && !steps_->end(source_number_, label, code))
        halt(Reason::memory);
    if (source_.bytes != nullptr)
        found({Kind::violation, code, label}, source_.bytes, source_.length, level_);
    else if (setup_.rank == 0) /* in the initial step, which every worker makes */
        found({Kind::violation, code, label}, nullptr, 0, 0);
}

void DistributedSearch::turn_over() noexcept {
    try {
        flush();
    } catch (const std::bad_alloc &) {
        halt(Reason::memory);
    }
    if (stopped())
        batch_.clear(); /* what it holds and still will is of no use */
    uint8_t *const room = batch_.room();
    if (room != nullptr)
        out = room;
    else
        halt(Reason::memory);
}

/* The batch, with where each state comes from. */
void DistributedSearch::flush_numbered() {
    const bool initial = origin_ == Origin::initial;
    if (!initial)
        transitions_ += batch_.size();
    Candidate *const first = batch_.begin(), *own = first;
    NumberedSteps::Origin *kept = origins_.data();
    const NumberedSteps::Origin *origin = origins_.data();
    for (Candidate *item = first; item != batch_.end(); ++item, ++origin) {
        const uint32_t owner = partition_.owner(item->state, item->length);
        if (owner == setup_.rank) {
            transitions_ += initial;
            *own++ = *item;
            *kept++ = *origin;
        } else if (!initial) {
            uint8_t tag[NumberedSteps::tag_bytes];
            NumberedSteps::write(*origin, tag);
            ++foreign_;
            if (!outbox_.put(owner, item->state, item->length, tag, sizeof tag))
                return halt(Reason::memory);
        }
    }
    keep_numbered(first, own, origins_.data());
}

/* No more than a batch of them. Initial states come from nowhere. */
void DistributedSearch::keep_numbered(Candidate *first, Candidate *last, const NumberedSteps::Origin *origins) {
    if (first == last)
        return;
    const Insertion outcome = part_->number(first, last, numbers_.data());
    if (outcome != Insertion::known)
        return settle(outcome);
    const auto count = static_cast<uint64_t>(last - first);
    for (uint64_t i = 0; i < count; ++i)
        if (!steps_->take(origins[i], number_of(numbers_[i]), origin_ == Origin::initial && starting_))
            return halt(Reason::memory);
}

void DistributedSearch::receive_numbered(const uint8_t *at, const uint8_t *end, uint32_t from) {
    NumberedSteps::Origin origins[batch_states];
    while (at != end && !stopped()) {
        uint64_t size = 0;
        for (; at != end && size < batch_states; ++size) {
            Candidate &item = arrived_[size];
            at = read_length(at, end, item.length);
            if (item.length > model().max_state_bytes ||
                uint64_t{item.length} + NumberedSteps::tag_bytes > static_cast<uint64_t>(end - at))
                throw BadBatch("a batch of states is damaged");
            item.state = at;
            origins[size] = NumberedSteps::read(at + item.length);
            at += item.length + NumberedSteps::tag_bytes;
            if (partition_.owner(item.state, item.length) != setup_.rank)
                throw BadBatch("a state was sent to a worker that does not own it");
            if (origins[size].source % setup_.workers != from || origins[size].source / setup_.workers >= UINT32_MAX)
                throw BadBatch("a step was sent by a worker that does not own its source");
        }
        origin_ = Origin::step;
        keep_numbered(arrived_.data(), arrived_.data() + size, origins);
    }
}

/* The batch: what is ours is stored, the rest goes to the outbox. */
void DistributedSearch::flush() {
    if (steps_ != nullptr && batch_.size() != 0) {
        if (!stopped())
            flush_numbered();
        batch_.clear();
        out = batch_.room();
        return;
    }
    if (batch_.size() != 0 && !stopped()) {
        Candidate *const first = batch_.begin(), *last = batch_.end();
        if (!storing()) {
            look_beyond_limit(first, last);
        } else {
            const bool initial = origin_ == Origin::initial;
            if (origin_ == Origin::step)
                transitions_ += batch_.size();
            const uint32_t skipped = sender_; /* who has the successors that it owns */
            const bool usual = setup_.siblings == Setup::usual;
            if (usual && !initial) /* of these every one counts */
                last = part_->leave_out_met(first, last);
            Candidate *own = leave_out_foreign(first, last);
            if (initial)
                transitions_ += static_cast<uint64_t>(own - first);
            for (uint64_t i = 0; i < foreign_count_ && !initial && !dropping_; ++i)
                if (foreign_states_[i].owner != skipped) {
                    ++foreign_;
                    if (!send(foreign_states_[i]))
                        halt(Reason::memory);
                }
            if (!usual || initial) {
                own = part_->leave_out_met(first, own);
                for (Candidate *item = first; item != own; ++item)
                    item->hash = hash_bytes(item->state, item->length);
            }
            sender_ = UINT32_MAX;
            keep(first, own);
            sender_ = skipped;
        }
    }
    batch_.clear();
    out = batch_.room();
}

/* The hash is kept for where the state is stored. */
uint32_t DistributedSearch::owner_of(Candidate &item) const {
    item.hash = hash_bytes(item.state, item.length);
    return partition_.by_hash() ? partition_.owner_by_hash(item.hash) : partition_.owner(item.state, item.length);
}

/* Those of others go to foreign_states_. Whose a state is is as good as random, so no branch depends on it. */
Candidate *DistributedSearch::leave_out_foreign(Candidate *first, Candidate *last) {
    const uint64_t most = static_cast<uint64_t>(last - first) + 1;
    if (foreign_states_.size() < most)
        foreign_states_.resize(most);
    Candidate *own = first;
    uint64_t count = 0;
    for (Candidate *item = first; item != last; ++item) {
        const uint32_t owner = owner_of(*item);
        const bool mine = owner == setup_.rank;
        foreign_states_[count] = {item->state, item->length, owner};
        *own = *item;
        count += !mine;
        own += mine;
    }
    foreign_count_ = count;
    return own;
}

void DistributedSearch::check_owners(Candidate *first, Candidate *last) const {
    bool wrong = false;
    for (Candidate *item = first; item != last; ++item)
        wrong |= owner_of(*item) != setup_.rank;
    if (wrong)
        throw BadBatch("a state was sent to a worker that does not own it");
}

bool DistributedSearch::send(const Foreign &item) {
    if (setup_.siblings != Setup::usual && siblings_.meet(item.state, item.length))
        return true;
    if (setup_.look_ahead)
        look_ahead(item.state, item.length);
    return outbox_.put_readable(item.owner, item.state, item.length);
}

void DistributedSearch::look_ahead(const uint8_t *state, uint32_t length) {
    uint8_t *const kept_out = out;
    mode_ = Mode::look_ahead;
    out = aside_.data();
    model().successors(state, length, this);
    mode_ = Mode::search;
    out = kept_out;
}

void DistributedSearch::keep(Candidate *first, Candidate *last) {
    Newcomers *const newcomers = required_.empty() && !setup_.look_ahead ? nullptr : this;
    while (first != last && !stopped()) {
        Candidate *const end = last - first > static_cast<ptrdiff_t>(batch_states) ? first + batch_states : last;
        settle(part_->store(first, end, newcomers));
        first = end;
    }
}

void DistributedSearch::settle(Insertion outcome) {
    if (outcome == Insertion::no_memory)
        halt(Reason::memory);
    else if (outcome == Insertion::full)
        halt(Reason::states);
}

/* Of the successors of states at the limit: is there an unknown one? */
void DistributedSearch::look_beyond_limit(Candidate *first, Candidate *last) {
    for (Candidate *item = first; item != last; ++item) {
        const uint32_t owner = partition_.owner(item->state, item->length);
        if (owner != setup_.rank) {
            ++foreign_;
            if (!outbox_.put(owner, item->state, item->length))
                return halt(Reason::memory);
            continue;
        }
        const bool known = part_->contains(*item);
        transitions_ += known;
        cut_ |= !known;
    }
}

void DistributedSearch::receive(const uint8_t *bytes, uint64_t count, uint32_t from) {
    const uint8_t *at = bytes, *const end = bytes + count;
    if (from >= setup_.workers || from == setup_.rank)
        throw BadBatch("a batch of states comes from a worker that is not there");
    if (steps_ != nullptr)
        return receive_numbered(at, end, from);
    sender_ = setup_.look_ahead ? from : UINT32_MAX;
    while (at != end) {
        uint64_t size = 0;
        for (; at != end && size < batch_states; ++size) {
            Candidate &item = arrived_[size];
            at = read_length(at, end, item.length);
            if (item.length > model().max_state_bytes || item.length > static_cast<uint64_t>(end - at))
                throw BadBatch("a batch of states is damaged");
            item.state = at;
            at += item.length;
        }
        if (stopped())
            return;
        /* What was met lately is not looked at any further, whoever's it is. */
        Candidate *const first = arrived_.data(), *last = first + size;
        if (storing())
            last = part_->leave_out_met(first, last);
        check_owners(first, last);
        if (!storing())
            look_beyond_limit(first, last);
        else
            keep(first, last);
    }
    sender_ = UINT32_MAX;
}

void DistributedSearch::restore(const uint8_t *state, uint32_t length) {
    if (length > model().max_state_bytes)
        throw BadBatch("a state is too long");
    origin_ = Origin::given;
    sender_ = UINT32_MAX;
    std::memcpy(out, state, length);
    add(length);
}

void DistributedSearch::end_level() {
    if (!part_->end_level())
        halt(Reason::memory);
    if (!starting_)
        ++level_;
    starting_ = false;
    senders_.swap(next_senders_);
    next_senders_.clear();
    expanded_ = 0;
    present_later_.swap(later_);
    later_.clear();
}

void DistributedSearch::meet(const uint8_t *state, uint32_t length) {
    if (setup_.look_ahead)
        next_senders_.push_back(sender_);
    if (required_.empty() || restoring_)
        return;
    model().atoms(state, length, truth_.data());
    each_broken(truth_, required_,
                [&](const Error &error) { found(error, state, length, starting_ ? 0 : level_ + 1); });
}

void DistributedSearch::found(const Error &error, const uint8_t *state, uint32_t length, uint64_t level) noexcept {
    try {
        ++errors_;
        if (options_.stop_at_first)
            halt(Reason::error);
        for (const Found &known : found_)
            if (known.error == error)
                return;
        if (found_.size() < most_found)
            found_.push_back({error, state == nullptr ? std::string() : std::string(reinterpret_cast<const char *>(state), length), level});
    } catch (const std::bad_alloc &) {
        halt(Reason::memory);
    }
}

std::vector<std::string> DistributedSearch::find_parents(uint64_t level, const std::vector<std::string> &states) {
    parents_.assign(states.size(), {});
    if (!part_->open_level(level))
        return parents_;
    wanted_ = &states;
    missing_ = states.size();
    mode_ = Mode::retrace;
    const volatile uint32_t *const kept = stop;
    stop = control_.stop_tracing_word();
    choice = every_step;
    while (missing_ > 0 && !control_.tracing_stopped()) {
        const StatePart::State state = part_->next();
        if (state.bytes == nullptr)
            break;
        source_ = state;
        out = aside_.data();
        model().successors(state.bytes, state.length, this);
    }
    stop = kept;
    mode_ = Mode::search;
    wanted_ = nullptr;
    return parents_;
}

} // namespace kripke
