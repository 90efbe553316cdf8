/* Eight wheels turn on their own: seven have SIZE places each, the last LAST, and none
 * goes back. Every combination is a state, SIZE^7 * LAST of them, in 7 * (SIZE - 1) + LAST
 * layers: a state space of any size whose number of states nobody has to count. */
#ifndef SIZE
#define SIZE 10
#endif
#ifndef LAST
#define LAST 5
#endif

byte wheel[7];
byte last;

active [7] proctype Wheel()
{
end:	do
	:: d_step { wheel[_pid] < SIZE - 1 -> wheel[_pid]++ }
	od
}

active proctype Last()
{
end:	do
	:: d_step { last < LAST - 1 -> last++ }
	od
}
