/* deep_stack.h -- run a function that recurs deeply.
 *
 * On a thread of its own with a large stack, of which only what is touched costs memory.
 */
#ifndef KRIPKE_DEEP_STACK_H
#define KRIPKE_DEEP_STACK_H

#include <functional>

namespace kripke {

/* Run `work`, which gets the address its stack must stay above. The calling thread calls `tick`
 * about twenty times a second until it has ended. Throws what `work` throws. */
void run_on_deep_stack(const std::function<void(const void *)> &work, const std::function<void()> &tick);

} // namespace kripke
#endif
