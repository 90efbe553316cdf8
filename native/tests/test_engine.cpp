/* The engine's own tests, without Python: to be run under the sanitizers, with
 * every assertion on (native/sanitize.sh). What the engine promises to its users
 * is tested in tests/native. */
#include "check.h"

#include <cstring>

int main(int count, char **arguments) {
    if (count > 1 && std::strcmp(arguments[1], "threads") == 0) { /* those that start some */
        test_crew();
        test_cycles();
        return 0;
    }
    test_packing();
    test_pairs();
    test_plan();
    test_short_records();
    test_checkpoint();
    test_store();
    test_search();
    test_sweep();
    test_crew();
    test_cycles();
    test_memory();
    test_graph();
    test_symbolic_net();
    test_located_search();
    test_token_representative();
    test_bisimulation();
    test_permutation_representative();
    test_unfolding();
    test_walk();
    std::puts("engine: all tests passed");
    return 0;
}
