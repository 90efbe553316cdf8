"""C text that does not depend on the edges: reading bytes, finding frames and channels, atomic sequences, rendezvous.

Every piece is named after what it defines; only the pieces a model uses go into its file.
"""

from __future__ import annotations

import re

from kripke.process.emit.facts import Facts
from kripke.process.emit.frames import count_in_known_state, frame_of_pid, frame_pieces, walks
from kripke.process.emit.meeting import MEETING_POINT
from kripke.process.emit.moves import note_move
from kripke.process.emit.processes import table
from kripke.process.program import MAX_ATOMIC_LENGTH, Channel, ViolationKind

PRELUDE = """\
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

#if defined(__GNUC__) && !defined(__TINYC__)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define MAY_BE_UNUSED __attribute__((unused))
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define FAST_BYTES 1
#endif
#else
#define UNLIKELY(x) (x)
#define MAY_BE_UNUSED
#endif
#if defined(_WIN32)
#define EXPORTED __declspec(dllexport)
#elif defined(__GNUC__) && !defined(__TINYC__)
#define EXPORTED __attribute__((visibility("default")))
#else
#define EXPORTED
#endif
#define NO_FRAME 0xffffffffu
"""

# With more edges than this, time to compile counts for more than a call at the end of an edge.
_LARGE = 1000

_SCALARS = {
    "get16": """\
static inline uint32_t get16(const uint8_t *at)
{
#ifdef FAST_BYTES
    uint16_t value;
    memcpy(&value, at, 2);
    return value;
#else
    return (uint32_t)at[0] | (uint32_t)at[1] << 8;
#endif
}
""",
    "get32": """\
static inline uint32_t get32(const uint8_t *at)
{
#ifdef FAST_BYTES
    uint32_t value;
    memcpy(&value, at, 4);
    return value;
#else
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
#endif
}
""",
    "put16": """\
static inline void put16(uint8_t *at, uint32_t value)
{
#ifdef FAST_BYTES
    uint16_t kept = (uint16_t)value;
    memcpy(at, &kept, 2);
#else
    at[0] = (uint8_t)value, at[1] = (uint8_t)(value >> 8);
#endif
}
""",
    "put32": """\
static inline void put32(uint8_t *at, uint32_t value)
{
#ifdef FAST_BYTES
    memcpy(at, &value, 4);
#else
    at[0] = (uint8_t)value, at[1] = (uint8_t)(value >> 8);
    at[2] = (uint8_t)(value >> 16), at[3] = (uint8_t)(value >> 24);
#endif
}
""",
    "sign_extend": """\
static inline int32_t sign_extend(uint32_t value, int unused_bits)
{
    return (int32_t)(value << unused_bits) >> unused_bits;
}
""",
    "divide": """\
static inline int32_t divide(int32_t a, int32_t b)
{
    return b == -1 ? (int32_t)(0u - (uint32_t)a) : a / b;
}
""",
    "remainder_of": """\
static inline int32_t remainder_of(int32_t a, int32_t b)
{
    return b == -1 ? 0 : a % b;
}
""",
    "remove_message": """\
/* Take message `slot` of `length` out of a buffer; the place it leaves at the end becomes zero. */
static void remove_message(uint8_t *q, uint32_t length, uint32_t slot, uint32_t size)
{
    uint32_t rest = length - 1u - slot;
    memmove(q + slot * size, q + (slot + 1) * size, rest * size);
    memset(q + (slot + rest) * size, 0, size);
}
""",
}

_COPY = """\
/* The source is not read beyond its length. */
static inline uint8_t *copy_state(uint8_t *to, const uint8_t *from, uint32_t n)
{
#ifdef FAST_BYTES
    if (n >= 16 && n <= 128) {
        uint32_t i = 0;
        do {
            memcpy(to + i, from + i, 16);
            i += 16;
        } while (i + 16 <= n);
        memcpy(to + n - 16, from + n - 16, 16);
        return to;
    }
#endif
    memcpy(to, from, n);
    return to;
}
"""

_COPY_CONSTANT = """\
/* Every state has this length. */
static inline uint8_t *copy_state(uint8_t *to, const uint8_t *from, uint32_t n)
{{
    (void)n;
    memcpy(to, from, {length});
    return to;
}}
"""

STRUCT = """\
/* What a worker remembers while it computes a step. */
typedef struct {
    uint32_t length, frame, pid, label, edges;
    uint32_t alone;     /* the process has control; otherwise the step is over */
    size_t at, release; /* place in `bytes`; what is used of `bytes` once this is taken */
    PARTNERS
} moment;

typedef struct work {
    uint32_t timeout;
    uint32_t alone; /* inside an atomic sequence */

    /* Rendezvous: the state after the send; a second one inside atomic sequences. */
    uint8_t *meeting[2];

    /* Atomic sequences, see there. */
    uint32_t waiting, ticks, edges;
    moment next_moment;
    uint8_t *current, *next;
    uint8_t *bytes;
    size_t used, room;
    moment *moments;
    size_t count, most;

    /* Where the processes of the last state were, and which control points their types have. */
    uint32_t length, processes;
    uint32_t frames[MAX_PROCESSES], first[MAX_PROCESSES], points[MAX_PROCESSES];
} work;

#define TIMEOUT(sink) ((int32_t)((work *)(sink)->context)->timeout)
"""

_CHANNELS = {
    "own_channels": """\
/* How many channels come before those of the frame at `f`. */
static int32_t own_channels(const uint8_t *s, uint32_t f)
{
    uint32_t count = GLOBAL_CHANNELS;
    for (uint32_t at = GLOBAL_BYTES; at < f; at += frame_bytes(s + at)) count += channels_of[get_control(s + at)];
    return (int32_t)count;
}
""",
    "channel_length": """\
static inline int32_t channel_length(const uint8_t *s, uint32_t shape, uint32_t at)
{
    if (!capacity_of[shape]) return 0;
    return capacity_of[shape] <= 255 ? s[at] : s[at] | s[at + 1] << 8;
}
""",
    "channel_full": """\
static inline int32_t channel_full(const uint8_t *s, uint32_t shape, uint32_t at)
{
    return capacity_of[shape] && channel_length(s, shape, at) == capacity_of[shape];
}
""",
}

_MEETING = """\
/* Rendezvous: every other process, the youngest first, may take the message and go on from the state after the send.
 * `meets` tells per control point which channel is received there, so that most processes are passed over at once. */
MAY_BE_UNUSED static int meet(
    kripke_sink *sink, const uint8_t *s, uint32_t n, uint32_t f, uint32_t sender, uint32_t target, int32_t channel,
    const int32_t *message, uint32_t count)
{{
    work *w = sink->context;
    const kripke_partners before = sink->partners;
    uint8_t *sent = 0;
    int moved = 0;
    {start}
    while (pid-- > 0) {{
        {frame}
        uint32_t control = get_control(s + at);
        const meeting_point *met = &meets[control];
        if ((met->channel != (uint32_t)channel && met->channel != ANY_CHANNEL) || pid == sender) continue;
        if (met->at) {{
            uint32_t byte = s[at + met->at];
            if (byte - met->low < met->limit && byte + met->base != (uint32_t)channel) continue;
        }}
        if (!sent) {{
            sent = copy_state(w->meeting[w->alone], s, n);
            put_control(sent + f, target);{last}
        }}
        sink->partners.bits[pid >> 6] |= (uint64_t)1 << (pid & 63);
        moved |= replies[control](sink, sent, n, at, pid, (uint32_t)channel, message, count);
        sink->partners = before;
    }}
    return moved;
}}
"""

_ATOMIC = """\
/* Atomic sequences. An edge that keeps control leaves its result here instead of giving it to the engine; the sequence
 * is then followed along every path, depth first in the order of the edges, until control is free again.
 *
 * `current` is the state being expanded, `next` its first successor that keeps control (if `waiting`). Successors
 * behind that one must wait for its ends: they lie in `bytes`, described by the stack `moments`, the next on top. */
#define KEEP_USED ((size_t)-1)

/* Put the state at sink->out behind the successors that wait already. */
static void wait_behind(kripke_sink *sink, moment m)
{
    work *w = sink->context;
    if (w->used + m.length > w->room) {
        size_t room = 2 * (w->room + m.length) + 4096;
        uint8_t *bytes = realloc(w->bytes, room);
        if (!bytes) { sink->report(sink, ENDLESS, m.label); return; }
        w->bytes = bytes, w->room = room;
    }
    if (w->count == w->most) {
        size_t most = 2 * w->most + 64;
        moment *moments = realloc(w->moments, most * sizeof *moments);
        if (!moments) { sink->report(sink, ENDLESS, m.label); return; }
        w->moments = moments, w->most = most;
    }
    m.at = w->used, m.release = KEEP_USED;
    memcpy(w->bytes + w->used, sink->out, m.length);
    w->used += m.length;
    w->moments[w->count++] = m;
}

/* The moments from `first` on were added in order: the first of them is to be taken first. */
static void reverse_waiting(work *w, size_t first, size_t used)
{
    if (first == w->count) return;
    for (size_t i = first, j = w->count - 1; i < j; i++, j--) {
        moment m = w->moments[i];
        w->moments[i] = w->moments[j], w->moments[j] = m;
    }
    w->moments[first].release = used;
}

/* Give out finished states until one turns up that goes on; 0 when there is none. */
static int take_waiting(kripke_sink *sink, moment *m)
{
    work *w = sink->context;
    while (w->count) {
        *m = w->moments[--w->count];
        memcpy(m->alone ? w->current : sink->out, w->bytes + m->at, m->length);
        if (m->release != KEEP_USED) w->used = m->release;
        if (m->alone) return 1;
        RECALL(sink, *m);
        sink->emit(sink, m->length, m->label);
    }
    return 0;
}

/* Expand `current`: 1 when `next` holds a state to go on with. */
static int expand_alone(kripke_sink *sink, moment *m)
{
    work *w = sink->context;
    size_t first = w->count, used = w->used;
    if (m->edges > MAX_ATOMIC_LENGTH) {
        sink->report(sink, ENDLESS, m->label);
        return 0;
    }
    w->edges = m->edges;
    LOCATE(w, w->current, m->length);
    RECALL(sink, *m);
    if (!steps[get_control(w->current + m->frame)](sink, w->current, m->length, m->frame, m->pid)) {
        memcpy(sink->out, w->current, m->length);
        sink->emit(sink, m->length, m->label);
    }
    reverse_waiting(w, first, used);
    if (!w->waiting) return 0;
    uint8_t *next = w->next;
    w->next = w->current, w->current = next;
    *m = w->next_moment;
    w->waiting = 0;
    return 1;
}

static void run_alone(kripke_sink *sink, moment m)
{
    work *w = sink->context;
    uint32_t timeout = w->timeout, length = w->length, processes = w->processes;
    const moment first = m;
    w->timeout = 0;
    w->alone = 1;
    memcpy(w->current, sink->out, m.length);
    while (expand_alone(sink, &m) || take_waiting(sink, &m)) {
        if ((++w->ticks & 4095) == 0 && sink->stop && *sink->stop) break;
    }
    w->alone = w->waiting = 0;
    w->count = w->used = 0;
    w->timeout = timeout;
    w->length = length, w->processes = processes;
    RECALL(sink, first);
}

/* The state at sink->out is the result of an edge after which its process goes on alone. */
MAY_BE_UNUSED static void keep_control(kripke_sink *sink, uint32_t n, uint32_t f, uint32_t pid, uint32_t label)
{
    work *w = sink->context;
    moment m = {n, f, pid, label, w->alone ? w->edges + 1 : 1, 1, 0, 0 MET(sink)};
    if (!w->alone) {
        run_alone(sink, m);
    } else if (w->waiting) {
        wait_behind(sink, m);
    } else {
        memcpy(w->next, sink->out, n);
        w->next_moment = m;
        w->waiting = 1;
    }
}

/* The state at sink->out is the result of a whole step. */
MAY_BE_UNUSED static inline void end_step(kripke_sink *sink, uint32_t n, uint32_t label)
{
    work *w = sink->context;
    if (UNLIKELY(w->waiting)) {
        moment m = {n, 0, 0, label, 0, 0, 0, 0 MET(sink)};
        wait_behind(sink, m);
    } else {
        sink->emit(sink, n, label);
    }
}
"""

CONTEXT = """\
static void context_free(void *context)
{
    work *w = context;
    if (!w) return;
    free(w->current), free(w->next);
    free(w->meeting[0]), free(w->meeting[1]);
    free(w->bytes), free(w->moments);
    free(w);
}

/* Threads have their own, and none is to share a line of the cache with the next. */
#define APART 128

static void *context_new(const kripke_model *self)
{
    work *w = calloc(1, sizeof *w + APART);
    (void)self;
    if (!w) return 0;
    w->current = malloc(MAX_STATE_BYTES + APART), w->next = malloc(MAX_STATE_BYTES + APART);
    w->meeting[0] = malloc(MAX_STATE_BYTES + APART), w->meeting[1] = malloc(MAX_STATE_BYTES + APART);
    if (!w->current || !w->next || !w->meeting[0] || !w->meeting[1]) {
        context_free(w);
        return 0;
    }
    return w;
}
"""


def declarations(facts: Facts) -> str:
    """Constants of the model and the types of its functions."""
    program = facts.program
    return f"""\
#define GLOBAL_BYTES {program.global_bytes}u
#define GLOBAL_CHANNELS {len(program.channels)}u
#define MAX_STATE_BYTES {facts.max_state_bytes}u
#define MAX_PROCESSES 256
#define MAX_ATOMIC_LENGTH {MAX_ATOMIC_LENGTH}u
#define ENDLESS {int(ViolationKind.ENDLESS)}
#define ANY_CHANNEL 0xffffffffu

typedef int (*step_function)(
    kripke_sink *sink, const uint8_t *s, uint32_t n, uint32_t f, uint32_t pid);
typedef int (*reply_function)(
    kripke_sink *sink, const uint8_t *s, uint32_t n, uint32_t f, uint32_t pid,
    uint32_t channel, const int32_t *message, uint32_t count);
"""


def needs_work(facts: Facts) -> bool:
    return facts.has_atomic or facts.has_rendezvous or facts.has_timeout or walks(facts)


_PARTNERS = """\
/* Who has received in a rendezvous of this step. */
#define PARTNERS kripke_partners partners;
#define MET(sink) , (sink)->partners
#define RECALL(sink, m) ((sink)->partners = (m).partners)
"""

_NO_PARTNERS = """\
#define PARTNERS
#define MET(sink)
#define RECALL(sink, m) ((void)(m))
"""


def work(facts: Facts) -> str:
    """The memory of a worker."""
    if needs_work(facts):
        met = _PARTNERS if facts.has_rendezvous else _NO_PARTNERS
        return met + STRUCT
    return "#define TIMEOUT(sink) 0\n"


def mechanisms(facts: Facts) -> str:
    """The functions at the ends of edges, and those that atomic sequences and rendezvous need."""
    parts: list[str] = []
    points = max(1, facts.control_points)
    if facts.has_atomic:
        look = "locate_frames(w, s, n)" if facts.has_rendezvous and walks(facts) else "(void)0"
        parts += [
            f"static const step_function steps[{points}];\n",
            f"/* Rendezvous must know where the processes are. */\n#define LOCATE(w, s, n) {look}\n",
            _ATOMIC,
        ]
    parts.append(_edge_ends(facts))
    if facts.has_rendezvous:
        parts += [
            MEETING_POINT,
            f"static const reply_function replies[{points}];\nstatic const meeting_point meets[{points}];\n",
            _MEETING.format(start=count_in_known_state(facts), frame=frame_of_pid(facts), last=_last(facts)),
        ]
    text = "\n".join(parts)
    return text if facts.program.record is None else text.replace("sink->emit(sink,", "emit_step(sink,")


def _last(facts: Facts) -> str:
    last = facts.program.last
    lines = [] if last is None else [f"sent[{last.offset}] = (uint8_t)sender;"]
    return "".join(f"\n            {line}" for line in (*lines, *note_move(facts.program, "sent", "sender")))


def pieces(facts: Facts) -> dict[str, str]:
    """The functions and tables a model may use, in an order in which each may use those before it."""
    return {
        **_SCALARS,
        **_copying(facts),
        **_controls(facts),
        **frame_pieces(facts),
        **_tables(facts),
        **_finders(facts),
    }


def _copying(facts: Facts) -> dict[str, str]:
    length = facts.constant_length
    text = _COPY if length is None else _COPY_CONSTANT.format(length=length)
    return {"copy_state": text.replace("static inline", "static") if facts.edge_count > _LARGE else text}


def _edge_ends(facts: Facts) -> str:
    """How edges end. In large programs these are functions: inlined, they would take the compiler most of its time."""
    how = "static" if facts.edge_count > _LARGE else "static inline"
    end = "end_step" if facts.has_atomic else "sink->emit"
    text = f"""\
/* The edge of a process is done: its frame at `p` gets the new control point, the state goes on its way. */
MAY_BE_UNUSED {how} int end_edge(kripke_sink *sink, uint8_t *p, uint32_t control, uint32_t n, uint32_t label)
{{
    sink->covered[label] = 1;
    put_control(p, control);
    {end}(sink, n, label);
    return 1;
}}

MAY_BE_UNUSED {how} int end_process(kripke_sink *sink, uint8_t *p, uint32_t n, uint32_t label)
{{
    (void)p;
    sink->covered[label] = 1;
    {end}(sink, n, label);
    return 1;
}}
"""
    if not facts.has_atomic:
        return text
    return f"""\
{text}
MAY_BE_UNUSED {how} int end_atomic_edge(
    kripke_sink *sink, uint8_t *p, uint32_t control, uint32_t n, uint32_t f, uint32_t pid, uint32_t label)
{{
    sink->covered[label] = 1;
    put_control(p, control);
    keep_control(sink, n, f, pid, label);
    return 1;
}}
"""


def _controls(facts: Facts) -> dict[str, str]:
    size = facts.program.control_bytes
    get = "at[0]" if size == 1 else f"get{8 * size}(at)"
    put = "at[0] = (uint8_t)control" if size == 1 else f"put{8 * size}(at, control)"
    return {
        "get_control": f"static inline uint32_t get_control(const uint8_t *at)\n{{\n    return {get};\n}}\n",
        "put_control": f"static inline void put_control(uint8_t *at, uint32_t control)\n{{\n    {put};\n}}\n",
    }


def _tables(facts: Facts) -> dict[str, str]:
    program = facts.program
    local: list[Channel] = []
    first: dict[int, int] = {}
    for i, process in enumerate(program.processes):
        first[i] = len(local)
        local += process.channels
    spread = [(i, process) for i, process in enumerate(program.processes) for _ in process.locations]

    def shapes(channels: list[Channel]) -> list[str]:
        return [str(facts.shape_of(channel).number) for channel in channels]

    return {
        "capacity_of": table("int32_t", "capacity_of", ["0", *(str(shape.capacity) for shape in facts.shapes)]),
        "channels_of": table("uint32_t", "channels_of", [str(len(process.channels)) for _, process in spread]),
        "first_local": table("uint32_t", "first_local", [str(first[i]) for i, _ in spread]),
        "local_at": table("uint32_t", "local_at", [str(channel.offset) for channel in local]),
        "local_shape": table("uint32_t", "local_shape", shapes(local)),
        "channel_at": table("uint32_t", "channel_at", [str(channel.offset) for channel in program.channels]),
        "channel_shape": table("uint32_t", "channel_shape", shapes(list(program.channels))),
    }


def _finders(facts: Facts) -> dict[str, str]:
    local = ""
    if facts.local_channels:
        local = """\
    uint32_t left = (uint32_t)identity - 1u - GLOBAL_CHANNELS;
    for (uint32_t f = GLOBAL_BYTES; f < n; f += frame_bytes(s + f)) {
        uint32_t control = get_control(s + f);
        if (left < channels_of[control]) {
            *at = f + local_at[first_local[control] + left];
            return local_shape[first_local[control] + left];
        }
        left -= channels_of[control];
    }
"""
    find = f"""\
/* The channel with this identity: its place and the number of its shape, 0 where there is none. */
static inline uint32_t find_channel(const uint8_t *s, uint32_t n, int32_t identity, uint32_t *at)
{{
    (void)s, (void)n;
    if (identity <= 0) return 0;
    if ((uint32_t)identity <= GLOBAL_CHANNELS) {{
        *at = channel_at[identity - 1];
        return channel_shape[identity - 1];
    }}
{local}    return 0;
}}
"""
    return {**_CHANNELS, "find_channel": find}


def used_pieces(facts: Facts, text: str) -> str:
    """The pieces that the text, or another such piece, mentions."""
    available = pieces(facts)
    words = re.compile(r"\b(" + "|".join(map(re.escape, available)) + r")\b")
    used: set[str] = set()
    fresh = set(words.findall(text))
    while fresh:
        used |= fresh
        fresh = {name for piece in fresh for name in words.findall(available[piece])} - used
    return "\n".join(text for name, text in available.items() if name in used)
