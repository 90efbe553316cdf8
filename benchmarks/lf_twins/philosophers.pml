/* philosophers and forks are processes; the last takes the forks in the other order */
#ifndef N
#define N 5
#endif
mtype = { take, put };
chan forks[N] = [0] of { mtype };

proctype lay(chan user) {
	do
	:: user?take; user?put
	od
}

proctype philosopher(chan left; chan right) {
	do
	:: left!take; right!take; left!put; right!put
	od
}

init {
	byte i;
	atomic {
		do
		:: i < N -> run lay(forks[i]); i++
		:: else -> break
		od;
		i = 0;
		do
		:: i < N - 1 -> run philosopher(forks[i], forks[i + 1]); i++
		:: else -> break
		od;
		run philosopher(forks[0], forks[N - 1])
	}
}
