/* An object with a counter of references: who finds it in the table takes one, who gives back the last frees it.
 *
 * Finding and counting are two steps. In between, the owner takes the object out of the table and gives back the last
 * reference. With CAREFUL finding and counting is one step.
 */
#define USERS 2

bool in_table = true, freed;
byte references = 1;                    /* that of the table */

inline give_back() {
    d_step {
        references--;
        if
        :: references == 0 -> freed = true
        :: else
        fi
    }
}

active [USERS] proctype user()
{
    byte uses;

    do
    :: uses < 2 ->
       uses++;
       if
#ifdef CAREFUL
       :: atomic { in_table -> references++ }
#else
       :: in_table -> references++
#endif
          assert(!freed);               /* use it */
          give_back()
       :: !in_table -> break
       fi
    :: else -> break
    od
}

active proctype owner()
{
    in_table = false;
    give_back()
}
