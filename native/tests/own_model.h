/* own_model.h -- a model that a test makes itself: it sets what the model has, all else is zero. */
#ifndef KRIPKE_TESTS_OWN_MODEL_H
#define KRIPKE_TESTS_OWN_MODEL_H

#include "model/model.h"

template <class Fill> kripke_model own_model(Fill fill) {
    kripke_model made{};
    made.abi = KRIPKE_ABI;
    fill(made);
    return made;
}

#endif
