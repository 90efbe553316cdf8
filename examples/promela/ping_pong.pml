/* Two players return a ball. Nothing else can happen, so whoever serves gets an answer, for ever.
 *
 * The formulas are checked with the model, each in a search of its own.
 */
mtype = { ping, pong };
chan table = [0] of { mtype };
mtype last;

active proctype Server()
{
    do
    :: table!ping; last = ping;
       table?pong
    od
}

active proctype Returner()
{
    do
    :: table?ping;
       table!pong; last = pong
    od
}

ltl answered { [] ((last == ping) -> <> (last == pong)) }
ltl for_ever { []<> (last == ping) && []<> (last == pong) }
