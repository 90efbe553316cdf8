#include "searches/sweep.h"

#include "memory/hash.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace kripke {

namespace {

/* Takes the step of a state that has a certain number. */
class Follower final : public Sink {
  public:
    Follower(const kripke_model &model, const Control &control)
        : Sink(model, control.stop_tracing_word()), buffer_(model.max_state_bytes) {
        connect(this);
        out = buffer_.data();
    }

    /* The initial state with this number; then the successor of `state`. Empty where there is none. */
    std::vector<std::string> initial(uint32_t number) {
        begin(number);
        model().initial(this);
        return std::move(found_);
    }
    std::vector<std::string> successor(const std::string &state, uint32_t number) {
        begin(number);
        model().successors(reinterpret_cast<const uint8_t *>(state.data()), static_cast<uint32_t>(state.size()), this);
        return std::move(found_);
    }

    void take(uint32_t length, uint32_t) noexcept {
        if (met_++ == wanted_)
            try {
                found_.emplace_back(reinterpret_cast<const char *>(buffer_.data()), length);
            } catch (const std::bad_alloc &) {
                /* Then there is none. */
            }
    }
    void complain(uint32_t, uint32_t) noexcept {}

  private:
    void begin(uint32_t number) {
        found_.clear();
        met_ = 0;
        wanted_ = number;
    }

    std::vector<uint8_t> buffer_;
    std::vector<std::string> found_;
    uint32_t met_ = 0, wanted_ = 0;
};

} // namespace

Sweep::Sweep(const kripke_model &model, const Options &options, Control &control)
    : Search(model, options, control, 0), persistent_(budget_), roots_{Stack<Root>(budget_), Stack<Root>(budget_)},
      file_(options.folder), here_(model.max_state_bytes), expanded_(model.max_state_bytes) {
    if (model.measure == nullptr)
        throw std::invalid_argument("the model has no measure of progress");
    connect(this);
    out = here_.data();
}

void Sweep::explore() {
    if (!file_.good())
        return halt(Reason::disk);
    crumbs_.reserve(crumb_bytes * crumbs_at_once);
    model().initial(this);
    do {
        roots().shrink(0);
        ++sweeps_;
        std::sort(roots().end() - roots().size(), roots().end(), [](const Root &one, const Root &other) {
            return std::tie(one.measure, one.reference) < std::tie(other.measure, other.reference);
        });
        sweep();
    } while (!stopped() && !next_roots().empty());
    while (!bags_.empty()) /* room for the paths */
        drop_first_bag();
}

/* Over all states that wait, from the least measure to the greatest. */
void Sweep::sweep() {
    uint64_t root = 0;
    while (!stopped() && (!bags_.empty() || root < roots().size())) {
        const bool rooted = root < roots().size() && (bags_.empty() || roots()[root].measure <= bags_.begin()->first);
        line_ = rooted ? roots()[root].measure : bags_.begin()->first;
        for (; root < roots().size() && roots()[root].measure == line_ && !stopped(); ++root)
            expand_entry(persistent_, roots()[root].reference);
        if (bags_.empty() || bags_.begin()->first != line_)
            continue;
        const StateBag &bag = bags_.begin()->second;
        for (uint64_t at = 0; at < bag.end() && !stopped();) {
            const uint64_t reference = std::exchange(at, bag.after(at));
            expand_entry(bag, reference);
        }
        if (!stopped())
            drop_first_bag();
    }
}

void Sweep::expand_entry(const StateBag &bag, uint64_t reference) {
    from_ = bag.entry(reference);
    step_ = 0;
    std::memcpy(expanded_.data(), bag.state(reference), from_.length); /* the bag may move */
    --waiting_;
    publish_if_asked();
    expand(from_.number, expanded_.data(), from_.length);
}

void Sweep::take(uint32_t length, uint32_t) noexcept {
    ++handed_over_;
    if (stopped())
        return;
    ++transitions_;
    const uint32_t step = step_++;
    const uint64_t hash = hash_bytes(here_.data(), length);
    if (persistent_.contains(hash, here_.data(), length))
        return;
    const uint64_t number = visits_;
    if (!keep(hash, length, model().measure(here_.data(), length)))
        return;
    if (!write_crumb({from_.number, step}))
        return halt(Reason::disk);
    check_state(number, here_.data(), length);
}

/* Was it unknown? Then it is kept, to be expanded in this sweep or in the next. */
bool Sweep::keep(uint64_t hash, uint32_t length, int64_t measure) {
    const bool back = measure < line_;
    StateBag *const bag = back ? &persistent_ : bag_of(measure);
    if (bag == nullptr) {
        halt(Reason::memory);
        return false;
    }
    if (options_.max_states != 0 && visits_ == options_.max_states) {
        if (!bag->contains(hash, here_.data(), length))
            halt(Reason::states);
        return false;
    }
    const uint32_t depth = from_.number == no_state ? 0 : from_.depth + 1;
    const uint64_t reference = bag->end();
    switch (bag->insert(hash, here_.data(), {visits_, depth, length})) {
    case StateBag::Insertion::known:
        return false;
    case StateBag::Insertion::no_memory:
        halt(Reason::memory);
        return false;
    case StateBag::Insertion::inserted:
        break;
    }
    if (back && !next_roots().push({measure, reference})) {
        halt(Reason::memory);
        return false;
    }
    ++visits_;
    ++waiting_;
    most_kept_ = std::max(most_kept_, ++kept_);
    deepest_ = std::max<uint64_t>(deepest_, depth);
    longest_ = std::max(longest_, length);
    return true;
}

StateBag *Sweep::bag_of(int64_t measure) {
    if (const auto found = bags_.find(measure); found != bags_.end())
        return &found->second;
    if (!budget_.take(bytes_of_bag))
        return nullptr;
    try {
        return &bags_.try_emplace(measure, budget_).first->second;
    } catch (const std::bad_alloc &) {
        budget_.give(bytes_of_bag);
        return nullptr;
    }
}

void Sweep::drop_first_bag() {
    kept_ -= bags_.begin()->second.size();
    bags_.erase(bags_.begin());
    budget_.give(bytes_of_bag);
}

// ---- Paths ------------------------------------------------------------------

bool Sweep::write_crumb(const Crumb &crumb) {
    const size_t at = crumbs_.size();
    crumbs_.resize(at + crumb_bytes); /* there is room */
    std::memcpy(&crumbs_[at], &crumb.from, sizeof crumb.from);
    std::memcpy(&crumbs_[at + sizeof crumb.from], &crumb.step, sizeof crumb.step);
    if (crumbs_.size() < crumb_bytes * crumbs_at_once)
        return true;
    const bool written = file_.append(crumbs_.data(), crumbs_.size());
    crumbs_.clear();
    return written;
}

bool Sweep::read_crumb(uint64_t number, Crumb &crumb) const {
    uint8_t bytes[crumb_bytes];
    const uint64_t place = number * crumb_bytes;
    if (place >= file_.size())
        std::memcpy(bytes, &crumbs_[place - file_.size()], crumb_bytes);
    else if (file_.read(place, bytes, crumb_bytes) != crumb_bytes)
        return false;
    std::memcpy(&crumb.from, bytes, sizeof crumb.from);
    std::memcpy(&crumb.step, bytes + sizeof crumb.from, sizeof crumb.step);
    return true;
}

void Sweep::make_paths() {
    for (ErrorPath &error_path : error_paths_.kept())
        if (error_path.state != no_state && !control_.tracing_stopped())
            error_path.states = path_to(error_path.state);
}

/* Empty where the file cannot be read, or there is no time. */
std::vector<std::string> Sweep::path_to(uint64_t number) {
    std::vector<uint32_t> steps;
    while (number != no_state) {
        Crumb crumb{};
        if (!read_crumb(number, crumb))
            return {};
        steps.push_back(crumb.step);
        number = crumb.from;
    }
    Follower follower(model(), control_);
    std::vector<std::string> states = follower.initial(steps.back());
    for (size_t i = steps.size() - 1; i-- > 0 && !states.empty();) {
        std::vector<std::string> next = follower.successor(states.back(), steps[i]);
        if (next.empty() || control_.tracing_stopped())
            return {};
        states.push_back(std::move(next.front()));
    }
    return states;
}

} // namespace kripke
