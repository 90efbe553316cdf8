"""C code in a model: what a program knows of it, and the compiled library in which the interpreter runs it.

A model's C code sees the state as the verifiers of SPIN show it: global variables as fields of ``now``, those of the
executing process P as ``PP->x``. Before a piece of C runs, the fields are filled from the bytes of the state; after a
statement they are put back, each cut to its type. The emitted model does so itself (``emit/embedded.py``); the
interpreter calls the same compiled functions, so that traces of such models can be replayed, too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from kripke.model.source import ModelError, Sources, Span
from kripke.process.evaluation import StepFailed
from kripke.process.expressions import IntType
from kripke.process.program import ProcessType, Variable, ViolationKind

if TYPE_CHECKING:
    from collections.abc import Sequence


class CText(NamedTuple):
    """A piece of C and the line its first line stands in."""

    text: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Fragment:
    """C that a statement or expression of the model runs: ``code`` or a ``value``; ``precondition`` must hold before.

    ``truth``: the value is only asked whether it is zero.
    """

    text: CText
    process: ProcessType | None
    is_value: bool
    precondition: str | None = None
    truth: bool = False


@dataclass(frozen=True, slots=True)
class Tracked:
    """Data of the C code outside the state: ``size`` bytes at ``pointer``, kept in the state as ``variable``."""

    pointer: str
    size: str
    variable: Variable


@dataclass(slots=True, eq=False)
class Fields:
    """A structure the C code sees: the declarations of its fields, and the variables that fill them."""

    declarations: list[str] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class EmbeddedC:
    """All the C of a model, in the order in which it is compiled."""

    declarations: list[CText] = field(default_factory=list)
    structures: list[str] = field(default_factory=list)
    globals: Fields = field(default_factory=Fields)
    locals: dict[ProcessType, Fields] = field(default_factory=dict)
    hidden: list[CText] = field(default_factory=list)
    functions: list[CText] = field(default_factory=list)
    tracked: list[Tracked] = field(default_factory=list)
    fragments: list[Fragment] = field(default_factory=list)

    def add(self, fragment: Fragment) -> int:
        self.fragments.append(fragment)
        return len(self.fragments) - 1

    def mentioned(self) -> set[str]:
        """Every name in the text of the C code."""
        texts = [text.text for text in (*self.declarations, *self.hidden, *self.functions)]
        for fragment in self.fragments:
            texts += [fragment.text.text, fragment.precondition or ""]
        texts += [text for tracked in self.tracked for text in (tracked.pointer, tracked.size)]
        texts += [*self.structures, *self.globals.declarations]
        texts += [text for fields in self.locals.values() for text in fields.declarations]
        return {name for text in texts for name in re.findall(r"[A-Za-z_]\w*", text)}


# --- sizes ------------------------------------------------------------------------------------------------------------


def measure(embedded: EmbeddedC, sizes: Sequence[str], sources: Sources) -> list[int]:
    """The values of C expressions (sizes of types the model declares). ModelError where the C does not compile."""
    import ctypes

    from kripke.compilation.compile import CompileError, NoCompiler, compile_model
    from kripke.process.emit.embedded import probe_text

    try:
        library = ctypes.CDLL(str(compile_model(probe_text(embedded, sizes)).path))
    except NoCompiler as error:
        message, _, rest = str(error).partition("\n")
        raise ModelError(f"the C code in the model needs a C compiler: {message}", hint=rest or None) from None
    except CompileError as error:
        raise compile_problem(str(error), embedded, sources) from None
    except OSError as error:
        raise ModelError(f"the C code in the model cannot be loaded: {error}") from None
    found = (ctypes.c_uint32 * (len(sizes) + 1)).in_dll(library, "kripke_sizes")
    return list(found)[: len(sizes)]


_COMPLAINT = re.compile(r"^(?P<file>[^:\n]+):(?P<line>\d+):(?:\d+:)? (?:fatal )?error: (?P<message>.*)$", re.MULTILINE)


def compile_problem(report: str, embedded: EmbeddedC, sources: Sources) -> ModelError:
    """The first complaint of the compiler, at its place in the model where it has one."""
    for found in _COMPLAINT.finditer(report):
        text = sources.line(found["file"], int(found["line"]))
        if text is not None:
            start = len(text) - len(text.lstrip()) + 1
            line = int(found["line"])
            span = Span(found["file"], line, start, line, max(len(text) + 1, start + 1))
            return sources.error(f"the C compiler says: {found['message']}", span)
    lines = [line for line in report.splitlines() if not line.startswith("command: ")]
    return ModelError("the C code in the model does not compile\n" + "\n".join(lines))


# --- running ----------------------------------------------------------------------------------------------------------


class EmbeddedLibrary:
    """The compiled C of a program, for the interpreter. Compiled when first needed."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._call: Any = None
        self._library: Any = None

    def _load(self) -> None:
        import ctypes

        from kripke.compilation.compile import CompileError, compile_model

        try:
            path = compile_model(self._source).path
        except CompileError as error:
            raise ModelError("the C code in the model cannot be compiled", details=str(error)) from None
        self._library = ctypes.CDLL(str(path))
        self._call = self._library.kripke_embedded_call
        self._call.restype = ctypes.c_int32
        self._call.argtypes = [ctypes.c_uint32, ctypes.c_char_p, *[ctypes.c_uint32] * 3]

    def run(self, fragment: int, state: bytearray, frame: int, pid: int) -> tuple[bool, bytes]:
        """Run a statement on a state, in place. Did its assertions hold? What did it print?"""
        buffer = self._buffer(state)
        self._perform(fragment, buffer, len(state), frame, pid)
        state[:] = buffer.raw[: len(state)]
        import ctypes

        asserted = ctypes.c_int.in_dll(self._library, "kripke_embedded_asserted").value
        length = ctypes.c_uint32.in_dll(self._library, "kripke_embedded_printed").value
        output = (ctypes.c_char * length).in_dll(self._library, "kripke_embedded_output").raw if length else b""
        return not asserted, output

    def value(self, fragment: int, state: bytes | bytearray, frame: int, pid: int) -> int:
        """The value of an expression in a state."""
        return self._perform(fragment, self._buffer(state), len(state), frame, pid)

    def _buffer(self, state: bytes | bytearray) -> Any:
        import ctypes

        if self._call is None:
            self._load()
        return ctypes.create_string_buffer(bytes(state), len(state) + 1)

    def _perform(self, fragment: int, buffer: Any, length: int, frame: int, pid: int) -> int:
        import ctypes

        value = int(self._call(fragment, buffer, length, frame, pid))
        status = ctypes.c_int.in_dll(self._library, "kripke_embedded_status").value
        if status:
            raise StepFailed(ViolationKind(status - 1))
        return value


def opaque(variable: Variable) -> bool:
    """Bytes whose meaning only the C code knows?"""
    return not variable.components


_INTEGERS = {
    "int": IntType("int", 32, True),
    "signed": IntType("int", 32, True),
    "unsigned": IntType("unsigned", 32, False),
    "unsigned int": IntType("unsigned", 32, False),
    "uint": IntType("unsigned", 32, False),
    "short": IntType("short", 16, True),
    "unsigned short": IntType("unsigned", 16, False),
    "char": IntType("char", 8, True),
    "unsigned char": IntType("byte", 8, False),
    "uchar": IntType("byte", 8, False),
}
_DECLARATION = re.compile(r"(?P<type>[A-Za-z_][\w\s]*?)\s+(?P<name>[A-Za-z_]\w*)\s*(?:\[\s*(?P<count>\d+)\s*\])?")


def integer_declaration(declaration: str) -> tuple[IntType, int | None] | None:
    """The type and number of elements of ``int x`` or ``short x[3]``; None for anything else."""
    found = _DECLARATION.fullmatch(declaration.strip())
    if found is None:
        return None
    type_ = _INTEGERS.get(" ".join(found["type"].split()))
    return None if type_ is None else (type_, int(found["count"]) if found["count"] else None)


def declared_names(declaration: str) -> list[str]:
    """The names a C declaration of variables declares: of each part between commas, the first name after the type."""
    names = []
    for number, part in enumerate(re.split(r",(?![^({\[]*[)}\]])", declaration)):
        words = re.findall(r"[A-Za-z_]\w*", re.sub(r"\[[^\]]*\]", "", part))
        if words and (number or len(words) > 1):
            names.append(words[-1])
    return names
