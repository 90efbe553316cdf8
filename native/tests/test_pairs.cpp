#include "check.h"
#include "reduction/disturbances.h"

#include <random>
#include <set>

using namespace kripke;

namespace {

/* Three actors with a lock (byte 0) and a variable (byte 1); where they are follows. Each takes the lock, writes the
 * variable, and gives both back. */
constexpr uint32_t count = 3;

Views::Told tell(uint32_t pid, std::string_view text) {
    const uint8_t at = static_cast<uint8_t>(text[0]), lock = static_cast<uint8_t>(text[1]);
    const auto view = [](uint8_t then, uint8_t held, uint8_t value) {
        return std::string{static_cast<char>(then), static_cast<char>(held), static_cast<char>(value)};
    };
    const auto value = static_cast<uint8_t>(pid + 1);
    Views::Told told;
    told.is_settled = true;
    if (at == 0 && lock == 0)
        told.steps.push_back({0, 0, false, view(1, 1, static_cast<uint8_t>(text[2])), {{0, 1}}});
    if (at == 1)
        told.steps.push_back({1, 0, false, view(2, lock, value), {{1, value}}});
    if (at == 2)
        told.steps.push_back({2, 0, false, view(0, 0, 0), {{0, 0}, {1, 0}}});
    return told;
}

std::unique_ptr<Pairs> locked(Pairs::Limits limits) {
    std::vector<Views::Actor> actors;
    for (uint32_t pid = 0; pid < count; ++pid)
        actors.push_back({2 + pid, 1, {0, 1}, {{0, 1}, {1, 2}}});
    auto views = std::make_unique<Views>(actors, 1000, tell, nullptr);
    std::vector<uint32_t> root;
    for (uint32_t pid = 0; pid < count; ++pid)
        root.push_back(views->number(pid, std::string(3, '\0')));
    return std::make_unique<Pairs>(std::move(views), std::vector<std::vector<uint32_t>>{root}, std::vector<Counted>(),
                                   std::vector<std::vector<uint32_t>>(count), limits, [] {});
}

constexpr Pairs::Limits plenty{1000, 100000, 4, 16};

void test_lock() {
    const std::unique_ptr<Pairs> pairs = locked(plenty);
    Views &views = pairs->views();
    for (const uint32_t view : pairs->met(0))
        pairs->beside(0, view, 1).each([&](uint32_t beside) {
            CHECK(views.text(0, view)[0] == 0 || views.text(1, beside)[0] == 0);
            CHECK(views.text(0, view).substr(1) == views.text(1, beside).substr(1));
            CHECK(pairs->go_together(1, beside, 0, view));
        });
    CHECK(!pairs->accord(0, 0, 1, 0)); /* who takes the lock disables the others, */
    CHECK(pairs->accord(0, 1, 1, 1));  /* and nobody else is behind it */
    CHECK(pairs->exclude(0, 0, 1));
    CHECK(!pairs->exclude(0, 0, 0));
}

void test_disturbances() {
    const auto shared = std::make_shared<SharedPairs>(locked(plenty));
    Disturbances disturbances(shared);
    const volatile uint32_t go_on = 0;
    const uint8_t start[] = {0, 0, 0, 0, 0}, inside[] = {1, 0, 1, 0, 0}, impossible[] = {1, 0, 1, 1, 0};
    CHECK(disturbances.look(start, sizeof start));
    CHECK(disturbances.present() == count);
    CHECK(disturbances.set(disturbances.between(0, 1, &go_on)) == std::vector<uint32_t>{0});
    CHECK(disturbances.look(inside, sizeof inside));
    CHECK(disturbances.set(disturbances.between(0, 1, &go_on)).empty());
    CHECK(disturbances.set(disturbances.between(0, 2, &go_on)).empty());
    CHECK(!disturbances.look(impossible, sizeof impossible));
    CHECK(disturbances.look(inside, 4)); /* the last is gone */
    CHECK(disturbances.present() == 2);
}

void test_limits() {
    for (const Pairs::Limits &limits : {Pairs::Limits{3, 100000, 4, 16}, Pairs::Limits{1000, 3, 4, 16}}) {
        bool refused = false;
        try {
            locked(limits);
        } catch (const TooManyViews &) {
            refused = true;
        }
        CHECK(refused);
    }
}

void test_sets() {
    std::mt19937 random(1);
    for (uint32_t round = 0; round < 50; ++round) {
        SparseSet one, other;
        std::set<uint32_t> mine, theirs;
        for (uint32_t i = 0; i < 40; ++i) {
            const uint32_t number = random() % 500, second = random() % 500;
            CHECK(one.add(number) == mine.insert(number).second);
            CHECK(other.add(second) == theirs.insert(second).second);
        }
        std::set<uint32_t> common, expected;
        SparseSet::each_common(one, other, [&](uint32_t number) { common.insert(number); });
        for (uint32_t number = 0; number < 500; ++number) {
            CHECK(one.has(number) == mine.contains(number));
            if (mine.contains(number) && theirs.contains(number))
                expected.insert(number);
        }
        CHECK(common == expected);
        CHECK(SparseSet::share(one, other) == !expected.empty());
    }
}

void test_flat_map() {
    std::mt19937_64 random(2);
    FlatMap map;
    std::unordered_map<uint64_t, uint32_t> expected;
    CHECK(map.find(7) == FlatMap::nothing);
    for (uint32_t i = 0; i < 5000; ++i) {
        const uint64_t key = random() % 3000 << (i % 2 * 40);
        map.set(key, i);
        expected[key] = i;
    }
    CHECK(map.size() == expected.size());
    for (const auto &[key, number] : expected)
        CHECK(map.find(key) == number);
    CHECK(map.find(~uint64_t{1}) == FlatMap::nothing);
}

} // namespace

void test_pairs() {
    test_lock();
    test_disturbances();
    test_limits();
    test_sets();
    test_flat_map();
}
