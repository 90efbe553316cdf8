#include "satisfiability/directed.h"

#include <algorithm>
#include <chrono>
#include <queue>

namespace kripke {

namespace {

constexpr Literal negated(Literal literal) { return literal ^ 1U; }

bool part_of(const Directed::Cube &small, const Directed::Cube &large) {
    return std::includes(large.begin(), large.end(), small.begin(), small.end());
}

double now_in_seconds() {
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

} // namespace

Directed::Directed(ClausalRelation relation, bool written_down)
    : relation_(std::move(relation)), weight_(2 * relation_.now.size(), 0.0) {
    if (written_down)
        solver_.write_down(transcript_);
    while (solver_.variables() < relation_.variables)
        solver_.fresh();
    for (const auto &clause : relation_.clauses)
        solver_.require(clause);
    relation_.clauses.clear();
    /* A state and a command say everything else. */
    std::vector<Literal> guessed(relation_.bits_now);
    for (const auto &command : relation_.commands) {
        guessed.push_back(command.taken);
        guessed.insert(guessed.end(), command.choices.begin(), command.choices.end());
    }
    solver_.guess_only(guessed);
    levels_.emplace_back();
    active_.push_back(relation_.start); /* level 0 are the initial states */
}

Directed::Progress Directed::progress() const {
    size_t clauses = 0;
    for (const auto &level : levels_)
        clauses += level.size();
    return {levels_.size() - 1, clauses, solver_.questions()};
}

void Directed::tell(bool always) {
    const double now = now_in_seconds();
    if (!always && now - last_report_ < 0.2)
        return;
    last_report_ = now;
    if (report_ != nullptr && *report_)
        (*report_)(progress());
}

/* --- the search ------------------------------------------------------------------------------- */

bool Directed::holds(const Report &report) {
    report_ = &report;
    look_at_start();
    if (wrong_at_start())
        return false;
    while (true) {
        add_level();
        const size_t last = levels_.size() - 1;
        while (solver_.solve({active_[last]}, {relation_.wrong})) {
            if (!block(lifted(state(), {}, {negated(relation_.wrong)}), last))
                return false;
        }
        tell(true);
        if (push())
            return true;
    }
}

std::vector<Directed::Cube> Directed::excluded() const {
    size_t empty = 1;
    while (empty < levels_.size() && !levels_[empty].empty())
        ++empty;
    std::vector<Cube> found;
    for (size_t level = empty; level < levels_.size(); ++level)
        found.insert(found.end(), levels_[level].begin(), levels_[level].end());
    std::sort(found.begin(), found.end());
    return found;
}

/* Is there one initial state only? Then it is known what it is. */
void Directed::look_at_start() {
    if (!solver_.solve({relation_.start}, {}))
        return;
    std::vector<Literal> bits, differs;
    for (const Literal bit : relation_.bits_now) {
        const Literal literal = solver_.holds(bit) ? bit : negated(bit);
        bits.push_back(literal);
        differs.push_back(negated(literal));
    }
    std::vector<int8_t> values;
    for (const Literal coordinate : relation_.now)
        values.push_back(solver_.holds(coordinate) ? 1 : -1);
    if (!solver_.solve({relation_.start}, {}, &differs))
        start_state_ = std::move(values);
}

bool Directed::wrong_at_start() {
    if (!solver_.solve({relation_.start}, {relation_.wrong}))
        return false;
    std::vector<bool> first;
    for (const Literal bit : relation_.bits_now)
        first.push_back(solver_.holds(bit));
    path_.push_back(std::move(first));
    return true;
}

void Directed::add_level() {
    levels_.emplace_back();
    active_.push_back(2 * solver_.fresh());
    /* What holds on a level holds on those below. */
    const size_t last = active_.size() - 1;
    if (last > 1)
        solver_.require({negated(active_[last - 1]), active_[last]});
    else
        solver_.require({negated(active_[0]), active_[1]});
}

/* The state now, in a solution. */
Directed::Cube Directed::state() const {
    Cube found;
    for (uint32_t i = 0; i < relation_.now.size(); ++i) {
        if (solver_.holds(relation_.now[i]))
            found.push_back(2 * i);
        else if (!relation_.single[i])
            found.push_back(2 * i + 1);
    }
    return found;
}

/* The part of a state that is enough for what it leads to: `otherwise` cannot be. */
Directed::Cube Directed::lifted(const Cube &state, const std::vector<Literal> &inputs,
                                const std::vector<Literal> &otherwise) {
    Cube found(state);
    for (int round = 0; round < 3; ++round) {
        /* The solver blames what it comes to first. */
        std::vector<Literal> then;
        for (const uint32_t coordinate : found)
            then.push_back(now(coordinate));
        if (round % 2 == 1)
            std::reverse(then.begin(), then.end());
        if (solver_.solve(inputs, then, &otherwise))
            return state; /* a command leads to one state, so this cannot be */
        const size_t size = found.size();
        std::erase_if(found, [&](uint32_t coordinate) { return !solver_.in_core(now(coordinate)); });
        if (round > 0 && found.size() == size)
            break;
    }
    return found;
}

/* The states that lead to the ones that follow as that of the solution does, and how. */
Directed::Cube Directed::before(const Cube &following, std::vector<Literal> &inputs) {
    const Cube here = state();
    std::vector<Literal> otherwise;
    for (const auto &command : relation_.commands) {
        if (!solver_.holds(command.taken))
            continue;
        inputs.assign(1, command.taken);
        for (const Literal choice : command.choices)
            inputs.push_back(solver_.holds(choice) ? choice : negated(choice));
        otherwise.push_back(negated(command.guard));
        break;
    }
    for (const uint32_t coordinate : following)
        otherwise.push_back(negated(later(coordinate)));
    return lifted(here, inputs, otherwise);
}

bool Directed::may_start(const Cube &cube) {
    if (!start_state_.empty())
        return std::all_of(cube.begin(), cube.end(), [&](uint32_t coordinate) {
            return (start_state_[coordinate / 2] > 0) == ((coordinate & 1U) == 0);
        });
    std::vector<Literal> then;
    for (const uint32_t coordinate : cube)
        then.push_back(now(coordinate));
    return solver_.solve({relation_.start}, then);
}

/* Does a state of the level below, not itself in the cube, lead into the cube? Where none does:
 * `needed` is a part of the cube of which that is true as well, and in which no run starts. */
bool Directed::reached(const Cube &cube, size_t level, Cube *needed) {
    std::vector<Literal> apart, then;
    for (const uint32_t coordinate : cube)
        apart.push_back(negated(now(coordinate)));
    /* Where what weighs little comes last, it is seldom blamed. */
    Cube order(cube);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return weight_[a] > weight_[b]; });
    for (const uint32_t coordinate : order)
        then.push_back(later(coordinate));
    tell();
    if (solver_.solve({active_[level - 1], relation_.stepping}, then, &apart))
        return true;
    if (needed != nullptr) {
        Cube core(cube);
        std::erase_if(core, [&](uint32_t coordinate) { return !solver_.in_core(later(coordinate)); });
        *needed = apart_from_start(std::move(core), cube);
    }
    return false;
}

/* With as many coordinates of the whole again as keep the initial states out. */
Directed::Cube Directed::apart_from_start(Cube needed, const Cube &whole) {
    if (!may_start(needed))
        return needed;
    if (!start_state_.empty()) {
        for (const uint32_t coordinate : whole)
            if ((start_state_[coordinate / 2] > 0) != ((coordinate & 1U) == 0)) {
                needed.insert(std::upper_bound(needed.begin(), needed.end(), coordinate), coordinate);
                return needed;
            }
        return whole;
    }
    for (const uint32_t coordinate : whole) {
        const auto place = std::lower_bound(needed.begin(), needed.end(), coordinate);
        if (place != needed.end() && *place == coordinate)
            continue;
        needed.insert(place, coordinate);
        if (!may_start(needed))
            break;
    }
    return needed;
}

bool Directed::blocked(const Cube &cube, size_t level) const {
    for (size_t at = level; at < levels_.size(); ++at)
        for (const Cube &known : levels_[at])
            if (part_of(known, cube))
                return true;
    return false;
}

/* Show that the states are not reached within so many steps. False where they are: `path_` is how. */
bool Directed::block(Cube states, size_t level) {
    obligations_.clear();
    const auto later_one = [&](size_t a, size_t b) {
        return std::pair(obligations_[a].level, obligations_[a].number) >
               std::pair(obligations_[b].level, obligations_[b].number);
    };
    std::priority_queue<size_t, std::vector<size_t>, decltype(later_one)> waiting(later_one);
    const auto add = [&](size_t at, Cube cube, std::vector<Literal> inputs, size_t following) {
        obligations_.push_back({at, ++numbers_, std::move(cube), std::move(inputs), following});
        waiting.push(obligations_.size() - 1);
    };
    add(level, std::move(states), {}, none);
    while (!waiting.empty()) {
        const size_t number = waiting.top();
        const size_t at = obligations_[number].level;
        if (may_start(obligations_[number].states)) {
            find_path(number);
            return false;
        }
        Cube cube;
        if (at == 0 || blocked(obligations_[number].states, at)) {
            waiting.pop();
        } else if (reached(obligations_[number].states, at, &cube)) {
            std::vector<Literal> inputs;
            Cube earlier = before(obligations_[number].states, inputs);
            add(at - 1, std::move(earlier), std::move(inputs), number);
        } else {
            waiting.pop();
            generalise(cube, at);
            const size_t kept = highest(cube, at);
            learn(cube, kept);
            if (kept < levels_.size() - 1) {
                obligations_[number].level = kept + 1;
                waiting.push(number);
            }
        }
    }
    return true;
}

/* The highest level on which the cube is known not to be reached, once it is on this one. */
size_t Directed::highest(Cube &cube, size_t level) {
    Cube needed;
    while (level < levels_.size() - 1 && !reached(cube, level + 1, &needed)) {
        cube = needed;
        ++level;
    }
    return level;
}

/* --- clauses ---------------------------------------------------------------------------------- */

/* Leave out what can be left out, so that no state of the level below leads to what is left. */
void Directed::generalise(Cube &cube, size_t level) {
    for (const Cube &part : candidates(cube)) {
        Cube rest;
        std::set_difference(cube.begin(), cube.end(), part.begin(), part.end(), std::back_inserter(rest));
        if (rest.empty() || rest.size() == cube.size())
            continue;
        Cube needed;
        if (!may_start(rest) && !reached(rest, level, &needed))
            cube = std::move(needed);
    }
}

/* What may be left out together: first whole variables, then single coordinates; what is in few
 * clauses first. */
std::vector<Directed::Cube> Directed::candidates(const Cube &cube) const {
    std::vector<Cube> groups, found;
    for (const uint32_t coordinate : cube) {
        if (!groups.empty() && relation_.group[groups.back().back() / 2] == relation_.group[coordinate / 2])
            groups.back().push_back(coordinate);
        else
            groups.push_back({coordinate});
    }
    const auto weight = [&](const Cube &part) {
        double total = 0.0;
        for (const uint32_t coordinate : part)
            total = std::max(total, weight_[coordinate]);
        return total;
    };
    const auto sorted = [&](std::vector<Cube> &parts) {
        std::stable_sort(parts.begin(), parts.end(),
                         [&](const Cube &a, const Cube &b) { return weight(a) < weight(b); });
    };
    sorted(groups);
    found = groups;
    std::vector<Cube> singles;
    for (const Cube &group : groups)
        if (group.size() > 1)
            for (const uint32_t coordinate : group)
                singles.push_back({coordinate});
    sorted(singles);
    found.insert(found.end(), singles.begin(), singles.end());
    return found;
}

void Directed::learn(const Cube &cube, size_t level) {
    for (size_t at = 1; at <= level; ++at)
        std::erase_if(levels_[at], [&](const Cube &other) { return part_of(cube, other); });
    levels_[level].push_back(cube);
    std::vector<Literal> clause{negated(active_[level])};
    for (const uint32_t coordinate : cube) {
        clause.push_back(negated(now(coordinate)));
        weight_[coordinate] += weight_step_;
    }
    weight_step_ *= 1.01;
    if (weight_step_ > 1e100) {
        for (double &one : weight_)
            one *= 1e-100;
        weight_step_ = 1.0;
    }
    solver_.require(std::move(clause));
}

/* Clauses to the next level, where they hold there, too. Is a level empty then: are two equal? */
bool Directed::push() {
    for (size_t level = 1; level + 1 < levels_.size(); ++level) {
        const std::vector<Cube> known = levels_[level];
        for (const Cube &cube : known) {
            Cube needed;
            const auto &here = levels_[level];
            if (std::find(here.begin(), here.end(), cube) != here.end() && !reached(cube, level + 1, &needed))
                learn(needed, level + 1);
        }
        if (levels_[level].empty())
            return true;
    }
    return false;
}

/* From an initial state along the commands that were found. */
void Directed::find_path(size_t obligation) {
    std::vector<Literal> assumed;
    for (const uint32_t coordinate : obligations_[obligation].states)
        assumed.push_back(now(coordinate));
    std::vector<Literal> first{relation_.start};
    while (solver_.solve(first, assumed)) {
        const std::vector<Literal> &bits = path_.empty() ? relation_.bits_now : relation_.bits_later;
        std::vector<bool> state;
        for (const Literal bit : bits)
            state.push_back(solver_.holds(bit));
        assumed.clear();
        for (size_t i = 0; i < state.size(); ++i)
            assumed.push_back(state[i] ? relation_.bits_now[i] : negated(relation_.bits_now[i]));
        path_.push_back(std::move(state));
        if (obligations_[obligation].following == none)
            return;
        first = obligations_[obligation].inputs;
        first.push_back(relation_.stepping);
        obligation = obligations_[obligation].following;
    }
}

} // namespace kripke
