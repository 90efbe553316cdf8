"""A plan as the words of a command: what to type for the check that was asked for elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kripke.engines.plan import SearchPlan
from kripke.engines.registry import option_of


def words_of(
    plan: SearchPlan, file: str, defines: Mapping[str, str] | None = None, formulas: tuple[str, ...] = ()
) -> list[str]:
    """The arguments of ``kripke check`` that ask the same; ``formulas`` are those of ``--ltl``."""
    words = [file]
    words += [
        word for name, value in (defines or {}).items() for word in ("-D", name if value == "1" else f"{name}={value}")
    ]
    words += [word for formula in formulas for word in ("--ltl", formula)]
    for name, value in plan.to_json().items():
        words += _option(name, value)
    return words


def _option(name: str, value: Any) -> list[str]:
    option = option_of(name)
    match name, value:
        case "por", True:
            return ["--por"]
        case "clarify", False:
            return ["--no-clarify"]
        case "another", number:
            return ["--another"] * number
        case _, bool():  # a switch for what the default is not
            return [option]
        case _, list():
            return [word for one in value for word in _given(option, one)]
        case _:
            return _given(option, str(value))


def _given(option: str, value: str) -> list[str]:
    """What begins with a dash is a value only behind an equals sign."""
    return [f"{option}={value}"] if value.startswith("-") else [option, value]
