"""Safe places as C: the steps of one process, where these are enough of a state (``model/safe_places.py``)."""

from __future__ import annotations

from kripke.process.emit.code import Code
from kripke.process.emit.facts import Facts
from kripke.process.emit.frames import count_in_new_state, frame_of_pid, walks

_FIRST_EMIT = """\
/* In place of `emit`, until it is called. */
static void first_emit(kripke_sink *sink, uint32_t length, uint32_t label)
{
    sink->emit = sink->kept_emit;
    sink->emit(sink, length, label);
}

/* Is the place safe in this state? */
static inline int is_safe(const kripke_safe_places *safe, uint32_t kind, const uint8_t *s, uint32_t n)
{
    for (uint32_t i = safe->first[kind - 1]; i < safe->first[kind]; i++) {
        const kripke_length_test *test = &safe->tests[i];
        uint32_t value = 0;
        if (test->offset + test->bytes > n) return 0;
        for (uint32_t b = 0; b < test->bytes; b++) value |= (uint32_t)s[test->offset + b] << (8 * b);
        if (value < test->least || value > test->most) return 0;
    }
    return 1;
}
"""


def may_have_safe_places(facts: Facts) -> bool:
    """Embedded C may do anything, and with priorities who moves depends on all others."""
    return facts.program.embedded is None and not facts.program.priorities


def safe_places(facts: Facts, code: Code) -> None:
    """The function ``at_safe_place``: 1 where it has emitted what is enough of the state.

    A process whose steps only go wrong leads to no state: then the others are needed, too, and the steps of those that
    were tried do not come again.
    """
    for line in _FIRST_EMIT.splitlines():
        code.line(line)
    code.line()
    code.line("static int at_safe_place(const uint8_t *s, uint32_t n, kripke_sink *sink)")
    with code.block():
        code.line("const kripke_safe_places *safe = sink->safe;")
        code.line("uint64_t failed = 0;")
        if walks(facts):
            code.line("work *w = sink->context;")
        if facts.has_timeout:
            code.line("((work *)sink->context)->timeout = 0;")
        with code.block():
            _each_process(facts, code, _TRY)
        code.line("if (!failed) return 0;")
        with code.block():
            _each_process(facts, code, _TRY_OTHERS)
        code.line("return 1;")
    code.line()


_TRY = """\
if (pid >= safe->actors) continue;
uint32_t control = get_control(s + at);
uint32_t kind = safe->kinds[pid * safe->places + control];
if (!kind || !is_safe(safe, kind, s, n)) continue;
sink->kept_emit = sink->emit;
sink->emit = first_emit;
sink->actor = pid;
int moved = steps[control](sink, s, n, at, pid);
if (sink->emit != first_emit) return 1;
sink->emit = sink->kept_emit;
if (moved) failed |= (uint64_t)1 << pid;
"""

_TRY_OTHERS = """\
if (pid < 64 && failed >> pid & 1) continue;
sink->actor = pid;
steps[get_control(s + at)](sink, s, n, at, pid);
"""


def _each_process(facts: Facts, code: Code, body: str) -> None:
    """The youngest first."""
    code.line(count_in_new_state(facts))
    with code.block("while (pid-- > 0)"):
        code.line(frame_of_pid(facts))
        for line in body.splitlines():
            code.line(line)
