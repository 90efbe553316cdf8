/* A register on three servers. The writer writes to all, a read asks two of three and takes the newest answer.
 *
 * Two reads, one after the other, while the writer is still writing: the first asks a server that has the new value, the
 * second only servers that have the old one. With REPAIR a read first brings what it takes to all it asked.
 */
#define SERVERS 3
#define WRITES 2

byte stored[SERVERS];                   /* values count up: the newer is the greater */

active proctype writer()
{
    byte value, i;

    for (value : 1 .. WRITES) {
        for (i : 0 .. SERVERS - 1) {
            stored[i] = value
        }
    }
}

active proctype reader()
{
    byte first, second, got, before, turn;

    for (turn : 1 .. 3) {
        select (first : 0 .. SERVERS - 1);
        got = stored[first];
        second = (first + 1) % SERVERS;
        if
        :: stored[second] > got -> got = stored[second]
        :: else
        fi;
#ifdef REPAIR
        d_step {
            first = 0;
            do
            :: first < SERVERS ->
               if
               :: stored[first] < got -> stored[first] = got
               :: else
               fi;
               first++
            :: else -> break
            od
        };
#endif
        assert(got >= before);
        before = got;
        first = 0; second = 0; got = 0
    }
}
