/* test_directed.cpp -- the SAT solver against all assignments; property-directed reachability
 * against all states of random transition relations.
 */
#include "check.h"

#include "satisfiability/directed.h"
#include "satisfiability/solver.h"

#include <cstdint>
#include <random>
#include <set>
#include <vector>

using namespace kripke;

namespace {

using Clause = std::vector<Literal>;

bool true_in(const Clause &clause, uint32_t assignment) {
    for (const Literal literal : clause)
        if ((assignment >> (literal / 2) & 1U) != (literal & 1U))
            return true;
    return false;
}

bool has_solution(const std::vector<Clause> &clauses, uint32_t variables) {
    for (uint32_t assignment = 0; assignment < 1U << variables; ++assignment) {
        bool all = true;
        for (const Clause &clause : clauses)
            all = all && true_in(clause, assignment);
        if (all)
            return true;
    }
    return false;
}

Clause random_clause(std::mt19937 &chance, uint32_t variables, uint32_t longest) {
    Clause clause;
    for (uint32_t size = 1 + chance() % longest; size > 0; --size)
        clause.push_back(chance() % (2 * variables));
    return clause;
}

void add_units(std::vector<Clause> &clauses, const Clause &literals) {
    for (const Literal literal : literals)
        clauses.push_back({literal});
}

/* Questions with assumptions and clauses of their own, between which clauses for all are added. */
void random_questions(uint32_t seed) {
    std::mt19937 chance(seed);
    const uint32_t variables = 3 + chance() % 8;
    Solver solver;
    while (solver.variables() < variables)
        solver.fresh();
    std::vector<Clause> known;
    for (int round = 0; round < 60; ++round) {
        for (uint32_t more = chance() % 3; more > 0; --more) {
            known.push_back(random_clause(chance, variables, 4));
            solver.require(known.back());
        }
        const Clause first = random_clause(chance, variables, 2), then = random_clause(chance, variables, 3);
        const Clause own = random_clause(chance, variables, 3);
        const bool with_own = chance() % 2 == 0;
        std::vector<Clause> asked(known);
        add_units(asked, first);
        add_units(asked, then);
        if (with_own)
            asked.push_back(own);
        const bool found = solver.solve(first, then, with_own ? &own : nullptr);
        CHECK(found == has_solution(asked, variables));
        if (found) {
            for (const Clause &clause : asked) {
                bool holds = false;
                for (const Literal literal : clause)
                    holds = holds || solver.holds(literal);
                CHECK(holds);
            }
        } else if (has_solution(known, variables)) {
            std::vector<Clause> blamed(known);
            if (with_own)
                blamed.push_back(own);
            for (const Clause *part : {&first, &then})
                for (const Literal literal : *part)
                    if (solver.in_core(literal))
                        blamed.push_back({literal});
            CHECK(!has_solution(blamed, variables));
        }
    }
}

/* States are `bits` bits; a command leads from the states in which two bits have given values to
 * those in which some bits have others. */
struct Step {
    uint32_t mask, value, written, result;
};

ClausalRelation relation_of(const std::vector<Step> &steps, uint32_t bits, uint32_t start, uint32_t wrong) {
    ClausalRelation relation;
    const auto now = [](uint32_t bit) { return 2 * bit; };
    const auto later = [&](uint32_t bit) { return 2 * (bits + bit); };
    uint32_t next = 2 * bits;
    relation.stepping = 2 * next++;
    relation.start = 2 * next++;
    relation.wrong = 2 * next++;
    Clause some{relation.stepping ^ 1U};
    for (const Step &step : steps) {
        const Literal taken = 2 * next++, guard = 2 * next++;
        some.push_back(taken);
        Clause enabled{guard};
        for (uint32_t bit = 0; bit < bits; ++bit) {
            if ((step.mask >> bit & 1U) != 0) {
                const Literal wanted = now(bit) ^ ((step.value >> bit & 1U) == 0);
                relation.clauses.push_back({guard ^ 1U, wanted});
                enabled.push_back(wanted ^ 1U);
            }
            const Literal not_taken = taken ^ 1U;
            if ((step.written >> bit & 1U) != 0) {
                relation.clauses.push_back({not_taken, later(bit) ^ ((step.result >> bit & 1U) == 0)});
            } else {
                relation.clauses.push_back({not_taken, later(bit) ^ 1U, now(bit)});
                relation.clauses.push_back({not_taken, later(bit), now(bit) ^ 1U});
            }
        }
        relation.clauses.push_back(enabled);
        relation.clauses.push_back({relation.stepping ^ 1U, taken ^ 1U, guard});
        for (const auto &other : relation.commands)
            relation.clauses.push_back({taken ^ 1U, other.taken ^ 1U});
        relation.commands.push_back({taken, guard, {}});
    }
    relation.clauses.push_back(some);
    Clause bad{relation.wrong};
    for (uint32_t bit = 0; bit < bits; ++bit) {
        relation.clauses.push_back({relation.start ^ 1U, now(bit) ^ ((start >> bit & 1U) == 0)});
        relation.clauses.push_back({relation.wrong ^ 1U, now(bit) ^ ((wrong >> bit & 1U) == 0)});
        bad.push_back(now(bit) ^ ((wrong >> bit & 1U) != 0));
        relation.now.push_back(now(bit));
        relation.later.push_back(later(bit));
        relation.single.push_back(false);
        relation.group.push_back(bit / 2);
    }
    relation.clauses.push_back(bad);
    relation.bits_now = relation.now;
    relation.bits_later = relation.later;
    relation.variables = next;
    return relation;
}

uint32_t number_of(const std::vector<bool> &bits) {
    uint32_t number = 0;
    for (size_t bit = 0; bit < bits.size(); ++bit)
        number |= static_cast<uint32_t>(bits[bit]) << bit;
    return number;
}

void random_relation(uint32_t seed) {
    std::mt19937 chance(seed);
    const uint32_t bits = 3 + chance() % 6, all = (1U << bits) - 1;
    std::vector<Step> steps;
    for (uint32_t more = 2 + chance() % 10; more > 0; --more) {
        const uint32_t written = chance() & chance() & all;
        steps.push_back({static_cast<uint32_t>(chance() & chance() & all), static_cast<uint32_t>(chance() & all),
                         written, static_cast<uint32_t>(chance() & written)});
    }
    const uint32_t start = chance() & all, wrong = chance() & all;
    std::set<uint32_t> reached{start};
    std::vector<uint32_t> waiting{start};
    const auto leads = [](const Step &step, uint32_t from) { return (from & step.mask) == (step.value & step.mask); };
    const auto after = [](const Step &step, uint32_t from) { return (from & ~step.written) | step.result; };
    while (!waiting.empty()) {
        const uint32_t from = waiting.back();
        waiting.pop_back();
        for (const Step &step : steps)
            if (leads(step, from) && reached.insert(after(step, from)).second)
                waiting.push_back(after(step, from));
    }
    Directed search(relation_of(steps, bits, start, wrong));
    const bool holds = search.holds({});
    CHECK(holds == !reached.contains(wrong));
    if (!holds) {
        const auto &path = search.path();
        CHECK(!path.empty() && number_of(path.front()) == start && number_of(path.back()) == wrong);
        for (size_t i = 0; i + 1 < path.size(); ++i) {
            bool can = false;
            for (const Step &step : steps)
                can = can || (leads(step, number_of(path[i])) && after(step, number_of(path[i])) == number_of(path[i + 1]));
            CHECK(can);
        }
        return;
    }
    const auto within = [&](uint32_t state) {
        for (const auto &cube : search.excluded()) {
            bool in = true;
            for (const uint32_t one : cube)
                in = in && (state >> (one / 2) & 1U) != (one & 1U);
            if (in)
                return false;
        }
        return true;
    };
    CHECK(within(start) && !within(wrong));
    for (uint32_t state = 0; state <= all; ++state)
        for (const Step &step : steps)
            if (within(state) && leads(step, state))
                CHECK(within(after(step, state)));
}

} // namespace

void test_directed() {
    for (uint32_t seed = 0; seed < 2000; ++seed)
        random_questions(seed);
    for (uint32_t seed = 0; seed < 1000; ++seed)
        random_relation(seed);
}
