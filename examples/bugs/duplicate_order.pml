/* A shop that repeats an order when the answer does not come in time, and a store that cannot tell the repetition.
 *
 * The answer may only be late: then the same order is delivered twice. (Cure: number the orders.)
 */
mtype = { order, done };

chan requests = [2] of { mtype, byte };
chan answers = [2] of { mtype, byte };
byte delivered;

active proctype shop()
{
    byte item = 7;
    bool repeated;

    requests!order(item);
    do
    :: answers?done(eval(item)) -> break
    :: !repeated ->                     /* it takes too long: once more */
       repeated = true;
       requests!order(item)
    od
}

active proctype store()
{
    byte item;

end:
    do
    :: requests?order(item) ->
       delivered++;
       assert(delivered == 1);
       answers!done(item)
    od
}
