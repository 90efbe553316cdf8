/* Mutual exclusion of N = 2, 3 or 4 processes (Peterson 1981): N - 1 levels, and at each of them somebody stays behind.
   Without fairness the others may overtake process 0 for ever (N > 2):

       kripke check peterson_levels.pml --property served
       kripke check peterson_levels.pml --property served --fair events
*/
#ifndef N
#define N 3
#endif

#define OTHERS(j) ((_pid == 0 || pos[0] < j) && (_pid == 1 || pos[1] < j) && OTHER2(j) && OTHER3(j))
#if N > 2
#define OTHER2(j) (_pid == 2 || pos[2] < j)
#else
#define OTHER2(j) true
#endif
#if N > 3
#define OTHER3(j) (_pid == 3 || pos[3] < j)
#else
#define OTHER3(j) true
#endif
#define MAY_PASS(j) (step[j] != _pid + 1 || OTHERS(j))
byte pos[N], step[N];
active [N] proctype P() {
sf_1:	pos[_pid] = 1;
wf_s1:	step[1] = _pid + 1;
#if N > 2
sf_2:	atomic { MAY_PASS(1) -> pos[_pid] = 2 };
wf_s2:	step[2] = _pid + 1;
#endif
#if N > 3
sf_3:	atomic { MAY_PASS(2) -> pos[_pid] = 3 };
wf_s3:	step[3] = _pid + 1;
#endif
wf_cs:	MAY_PASS(N - 1);
wf_out:	pos[_pid] = 0;
	goto sf_1
}
ltl served { [] (pos[0] > 0 -> <> P[0]@wf_out) }
