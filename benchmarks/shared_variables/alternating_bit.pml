/* The alternating bit protocol over two cells of shared memory that may lose what is in them. */
#define NOTHING 2

byte data = NOTHING, answer = NOTHING;  /* bit under way */
byte content;                           /* of the message under way */
byte sent, received;                    /* numbers modulo 4 */

active proctype sender()
{
    bit mine;

    do
    :: atomic { data == NOTHING -> data = mine; content = sent }
    :: atomic { answer == mine -> answer = NOTHING; mine = 1 - mine; sent = (sent + 1) % 4 }
    :: atomic { answer == 1 - mine -> answer = NOTHING }
    od
}

active proctype receiver()
{
    bit wanted;

    do
    :: atomic {
          data == wanted ->
          assert(content == received);
          data = NOTHING;
          received = (received + 1) % 4;
          wanted = 1 - wanted
       }
    :: atomic { data == 1 - wanted -> data = NOTHING }
    :: atomic { answer == NOTHING -> answer = 1 - wanted }
    od
}

active proctype loss()
{
    do
    :: data != NOTHING -> data = NOTHING
    :: answer != NOTHING -> answer = NOTHING
    od
}
