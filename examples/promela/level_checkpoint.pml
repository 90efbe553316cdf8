/* How Kripke's own distributed search is saved between two levels, and goes on after a worker has died.
 *
 * Every worker appends the states of a level to a file of its own. At the end of a level all know whether a checkpoint
 * is due. If so, each brings its file to the disk, tells the first worker how much of it counts, and goes on with the
 * next level; the first worker, when all have told it, writes the checkpoint: up to which level the files count. Only
 * then does it go on, so nobody is more than a level ahead. Where a worker dies, all end; they begin again with the
 * last checkpoint, and what the files have beyond it is not looked at.
 *
 *   -D EARLY=1   the mistake: the checkpoint is written before all have told
 */
#define N 3
#define LEVELS 3
#ifndef EARLY
#define EARLY 0
#endif

#define ALL_BEGUN(level) (begun[0] >= (level) && begun[1] >= (level) && begun[2] >= (level))
#define ALL_TOLD(level) (told[0] == (level) && told[1] == (level) && told[2] == (level))

byte begun[N];      /* the level that a worker expands, or has expanded */
byte ended[N];      /* the last one of which it knows that it is over */
byte in_file[N];    /* levels that are whole in its file */
byte told[N];       /* the first worker knows of these */
bool due[LEVELS + 1];
byte decided;       /* for levels up to this one it is known whether a checkpoint is due */
byte saved;         /* the checkpoint */
byte deaths = 2;    /* that may still happen */
bool over;

active [N] proctype worker()
{
    do
    :: atomic { begun[_pid] == ended[_pid] && ended[_pid] < LEVELS && in_file[_pid] == ended[_pid] &&
                (!due[ended[_pid]] || told[_pid] == ended[_pid]) &&
                (_pid != 0 || !due[ended[0]] || saved == ended[0]) ->
        begun[_pid]++
        }
    :: atomic { begun[_pid] > ended[_pid] && ALL_BEGUN(begun[_pid]) ->
        ended[_pid] = begun[_pid];     /* termination.pml: a level ends on all alike */
        if
        :: decided < ended[_pid] ->
            decided = ended[_pid];
            if
            :: due[decided] = true
            :: due[decided] = false
            fi
        :: else
        fi
        }
    :: atomic { in_file[_pid] < ended[_pid] -> in_file[_pid] = ended[_pid] }
    :: atomic { due[ended[_pid]] && in_file[_pid] == ended[_pid] && told[_pid] != ended[_pid] ->
        told[_pid] = ended[_pid]
        }
    :: atomic { _pid == 0 && due[ended[0]] && saved < ended[0] && told[0] == ended[0] &&
                (EARLY || ALL_TOLD(ended[0])) ->
        saved = ended[0]
        }
    :: over -> break
    od
}

/* A worker dies: the memory of all is gone. They read the files, as far as the checkpoint says. */
active proctype fate()
{
    byte i;

    do
    :: atomic { deaths > 0 ->
        deaths--;
        assert(in_file[0] >= saved && in_file[1] >= saved && in_file[2] >= saved);
        for (i : 0 .. N - 1) {
            begun[i] = saved;
            ended[i] = saved;
            in_file[i] = saved;
            told[i] = saved
        }
        for (i : saved .. LEVELS) {
            due[i] = false
        }
        i = 0;
        decided = saved
        }
    :: atomic { ended[0] == LEVELS && ended[1] == LEVELS && ended[2] == LEVELS -> over = true; break }
    od
}
