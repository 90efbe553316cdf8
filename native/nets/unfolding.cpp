#include "nets/unfolding.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kripke {

namespace {

constexpr size_t asked_every = 8; /* events */

} // namespace

bool Unfolding::before(const Candidate &a, const Candidate &b) const {
    if (tableau_ != nullptr)
        if (const int order = compare(up_to_livelock(a), up_to_livelock(b)); order != 0)
            return order < 0;
    return compare(a, b) < 0;
}

/* What counts first of a configuration: all of it, or the part up to its livelock event. */
const Unfolding::Candidate &Unfolding::up_to_livelock(const Candidate &candidate) const {
    const uint32_t livelock = candidate.event.livelock;
    return livelock == nobody ? candidate : livelocks_.at(livelock);
}

int Unfolding::compare(const Candidate &a, const Candidate &b) const {
    if (a.parikh.size() != b.parikh.size())
        return a.parikh.size() < b.parikh.size() ? -1 : 1;
    if (a.parikh != b.parikh)
        return a.parikh < b.parikh ? -1 : 1;
    make_foata(a);
    make_foata(b);
    /* Level by level; of two sequences the one that goes on is the greater, so the end of a level
     * counts as less than any transition: compare (level, transition) with longer levels later. */
    for (size_t i = 0; i < a.foata.size(); ++i) {
        if (a.foata[i] == b.foata[i])
            continue;
        const auto [level_a, transition_a] = a.foata[i];
        const auto [level_b, transition_b] = b.foata[i];
        if (level_a != level_b)
            return level_a > level_b ? -1 : 1; /* a's level has ended, b's goes on */
        return transition_a < transition_b ? -1 : 1;
    }
    return 0;
}

void Unfolding::make_foata(const Candidate &candidate) const {
    if (!candidate.foata.empty())
        return;
    candidate.foata.reserve(candidate.parikh.size());
    candidate.foata.emplace_back(candidate.event.depth, candidate.event.transition);
    for (const uint32_t event : candidate.event.past)
        candidate.foata.emplace_back(events_[event].depth, events_[event].transition);
    std::sort(candidate.foata.begin(), candidate.foata.end());
}

Unfolding::End Unfolding::run(uint64_t max_events, uint64_t max_bytes, const std::function<bool()> &go_on) {
    consumers_.resize(net_.places);
    at_place_.resize(net_.places);
    for (uint32_t t = 0; t < net_.presets.size(); ++t)
        for (const uint32_t place : net_.presets[t])
            consumers_[place].push_back(t);
    Row row;
    for (size_t i = 0; i < net_.initial.size(); ++i) {
        add_condition(net_.initial[i], nobody, row); /* concurrent with those before it */
        row.resize(i / 64 + 1);
        row[i / 64] |= uint64_t{1} << (i % 64);
    }
    for (uint32_t c = 0; c < conditions_.size(); ++c)
        extend_with(c);
    const auto later = [this](uint32_t a, uint32_t b) { return before(candidates_[b], candidates_[a]); };
    size_t known = 0; /* candidates that are in the heap, or were */
    for (;;) {
        for (; known < candidates_.size(); ++known) {
            heap_.push_back(static_cast<uint32_t>(known));
            std::push_heap(heap_.begin(), heap_.end(), later);
        }
        if (unsafe_place_ != nobody)
            return End::unsafe;
        if (found_)
            return End::found;
        if (heap_.empty())
            return End::complete;
        if (max_events != 0 && events_.size() >= max_events)
            return End::events;
        if (max_bytes != 0 && bytes_ > max_bytes)
            return End::memory;
        if (events_.size() % asked_every == 0 && !go_on())
            return End::stopped;
        std::pop_heap(heap_.begin(), heap_.end(), later);
        const uint32_t least = heap_.back();
        heap_.pop_back();
        add_event(std::move(candidates_[least]));
    }
}

/* Where the place is marked twice, the net is not safe. */
void Unfolding::add_condition(uint32_t place, uint32_t producer, const Row &concurrent) {
    const auto number = static_cast<uint32_t>(conditions_.size());
    conditions_.push_back({place, producer});
    concurrent_.push_back(concurrent);
    bytes_ += 64 + concurrent.size() * 8 * 2;
    for (size_t word = 0; word < concurrent.size(); ++word)
        for (uint64_t bits = concurrent[word]; bits != 0; bits &= bits - 1) {
            const auto other = static_cast<uint32_t>(word * 64) + static_cast<uint32_t>(__builtin_ctzll(bits));
            Row &row = concurrent_[other];
            if (row.size() <= number / 64)
                row.resize(number / 64 + 1);
            row[number / 64] |= uint64_t{1} << (number % 64);
            if (conditions_[other].place == place)
                unsafe_place_ = place;
        }
    at_place_[place].push_back(number);
}

/* Every event whose preset has this condition and otherwise only earlier ones. */
void Unfolding::extend_with(uint32_t condition) {
    const uint32_t place = conditions_[condition].place;
    Row earlier = concurrent_[condition];
    earlier.resize(condition / 64 + 1);
    earlier[condition / 64] &= (uint64_t{1} << (condition % 64)) - 1;
    for (const uint32_t t : consumers_[place]) {
        std::vector<uint32_t> chosen{condition};
        complete_preset(t, chosen, 0, earlier);
    }
}

/* `common`: the conditions concurrent with all that were chosen. */
void Unfolding::complete_preset(uint32_t transition, std::vector<uint32_t> &chosen, size_t next, const Row &common) {
    const std::vector<uint32_t> &preset = net_.presets[transition];
    if (next < preset.size() && preset[next] == conditions_[chosen.front()].place)
        ++next;
    if (next == preset.size())
        return propose(transition, chosen);
    bool last = true;
    for (size_t i = next + 1; i < preset.size(); ++i)
        last &= preset[i] == conditions_[chosen.front()].place;
    for (const uint32_t candidate : at_place_[preset[next]]) {
        if (!has(common, candidate))
            continue;
        chosen.push_back(candidate);
        if (last) {
            propose(transition, chosen);
        } else {
            const Row &row = concurrent_[candidate];
            Row both(std::min(common.size(), row.size()));
            for (size_t word = 0; word < both.size(); ++word)
                both[word] = common[word] & row[word];
            complete_preset(transition, chosen, next + 1, both);
        }
        chosen.pop_back();
    }
}

void Unfolding::propose(uint32_t transition, std::vector<uint32_t> preset) {
    Candidate candidate;
    candidate.event.transition = transition;
    std::sort(preset.begin(), preset.end());
    stamp_.resize(events_.size());
    ++now_;
    std::vector<uint32_t> &past = candidate.event.past;
    for (const uint32_t condition : preset) {
        const uint32_t producer = conditions_[condition].producer;
        if (producer == nobody)
            continue;
        candidate.event.depth = std::max(candidate.event.depth, events_[producer].depth);
        const auto take = [&](uint32_t event) {
            if (stamp_[event] != now_) {
                stamp_[event] = now_;
                past.push_back(event);
            }
        };
        if (stamp_[producer] == now_)
            continue; /* and so is its past */
        take(producer);
        for (const uint32_t event : events_[producer].past)
            take(event);
    }
    ++candidate.event.depth;
    std::sort(past.begin(), past.end());
    if (tableau_ != nullptr)
        for (const uint32_t event : past) {
            candidate.event.accepting += tableau_->accepting[events_[event].transition];
            if (tableau_->livelock[events_[event].transition] != 0)
                candidate.event.livelock = event;
        }
    candidate.parikh.reserve(past.size() + 1);
    candidate.parikh.push_back(transition);
    for (const uint32_t event : past)
        candidate.parikh.push_back(events_[event].transition);
    std::sort(candidate.parikh.begin(), candidate.parikh.end());
    candidate.event.preset = std::move(preset);
    bytes_ += sizeof(Candidate) + past.size() * 8;
    candidates_.push_back(std::move(candidate));
}

/* The marking [e] leads to: tokens of all that was made and not taken. */
std::vector<uint32_t> Unfolding::marking_after(const Candidate &candidate,
                                               const std::vector<uint32_t> &outputs) const {
    std::vector<uint32_t> taken = candidate.event.preset;
    std::vector<uint32_t> marking = outputs;
    for (const uint32_t event : candidate.event.past)
        taken.insert(taken.end(), events_[event].preset.begin(), events_[event].preset.end());
    std::sort(taken.begin(), taken.end());
    const auto keep = [&](uint32_t condition) {
        if (!std::binary_search(taken.begin(), taken.end(), condition))
            marking.push_back(conditions_[condition].place);
    };
    for (uint32_t condition = 0; condition < net_.initial.size(); ++condition)
        keep(condition);
    for (const uint32_t event : candidate.event.past)
        for (const uint32_t condition : events_[event].postset)
            keep(condition);
    std::sort(marking.begin(), marking.end());
    return marking;
}

/* A livelock event takes every token there is; false: it is of no use. Of two that come after the same
 * events the second is none. */
bool Unfolding::take_cut(Candidate &candidate, std::vector<uint32_t> &outputs) {
    Event &event = candidate.event;
    if (event.livelock != nobody || !checked_.insert(event.past).second)
        return false;
    std::vector<uint32_t> taken, made;
    for (uint32_t condition = 0; condition < net_.initial.size(); ++condition)
        made.push_back(condition);
    for (const uint32_t earlier : event.past) {
        taken.insert(taken.end(), events_[earlier].preset.begin(), events_[earlier].preset.end());
        made.insert(made.end(), events_[earlier].postset.begin(), events_[earlier].postset.end());
    }
    std::sort(taken.begin(), taken.end());
    std::sort(made.begin(), made.end());
    event.preset.clear();
    std::set_difference(made.begin(), made.end(), taken.begin(), taken.end(), std::back_inserter(event.preset));
    std::vector<uint32_t> marking;
    for (const uint32_t condition : event.preset)
        marking.push_back(conditions_[condition].place);
    std::sort(marking.begin(), marking.end());
    outputs.clear();
    for (const uint32_t place : marking)
        if (tableau_->kept[place] != 0)
            outputs.push_back(place);
    return tableau_->checkpoint(marking);
}

/* Is there a condition that one event of [a] takes and another of [b]? */
bool Unfolding::in_conflict(const Event &a, uint32_t b) const {
    std::vector<uint32_t> all = a.past, taken = a.preset;
    all.push_back(b);
    all.insert(all.end(), events_[b].past.begin(), events_[b].past.end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    for (const uint32_t event : all)
        taken.insert(taken.end(), events_[event].preset.begin(), events_[event].preset.end());
    std::sort(taken.begin(), taken.end());
    return std::adjacent_find(taken.begin(), taken.end()) != taken.end();
}

/* The first of the earlier events with the same marking that makes this one terminal. */
uint32_t Unfolding::companion_of(const Event &event, const std::vector<uint32_t> &earlier) {
    for (const uint32_t other : earlier) {
        const bool inside = std::binary_search(event.past.begin(), event.past.end(), other);
        if (event.livelock == nobody) {
            if (inside) {
                found_ = event.accepting > events_[other].accepting;
                return other;
            }
            if (events_[other].accepting >= event.accepting)
                return other;
        } else {
            if (events_[other].livelock != event.livelock)
                return other;
            if (inside || !in_conflict(event, other)) {
                found_ = true;
                return other;
            }
            if (events_[other].past.size() >= event.past.size())
                return other;
        }
    }
    return nobody;
}

void Unfolding::add_event(Candidate candidate) {
    const auto number = static_cast<uint32_t>(events_.size());
    std::vector<uint32_t> outputs = net_.postsets[candidate.event.transition];
    bool terminal;
    if (tableau_ == nullptr) {
        std::vector<uint32_t> &same = companions_[marking_after(candidate, outputs)];
        terminal = !same.empty();
        if (terminal)
            candidate.event.companion = same.front();
        else
            same.push_back(number);
    } else {
        const bool livelock = tableau_->livelock[candidate.event.transition] != 0;
        if (livelock && !take_cut(candidate, outputs))
            return;
        candidate.event.accepting += tableau_->accepting[candidate.event.transition];
        if (livelock) {
            candidate.event.livelock = number;
            livelocks_.emplace(number, candidate);
        }
        std::vector<uint32_t> &same = companions_[marking_after(candidate, outputs)];
        candidate.event.companion = companion_of(candidate.event, same);
        terminal = candidate.event.companion != nobody;
        if (!terminal)
            same.push_back(number);
    }
    Event event = std::move(candidate.event);
    cut_offs_ += terminal;
    const auto first = static_cast<uint32_t>(conditions_.size());
    for (uint32_t i = 0; i < outputs.size(); ++i)
        event.postset.push_back(first + i);
    const std::vector<uint32_t> preset = event.preset;
    events_.push_back(std::move(event));
    if (terminal) {
        for (const uint32_t output : outputs) {
            conditions_.push_back({output, number});
            concurrent_.emplace_back();
        }
        return;
    }
    Row row = preset.empty() ? Row() : concurrent_[preset.front()];
    for (const uint32_t condition : preset) {
        const Row &other = concurrent_[condition];
        row.resize(std::min(row.size(), other.size()));
        for (size_t word = 0; word < row.size(); ++word)
            row[word] &= other[word];
    }
    for (const uint32_t output : outputs) {
        const auto condition = static_cast<uint32_t>(conditions_.size());
        add_condition(output, number, row);
        row.resize(std::max<size_t>(row.size(), condition / 64 + 1));
        row[condition / 64] |= uint64_t{1} << (condition % 64);
        extend_with(condition);
    }
}

} // namespace kripke
