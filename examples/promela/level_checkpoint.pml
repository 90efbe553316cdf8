/* How Kripke's own distributed search is saved between two levels, and goes on after a worker has died.
 *
 * Every worker appends the states of a level to a file of its own. When all files are on disk, the first
 * worker writes the checkpoint: one number, up to which level the files count. Where a worker dies, all end; they
 * begin again with the last checkpoint, and what the files have beyond it is not looked at.
 *
 *   -D EARLY=1   the mistake: the checkpoint is written before all files are
 */
#define N 3
#define LEVELS 3
#ifndef EARLY
#define EARLY 0
#endif

byte in_file[N];    /* whole levels in a worker's file */
byte in_memory[N];  /* levels that a worker knows */
byte saved;         /* the checkpoint */
byte done;          /* files that are written for it */
byte deaths = 2;    /* that may still happen */

active [N] proctype worker()
{
    do
    :: atomic { in_memory[_pid] == in_file[_pid] && in_memory[_pid] == saved && saved < LEVELS ->
        in_memory[_pid]++        /* the next level: nobody begins it before the checkpoint is there */
        }
    :: atomic { in_file[_pid] < in_memory[_pid] -> in_file[_pid] = in_memory[_pid]; done++ }
    :: atomic { _pid == 0 && in_memory[0] > saved && (done == N || EARLY && done > 0) ->
        saved++;
        done = 0
        }
    :: saved == LEVELS -> break
    od
}

/* A worker dies: the memory of all is gone. They read the files, as far as the checkpoint says. */
active proctype fate()
{
    do
    :: atomic { deaths > 0 && saved < LEVELS ->
        deaths--;
        assert(in_file[0] >= saved && in_file[1] >= saved && in_file[2] >= saved);
        in_memory[0] = saved; in_memory[1] = saved; in_memory[2] = saved;
        in_file[0] = saved; in_file[1] = saved; in_file[2] = saved;
        done = 0
        }
    :: saved == LEVELS -> break
    od
}
