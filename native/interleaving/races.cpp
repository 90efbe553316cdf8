#include "interleaving/races.h"

#include <algorithm>
#include <utility>

namespace kripke {

namespace {

void join_clocks(std::vector<uint32_t> &clock, const uint32_t *other) {
    for (size_t index = 0; index < clock.size(); ++index)
        clock[index] = std::max(clock[index], other[index]);
}

/* What can only happen after what lets it happen: the two are never exchanged. */
bool lets_go(StepKind first, StepKind second) {
    return (first == StepKind::release && second == StepKind::acquire) ||
           (first == StepKind::end && second == StepKind::join) ||
           (first == StepKind::start && second == StepKind::begin) ||
           (first == StepKind::access && second == StepKind::await);
}

bool synchronises(StepKind kind) {
    switch (kind) {
    case StepKind::acquire:
    case StepKind::release:
    case StepKind::begin:
    case StepKind::end:
    case StepKind::start:
    case StepKind::join:
    case StepKind::wake:
    case StepKind::message:
        return true;
    default:
        return false;
    }
}

bool shares(const std::vector<uint32_t> &one, const std::vector<uint32_t> &other) {
    return std::any_of(one.begin(), one.end(), [&](uint32_t place) {
        return std::find(other.begin(), other.end(), place) != other.end();
    });
}

bool conflict(const ThreadStep &one, const ThreadStep &other) {
    return shares(one.writes, other.reads) || shares(one.writes, other.writes) || shares(one.reads, other.writes);
}

template <class Place> Place &place_of(std::vector<Place> &places, uint32_t number) {
    if (number >= places.size())
        places.resize(number + 1);
    return places[number];
}

/* Remember a place as it is before the present step; once is enough, and the first time is the one that counts. */
template <class Change, class Place>
void remember(std::vector<Change> &changes, uint32_t number, const Place &place) {
    changes.push_back({number, place});
}

template <class Change, class Place> void take_back(std::vector<std::vector<Change>> &changes, std::vector<Place> &places) {
    for (auto change = changes.back().rbegin(); change != changes.back().rend(); ++change)
        places[change->place] = std::move(change->before);
    changes.pop_back();
}

} // namespace

void Clocks::join(std::vector<uint32_t> &clock, size_t number) const { join_clocks(clock, row(number)); }

ReversibleRaces::OfPlace &ReversibleRaces::place(uint32_t number) { return place_of(places_, number); }

void ReversibleRaces::go_back(size_t length, size_t tasks) {
    if (tasks > clocks_.width()) {
        clocks_.clear(tasks);
        everybody_.clear(tasks);
        steps_.clear();
        counts_.clear();
        before_of_task_.clear();
        changes_.clear();
        places_.clear();
        last_of_task_.assign(tasks, nobody);
        return;
    }
    while (steps_.size() > length) {
        last_of_task_[steps_.back().task] = before_of_task_.back();
        before_of_task_.pop_back();
        steps_.pop_back();
        counts_.pop_back();
        take_back(changes_, places_);
    }
    clocks_.truncate(steps_.size());
    everybody_.truncate(steps_.size());
}

void ReversibleRaces::extend(ThreadStep step, bool wanted, std::vector<Reversible> &races) {
    const uint32_t number = static_cast<uint32_t>(steps_.size());
    std::vector<uint32_t> clock = clock_before(step, wanted, races);
    clock[step.task] += 1;
    clocks_.push(clock);
    counts_.push_back(clock[step.task]);
    before_of_task_.push_back(std::exchange(last_of_task_[step.task], number));
    if (number > 0)
        everybody_.join(clock, number - 1);
    everybody_.push(clock);
    auto &changes = changes_.emplace_back();
    for (const uint32_t each : step.reads) {
        OfPlace &touched = place(each);
        remember(changes, each, touched);
        const auto reader = std::find_if(touched.readers.begin(), touched.readers.end(),
                                         [&](const auto &known) { return known.first == step.task; });
        if (reader == touched.readers.end())
            touched.readers.emplace_back(step.task, number);
        else
            reader->second = number;
    }
    for (const uint32_t each : step.writes) {
        OfPlace &touched = place(each);
        remember(changes, each, touched);
        touched.last_write = number;
        touched.readers.clear();
        if (step.takes)
            touched.last_acquire = number;
    }
    steps_.push_back(std::move(step));
}

void ReversibleRaces::look_at(const ThreadStep &step, std::vector<Reversible> &races) { clock_before(step, true, races); }

std::vector<uint32_t> ReversibleRaces::clock_before(const ThreadStep &step, bool wanted,
                                                    std::vector<Reversible> &races) {
    std::vector<uint32_t> clock(clocks_.width(), 0);
    if (const uint32_t last = last_of_task_[step.task]; last != nobody)
        std::copy_n(clocks_.row(last), clock.size(), clock.begin());
    if (step.kind == StepKind::wake && step.since > 0)
        everybody_.join(clock, step.since - 1);
    for (const uint32_t earlier : step.after)
        clocks_.join(clock, earlier);
    std::vector<uint32_t> touched;
    const auto touch = [&](uint32_t number) {
        if (number != nobody && steps_[number].task != step.task)
            touched.push_back(number);
    };
    for (const uint32_t each : step.reads)
        touch(place(each).last_write);
    for (const uint32_t each : step.writes) {
        touch(place(each).last_write);
        for (const auto &[reader, number] : place(each).readers)
            touch(number);
    }
    if (touched.empty() && step.kind != StepKind::acquire)
        return clock;
    /* Newest first: what is reached through another one is no race of its own. */
    std::sort(touched.begin(), touched.end(), std::greater<>());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    const std::vector<uint32_t> own = clock;
    const size_t known = races.size();
    for (const uint32_t other : touched) {
        if (is_before(other, clock.data()))
            continue;
        if (wanted && !lets_go(steps_[other].kind, step.kind))
            races.push_back(race(other, step, own));
        clocks_.join(clock, other);
    }
    if (wanted && step.kind == StepKind::acquire) {
        for (const uint32_t each : step.writes) {
            const uint32_t rival = place(each).last_acquire;
            if (rival == nobody || steps_[rival].task == step.task || is_before(rival, own.data()))
                continue;
            if (std::none_of(races.begin() + static_cast<std::ptrdiff_t>(known), races.end(),
                             [&](const Reversible &found) { return found.first == rival; }))
                races.push_back(race(rival, step, own));
        }
    }
    return clock;
}

/* Initials of what does not depend on `first`, followed by the second step, whose task had the clock `own` before it. */
Reversible ReversibleRaces::race(uint32_t first, const ThreadStep &second, const std::vector<uint32_t> &own) const {
    Reversible found{first, static_cast<uint32_t>(steps_.size()), {}};
    std::vector<uint32_t> kept, seen;
    const uint32_t first_task = steps_[first].task, first_count = counts_[first];
    const auto is_seen = [&](uint32_t task) { return std::find(seen.begin(), seen.end(), task) != seen.end(); };
    for (uint32_t number = first + 1; number < steps_.size(); ++number) {
        const uint32_t *clock = clocks_.row(number);
        if (clock[first_task] >= first_count)
            continue;
        const uint32_t mover = steps_[number].task;
        if (!is_seen(mover)) {
            seen.push_back(mover);
            if (std::none_of(kept.begin(), kept.end(), [&](uint32_t earlier) { return is_before(earlier, clock); }))
                found.initials.push_back(mover);
        }
        kept.push_back(number);
    }
    if (!is_seen(second.task) && std::none_of(kept.begin(), kept.end(), [&](uint32_t number) {
            return is_before(number, own.data()) || conflict(steps_[number], second);
        }))
        found.initials.push_back(second.task);
    return found;
}

DataRaceSearch::OfPlace &DataRaceSearch::place(uint32_t number) { return place_of(places_, number); }

void DataRaceSearch::go_back(size_t length, size_t tasks) {
    if (tasks > clocks_.width()) {
        clocks_.clear(tasks);
        everybody_.clear(tasks);
        tasks_.clear();
        before_of_task_.clear();
        changes_.clear();
        places_.clear();
        last_of_task_.assign(tasks, nobody);
        return;
    }
    while (tasks_.size() > length) {
        last_of_task_[tasks_.back()] = before_of_task_.back();
        before_of_task_.pop_back();
        tasks_.pop_back();
        take_back(changes_, places_);
    }
    clocks_.truncate(tasks_.size());
    everybody_.truncate(tasks_.size());
}

void DataRaceSearch::extend(const ThreadStep &step, std::vector<DataRacePair> &found) {
    const uint32_t number = static_cast<uint32_t>(tasks_.size());
    auto &changes = changes_.emplace_back();
    std::vector<uint32_t> clock(clocks_.width(), 0);
    if (const uint32_t last = last_of_task_[step.task]; last != nobody)
        std::copy_n(clocks_.row(last), clock.size(), clock.begin());
    clock[step.task] += 1;
    for (const uint32_t earlier : step.after)
        clocks_.join(clock, earlier);
    if (step.kind == StepKind::block) {
        /* coroutines of one loop: one after the other */
    } else if (synchronises(step.kind)) {
        if (step.kind == StepKind::wake && number > 0)
            everybody_.join(clock, number - 1);
        for (const auto *places : {&step.writes, &step.reads})
            for (const uint32_t each : *places) {
                OfPlace &touched = place(each);
                remember(changes, each, touched);
                if (!touched.synchronised.empty())
                    join_clocks(clock, touched.synchronised.data());
                touched.synchronised = clock;
            }
    } else {
        access(step, clock, number, changes, found);
    }
    before_of_task_.push_back(std::exchange(last_of_task_[step.task], number));
    tasks_.push_back(step.task);
    clocks_.push(clock);
    if (number > 0)
        everybody_.join(clock, number - 1);
    everybody_.push(clock);
}

void DataRaceSearch::access(const ThreadStep &step, const std::vector<uint32_t> &clock, uint32_t number,
                            std::vector<Change> &changes, std::vector<DataRacePair> &found) {
    const auto races = [&](const Access &other) {
        return other.task != nobody && other.task != step.task && clock[other.task] < other.count;
    };
    const auto add = [&](uint32_t place, uint32_t first) {
        if (std::none_of(found.begin(), found.end(), [&](const DataRacePair &known) { return known.place == place; }))
            found.push_back({place, first, number});
    };
    for (const auto *places : {&step.reads, &step.writes})
        for (const uint32_t each : *places)
            if (const Access &written = place(each).last_write; races(written))
                add(each, written.step);
    for (const uint32_t each : step.writes) {
        OfPlace &touched = place(each);
        remember(changes, each, touched);
        for (const Access &reader : touched.readers)
            if (races(reader))
                add(each, reader.step);
        touched.readers.clear();
        touched.last_write = {step.task, clock[step.task], number};
    }
    for (const uint32_t each : step.reads) {
        OfPlace &touched = place(each);
        remember(changes, each, touched);
        const auto reader = std::find_if(touched.readers.begin(), touched.readers.end(),
                                         [&](const Access &known) { return known.task == step.task; });
        if (reader == touched.readers.end())
            touched.readers.push_back({step.task, clock[step.task], number});
        else
            *reader = {step.task, clock[step.task], number};
    }
}

} // namespace kripke
