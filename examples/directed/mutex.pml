/*
 * A lock of three variables for two users that does not lock: both get in.
 *
 * Whoever wants to enter leaves its name in x, waits until y is free or its own, leaves its name in z, and
 * goes on while x, then z still has it.
 *
 *     kripke check mutex.pml --search best-first --no-deadlock
 */

byte x, y, z;
byte inside;

active [2] proctype user()
{
	byte me = _pid + 1;

again:
	x = me;
	if
	:: y == 0 || y == me
	:: else -> goto again
	fi;
	z = me;
	if
	:: x == me
	:: else -> goto again
	fi;
	y = me;
	if
	:: z == me
	:: else -> goto again
	fi;
	inside++;
	assert(inside == 1);
	inside--;
	goto again
}
