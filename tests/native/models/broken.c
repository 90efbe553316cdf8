/* What the engine must refuse: WRONG_ABI, NO_ENTRY, or a missing part. */
#include "model.h"

#ifdef WRONG_ABI
static const kripke_model model = {.abi = 99};
#else
static const kripke_model model = {.abi = KRIPKE_ABI, .max_state_bytes = 1, .name = "broken"};
#endif

#ifndef NO_ENTRY
const kripke_model *kripke_model_entry(void) { return &model; }
#else
const kripke_model *some_other_name(void) { return &model; }
#endif
