"""Refusing what does not go together, in words, by the rules that engines register; the same rules as a table."""

from __future__ import annotations

from kripke.engines.combinations import SORTS, Combination, PropertySort
from kripke.engines.explicit.stores import STORES, StoreName
from kripke.engines.plan import SearchPlan
from kripke.engines.registry import refusal, searches
from kripke.engines.unsupported import Unsupported


def refuse_combination(plan: SearchPlan, search: str, sort: PropertySort, *, bounded: bool, name: str = "") -> None:
    """Unsupported, where this search does not go with what else was asked for. ``bounded``: by a depth limit. ``name``:
    of the property, where there may be several."""
    por = plan.por is True and (sort == "safety" or plan.threads == 1)  # else it is left out, with a note
    by_name = plan.symmetry not in ("off", "auto")
    reason = refusal(combination(plan, search, sort, por=por, bounded=bounded, symmetry=by_name))
    if reason is None:
        return
    given = [f"--search {search}"] if plan.search is not None else []
    given += [f"--store {plan.store}"] if plan.store is not None else []
    given += ["--por"] if por else []
    given += [f"--threads {plan.threads}"] if plan.threads > 1 else []
    given += [f"--symmetry {plan.symmetry}"] if by_name else []
    given += ["--checkpoint"] if plan.checkpoint is not None else []
    given += ["--resume"] if plan.resume is not None else []
    given += ["--max-depth"] if plan.max_depth is not None else []
    given += {"once": [], "deepening": ["--deepen"], "switches": ["--max-switches"], "swarm": ["--swarm"]}[plan.way]
    about = f"{name}: " if name else ""
    raise Unsupported(f"{about}{' with '.join(given)}: {reason}")


def combination(
    plan: SearchPlan, search: str, sort: PropertySort, *, por: bool, bounded: bool, symmetry: bool
) -> Combination:
    bounded = bounded or plan.deepen is not None
    store, way = plan.chosen_store, plan.way
    return Combination(search, store, por, plan.threads, sort, bounded, symmetry, way, plan.checkpoints)


def table() -> str:
    """What goes together, for the manual."""
    lines = ["| search | property | reduction | " + " | ".join(STORES) + " |", "|" + "---|" * (3 + len(STORES))]
    for search in searches():
        for sort in SORTS:
            for name, por, symmetry in _REDUCTIONS:
                cells = [_cell(search, store, por, symmetry, sort) for store in STORES]
                if any(cell != "-" for cell in cells):
                    lines.append(f"| {search} | {sort} | {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


_REDUCTIONS = (("-", False, False), ("por", True, False), ("symmetry", False, True), ("both", True, True))


def _cell(search: str, store: StoreName, por: bool, symmetry: bool, sort: PropertySort) -> str:
    def allowed(threads: int, bounded: bool) -> bool:
        return refusal(Combination(search, store, por, threads, sort, bounded, symmetry)) is None

    if not allowed(1, False):
        return "-"
    words = ["threads" if allowed(2, False) else "one thread"]
    if allowed(1, True):
        words.append("depth limit" if allowed(2, True) or not allowed(2, False) else "depth limit with one thread")
    return ", ".join(words)
