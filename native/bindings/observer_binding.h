/* observer_binding.h -- observers as Python writes them (src/kripke/engines/explicit/native.py). */
#ifndef KRIPKE_OBSERVER_BINDING_H
#define KRIPKE_OBSERVER_BINDING_H

#include "model/model.h"
#include "model/observer.h"

#include <nanobind/nanobind.h>

namespace kripke {

/* An observer as Python writes it: the initial states, the number of errors, for each
 * state its edges: ([(atoms, negated atoms)], target, marks, error or -1), whether it
 * stutters, the atoms of events that must not wait for ever with the mark of the first,
 * the pairs of atoms (at, able) of events to which strong fairness is asked for, and for each
 * atom of steps (their numbers follow those of the model's atoms) the labels it is true of. */
Observer observer_of(const nanobind::tuple &written, const kripke_model &model);

} // namespace kripke
#endif
