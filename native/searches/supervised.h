/* supervised.h -- what can be run under supervision (supervise.h). */
#ifndef KRIPKE_SUPERVISED_H
#define KRIPKE_SUPERVISED_H

#include "searches/control.h"

namespace kripke {

class Supervised {
  public:
    virtual ~Supervised() = default;
    /* To its end, or until the Control says stop. Once only. */
    virtual void run() = 0;
    // ---- After run ----------------------------------------------------------
    virtual const Progress &totals() const = 0;
    virtual double seconds() const = 0;
};

} // namespace kripke
#endif
