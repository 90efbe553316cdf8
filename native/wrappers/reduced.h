/* reduced.h -- a model with fewer steps: enough of them that every deadlock and
 * every violation is still found.
 *
 * A Reduced is a model to the search that asks it. From each state it takes the
 * steps of the processes in a stubborn set (stubborn.h) and says in the asker's
 * `reduced` whether any were left out. Around a cycle a process could be left out
 * for ever: where the steps of a set lead back (the cycle proviso, which depends on the
 * order of the search) the search asks for the next set, with `again` set, at last for all.
 *
 * The tables of a configuration are asked for when a state of it is first met.
 * Where there are none, all steps are taken.
 */
#ifndef KRIPKE_REDUCED_H
#define KRIPKE_REDUCED_H

#include "reduction/disturbances.h"
#include "model/model.h"
#include "reduction/stubborn.h"

#include <memory>
#include <string>
#include <unordered_map>

namespace kripke {

/* Who knows the dependencies. */
class Advice {
  public:
    virtual ~Advice() = default;

    /* The tables of a state's configuration; null where there are none. */
    virtual std::unique_ptr<DependencyTables> tables(const uint8_t *state, uint32_t length) = 0;

    /* Add the rows of the transitions that are at hand beside this one, the first of
     * them, to the tables of the state. False where there are none. */
    virtual bool add_rows(DependencyTables &tables, const uint8_t *state, uint32_t length, uint32_t transition) = 0;

    /* Which views go together; null where that is not known. To be asked for when there are
     * tables. */
    virtual std::shared_ptr<SharedPairs> pairs() = 0;
};

class Reduced : public kripke_model {
  public:
    /* Model and advice must outlive it; the model must know its configurations and what
     * its transitions lack. */
    Reduced(const kripke_model &model, Advice &advice);
    Reduced(const Reduced &) = delete;
    Reduced &operator=(const Reduced &) = delete;

    static bool can_reduce(const kripke_model &model) {
        return model.configuration != nullptr && model.lacking != nullptr;
    }

  private:
    class Forwarder;

    /* Configurations of which the tables are kept. */
    static constexpr size_t most_configurations = 256;
    /* Locations, with what states tell about them, of one configuration of which more is
     * known than the tables say. */
    static constexpr size_t most_selectors = size_t{1} << 14;
    /* Rows of one configuration that are made of what may disturb a transition. */
    static constexpr size_t most_waiting = size_t{1} << 16;

    const kripke_model &model_;
    Advice &advice_;
};

} // namespace kripke
#endif
