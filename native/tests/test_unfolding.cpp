#include "check.h"
#include "nets/unfolding.h"

using namespace kripke;

namespace {

/* `parts` rings of two places each, independent of one another. */
SafeNet rings(uint32_t parts) {
    SafeNet net;
    net.places = 2 * parts;
    for (uint32_t i = 0; i < parts; ++i) {
        net.presets.insert(net.presets.end(), {{2 * i}, {2 * i + 1}});
        net.postsets.insert(net.postsets.end(), {{2 * i + 1}, {2 * i}});
        net.initial.push_back(2 * i);
    }
    return net;
}

} // namespace

void test_unfolding() {
    const auto go_on = [] { return true; };
    for (uint32_t parts = 1; parts < 40; ++parts) {
        const SafeNet net = rings(parts);
        Unfolding unfolding(net);
        CHECK(unfolding.run(0, 0, go_on) == Unfolding::End::complete);
        /* The initial marking is no companion: round one ring, its third event is the first
         * cut-off; round each other, the second is, for it leads to the same marking as
         * the second of that ring. */
        CHECK(unfolding.events().size() == 2 * parts + 1);
        CHECK(unfolding.cut_offs() == parts);
    }
    const SafeNet net = rings(8);
    Unfolding cut(net);
    CHECK(cut.run(5, 0, go_on) == Unfolding::End::events);
    Unfolding stopped(net);
    CHECK(stopped.run(0, 0, [] { return false; }) != Unfolding::End::unsafe);
    SafeNet twice = rings(1);
    twice.postsets[0] = {1};
    twice.presets.push_back({0});
    twice.postsets.push_back({0, 1}); /* a token more on 1 each time */
    Unfolding unsafe(twice);
    CHECK(unsafe.run(0, 0, go_on) == Unfolding::End::unsafe);
    CHECK(unsafe.unsafe_place() == 1);
}
