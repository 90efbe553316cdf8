"""A Promela model of any number of lines, with the mixture of constructs that large models have."""

from __future__ import annotations

_HEAD = """\
/* a model of many lines */
#define BUSY(i) (state[i] == 1)
#define TAKE(i) atomic { state[i] == 0 -> state[i] = 1; owner[i] = _pid }
mtype = { request, grant, release };
typedef Record { byte kind; short value; byte slots[4] };
byte state[8]; byte owner[8]; int total; bool stop;
Record record[4];
chan link[4] = [3] of { mtype, byte, short };
inline note(r, v) { record[r].value = v; record[r].slots[v % 4] = r; total = total + v }
"""

# One worker; `{i}` is its number.
_WORKER = """
proctype worker{i}(byte me; chan in, out)
{{
    byte from, next; short value = {i}; int sum;
    mtype kind;
again:
    do
    :: in?kind,from,value ->
        if
        :: kind == request && !BUSY(me % 8) ->
            TAKE(me % 8);
            note(me % 4, value);
            out!grant,me,value + {i}
        :: kind == grant ->
            sum = sum + value * {i} - (from << 2);
            next = (from + 1) % 8;
            assert(next < 8)
        :: kind == release ->
            d_step {{ state[me % 8] = 0; owner[me % 8] = 0; value = 0 }}
        :: else -> printf("worker {i}: %d %d\\n", from, value); goto again
        fi
    :: nfull(out) && value < {i} + 3 ->
        value++;
        out!request(me, value)
    :: atomic {{ sum > 100 -> sum = 0; record[me % 4].kind = sum }}
    :: stop -> break
    od;
    for (next : 0 .. 3) {{
        record[me % 4].slots[next] = (next > 1 -> sum : value)
    }}
    out!release,me,0
}}
"""


def large_model(lines: int) -> str:
    """A model of at least so many lines: `init` starts the first two workers."""
    parts = [_HEAD]
    count = _HEAD.count("\n")
    size = _WORKER.count("\n")
    number = 0
    while count < lines:
        parts.append(_WORKER.format(i=number))
        count += size
        number += 1
    parts.append(
        "init { atomic { run worker0(0, link[0], link[1]); run worker1(1, link[1], link[0]) }; stop = true }\n"
    )
    return "".join(parts)
