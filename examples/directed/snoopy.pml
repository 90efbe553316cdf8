/* Two processors with a cache each, which watch the bus ("snoop") to keep their one line of memory coherent: the
 * protocol of the snooping caches of the early eighties (J. R. Goodman, Using Cache Memory to Reduce Processor-Memory
 * Traffic, ISCA 1983), in the form in which it became an example for model checkers.
 *
 * A line is invalid, shared (read) or exclusive (written). A processor reads, writes, or reads in order to write. A
 * cache that cannot serve that alone asks the arbiter for the bus and, when it has it, tells the other cache what it does.
 * It changes its line when the bus is granted, not when the other cache has answered: the two can wait for each other for
 * ever.
 */
#define SIZE 2		/* messages that a wire holds */

mtype = { read, write, modify };			/* what processors ask for, what the caches tell each other */
mtype = { dirty, clean, dropped, line, granted, done, want };	/* answers, and the line itself */
mtype = { invalid, shared, exclusive };			/* states of a line */

chan ask[2] = [SIZE] of { mtype };	/* processor to cache */
chan reply[2] = [SIZE] of { mtype };	/* cache to processor */
chan up[2] = [SIZE] of { mtype };	/* cache to bus */
chan down[2] = [SIZE] of { mtype };	/* bus to cache */
chan claim[2] = [SIZE] of { mtype };	/* cache to arbiter */
chan grant[2] = [SIZE] of { mtype };	/* arbiter to cache */
chan release[2] = [SIZE] of { mtype };	/* cache to arbiter */

/* What a cache does when the other one reads, writes or modifies. */
#define SNOOP \
	:: down[me]?read -> \
		if \
		:: state == exclusive -> state = shared; up[me]!dirty \
		:: state != exclusive -> up[me]!clean \
		fi \
	:: down[me]?write -> state = invalid; up[me]!dropped \
	:: down[me]?modify -> \
		if \
		:: state == exclusive -> state = invalid; up[me]!dirty \
		:: state == shared -> state = invalid; up[me]!clean \
		:: state == invalid -> up[me]!clean \
		fi

proctype processor(bit me)
{
	do
	:: ask[me]!write -> reply[me]?done
#ifndef ONLY_WRITES
	:: ask[me]!read -> reply[me]?done
	:: ask[me]!modify -> reply[me]?done
#endif
	od
}

proctype cache(bit me)
{
	mtype state = invalid, wanted;

idle:	do
	SNOOP
	:: ask[me]?read ->
		if
		:: state != invalid -> reply[me]!done
		:: state == invalid -> wanted = read; goto waiting
		fi
	:: ask[me]?write ->
		if
		:: state == exclusive -> reply[me]!done
		:: state != exclusive -> wanted = write; goto waiting
		fi
	:: ask[me]?modify ->
		if
		:: state == exclusive -> reply[me]!done
		:: state != exclusive -> wanted = modify; goto waiting
		fi
	od;
waiting:
	claim[me]!want;
	do
	SNOOP
	:: grant[me]?granted ->
		if
		:: wanted == read -> state = shared
		:: wanted == write -> state = exclusive
		:: wanted == modify -> state = exclusive
		fi;
		reply[me]!done;
		break
	od;
	release[me]!done;
	if
	:: wanted == read -> up[me]!read -> down[me]?line
	:: wanted == write -> up[me]!write -> down[me]?done
	:: wanted == modify -> up[me]!modify -> down[me]?line
	fi;
	goto idle
}

proctype arbiter()
{
	do
	:: claim[0]?want -> grant[0]!granted; release[0]?done
	:: claim[1]?want -> grant[1]!granted; release[1]?done
	od
}

/* The bus with the memory behind it. */
#define CARRY(from, to) \
	:: up[from]?dirty -> down[to]!line \
	:: up[from]?clean -> down[to]!line \
	:: up[from]?dropped -> down[to]!done \
	:: up[from]?read -> down[to]!read \
	:: up[from]?write -> down[to]!write \
	:: up[from]?modify -> down[to]!modify

proctype bus()
{
	do
	CARRY(0, 1)
	CARRY(1, 0)
	od
}

/* Every process that starts is a step: the paper counts the steps inside an atomic sequence, too. */
init {
	run processor(0); run processor(1);
	run cache(0); run cache(1);
	run bus(); run arbiter()
}
