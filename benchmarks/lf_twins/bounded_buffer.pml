/* a buffer process of 20 slots between a producer and a consumer */
#ifndef SLOTS
#define SLOTS 20
#endif
#ifndef ITEMS
#define ITEMS 21
#endif
chan left = [0] of { byte };
chan right = [0] of { byte };

active proctype producer() {
	byte i;
	do
	:: left!i; i = (i + 1) % ITEMS
	od
}

active proctype buffer() {
	byte slot[SLOTS], first, count, x;
	do
	:: count == 0 -> left?x; slot[first] = x; count++
	:: count == SLOTS -> right!slot[first]; first = (first + 1) % SLOTS; count--
	:: count > 0 && count < SLOTS ->
		if
		:: left?x; slot[(first + count) % SLOTS] = x; count++
		:: right!slot[first]; first = (first + 1) % SLOTS; count--
		fi
	od
}

active proctype consumer() {
	byte expected, x;
	do
	:: right?x; assert(x == expected); expected = (expected + 1) % ITEMS
	od
}
