#include "searches/disk_breadth_first.h"

#include "memory/hash.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <new>

namespace kripke {

namespace {

constexpr uint64_t most_in_memory = uint64_t{1} << 30; /* bytes of candidates */
constexpr uint64_t usually_in_memory = uint64_t{256} << 20;

/* Looks whether a step of a state leads to another. */
class StepFinder final : public Sink {
  public:
    StepFinder(const kripke_model &model, const Control &control)
        : Sink(model, control.stop_tracing_word()), buffer_(model.max_state_bytes) {
        connect(this);
        out = buffer_.data();
    }
    bool leads(const StateView &from, const std::string &to) {
        wanted_ = {reinterpret_cast<const uint8_t *>(to.data()), static_cast<uint32_t>(to.size())};
        found_ = false;
        model().successors(from.bytes, from.length, this);
        return found_;
    }
    void take(uint32_t length, uint32_t) noexcept { found_ |= wanted_.compare({buffer_.data(), length}) == 0; }
    void complain(uint32_t, uint32_t) noexcept {}

  private:
    std::vector<uint8_t> buffer_;
    StateView wanted_{nullptr, 0};
    bool found_ = false;
};

std::string string_of(const StateView &state) { return {reinterpret_cast<const char *>(state.bytes), state.length}; }

} // namespace

// ---- Candidates -------------------------------------------------------------

class DiskBreadthFirst::Worker final : public ParallelWorker {
  public:
    explicit Worker(DiskBreadthFirst &parallel)
        : ParallelWorker(parallel), search_(parallel), spilled_(parallel.options().shared.folder), bytes_(parallel.budget()),
          items_(parallel.budget()), lately_(size_t{1} << lately_bits),
          share_(parallel.budget().limit() == UINT64_MAX ? usually_in_memory
                                                     : std::min(parallel.budget().limit() / 2, most_in_memory)) {
        connect(this);
    }

    bool good() const { return spilled_.good(); }

    void begin() {
        if (make_room())
            model().initial(this);
    }

    void expand_state(const StateView &state) {
        current_ = state;
        if (make_room())
            expand(state.bytes, state.length);
    }

    void take(uint32_t length, uint32_t) noexcept {
        ++handed_over_;
        if (stopped())
            return;
        count_transitions(1);
        longest_ = std::max(longest_, length);
        const StateView state{bytes_.end(), length};
        const uint64_t hash = hash_bytes(state.bytes, length);
        uint32_t &met = lately_[hash >> (64 - lately_bits)];
        if (met != 0 && view(items_[met - 1]).compare(state) == 0)
            return;
        if (!items_.push({0, static_cast<uint32_t>(bytes_.size()), length}))
            return halt(Reason::memory);
        met = static_cast<uint32_t>(items_.size());
        bytes_.extend(length);
        make_room();
    }

    /* Merge the candidates without what is known. Their layer, to be looked at by
     * `each(state)`. */
    template <class Each> bool merge(ScratchFile &to, const std::vector<Known> &known, SortedRun &layer, Each each);

    std::vector<std::string> path() const override {
        return current_.bytes == nullptr ? std::vector<std::string>{} : std::vector{string_of(current_)};
    }
    uint32_t longest() const override { return longest_; }
    void look_at(const StateView &state) {
        current_ = state;
        if (checks_states())
            check_state(state.bytes, state.length);
    }

  private:
    static constexpr uint32_t lately_bits = 15;

    struct Item {
        uint64_t key; /* the first bytes in which candidates differ */
        uint32_t offset, length;
    };

    StateView view(const Item &item) const { return {&bytes_[item.offset], item.length}; }

    /* For one more candidate. */
    bool make_room() {
        const uint64_t needed = uint64_t{model().max_state_bytes} + 8;
        const uint64_t used = bytes_.size() + items_.size() * sizeof(Item);
        const bool crowded = used > share_ || bytes_.size() + needed > UINT32_MAX;
        if (items_.size() > least_spilled && (crowded || !bytes_.make_room(needed)) && !spill())
            return false;
        if (!bytes_.make_room(needed)) {
            halt(Reason::memory);
            return false;
        }
        out = bytes_.end();
        return true;
    }

    void sort();
    bool spill() noexcept;
    void forget() {
        bytes_.shrink(0);
        items_.shrink(0);
        std::fill(lately_.begin(), lately_.end(), 0);
    }

    static constexpr uint64_t least_spilled = 1000; /* candidates, so that there are not too many runs */

    DiskBreadthFirst &search_;
    ScratchFile spilled_;
    std::vector<SortedRun> runs_; /* in that file */
    Stack<uint8_t> bytes_;        /* of the candidates in memory */
    Stack<Item> items_;
    std::vector<uint32_t> lately_; /* numbers of items, from 1, by hash */
    const uint64_t share_;
    StateView current_{nullptr, 0}; /* being looked at */
    uint32_t longest_ = 0;
};

void DiskBreadthFirst::Worker::sort() {
    if (items_.empty())
        return;
    uint32_t shared = items_[0].length;
    const StateView first = view(items_[0]);
    for (uint64_t i = 1; i < items_.size(); ++i) {
        const StateView other = view(items_[i]);
        shared = std::min(shared, other.length);
        while (std::memcmp(first.bytes, other.bytes, shared) != 0)
            --shared;
    }
    for (uint64_t i = 0; i < items_.size(); ++i) {
        Item &item = items_[i];
        item.key = 0;
        for (uint32_t place = shared; place < shared + 8; ++place)
            item.key = item.key << 8 | (place < item.length ? bytes_[item.offset + place] : 0);
    }
    std::sort(&items_[0], items_.end(), [this](const Item &a, const Item &b) {
        return a.key != b.key ? a.key < b.key : view(a).compare(view(b)) < 0;
    });
}

bool DiskBreadthFirst::Worker::spill() noexcept {
    try {
        sort();
        RunWriter writer(spilled_);
        bool good = true;
        for (uint64_t i = 0; good && i < items_.size(); ++i)
            if (i == 0 || view(items_[i - 1]).compare(view(items_[i])) != 0)
                good = writer.add(view(items_[i]));
        bool finished = false;
        runs_.push_back(writer.finish(finished));
        forget();
        if (!good || !finished)
            halt(Reason::disk);
    } catch (const std::bad_alloc &) {
        halt(Reason::memory);
    }
    return !stopped();
}

template <class Each>
bool DiskBreadthFirst::Worker::merge(ScratchFile &to, const std::vector<Known> &known, SortedRun &layer, Each each) {
    sort();
    std::deque<RunReader> fresh, old;
    for (const SortedRun &run : runs_)
        if (!fresh.emplace_back(run).next())
            fresh.pop_back();
    for (const Known &one : known)
        if (!old.emplace_back(one.run).next())
            old.pop_back();
    std::vector<RunReader *> fresh_left, old_left;
    for (RunReader &reader : fresh)
        fresh_left.push_back(&reader);
    for (RunReader &reader : old)
        old_left.push_back(&reader);

    RunWriter writer(to);
    std::vector<uint8_t> least(model().max_state_bytes + size_t{1});
    uint64_t item = 0;
    bool good = true;
    while (good && !stopped() && (item < items_.size() || !fresh_left.empty())) {
        StateView state = item < items_.size() ? view(items_[item]) : fresh_left.front()->state();
        for (const RunReader *reader : fresh_left)
            if (reader->state().compare(state) < 0)
                state = reader->state();
        std::memcpy(least.data(), state.bytes, state.length);
        state.bytes = least.data();
        while (item < items_.size() && view(items_[item]).compare(state) == 0)
            ++item;
        for (size_t i = fresh_left.size(); i-- > 0;)
            if (fresh_left[i]->state().compare(state) == 0 && !fresh_left[i]->next())
                fresh_left.erase(fresh_left.begin() + static_cast<ptrdiff_t>(i));
        bool is_known = false;
        for (size_t i = old_left.size(); i-- > 0;) {
            bool same = false;
            if (!old_left[i]->seek(state, same))
                old_left.erase(old_left.begin() + static_cast<ptrdiff_t>(i));
            is_known |= same;
        }
        if (!is_known)
            good = writer.add(state) && each(state); /* the last one, too: a path may lead to it */
    }
    bool finished = false;
    layer = writer.finish(finished);
    const auto failed = [](const RunReader &reader) { return reader.failed(); };
    if (!good || !finished || std::any_of(fresh.begin(), fresh.end(), failed) ||
        std::any_of(old.begin(), old.end(), failed))
        halt(Reason::disk); /* unless there is a reason already */
    runs_.clear();
    spilled_.clear();
    forget();
    return !stopped();
}

// ---- Layers -----------------------------------------------------------------

DiskBreadthFirst::DiskBreadthFirst(const kripke_model &model, const Options &options, Control &control)
    : ParallelSearch(model, options, control), layer_file_(options.shared.folder), worker_(std::make_unique<Worker>(*this)) {}

DiskBreadthFirst::~DiskBreadthFirst() = default;

void DiskBreadthFirst::explore() {
    try {
        search();
    } catch (const std::bad_alloc &) {
        control_.stop(Reason::memory);
    }
}

void DiskBreadthFirst::search() {
    if (!layer_file_.good() || !worker_->good())
        return control_.stop(Reason::disk);
    const auto keep = [this](const StateView &state) {
        if (options_.max_states != 0 && states_ == options_.max_states) {
            control_.stop(Reason::states);
            return false;
        }
        ++states_;
        worker_->look_at(state);
        if (control_.asked()) [[unlikely]]
            control_.publish(now());
        return !control_.stopped();
    };
    worker_->begin();
    while (!control_.stopped()) {
        SortedRun layer{};
        const bool good = worker_->merge(layer_file_, known_, layer, keep);
        if (layer.states == 0)
            break;
        layers_.push_back(layer); /* also where the search ends: paths may lead to its states */
        if (!good || !remember(layer))
            break;
        RunReader reader(layer);
        while (!control_.stopped() && reader.next()) {
            worker_->expand_state(reader.state());
            ++expanded_;
            if (control_.asked()) [[unlikely]]
                control_.publish(now());
        }
        if (reader.failed())
            control_.stop(Reason::disk);
    }
}

bool DiskBreadthFirst::remember(const SortedRun &layer) {
    known_.push_back({layer, nullptr});
    while (known_.size() > 1 && known_[known_.size() - 2].run.states < 2 * known_.back().run.states)
        if (!join_last_two())
            return false;
    return true;
}

bool DiskBreadthFirst::join_last_two() {
    auto file = std::make_shared<ScratchFile>(options_.shared.folder);
    RunReader left(known_[known_.size() - 2].run), right(known_.back().run);
    RunWriter writer(*file);
    bool good = file->good(), more_left = left.next(), more_right = right.next();
    while (good && (more_left || more_right) && !control_.stopped()) {
        const bool from_left = more_left && (!more_right || left.state().compare(right.state()) < 0);
        good = writer.add(from_left ? left.state() : right.state());
        (from_left ? more_left : more_right) = (from_left ? left : right).next();
        if (control_.asked()) [[unlikely]]
            control_.publish(now());
    }
    bool finished = false;
    const SortedRun joined = writer.finish(finished);
    if (!good || !finished || left.failed() || right.failed())
        control_.stop(Reason::disk);
    known_.resize(known_.size() - 2);
    known_.push_back({joined, file});
    return !control_.stopped();
}

Progress DiskBreadthFirst::now() const {
    const uint64_t depth = layers_.empty() ? 0 : layers_.size() - 1;
    return {states_, transitions(), depth, states_ - std::min(states_, expanded_), budget_.used()};
}

uint64_t DiskBreadthFirst::bytes() const {
    uint64_t sum = layer_file_.size();
    for (const Known &one : known_)
        sum += one.file ? one.file->size() : 0;
    return sum;
}

// ---- Paths ------------------------------------------------------------------

void DiskBreadthFirst::find_paths() {
    try {
        for (ErrorPath &error_path : found_so_far())
            if (error_path.states.size() == 1)
                error_path.states = path_to(error_path.states.front());
    } catch (const std::bad_alloc &) {
        /* The errors are there without their paths. */
    }
}

/* Empty where it was not found in time. */
std::vector<std::string> DiskBreadthFirst::path_to(const std::string &state) {
    const StateView wanted{reinterpret_cast<const uint8_t *>(state.data()), static_cast<uint32_t>(state.size())};
    size_t layer = 0;
    const auto holds = [&](const SortedRun &run) {
        for (RunReader reader(run); reader.next() && !control_.tracing_stopped();)
            if (reader.state().compare(wanted) >= 0)
                return reader.state().compare(wanted) == 0;
        return false;
    };
    while (layer < layers_.size() && !holds(layers_[layer]))
        ++layer;
    if (layer == layers_.size())
        return {};
    StepFinder finder(model_, control_);
    std::vector<std::string> states{state};
    while (layer-- > 0) {
        RunReader reader(layers_[layer]);
        bool found = false;
        while (!found && reader.next() && !control_.tracing_stopped())
            found = finder.leads(reader.state(), states.back());
        if (!found)
            return {};
        states.push_back(string_of(reader.state()));
    }
    std::reverse(states.begin(), states.end());
    return states;
}

} // namespace kripke
