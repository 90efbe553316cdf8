/* Alternating bit protocol: LINES conversations disturbed by one source of noise.
 *
 * Each line has a sender, a receiver and a wire in each direction.  The noise
 * wanders from line to line and swallows messages of the line it is at.
 * A line delivers the values 0, 1, 2, 0, 1, 2 ... in order all the same.
 * Exercises: eval in receive, arrays of channels, bit, atomic.
 */
#ifndef LINES
#define LINES 2
#endif
#ifndef CAPACITY
#define CAPACITY 2
#endif

chan data[LINES] = [CAPACITY] of { byte, bit };
chan ack[LINES] = [CAPACITY] of { bit };

proctype sender(byte line)
{
    bit tag;
    byte value;

    do
    :: nfull(data[line]) -> data[line]!value, tag
    :: ack[line]?eval(tag) ->
       atomic {
           tag = 1 - tag;
           value = (value + 1) % 3
       }
    :: ack[line]?eval(1 - tag)
    od
}

proctype receiver(byte line)
{
    bit tag, got;
    byte value, wanted;

    do
    :: data[line]?value, got ->
       if
       :: got == tag ->
          assert(value == wanted);
          atomic {
              wanted = (wanted + 1) % 3;
              tag = 1 - tag
          }
       :: else
       fi;
       ack[line]!got
    od
}

proctype noise()
{
    byte line;

    do
    :: line = (line + 1) % LINES
    :: data[line]?_, _
    :: ack[line]?_
    od
}

init {
    byte i;

    atomic {
        do
        :: i < LINES ->
           run sender(i);
           run receiver(i);
           i++
        :: else -> break
        od;
        run noise();
        i = 0
    }
}
