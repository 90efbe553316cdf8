#include "cycles/streett.h"

#include <algorithm>

namespace kripke {

namespace {

constexpr uint32_t none = UINT32_MAX;

/* The components of the part of a graph whose states are `inside`. */
template <size_t Words> class Division {
  public:
    explicit Division(const FairGraph<Words> &graph) : graph_(graph), first_(graph.states + 1), number_(graph.states) {
        for (const auto &edge : graph.edges)
            ++first_[edge.source + 1];
        for (uint32_t i = 0; i < graph.states; ++i)
            first_[i + 1] += first_[i];
    }

    /* By Tarjan's algorithm, without recursion. `part[s]` equals `wanted` for the states
     * inside. */
    std::vector<std::vector<uint32_t>> components(const std::vector<uint32_t> &states, const std::vector<uint32_t> &part,
                                                  uint32_t wanted) {
        std::vector<std::vector<uint32_t>> found;
        for (const uint32_t state : states)
            number_[state] = 0;
        count_ = 0;
        for (const uint32_t start : states) {
            if (number_[start] != 0)
                continue;
            enter(start);
            while (!path_.empty()) {
                Frame &frame = path_.back();
                if (frame.edge == first_[frame.state + 1]) {
                    leave(found);
                    continue;
                }
                const uint32_t target = graph_.edges[frame.edge++].target;
                if (part[target] != wanted)
                    continue;
                if (number_[target] == 0)
                    enter(target);
                else if (number_[target] != none)
                    frame.low = std::min(frame.low, number_[target]);
            }
        }
        return found;
    }

    uint32_t first_edge(uint32_t state) const { return first_[state]; }

  private:
    struct Frame {
        uint32_t state, edge, low;
    };

    void enter(uint32_t state) {
        number_[state] = ++count_;
        path_.push_back({state, first_[state], count_});
        live_.push_back(state);
    }

    void leave(std::vector<std::vector<uint32_t>> &found) {
        const Frame frame = path_.back();
        path_.pop_back();
        if (frame.low == number_[frame.state]) {
            auto begin = std::find(live_.rbegin(), live_.rend(), frame.state).base() - 1;
            found.emplace_back(begin, live_.end());
            live_.erase(begin, live_.end());
            for (const uint32_t state : found.back())
                number_[state] = none;
        }
        if (!path_.empty())
            path_.back().low = std::min(path_.back().low, frame.low);
    }

    const FairGraph<Words> &graph_;
    std::vector<uint32_t> first_, number_;
    std::vector<Frame> path_;
    std::vector<uint32_t> live_;
    uint32_t count_ = 0;
};

} // namespace

template <size_t Words>
std::vector<uint32_t> fair_component(const FairGraph<Words> &graph, const Marks<Words> &required) {
    using MarkSet = Marks<Words>;
    Division<Words> division(graph);
    std::vector<uint32_t> part(graph.states, 0);
    std::vector<uint32_t> all(graph.states);
    for (uint32_t i = 0; i < graph.states; ++i)
        all[i] = i;
    std::vector<std::vector<uint32_t>> waiting{all};
    uint32_t parts = 0;
    while (!waiting.empty()) {
        std::vector<uint32_t> states = std::move(waiting.back());
        waiting.pop_back();
        const uint32_t whole = ++parts;
        for (const uint32_t state : states)
            part[state] = whole;
        for (std::vector<uint32_t> &component : division.components(states, part, whole)) {
            const uint32_t own = ++parts;
            for (const uint32_t state : component)
                part[state] = own;
            MarkSet marks, enabled;
            bool cyclic = false;
            for (const uint32_t state : component) {
                enabled |= graph.enabled[state];
                for (uint32_t e = division.first_edge(state); e < division.first_edge(state + 1); ++e)
                    if (part[graph.edges[e].target] == own) {
                        marks |= graph.edges[e].marks;
                        cyclic = true;
                    }
            }
            if (!cyclic || !marks.contains(required))
                continue;
            const MarkSet starved = enabled.without(marks);
            if (starved.empty())
                return component;
            std::vector<uint32_t> rest;
            for (const uint32_t state : component)
                if ((graph.enabled[state] & starved).empty())
                    rest.push_back(state);
            if (!rest.empty())
                waiting.push_back(std::move(rest));
        }
    }
    return {};
}

template std::vector<uint32_t> fair_component(const FairGraph<1> &, const Marks<1> &);
template std::vector<uint32_t> fair_component(const FairGraph<2> &, const Marks<2> &);
template std::vector<uint32_t> fair_component(const FairGraph<5> &, const Marks<5> &);
template std::vector<uint32_t> fair_component(const FairGraph<17> &, const Marks<17> &);

} // namespace kripke
