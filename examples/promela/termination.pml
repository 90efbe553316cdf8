/* How Kripke's own distributed search knows that a level is over: Mattern's four counters.
 *
 * Workers expand states, which may send a message (a batch of states) to another worker, where it makes work. A worker
 * with nothing left to expand gives its word in a wave: how many messages it has sent and received. When all have, each
 * learns the sums, in its own time. A level is over when the messages received in one wave are as many as those
 * sent in the next. Who knows so begins the next level, while others are still to learn it; so messages for odd and
 * for even levels are kept apart.
 *
 *   -D MESSAGES=2  more messages on their way at a time
 *   -D PENDING=1   the mistake: a worker gives its word although it has work left
 *   -D MIXED=1     the mistake: messages of the next level are taken for those of this one
 */
#define N 3
#define LEVELS 2
#ifndef MESSAGES
#define MESSAGES 1
#endif
#ifndef PENDING
#define PENDING 0
#endif
#ifndef MIXED
#define MIXED 0
#endif

#define ODD(level) (MIXED -> 0 : (level) % 2)
#define BOX(worker, level) box[2 * (worker) + ODD(level)]
#define WORK(level) (work[2 * 0 + (level) % 2] + work[2 * 1 + (level) % 2] + work[2 * 2 + (level) % 2])
#define UNDER_WAY(level) (len(BOX(0, level)) + len(BOX(1, level)) + len(BOX(2, level)))

chan box[2 * N] = [MESSAGES] of { byte };  /* by worker, and by whether the level is odd */
byte work[2 * N];                          /* states to expand, likewise */
byte sent[N], received[N];
byte left = MESSAGES;                      /* messages that may still be sent */
byte words[2], sum_sent[2], sum_received[2], readers[2];  /* of the wave, by whether it is odd */

active [N] proctype worker()
{
    byte level, before = 255, all_sent, heard;
    bit wave;
    bool spoken;

    work[2 * _pid] = 1;
    do
    :: atomic { work[2 * _pid + level % 2] > 0 ->
        work[2 * _pid + level % 2]--;
        if
        :: left > 0 ->
            left--;
            sent[_pid]++;
            if
            :: BOX((_pid + 1) % N, level) ! level
            :: BOX((_pid + 2) % N, level) ! level
            fi
        :: true
        fi
        }
    :: atomic { len(BOX(_pid, level)) > 0 ->
        BOX(_pid, level) ? heard;
        assert(heard == level);
        heard = 0;
        received[_pid]++;
        work[2 * _pid + level % 2]++
        }
    :: atomic { !spoken && (PENDING || work[2 * _pid + level % 2] == 0) ->
        spoken = true;
        words[wave]++;
        sum_sent[wave] = sum_sent[wave] + sent[_pid];
        sum_received[wave] = sum_received[wave] + received[_pid]
        }
    :: atomic { spoken && words[wave] == N ->
        spoken = false;
        all_sent = sum_sent[wave];
        if
        :: before == all_sent ->          /* the level is over */
            assert(WORK(level) == 0 && (MIXED || UNDER_WAY(level) == 0));
            before = 255
        :: else ->
            before = sum_received[wave];
            all_sent = 255
        fi;
        readers[wave]++;
        if
        :: readers[wave] == N ->
            readers[wave] = 0;
            words[wave] = 0;
            sum_sent[wave] = 0;
            sum_received[wave] = 0
        :: else
        fi;
        wave = 1 - wave;
        if
        :: all_sent != 255 ->
            all_sent = 0;
            level++;
            if
            :: level == LEVELS -> break
            :: else -> work[2 * _pid + level % 2] = 1
            fi
        :: else -> all_sent = 0
        fi
        }
    od
}
