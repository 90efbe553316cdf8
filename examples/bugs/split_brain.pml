/* Three servers elect a leader by majority, but a server votes in the same round for everybody who asks.
 *
 * Two candidates can both collect two votes of three. (Cure: one vote in a round.)
 */
#define N 3

mtype = { vote_for_me, yes };

chan inbox[N] = [2] of { mtype, byte };
byte leaders;

active [N] proctype server()
{
    byte votes, who;
    bool asked;

end:
    do
    :: !asked && _pid < 2 ->            /* no leader heard of: become a candidate */
       asked = true;
       votes = 1;                       /* for oneself */
       inbox[2]!vote_for_me(_pid)
    :: inbox[_pid]?vote_for_me(who) ->
       inbox[who]!yes(_pid)             /* whoever asks */
    :: inbox[_pid]?yes(who) ->
       votes++;
       if
       :: votes == 2 -> leaders++; assert(leaders <= 1)
       :: else
       fi
    od
}
