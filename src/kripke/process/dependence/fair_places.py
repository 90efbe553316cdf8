"""Safe places under weak fairness: steps whose order does not decide who can move again and again.

A run is weakly fair if every process that can move from some point on, at all times, does move again and again. Let a
run be fair. The reduced search has a run of the same steps in another order, for no process is left out for ever: whose
steps are enough of a state can move from there on until it does, so in a fair run it moves, and its step comes first.
(Atomic sequences are single steps. Where one is not, it keeps all others from moving, and every run with it again and
again is fair, in every order.) So who moves again and again stays the same, and it remains to see that a process P
which stays at one location for ever, and cannot move there again and again, cannot in the other order either. There
are two cases in which this is so:

- Nobody can disable P there. Then P, which could move once, could always: it can at no time, in both orders.
- All steps of others that enable or disable P there belong to one process. They keep their order, and between two of
  them nothing changes for P.

Steps that enable or disable others otherwise are not put before the rest. (D. Peled, *All from one, one for all*, CAV
1993, on fairness that does not depend on the order of independent steps.) The search itself must know who can move, so
it looks at the steps that it does not take.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kripke.model.dependencies import DependencyTables
from kripke.process.dependence.stability import operations_of
from kripke.process.dependence.steps import Point
from kripke.process.dependence.tables import Tables
from kripke.process.expressions import Enabled, Timeout
from kripke.process.nodes import nodes_of
from kripke.process.program import NoChoice, Program, Terminate


def obstacle_to_fairness(program: Program) -> str:
    """What the tables do not say of this program: who enables or disables whom; empty: nothing."""
    for process in program.processes:
        if process.provided is not None or any(edge.escape for place in process.locations for edge in place.edges):
            return "under fairness nothing is left out beside provided and unless"
        for node in nodes_of(operations_of(process)):
            if isinstance(node, Timeout | Enabled | NoChoice):
                return "under fairness nothing is left out beside timeout, enabled() and D_proctype"
    return ""


def order_decides_who_can_move(tables: Tables, built: DependencyTables, numbers: Mapping[Point, Sequence[int]]) -> int:
    """The steps that must not be put before others. ``numbers``: of the steps at every location that counts."""
    own: dict[int, int] = {}
    for (pid, _), here in numbers.items():
        own[pid] = own.get(pid, 0) | sum(1 << number for number in here)
    found = 0
    for (pid, _), here in numbers.items():
        disabling = enabling = 0
        for number in here:
            step = tables.steps[number]
            # Who only answers is not the one who can move. Who has come to its end can end once and for all.
            if step.fires and not isinstance(step.first, Terminate):
                disabling |= built.conflicts[number]
                for condition in built.enabling[number][1:]:
                    enabling |= condition
        others = {other: mine & (disabling | enabling) for other, mine in own.items() if other != pid}
        if sum(steps != 0 for steps in others.values()) > 1 and any(mine & disabling for mine in others.values()):
            found |= sum(others.values())
    return found
