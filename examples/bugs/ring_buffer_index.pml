/* A ring buffer whose writer forgets to go back to the start.
 *
 * The reader's index wraps around, the writer's does not: after SIZE items it points behind the buffer.
 * (Cure: put_at = (put_at + 1) % SIZE.)
 */
#define SIZE 4

byte buffer[SIZE];
byte filled, put_at, get_at;

active proctype producer()
{
    byte item;

    do
    :: filled < SIZE ->
       item = (item + 1) % 10;
       buffer[put_at] = item;
       put_at++;                        /* and never back to 0 */
       filled++
    od
}

active proctype consumer()
{
    byte item, sum;

    do
    :: filled > 0 ->
       item = buffer[get_at];
       get_at = (get_at + 1) % SIZE;
       filled--;
       sum = (sum + item) % 100
    od
}
