/* Peterson's algorithm for N processes, as in Lynch's book */
#ifndef N
#define N 4
#endif
byte turn[N], flag[N], ncrit;

active [N] proctype user() {
	byte j, k;
again:
	k = 0;
	do
	:: k < N - 1 ->
		flag[_pid] = k;
		turn[k] = _pid;
		j = 0;
		do
		:: j == _pid -> j++
		:: j != _pid ->
			if
			:: j < N -> (flag[j] < k || turn[k] != _pid); j++
			:: j >= N -> break
			fi
		od;
		k++
	:: else -> break
	od;
	ncrit++;
	assert(ncrit == 1);
	ncrit--;
	flag[_pid] = 0;
	goto again
}
