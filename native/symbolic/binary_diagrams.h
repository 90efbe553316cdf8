/* binary_diagrams.h -- boolean functions as binary decision diagrams, and sets of states closed
 * under commands.
 *
 * DIAGRAMS
 *   A function is an edge: twice the number of a node, plus one where the function is negated
 *   (K. Brace, R. Rudell, R. Bryant, Efficient implementation of a BDD package, DAC 1990). The
 *   edge for "level is true" of a node is never negated, so equal functions are equal numbers.
 *   The order of the levels is fixed.
 *
 * STATES
 *   A bit of a state has two levels: `level` is its value now, `level + 1` the one after a
 *   command. A command is a function over the levels of its support: of what it writes both
 *   levels, of what it only reads the first. All other bits stay as they are.
 *
 * CLOSURE
 *   Everything that commands reach from a set is found by saturation: commands are grouped by
 *   the top level of their support, and a node is closed under the groups below before those at
 *   its own level are applied; what these make is closed below at once.
 *     G. Ciardo, G. Lüttgen, R. Siminiceanu, Saturation: an efficient iteration strategy for
 *     symbolic state space generation, TACAS 2001; with binary diagrams T. van Dijk, J. van de
 *     Pol, Sylvan: multi-core decision diagrams, TACAS 2015.
 *   Sets that are closed under the groups below stay so when they are united: the image of a
 *   union is the union of the images.
 *
 * GARBAGE
 *   Nodes are collected at safe points only: before an operation that is asked for from outside,
 *   and within a closure where all that is needed is on `kept_`. What is held from outside
 *   (`hold`, `release`) stays.
 */
#ifndef KRIPKE_BINARY_DIAGRAMS_H
#define KRIPKE_BINARY_DIAGRAMS_H

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

namespace kripke {

using Function = uint32_t;

class BinaryDiagrams {
  public:
    static constexpr Function one = 0, zero = 1;
    static constexpr uint32_t bottom = UINT32_MAX; /* the level of the constants */

    /* More nodes are needed than `most_nodes` allows. */
    struct TooLarge {};

    /* On one level: is it written, or only read? */
    struct Touch {
        uint32_t level;
        bool written;
    };

    /* Nodes are first collected when there are `collect_at` of them: a collection also forgets
     * results, so that one too many costs far more than the memory it saves. */
    explicit BinaryDiagrams(uint32_t levels, uint64_t collect_at = uint64_t{1} << 22);
    BinaryDiagrams(const BinaryDiagrams &) = delete;
    BinaryDiagrams &operator=(const BinaryDiagrams &) = delete;

    // ---- Functions --------------------------------------------------------------

    Function variable(uint32_t level) { return make(level, zero, one); }
    Function conj(Function f, Function g);
    Function disj(Function f, Function g) { return conj(f ^ 1, g ^ 1) ^ 1; }
    Function differ(Function f, Function g);
    Function ite(Function f, Function g, Function h);

    /* The conjunction, whatever the variables of `cube`, a conjunction of variables, are. */
    Function and_exists(Function f, Function g, Function cube);

    /* Variable `from[i]` becomes `to[i]`. The order of those that occur must stay the same. */
    Function renamed(Function f, const std::vector<uint32_t> &from, const std::vector<uint32_t> &to);

    // ---- Commands ---------------------------------------------------------------

    /* A command for `after`, `before` and `closure`; `support` is by ascending level. It is held. */
    uint32_t command(Function relation, const std::vector<Touch> &support);

    /* How many there are. */
    uint32_t commands() const { return static_cast<uint32_t>(commands_.size()); }

    /* Where a command leads from a set, and from where it leads into one. */
    Function after(Function set, uint32_t command);
    Function before(Function set, uint32_t command);

    /* The groups in which commands are applied: how many there are. */
    uint32_t arrange(const std::vector<uint32_t> &commands);

    /* The least superset of `set` that no command of the groups from `group` on leaves. `tick` is
     * called now and then. Throws TooLarge where more than `most_nodes` are in use. */
    Function closure(Function set, uint32_t group, uint64_t most_nodes, const std::function<void()> &tick);

    // ---- Looking ----------------------------------------------------------------

    uint32_t level(Function f) const { return nodes_[f >> 1].level; }
    Function low(Function f) const { return nodes_[f >> 1].lo ^ (f & 1); }
    Function high(Function f) const { return nodes_[f >> 1].hi ^ (f & 1); }
    uint64_t size(Function f) const;                /* nodes, with the constant */
    bool larger(Function f, uint64_t nodes) const;  /* is it? Takes no longer than that many nodes */
    std::vector<uint32_t> support(Function f) const; /* levels that occur, ascending */

    /* How many solutions there are over these levels, ascending, which are all that occur; lowest
     * digits first. */
    std::vector<uint64_t> count(Function f, const std::vector<uint32_t> &levels) const;

    /* Of a solution, the levels and values on the way to it. `f` is not `zero`. */
    std::vector<std::pair<uint32_t, bool>> solution(Function f) const;

    // ---- Memory -----------------------------------------------------------------

    void hold(Function f) { ++held_[f >> 1]; }
    void release(Function f) { --held_[f >> 1]; }
    void safe_point(); /* nothing is needed but what is held */
    uint64_t used() const { return used_; }
    uint64_t peak() const { return peak_; }
    uint64_t bytes() const;
    uint64_t applications() const { return applications_; } /* of commands within closures */

  private:
    struct Node {
        uint32_t level;
        Function lo, hi;
        uint32_t next; /* in its bucket, or in the list of free nodes */
    };
    struct Result {
        uint32_t operation, a, b, c;
        Function result;
    };
    /* A place in the support of a command, and the number of the next; 0: there is none. */
    struct Link {
        Touch touch;
        uint32_t next;
    };
    struct Command {
        Function relation;
        uint32_t first; /* link */
    };
    struct Group {
        uint32_t top;
        std::vector<uint32_t> commands;
    };

    Function make(uint32_t level, Function lo, Function hi);
    Function step_forward(Function set, Function relation, uint32_t link);
    Function step_back(Function set, Function relation, uint32_t link);
    Function saturate(Function set, uint32_t group);
    Function rename(Function f, const std::vector<uint32_t> &target, uint32_t number);
    Function cofactor(Function f, uint32_t at, bool value) const {
        return level(f) != at ? f : value ? high(f) : low(f);
    }
    bool recall(uint32_t operation, uint32_t a, uint32_t b, uint32_t c, Function &result) const;
    void remember(uint32_t operation, uint32_t a, uint32_t b, uint32_t c, Function result);
    static uint64_t closed_key(Function set, uint32_t group) { return uint64_t{group} << 32 | set; }
    static uint64_t hash(uint32_t a, uint32_t b, uint32_t c, uint32_t d);
    void collect();
    void mark(Function f, std::vector<bool> &seen) const;
    void rehash(size_t buckets);

    uint32_t levels_;
    std::vector<Node> nodes_;
    std::vector<uint32_t> held_; /* how often from outside, by node */
    std::vector<uint32_t> buckets_;
    std::vector<Result> results_;
    /* Sets that were closed under the groups from one on. A closure stands for thousands of
     * operations, so these are not overwritten by others, as results are. */
    std::unordered_map<uint64_t, Function> closed_;
    std::vector<Link> links_;
    std::vector<Command> commands_;
    std::vector<Group> groups_;
    std::vector<Function> kept_; /* a stack of what a closure needs */
    uint32_t free_ = 0;
    uint64_t used_ = 1, peak_ = 1, applications_ = 0;
    const uint64_t first_collection_;
    uint64_t collect_at_ = first_collection_;
    uint32_t renamings_ = 0;
    uint64_t most_nodes_ = 0;
    const std::function<void()> *tick_ = nullptr;
};

} // namespace kripke
#endif
