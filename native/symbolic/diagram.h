/* diagram.h -- sets of markings as decision diagrams.
 *
 * A marking gives every level (a place, in an order chosen elsewhere) a number of tokens.
 * A node says: this level holds `tokens` and the rest is in `hi`, or it holds another
 * number and everything is in `lo`. Nodes of one level form a list along `lo`, by
 * ascending numbers; none of them is about 0 tokens: what comes behind the list is the
 * rest for 0. So a level that is empty in all markings of a set costs nothing, as in
 * zero-suppressed diagrams of sets (S. Minato, DAC 1993), of which these are the
 * many-valued form; as lists they are those of LTSmin (S. Blom, J. van de Pol, ICTAC 2008).
 *
 * Equal sets are equal numbers: every node is made once. What operations have found is
 * kept in a table that forgets. Nodes nobody needs are collected at safe points only:
 * between operations, and where an operation says that all it needs is on `entries`.
 *
 * Everything may throw Stopped: the memory is used up, the watcher says stop, or the
 * recursion is too deep for the stack. Sets made before stay good.
 */
#ifndef KRIPKE_DIAGRAM_H
#define KRIPKE_DIAGRAM_H

#include "memory/budget.h"
#include "searches/control.h"
#include "memory/region.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace kripke {

/* An operation ended before it had its result. */
struct Stopped {
    Reason reason;
};

/* A set of markings; for other sets of the same diagram only. */
using Set = uint32_t;

class Diagram {
  public:
    static constexpr Set nothing = 0;  /* no marking */
    static constexpr Set unit = 1;     /* no tokens on any level that is left */
    static constexpr Set anything = 2; /* all markings: as a constraint only */
    static constexpr uint32_t end = UINT32_MAX; /* the level behind the last */
    static constexpr uint32_t most_tokens = 1u << 31;

    struct Node {
        uint32_t level, tokens;
        Set lo, hi;
        uint32_t next; /* in its bucket, or in the list of free nodes */
    };

    /* A number of tokens on some level and the rest for it. */
    struct Entry {
        uint32_t tokens;
        Set set;
        bool open; /* for who works on a list of entries */
    };

    /* Uses up to `memory` bytes. */
    explicit Diagram(uint64_t memory);
    Diagram(const Diagram &) = delete;
    Diagram &operator=(const Diagram &) = delete;

    // ---- Nodes ----------------------------------------------------------------

    const Node &node(Set set) const { return nodes()[set]; }
    uint32_t level(Set set) const { return nodes()[set].level; }

    /* The set with these parts; `lo` is of higher numbers or levels, `hi` of higher levels. */
    Set make(uint32_t level, uint32_t tokens, Set lo, Set hi);

    /* The set whose entries at `level` are those from `base`, ascending; they are taken off. */
    Set make_from(uint32_t level, size_t base);

    /* Put the entries of `set` at `level` on the list, ascending. `set` has no level before. */
    void expand(Set set, uint32_t level);

    /* The rest of `set` for a number of tokens at `level`. `set` has no level before. */
    Set rest(Set set, uint32_t level, uint32_t tokens) const;

    /* `set` where all levels before `level` are empty. */
    Set descend(Set set, uint32_t level) const {
        while (set != anything && nodes()[set].level < level)
            set = nodes()[set].lo;
        return set;
    }

    // ---- Sets -----------------------------------------------------------------

    Set unite(Set a, Set b);
    Set intersect(Set a, Set b);
    Set subtract(Set a, Set b);

    // ---- Results of operations --------------------------------------------------

    struct Key {
        uint32_t operation, a, b, c;
        bool operator==(const Key &) const = default;
    };

    /* Operations number themselves from here, with something of their own in the low bits. */
    static constexpr uint32_t own_operations = 1u << 28;

    /* Is the result known? */
    bool recall(const Key &key, Set &result) const;
    void remember(const Key &key, Set result);

    // ---- Running ----------------------------------------------------------------

    /* Work under this control from now on, on a stack that ends there. */
    void begin(const Control &control, const void *stack_floor);

    /* Called by everything recursive. */
    void step() {
        if (__builtin_frame_address(0) < stack_floor_)
            throw Stopped{Reason::depth};
        if ((++steps_ & 0xfff) == 0 && control_->stopped())
            throw Stopped{control_->reason()};
    }

    /* Keep a set, with all it consists of, until it is released as often. */
    void hold(Set set) { ++held_[set]; }
    void release(Set set);

    /* A place where nodes may be collected: what is needed is held or on `entries`. */
    void safe_point() {
        if (used_ >= collect_at_)
            collect();
    }
    void collect();

    std::vector<Entry> entries; /* a stack */

    /* Memory for tables of an operation's own, from the same budget, until it ends. */
    class Loan {
      public:
        explicit Loan(Diagram &diagram) : budget_(diagram.budget_) {}
        Loan(const Loan &) = delete;
        Loan &operator=(const Loan &) = delete;
        ~Loan() { budget_.give(taken_); }

        /* Before an entry of so many bytes is made, beside those that a hash table needs for any. */
        void entry(uint64_t bytes) {
            for (used_ += bytes + overhead; used_ > taken_; taken_ += portion)
                if (!budget_.take(portion))
                    throw Stopped{Reason::memory};
        }

      private:
        static constexpr uint64_t portion = 1 << 14;
        static constexpr uint64_t overhead = 48; /* a link, a bucket or two, what the allocator needs */

        Budget &budget_;
        uint64_t used_ = 0, taken_ = 0;
    };

    // ---- Measures ---------------------------------------------------------------

    uint64_t used() const { return used_; }  /* nodes */
    uint64_t peak() const { return peak_; }
    uint64_t made() const { return made_; } /* ever, those collected since too */
    uint64_t bytes() const { return budget_.peak(); }
    uint64_t nodes_of(Set set) const;

    /* Call `look` with every node of a set, once. */
    template <class Look> void each_node(Set set, const Look &look) const {
        std::vector<bool> seen(allocated_, false);
        std::vector<Set> left{set};
        while (!left.empty()) {
            const Set next = left.back();
            left.pop_back();
            if (next <= anything || seen[next])
                continue;
            seen[next] = true;
            look(node(next));
            left.push_back(node(next).lo);
            left.push_back(node(next).hi);
        }
    }

  private:
    struct Result {
        Key key;
        Set result;
    };

    Node *nodes() { return reinterpret_cast<Node *>(region_.data()); }
    const Node *nodes() const { return reinterpret_cast<const Node *>(region_.data()); }
    static uint64_t hash(uint32_t a, uint32_t b, uint32_t c, uint32_t d);
    void rehash();
    void grow_results();

    Budget budget_;
    Region region_;
    uint64_t allocated_ = 0; /* nodes that were ever used, with the terminals */
    uint64_t used_ = 0;      /* of them in use */
    uint64_t peak_ = 0;
    uint64_t made_ = 0;
    uint64_t collect_at_;
    Set free_ = nothing;
    std::vector<Set> buckets_;
    std::vector<Result> results_;
    uint64_t forgotten_ = 0; /* results that others have taken the place of */
    uint32_t crowded_ = 0;   /* how often half of them were lost for lack of memory */
    std::unordered_map<Set, uint64_t> held_;
    const Control *control_ = nullptr;
    const void *stack_floor_ = nullptr;
    uint64_t steps_ = 0;
};

} // namespace kripke
#endif
