/* One step too far: the loop that fills an array runs past its end.
 *
 * An array of five has the places 0 to 4.  The loop goes on while i <= SIZE and so
 * also writes to place 5, which does not exist.  That is a run-time error,
 * reported with the statement and the value of the index.
 *
 *     kripke check examples/promela/off_by_one.pml              violated: index
 */
#define SIZE 5

byte square[SIZE];

active proctype fill()
{
    byte i;

    do
    :: i <= SIZE ->                     /* meant: i < SIZE */
       square[i] = i * i;
       i++
    :: else -> break
    od
}
