/* variable_order.h -- which place goes to which level of a diagram.
 *
 * Diagrams are small where places that depend on one another lie close together. Here they
 * depend if a group (a transition with its arcs, an invariant) contains them. Two orders are
 * tried, the given one and one by breadth from an end of the graph (E. Cuthill, J. McKee,
 * Reducing the bandwidth of sparse symmetric matrices, 1969); in each, places are pulled to
 * the middle of their groups for as long as groups get shorter (F. Aloul, I. Markov, K. Sakallah,
 * FORCE: a fast and easy-to-implement variable-ordering heuristic, GLSVLSI 2003). A third one
 * always takes next the place whose groups are most nearly complete.
 */
#ifndef KRIPKE_VARIABLE_ORDER_H
#define KRIPKE_VARIABLE_ORDER_H

#include <cstdint>
#include <vector>

namespace kripke {

/* The levels of places in several orders, no two alike, those with the shortest groups first. Groups are of places,
 * without repetition. */
std::vector<std::vector<uint32_t>> orders_of_places(uint32_t places, const std::vector<std::vector<uint32_t>> &groups);

/* The sum of the distances between the first and the last place of each group. */
uint64_t length_of_groups(const std::vector<uint32_t> &levels, const std::vector<std::vector<uint32_t>> &groups);

} // namespace kripke
#endif
