/* Two transfers between two accounts, each locking the accounts in its own order.
 *
 * A transfer takes the lock of the account it pays from, then of the account it pays to. One goes from 0 to 1, the
 * other from 1 to 0: each holds what the other waits for. (Cure: take the lock of the smaller number first.)
 */
bool locked[2];
byte balance[2] = 10;

inline acquire(account) { atomic { !locked[account] -> locked[account] = true } }
inline release(account) { locked[account] = false }

active [2] proctype transfer()
{
    byte from = _pid, to = 1 - _pid;
    byte times;

    do
    :: times < 3 ->
       acquire(from);
       acquire(to);
       balance[from]--;
       balance[to]++;
       release(to);
       release(from);
       times++
    :: else -> break
    od;
    assert(balance[0] + balance[1] == 20 || locked[from] || locked[to])
}
