/* The engine's own tests, without Python: to be run under the sanitizers, with
 * every assertion on (native/sanitize.sh). What the engine promises to its users
 * is tested in tests/native.
 *
 * Usage: kripke_engine_test [NAME ...], all of them without a name. */
#include "check.h"

#include <cstring>

namespace {

struct Test {
    const char *name;
    void (*run)();
};

constexpr Test tests[] = {
    {"numbering", test_numbering},
    {"packing", test_packing},
    {"pairs", test_pairs},
    {"plan", test_plan},
    {"races", test_races},
    {"short_records", test_short_records},
    {"checkpoint", test_checkpoint},
    {"store", test_store},
    {"search", test_search},
    {"sweep", test_sweep},
    {"parallel_search", test_parallel_search},
    {"cycles", test_cycles},
    {"directed", test_directed},
    {"memory", test_memory},
    {"graph", test_graph},
    {"symbolic_net", test_symbolic_net},
    {"located_search", test_located_search},
    {"value_representative", test_value_representative},
    {"binary_diagrams", test_binary_diagrams},
    {"bisimulation", test_bisimulation},
    {"permutation_representative", test_permutation_representative},
    {"unfolding", test_unfolding},
    {"traversal", test_traversal},
};

bool run(const char *name) {
    for (const Test &test : tests)
        if (std::strcmp(test.name, name) == 0) {
            test.run();
            return true;
        }
    std::fprintf(stderr, "there is no test %s\n", name);
    return false;
}

} // namespace

int main(int count, char **arguments) {
    for (int i = 1; i < count; ++i)
        if (!run(arguments[i]))
            return 2;
    if (count == 1)
        for (const Test &test : tests)
            test.run();
    std::puts("engine: all tests passed");
    return 0;
}
