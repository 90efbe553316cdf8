#include "distributed/state_part.h"

#include "memory/stack.h"
#include "memory/varint.h"
#include "searches/gate.h"
#include "stores/bitstate_store.h"
#include "stores/hash_compact_store.h"
#include "stores/store.h"
#include "stores/tree_store.h"

#include <cstring>
#include <stdexcept>

namespace kripke {

namespace {

// ---- full -----------------------------------------------------------------------------------

class FullPart final : public StatePart {
  public:
    FullPart(const kripke_model &model, const Options &options, Control &control, Budget &budget, bool numbered)
        : store_(budget, control.stop_word(), model.max_state_bytes, options.max_states, numbered ? sizeof(uint32_t) : 0),
          layers_(budget), buffer_(model.max_state_bytes) {
        if (!layers_.push(0) || !layers_.push(0))
            throw std::bad_alloc();
    }

    Candidate *leave_out_met(Candidate *first, Candidate *last) override { return store_.leave_out_met(first, last); }

    Insertion store(Candidate *first, Candidate *last, Newcomers *newcomers) override {
        uint64_t bytes = 0;
        for (const Candidate *item = first; item != last; ++item)
            bytes += item->length;
        switch (store_.make_room(static_cast<uint64_t>(last - first), bytes)) {
        case Store::Room::no_memory:
            return Insertion::no_memory;
        case Store::Room::stopped:
            return Insertion::full;
        case Store::Room::ready:
            break;
        }
        const Candidate *const end = store_.leave_out_known_hashed(first, last);
        for (const Candidate *item = first; item != end; ++item) {
            const auto [outcome, offset] = store_.find_or_insert(*item);
            if (outcome == Store::Insertion::full)
                return Insertion::full;
            if (outcome == Store::Insertion::inserted && newcomers != nullptr)
                newcomers->meet(item->state, item->length);
        }
        return Insertion::known;
    }

    Insertion number(Candidate *first, Candidate *last, uint32_t *numbers) override {
        uint64_t bytes = 0;
        for (const Candidate *item = first; item != last; ++item)
            bytes += item->length;
        const auto count = static_cast<uint64_t>(last - first);
        if (store_.size() + count >= UINT32_MAX || store_.make_room(count, bytes) != Store::Room::ready)
            return Insertion::no_memory;
        store_.begin(first, last);
        for (const Candidate *item = first; item != last; ++item, ++numbers) {
            *numbers = static_cast<uint32_t>(store_.size());
            const auto [outcome, offset] = store_.find_or_insert(item->state, item->length, item->hash, item->probe);
            if (outcome == Store::Insertion::full)
                return Insertion::full;
            uint8_t *const payload = store_.record(offset).payload;
            if (outcome == Store::Insertion::inserted)
                std::memcpy(payload, numbers, sizeof *numbers);
            else
                std::memcpy(numbers, payload, sizeof *numbers);
        }
        return Insertion::known;
    }

    uint64_t present() const override { return taken_ - 1; }

    void read(const std::vector<uint64_t> &numbers, std::vector<std::string> &states,
              std::vector<uint64_t> &levels) override {
        uint64_t offset = 0, number = 0, layer = 1;
        for (const uint64_t wanted : numbers) {
            Record record = store_.record(offset);
            for (; number < wanted && record.next < store_.end(); ++number) {
                offset = record.next;
                record = store_.record(offset);
            }
            while (layer + 1 < layers_.size() && layers_[layer + 1] <= offset)
                ++layer;
            states.emplace_back(reinterpret_cast<const char *>(store_.state(record, buffer_)), record.length);
            levels.push_back(layer - 1);
        }
    }

    bool contains(Candidate &state) override {
        if (store_.size() == 0)
            return false;
        store_.begin(&state, &state + 1);
        return store_.find(state.state, state.length, state.hash, state.probe) != no_state;
    }

    State next() override {
        if (next_ >= end_)
            return {nullptr, 0};
        const Record record = store_.record(next_);
        next_ = record.next;
        ++taken_;
        return {store_.state(record, buffer_), record.length};
    }
    void rewind() override {
        next_ = layers_[layers_.size() - 2];
        taken_ = before_;
    }
    bool end_level() override {
        if (!layers_.push(store_.end()))
            return false;
        next_ = layers_[layers_.size() - 2];
        end_ = store_.end();
        before_ = known_;
        known_ = store_.size();
        taken_ = before_;
        return true;
    }
    uint64_t level_size() const override { return known_ - before_; }
    uint64_t queue() const override { return store_.size() - taken_; }

    /* layers_ begins with 0, 0; level l lies from layers_[l + 1] to layers_[l + 2]. */
    bool open_level(uint64_t level) override {
        if (level + 2 >= layers_.size())
            return false;
        next_ = layers_[level + 1];
        end_ = layers_[level + 2];
        return true;
    }

    uint64_t size() const override { return store_.size(); }
    uint64_t bytes() const override { return store_.arena_bytes() + store_.table_bytes(); }
    uint32_t longest() const override { return store_.longest(); }

  private:
    Store store_;
    Stack<uint64_t> layers_; /* where each begins */
    StateBuffer buffer_;
    uint64_t next_ = 0, end_ = 0;                 /* of what is gone through */
    uint64_t before_ = 0, known_ = 0, taken_ = 0; /* states before the present level, with it, asked for */
};

// ---- tree -----------------------------------------------------------------------------------

SharedLimits limits_of(const kripke_model &model, const Options &options, Control &control) {
    SharedLimits limits = options.shared;
    limits.workers = 1;
    limits.max_state_bytes = model.max_state_bytes;
    limits.model = &model;
    limits.max_states = options.max_states;
    limits.stop = control.stop_word();
    return limits;
}

/* The gate of a store that one worker has for itself. */
class OwnGate : public Gate {
  public:
    OwnGate() : Gate(1) { come_back(); }
};

class TreePart final : public StatePart {
  public:
    TreePart(const kripke_model &model, const Options &options, Control &control, Budget &budget)
        : store_(budget, limits_of(model, options, control), gate_), view_(store_), levels_{Stack<uint64_t>(budget), Stack<uint64_t>(budget)} {}

    bool by_source() const override { return true; }

    Insertion store(Candidate *first, Candidate *last, Newcomers *newcomers) override {
        for (const Candidate *item = first; item != last; ++item) {
            /* Room is made after it is identified: its length may be a new one, for which the keys must have bits. */
            const uint64_t handle = view_.identify(item->state, item->length);
            if (handle == 0 || !view_.make_room())
                return Insertion::no_memory;
            const Insertion outcome = view_.insert(handle, item->state, item->length);
            if (outcome == Insertion::known)
                continue;
            if (outcome != Insertion::inserted)
                return outcome;
            if (!levels_[1 - present_].push(handle))
                return Insertion::no_memory;
            if (newcomers != nullptr)
                newcomers->meet(item->state, item->length);
        }
        return Insertion::known;
    }

    bool contains(Candidate &state) override {
        return store_.size() != 0 && view_.handle_of(state.state, state.length) != 0;
    }

    State next() override {
        Stack<uint64_t> &level = levels_[present_];
        if (taken_ == level.size())
            return {nullptr, 0};
        view_.open(level[taken_++]);
        return {view_.state(), view_.length()};
    }
    void rewind() override { taken_ = 0; }
    bool end_level() override {
        levels_[present_].shrink(0);
        present_ = 1 - present_;
        taken_ = 0;
        return true;
    }
    uint64_t level_size() const override { return levels_[present_].size(); }
    uint64_t queue() const override { return levels_[present_].size() - taken_ + levels_[1 - present_].size(); }

    uint64_t size() const override { return store_.size(); }
    uint64_t bytes() const override { return store_.bytes(); }
    uint32_t longest() const override { return view_.longest(); }

  private:
    OwnGate gate_;
    TreeStore store_;
    TreeStore::View view_;
    Stack<uint64_t> levels_[2];
    uint32_t present_ = 0;
    uint64_t taken_ = 0;
};

// ---- hash compaction, bitstate ----------------------------------------------------------------

template <class AnyStore> class HashPart final : public StatePart {
  public:
    HashPart(const kripke_model &model, const Options &options, Control &control, Budget &budget)
        : store_(budget, limits_of(model, options, control), gate_), view_(store_), levels_{Level(budget), Level(budget)} {}

    Insertion store(Candidate *first, Candidate *last, Newcomers *newcomers) override {
        for (Candidate *item = first; item != last; ++item) {
            item->hash = view_.identify(item->state, item->length);
            view_.prefetch(item->hash);
        }
        for (const Candidate *item = first; item != last; ++item) {
            if (!view_.make_room())
                return Insertion::no_memory;
            const Insertion outcome = view_.insert(item->hash, item->state, item->length);
            if (outcome == Insertion::known)
                continue;
            if (outcome != Insertion::inserted)
                return outcome;
            if (!levels_[1 - present_].add(item->state, item->length))
                return Insertion::no_memory;
            if (newcomers != nullptr)
                newcomers->meet(item->state, item->length);
        }
        return Insertion::known;
    }

    bool contains(Candidate &state) override {
        return store_.size() != 0 && view_.contains(view_.identify(state.state, state.length), state.state, state.length);
    }

    State next() override {
        Level &level = levels_[present_];
        if (taken_ == level.count)
            return {nullptr, 0};
        ++taken_;
        uint32_t length = 0;
        const uint8_t *const state = get_varint(&level.bytes[at_], length);
        at_ = static_cast<uint64_t>(state - &level.bytes[0]) + length;
        return {state, length};
    }
    void rewind() override { taken_ = at_ = 0; }
    bool end_level() override {
        levels_[present_].bytes.shrink(0);
        levels_[present_].count = 0;
        present_ = 1 - present_;
        rewind();
        return true;
    }
    uint64_t level_size() const override { return levels_[present_].count; }
    uint64_t queue() const override { return levels_[present_].count - taken_ + levels_[1 - present_].count; }

    uint64_t size() const override { return store_.size(); }
    uint64_t bytes() const override { return store_.bytes(); }
    uint32_t longest() const override { return view_.longest(); }
    StoreFigures figures() const override { return store_.figures(); }

  private:
    struct Level {
        explicit Level(Budget &budget) : bytes(budget) {}

        bool add(const uint8_t *state, uint32_t length) {
            if (!bytes.make_room(uint64_t{length} + max_varint_bytes + Packing::slack))
                return false;
            uint8_t *const start = bytes.end(), *const at = put_varint(start, length);
            std::memcpy(at, state, length);
            bytes.extend(static_cast<uint64_t>(at - start) + length);
            ++count;
            return true;
        }

        Stack<uint8_t> bytes;
        uint64_t count = 0;
    };

    OwnGate gate_;
    AnyStore store_;
    typename AnyStore::View view_;
    Level levels_[2];
    uint32_t present_ = 0;
    uint64_t taken_ = 0, at_ = 0;
};

} // namespace

std::unique_ptr<StatePart> StatePart::make(const kripke_model &model, const Options &options, Control &control,
                                           Budget &budget, bool numbered) {
    if (numbered && options.store != StoreKind::full)
        throw std::invalid_argument("states are numbered in the full store");
    switch (options.store) {
    case StoreKind::full:
        return std::make_unique<FullPart>(model, options, control, budget, numbered);
    case StoreKind::tree:
        return std::make_unique<TreePart>(model, options, control, budget);
    case StoreKind::hash_compact:
        if (options.shared.hash_bits == 64)
            return std::make_unique<HashPart<HashCompactStore<uint64_t>>>(model, options, control, budget);
        return std::make_unique<HashPart<HashCompactStore<uint32_t>>>(model, options, control, budget);
    case StoreKind::bitstate:
        return std::make_unique<HashPart<BitstateStore>>(model, options, control, budget);
    default:
        throw std::invalid_argument("a distributed search has the stores \"full\", \"tree\", \"hashcompact\" or \"bitstate\"");
    }
}

} // namespace kripke
