/*
 * Dining philosophers who take their left fork first, and may all starve.
 *
 * The forks are channels that hold one message while the fork lies on the table. Nobody eats before
 * the table is laid. The label tells a directed search where a philosopher gets stuck.
 *
 *     kripke check philosophers.pml --search astar --estimate formula -D P=12
 */

#ifndef P
#define P 8
#endif

chan fork[P] = [1] of { bit };
bool laid;

proctype philosopher(byte left; byte right) provided (laid)
{
	do
	:: fork[left]?_;
danger:	   fork[right]?_;
	   fork[left]!0;
	   fork[right]!0
	od
}

init
{
	byte place = P;

	do
	:: d_step { place > 0 -> place-- };
	   run philosopher(place, (place + 1) % P);
	   fork[place]!0
	:: else ->
	   break
	od;
	laid = true
}
