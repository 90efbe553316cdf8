/* The alternating bit protocol: reliable delivery over a line that loses messages.
 *
 * The sender repeats a value until it is acknowledged.  One bit tells new
 * from repeated: it flips with each new value, and the acknowledgement carries it
 * back.  Nothing is lost or delivered twice: the receiver asserts that the values
 * arrive as 0, 1, 2, 3, 0, 1 ...
 *
 *     kripke check examples/promela/alternating_bit.pml         holds
 */
chan line = [1] of { byte, bit };       /* room for one message: a value and the bit */
chan answer = [1] of { bit };

active proctype sender()
{
    byte value;
    bit tag;

    do
    :: line!value, tag                  /* send, and send again */
    :: answer?eval(tag) ->              /* this very bit came back: go on to the next */
       value = (value + 1) % 4;
       tag = 1 - tag
    :: answer?eval(1 - tag)             /* an old answer: ignore it */
    od
}

active proctype receiver()
{
    byte value, expected;
    bit tag, wanted;

    do
    :: line?value, tag ->
       if
       :: tag == wanted ->              /* new */
          assert(value == expected);
          expected = (expected + 1) % 4;
          wanted = 1 - wanted
       :: else                          /* a repetition: answer it all the same */
       fi;
       answer!tag
    od
}

active proctype loss()
{
    do
    :: line?_, _                        /* "_" takes a field and forgets it */
    :: answer?_
    od
}
