"""The C code of a model in its compiled form: views onto the bytes of the state, and calls that survive a crash.

The model's own text comes last in the file. Names of ours that it also uses are given other names around it, so that
a model may call a function ``steps``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from kripke.process.embedded import CText, EmbeddedC, Fields, Fragment, opaque
from kripke.process.emit.scalars import Spot, View, read_scalar, write_scalar
from kripke.process.intervals import ANY
from kripke.process.program import Program, Scope, Variable, ViolationKind

Rename = Callable[[str], str]

_INCLUDES = """\
#define _GNU_SOURCE 1
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>
"""

# An optimiser takes a write through a null pointer as a promise that it never happens; here it is an error to be found.
_AS_WRITTEN = """\
#if defined(__clang__)
#pragma clang optimize off
#elif defined(__GNUC__)
#pragma GCC optimize("O0")
#endif
"""

# What a statement prints is kept for the interpreter; the engine does not look.
_RUNNING = """\
EXPORTED int kripke_embedded_status, kripke_embedded_asserted;
EXPORTED uint32_t kripke_embedded_printed;
EXPORTED char kripke_embedded_output[4096];
static sigjmp_buf embedded_return;
static volatile int embedded_inside;

static void embedded_failed(void)
{
    kripke_embedded_asserted = 1;
}

static void embedded_exit(int status)
{
    (void)status;
    if (embedded_inside) siglongjmp(embedded_return, 1);
    _exit(2);
}

static int embedded_printf(const char *format, ...)
{
    uint32_t room = sizeof kripke_embedded_output - kripke_embedded_printed;
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(kripke_embedded_output + kripke_embedded_printed, room, format, arguments);
    va_end(arguments);
    if (written > 0) kripke_embedded_printed += (uint32_t)written < room ? (uint32_t)written : room - 1;
    return written;
}
"""

_CALL = """\
static const int embedded_signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
static struct sigaction embedded_before[5];
static char embedded_stack[65536];

static void embedded_signal(int number)
{
    if (embedded_inside) siglongjmp(embedded_return, number);
    for (unsigned i = 0; i < 5; i++) {
        if (embedded_signals[i] == number) sigaction(number, &embedded_before[i], 0);
    }
    raise(number);
}

/* A crash of the model's code is to be told, not to be suffered. The second stack is that of one thread. */
static void embedded_prepare(void)
{
    static int prepared;
    static pthread_t thread;
    if (prepared && pthread_equal(thread, pthread_self())) return;
    thread = pthread_self();
    stack_t stack;
    memset(&stack, 0, sizeof stack);
    stack.ss_sp = embedded_stack;
    stack.ss_size = sizeof embedded_stack;
    sigaltstack(&stack, 0);
    if (!prepared) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_handler = embedded_signal;
        action.sa_flags = SA_ONSTACK | SA_NODEFER;
        for (unsigned i = 0; i < 5; i++) sigaction(embedded_signals[i], &action, &embedded_before[i]);
    }
    prepared = 1;
}

EXPORTED int32_t kripke_embedded_call(uint32_t fragment, uint8_t *s, uint32_t n, uint32_t f, uint32_t pid);
EXPORTED int32_t kripke_embedded_call(uint32_t fragment, uint8_t *s, uint32_t n, uint32_t f, uint32_t pid)
{
    volatile int32_t value = 0;
    embedded_prepare();
    kripke_embedded_status = kripke_embedded_asserted = 0;
    kripke_embedded_printed = 0;
    if (sigsetjmp(embedded_return, 0) == 0) {
        embedded_inside = 1;
        value = embedded_fragment(fragment, s, n, f, pid);
    } else {
        kripke_embedded_status = %d;
    }
    embedded_inside = 0;
    return value;
}
"""

_SPIN_NAMES = """\
typedef unsigned char uchar;
#undef assert
#undef printf
#undef Printf
#undef exit
#undef uerror
#define assert(condition) ((condition) ? (void)0 : embedded_failed())
#define printf embedded_printf
#define Printf embedded_printf
#define exit embedded_exit
#define uerror(text) embedded_failed()
"""
_NOT_OURS = frozenset(
    """
    _GNU_SOURCE char const enum extern inline int int16_t int32_t int64_t int8_t long short signed sizeof static struct
    typedef uint16_t uint32_t uint64_t uint8_t union unsigned void volatile
    """.split()  # noqa: SIM905
)
_SPIN_WORDS = ("assert", "printf", "Printf", "exit", "uerror")

HEAD = """\
extern int kripke_embedded_status, kripke_embedded_asserted;
int32_t kripke_embedded_call(uint32_t fragment, uint8_t *s, uint32_t n, uint32_t f, uint32_t pid);
"""


def embedded_text(program: Program, embedded: EmbeddedC, before: str) -> str:
    """The part of the C file that has the model's own C in it; ``before`` is what stands above it."""
    ours = defined_names(before + _RUNNING)
    taken = sorted(ours & embedded.mentioned())
    rename = _renaming(taken)
    pieces = [
        _AS_WRITTEN,
        _INCLUDES,
        _RUNNING,
        *(f"#undef {name}\n#define {name} embedded_{name}" for name in taken),
        _user_part(program, embedded, [*enumerate(embedded.fragments)]),
        *(f"#undef {name}" for name in (*taken, *_SPIN_WORDS)),
        *(f"#undef P{process.name}" for process in embedded.locals),
        _transfers(program, embedded, rename),
        _dispatch(program, embedded),
        _CALL % (1 + ViolationKind.CRASH),
    ]
    return "\n".join(pieces)


def probe_text(embedded: EmbeddedC, sizes: Sequence[str]) -> str:
    """A file that only tells sizes; all the C of the model is in it, so that complaints about any of it come now."""
    values = ", ".join(f"(uint32_t)({size})" for size in (*sizes, "0"))
    return "\n".join(
        [
            '#include "model.h"',
            '#define EXPORTED __attribute__((visibility("default")))',
            _INCLUDES,
            _RUNNING,
            _user_part(None, embedded, [*enumerate(embedded.fragments)]),
            f"EXPORTED const uint32_t kripke_sizes[] = {{ {values} }};",
            "",
        ]
    )


def defined_names(text: str) -> set[str]:
    """The names a C text defines at file scope."""
    names: set[str] = set()
    for line in text.splitlines():
        if line.startswith(("static ", "EXPORTED ", "typedef ", "struct ", "extern ")):
            names.update(re.findall(r"\b([A-Za-z_]\w*)\s*(?=[\[(=;,{]|$)", line.split("(")[0] + "("))
        elif line.startswith("#define "):
            names.update(re.findall(r"^#define (\w+)", line))
        elif line.startswith("}"):
            names.update(re.findall(r"^\}\s*(\w+);", line))
    return names - _NOT_OURS


def _renaming(taken: Iterable[str]) -> Rename:
    names = set(taken)
    return lambda text: re.sub(
        r"[A-Za-z_]\w*", lambda m: f"embedded_{m.group()}" if m.group() in names else m.group(), text
    )


# --- the model's own text ---------------------------------------------------------------------------------------------


def _user_part(program: Program | None, embedded: EmbeddedC, fragments: list[tuple[int, Fragment]]) -> str:
    pieces = [_SPIN_NAMES, *map(_placed, embedded.declarations)]
    if embedded.declarations:
        pieces.append(_SPIN_NAMES.partition("\n")[2])  # an \#include may have brought others
    pieces += embedded.structures
    pieces.append(_structure("State", embedded.globals))
    pieces.append("static State now;\n")
    for process, fields in embedded.locals.items():
        pieces.append(_structure(f"embedded_P_{process.name}", fields))
        pieces.append(f"static embedded_P_{process.name} embedded_frame_{process.name};")
        pieces.append(f"#define P{process.name} (&embedded_frame_{process.name})\n")
    pieces += [*map(_placed, embedded.hidden), *map(_placed, embedded.functions)]
    for number, fragment in fragments:
        pieces.append(_fragment(number, fragment))
    for number, tracked in enumerate(embedded.tracked):
        pieces.append(f"static void *embedded_tracked_{number}(void)\n{{\n    return (void *)({tracked.pointer});\n}}")
    return "\n".join(pieces)


def _placed(text: CText) -> str:
    name = text.file.replace("\\", "\\\\").replace('"', '\\"')
    return f'#line {max(1, text.line)} "{name}"\n{text.text}\n'


def _structure(name: str, fields: Fields) -> str:
    lines = "".join(f"    {declaration};\n" for declaration in fields.declarations)
    return f"typedef struct {{\n    unsigned char _used;\n{lines}}} {name};"


def _fragment(number: int, fragment: Fragment) -> str:
    lines = []
    if fragment.precondition is not None:
        lines.append(
            f"static int embedded_before_{number}(void)\n{{\n"
            f"{_placed(fragment.text._replace(text=f'return !!({fragment.precondition});'))}}}"
        )
    if fragment.is_value:
        value = f"return {'!!' if fragment.truth else '(int32_t)'}({fragment.text.text});"
        lines.append(f"static int32_t embedded_run_{number}(void)\n{{\n{_placed(fragment.text._replace(text=value))}}}")
    else:
        lines.append(f"static void embedded_run_{number}(void)\n{{\n{_placed(fragment.text)};\n}}")
    return "\n".join(lines)


# --- between the state and the views ----------------------------------------------------------------------------------


def _transfers(program: Program, embedded: EmbeddedC, rename: Rename) -> str:
    pieces = [_transfer("now", "state", embedded.globals.variables, rename, "    now._nr_pr = process_count(s, n);\n")]
    for process, fields in embedded.locals.items():
        view = f"embedded_frame_{process.name}"
        pieces.append(_transfer(view, process.name, fields.variables, rename, f"    {view}._pid = pid;\n"))
    pieces.append(_tracking(embedded))
    return "\n".join(pieces)


_PARAMETERS = "uint8_t *s, uint8_t *l, uint32_t n, uint32_t pid"


def _transfer(view: str, name: str, variables: Sequence[Variable], rename: Rename, extra: str) -> str:
    into, back = "", ""
    seen = View("s", "l")
    for variable in variables:
        field = f"{view}.{rename(variable.name)}"
        spot = Spot(variable.scope is Scope.LOCAL, variable.offset)
        if opaque(variable):
            into += f"    memcpy(&{field}, {spot.pointer(seen)}, {variable.size});\n"
            back += f"    memcpy({spot.pointer(seen)}, &{field}, {variable.size});\n"
        for part in variable.components:
            element, at = f"{field}{rename(part.path)}", spot.plus(part.offset)
            into += f"    {element} = {read_scalar(at, part.type, seen)};\n"
            back += f"    {write_scalar(at, part.type, seen, f'(int32_t){element}', ANY)}\n"
    unused = "    (void)s, (void)l, (void)n, (void)pid;\n"
    return (
        f"static void embedded_load_{name}({_PARAMETERS})\n{{\n{unused}{extra}{into}}}\n\n"
        f"static void embedded_save_{name}({_PARAMETERS})\n{{\n{unused}{back}}}\n"
    )


def _tracking(embedded: EmbeddedC) -> str:
    """Tracked data is put in its place before any C runs, and taken from there after a statement.

    Its value at the start is that of the fresh library.
    """
    into, back, first = "", "", ""
    for number, tracked in enumerate(embedded.tracked):
        size, offset = tracked.variable.size, tracked.variable.offset
        pointer = f"embedded_tracked_{number}()"
        into += f"    if (embedded_started && {pointer}) memcpy({pointer}, s + {offset}, {size});\n"
        back += f"    if ({pointer}) memcpy(s + {offset}, {pointer}, {size}); else memset(s + {offset}, 0, {size});\n"
        first += (
            f"    static uint8_t first_{number}[{size}];\n"
            f"    if (!started && {pointer}) memcpy(first_{number}, {pointer}, {size});\n"
            f"    if ({pointer}) memcpy({pointer}, first_{number}, {size});\n"
        )
    unused = "    (void)s;\n"
    return (
        "static int embedded_started;\n"
        f"static void embedded_restore(uint8_t *s)\n{{\n{unused}{into}}}\n\n"
        f"static void embedded_keep(uint8_t *s)\n{{\n{unused}{back}}}\n\n"
        f"static void embedded_start(void)\n{{\n    static int started;\n{first}    started = 1;\n}}\n"
    )


def _dispatch(program: Program, embedded: EmbeddedC) -> str:
    cases = ""
    for number, fragment in enumerate(embedded.fragments):
        cases += f"    case {number}:\n" + _case(number, fragment)
    return f"""\
static int32_t embedded_fragment(uint32_t fragment, uint8_t *s, uint32_t n, uint32_t f, uint32_t pid)
{{
    uint8_t *l = s + f;
    int32_t value = 0;
    (void)l;
    if (fragment == 0) embedded_start(), embedded_started = 0;
    embedded_restore(s);
    embedded_started = 1;
    embedded_load_state(s, l, n, pid);
    switch (fragment) {{
{cases}    }}
    return value;
}}
"""


def _case(number: int, fragment: Fragment) -> str:
    own = fragment.process.name if fragment.process is not None else None
    lines = [f"embedded_load_{own}(s, l, n, pid);"] if own else []
    if fragment.precondition is not None:
        kind = 1 + ViolationKind.PRECONDITION
        lines.append(f"if (!embedded_before_{number}()) {{ kripke_embedded_status = {kind}; return 0; }}")
    if fragment.is_value:
        lines.append(f"value = embedded_run_{number}();")
    else:
        lines.append(f"embedded_run_{number}();")
        lines.append("embedded_save_state(s, l, n, pid);")
        if own:
            lines.append(f"embedded_save_{own}(s, l, n, pid);")
        lines.append("embedded_keep(s);")
    return "".join(f"        {line}\n" for line in [*lines, "break;"])
