/* check.h -- the least a test needs: a claim, and where it failed. */
#ifndef KRIPKE_TESTS_CHECK_H
#define KRIPKE_TESTS_CHECK_H

#include <cstdio>
#include <cstdlib>

#define CHECK(claim)                                                                  \
    do {                                                                              \
        if (!(claim)) {                                                               \
            std::fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #claim); \
            std::exit(1);                                                             \
        }                                                                             \
    } while (false)

void test_binary_diagrams();
void test_bisimulation();
void test_checkpoint();
void test_parallel_search();
void test_cycles();
void test_directed();
void test_graph();
void test_located_search();
void test_memory();
void test_numbering();
void test_packing();
void test_pairs();
void test_permutation_representative();
void test_plan();
void test_races();
void test_short_records();
void test_store();
void test_sweep();
void test_search();
void test_symbolic_net();
void test_value_representative();
void test_unfolding();
void test_traversal();

#endif
