#include "lts/bisimulation.h"

#include "lts/strong_bisimulation.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace kripke {

namespace {

/* Blocks numbered in the order of their first states. */
std::vector<uint32_t> renumbered(std::vector<uint32_t> blocks) {
    std::vector<uint32_t> number(blocks.empty() ? 0 : *std::max_element(blocks.begin(), blocks.end()) + size_t{1},
                                 UINT32_MAX);
    uint32_t count = 0;
    for (uint32_t &block : blocks) {
        if (number[block] == UINT32_MAX)
            number[block] = count++;
        block = number[block];
    }
    return blocks;
}

/* Steps by their sources, or by their targets. */
struct Adjacency {
    std::vector<uint64_t> first;
    std::vector<uint32_t> steps;

    Adjacency(uint32_t states, const std::vector<uint32_t> &ends) : first(states + size_t{1}, 0), steps(ends.size()) {
        for (uint32_t end : ends)
            first[end + size_t{1}]++;
        std::partial_sum(first.begin(), first.end(), first.begin());
        std::vector<uint64_t> next(first.begin(), first.end() - 1);
        for (size_t step = 0; step < ends.size(); step++)
            steps[next[ends[step]]++] = static_cast<uint32_t>(step);
    }
};

/* A signature: what a state can do, as sorted numbers without repetition. */
using Signature = std::vector<uint64_t>;

uint64_t pair_of(uint32_t label, uint32_t block) { return static_cast<uint64_t>(label) << 32 | block; }

void tidy(Signature &signature) {
    std::sort(signature.begin(), signature.end());
    signature.erase(std::unique(signature.begin(), signature.end()), signature.end());
}

struct SignatureHash {
    size_t operator()(const Signature *signature) const {
        uint64_t hash = signature->size();
        for (uint64_t item : *signature) {
            hash = (hash ^ item) * 0x9E3779B97F4A7C15u;
            hash ^= hash >> 29;
        }
        return hash;
    }
};
struct SignatureEqual {
    bool operator()(const Signature *a, const Signature *b) const { return *a == *b; }
};
using SignatureNumbers = std::unordered_map<const Signature *, uint32_t, SignatureHash, SignatureEqual>;

constexpr uint32_t no_label = UINT32_MAX;

/* A system without cycles of invisible steps: components of these are single states, which
 * come after those they lead to unseen. */
struct Acyclic {
    TransitionSystem system;
    std::vector<uint32_t> component; /* of every state of the original */
    std::vector<bool> diverges;      /* does a component go round? */

    explicit Acyclic(const TransitionSystem &original) {
        component = invisible_components(original, system.states);
        diverges.resize(system.states, false);
        std::vector<std::pair<uint64_t, uint32_t>> steps; /* source and label, target */
        for (size_t t = 0; t < original.sources.size(); t++) {
            const uint32_t source = component[original.sources[t]], target = component[original.targets[t]];
            if (original.labels[t] == 0 && source == target)
                diverges[source] = true;
            else
                steps.emplace_back(pair_of(source, original.labels[t]), target);
        }
        std::sort(steps.begin(), steps.end());
        steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
        for (const auto &[from, target] : steps) {
            system.sources.push_back(static_cast<uint32_t>(from >> 32));
            system.labels.push_back(static_cast<uint32_t>(from));
            system.targets.push_back(target);
        }
    }
};

/* Blocks are looked at one by one. The states of a block are in an order in which invisible
 * steps lead backwards, so that what a state can do after invisible steps inside of the block
 * is known when it is met. */
class Branching {
  public:
    Branching(const Acyclic &acyclic, bool divergence, const Pause &pause)
        : system_(acyclic.system), diverges_(acyclic.diverges), divergence_(divergence), pause_(pause),
          out_(system_.states, system_.sources), in_(system_.states, system_.targets), block_of_(system_.states, 0),
          signature_of_(system_.states) {}

    std::vector<uint32_t> run() {
        if (system_.states == 0)
            return {};
        members_.emplace_back(system_.states);
        std::iota(members_[0].begin(), members_[0].end(), 0);
        dirty_ = {0};
        is_dirty_ = {true};
        while (!dirty_.empty()) {
            pause_();
            const uint32_t block = dirty_.back();
            dirty_.pop_back();
            is_dirty_[block] = false;
            split(block);
        }
        return block_of_;
    }

  private:
    void split(uint32_t block) {
        std::vector<uint32_t> &states = members_[block];
        if (states.size() < 2)
            return;
        SignatureNumbers numbers;
        kept_.clear();
        kept_.reserve(states.size()); /* pointers into it stay */
        std::vector<uint32_t> groups(states.size());
        for (size_t at = 0; at < states.size(); at++) {
            const uint32_t state = states[at];
            scratch_.clear();
            if (divergence_ && diverges_[state])
                scratch_.push_back(pair_of(no_label, 0));
            for (uint64_t k = out_.first[state]; k < out_.first[state + size_t{1}]; k++) {
                const uint32_t step = out_.steps[k], target = system_.targets[step], label = system_.labels[step];
                if (label == 0 && block_of_[target] == block) {
                    const Signature &more = *kept_[signature_of_[target]];
                    scratch_.insert(scratch_.end(), more.begin(), more.end());
                } else {
                    scratch_.push_back(pair_of(label, block_of_[target]));
                }
            }
            tidy(scratch_);
            auto found = numbers.find(&scratch_);
            if (found == numbers.end()) {
                kept_.push_back(std::make_unique<Signature>(scratch_));
                found = numbers.emplace(kept_.back().get(), static_cast<uint32_t>(kept_.size()) - 1).first;
            }
            groups[at] = signature_of_[state] = found->second;
        }
        if (kept_.size() > 1)
            divide(block, groups, static_cast<uint32_t>(kept_.size()));
    }

    /* The largest group keeps the number of the block; the others get new ones. */
    void divide(uint32_t block, const std::vector<uint32_t> &groups, uint32_t count) {
        std::vector<uint32_t> size(count, 0);
        for (uint32_t group : groups)
            size[group]++;
        const uint32_t largest = static_cast<uint32_t>(std::max_element(size.begin(), size.end()) - size.begin());
        std::vector<uint32_t> number(count, block);
        for (uint32_t group = 0; group < count; group++)
            if (group != largest) {
                number[group] = static_cast<uint32_t>(members_.size());
                members_.emplace_back();
                members_.back().reserve(size[group]);
                is_dirty_.push_back(false);
            }
        std::vector<uint32_t> states;
        states.swap(members_[block]);
        members_[block].reserve(size[largest]);
        for (size_t at = 0; at < states.size(); at++) {
            block_of_[states[at]] = number[groups[at]];
            members_[number[groups[at]]].push_back(states[at]);
        }
        /* What leads to a state with a new number, and what led unseen from one part to another, is looked at again. */
        for (size_t at = 0; at < states.size(); at++) {
            const uint32_t state = states[at];
            if (groups[at] != largest)
                for (uint64_t k = in_.first[state]; k < in_.first[state + size_t{1}]; k++)
                    make_dirty(block_of_[system_.sources[in_.steps[k]]]);
            if (groups[at] != largest)
                for (uint64_t k = out_.first[state]; k < out_.first[state + size_t{1}]; k++)
                    if (system_.labels[out_.steps[k]] == 0 && block_of_[system_.targets[out_.steps[k]]] == block)
                        make_dirty(block_of_[state]);
        }
    }

    void make_dirty(uint32_t block) {
        if (!is_dirty_[block]) {
            is_dirty_[block] = true;
            dirty_.push_back(block);
        }
    }

    const TransitionSystem &system_;
    const std::vector<bool> &diverges_;
    const bool divergence_;
    const Pause &pause_;
    const Adjacency out_, in_;
    std::vector<uint32_t> block_of_;
    std::vector<std::vector<uint32_t>> members_;
    std::vector<uint32_t> dirty_;
    std::vector<bool> is_dirty_;
    std::vector<uint32_t> signature_of_; /* in kept_, of the states of the block that is looked at */
    std::vector<std::unique_ptr<Signature>> kept_;
    Signature scratch_;
};

/* Rounds over all states: the blocks that are reached unseen, and those behind a visible step. */
std::vector<uint32_t> weak_blocks(const Acyclic &acyclic, bool divergence, const Pause &pause) {
    const TransitionSystem &system = acyclic.system;
    const Adjacency out(system.states, system.sources);
    std::vector<uint32_t> blocks(system.states, 0);
    if (divergence)
        for (uint32_t state = 0; state < system.states; state++) {
            blocks[state] = acyclic.diverges[state];
            for (uint64_t k = out.first[state]; k < out.first[state + size_t{1}]; k++)
                if (system.labels[out.steps[k]] == 0 && blocks[system.targets[out.steps[k]]] != 0)
                    blocks[state] = 1;
        }
    blocks = renumbered(std::move(blocks));
    uint32_t count = blocks.empty() ? 0 : *std::max_element(blocks.begin(), blocks.end()) + 1;
    std::vector<Signature> unseen(system.states), all(system.states);
    while (true) {
        for (uint32_t state = 0; state < system.states; state++) {
            if (state % 256 == 0)
                pause();
            unseen[state].assign(1, blocks[state]);
            for (uint64_t k = out.first[state]; k < out.first[state + size_t{1}]; k++)
                if (system.labels[out.steps[k]] == 0) {
                    const Signature &more = unseen[system.targets[out.steps[k]]];
                    unseen[state].insert(unseen[state].end(), more.begin(), more.end());
                }
            tidy(unseen[state]);
        }
        SignatureNumbers numbers;
        std::vector<uint32_t> next(system.states);
        for (uint32_t state = 0; state < system.states; state++) {
            if (state % 256 == 0)
                pause();
            Signature &own = all[state];
            own.clear();
            for (uint64_t k = out.first[state]; k < out.first[state + size_t{1}]; k++) {
                const uint32_t label = system.labels[out.steps[k]], target = system.targets[out.steps[k]];
                if (label == 0) {
                    const Signature &more = all[target];
                    std::copy_if(more.begin(), more.end(), std::back_inserter(own),
                                 [](uint64_t item) { return item >> 32 != 0 && item >> 32 != no_label; });
                } else {
                    for (uint64_t block : unseen[target])
                        own.push_back(pair_of(label, static_cast<uint32_t>(block)));
                }
            }
            for (uint64_t block : unseen[state])
                own.push_back(pair_of(0, static_cast<uint32_t>(block)));
            own.push_back(pair_of(no_label, blocks[state])); /* a block is never joined with another */
            tidy(own);
            next[state] = numbers.emplace(&own, static_cast<uint32_t>(numbers.size())).first->second;
        }
        const uint32_t found = static_cast<uint32_t>(numbers.size());
        blocks.swap(next);
        if (found == count)
            return blocks;
        count = found;
    }
}

/* The system of the blocks, without invisible steps inside of one but those that go round. */
TransitionSystem quotient(const Acyclic &acyclic, const std::vector<uint32_t> &blocks) {
    TransitionSystem result;
    const TransitionSystem &system = acyclic.system;
    for (uint32_t block : blocks)
        result.states = std::max(result.states, block + 1);
    std::vector<std::pair<uint64_t, uint32_t>> steps;
    for (size_t t = 0; t < system.sources.size(); t++) {
        const uint32_t source = blocks[system.sources[t]], target = blocks[system.targets[t]];
        if (system.labels[t] != 0 || source != target)
            steps.emplace_back(pair_of(source, system.labels[t]), target);
    }
    for (uint32_t state = 0; state < system.states; state++)
        if (acyclic.diverges[state])
            steps.emplace_back(pair_of(blocks[state], 0), blocks[state]);
    std::sort(steps.begin(), steps.end());
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    for (const auto &[from, target] : steps) {
        result.sources.push_back(static_cast<uint32_t>(from >> 32));
        result.labels.push_back(static_cast<uint32_t>(from));
        result.targets.push_back(target);
    }
    return result;
}

std::vector<uint32_t> weak(const TransitionSystem &system, bool divergence, const Pause &pause) {
    const Acyclic first(system);
    const std::vector<uint32_t> branching = renumbered(Branching(first, divergence, pause).run());
    const Acyclic second(quotient(first, branching));
    const std::vector<uint32_t> blocks = weak_blocks(second, divergence, pause);
    std::vector<uint32_t> result(system.states);
    for (uint32_t state = 0; state < system.states; state++)
        result[state] = blocks[second.component[branching[first.component[state]]]];
    return result;
}

std::vector<uint32_t> branching(const TransitionSystem &system, bool divergence, const Pause &pause) {
    const Acyclic acyclic(system);
    const std::vector<uint32_t> blocks = Branching(acyclic, divergence, pause).run();
    std::vector<uint32_t> result(system.states);
    for (uint32_t state = 0; state < system.states; state++)
        result[state] = blocks[acyclic.component[state]];
    return result;
}

} // namespace

void TransitionSystem::check() const {
    if (sources.size() != labels.size() || sources.size() != targets.size())
        throw std::invalid_argument("transitions without a source, a label or a target");
    if (sources.size() >= UINT32_MAX)
        throw std::invalid_argument("too many transitions");
    for (size_t t = 0; t < sources.size(); t++)
        if (sources[t] >= states || targets[t] >= states || labels[t] >= no_label - 1)
            throw std::invalid_argument("a transition from or to nowhere");
}

/* Tarjan's algorithm, without recursion. */
std::vector<uint32_t> invisible_components(const TransitionSystem &system, uint32_t &count) {
    std::vector<uint32_t> sources, targets;
    for (size_t t = 0; t < system.sources.size(); t++)
        if (system.labels[t] == 0) {
            sources.push_back(system.sources[t]);
            targets.push_back(system.targets[t]);
        }
    const Adjacency out(system.states, sources);
    constexpr uint32_t none = UINT32_MAX;
    std::vector<uint32_t> component(system.states, none), index(system.states, none), low(system.states), stack;
    std::vector<std::pair<uint32_t, uint64_t>> work;
    uint32_t counter = 0;
    count = 0;
    for (uint32_t root = 0; root < system.states; root++) {
        if (index[root] != none)
            continue;
        work.emplace_back(root, out.first[root]);
        index[root] = low[root] = counter++;
        stack.push_back(root);
        while (!work.empty()) {
            auto &[state, at] = work.back();
            if (at < out.first[state + size_t{1}]) {
                const uint32_t target = targets[out.steps[at++]];
                if (index[target] == none) {
                    index[target] = low[target] = counter++;
                    stack.push_back(target);
                    work.emplace_back(target, out.first[target]);
                } else if (component[target] == none) {
                    low[state] = std::min(low[state], index[target]);
                }
                continue;
            }
            const uint32_t done = state;
            if (low[done] == index[done]) {
                uint32_t member;
                do {
                    member = stack.back();
                    stack.pop_back();
                    component[member] = count;
                } while (member != done);
                count++;
            }
            work.pop_back();
            if (!work.empty())
                low[work.back().first] = std::min(low[work.back().first], low[done]);
        }
    }
    return component;
}

std::vector<uint32_t> bisimulation(const TransitionSystem &system, Equivalence equivalence, const Pause &pause) {
    switch (equivalence) {
    case Equivalence::strong:
        return renumbered(strong_bisimulation(system, pause));
    case Equivalence::branching:
        return renumbered(branching(system, false, pause));
    case Equivalence::divergence_branching:
        return renumbered(branching(system, true, pause));
    case Equivalence::weak:
        return renumbered(weak(system, false, pause));
    case Equivalence::divergence_weak:
        return renumbered(weak(system, true, pause));
    }
    return {};
}

} // namespace kripke
