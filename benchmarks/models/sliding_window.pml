/* Go-back-n over a channel that loses messages in both directions.
 *
 * The sender keeps up to W frames in flight, numbered modulo M > W; the receiver
 * accepts frames in order only and acknowledges the last good one.  The data is
 * a counter of its own, so the receiver can tell whether anything was lost,
 * doubled or reordered.
 * Exercises: buffered channels with several fields, nfull, _ in receive.
 */
#ifndef W
#define W 2
#endif
#ifndef M
#define M 4
#endif
#ifndef CAPACITY
#define CAPACITY 3
#endif
#define DATA 5          /* values the payload runs through */

chan forward = [CAPACITY] of { byte, byte };
chan acks = [CAPACITY] of { byte };

active proctype sender()
{
    byte base, flight;          /* oldest frame not yet acknowledged; frames sent since */
    byte data;                  /* payload of the oldest frame */
    byte ack;

    do
    :: flight < W && nfull(forward) ->
       forward!(base + flight) % M, (data + flight) % DATA;
       flight++
    :: acks?ack ->
       ack = (ack + M - base) % M;      /* distance of the acknowledged frame */
       if
       :: ack < flight ->
          atomic {
              base = (base + ack + 1) % M;
              data = (data + ack + 1) % DATA;
              flight = flight - ack - 1
          }
       :: else
       fi;
       ack = 0
    :: flight > 0 ->
       flight = 0                       /* impatient: go back and send all again */
    od
}

active proctype receiver()
{
    byte expected, wanted;
    byte number, data;

    do
    :: forward?number, data ->
       if
       :: number == expected ->
          assert(data == wanted);
          expected = (expected + 1) % M;
          wanted = (wanted + 1) % DATA
       :: else
       fi;
       acks!(expected + M - 1) % M
    od
}

active proctype thief()
{
    do
    :: forward?_, _
    :: acks?_
    od
}
