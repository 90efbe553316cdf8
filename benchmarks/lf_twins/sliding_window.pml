/* a sliding window protocol over links that lose messages */
#ifndef WINDOW
#define WINDOW 3
#endif
#ifndef MODULO
#define MODULO 6
#endif
#ifndef DATA
#define DATA 5
#endif
chan sent = [0] of { byte, byte };
chan delivered = [0] of { byte, byte };
chan answered = [0] of { byte };
chan acknowledged = [0] of { byte };

active proctype sender() {
	byte base, next, a, s, first, d;
	do
	:: s = base;
		if
		:: (next - base + MODULO) % MODULO < WINDOW ->
			if
			:: s = next
			:: s = base
			fi
		:: else
		fi;
		d = (first + (s - base + MODULO) % MODULO) % DATA;
		if
		:: acknowledged?a ->
			if
			:: (a - base + MODULO) % MODULO <= (next - base + MODULO) % MODULO ->
				first = (first + (a - base + MODULO) % MODULO) % DATA;
				base = a
			:: else
			fi
		:: sent!s, d ->
			if
			:: s == next -> next = (next + 1) % MODULO
			:: else
			fi
		fi;
		a = 0; s = 0; d = 0
	od
}

active proctype lossy() {
	byte s, d;
	do
	:: sent?s, d;
		if
		:: delivered!s, d
		:: s = 0
		fi;
		s = 0; d = 0
	od
}

active proctype lossy_back() {
	byte a;
	do
	:: answered?a;
		if
		:: acknowledged!a
		:: a = 0
		fi;
		a = 0
	od
}

active proctype receiver() {
	byte expected, wanted, s, d;
	do
	:: delivered?s, d;
		if
		:: s == expected ->
			assert(d == wanted);
			expected = (expected + 1) % MODULO;
			wanted = (wanted + 1) % DATA
		:: else
		fi;
		s = 0; d = 0;
		answered!expected
	od
}
