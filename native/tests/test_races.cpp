#include "check.h"
#include "interleaving/races.h"

#include <algorithm>
#include <random>
#include <vector>

using namespace kripke;

namespace {

/* Steps that do not wait for each other, with places of every kind. */
ThreadStep random_step(std::mt19937 &random, size_t tasks, size_t taken) {
    constexpr StepKind kinds[] = {StepKind::access, StepKind::access, StepKind::acquire, StepKind::release,
                                  StepKind::wake,   StepKind::await,  StepKind::block};
    ThreadStep step;
    step.task = static_cast<uint32_t>(random() % tasks);
    step.kind = kinds[random() % std::size(kinds)];
    step.takes = step.kind == StepKind::acquire;
    step.since = static_cast<uint32_t>(random() % (taken + 1));
    for (auto *places : {&step.reads, &step.writes})
        for (uint32_t count = random() % 3; count > 0; --count)
            places->push_back(random() % 6);
    if (taken > 0 && random() % 5 == 0)
        step.after.push_back(static_cast<uint32_t>(random() % taken));
    return step;
}

bool same(const std::vector<Reversible> &one, const std::vector<Reversible> &other) {
    return std::equal(one.begin(), one.end(), other.begin(), other.end(), [](const Reversible &a, const Reversible &b) {
        return a.first == b.first && a.second == b.second && a.initials == b.initials;
    });
}

bool same(const std::vector<DataRacePair> &one, const std::vector<DataRacePair> &other) {
    return std::equal(one.begin(), one.end(), other.begin(), other.end(), [](const DataRacePair &a, const DataRacePair &b) {
        return a.place == b.place && a.first == b.first && a.second == b.second;
    });
}

/* Runs that share their beginning with the run before have the races that they have on their own. */
void runs_that_begin_alike(uint32_t seed) {
    std::mt19937 random(seed);
    size_t tasks = 2 + random() % 3;
    ReversibleRaces races;
    DataRaceSearch data;
    std::vector<ThreadStep> steps;
    for (int run = 0; run < 8; ++run) {
        const size_t known = steps.empty() ? 0 : random() % steps.size();
        steps.resize(known);
        if (random() % 4 == 0)
            ++tasks; /* more than before: everything is looked at again */
        while (steps.size() < known + 12)
            steps.push_back(random_step(random, tasks, steps.size()));
        std::vector<Reversible> found, wanted;
        std::vector<DataRacePair> found_data, wanted_data;
        races.go_back(known, tasks);
        for (size_t at = races.size(); at < steps.size(); ++at)
            races.extend(steps[at], at >= known, found);
        races.look_at(random_step(random, tasks, steps.size()), found);
        data.go_back(known, tasks);
        const size_t read_from = data.size();
        for (size_t at = read_from; at < steps.size(); ++at)
            data.extend(steps[at], found_data);

        ReversibleRaces fresh;
        DataRaceSearch fresh_data;
        fresh.go_back(0, tasks);
        fresh_data.go_back(0, tasks);
        for (size_t at = 0; at < steps.size(); ++at) {
            fresh.extend(steps[at], at >= known, wanted);
            std::vector<DataRacePair> before;
            fresh_data.extend(steps[at], at < read_from ? before : wanted_data);
        }
        found.erase(std::remove_if(found.begin(), found.end(),
                                   [&](const Reversible &race) { return race.second == steps.size(); }),
                    found.end());
        CHECK(same(found, wanted));
        CHECK(same(found_data, wanted_data));
    }
}

} // namespace

void test_races() {
    ReversibleRaces races;
    races.go_back(0, 2);
    std::vector<Reversible> found;
    races.extend({0, StepKind::access, false, 0, {}, {7}, {}}, true, found);
    races.extend({1, StepKind::access, false, 0, {7}, {}, {}}, true, found);
    CHECK(found.size() == 1 && found[0].first == 0 && found[0].second == 1);
    CHECK(found[0].initials == std::vector<uint32_t>{1});
    for (uint32_t seed = 0; seed < 60; ++seed)
        runs_that_begin_alike(seed);
}
