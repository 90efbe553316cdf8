/* The bakery of Lamport whose shared variables are read and written in no time at all only by chance: a write takes a
   while, in which readers see anything (after Ogata, Futatsugi: Simulation-based verification for the true bakery,
   ICFEM 2008). K bounds the tickets: nobody begins to write a larger one. With NO_TEST the test of choosing is left
   out, and two processes meet. */

#ifndef N
#define N 2
#endif
#ifndef K
#define K 2
#endif
#define ALL ((1 << N) - 1)

nonatomic (0 .. 1) bit choosing[N];
nonatomic (0 .. K) int number[N];

active [N] proctype P()
{
	byte tmp, j;
	int m;
ncs:	skip;
l1:	choosing[_pid] = 1;
l3:	d_step { tmp = ALL; m = 0 };
l4:	if
	:: tmp == 0 -> goto l6
	:: else
	fi;
l5:	if
	:: d_step { tmp & 1 -> tmp = tmp & ~1; m = (number[0] > m -> number[0] : m) }
	:: d_step { tmp & 2 -> tmp = tmp & ~2; m = (number[1] > m -> number[1] : m) }
#if N > 2
	:: d_step { tmp & 4 -> tmp = tmp & ~4; m = (number[2] > m -> number[2] : m) }
#endif
	fi;
	goto l4;
l6:	number[_pid] = m + 1;
l8:	choosing[_pid] = 0;
l10:	j = 0;
l11:	if
	:: j == N -> goto cs
	:: else
	fi;
#ifndef NO_TEST
l12:	choosing[j] == 0;
#else
l12:	skip;
#endif
l13:	d_step {
		number[j] == 0 || !(number[j] < number[_pid] || (number[j] == number[_pid] && j < _pid)) -> j = j + 1
	};
	goto l11;
cs:	skip;
l14:	number[_pid] = 0;
	goto ncs
}

/* What nonatomic_bakery.lemmas speaks of. A label NAME_end is where the write at NAME ends. */

#define DOORWAY(p)	(P[p]@l8 || P[p]@l8_end || P[p]@l10)
#define WAITS(p)	(P[p]@l11 || P[p]@l12 || P[p]@l13)
#define HAS_TICKET(p)	(DOORWAY(p) || WAITS(p) || P[p]@cs || P[p]@l14)
#define COMPARES(p)	(P[p]@l4 || P[p]@l5 || P[p]@l6 || P[p]@l6_end)
#define HAS_NONE(p)	(P[p]@ncs || P[p]@l1 || P[p]@l1_end || P[p]@l3 || P[p]@l4 || P[p]@l5 || P[p]@l6)
#define BEFORE(p, q)	(number[p] < number[q] || (number[p] == number[q] && p < q))
#define SEEN(p, q)	((P[q]:tmp & (1 << p)) == 0)

#define APART(p, q)	(!(P[p]@cs && P[q]@cs))
#define PASSED(p, q)	(!(WAITS(p) && q < P[p]:j && HAS_TICKET(q)) || BEFORE(p, q))
#define INSIDE(p, q)	(!(P[p]@cs && HAS_TICKET(q)) || BEFORE(p, q))
#define LARGER(p, q)	(!(COMPARES(q) && (WAITS(p) || P[p]@cs) && SEEN(p, q) && q < P[p]:j) || number[p] <= P[q]:m)
#define TESTED(p, q)	(!(P[p]:j == q && COMPARES(q) && P[p]@l13 && SEEN(p, q) && (number[q] == 0 || !BEFORE(q, p))) || number[p] <= P[q]:m)
#define ASKED(p, q)	(!(P[p]:j == q && COMPARES(q) && P[p]@l12 && choosing[q] == 0) || number[p] <= P[q]:m)
#define TICKET(p)	(!HAS_TICKET(p) || number[p] > 0)
#define ALL_SEEN(p)	(!(P[p]@l6 || P[p]@l6_end) || P[p]:tmp == 0)
#define IN_RANGE(p)	(!WAITS(p) || P[p]:j <= N)
#define AT_END(p)	(!P[p]@cs || P[p]:j == N)
#define CHOOSES(p)	(!(COMPARES(p) || P[p]@l3) || choosing[p] != 0)
#define NO_TICKET(p)	(!HAS_NONE(p) || number[p] == 0)
#define SOMEBODY(p)	(!(P[p]@l12 || P[p]@l13) || P[p]:j < N)

#if N == 2
#define EACH(L)	(L(0) && L(1))
#define PAIRS(L)	(L(0, 1) && L(1, 0))
#else
#define EACH(L)	(L(0) && L(1) && L(2))
#define PAIRS(L)	(L(0, 1) && L(0, 2) && L(1, 0) && L(1, 2) && L(2, 0) && L(2, 1))
#endif
