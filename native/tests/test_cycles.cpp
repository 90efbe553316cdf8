/* Accepting cycles of products: small ones made by hand, and random ones beside a
 * definition by plain reachability. */
#include "check.h"
#include "own_model.h"
#include "cycles/handle_stack.h"
#include "wrappers/product.h"
#include "searches/search.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

using namespace kripke;

namespace {

constexpr uint32_t atoms = 65, last_atom = 64; /* more than a word */

/* A graph as a model; a step is made by a process, an atom is true in some nodes. */
struct Watched {
    struct Step {
        uint32_t target, actor;
    };
    std::vector<std::vector<Step>> steps;
    std::vector<uint8_t> atom;    /* the last atom, by node; all others are false */
    std::vector<int64_t> failing; /* a process whose step from here is an error and leads nowhere, or -1 */
    std::vector<uint32_t> initial;

    explicit Watched(uint32_t nodes) : steps(nodes), atom(nodes), failing(nodes, -1), initial{0} {}
};

Watched watched(1); /* the one being searched */

void emit_node(kripke_sink *sink, uint32_t node) {
    const uint32_t length = 1 + node % 5;
    std::memset(sink->out, 7, length);
    sink->out[0] = static_cast<uint8_t>(node);
    sink->emit(sink, length, 0);
}

const kripke_model watched_model = own_model([](kripke_model &made) {
    made.max_state_bytes = 5;
    made.label_count = 1;
    made.violation_count = 1;
    made.atom_count = atoms;
    made.name = "watched";
    made.initial = [](kripke_sink *sink) {
        for (const uint32_t node : watched.initial)
            emit_node(sink, node);
    };
    made.successors = [](const uint8_t *state, uint32_t, kripke_sink *sink) {
        if (watched.failing[state[0]] >= 0) {
            sink->actor = static_cast<uint32_t>(watched.failing[state[0]]);
            sink->report(sink, 0, 0);
        }
        for (const auto &[target, actor] : watched.steps[state[0]]) {
            sink->actor = actor;
            emit_node(sink, target);
        }
    };
    made.valid_end = [](const uint8_t *, uint32_t) { return 1; };
    made.atoms = [](const uint8_t *state, uint32_t, uint64_t *truth) {
        truth[0] = 0;
        truth[1] = watched.atom[state[0]];
    };
});

// ---- Observers ----------------------------------------------------------------

Cube literal(bool wanted) { return {{0, 1}, {0, uint64_t{wanted}}}; }
Cube always() { return {{0, 0}, {0, 0}}; }

ObserverEdge edge(Cube guard, uint32_t target, uint64_t marks) {
    return {{std::move(guard)}, target, marks, ObserverEdge::no_error};
}

/* Accepts the runs on which the atom is at last true for ever. */
Observer persistence() {
    Observer made;
    made.initial = {0};
    made.edges = {{edge(always(), 0, 0), edge(literal(true), 1, 0)}, {edge(literal(true), 1, 1)}};
    return made;
}

/* Accepts the runs on which the atom is true again and again. */
Observer recurrence() {
    Observer made;
    made.initial = {0};
    made.edges = {{edge(literal(true), 0, 1), edge(literal(false), 0, 0)}};
    return made;
}

// ---- What is to come out --------------------------------------------------------

/* The product by its definition; a state is node * observer's states + observer's. */
struct Explicit {
    struct Step {
        uint32_t source, target;
        uint64_t marks;
        int64_t actor; /* -1: nobody */
    };
    uint32_t states;
    std::vector<Step> steps;
    std::vector<uint64_t> enabled; /* processes, a bit each */
    std::vector<uint8_t> reached;

    explicit Explicit(const Observer &observer)
        : states(static_cast<uint32_t>(watched.steps.size() * observer.edges.size())), enabled(states),
          reached(states) {
        const auto width = static_cast<uint32_t>(observer.edges.size());
        for (uint32_t node = 0; node < watched.steps.size(); ++node) {
            const uint64_t truth[2] = {0, watched.atom[node]};
            for (uint32_t watching = 0; watching < width; ++watching)
                for (const ObserverEdge &move : observer.edges[watching])
                    if (move.allows(truth))
                        add(node, watching, move, width, observer.stutters);
        }
        for (const uint32_t node : watched.initial)
            for (const uint32_t watching : observer.initial)
                reached[node * width + watching] = 1;
        for (bool more = true; more;) {
            more = false;
            for (const Step &step : steps)
                if (reached[step.source] && !reached[step.target]) {
                    reached[step.target] = 1;
                    more = true;
                }
        }
    }

    void add(uint32_t node, uint32_t watching, const ObserverEdge &move, uint32_t width, bool stutters) {
        const uint32_t source = node * width + watching;
        for (const auto &[target, actor] : watched.steps[node]) {
            steps.push_back({source, target * width + move.target, move.marks, actor});
            enabled[source] |= uint64_t{1} << actor;
        }
        if (watched.failing[node] >= 0)
            enabled[source] |= uint64_t{1} << watched.failing[node];
        else if (watched.steps[node].empty() && stutters)
            steps.push_back({source, node * width + move.target, move.marks, -1});
    }

    /* Is there a cycle through states of `inside` with all marks that is fair? */
    bool accepts(uint64_t marks, Fairness fairness) const { return accepts(reached, marks, fairness); }

    bool accepts(const std::vector<uint8_t> &inside, uint64_t marks, Fairness fairness) const {
        for (uint32_t start = 0; start < states; ++start) {
            if (!inside[start])
                continue;
            const auto forth = closure(inside, start, false), back = closure(inside, start, true);
            std::vector<uint8_t> component(states);
            uint64_t every = ~uint64_t{0}, some = 0, moved = 0, found = 0;
            for (uint32_t state = 0; state < states; ++state)
                if (forth[state] && back[state]) {
                    component[state] = 1;
                    every &= enabled[state];
                    some |= enabled[state];
                }
            bool cyclic = false;
            for (const Step &step : steps)
                if (component[step.source] && component[step.target]) {
                    cyclic = true;
                    found |= step.marks;
                    if (step.actor >= 0)
                        moved |= uint64_t{1} << step.actor;
                }
            if (!cyclic || found != marks)
                continue;
            const uint64_t starved = fairness == Fairness::none ? 0 : (fairness == Fairness::weak ? every : some) & ~moved;
            if (starved == 0)
                return true;
            if (fairness == Fairness::strong) {
                for (uint32_t state = 0; state < states; ++state)
                    component[state] = component[state] && (enabled[state] & starved) == 0;
                if (accepts(component, marks, fairness))
                    return true;
            }
        }
        return false;
    }

    /* What is reached from a state, or reaches it, by any number of steps inside. */
    std::vector<uint8_t> closure(const std::vector<uint8_t> &inside, uint32_t start, bool backwards) const {
        std::vector<uint8_t> met(states);
        met[start] = 1;
        for (bool more = true; more;) {
            more = false;
            for (const Step &step : steps) {
                const uint32_t from = backwards ? step.target : step.source, to = backwards ? step.source : step.target;
                if (met[from] && inside[to] && !met[to]) {
                    met[to] = 1;
                    more = true;
                }
            }
        }
        return met;
    }
};

// ---- Searches --------------------------------------------------------------------

Options asked(Order order, uint32_t sets, Fairness fairness) {
    Options options;
    options.order = order;
    options.deadlock = false;
    options.stop_at_first = false;
    options.sets = sets;
    options.fairness = fairness;
    return options;
}

/* The states of the lasso that was found; none if there is no cycle. */
std::vector<std::string> lasso_of(const Search &search, int64_t &loop) {
    for (const ErrorPath &error_path : search.error_paths().kept()) {
        if (error_path.error.kind != Kind::cycle)
            continue;
        loop = error_path.loop;
        if (!error_path.states.empty())
            return error_path.states;
        std::vector<std::string> states;
        StateBuffer buffer(search.store().longest());
        for (const uint64_t offset : error_path.path) {
            const Record record = search.store().record(offset);
            const uint8_t *state = search.store().state(record, buffer);
            states.emplace_back(reinterpret_cast<const char *>(state), 2 + state[0] % 5);
        }
        return states;
    }
    return {};
}

/* Every step of the lasso is one of the product, and its loop has all marks. */
void check_lasso(const std::vector<std::string> &lasso, int64_t loop, const Explicit &product, uint32_t width,
                 uint64_t marks) {
    const auto number = [&](const std::string &state) {
        return static_cast<uint8_t>(state.front()) * width + static_cast<uint8_t>(state.back());
    };
    CHECK(loop >= 0 && static_cast<size_t>(loop) + 1 < lasso.size());
    CHECK(lasso.back() == lasso[static_cast<size_t>(loop)]);
    uint64_t found = 0;
    for (size_t i = 1; i < lasso.size(); ++i) {
        bool possible = false;
        for (const auto &step : product.steps)
            if (step.source == number(lasso[i - 1]) && step.target == number(lasso[i])) {
                possible = true;
                if (i > static_cast<size_t>(loop))
                    found |= step.marks;
            }
        CHECK(possible);
    }
    CHECK(found == marks);
}

bool accepted(const Observer &observer, Options options) {
    const Explicit expected(observer);
    const uint64_t marks = (uint64_t{1} << options.sets) - 1;
    const Product product(watched_model, observer);
    Control control;
    const auto search = Search::make(product, options, control);
    search->run();
    int64_t loop = -1;
    const auto lasso = lasso_of(*search, loop);
    CHECK(!lasso.empty() == expected.accepts(marks, options.fairness));
    if (!lasso.empty())
        check_lasso(lasso, loop, expected, static_cast<uint32_t>(observer.edges.size()), marks);
    else if (search->complete())
        CHECK(search->totals().states ==
              static_cast<uint64_t>(std::count(expected.reached.begin(), expected.reached.end(), 1)));
    return !lasso.empty();
}

/* Was it a search to the end, and states, transitions, depth, errors in steps. */
using Figures = std::tuple<bool, uint64_t, uint64_t, uint64_t, uint64_t>;

Figures figures_of(const Observer &observer, const Options &options) {
    const Product product(watched_model, observer);
    Control control;
    const auto search = Search::make(product, options, control);
    search->run();
    const Progress &totals = search->totals();
    return {search->complete(), totals.states, totals.transitions, totals.depth, search->error_paths().count()};
}

/* Stores in which nested depth-first search keeps its colours beside the states. Of so few
 * states none is taken for another. */
const std::vector<StoreKind> other_stores = {StoreKind::tree, StoreKind::collapse, StoreKind::numbers,
                                             StoreKind::hash_compact, StoreKind::bitstate};
/* Those that lose nothing, for components. */
const std::vector<StoreKind> other_exact_stores = {StoreKind::tree, StoreKind::collapse, StoreKind::numbers};

Options nested_in(StoreKind store) {
    Options options = asked(Order::nested, 1, Fairness::none);
    options.store = store;
    options.shared.table_bytes = 1 << 16;
    return options;
}

/* By components in each store that loses nothing: the same answer, and the same figures where there is no cycle. */
bool accepted_by_components(const Observer &observer, uint32_t sets, Fairness fairness) {
    Options options = asked(Order::components, sets, fairness);
    const bool answer = accepted(observer, options);
    const Figures figures = figures_of(observer, options);
    for (const StoreKind store : other_exact_stores) {
        options.store = store;
        CHECK(accepted(observer, options) == answer);
        CHECK(answer || figures_of(observer, options) == figures);
    }
    return answer;
}

/* The components of an observer, and in how many of their cycles a mark is: 0 in none, 1 in every one, 2 in some. */
void classify(const Observer &observer, Guidance &guidance) {
    const auto width = static_cast<uint32_t>(observer.edges.size());
    const auto reaches = [&](uint32_t from, uint32_t to, bool unmarked, const std::vector<uint32_t> *inside) {
        std::vector<uint8_t> met(width);
        std::vector<uint32_t> waiting{from};
        while (!waiting.empty()) {
            const uint32_t state = waiting.back();
            waiting.pop_back();
            for (const ObserverEdge &move : observer.edges[state]) {
                if ((unmarked && move.marks != 0) || (inside != nullptr && (*inside)[move.target] != (*inside)[from]))
                    continue;
                if (move.target == to)
                    return true;
                if (!met[move.target]) {
                    met[move.target] = 1;
                    waiting.push_back(move.target);
                }
            }
        }
        return false;
    };
    guidance.components.resize(width);
    for (uint32_t state = 0; state < width; ++state)
        for (uint32_t other = 0; other <= state; ++other)
            if (other == state || (reaches(state, other, false, nullptr) && reaches(other, state, false, nullptr))) {
                guidance.components[state] = other;
                break;
            }
    guidance.kinds.assign(width, 0);
    for (uint32_t state = 0; state < width; ++state)
        for (uint32_t member = 0; member < width; ++member) {
            if (guidance.components[member] != guidance.components[state])
                continue;
            uint32_t &kind = guidance.kinds[state];
            for (const ObserverEdge &move : observer.edges[member])
                if (move.marks != 0 && guidance.components[move.target] == guidance.components[state])
                    kind = std::max(kind, 1u);
        }
    for (uint32_t state = 0; state < width; ++state)
        for (uint32_t member = 0; member < width; ++member)
            if (guidance.kinds[state] != 0 && guidance.components[member] == guidance.components[state] &&
                reaches(member, member, true, &guidance.components))
                guidance.kinds[state] = 2;
}

constexpr Order directed_orders[] = {Order::astar, Order::best_first, Order::directed_depth_first};

Options directed(const Observer &observer, Order order) {
    Options options = asked(order, 1, Fairness::none);
    options.guidance.suffix = observer.edges.size() > 256 ? 2 : 1;
    options.guidance.behind = order == Order::astar;
    classify(observer, options.guidance);
    return options;
}

bool accepted(const Observer &observer, Order order, Fairness fairness = Fairness::none) {
    if (order == Order::components)
        return accepted_by_components(observer, 1, fairness);
    return accepted(observer, asked(order, 1, fairness));
}

// ---- By hand ------------------------------------------------------------------------

/* 0 -> 1 -> 2 -> 1, the atom in 2: true again and again, never for ever. */
void loop_with_an_atom() {
    watched = Watched(3);
    watched.steps = {{{1, 0}}, {{2, 0}}, {{1, 0}}};
    watched.atom = {0, 0, 1};
    for (const Order order : {Order::nested, Order::components}) {
        CHECK(accepted(recurrence(), order));
        CHECK(!accepted(persistence(), order));
    }
    for (const Order order : directed_orders) {
        CHECK(accepted(recurrence(), directed(recurrence(), order)));
        CHECK(!accepted(persistence(), directed(persistence(), order)));
    }
    for (const StoreKind store : other_stores) {
        CHECK(accepted(recurrence(), nested_in(store)));
        CHECK(!accepted(persistence(), nested_in(store)));
    }
}

/* 0 -> 1, where the atom is true and the run ends: it stays there for ever. */
void run_that_ends() {
    watched = Watched(2);
    watched.steps = {{{1, 0}}, {}};
    watched.atom = {0, 1};
    Observer infinite = recurrence();
    infinite.stutters = false;
    for (const Order order : {Order::nested, Order::components}) {
        CHECK(accepted(persistence(), order));
        CHECK(accepted(recurrence(), order));
        CHECK(!accepted(infinite, order));
    }
}

/* Process 0 goes round 0 -> 1 -> 0, process 1 could leave from 1 (or from both). */
void fairness() {
    watched = Watched(3);
    watched.steps = {{{1, 0}}, {{0, 0}, {2, 1}}, {{2, 1}}};
    watched.atom = {1, 1, 0};
    CHECK(accepted(persistence(), Order::components));
    CHECK(accepted(persistence(), Order::components, Fairness::weak));
    CHECK(!accepted(persistence(), Order::components, Fairness::strong));
    watched.steps[0].push_back({2, 1});
    CHECK(accepted(persistence(), Order::components));
    CHECK(!accepted(persistence(), Order::components, Fairness::weak));
    CHECK(!accepted(persistence(), Order::components, Fairness::strong));
}

/* The step that process 1 could make all the time fails: no run is fair. */
void no_fair_run() {
    watched = Watched(1);
    watched.steps = {{{0, 0}}};
    watched.failing = {1};
    watched.atom = {1};
    CHECK(accepted(recurrence(), Order::components));
    CHECK(!accepted(recurrence(), Order::components, Fairness::weak));
    CHECK(!accepted(recurrence(), Order::components, Fairness::strong));
}

/* A claim of 300 states: its own take two bytes of a state. */
void long_claim() {
    watched = Watched(1);
    watched.steps = {{{0, 0}}};
    Observer claim;
    claim.initial = {0};
    for (uint32_t state = 0; state < 300; ++state)
        claim.edges.push_back({edge(always(), (state + 1) % 300, state == 299)});
    for (const Order order : {Order::nested, Order::components}) {
        const Product product(watched_model, claim);
        Control control;
        const auto search = Search::make(product, asked(order, 1, Fairness::none), control);
        search->run();
        CHECK(search->totals().states == 300);
        CHECK(search->error_paths().kept().size() == 1);
        CHECK(search->error_paths().kept()[0].loop == 0);
    }
}

// ---- At random --------------------------------------------------------------------------

Watched random_watched(std::mt19937_64 &random) {
    const auto below = [&](uint64_t bound) { return static_cast<uint32_t>(random() % bound); };
    const uint32_t nodes = below(7) + 1;
    Watched made(nodes);
    for (uint32_t node = 0; node < nodes; ++node) {
        for (uint32_t i = below(4); i > 0; --i)
            made.steps[node].push_back({below(nodes), below(3)});
        made.atom[node] = static_cast<uint8_t>(below(2));
        if (below(12) == 0)
            made.failing[node] = below(3);
    }
    if (below(4) == 0)
        made.initial.push_back(below(nodes));
    return made;
}

Observer random_observer(std::mt19937_64 &random, uint32_t sets) {
    const auto below = [&](uint64_t bound) { return static_cast<uint32_t>(random() % bound); };
    Observer made;
    made.initial = {0};
    made.edges.resize(below(3) + 1);
    for (auto &moves : made.edges)
        for (uint32_t i = below(4); i > 0; --i) {
            const uint32_t guard = below(4);
            moves.push_back(edge(guard == 0 ? literal(true) : guard == 1 ? literal(false) : always(),
                                 below(made.edges.size()), below(uint64_t{1} << sets)));
        }
    made.stutters = below(4) != 0;
    return made;
}

void random_products() {
    std::mt19937_64 random(4);
    uint32_t found = 0, searched = 0;
    for (int round = 0; round < 1500; ++round) {
        watched = random_watched(random);
        const auto sets = static_cast<uint32_t>(random() % 4);
        const Observer observer = random_observer(random, sets);
        for (const Fairness fairness : {Fairness::none, Fairness::weak, Fairness::strong}) {
            found += accepted_by_components(observer, sets, fairness);
            ++searched;
        }
        if (sets != 1)
            continue;
        for (const Order order : {Order::nested, Order::components}) {
            Options options = asked(order, 1, Fairness::none);
            options.shortest = true;
            accepted(observer, options);
            options.shortest = false;
            accepted(observer, options);
        }
        for (const StoreKind store : other_stores)
            accepted(observer, nested_in(store));
        for (const Order order : directed_orders)
            accepted(observer, directed(observer, order));
        Options short_hashes = nested_in(StoreKind::hash_compact);
        short_hashes.shared.hash_bits = round % 2 == 0 ? 32 : 40;
        accepted(observer, short_hashes);
        for (const uint32_t threads : {2, 3}) {
            Options options = asked(Order::nested, 1, Fairness::none);
            options.threads = threads;
            accepted(observer, options);
        }
    }
    CHECK(found > searched / 10 && found < searched * 9 / 10); /* or the test says little */
}

/* Larger graphs, on which threads are sure to meet: sparse ones, in which a rare mark
 * leaves much to inner searches. The answer is that of one thread and the full store;
 * without a cycle, so are the counts. */
void threads_and_stores() {
    std::mt19937_64 random(6);
    const auto below = [&](uint64_t bound) { return static_cast<uint32_t>(random() % bound); };
    uint32_t found = 0;
    constexpr int rounds = 150;
    for (int round = 0; round < rounds; ++round) {
        const uint32_t nodes = 200 + below(56);
        watched = Watched(nodes);
        const bool forwards = round % 3 != 0; /* mostly, so that cycles are rare */
        for (uint32_t node = 0; node < nodes; ++node) {
            for (uint32_t i = 1 + below(3); i > 0; --i) {
                const bool back = !forwards || below(40) == 0;
                const uint32_t target = back ? below(nodes) : node + 1 + below(4);
                if (target < nodes)
                    watched.steps[node].push_back({target, below(3)});
            }
            watched.atom[node] = below(8) == 0;
        }
        Observer observer = round % 2 == 0 ? recurrence() : persistence();
        observer.stutters = false;
        const Product product(watched_model, observer);
        const auto run = [&](uint32_t threads, StoreKind store, Order order = Order::nested) {
            Options options = nested_in(store);
            options.order = order;
            options.threads = threads;
            Control control;
            auto search = Search::make(product, options, control);
            search->run();
            return std::make_tuple(search->complete(), search->totals().states, search->totals().transitions);
        };
        const auto [complete, states, transitions] = run(1, StoreKind::full);
        found += !complete;
        for (const uint32_t threads : {2, 4}) {
            const auto [same, as_many, steps] = run(threads, StoreKind::full);
            CHECK(same == complete);
            CHECK(!complete || (as_many == states && steps == transitions));
        }
        for (const StoreKind store : other_stores) {
            const auto [same, as_many, steps] = run(1, store);
            CHECK(same == complete);
            CHECK(!complete || (as_many == states && steps == transitions));
        }
        for (const Order order : directed_orders) {
            Control control;
            auto search = Search::make(product, directed(observer, order), control);
            search->run();
            CHECK(search->complete() == complete);
            CHECK(!complete || search->totals().states == states);
        }
        for (const StoreKind store : {StoreKind::full, StoreKind::tree, StoreKind::collapse}) {
            const auto [same, as_many, steps] = run(1, store, Order::components);
            CHECK(same == complete);
            CHECK(!complete || (as_many == states && steps == transitions));
        }
    }
    CHECK(found > rounds / 10 && found < rounds * 9 / 10);
}

/* A search with too little memory says so, and keeps to it. */
void little_memory() {
    std::mt19937_64 random(5);
    for (int round = 0; round < 40; ++round) {
        watched = random_watched(random);
        const Observer observer = random_observer(random, 1);
        const Product product(watched_model, observer);
        for (const StoreKind store : other_stores)
            for (uint64_t limit = 1; limit < 3'000'000; limit = limit * 2 + 1) {
                Options options = nested_in(store);
                options.memory_limit = limit;
                Control control;
                const auto search = Search::make(product, options, control);
                search->run();
                CHECK(search->peak_bytes() <= limit);
            }
        for (const StoreKind store : other_exact_stores)
            for (uint64_t limit = 1; limit < 3'000'000; limit = limit * 2 + 1) {
                Options options = asked(Order::components, 1, round % 2 == 0 ? Fairness::none : Fairness::strong);
                options.store = store;
                options.memory_limit = limit;
                Control control;
                const auto search = Search::make(product, options, control);
                search->run();
                CHECK(search->peak_bytes() <= limit);
            }
        for (const auto &[order, threads] : {std::pair{Order::nested, 1U}, {Order::nested, 2U}, {Order::components, 1U}})
            for (uint64_t limit = 1; limit < 3'000'000; limit = limit * 2 + 1) {
                Options options = asked(order, 1, Fairness::none);
                options.memory_limit = limit;
                options.threads = threads;
                Control control;
                const auto search = Search::make(product, options, control);
                search->run();
                CHECK(search->peak_bytes() <= limit);
            }
    }
}

/* A stack that says where everything on it is, beside a map that knows. */
void stack_of_handles() {
    std::mt19937_64 random(7);
    for (const uint64_t spread : {uint64_t{40'000}, uint64_t{1} << 60}) {
        Budget budget(0);
        HandleStack stack(budget);
        std::vector<uint64_t> order;
        std::unordered_map<uint64_t, uint32_t> places;
        uint64_t most = 0;
        for (int round = 0; round < 400; ++round) {
            const uint64_t least = random() % (order.size() + 1); /* now few are taken off, now almost all */
            if (round % 3 == 0) {
                stack.shrink(least);
                for (; order.size() > least; order.pop_back())
                    places.erase(order.back());
            }
            for (uint64_t i = random() % 600; i > 0; --i) {
                const uint64_t handle = random() % spread << (round % 5);
                if (!places.emplace(handle, order.size() + 1).second)
                    continue;
                CHECK(stack.find(handle) == 0);
                CHECK(stack.push(handle));
                order.push_back(handle);
            }
            CHECK(stack.size() == order.size());
            most = std::max(most, stack.size());
            for (uint64_t i = 0; i < order.size(); ++i)
                CHECK(stack[i] == order[i] && stack.find(order[i]) == i + 1);
            for (int i = 0; i < 100; ++i)
                if (const uint64_t handle = random() % (2 * spread); !places.contains(handle))
                    CHECK(stack.find(handle) == 0);
        }
        CHECK(most > 2000); /* so the table has grown */
    }
    for (uint64_t limit = 1; limit < 2'000'000; limit = limit * 2 + 1) {
        Budget budget(limit);
        HandleStack stack(budget);
        uint64_t count = 0;
        while (count < 100'000 && stack.push(count * 3))
            ++count;
        CHECK(budget.peak() <= limit && stack.size() == count);
        for (uint64_t i = 0; i < count; ++i)
            CHECK(stack.find(i * 3) == i + 1); /* as before what there was no memory for */
    }
}

} // namespace

void test_cycles() {
    stack_of_handles();
    loop_with_an_atom();
    run_that_ends();
    fairness();
    no_fair_run();
    long_claim();
    random_products();
    threads_and_stores();
    little_memory();
}
