/* unfolding.h -- complete finite prefixes of the unfolding of a 1-safe net.
 *
 * The unfolding of a net is an acyclic net without choice at its places: conditions
 * are occurrences of tokens, events occurrences of firings. A configuration is a set
 * of events that can have happened together; [e] is the least one with e. The prefix
 * made here contains every reachable marking and every firing from one: it stops
 * behind an event e (a cut-off) if an event before e leads to the same marking.
 *
 * "Before" is a total order on configurations: by size, then by their transitions
 * as a sorted sequence, then by those of each level of the Foata normal form.
 *   J. Esparza, S. Römer, W. Vogler, An improvement of McMillan's unfolding
 *   algorithm, Formal Methods in System Design 20(3), 2002.
 * The initial marking is no companion of a cut-off; conditions behind cut-offs are
 * part of the prefix, but nothing comes after them.
 *
 * POSSIBLE EXTENSIONS
 *   Two conditions are concurrent if they can hold a token at the same time. The
 *   relation is kept as a row of bits for each condition. A set of pairwise
 *   concurrent conditions that is the preset of a transition is an event; it is
 *   found when the last of its conditions is added.
 *
 * LINEAR TIME
 *   With a Tableau the net is one of a system side by side with an automaton: J. Esparza,
 *   K. Heljanko, Implementing LTL model checking with net unfoldings, SPIN 2001. A run is
 *   wrong if it takes accepting transitions for ever, or if it takes a livelock transition
 *   and then goes on for ever. A livelock transition is tried at every cut; where
 *   `checkpoint` agrees, its event takes the whole cut and puts back the tokens of
 *   `kept` places. Configurations are ordered by what they are up to the livelock event
 *   first. An event e is terminal if an event e' before it leads to the same marking and,
 *   before livelock events: e' is in [e] (a loop: wrong if something accepting is in it),
 *   or [e'] has no fewer accepting events; behind one: they are of different livelock
 *   events, or e' is not in conflict with e (wrong), or [e'] is no smaller.
 */
#ifndef KRIPKE_UNFOLDING_H
#define KRIPKE_UNFOLDING_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kripke {

/* A net in which every arc has weight 1; transitions are ordered by their numbers. */
struct SafeNet {
    std::vector<std::vector<uint32_t>> presets, postsets; /* of transitions */
    std::vector<uint32_t> initial;                        /* marked places */
    uint32_t places = 0;
};

/* Of which sort the transitions of a net with an automaton are. */
struct Tableau {
    std::vector<uint8_t> accepting, livelock; /* of transitions */
    std::vector<uint8_t> kept;                /* of places */
    std::function<bool(const std::vector<uint32_t> &)> checkpoint; /* of a marking, sorted */
};

class Unfolding {
  public:
    static constexpr uint32_t nobody = UINT32_MAX;

    struct Condition {
        uint32_t place;
        uint32_t producer; /* an event, or nobody */
    };

    struct Event {
        uint32_t transition;
        uint32_t depth = 0;                /* level in the Foata normal form, from 1 */
        uint32_t companion = nobody;       /* of a cut-off: the event with the same marking */
        uint32_t livelock = nobody;        /* the livelock event in [e] */
        uint32_t accepting = 0;            /* events in [e] */
        std::vector<uint32_t> preset;      /* conditions */
        std::vector<uint32_t> postset;
        std::vector<uint32_t> past;        /* the other events of [e], ascending */
    };

    enum class End { complete, events, memory, stopped, unsafe, found };

    explicit Unfolding(const SafeNet &net, const Tableau *tableau = nullptr) : net_(net), tableau_(tableau) {}

    /* Unfold until nothing is left to add, or a limit is reached (0: none), or `go_on`,
     * which is asked now and then, says no. `unsafe`: some reachable marking has two
     * tokens on a place. `found`: the last event and its companion are a wrong run. Once only. */
    End run(uint64_t max_events, uint64_t max_bytes, const std::function<bool()> &go_on);

    const std::vector<Condition> &conditions() const { return conditions_; }
    const std::vector<Event> &events() const { return events_; }
    uint64_t cut_offs() const { return cut_offs_; }
    uint32_t unsafe_place() const { return unsafe_place_; }

  private:
    using Row = std::vector<uint64_t>;

    /* An event that may be added, with what its order depends on. */
    struct Candidate {
        Event event;
        std::vector<uint32_t> parikh; /* transitions of [e], sorted */
        mutable std::vector<std::pair<uint32_t, uint32_t>> foata; /* (level, transition), sorted; made when needed */
    };

    bool before(const Candidate &a, const Candidate &b) const;
    int compare(const Candidate &a, const Candidate &b) const;
    const Candidate &up_to_livelock(const Candidate &candidate) const;
    bool take_cut(Candidate &candidate, std::vector<uint32_t> &outputs);
    uint32_t companion_of(const Event &event, const std::vector<uint32_t> &earlier);
    bool in_conflict(const Event &a, uint32_t b) const;
    void make_foata(const Candidate &candidate) const;
    void add_condition(uint32_t place, uint32_t producer, const Row &concurrent);
    void extend_with(uint32_t condition);
    void complete_preset(uint32_t transition, std::vector<uint32_t> &chosen, size_t next, const Row &common);
    void propose(uint32_t transition, std::vector<uint32_t> preset);
    void add_event(Candidate candidate);
    std::vector<uint32_t> marking_after(const Candidate &candidate, const std::vector<uint32_t> &outputs) const;

    static bool has(const Row &row, uint32_t bit) {
        return bit / 64 < row.size() && (row[bit / 64] >> (bit % 64) & 1) != 0;
    }

    const SafeNet &net_;
    const Tableau *tableau_;
    bool found_ = false;
    std::map<uint32_t, Candidate> livelocks_;          /* events, with their order */
    std::set<std::vector<uint32_t>> checked_;          /* pasts of livelock events */
    std::vector<std::vector<uint32_t>> consumers_;     /* of each place: transitions */
    std::vector<std::vector<uint32_t>> at_place_;      /* of each place: conditions that may be extended */
    std::vector<Condition> conditions_;
    std::vector<Event> events_;
    std::vector<Row> concurrent_;                      /* empty for conditions behind cut-offs */
    std::vector<Candidate> candidates_;
    std::vector<uint32_t> heap_;                       /* numbers of candidates, the least on top */
    std::vector<uint32_t> stamp_;                      /* of events, for unions */
    uint32_t now_ = 0;
    struct MarkingHash {
        size_t operator()(const std::vector<uint32_t> &marking) const {
            uint64_t hash = 0x9e3779b97f4a7c15u;
            for (const uint32_t place : marking)
                hash = (hash ^ place) * 0xff51afd7ed558ccdu, hash ^= hash >> 29;
            return hash;
        }
    };
    std::unordered_map<std::vector<uint32_t>, std::vector<uint32_t>, MarkingHash> companions_; /* first one only, or all */
    uint64_t cut_offs_ = 0;
    uint64_t bytes_ = 0;
    uint32_t unsafe_place_ = nobody;
};

} // namespace kripke
#endif
