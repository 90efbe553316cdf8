"""How instrumented code calls a function: what has to lie on the stack differs from one Python to the next."""

from __future__ import annotations

import sys
from typing import Any

from bytecode import Instr

#: Until 3.12 the place of ``self`` lies below the function that is called, from 3.13 on above it.
NULL_IS_ABOVE = sys.version_info >= (3, 13)
_HAS_PRECALL = sys.version_info < (3, 12)


def called(function: Any, *arguments: Instr, place: Any = None) -> list[Instr]:
    """``function(*arguments)``; every argument is one instruction that pushes it."""
    null, load = Instr("PUSH_NULL", location=place), Instr("LOAD_CONST", function, location=place)
    return [*((load, null) if NULL_IS_ABOVE else (null, load)), *arguments, *_call(len(arguments), place)]


def called_with_top(function: Any, *arguments: Instr, place: Any = None) -> list[Instr]:
    """``function(top, *arguments)``, where ``top`` is what lies on top of the stack."""
    null, load = Instr("PUSH_NULL", location=place), Instr("LOAD_CONST", function, location=place)
    below, above = (load, null) if NULL_IS_ABOVE else (null, load)
    swap = Instr("SWAP", 2, location=place)
    return [below, swap, above, swap, *arguments, *_call(1 + len(arguments), place)]


def with_null(load: list[Instr], place: Any = None) -> list[Instr]:
    """Instructions that leave what is called on top of the stack, and beside it the empty place of ``self``; the object
    they begin with, if any, is there already."""
    null = Instr("PUSH_NULL", location=place)
    return [*load, null] if NULL_IS_ABOVE else [null, *load]


def _call(count: int, place: Any) -> list[Instr]:
    before = [Instr("PRECALL", count, location=place)] if _HAS_PRECALL else []
    return [*before, Instr("CALL", count, location=place)]
