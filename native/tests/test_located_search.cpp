#include "check.h"
#include "symbolic/deep_stack.h"
#include "symbolic/located_search.h"

#include <functional>

using namespace kripke;

namespace {

void run(LocatedSearch &search, const std::function<void()> &operation) {
    const Control control;
    run_on_deep_stack(
        [&](const void *floor) {
            search.diagram.begin(control, floor);
            operation();
        },
        [] {});
}

uint64_t count(LocatedSearch &search, Set set) {
    const Digits found = search.selection.count(set);
    return found.empty() ? 0 : found[0];
}

void test_images() {
    LocatedSearch search(1 << 24);
    run(search, [&] {
        Assignments &all = search.assignments;
        Set some = Diagram::nothing; /* level 0: 0 to 3, level 2: twice as much */
        for (uint32_t value = 0; value < 4; ++value)
            some = search.diagram.unite(some, search.selection.single({{0, value}, {2, 2 * value}}));
        CHECK(count(search, some) == 4);
        const uint32_t keep = all.move({{0, true, false, 0}}), small = all.relation({{{0, 0}}, {{1, 1}}});
        CHECK(count(search, all.image(some, small, keep)) == 2);
        CHECK(all.relation({{{1, 1}}, {{0, 0}}, {{1, 1}}}) == small);
        CHECK(all.image(some, Assignments::never, keep) == Diagram::nothing);
        /* The first level is forgotten, the second stays: four members; both: one. */
        const uint32_t drop = all.move({{0, false, true, 0}}), both = all.move({{0, false, true, 0}, {2, false, true, 0}});
        CHECK(count(search, all.image(some, Assignments::always, drop)) == 4);
        CHECK(all.image(some, Assignments::always, both) == Diagram::unit);
        /* One value may become several. */
        const uint32_t choose = all.relation({{{1, 2}}, {{1, 0}}});
        CHECK(count(search, all.image(some, choose, keep)) == 2);
        /* Pairs. */
        const Set pairs = all.mirrored(some);
        CHECK(count(search, pairs) == 4);
        const Set moved = all.image(pairs, all.relation({{{3, 0}}, {{0, 0}}}), keep);
        CHECK(count(search, moved) == 2);
        CHECK(count(search, all.project(moved, 1)) == 2);
        const Set before = all.project(all.select(moved, search.selection.single({{2, 6}}), 0), 1);
        CHECK(before == search.selection.single({{0, 3}, {2, 6}}));
        CHECK(all.select(moved, before, 1) != Diagram::nothing);
        CHECK(all.select(moved, search.selection.single({{0, 1}, {2, 2}}), 1) == Diagram::nothing);
    });
}

/* A counter from 0 to 99, which one actor counts up and starts again, by rings; control 1 is reached at 50. */
void test_rings() {
    LocatedSearch search(1 << 24);
    run(search, [&] {
        Assignments &all = search.assignments;
        const uint32_t nothing = all.move({}), keep = all.move({{0, true, false, 0}});
        std::vector<Assignments::Row> below, up, last;
        for (uint32_t value = 0; value < 99; ++value) {
            below.push_back({{value, value}});
            up.push_back({{value, value + 1}});
        }
        last.push_back({{50, 50}});
        CHECK(search.advance(1).kind == Event::done); /* there is nothing to begin with */
        search.start(0, Diagram::unit);
        Event event = search.advance(1000);
        CHECK(event.kind == Event::control && event.number == 0);
        search.controls.resize(2);
        search.controls[0] = {true, {{0, nothing}}, {}};
        search.controls[1] = {true, {{1, nothing}}, {{all.relation({{{50, 50}}}), keep}}};
        event = search.advance(1000);
        CHECK(event.kind == Event::spot && event.number == 0);
        search.spots.resize(2);
        search.spots[1] = {1, true, true, {}};
        search.spots[0] = {0, true, false, {{{all.relation(last), keep, 0, {}, all.relation(last), keep, 1, 7},
                                             {all.relation(below), keep, 0, {}, all.relation(up), keep, 2, 8}}}};
        search.spots.push_back({0, true, true, {}});
        CHECK(search.advance(10).kind == Event::rings);
        CHECK(search.rings().size() == 11);
        CHECK(search.advance(1000).kind == Event::done);
        CHECK(search.rings().size() == 100);
        CHECK(count(search, search.reached()[0]) == 100 && count(search, search.reached()[1]) == 1);
        CHECK(search.nodes_of(search.reached()) == 2);
        /* An error is found in the ring where it happens, and a wrong condition in the one that has it. */
        search.spots[0].stages[0][1].errors = {{all.relation({{{42, 42}}}), 3}};
        Located found;
        event = search.macro_step(0, search.selection.single({{0, 42}}), 0, found);
        CHECK(event.kind == Event::error && event.number == 8 && event.code == 3);
    });
}

} // namespace

void test_located_search() {
    test_images();
    test_rings();
}
