/* Two processes take turns in a critical section (after Peled and Zuck, SPIN 2001). Whose turn it is at the start is
   open. That one of them enters again and again has a proof:

       kripke check turns.pml --prove turns.proof
       kripke verify-proof turns.proof --show
*/
byte turn;

proctype T(byte me) {
nt:
	skip;                /* not trying */
tr:
	turn == me;          /* trying */
cr:
	turn = 1 - turn;     /* critical */
	goto nt
}

init {
	atomic {
		if
		:: turn = 0
		:: turn = 1
		fi;
		run T(0);
		run T(1)
	}
}

ltl enter { [] <> (T[1]@cr || T[2]@cr) }
