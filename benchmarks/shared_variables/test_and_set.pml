/* Test and test-and-set: look until the lock seems free, then try to take it at once. */
#ifndef N
#define N 4
#endif

bool lock;
byte inside;

active [N] proctype process()
{
    do
    :: !lock;
       if
       :: atomic { !lock -> lock = true };
          inside++;
          assert(inside == 1);
          inside--;
          lock = false
       :: lock
       fi
    od
}
