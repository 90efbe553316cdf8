"""The program as C: tables of its code, classes and constants, in front of the machine in ``runtime/``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kripke.heap.program import (
    DEEPEST_CALLS,
    INTRINSIC_ARGUMENTS,
    KNOWN,
    LIBRARY_LENGTH,
    NO_DEFAULT,
    STEP_LENGTH,
    Class,
    FunctionConstant,
    Intrinsic,
    Member,
    Op,
    Program,
)
from kripke.heap.reduction.emit import emit_reduction
from kripke.heap.tables import array

if TYPE_CHECKING:
    from kripke.heap.model import HeapModel

_RUNTIME = Path(__file__).parent / "runtime"
_PARTS = (
    "values", "operations", "calls", "intrinsics", "visibility", "touches", "machine", "image", "reduction", "entry",
)  # fmt: skip
_NAMES = (
    "__init__", "__make__", "args", "value", "__bool__", "__len__", "__eq__", "__lt__", "__le__", "__gt__", "__ge__",
    "__contains__", "__getitem__", "__setitem__", "__delitem__", "__iter__", "__call__", "__neg__", "__name__",
)  # fmt: skip
_OF_THREADS = ("daemon", "run", "_alive", "_args", "_kwargs", "_target")
_SMALL = 1 << 29


ints = list[int]


class _Texts:
    """All texts, each once, by number."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        return self._numbers.setdefault(text, len(self._numbers))

    def tables(self) -> list[str]:
        first, letters = [0], list[int]()
        for text in self._numbers:
            letters += map(ord, text)
            first.append(len(letters))
        return [array("uint32_t", "text_first", first), array("uint32_t", "texts", letters)]


class _Tables:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.texts = _Texts()
        self.numbers = {(type(value), value): number for number, value in enumerate(program.constants)}
        self.functions: list[FunctionConstant] = [
            value for value in program.constants if isinstance(value, FunctionConstant)
        ]
        self.function_number = {id(value): number for number, value in enumerate(self.functions)}

    def constant(self, value: object) -> int:
        return self.numbers[type(value), value]

    def word(self, value: object) -> int:
        """The word of a constant; 0 where it has to be made."""
        if type(value) is int:
            return (value << 2 & 0xFFFFFFFF) | 1 if -_SMALL <= value < _SMALL else 0
        return 0 if value == () and isinstance(value, tuple) else self.constant(value) << 2 | 2

    def constants(self) -> list[str]:
        kinds, values, strings = ints(), ints(), list[tuple[str, int]]()
        for number, value in enumerate(self.program.constants):
            kind, content = self._constant(value)
            kinds.append(kind)
            values.append(content)
            if isinstance(value, str):
                strings.append((value, number))
        return [
            array("uint8_t", "const_kind", kinds),
            "static const int64_t const_value[] = {" + ", ".join(_int64(value) for value in values) + "};",
            array("uint32_t", "const_word", (self.word(value) for value in self.program.constants)),
            f"#define STRINGS {len(strings)}",
            array("uint32_t", "sorted_strings", (number for _, number in sorted(strings))),
        ]

    def _constant(self, value: object) -> tuple[int, int]:
        if value is None:
            return 0, 0
        if isinstance(value, bool):
            return 1 + value, 0
        if isinstance(value, int):
            return 3, value
        if isinstance(value, str):
            return 4, self.texts.number(value)
        if isinstance(value, float):
            return 5, 0
        if isinstance(value, FunctionConstant):
            return 6, self.function_number[id(value)]
        if isinstance(value, Class):
            return 7, value.number
        return (9, 0) if value is NO_DEFAULT else (8, 0)

    def code(self) -> list[str]:
        ops, arguments, statements, parameters, names = ints(), ints(), ints(), ints(), ints()
        handlers, rows = list[str](), list[str]()
        for code in self.program.codes:
            rows.append(
                f"{{{len(ops)}, {code.positional}, {len(code.parameters)}, {len(parameters)}, {int(code.spread)}, "
                f"{int(code.keywords)}, {int(code.generator)}, {int(code.coroutine)}, {int(code.library)}, "
                f"{code.local_count}, {code.free}, {code.most_stack + 4}, {len(handlers)}, {len(code.handlers)}, "
                f"{self.texts.number(code.name)}, {len(names)}}}"
            )
            for each in code.instructions:
                ops.append(int(each.op))
                arguments.append(each.argument)
                statements.append(each.statement)
            handlers += [f"{{{h.start}, {h.end}, {h.target}, {h.depth}}}" for h in code.handlers]
            parameters += code.parameters
            names += [self.texts.number(name) for name in code.local_names]
        return [
            *(f"#define OP_{op.name} {int(op)}" for op in Op),
            "typedef struct code { uint32_t first, positional, parameters, first_parameter, spread, keywords, "
            "generator, coroutine, library, locals, free, stack, first_handler, handlers, name, "
            "first_local_name; } code;",
            "static const code codes[] = {\n" + ",\n".join(rows) + "};",
            array("uint8_t", "op_of", ops),
            array("int32_t", "arg_of", arguments),
            array("int32_t", "stmt_of", statements),
            "static const struct { uint32_t start, end, target, depth; } handlers[] = {"
            + ", ".join(handlers or ["{0, 0, 0, 0}"])
            + "};",
            array("uint32_t", "parameter_names", parameters),
            array("uint32_t", "local_names", names),
        ]

    def calls(self) -> list[str]:
        rows, names = list[str](), ints()
        for call in self.program.calls:
            rows.append(f"{{{call.name}, {call.positional}, {len(call.keywords)}, {len(names)}}}")
            names += call.keywords
        defaults, functions = ints(), list[str]()
        for each in self.functions:
            functions.append(
                f"{{{each.code.number}, {len(defaults)}, {len(each.defaults)}, {len(each.keyword_defaults)}}}"
            )
            defaults += [self.constant(value) for value in (*each.defaults, *each.keyword_defaults)]
        return [
            "typedef struct call_shape { int32_t name; uint32_t positional, named, first; } call_shape;",
            "static const call_shape calls[] = {" + ", ".join(rows or ["{0, 0, 0, 0}"]) + "};",
            array("uint32_t", "call_names", names),
            "typedef struct function_constant { uint32_t code, first, count, behind_count; } function_constant;",
            "static const function_constant functions[] = {" + ", ".join(functions or ["{0, 0, 0, 0}"]) + "};",
            array("int32_t", "default_constants", defaults),
        ]

    def classes(self) -> list[str]:
        program = self.program
        width = len(program.names)
        slots, members, own, rows = ints(), ints(), ints(), list[str]()
        layouts, layout_first, inits = ints(), ints(), ints()
        for found in program.classes:
            layout_first.append(len(layouts))
            layouts += found.layout
            place = {name: number for number, name in enumerate(found.layout)}
            slots += [place.get(name, -1) for name in range(width)]
            for name in range(width):
                member = found.members.get(name)
                if member is None:
                    members.append(-1)
                    continue
                kind, value = member
                members.append(len(rows))
                word = value if kind == Member.SLOT else self.word(value)
                rows.append(f"{{{int(kind)}, {word}u}}")
            own += [self._own_slot(found, name) for name in range(width)]
            init = found.own.get(0)
            inits.append(init[1].code.number if init and isinstance(init[1], FunctionConstant) else 0)
        classes = program.classes
        return [
            f"#define CLASSES {len(classes)}",
            f"#define NAMES {width}u",
            array("int16_t", "slot_of", slots),
            array("int32_t", "member_of", members),
            array("int32_t", "own_slot_of", own),
            "static const struct { int32_t kind; uint32_t value; } members[] = {" + ", ".join(rows) + "};",
            array("int32_t", "class_parent", (-1 if each.base is None else each.base.number for each in classes)),
            array("uint32_t", "class_slots", (len(each.layout) for each in classes)),
            array("uint8_t", "class_library", (int(each.library) for each in classes)),
            array("int32_t", "class_compared", (each.compared for each in classes)),
            array("int32_t", "class_fields", (each.field_count for each in classes)),
            array("uint8_t", "class_frozen", (int(each.frozen) for each in classes)),
            array("uint32_t", "class_frozen_init", inits),
            array("uint32_t", "class_constant", (self.constant(each) for each in classes)),
            array("uint32_t", "class_name", (self.texts.number(each.name) for each in classes)),
            array("uint32_t", "layouts", layouts),
            array("uint32_t", "class_layout", layout_first),
            array("uint32_t", "name_strings", (self.word(name) for name in program.names)),
            array("uint32_t", "name_texts", (self.texts.number(name) for name in program.names)),
            *(f"#define KNOWN_{name} {each.number}u" for name, each in zip(KNOWN, program.known, strict=True)),
            f"#define KNOWN_BaseException {program.base_exception}u",
        ]

    @staticmethod
    def _own_slot(found: Class, name: int) -> int:
        kind, value = found.own.get(name, (None, -1))
        return value if kind == Member.SLOT and isinstance(value, int) else -1

    def names(self) -> list[str]:
        place = {name: number for number, name in enumerate(self.program.names)}
        return [
            *(f"#define N_{name} {place[name]}u" for name in _NAMES),
            *(f"#define N_{name} {place[name]}u" for name in _OF_THREADS),
            f"#define N_BINARY {place['__add__']}u",
            f"#define N_REFLECTED {place['__radd__']}u",
            f"#define N_INPLACE {place['__iadd__']}u",
        ]

    def globals(self) -> list[str]:
        program = self.program
        every = range(len(program.global_names))
        return [
            f"#define GLOBALS {len(program.global_names)}u",
            array("uint8_t", "global_stable", (int(n in program.stable) for n in every)),
            array("uint8_t", "global_watched", (int(n in program.watched) for n in every)),
            array("uint32_t", "global_texts", (self.texts.number(name) for name in program.global_names)),
        ]

    def atoms(self) -> list[str]:
        first, looked_at = [0], list[int]()
        for _, code, _ in self.program.atoms:
            instructions = self.program.codes[code].instructions
            looked_at += [each.argument for each in instructions if each.op == Op.LOAD_GLOBAL]
            first.append(len(looked_at))
        return [
            f"#define ATOMS {len(self.program.atoms)}",
            array("uint32_t", "atom_first", first),
            array("uint32_t", "atom_globals", looked_at),
            array("uint32_t", "atom_code", (code for _, code, _ in self.program.atoms)),
            array("uint8_t", "atom_unbound", (int(unbound) for _, _, unbound in self.program.atoms)),
        ]


def _int64(value: int) -> str:
    return f"(-{(1 << 63) - 1}ll - 1)" if value == -(1 << 63) else f"{value}ll"


def emit_c(model: HeapModel) -> str:
    """See native/model/model.h for what is asked of it."""
    program, options = model.program, model.options
    tables = _Tables(program)
    parts: Sequence[list[str]] = (
        tables.constants(),
        tables.code(),
        tables.calls(),
        tables.classes(),
        tables.names(),
        tables.globals(),
        tables.atoms(),
    )
    (state,) = model.initial()
    lines = [
        "/* A program with a heap: see kripke/heap/program.py. */",
        *(f"#include <{name}.h>" for name in ("setjmp", "stdint", "stdlib", "string")),
        '#include "model.h"',
        f"#define HEAD_WORDS {1 if options.numbering == 'heap' else 2}u",
        f"#define NUMBERING {('heap', 'order', 'site', 'thread').index(options.numbering)}",
        f"#define COLLECTION {('sweep', 'count', 'none').index(options.collection)}",
        f"#define BY_DIFFERENCE {int(options.backtracking == 'difference' and options.numbering == 'heap')}",
        f"#define GRANULARITY {('access', 'line', 'instruction').index(options.granularity)}",
        f"#define MAX_WORDS {options.max_state_bytes // 4}u",
        f"#define DEEP {int(program.deep)}",
        f"#define STEP_LENGTH {STEP_LENGTH}u",
        f"#define DEEPEST_CALLS {DEEPEST_CALLS}u",
        f"#define LIBRARY_LENGTH {LIBRARY_LENGTH}u",
        f"#define BOOTSTRAP {program.bootstrap}u",
        f"#define COMPARING_ITEMS {tables.word(program.comparing[0])}u",
        f"#define COMPARING_FIELDS {tables.word(program.comparing[1])}u",
        f"#define LABELS {max(1, len(program.statements))}",
        "#define MOST_COMPONENTS 4096u",
        *(f"#define I_{each.name} {int(each)}" for each in Intrinsic),
        array("uint8_t", "intrinsic_arguments", (INTRINSIC_ARGUMENTS[each] for each in Intrinsic)),
        *(line for part in parts for line in part),
        *(["#define REDUCE 0"] if model.reducer is None else emit_reduction(program, model.reducer)),
        *tables.texts.tables(),
        array("uint8_t", "initial_state", state),
        *((_RUNTIME / f"{name}.c").read_text(encoding="utf-8") for name in _PARTS),
    ]
    return "\n".join(lines) + "\n"
