/* The engine's own tests, without Python: to be run under the sanitizers, with
 * every assertion on (native/sanitize.sh). What the engine promises to its users
 * is tested in tests/native. */
#include "check.h"

int main() {
    test_packing();
    test_short_records();
    test_store();
    test_search();
    test_cycles();
    test_graph();
    test_unfolding();
    test_walk();
    std::puts("engine: all tests passed");
    return 0;
}
