/* Searches that run out of memory at every place where they ask for some: they end
 * with a result, whatever lies between them and the model. */
#include "check.h"
#include "own_model.h"
#include "wrappers/product.h"
#include "wrappers/reduced.h"
#include "searches/search.h"

#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

/* So many more are granted; below 0: all. */
thread_local int64_t granted = -1;

} // namespace

void *operator new(std::size_t size) {
    if (granted == 0)
        throw std::bad_alloc();
    if (granted > 0)
        --granted;
    if (void *const memory = std::malloc(size == 0 ? 1 : size))
        return memory;
    throw std::bad_alloc();
}
void *operator new(std::size_t size, const std::nothrow_t &) noexcept {
    try {
        return operator new(size);
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}
void *operator new[](std::size_t size) { return operator new(size); }
void *operator new[](std::size_t size, const std::nothrow_t &none) noexcept { return operator new(size, none); }
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void *memory, const std::nothrow_t &) noexcept { std::free(memory); }
void operator delete[](void *memory) noexcept { std::free(memory); }
void operator delete[](void *memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void *memory, const std::nothrow_t &) noexcept { std::free(memory); }

using namespace kripke;

namespace {

/* Two counters, each of a process of its own, that go round. */
constexpr uint8_t round = 6;

const kripke_model counters = own_model([](kripke_model &made) {
    made.max_state_bytes = 2;
    made.label_count = 1;
    made.violation_count = 1;
    made.atom_count = 1;
    made.name = "counters";
    made.initial = [](kripke_sink *sink) {
        sink->out[0] = sink->out[1] = 0;
        sink->emit(sink, 2, 0);
    };
    made.successors = [](const uint8_t *state, uint32_t, kripke_sink *sink) {
        for (uint32_t i = 0; i < 2; ++i) {
            sink->actor = i;
            sink->out[0] = state[0];
            sink->out[1] = state[1];
            sink->out[i] = static_cast<uint8_t>((state[i] + 1) % round);
            sink->emit(sink, 2, 0);
        }
        if (state[0] == round - 1 && state[1] == round - 1)
            sink->report(sink, 0, 0);
    };
    made.valid_end = [](const uint8_t *, uint32_t) { return 1; };
    made.atoms = [](const uint8_t *state, uint32_t, uint64_t *truth) { truth[0] = state[0] == 3 && state[1] == 3; };
    made.max_key_bytes = 1;
    made.max_lacking = 2;
    made.configuration = [](const uint8_t *, uint32_t, uint8_t *) { return 0U; };
    made.lacking = [](const uint8_t *, uint32_t, kripke_lack *) { return 0U; };
});

/* Knows nothing. */
class Silence final : public Advice {
  public:
    std::unique_ptr<DependencyTables> tables(const uint8_t *, uint32_t) override { return nullptr; }
    bool add_rows(DependencyTables &, const uint8_t *, uint32_t, uint32_t) override { return false; }
    std::shared_ptr<SharedPairs> pairs() override { return nullptr; }
};

/* Again and again in the middle; the observer has two moves everywhere. */
Observer middle() {
    const Cube here{{1}, {1}}, anywhere{{0}, {0}};
    Observer made;
    made.initial = {0};
    made.edges = {{{{anywhere}, 0, 0, ObserverEdge::no_error}, {{here}, 1, 1, ObserverEdge::no_error}},
                  {{{anywhere}, 0, 0, ObserverEdge::no_error}, {{anywhere}, 1, 0, ObserverEdge::no_error}}};
    return made;
}

/* Grant 0 allocations, then 1, and so on, until the search ends as if there was no limit. */
void starve(const kripke_model &model, const Options &options) {
    bool enough = false;
    for (int64_t grant = 0; !enough; ++grant) {
        CHECK(grant < 100'000);
        Control control;
        const auto search = Search::make(model, options, control);
        granted = grant;
        search->run();
        enough = granted > 0;
        granted = -1;
        if (search->reason() == Reason::error)
            CHECK(!search->error_paths().kept().empty());
        else
            CHECK(search->reason() == Reason::memory || (enough && search->complete()));
    }
}

} // namespace

void test_memory() {
    const Product product(counters, middle());
    Options options;
    options.deadlock = false;
    for (const Order order : {Order::nested, Order::components, Order::breadth_first, Order::depth_first}) {
        options.order = order;
        starve(product, options);
    }
    options.order = Order::components;
    for (const Fairness fairness : {Fairness::weak, Fairness::strong}) {
        options.fairness = fairness;
        starve(product, options);
    }
    options = Options();
    options.order = Order::depth_first;
    options.reduction = true;
    Silence silence;
    const Reduced reduced(counters, silence);
    starve(reduced, options);
}
