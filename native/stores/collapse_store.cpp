#include "stores/collapse_store.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace kripke {

namespace {

/* Do two strings of the same length differ? They are short. */
inline bool differ(const uint8_t *one, const uint8_t *other, uint32_t length) {
    if (length >= 8) {
        const uint8_t *const last = one + length - 8;
        uint64_t changed = load_word(last) ^ load_word(other + length - 8);
        for (; one < last; one += 8, other += 8)
            changed |= load_word(one) ^ load_word(other);
        return changed != 0;
    }
    uint32_t changed = 0;
    for (uint32_t i = 0; i < length; ++i)
        changed |= static_cast<uint32_t>(one[i] ^ other[i]);
    return changed != 0;
}

} // namespace

// ---- Cuts -------------------------------------------------------------------

StateCut::StateCut(const std::vector<kripke_component> &parts, uint32_t own_number) : number(own_number), room(0) {
    for (const auto &[table, bytes] : parts) {
        const uint32_t count = (bytes + CollapseStore::longest_piece - 1) / CollapseStore::longest_piece;
        for (uint32_t i = 0; i < count; ++i) {
            const auto begin = static_cast<uint32_t>(uint64_t{bytes} * i / count);
            const auto end = static_cast<uint32_t>(uint64_t{bytes} * (i + 1) / count);
            pieces.push_back({length + begin, end - begin, table, 0});
            room += ComponentTable::room_for(end - begin);
        }
        length += bytes;
    }
    /* An even number of leaves of two places each, as evenly filled as can be: then the two
     * halves of a list have about as many values. The cut is the last of all. */
    const uint64_t all = pieces.size() + 1, leaves = (all + 3) / 4 * 2;
    list_length = static_cast<uint32_t>(2 * leaves);
    for (uint64_t leaf = 0; leaf < leaves; ++leaf)
        for (uint64_t i = all * leaf / leaves, place = 2 * leaf; i < all * (leaf + 1) / leaves; ++i, ++place)
            if (i < pieces.size())
                pieces[i].place = static_cast<uint32_t>(place);
}

bool CollapseStore::Before::operator()(const Parts &one, const Parts &other) const {
    const auto less = [](const kripke_component &a, const kripke_component &b) {
        return a.table != b.table ? a.table < b.table : a.length < b.length;
    };
    return std::lexicographical_compare(one.begin(), one.end(), other.begin(), other.end(), less);
}

const StateCut *CollapseStore::cut_of(const Parts &parts) {
    const std::lock_guard lock(cuts_mutex_);
    const auto [found, fresh] = numbers_.try_emplace(parts, static_cast<uint32_t>(cuts_.size()));
    if (!fresh)
        return cuts_[found->second].get();
    cuts_.push_back(std::make_unique<StateCut>(parts, found->second));
    const StateCut *const cut = cuts_.back().get();
    const auto count = static_cast<uint32_t>(cut->pieces.size());
    most_pieces_.store(std::max(most_pieces_.load(std::memory_order_relaxed), count), std::memory_order_relaxed);
    most_room_.store(std::max(most_room_.load(std::memory_order_relaxed), cut->room), std::memory_order_relaxed);
    return cut;
}

const StateCut *CollapseStore::cut(uint32_t number) {
    const std::lock_guard lock(cuts_mutex_);
    return cuts_[number].get();
}

// ---- The store --------------------------------------------------------------

CollapseStore::CollapseStore(Budget &budget, const SharedLimits &limits, Gate &gate)
    : limits_(limits), model_(*limits.model),
      by_length_(model_.components == nullptr || (model_.flags & KRIPKE_COMPONENTS_BY_LENGTH) != 0), gate_(gate),
      components_(budget, model_.components == nullptr ? 1 : std::max(1u, model_.component_tables)),
      lists_(budget, of_lists(limits), gate) {}

SharedLimits CollapseStore::of_lists(const SharedLimits &limits) {
    const kripke_model &model = *limits.model;
    const uint64_t components = model.components == nullptr ? 1 : model.max_components;
    const uint64_t pieces = components + model.max_state_bytes / longest_piece + 1;
    SharedLimits own = limits;
    own.max_state_bytes = static_cast<uint32_t>((pieces + 4) * sizeof(uint32_t));
    return own;
}

StoreFigures CollapseStore::figures() const {
    StoreFigures figures;
    const bool known = model_.components != nullptr;
    for (uint32_t table = 0; table < (known ? model_.component_tables : 1); ++table)
        figures.components.emplace_back(known ? model_.component_names[table] : "parts", components_.count(table));
    return figures;
}

// ---- Views ------------------------------------------------------------------

CollapseStore::View::View(CollapseStore &store)
    : ViewOverTree(store.lists_, of_lists(store.limits_).max_state_bytes / sizeof(uint32_t), store.limits_.max_state_bytes),
      store_(store), parts_(store.model_.components == nullptr ? 1 : store.model_.max_components) {}

bool CollapseStore::View::make_more_room() {
    bool ready = true;
    while (ready && !store_.has_room())
        store_.gate_.alone([&] { ready = store_.components_.make_room(store_.ahead(), store_.room_ahead()); });
    return ready;
}

const StateCut *CollapseStore::View::cut_of(const uint8_t *state, uint32_t length) {
    if (store_.by_length_) {
        if (source_.cut != nullptr && source_.cut->length == length) [[likely]]
            return source_.cut;
        if (const auto found = by_length_.find(length); found != by_length_.end())
            return found->second;
    }
    const kripke_model &model = store_.model_;
    const uint32_t most = model.components == nullptr ? 1 : model.max_components;
    parts_.resize(most);
    if (model.components == nullptr)
        parts_.front() = {0, length};
    else
        parts_.resize(model.components(&model, state, length, parts_.data()));
    const StateCut *&cut = cuts_[parts_];
    if (cut == nullptr)
        cut = store_.cut_of(parts_);
    assert(cut->length == length);
    if (store_.by_length_)
        by_length_.emplace(length, cut);
    return cut;
}

uint32_t CollapseStore::View::write(const uint8_t *state, uint32_t length, uint32_t *to) {
    const StateCut &cut = *cut_of(state, length);
    if (!store_.has_room() && !make_more_room()) [[unlikely]]
        return 0;
    const uint32_t bytes = cut.list_length * static_cast<uint32_t>(sizeof(uint32_t));
    if (&cut == source_.cut) {
        const uint8_t *const source = source_.bytes.data();
        std::memcpy(to, source_.list.data(), bytes);
        for (const StateCut::Piece &piece : cut.pieces)
            if (differ(state + piece.offset, source + piece.offset, piece.length))
                to[piece.place] = store_.components_.number(piece.kind, state + piece.offset, piece.length);
        return bytes;
    }
    std::memset(to, 0, bytes);
    for (const StateCut::Piece &piece : cut.pieces)
        to[piece.place] = store_.components_.number(piece.kind, state + piece.offset, piece.length);
    to[cut.list_length - 1] = cut.number;
    return bytes;
}

void CollapseStore::View::read(const uint32_t *list, uint32_t bytes, UnfoldedList &to) {
    const size_t places = bytes / sizeof(uint32_t);
    if (to.list.size() < places)
        to.list.resize(places);
    std::memcpy(to.list.data(), list, bytes);
    const uint32_t number = to.list[places - 1];
    if (to.cut == nullptr || to.cut->number != number)
        to.cut = store_.cut(number);
    if (to.bytes.size() < to.cut->length)
        to.bytes.resize(to.cut->length);
    for (const StateCut::Piece &piece : to.cut->pieces)
        std::memcpy(to.bytes.data() + piece.offset, store_.components_.string(to.list[piece.place]), piece.length);
}

} // namespace kripke
