#include "check.h"
#include "symbolic/deep_stack.h"
#include "symbolic/symbolic_net.h"
#include "symbolic/variable_order.h"

#include <functional>
#include <numeric>
#include <set>

using namespace kripke;

namespace {

/* `parts` rings of three places each, with `tokens` in the first place of each. */
TokenNet rings(uint32_t parts, uint32_t tokens) {
    TokenNet net;
    for (uint32_t i = 0; i < parts; ++i)
        for (uint32_t at = 0; at < 3; ++at) {
            net.initial.push_back(at == 0 ? tokens : 0);
            net.presets.push_back({{3 * i + at, 1}});
            net.postsets.push_back({{3 * i + (at + 1) % 3, 1}});
        }
    return net;
}

std::vector<uint32_t> in_order(uint32_t places) {
    std::vector<uint32_t> levels(places);
    std::iota(levels.begin(), levels.end(), 0);
    return levels;
}

/* The order with the shortest transitions. */
std::vector<uint32_t> best_order(const TokenNet &net) {
    std::vector<std::vector<uint32_t>> groups;
    for (size_t i = 0; i < net.presets.size(); ++i) {
        std::set<uint32_t> places;
        for (const Arcs *arcs : {&net.presets[i], &net.postsets[i]})
            for (const auto &[place, weight] : *arcs)
                places.insert(place);
        groups.emplace_back(places.begin(), places.end());
    }
    return orders_of_places(static_cast<uint32_t>(net.initial.size()), groups).front();
}

/* Why an operation was stopped. */
Reason run(SymbolicNet &net, const Control &control, const std::function<void()> &operation) {
    Reason reason = Reason::none;
    run_on_deep_stack(
        [&](const void *floor) {
            try {
                net.diagram.begin(control, floor);
                operation();
            } catch (const Stopped &stopped) {
                reason = stopped.reason;
            }
        },
        [] {});
    return reason;
}

uint64_t power(uint64_t base, uint32_t exponent) { return exponent == 0 ? 1 : base * power(base, exponent - 1); }

void test_rings() {
    for (const uint32_t parts : {1u, 2u, 5u})
        for (const uint32_t tokens : {1u, 2u, 7u}) {
            SymbolicNet net(rings(parts, tokens), in_order(3 * parts), 1 << 24);
            const Control control;
            Set all = Diagram::nothing;
            CHECK(run(net, control, [&] {
                      all = net.forward_closure(net.initial(), Diagram::anything);
                      net.diagram.hold(all);
                  }) == Reason::none);
            const uint64_t each = static_cast<uint64_t>(tokens + 1) * (tokens + 2) / 2;
            CHECK(run(net, control, [&] {
                      CHECK(net.count(all) == Digits{power(each, parts)});
                      CHECK(net.dead(all) == Diagram::nothing);
                      CHECK(net.count_steps(all) == Digits{power(each, parts) * 3 * parts * tokens / (tokens + 2)});
                      CHECK(net.most_on_places(all) == std::vector<uint32_t>(3 * parts, tokens));
                      /* Everything leads back: whoever comes from where, it is all the same set. */
                      net.diagram.collect();
                      const Set start = net.initial();
                      CHECK(net.contains(all, net.pick(all)) && net.contains(start, net.pick(start)));
                      CHECK(net.backward_closure(start, all) == all);
                      CHECK(net.forward_closure(start, all) == all);
                      CHECK(net.successors(all, all) == all);
                      CHECK(net.predecessors(all, all) == all);
                      const Set some = net.at_least(all, {{0, 1}, {1, -1}}, 1);
                      CHECK(net.diagram.unite(some, net.diagram.subtract(all, some)) == all);
                      CHECK(net.diagram.intersect(some, net.diagram.subtract(all, some)) == Diagram::nothing);
                  }) == Reason::none);
        }
}

/* Bathers that need a cabin to change in and a bag for their things: sums of many numbers of tokens. */
TokenNet bathers() {
    TokenNet net;
    net.initial = {32, 16, 24, 0, 0, 0, 0, 0, 0};
    net.presets = {{{0, 1}, {1, 1}}, {{3, 1}, {2, 1}}, {{4, 1}}, {{5, 1}, {1, 1}}, {{6, 1}}, {{7, 1}}, {{8, 1}}};
    net.postsets = {{{3, 1}}, {{4, 1}}, {{5, 1}, {1, 1}}, {{6, 1}}, {{7, 1}, {2, 1}}, {{8, 1}, {1, 1}}, {{0, 1}}};
    return net;
}

/* Garbage is collected in the middle of a closure, and the result is what it is with room for all.
 * To count it takes more room. */
void test_little_memory() {
    uint64_t peaks[2];
    for (const int small : {0, 1}) {
        SymbolicNet net(bathers(), best_order(bathers()), small ? 600'000 : 1 << 30);
        const Control control;
        CHECK(run(net, control, [&] {
                  const Set all = net.forward_closure(net.initial(), Diagram::anything);
                  CHECK(net.diagram.nodes_of(all) == 12'084);
                  CHECK(net.count(all) == Digits{1'022'949});
              }) == (small ? Reason::memory : Reason::none));
        peaks[small] = net.diagram.peak();
    }
    CHECK(peaks[1] < peaks[0]);
    SymbolicNet none(bathers(), best_order(bathers()), 400'000);
    const Control control;
    CHECK(run(none, control, [&] { none.forward_closure(none.initial(), Diagram::anything); }) == Reason::memory);
}

/* Every marking of two rings is reached, by a walk and by a chain of sets. */
void test_ways() {
    const TokenNet net = rings(2, 2);
    SymbolicNet symbolic(net, in_order(6), 1 << 24);
    const Control control;
    CHECK(run(symbolic, control, [&] {
              const Set all = symbolic.forward_closure(symbolic.initial(), Diagram::anything);
              Set left = all;
              while (left != Diagram::nothing) {
                  const Set goal = symbolic.marking(symbolic.pick(left));
                  left = symbolic.diagram.subtract(left, goal);
                  const auto walk = symbolic.walk(net.initial, goal, all);
                  CHECK(walk.has_value());
                  for (const std::vector<uint32_t> &way : {*walk, symbolic.chain(net.initial, goal, all)}) {
                      std::vector<uint32_t> tokens = net.initial;
                      for (const uint32_t transition : way) {
                          CHECK(tokens[net.presets[transition].front().first] > 0);
                          --tokens[net.presets[transition].front().first];
                          ++tokens[net.postsets[transition].front().first];
                      }
                      CHECK(symbolic.contains(goal, tokens));
                  }
              }
          }) == Reason::none);
}

/* A step that looks at one of four places and at one of four others: sixteen transitions, which are one diagram with a
 * branch for each place. What is reached is what they do one by one, forwards and backwards. */
void test_many_that_look() {
    std::vector<Effects> steps;
    TokenNet net;
    net.initial = {1, 0, 1, 1, 0, 0, 0, 1, 0, 0};
    for (uint32_t one = 1; one <= 4; ++one)
        for (uint32_t other = 5; other <= 8; ++other) {
            steps.push_back({{0, 1, -1}, {one, 1, 0}, {other, 1, 0}, {9, 0, 1}});
            net.presets.push_back({{0, 1}, {one, 1}, {other, 1}});
            net.postsets.push_back({{9, 1}, {one, 1}, {other, 1}});
        }
    Together together;
    const uint32_t top = together.node_of(steps);
    CHECK(together.node(top).branches.size() == 1);
    CHECK(together.size() == 2 + 1 + 4 + 4 + 1);
    CHECK(together.node_of({}) == Together::none);
    CHECK(together.node_of({Effects{}}) == Together::done);

    SymbolicNet symbolic(net, in_order(10), 1 << 24);
    const Control control;
    CHECK(run(symbolic, control, [&] {
              std::vector<uint32_t> moved = net.initial;
              std::swap(moved[0], moved[9]);
              const Set start = symbolic.initial(), end = symbolic.marking(moved);
              const Set both = symbolic.diagram.unite(start, end);
              CHECK(symbolic.forward_closure(start, Diagram::anything) == both);
              CHECK(symbolic.backward_closure(end, both) == both);
              CHECK(symbolic.successors(both, Diagram::anything) == end);
              CHECK(symbolic.predecessors(both, Diagram::anything) == start);
              CHECK(symbolic.dead(both) == end);
              CHECK(symbolic.count_steps(both) == Digits{2}); /* two places of the four are marked, one of the others */
          }) == Reason::none);
}

void test_endless() {
    TokenNet net;
    net.initial = {0, 1};
    net.presets = {{{1, 1}}};
    net.postsets = {{{1, 1}, {0, 1}}};
    SymbolicNet unbounded(net, in_order(2), 1 << 26);
    Control control;
    control.stop(Reason::time);
    CHECK(run(unbounded, control, [&] { unbounded.forward_closure(unbounded.initial(), Diagram::anything); }) ==
          Reason::time);
}

} // namespace

void test_symbolic_net() {
    test_rings();
    test_little_memory();
    test_many_that_look();
    test_ways();
    test_endless();
}
