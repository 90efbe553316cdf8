"""Estimates from patterns as C."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from kripke.model.capabilities.estimate import UNREACHABLE, Estimator
from kripke.model.patterns.estimator import Combined, Distance, Fixed, Lookup, PatternEstimator

_PER_LINE = 24


def emit_patterns(estimators: Sequence[Estimator], prologue: str, read: Callable[[int], str]) -> str:
    """A function ``estimate`` as ``model.h`` asks for. ``prologue`` makes ready what ``read`` reads: a variable, as a C
    expression."""
    known = [one for one in estimators if isinstance(one, PatternEstimator)]
    distances = [one.distance for one in known]
    lows = next((one.lows for one in known), ())

    def value(variable: int) -> str:
        low = lows[variable] if lows else 0
        return f"(int64_t){read(variable)} - ({low})" if low else read(variable)

    tables: dict[tuple[int, ...], str] = {}
    lines = [f"#define FAR {UNREACHABLE}u"]
    functions: list[str] = []
    for number, distance in enumerate(distances):
        body: list[str] = []
        result = _steps(distance, value, tables, body)
        functions += [
            f"static uint32_t estimate_{number}(const uint8_t *state, uint32_t length) {{",
            "    (void)state, (void)length;",
            *([prologue] if tables else []),
            *body,
            f"    return {result};",
            "}",
        ]
    for table, name in tables.items():
        numbers = [str(steps) for steps in table]
        rows = [", ".join(numbers[at : at + _PER_LINE]) for at in range(0, len(numbers), _PER_LINE)]
        lines.append(f"static const uint32_t {name}[] = {{\n    " + ",\n    ".join(rows) + "\n};")
    cases = [f"    if (goal == {n}u) steps = estimate_{n}(state, length);" for n in range(len(distances))]
    return "\n".join(
        [
            *lines,
            *functions,
            "static uint32_t estimate(const uint8_t *state, uint32_t length, uint32_t goal) {",
            "    uint32_t steps = 0;",
            *cases,
            "    return steps < FAR ? steps : KRIPKE_UNREACHABLE;",
            "}",
        ]
    )


def _steps(distance: Distance, value: Callable[[int], str], tables: dict[tuple[int, ...], str], body: list[str]) -> str:
    """A C operand; what is computed before goes to the body."""
    match distance:
        case Fixed(steps):
            return f"{min(steps, UNREACHABLE)}u"
        case Lookup(variables, sizes, table):
            name = f"h{len(body)}"
            body.append(_looked_up(name, variables, sizes, tables.setdefault(table, f"distances_{len(tables)}"), value))
            return name
        case Combined(how, parts):
            name = f"h{len(body)}"
            body.append(f"    uint32_t {name} = {'FAR' if how == 'min' else '0'};")
            for part in parts:
                one = _steps(part, value, tables, body)
                if how == "sum":
                    body.append(f"    {name} += {one}; if ({name} > FAR) {name} = FAR;")
                else:
                    sign = "<" if how == "min" else ">"
                    body.append(f"    if ({one} {sign} {name}) {name} = {one};")
            return name


def _looked_up(
    name: str, variables: Sequence[int], sizes: Sequence[int], table: str, value: Callable[[int], str]
) -> str:
    weights = [prod(sizes[:place]) for place in range(len(sizes))]
    read = [f"        const int64_t x{place} = {value(variable)};" for place, variable in enumerate(variables)]
    inside = " && ".join(f"x{place} >= 0 && x{place} < {size}" for place, size in enumerate(sizes))
    at = " + ".join(f"x{place} * {weight}" for place, weight in enumerate(weights))
    lines = [f"    uint32_t {name} = 0;", "    {", *read, f"        if ({inside}) {name} = {table}[{at}];", "    }"]
    return "\n".join(lines)
