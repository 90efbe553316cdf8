/* symbolic_run.h -- operations on decision diagrams, as Python asks for them. */
#ifndef KRIPKE_SYMBOLIC_RUN_H
#define KRIPKE_SYMBOLIC_RUN_H

#include "symbolic/deep_stack.h"
#include "symbolic/diagram.h"

#include <nanobind/nanobind.h>

#include <chrono>
#include <functional>
#include <new>
#include <stdexcept>

namespace kripke {

namespace nb = nanobind;

/* To Python: an operation was stopped, the message is the name of the reason. */
struct SymbolicStopped : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/* Run an operation without the GIL; signals are looked at while it runs. */
inline void run(Diagram &diagram, double time_limit, const std::function<void()> &operation) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    Control control;
    bool interrupted = false;
    Reason reason = Reason::none;
    {
        nb::gil_scoped_release no_gil;
        run_on_deep_stack(
            [&](const void *floor) {
                try {
                    diagram.begin(control, floor);
                    operation();
                } catch (const Stopped &stopped) {
                    reason = stopped.reason;
                } catch (const std::bad_alloc &) {
                    reason = Reason::memory;
                }
                diagram.entries.clear();
            },
            [&] {
                if (time_limit > 0 && std::chrono::duration<double>(Clock::now() - start).count() > time_limit)
                    control.stop(Reason::time);
                nb::gil_scoped_acquire gil;
                if (!interrupted && PyErr_CheckSignals() != 0) {
                    interrupted = true;
                    control.stop(Reason::interrupted);
                }
            });
    }
    if (interrupted)
        throw nb::python_error();
    if (reason != Reason::none)
        throw SymbolicStopped(name_of(reason));
}

} // namespace kripke
#endif
