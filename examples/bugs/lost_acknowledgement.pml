/* Stop and wait over a line that loses messages, without a timer.
 *
 * The sender waits for the acknowledgement of every frame. A frame or an acknowledgement that is lost leaves it
 * waiting for ever. (Cure: send again after a while; see alternating_bit.pml for what else that needs.)
 */
mtype = { frame, ack };

chan to_receiver = [1] of { mtype, byte };
chan to_sender = [1] of { mtype, byte };
chan line = [1] of { mtype, byte };

active proctype sender()
{
    byte n;

    do
    :: n < 4 ->
       line!frame(n);
       to_sender?ack(eval(n));
       n++
    :: else -> break
    od
}

active proctype network()
{
    byte n;

end:
    do
    :: line?frame(n) ->
       if
       :: to_receiver!frame(n)
       :: skip                          /* lost */
       fi
    :: line?ack(n) -> to_sender!ack(n)
    od
}

active proctype receiver()
{
    byte n, expected;

end:
    do
    :: to_receiver?frame(n) ->
       assert(n == expected);
       expected++;
       line!ack(n)
    od
}
