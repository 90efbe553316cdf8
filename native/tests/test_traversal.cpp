#include "check.h"
#include "own_model.h"
#include "searches/traversal.h"

#include <cstring>
#include <set>

using namespace kripke;

namespace {

constexpr uint32_t top = 300;

/* Counts to `top` in a state of 2 bytes and a tail as long as the count: every step
 * adds 1 or 2, the last state is a deadlock, and 7 reports. */
uint32_t value_of(const uint8_t *state) { return state[0] + 256u * state[1]; }

void emit_value(kripke_sink *sink, uint32_t value) {
    sink->out[0] = static_cast<uint8_t>(value);
    sink->out[1] = static_cast<uint8_t>(value >> 8);
    std::memset(sink->out + 2, 9, value);
    sink->emit(sink, 2 + value, value % 3);
}

const kripke_model counter = own_model([](kripke_model &made) {
    made.max_state_bytes = 2 + top;
    made.label_count = 3;
    made.violation_count = 1;
    made.name = "counter";
    made.initial = [](kripke_sink *sink) {
        emit_value(sink, 0);
        emit_value(sink, 0);
    };
    made.successors = [](const uint8_t *state, uint32_t length, kripke_sink *sink) {
        const uint32_t value = value_of(state);
        CHECK(length == 2 + value);
        if (value == 7)
            sink->report(sink, 0, 1);
        for (uint32_t step = 1; step <= 2; ++step)
            if (value + step <= top)
                emit_value(sink, value + step);
    };
    made.valid_end = [](const uint8_t *, uint32_t) { return 0; };
});

/* All of a walk in batches of `count`: states, steps to somewhere, violations, deadlocks. */
struct Seen {
    uint64_t states = 0, steps = 0, violations = 0, deadlocks = 0, depth = 0;
};

Seen walk_all(Walk &walk, uint64_t count) {
    Seen seen;
    StateBatch states;
    StepBatch steps;
    while (walk.expand(count, states, steps)) {
        CHECK(states.first == seen.states);
        CHECK(states.size() == steps.depths.size() && states.size() == steps.deadlocks.size());
        seen.states += states.size();
        for (uint64_t i = 0; i < states.size(); ++i) {
            seen.deadlocks += steps.deadlocks[i];
            CHECK(steps.depths[i] >= seen.depth);
            seen.depth = steps.depths[i];
        }
        for (size_t i = 0; i < steps.sources.size(); ++i) {
            CHECK(steps.sources[i] >= states.first && steps.sources[i] < states.first + states.size());
            if (steps.targets[i] == StepBatch::nowhere) {
                CHECK(steps.violations[i] == 0);
                ++seen.violations;
            } else {
                CHECK(steps.targets[i] < walk.size());
                ++seen.steps;
            }
        }
    }
    return seen;
}

} // namespace

void test_traversal() {
    for (const uint64_t count : {uint64_t{1}, uint64_t{7}, uint64_t{100000}}) {
        Walk walk(counter, 0, 0);
        const Seen seen = walk_all(walk, count);
        CHECK(walk.complete() && walk.initial_count() == 1 && walk.initial_steps() == 2);
        CHECK(seen.states == top + 1 && seen.steps == 2 * top - 1);
        CHECK(seen.violations == 1 && seen.deadlocks == 1 && seen.depth == top / 2);
        std::set<uint32_t> values;
        StateBatch states;
        for (int again = 0; again < 2; ++again) {
            walk.rewind();
            while (walk.read(count, states))
                for (uint64_t i = 0; i < states.size(); ++i) {
                    const uint8_t *row = states.rows.data() + i * states.stride;
                    CHECK(states.lengths[i] == 2 + value_of(row));
                    values.insert(value_of(row));
                }
            CHECK(values.size() == top + 1);
        }
    }
    Walk few(counter, 10, 0);
    const Seen seen = walk_all(few, 4);
    CHECK(!few.complete() && std::strcmp(few.reason(), "states") == 0);
    CHECK(few.size() == 10 && seen.states == 10);
    Walk poor(counter, 0, 1 << 16);
    walk_all(poor, 4);
    CHECK(poor.complete() || std::strcmp(poor.reason(), "memory") == 0);
}
