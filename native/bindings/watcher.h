/* watcher.h -- the watching thread's dealings with Python while a search runs (searches/supervise.h). */
#ifndef KRIPKE_WATCHER_H
#define KRIPKE_WATCHER_H

#include "searches/control.h"

#include <nanobind/nanobind.h>

#include <optional>
#include <utility>

namespace kripke {

/* Progress calls and signals. The callback is given states, transitions, depth, queue, bytes and seconds; what it
 * answers, where it is true, asks for a checkpoint. */
class Watcher {
  public:
    Watcher(Control &control, nanobind::object progress) : control_(control), progress_(std::move(progress)) {}

    /* Without the GIL. */
    void tick(const Progress &now, double seconds) {
        nanobind::gil_scoped_acquire gil;
        if (failure_)
            return; /* the search is being stopped */
        try {
            if (PyErr_CheckSignals() != 0)
                throw nanobind::python_error();
            if (progress_.is_none())
                return;
            const nanobind::object answer = progress_(now.states, now.transitions, now.depth, now.queue, now.bytes, seconds);
            if (nanobind::cast<bool>(nanobind::bool_(answer)))
                control_.ask_for_checkpoint();
        } catch (nanobind::python_error &error) {
            control_.interrupt();
            if (!error.matches(PyExc_KeyboardInterrupt))
                failure_.emplace(std::move(error));
        }
    }

    /* With the GIL, after the search: throw what a callback threw. */
    void rethrow() {
        if (failure_)
            throw std::move(*failure_);
    }

  private:
    Control &control_;
    nanobind::object progress_;
    std::optional<nanobind::python_error> failure_;
};

} // namespace kripke
#endif
