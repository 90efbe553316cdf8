"""Where the frames of the processes are, as C.

Frames are found in one of three ways. Where every type has the same frame size, by multiplication. Where no process is
created after the start, in a table. Otherwise by walking from the first; a worker remembers where the processes of the
last state were, and since one state mostly has the processes of the one before, checking that is all there is to do:
the checks do not wait for each other as the steps of a walk do.
"""

from __future__ import annotations

from kripke.process.emit.facts import Facts
from kripke.process.emit.processes import table


def walks(facts: Facts) -> bool:
    """Must frames be looked for in every state?"""
    return facts.uniform_frame is None and facts.fixed_frames is None


def count_in_new_state(facts: Facts) -> str:
    """Sets ``pid`` to the number of processes of a state that has not been looked at."""
    return "uint32_t pid = locate_frames(w, s, n);" if walks(facts) else _count(facts)


def count_in_known_state(facts: Facts) -> str:
    """Sets ``pid`` to the number of processes of the state whose successors are being computed."""
    return "uint32_t pid = w->processes;" if walks(facts) else _count(facts)


def _count(facts: Facts) -> str:
    return "uint32_t pid = process_count(s, n)" + (";" if facts.uniform_frame is None else ", at = n;")


def frame_of_pid(facts: Facts) -> str:
    """Sets ``at`` to the frame of ``pid``, in a loop from the youngest process to the oldest."""
    if facts.uniform_frame is not None:
        return f"at -= {facts.uniform_frame};"
    return "uint32_t at = w->frames[pid];" if walks(facts) else "uint32_t at = fixed_frames[pid];"


def frame_pieces(facts: Facts) -> dict[str, str]:
    """Functions and tables about frames, by name."""
    every = facts.program.processes
    spread = [process for process in every for _ in process.locations]
    if facts.uniform_frame is not None:
        how = _uniform(facts.uniform_frame)
    elif facts.fixed_frames is not None:
        how = _fixed(facts.fixed_frames)
    else:
        how = _walking()
    size = "return frame_bytes_of[get_control(at)];"
    if facts.uniform_frame is not None:
        size = f"(void)at;\n    return {facts.uniform_frame};"
    return {
        "frame_bytes_of": table("uint32_t", "frame_bytes_of", [str(process.frame_bytes) for process in spread]),
        "first_of": table("uint32_t", "first_of", [str(process.control_base) for process in spread]),
        "points_of": table("uint32_t", "points_of", [str(len(process.locations)) for process in spread]),
        "frame_bytes": f"static inline uint32_t frame_bytes(const uint8_t *at)\n{{\n    {size}\n}}\n",
        **how,
        "number_of": table("int32_t", "number_of", [str(place.number) for p in every for place in p.locations]),
        "is_progress": table("uint8_t", "is_progress", [str(int(x.progress)) for p in every for x in p.locations]),
        "no_progress": _NO_PROGRESS,
        "typed_frame": _TYPED_FRAME,
        "oldest_frame": _OLDEST_FRAME,
    }


def _uniform(size: int) -> dict[str, str]:
    return {
        "process_count": f"""\
static inline uint32_t process_count(const uint8_t *s, uint32_t n)
{{
    (void)s;
    return (n - GLOBAL_BYTES) / {size}u;
}}
""",
        "frame_at": f"""\
static inline uint32_t frame_at(const uint8_t *s, uint32_t n, uint32_t pid)
{{
    return pid < process_count(s, n) ? GLOBAL_BYTES + pid * {size}u : NO_FRAME;
}}
""",
    }


def _fixed(frames: list[int]) -> dict[str, str]:
    return {
        "fixed_frames": table("uint32_t", "fixed_frames", map(str, frames)),
        "process_count": f"""\
static inline uint32_t process_count(const uint8_t *s, uint32_t n)
{{
    uint32_t count = {len(frames)};
    (void)s;
    while (count > 0 && fixed_frames[count - 1] >= n) count--;
    return count;
}}
""",
        "frame_at": f"""\
static inline uint32_t frame_at(const uint8_t *s, uint32_t n, uint32_t pid)
{{
    (void)s;
    return pid < {len(frames)} && fixed_frames[pid] < n ? fixed_frames[pid] : NO_FRAME;
}}
""",
    }


def _walking() -> dict[str, str]:
    return {
        "process_count": """\
static inline uint32_t process_count(const uint8_t *s, uint32_t n)
{
    uint32_t count = 0;
    for (uint32_t at = GLOBAL_BYTES; at < n; at += frame_bytes(s + at)) count++;
    return count;
}
""",
        "frame_at": """\
static inline uint32_t frame_at(const uint8_t *s, uint32_t n, uint32_t pid)
{
    for (uint32_t at = GLOBAL_BYTES; at < n; at += frame_bytes(s + at)) {
        if (pid-- == 0) return at;
    }
    return NO_FRAME;
}
""",
        "locate_frames": """\
/* Fill in w->frames for a state; the number of its processes. Where the oldest process has the type it had before, the
 * next frame is where it was, and so on; bytes of another frame taken for a control point cannot mislead: the first
 * process of another type is read at its right place.
 *
 * A step changes no frame of an older process than those that act in it, so within a step w->frames stays right for
 * all processes of the source state, whatever intermediate states were looked at. */
static inline uint32_t locate_frames(work *w, const uint8_t *s, uint32_t n)
{
    if (w->length == n) {
        uint32_t changed = 0;
        for (uint32_t i = 0; i < w->processes; i++) {
            changed |= get_control(s + w->frames[i]) - w->first[i] >= w->points[i];
        }
        if (!changed) return w->processes;
    }
    w->length = n;
    w->processes = 0;
    for (uint32_t at = GLOBAL_BYTES; at < n; at += frame_bytes(s + at)) {
        uint32_t control = get_control(s + at), i = w->processes++;
        w->frames[i] = at;
        w->first[i] = first_of[control];
        w->points[i] = points_of[control];
    }
    return w->processes;
}
""",
    }


_NO_PROGRESS = """\
/* Is no process at a place marked as progress? */
static int32_t no_progress(const uint8_t *s, uint32_t n)
{
    for (uint32_t at = GLOBAL_BYTES; at < n; at += frame_bytes(s + at)) {
        if (is_progress[get_control(s + at)]) return 0;
    }
    return 1;
}
"""

_TYPED_FRAME = """\
/* The frame of process `pid` if its control point is one of `count` from `first` on. */
static uint32_t typed_frame(const uint8_t *s, uint32_t n, uint32_t pid, uint32_t first, uint32_t count)
{
    uint32_t at = frame_at(s, n, pid);
    return at != NO_FRAME && get_control(s + at) - first < count ? at : NO_FRAME;
}
"""

_OLDEST_FRAME = """\
/* The frame of the oldest process at one of these control points. */
static uint32_t oldest_frame(const uint8_t *s, uint32_t n, uint32_t first, uint32_t count)
{
    for (uint32_t at = GLOBAL_BYTES; at < n; at += frame_bytes(s + at))
        if (get_control(s + at) - first < count) return at;
    return NO_FRAME;
}
"""
