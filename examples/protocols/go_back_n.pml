/* A sliding window over a line that loses and a receiver that takes frames in order.
 *
 * Up to WINDOW frames are under way without an acknowledgement, numbered modulo NUMBERS. There must be more numbers than
 * frames in a window: here there are as many, and when all acknowledgements are lost the receiver takes the repeated
 * frame 0 for the next one. With -DNUMBERS=3 it knows better.
 */
#ifndef NUMBERS
#define NUMBERS 2
#endif
#define WINDOW  2
#define FRAMES  4

chan line = [WINDOW] of { byte, byte };         /* number, content */
chan back = [WINDOW] of { byte };               /* number that is expected next */

byte lost;                                      /* the line loses a few things, not everything */

active proctype sender()
{
    byte first, next, number;                   /* first: the oldest without acknowledgement */

end:
    do
    :: first < FRAMES && next < FRAMES && next - first < WINDOW && nfull(line) ->
       line!(next % NUMBERS), next;
       next++
    :: back?number ->
       do                                       /* all frames before that number have arrived */
       :: first < next && first % NUMBERS != number -> first++
       :: else -> break
       od;
       number = 0
    :: first < next && empty(line) && empty(back) ->
       next = first                             /* nothing comes: everything again from the oldest on */
    od
}

active proctype receiver()
{
    byte expected, number, content;

end:
    do
    :: line?number, content ->
       if
       :: lost < 2 -> lost++                    /* never arrived */
       :: number == expected % NUMBERS ->
          assert(content == expected);
          expected++
       :: number != expected % NUMBERS          /* not its turn */
       fi;
       number = 0;
       content = 0;
       if
       :: nfull(back) -> back!(expected % NUMBERS)
       :: lost < 2 -> lost++
       :: full(back)
       fi
    od
}
