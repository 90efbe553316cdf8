/* the sieve of Eratosthenes: every prime is a process that starts the next one */
#ifndef LAST
#define LAST 30
#endif
mtype = { number, end };

proctype sieve(chan in) {
	chan out = [0] of { mtype, byte };
	byte prime, x;
	bool more, has_next;
	if
	:: in?number(prime) -> more = true
	:: in?end(_) -> more = false
	fi;
	do
	:: more ->
		if
		:: in?number(x) ->
			if
			:: x % prime != 0 ->
				if
				:: !has_next -> run sieve(out); has_next = true
				:: else
				fi;
				out!number(x)
			:: else
			fi
		:: in?end(_) ->
			more = false;
			if
			:: has_next -> out!end(0)
			:: else
			fi
		fi
	:: else -> break
	od
}

init {
	chan first = [0] of { mtype, byte };
	byte n = 2;
	run sieve(first);
	do
	:: n <= LAST -> first!number(n); n++
	:: else -> break
	od;
	first!end(0)
}
