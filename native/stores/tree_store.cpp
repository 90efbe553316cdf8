#include "stores/tree_store.h"

#include "searches/side_by_side.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

namespace kripke {

// ---- Shapes -----------------------------------------------------------------

TreeShape::TreeShape(uint32_t state_length, uint32_t shape_number) : length(state_length), number(shape_number) {
    const uint32_t count = std::max(2u, (length + 15) / 16 * 2);
    uint32_t offset = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const auto end = static_cast<uint32_t>(uint64_t{length} * (i + 1) / count);
        const uint32_t bytes = end - offset;
        leaves.push_back({offset, bytes == 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * bytes)) - 1});
        offset = end;
    }
    top.left = join(0, count / 2);
    top.right = join(count / 2, count);
    if (pairs.size() > 64)
        return;
    above.resize(count);
    const auto mark = [&](const auto &self, uint32_t node, uint64_t over) -> void {
        if (node < count) {
            above[node] = over;
            return;
        }
        over |= uint64_t{1} << (node - count);
        self(self, pairs[node - count].left, over);
        self(self, pairs[node - count].right, over);
    };
    mark(mark, top.left, 0);
    mark(mark, top.right, 0);
}

uint32_t TreeShape::join(uint32_t first, uint32_t last) {
    if (last - first == 1)
        return first;
    const uint32_t middle = first + (last - first + 1) / 2;
    const uint32_t left = join(first, middle), right = join(middle, last);
    pairs.push_back({left, right});
    return static_cast<uint32_t>(leaves.size() + pairs.size() - 1);
}

// ---- Room -------------------------------------------------------------------

TreeStore::TreeStore(Budget &budget, const SharedLimits &limits, Gate &gate)
    : budget_(budget), limits_(limits), gate_(gate), counts_(limits.max_states), nodes_(budget),
      roots_(std::make_unique<RootSet>(budget)) {}

bool TreeStore::View::make_more_room() {
    bool ready = true;
    while (ready && !store_.has_room())
        store_.gate_.alone([&] { ready = store_.make_room_alone(); });
    return ready;
}

bool TreeStore::make_room_alone() {
    if (broken_ || !nodes_.make_room(nodes_ahead()))
        return false;
    const uint64_t roots = size() + roots_ahead();
    const bool narrow = nodes_.capacity() >> number_width_ != 0 ||
                        shape_count_.load(std::memory_order_relaxed) > shapes_in_keys_;
    const bool misplaced = roots > roots_->capacity() && roots_->is_of_wrong_kind(key_bits_needed(), roots);
    if ((narrow || misplaced) && !widen_keys()) {
        broken_ = true;
        return false;
    }
    while (roots > roots_->capacity()) {
        ++spots_;
        if (!roots_->grow(limits_.workers))
            return false;
    }
    return true;
}

/* A block of roots is full. */
bool TreeStore::View::grow_roots(uint64_t spots) {
    bool grown = true;
    store_.gate_.alone([&] {
        if (store_.broken_ || store_.spots_ != spots)
            return;
        ++store_.spots_;
        grown = store_.roots_->grow(store_.limits_.workers);
    });
    return grown && !store_.broken_;
}

/* Make the keys wide enough for all numbers and shapes, as wide as the lines allow. The new set is filled beside the old
 * one, some handles at a time: that takes less than a list of all handles would. */
bool TreeStore::widen_keys() {
    constexpr size_t at_a_time = size_t{1} << 15;
    const uint64_t count = size();
    const uint32_t shape_width = shape_bits_needed(), needed = number_bits_needed();
    const uint32_t possible = (RootSet::widest_for(key_bits_needed(), count + roots_ahead()) - shape_width) / 2;
    const uint32_t width = std::max(needed, std::min(possible, number_bits));

    try {
        auto before = std::make_unique<RootSet>(budget_);
        std::vector<uint64_t> handles;
        handles.reserve(std::min<uint64_t>(count, at_a_time));
        const uint32_t width_before = number_width_;
        std::swap(before, roots_);
        number_width_ = width;
        ++spots_;
        shapes_in_keys_ = 1u << shape_width;
        bool all = roots_->reset(2 * width + shape_width, count + roots_ahead());
        const auto move = [&] {
            const uint64_t *const end = insert_roots(handles.data(), handles.data() + handles.size());
            for (const uint64_t *handle = handles.data(); all && handle != end; ++handle)
                while (all && roots_->insert(roots_->spot(key_of(*handle))) == RootSet::Insertion::crowded)
                    all = roots_->grow(limits_.workers); /* a block was full */
            handles.clear();
        };
        if (count != 0 && all)
            before->for_each([&](uint64_t key) {
                if (!all)
                    return;
                handles.push_back(handle_of(key, width_before));
                if (handles.size() == at_a_time)
                    move();
            });
        if (all)
            move();
        return all;
    } catch (const std::bad_alloc &) {
        return false;
    }
}

/* Insert the roots of these handles, by as many threads as there are workers. Those whose block is full are left over:
 * their end. */
uint64_t *TreeStore::insert_roots(uint64_t *first, uint64_t *last) {
    constexpr ptrdiff_t together = 16, worth_threads = 1 << 14;
    constexpr uint64_t inserted = 0; /* is no handle */
    const uint32_t threads = last - first < worth_threads ? 1 : limits_.workers;
    const ptrdiff_t share = (last - first + threads - 1) / threads;
    side_by_side(threads, [&](uint32_t number) {
        uint64_t *next = first + std::min(number * share, last - first);
        uint64_t *const end = next + std::min(share, last - next);
        while (next != end) {
            RootSet::Spot spots[together];
            const ptrdiff_t count = std::min(end - next, together);
            for (ptrdiff_t i = 0; i < count; ++i) {
                spots[i] = roots_->spot(key_of(next[i]));
                roots_->prefetch(spots[i]);
            }
            for (ptrdiff_t i = 0; i < count; ++i)
                if (roots_->insert(spots[i]) != RootSet::Insertion::crowded)
                    next[i] = inserted;
            next += count;
        }
    });
    return std::remove(first, last, inserted);
}

const TreeShape *TreeStore::shape_for(uint32_t length) {
    const std::lock_guard lock(shapes_mutex_);
    for (const auto &shape : shapes_)
        if (shape->length == length)
            return shape.get();
    const auto number = static_cast<uint32_t>(shapes_.size());
    shapes_.push_back(std::make_unique<TreeShape>(length, std::min(number, other_shape)));
    const TreeShape *shape = shapes_.back().get();
    const auto nodes = static_cast<uint32_t>(shape->leaves.size() + shape->pairs.size()) + 1;
    if (nodes > most_nodes_.load(std::memory_order_relaxed))
        most_nodes_.store(nodes, std::memory_order_relaxed);
    shape_count_.store(std::min(number, other_shape) + 1, std::memory_order_relaxed);
    return shape;
}

// ---- Views ------------------------------------------------------------------

TreeStore::View::View(TreeStore &store)
    : store_(store), numbers_(store.nodes_), count_(store.counts_.add_worker()),
      written_(uint64_t{store.limits_.max_state_bytes} + slack), recent_(new uint64_t[size_t{1} << recent_bits]()) {}

const TreeShape *TreeStore::View::find_shape(uint32_t length) {
    const TreeShape *&shape = shapes_[length];
    if (shape == nullptr)
        shape = store_.shape_for(length);
    longest_ = std::max(longest_, length);
    return shape;
}

uint64_t TreeStore::View::identify(const uint8_t *state, uint32_t length) {
    const TreeShape *const shape = shape_for(length);
    if (!store_.nodes_.has_room(store_.nodes_ahead()) && !make_more_room()) [[unlikely]]
        return 0;
    const size_t leaves = shape->leaves.size(), pairs = shape->pairs.size();
    if (work_.size() < leaves + pairs) {
        work_.resize(leaves + pairs);
        dirty_.resize(leaves + pairs);
    }
    uint32_t *const nodes = work_.data();
    const auto pair = [&](size_t i) {
        const TreeShape::Pair &children = shape->pairs[i];
        nodes[leaves + i] = numbers_.number(uint64_t{nodes[children.left]} << 32 | nodes[children.right]);
    };
    if (shape != source_.shape) {
        for (size_t i = 0; i < leaves; ++i)
            nodes[i] = numbers_.number(load_word(state + shape->leaves[i].offset) & shape->leaves[i].mask);
        for (size_t i = 0; i < pairs; ++i)
            pair(i);
    } else {
        const uint8_t *const source = source_.bytes.data();
        std::memcpy(nodes, source_.nodes.data(), (leaves + pairs) * sizeof(uint32_t));
        const bool masks = !shape->above.empty();
        uint64_t changed = 0;
        for (size_t i = 0; i < leaves; ++i) {
            const auto &[offset, mask] = shape->leaves[i];
            const uint64_t word = load_word(state + offset);
            const bool differs = ((word ^ load_word(source + offset)) & mask) != 0;
            if (!masks)
                dirty_[i] = differs;
            if (differs) {
                nodes[i] = numbers_.number(word & mask);
                if (masks)
                    changed |= shape->above[i];
            }
        }
        for (; changed != 0; changed &= changed - 1)
            pair(static_cast<size_t>(__builtin_ctzll(changed)));
        if (!masks)
            for (size_t i = 0; i < pairs; ++i) {
                dirty_[leaves + i] = dirty_[shape->pairs[i].left] | dirty_[shape->pairs[i].right];
                if (dirty_[leaves + i])
                    pair(i);
            }
    }
    uint64_t right = nodes[shape->top.right];
    if (shape->number == other_shape)
        right = numbers_.number(right << 32 | length);
    return uint64_t{shape->number} << (2 * number_bits) | uint64_t{nodes[shape->top.left]} << number_bits | right;
}

void TreeStore::View::unfold(uint64_t handle, Unfolded &to) {
    const auto number = static_cast<uint32_t>(handle >> (2 * number_bits));
    auto right = static_cast<uint32_t>(handle & number_mask);
    if (number == other_shape) {
        const uint64_t both = store_.nodes_.word(right);
        right = static_cast<uint32_t>(both >> 32);
        to.shape = find_shape(static_cast<uint32_t>(both));
    } else if (to.shape == nullptr || to.shape->number != number) {
        const std::lock_guard lock(store_.shapes_mutex_);
        to.shape = store_.shapes_[number].get();
    }
    const TreeShape &shape = *to.shape;
    const size_t leaves = shape.leaves.size(), pairs = shape.pairs.size();
    if (to.nodes.size() < leaves + pairs)
        to.nodes.resize(leaves + pairs);
    if (to.bytes.size() < uint64_t{shape.length} + slack)
        to.bytes.resize(uint64_t{shape.length} + slack);
    uint32_t *const nodes = to.nodes.data();
    nodes[shape.top.left] = static_cast<uint32_t>(handle >> number_bits & number_mask);
    nodes[shape.top.right] = right;
    for (size_t i = pairs; i-- > 0;) {
        const uint64_t children = store_.nodes_.word(nodes[leaves + i]);
        nodes[shape.pairs[i].left] = static_cast<uint32_t>(children >> 32);
        nodes[shape.pairs[i].right] = static_cast<uint32_t>(children);
    }
    /* A leaf of fewer bytes is overwritten from its end on by the next. */
    for (size_t i = 0; i < leaves; ++i)
        store_word(to.bytes.data() + shape.leaves[i].offset, store_.nodes_.word(nodes[i]));
}

uint64_t TreeStore::View::count_known() {
    begin_batch();
    uint64_t known = 0;
    for (uint32_t i = 0; i < items_size_ && !store_.broken_; ++i)
        known += store_.roots_->contains(items_[i].spot);
    items_size_ = 0;
    batch_ = 0;
    return known;
}

} // namespace kripke
