/* views.h -- what one actor can see of a state, and what it does then.
 *
 * A view is the bytes of a state that the steps of an actor depend on: its own, one
 * behind the other, and others that it looks at. A step leads to another view of its
 * actor and has an effect: bytes that others may see get new values. What the steps of
 * a view are is asked of the model, once. The reference is process/dependence/views.py.
 */
#ifndef KRIPKE_VIEWS_H
#define KRIPKE_VIEWS_H

#include "memory/flat_map.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kripke {

constexpr uint32_t no_view = ~uint32_t{0};

/* A key for two actors and their views: there are at most 2^8 actors and fewer than 2^24 views of each. */
constexpr uint64_t key_of(uint32_t one, uint32_t view, uint32_t other, uint32_t beside) {
    return uint64_t{one} << 56 | uint64_t{view} << 32 | uint64_t{other} << 24 | beside;
}

/* There are too many views or pairs of views. */
struct TooManyViews : std::runtime_error {
    TooManyViews() : std::runtime_error("too many views") {}
};

/* A step from one view. `transition` counts from the first of its actor; `target` is the
 * view after it, or `no_view` where it fails and nothing follows; `result` is the same for
 * steps with the same errors. */
struct ViewMove {
    uint32_t transition, target, effect, result;
};

/* A step of two together: the views of both after it. */
struct ViewMeeting {
    uint32_t target, partner, effect;
};

/* Bytes that change, with their new values, in the order of their places. */
using ViewEffect = std::vector<std::pair<uint32_t, uint8_t>>;

class Views {
  public:
    struct Actor {
        uint32_t start, size;                              /* its own bytes in a state, */
        std::vector<uint32_t> seen;                        /* and where the others are that it sees */
        std::vector<std::pair<uint32_t, uint32_t>> places; /* bytes of the state, and where in a view they are */
    };

    /* What the model says of a view. */
    struct Told {
        struct Step {
            uint32_t transition, result;
            bool fails;
            std::string target; /* the text of the view after it */
            ViewEffect effect;
        };
        bool is_settled = false;     /* is it known what may happen from here on? */
        bool offers = false, accepts = false; /* may it begin a step with another, or be the other? */
        std::vector<int64_t> shares; /* of every counter (counting_constraints.h), what the actor has added */
        std::vector<Step> steps;
    };
    using Ask = std::function<Told(uint32_t pid, std::string_view text)>;

    /* What the model says of two views, the first of which begins a step with the other: the texts of both after it. */
    struct Met {
        std::string target, partner;
        ViewEffect effect;
    };
    using AskOfTwo =
        std::function<std::vector<Met>(uint32_t pid, std::string_view text, uint32_t other, std::string_view beside)>;

    /* At most so many views, of all actors together. */
    Views(std::vector<Actor> actors, uint32_t most, Ask ask, AskOfTwo ask_of_two);

    /* The model is not asked any more: all that will be looked at is known. */
    void close() { ask_ = nullptr, ask_of_two_ = nullptr; }

    uint32_t actors() const { return static_cast<uint32_t>(actors_.size()); }
    const Actor &actor(uint32_t pid) const { return actors_[pid]; }
    uint32_t count(uint32_t pid) const { return static_cast<uint32_t>(texts_[pid].size()); }
    uint32_t effects() const { return static_cast<uint32_t>(effects_.size()); }
    std::string_view text(uint32_t pid, uint32_t view) const { return texts_[pid][view]; }

    /* The number of a view, which may be new. */
    uint32_t number(uint32_t pid, std::string_view text);
    /* The number of the view that an actor has in a state; `no_view` where that was never met. */
    uint32_t find(uint32_t pid, const uint8_t *state) const;

    /* What is known of a view; the model is asked the first time. */
    std::span<const ViewMove> moves(uint32_t pid, uint32_t view);
    bool is_settled(uint32_t pid, uint32_t view);
    std::span<const int64_t> shares(uint32_t pid, uint32_t view);
    /* Of two views, the first of which begins a step with the other. */
    std::span<const ViewMeeting> meetings(uint32_t pid, uint32_t view, uint32_t other, uint32_t beside);
    /* The move by a transition, if there is just one. */
    const ViewMove *only(uint32_t pid, uint32_t view, uint32_t transition);

    /* The view after a step of another: a new one, too, or `no_view` where it was never met. */
    uint32_t changed(uint32_t pid, uint32_t view, uint32_t effect) { return after(pid, view, effect, true); }
    uint32_t known_after(uint32_t pid, uint32_t view, uint32_t effect) { return after(pid, view, effect, false); }
    /* Does an effect change anything that an actor sees? */
    bool sees(uint32_t pid, uint32_t effect) const { return !changes_[pid][effect].empty(); }

  private:
    struct Known {
        bool is_asked = false, is_settled = false, offers = false, accepts = false;
        std::vector<int64_t> shares;
        std::vector<ViewMove> moves;
    };
    struct TextHash {
        using is_transparent = void;
        size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };

    Known &known(uint32_t pid, uint32_t view);
    uint32_t effect_number(const ViewEffect &effect);
    uint32_t after(uint32_t pid, uint32_t view, uint32_t effect, bool may_be_new);

    /* Views after effects that are kept, at most. */
    static constexpr size_t most_kept = size_t{1} << 24;

    const std::vector<Actor> actors_;
    const uint32_t most_;
    uint32_t count_ = 0;
    Ask ask_;
    AskOfTwo ask_of_two_;
    FlatMap meeting_numbers_;
    std::deque<std::vector<ViewMeeting>> meetings_;
    std::vector<std::vector<std::string>> texts_; /* by actor and view */
    std::vector<std::unordered_map<std::string, uint32_t, TextHash, std::equal_to<>>> numbers_;
    std::vector<std::vector<Known>> known_;
    std::vector<std::unordered_map<uint32_t, uint32_t>> places_;
    std::vector<ViewEffect> effects_;
    std::unordered_map<std::string, uint32_t> effect_numbers_;
    std::vector<std::vector<ViewEffect>> changes_;         /* by actor and effect: where in its views */
    std::vector<std::vector<std::vector<uint32_t>>> kept_; /* by actor, effect and view: the view after it */
    size_t kept_count_ = 0;
    std::string scratch_;
};

} // namespace kripke
#endif
