/* Selling seats at two counters: look whether there is one left, then sell it.
 *
 * Between looking and selling the other counter can sell the last seat. (Cure: look and sell in one atomic step.)
 */
#define SEATS 2

byte sold;
byte money;

active [2] proctype counter()
{
    byte customers = 2;
    bool free;

    do
    :: customers > 0 ->
       customers--;
       free = (sold < SEATS);           /* look */
       if
       :: free ->
          money = money + 5;
          sold++                        /* sell */
       :: else -> break
       fi
    :: else -> break
    od
}

active proctype audit()
{
    sold >= SEATS;
    assert(sold <= SEATS)
}
