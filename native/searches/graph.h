/* graph.h -- the whole state space of a model as a graph in memory, and the
 * operators of branching time on it.
 *
 * States are numbered as breadth-first search meets them, the initial ones first.
 * Edges lie one behind the other, those of a state together (compressed rows). A
 * set of states is a string of bits, bit i of word i / 64; the bits behind the last
 * state are 0.
 *
 * OPERATORS
 *   Of a state without a successor, the path that ends there counts as maximal: it
 *   has no next state (ex is false), and globally means "in this last one".
 *     ex(a)     some successor is in a
 *     eu(a, b)  a path through a reaches b (b at once will do)
 *     eg(a)     a maximal path stays in a
 *   and of a graph that keeps the labels of its edges
 *     ex(a, l)  a step with one of the labels l leads into a
 *   E. M. Clarke, E. A. Emerson, A. P. Sistla, Automatic verification of finite-state
 *   concurrent systems using temporal logic specifications, TOPLAS 8(2), 1986: each
 *   takes time linear in the graph.
 */
#ifndef KRIPKE_GRAPH_H
#define KRIPKE_GRAPH_H

#include "searches/search.h"

#include <cstdint>
#include <vector>

namespace kripke {

using StateSet = std::vector<uint64_t>;

/* Builds the graph: a search that keeps what it sees. */
class Graph final : public Search {
  public:
    /* Of `options`, the limits count; the truth of `invariants` is kept for each state, and
     * the labels of the edges if wanted. */
    Graph(const kripke_model &model, const Options &options, Control &control, bool labelled = false);

    void take(uint32_t length, uint32_t label) noexcept;
    void complain(uint32_t, uint32_t) noexcept {
        ++handed_over_;
        violated_ = true;
    }

    // ---- After run ----------------------------------------------------------

    uint32_t states() const { return static_cast<uint32_t>(offsets_.size()); }
    uint64_t edges() const { return targets_.size() - initial_; }
    uint32_t initial_states() const { return initial_; } /* they have the first numbers */
    /* Was a step left out because it broke something? */
    bool violated() const { return violated_; }
    /* Could one of the atoms not be evaluated somewhere? There it counts as false. */
    bool undecided() const { return undecided_; }
    /* Where an atom is true, by its place among options.invariants. */
    const StateSet &atom(size_t place) const { return atoms_[place]; }
    /* The offset of a state in the store. */
    uint64_t offset(uint32_t state) const { return offsets_[state]; }
    const uint32_t *successors_begin(uint32_t state) const { return targets_.data() + rows_[state]; }
    const uint32_t *successors_end(uint32_t state) const { return targets_.data() + rows_[state + 1]; }

    bool labelled() const { return labelled_; }

    const uint32_t *labels_begin(uint32_t state) const { return labels_.data() + rows_[state]; }
    const uint32_t *labels_end(uint32_t state) const { return labels_.data() + rows_[state + 1]; }

    StateSet ex(const StateSet &inside) const;
    /* One byte per label: is it one of those? */
    StateSet ex(const StateSet &inside, const std::vector<uint8_t> &labels) const;
    StateSet eu(const StateSet &through, const StateSet &reached);
    StateSet eg(const StateSet &inside);

    size_t words() const { return (size_t{states()} + 63) / 64; }

  private:
    void explore() override;
    uint64_t depth() const override { return 0; }
    uint64_t queue() const override { return offsets_.size() - expanded_; }
    void note_atoms(const uint8_t *state, uint32_t length);
    void make_predecessors();

    std::vector<uint8_t> room_;       /* where the model writes */
    std::vector<uint64_t> truth_;     /* of the atoms of a state */
    std::vector<StateSet> atoms_;
    std::vector<uint64_t> offsets_;   /* of the states in the store */
    std::vector<uint32_t> targets_;   /* the initial states, then the rows */
    std::vector<uint32_t> labels_;    /* of the edges, likewise, if wanted */
    std::vector<uint64_t> rows_;      /* where the successors of a state begin; one more than states */
    std::vector<uint32_t> sources_;   /* the same backwards, once it is needed */
    std::vector<uint64_t> columns_;
    uint64_t expanded_ = 0;
    uint32_t initial_ = 0;
    bool violated_ = false, undecided_ = false;
    const bool labelled_;
};

} // namespace kripke
#endif
