/* Plans: what a Composition makes of each, and what it refuses. */
#include "check.h"
#include "plan/composition.h"

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

using namespace kripke;

namespace {

/* Two counters of one byte, each of which a process moves up to 9; where both are at 9 that is an
 * end. Label and actor of a step are the process. Atom 0: the first is not behind the second. */
constexpr uint8_t most = 9;
uint32_t step_of(const uint8_t *state, uint32_t process) { return state[process] < most; }

void emit_both(kripke_sink *sink, uint8_t first, uint8_t second, uint32_t label) {
    sink->out[0] = first;
    sink->out[1] = second;
    sink->covered[label] = 1;
    sink->emit(sink, 2, label);
}

kripke_model counters() {
    kripke_model model{};
    model.abi = KRIPKE_ABI;
    model.max_state_bytes = 2;
    model.label_count = 2;
    model.violation_count = model.atom_count = 1;
    model.name = "counters";
    model.initial = [](kripke_sink *sink) { emit_both(sink, 0, 0, 0); };
    model.successors = [](const uint8_t *state, uint32_t, kripke_sink *sink) {
        for (const uint32_t process : {0u, 1u})
            if (step_of(state, process)) {
                sink->actor = process;
                emit_both(sink, static_cast<uint8_t>(state[0] + (process == 0)),
                          static_cast<uint8_t>(state[1] + (process == 1)), process);
            }
    };
    model.valid_end = [](const uint8_t *state, uint32_t) { return static_cast<int>(state[0] == most && state[1] == most); };
    model.atoms = [](const uint8_t *state, uint32_t, uint64_t *truth) { *truth = state[0] >= state[1]; };
    return model;
}

Outcome run(const kripke_model &model, const Plan &plan) {
    Control control;
    Composition composition(model, plan, control);
    return composition.run([](const Progress &, double) {});
}

Plan plan_with(Order order, StoreKind store = StoreKind::full, uint32_t threads = 1) {
    Plan plan;
    plan.search.order = order;
    plan.search.store = store;
    plan.search.threads = plan.search.shared.workers = threads;
    plan.search.shared.table_bytes = 1 << 16;
    plan.search.stop_at_first = false;
    return plan;
}

std::vector<std::string> states_of(const Composition &composition, const ErrorPath &error) {
    std::vector<std::string> states;
    composition.for_each_state(error, [&](const uint8_t *state, uint32_t length) {
        states.emplace_back(reinterpret_cast<const char *>(state), length);
    });
    return states;
}

void test_every_store() {
    const kripke_model model = counters();
    for (const StoreKind store : {StoreKind::full, StoreKind::tree, StoreKind::collapse, StoreKind::numbers, StoreKind::hash_compact,
                                  StoreKind::bitstate, StoreKind::cache})
        for (const uint32_t threads : {1u, 2u}) {
            Plan plan = plan_with(Order::depth_first, store, threads);
            plan.search.invariants = {0};
            CHECK(plan.is_parallel() == (store != StoreKind::full || threads != 1));
            Control control;
            Composition composition(model, plan, control);
            const Outcome outcome = composition.run([](const Progress &, double) {});
            CHECK(outcome.complete() && outcome.totals.states == 100 && outcome.totals.transitions == 181);
            CHECK(outcome.state_bytes == 2 && outcome.covered == std::vector<uint8_t>({1, 1}));
            CHECK(outcome.errors == 45 && composition.error_paths().size() == 1);
            const ErrorPath &error = composition.error_paths().front();
            CHECK(error.error == (Error{Kind::invariant, 0, -1}));
            const std::vector<std::string> states = states_of(composition, error);
            CHECK(states.front() == std::string("\0\0", 2) && states.back()[0] < states.back()[1]);
            CHECK(outcome.sketch.empty() && outcome.sweep.sweeps == 0 && !outcome.samples.empty());
        }
}

void test_goals() {
    const kripke_model model = counters();
    Plan plan = plan_with(Order::breadth_first);
    plan.search.goals = {0};
    Control control;
    Composition composition(model, plan, control);
    composition.run([](const Progress &, double) {});
    CHECK(composition.error_paths().size() == 1 && composition.error_paths().front().error.kind == Kind::goal);
    CHECK(states_of(composition, composition.error_paths().front()) == std::vector{std::string("\0\0", 2)});
}

/* No process is interrupted: one after the other. */
void test_switches() {
    const kripke_model model = counters();
    Plan plan = plan_with(Order::breadth_first);
    plan.max_switches = 0;
    const Outcome none = run(model, plan);
    CHECK(none.reason == Reason::switches && none.state_bytes == 4);
    CHECK(none.totals.states == 1 + 2 * 18); /* who moved last is part of a state */
    plan.max_switches = 17;
    CHECK(run(model, plan).complete());
}

void test_shuffled() {
    const kripke_model model = counters();
    for (const StoreKind store : {StoreKind::bitstate, StoreKind::tree}) {
        Plan plan = plan_with(Order::depth_first, store);
        plan.shuffled = true;
        plan.search.shared.seed = 7;
        const Outcome outcome = run(model, plan);
        CHECK(outcome.totals.states == 100 && outcome.sketch.size() == Sketch::registers);
    }
}

/* The greater counter first: half of the states, and those in the middle. */
class Sorted final : public Representative {
  public:
    void find(uint8_t *state, uint32_t, const volatile uint32_t *) override {
        if (state[0] < state[1])
            std::swap(state[0], state[1]);
    }
};

void test_symmetry() {
    const kripke_model model = counters();
    Plan plan = plan_with(Order::breadth_first);
    plan.symmetry = [] { return std::make_unique<Sorted>(); };
    CHECK(run(model, plan).totals.states == 55);
}

/* An observer of one state, with a mark where the first counter is behind. */
Observer behind() {
    Observer observer;
    observer.initial = {0};
    observer.edges = {{ObserverEdge{{Cube{{1}, {0}}}, 0, 1, -1}, ObserverEdge{{Cube{{1}, {1}}}, 0, 0, -1}}};
    return observer;
}

void test_observer() {
    const kripke_model model = counters();
    Plan plan = plan_with(Order::breadth_first);
    plan.observer = behind();
    plan.search.deadlock = false;
    const Outcome outcome = run(model, plan);
    CHECK(outcome.complete() && outcome.totals.states == 100 && outcome.state_bytes == 3);
    plan.search.order = Order::components; /* the run that ends stutters where both are at 9 */
    CHECK(run(model, plan).complete());
    plan.observer->edges[0][1].marks = 1;
    CHECK(run(model, plan).errors == 1);
}

/* The advice that leaves nothing out. */
class NoAdvice final : public Advice {
  public:
    std::unique_ptr<DependencyTables> tables(const uint8_t *, uint32_t) override { return nullptr; }
    bool add_rows(DependencyTables &, const uint8_t *, uint32_t, uint32_t) override { return false; }
    std::shared_ptr<SharedPairs> pairs() override { return nullptr; }
};

void check_refused(const Plan &plan, const std::string &why) {
    const kripke_model model = counters();
    try {
        run(model, plan);
    } catch (const std::invalid_argument &refusal) {
        if (why != refusal.what())
            std::fprintf(stderr, "refused because: %s\n", refusal.what());
        CHECK(why == refusal.what());
        return;
    }
    std::fprintf(stderr, "not refused: %s\n", why.c_str());
    CHECK(false);
}

void test_guards() {
    NoAdvice advice;
    const auto changed = [](Plan plan, auto change) {
        change(plan);
        return plan;
    };
    const Plan plain = plan_with(Order::breadth_first), deep = plan_with(Order::depth_first);
    check_refused(changed(plain, [](Plan &plan) { plan.search.invariants = {1}; }), "there is no atom 1: the model has 1");
    check_refused(changed(plain, [](Plan &plan) { plan.search.goals = {3}; }), "there is no atom 3: the model has 1");
    check_refused(changed(plain, [](Plan &plan) { plan.search.threads = 0; }), "from 1 to 30 threads");
    check_refused(changed(plain, [](Plan &plan) { plan.search.shared.hash_bits = 33; }),
                  "hashes of 32, 40 or 64 bits, and 1 to 32 of them");
    check_refused(changed(plain, [](Plan &plan) { plan.search.sets = 65; }), "too many acceptance sets for this search");
    check_refused(changed(plan_with(Order::nested), [](Plan &plan) { plan.search.fairness = Fairness::weak; }),
                  "fairness needs the search \"scc\"");
    check_refused(plan_with(Order::components, StoreKind::full, 2),
                  "threads look for cycles by the search \"ndfs\" only, without a depth limit");
    check_refused(changed(plan_with(Order::breadth_first, StoreKind::tree), [](Plan &plan) { plan.search.goals = {0}; }),
                  "threads and stores other than \"full\" go without goals");
    check_refused(changed(plan_with(Order::depth_first, StoreKind::tree), [](Plan &plan) { plan.search.max_depth = 3; }),
                  "a depth limit goes with \"bfs\" here");
    check_refused(changed(deep, [](Plan &plan) { plan.search.resume = "somewhere"; }),
                  "checkpoints go with \"bfs\" and the stores \"full\", \"tree\", \"collapse\" and \"numbers\"");
    check_refused(plan_with(Order::sweep), "the model has no measure of progress");
    check_refused(plan_with(Order::sweep, StoreKind::tree),
                  "a sweep is of one thread that looks for errors in states and steps, without limits of depth");
    check_refused(changed(deep, [&](Plan &plan) { plan.advice = &advice; }), "the model does not know its dependencies");
    check_refused(changed(deep, [&](Plan &plan) {
                      plan.advice = &advice;
                      plan.search.max_depth = 7;
                  }),
                  "reduction goes without a depth limit and fairness, and with threads only breadth-first in a tree, "
                  "or collapsed");
    check_refused(changed(plain, [](Plan &plan) {
                      plan.symmetry = [] { return std::make_unique<Sorted>(); };
                      plan.observer = behind();
                  }),
                  "symmetry goes without reduction and observer");
    check_refused(changed(plain, [](Plan &plan) { plan.max_switches = 256; }),
                  "at most 255 switches, without reduction, observer, threads and other stores");
    check_refused(changed(plain, [](Plan &plan) {
                      plan.max_switches = 1;
                      plan.shuffled = true;
                  }),
                  "steps are shuffled for one thread that looks for no cycles, without reduction");
}

} // namespace

void test_plan() {
    test_every_store();
    test_goals();
    test_switches();
    test_shuffled();
    test_symmetry();
    test_observer();
    test_guards();
}
