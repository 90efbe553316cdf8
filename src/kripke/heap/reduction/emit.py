"""The tables of the reduction as C. Places that nobody ever writes to are left out: they cannot conflict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kripke.heap.program import Program
from kripke.heap.reduction.accesses import Access
from kripke.heap.tables import array

if TYPE_CHECKING:
    from kripke.heap.reduction.reducer import Reducer


def emit_reduction(program: Program, reducer: Reducer) -> list[str]:
    futures, places = reducer.futures, reducer.futures.places
    written = futures.any.writes
    for each in futures.plain[program.entry]:
        written |= each.writes
    number = {place: at for at, place in enumerate(place for place in range(places.count) if written >> place & 1)}
    words = max(1, -(-len(number) // 64))
    rows: dict[tuple[int, ...], int] = {}

    def bits(mask: int) -> list[int]:
        found = 0
        for place, at in number.items():
            found |= (mask >> place & 1) << at
        return [found >> 64 * word & (1 << 64) - 1 for word in range(words)]

    def row(access: Access) -> int:
        return rows.setdefault((*bits(access.reads), *bits(access.writes)), len(rows))

    def table(accesses: dict[int, list[Access]]) -> list[int]:
        nothing = row(Access())
        found: list[int] = []
        for code in program.codes:
            found += [row(each) for each in accesses.get(code.number, ())] or [nothing] * len(code.instructions)
        return found

    end = row(places.end)
    plain = table(futures.plain)
    without = [table(futures.without[lock]) for lock in futures.locks]
    fixed = {"LISTS": places.lists, "DICTS": places.dicts, "SETS": places.sets, "CELLS": places.cells}
    fixed |= {"GENERATORS": places.generators, "THREADS": places.threads}
    compared = [at for place, at in number.items() if places.compared >> place & 1]
    owner = program.names.index("_owner") if futures.locks else 0
    return [
        "#define REDUCE 1",
        f"#define PLACE_WORDS {words}",
        f"#define END_SET {end}",
        f"#define FUTURE_LOCKS {len(without)}",
        *(f"#define P_{name} {number.get(place, -1)}" for name, place in fixed.items()),
        array("int16_t", "place_of_global", (number.get(n, -1) for n in range(places.first_name))),
        array("int16_t", "place_of_name", (number.get(places.first_name + n, -1) for n in range(len(program.names)))),
        f"#define COMPARED_PLACES {len(compared)}u",
        array("int16_t", "compared_places", compared),
        f"#define N__owner {owner}u",
        array("uint32_t", "lock_globals", futures.locks),
        "static const uint64_t future_sets[][2 * PLACE_WORDS] = {"
        + ",\n".join("{" + ", ".join(f"{word:#x}ull" for word in each) + "}" for each in rows)
        + "};",
        array("uint32_t", "future_at", plain),
        "static const uint32_t future_without[][sizeof future_at / sizeof future_at[0]] = {"
        + ",\n".join("{" + ", ".join(map(str, each)) + "}" for each in without or [[0]])
        + "};",
        "static const uint64_t watched_places[] = {"
        + ", ".join(f"{each:#x}ull" for each in bits(reducer.watched))
        + "};",
    ]
