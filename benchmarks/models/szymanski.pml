/* Szymanski's mutual exclusion: a waiting room with an entry and an exit door.
 *
 * Each process owns one flag from 0 (away) to 4 (inside) and reads those of
 * the others one by one.
 * Exercises: one shared array, loops of single reads, labels and goto.
 */
#ifndef N
#define N 3
#endif

byte flag[N];
byte inside;

active [N] proctype process()
{
    byte i;

away:
    flag[_pid] = 1;                     /* stand before the entry door */
    i = 0;
    do
    :: i < N -> flag[i] < 3; i++
    :: else -> break
    od;

    flag[_pid] = 3;                     /* in the doorway */
    i = 0;
    do
    :: i < N && flag[i] == 1 ->         /* somebody may still come in */
       flag[_pid] = 2;
       i = 0;
       do
       :: flag[i] == 4 -> break         /* the exit door is open */
       :: else -> i = (i + 1) % N
       od;
       break
    :: i < N && flag[i] != 1 -> i++
    :: i == N -> break
    od;

    flag[_pid] = 4;                     /* open the exit door, close the entry */
    i = 0;
    do
    :: i < _pid -> flag[i] < 2; i++
    :: else -> break
    od;

    inside++;
    assert(inside == 1);
    inside--;

    i = _pid + 1;
    do
    :: i < N -> (flag[i] < 2 || flag[i] > 3); i++
    :: else -> break
    od;
    flag[_pid] = 0;
    i = 0;
    goto away
}
