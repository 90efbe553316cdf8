/* Dining philosophers whose forks are processes (after Sun, Liu, Dong and Wang, ICFEM 2008).

   Philosopher 0 need not eat: all may take their right forks and wait for ever, or another may be faster every time.
   Fairness to every process does not help, nor does it to every step by itself (weak-edges, strong-edges). The events with wl_ labels must happen where one side is ready for them,
   and then he eats again and again:

       kripke check college.pml --property eats
       kripke check college.pml --property eats --fair strong
       kripke check college.pml --property eats --fair strong-edges
       kripke check college.pml --property eats --fair events
*/
#ifndef N
#define N 3
#endif

#define RIGHT_OF(i) (2 * (i))      /* philosopher i and fork i+1 */
#define LEFT_OF(i) (2 * (i) + 1)   /* philosopher i and fork i */

chan get[2 * N] = [0] of { bit };
chan put[2 * N] = [0] of { bit };

active [N] proctype Phil() {
wl_right:
	get[RIGHT_OF(_pid)]!0;
left:
	get[LEFT_OF(_pid)]!0;
eat:
	skip;
	put[RIGHT_OF(_pid)]!0;
	put[LEFT_OF(_pid)]!0;
	goto wl_right
}

active [N] proctype Fork() {
	do
	:: get[LEFT_OF(_pid - N)]?_;
wl_own:
	   put[LEFT_OF(_pid - N)]?_
	:: get[RIGHT_OF((_pid - 1) % N)]?_;
wl_other:
	   put[RIGHT_OF((_pid - 1) % N)]?_
	od
}

ltl eats { [] <> Phil[0]@eat && [] <> !Phil[0]@eat }
