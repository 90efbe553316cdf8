#include "plan/plan.h"

#include "cycles/parallel_nested.h"
#include "wrappers/preemptions.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace kripke {

namespace {

void refuse_if(bool bad, const std::string &why) {
    if (bad)
        throw std::invalid_argument(why);
}

void guard_atoms(const std::vector<uint32_t> &atoms, const kripke_model &model) {
    for (const uint32_t atom : atoms)
        refuse_if(atom >= model.atom_count, "there is no atom " + std::to_string(atom) + ": the model has " +
                                                std::to_string(model.atom_count));
}

void guard_cycles(const Plan &plan) {
    const Options &search = plan.search;
    const bool nested = search.order == Order::nested;
    refuse_if(search.sets > 64 || (nested && search.sets != 1), "too many acceptance sets for this search");
    refuse_if(nested && search.fairness != Fairness::none, "fairness needs the search \"scc\"");
    refuse_if(plan.looks_for_cycles() && search.threads > 1 && (!nested || search.max_depth != 0),
              "threads look for cycles by the search \"ndfs\" only, without a depth limit");
    const size_t strong = plan.observer ? plan.observer->strong.size() : 0;
    refuse_if(strong != 0 && (search.order != Order::components || search.sets + strong > 64),
              "too many events, or not the search \"scc\"");
}

void guard_stores(const Plan &plan) {
    const Options &search = plan.search;
    const uint32_t bits = search.shared.hash_bits, hashes = search.shared.hashes;
    refuse_if((bits != 32 && bits != 40 && bits != 64) || hashes < 1 || hashes > 32,
              "hashes of 32, 40 or 64 bits, and 1 to 32 of them");
    if (!plan.is_parallel())
        return;
    const bool exact = search.store == StoreKind::full || search.store == StoreKind::tree ||
                       search.store == StoreKind::collapse || search.store == StoreKind::numbers;
    refuse_if(!search.goals.empty(), "threads and stores other than \"full\" go without goals");
    refuse_if(exact && search.order == Order::depth_first && search.max_depth != 0,
              "a depth limit goes with \"bfs\" here");
    refuse_if(search.has_checkpoints() && (search.order != Order::breadth_first || !exact),
              "checkpoints go with \"bfs\" and the stores \"full\", \"tree\", \"collapse\" and \"numbers\"");
}

void guard_sweep(const Plan &plan, const kripke_model &model) {
    const Options &search = plan.search;
    if (search.order != Order::sweep)
        return;
    refuse_if(plan.is_parallel() || search.max_depth != 0 || plan.max_switches || !search.goals.empty() ||
                  plan.observer || plan.advice != nullptr,
              "a sweep is of one thread that looks for errors in states and steps, without limits of depth");
    refuse_if(model.measure == nullptr, "the model has no measure of progress");
}

void guard_directed(const Plan &plan, const kripke_model &model) {
    const Options &search = plan.search;
    if (!plan.is_directed())
        return;
    const bool deep = search.order == Order::deepening || search.order == Order::directed_depth_first;
    refuse_if(search.threads > 1 || search.max_depth != 0 || plan.max_switches || plan.symmetry || plan.shuffled ||
                  (deep && plan.advice != nullptr),
              "a directed search is of one thread, without limits of depth and switches, symmetry, and, deepening, "
              "reduction");
    refuse_if(search.store != StoreKind::full &&
                  (search.order != Order::deepening || search.store != StoreKind::bitstate),
              "a directed search has the store \"full\"; \"ida\" may have \"bitstate\"");
    const Guidance &guidance = search.guidance;
    refuse_if(guidance.estimates && model.estimate == nullptr, "the model was compiled without estimates");
    refuse_if(!guidance.kinds.empty() &&
                  (!plan.observer || guidance.kinds.size() != plan.observer->edges.size() ||
                   guidance.components.size() != guidance.kinds.size() || search.sets != 1 || plan.advice != nullptr),
              "a directed search for cycles has an observer with one set, every state of which has a component and a "
              "kind, and no reduction");
    refuse_if(!guidance.kinds.empty() && (search.order == Order::deepening ||
                                          search.order == Order::directed_breadth_first),
              "a directed search for cycles is A*, best-first or depth-first");
    refuse_if(guidance.estimates && plan.observer && guidance.of_observer.size() != plan.observer->edges.size(),
              "every state of the observer needs an estimate, or -1");
}

void guard_wrappers(const Plan &plan, const kripke_model &model) {
    const Options &search = plan.search;
    const bool plain = plan.advice == nullptr && !plan.symmetry;
    if (plan.advice != nullptr) {
        const bool several = search.order == Order::breadth_first &&
                             (search.store == StoreKind::tree || search.store == StoreKind::collapse ||
                              search.store == StoreKind::numbers);
        refuse_if(search.max_depth != 0 || (search.threads > 1 && !several) || search.fairness != Fairness::none,
                  "reduction goes without a depth limit and fairness, and with threads only breadth-first in a tree, "
                  "or collapsed");
        refuse_if(!Reduced::can_reduce(model), "the model does not know its dependencies");
    }
    if (plan.safe) {
        refuse_if((model.flags & KRIPKE_HAS_PLACES) == 0 || !plan.safe->is_whole(), "these are no places of the model");
        refuse_if(!plain || plan.max_switches || plan.shuffled || search.max_depth != 0 ||
                      search.order == Order::random_walk ||
                      (search.fairness != Fairness::none &&
                       (search.fairness != Fairness::weak || search.fair_to != Fair::actors)),
                  "safe places go without another reduction, bounds of runs and walks, and with weak fairness to "
                  "actors only");
    }
    refuse_if(plan.symmetry && (plan.advice != nullptr || plan.observer),
              "symmetry goes without reduction and observer");
    refuse_if(plan.max_switches && (*plan.max_switches > Preemptions::most_allowed || !plain || plan.observer ||
                                    search.store != StoreKind::full || search.threads != 1),
              "at most 255 switches, without reduction, observer, threads and other stores");
    refuse_if(plan.shuffled && (!plain || plan.max_switches || plan.looks_for_cycles() || search.threads != 1),
              "steps are shuffled for one thread that looks for no cycles, without reduction");
}

} // namespace

void guard(const Plan &plan, const kripke_model &model) {
    guard_atoms(plan.search.goals, model);
    guard_atoms(plan.search.invariants, model);
    refuse_if(plan.search.threads == 0 || plan.search.threads > most_workers,
              "from 1 to " + std::to_string(most_workers) + " threads");
    guard_cycles(plan);
    guard_stores(plan);
    guard_sweep(plan, model);
    guard_directed(plan, model);
    guard_wrappers(plan, model);
}

} // namespace kripke
