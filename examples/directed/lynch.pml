/*
 * Lynch's protocol for two stations over a line that damages messages, after the description in G. J. Holzmann,
 * Design and Validation of Computer Protocols, 1991. It accepts a message twice.
 *
 * A station numbers what it sends. It answers a message that it understood with an acknowledgement, a damaged
 * one with a complaint, and either way sends its own next number along. Numbers are taken from a complaint only,
 * each is to be one more than the one before.
 *
 *     kripke check lynch.pml --search astar --no-deadlock
 */

#define FIRST	9
#define LAST	12
#define NOTHING	99

mtype = { fine, complaint, damaged };

chan to_left = [1] of { mtype, byte };
chan to_line = [1] of { mtype, byte };
chan to_right = [1] of { mtype, byte };

proctype station(chan from; chan to)
{
	byte got;
	byte accepted = FIRST;
	byte mine;

	mine = FIRST + 1;
	do
	:: from?damaged(got) ->
	   to!complaint(mine)
	:: from?fine(got) ->
	   if
	   :: mine < LAST -> mine = mine + 1
	   :: mine >= LAST -> mine = NOTHING
	   fi;
	   to!fine(mine)
	:: from?complaint(got) ->
	   assert(got == accepted + 1);
	   to!fine(mine)
	od
}

proctype line(chan from; chan to)
{
	mtype what;
	byte number;

	do
	:: from?what, number ->
	   if
	   :: to!what(number)
	   :: to!damaged(0)
	   fi
	od
}

init
{
	run station(to_left, to_line);
	run line(to_line, to_right);
	run station(to_right, to_left);
	to_left!damaged(0)
}
