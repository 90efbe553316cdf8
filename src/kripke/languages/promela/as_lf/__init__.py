"""A Promela model as a program in LF (``kripke emit m.pml --lf``), for the part of Promela that LF can express.

Every step of a process becomes an action. What two steps of Promela do, two actions do, with a ``RESCHEDULE`` between
them where others can see it. A condition that must wait becomes the guard of a ``WHEN``: the process waits for a tick
of a clock process, which always offers one, and takes it when its guard is true. A rendezvous becomes a communication.
Buffered channels are arrays. Where a step waits and goes on in the same step (a buffered channel, ``atomic`` after a
condition), the clock hands out a token instead, and waits until it comes back: one such step at a time.

What cannot be said in LF is refused, with its place. Verdicts on deadlocks and assertions are the same; an ``int`` that
overflows is an error in LF.
"""
