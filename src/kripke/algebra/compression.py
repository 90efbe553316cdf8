"""Compressions: a process replaced by a smaller one that means the same in every model of CSP."""

from __future__ import annotations

from kripke.algebra.events import TICK
from kripke.algebra.lts.equivalences import quotient, without_tau_loops
from kripke.algebra.lts.normal_form import normal_form
from kripke.algebra.lts.system import Lts, TooManyStates, explored
from kripke.algebra.terms import Table, Term

MOST_STATES = 200_000
_NORMAL = {"normal", "normalise", "prenormal", "lazynorm"}
_BISIMULATIONS = {"wbisim", "dbisim", "model_compress"}


def compress(name: str, process: Term) -> Term:
    """The compression of a process by one of FDR's names; the process itself where it is too large for that."""
    world = process.world
    process = process.now()
    if name in ("lazyenumerate", "explicate") or process.number in world.compressing:
        return process
    key = (name, process.number)
    known = world.compressed.get(key)
    if known is None:
        world.compressing.add(process.number)
        try:
            known = _compressed(name, process)
        except TooManyStates:
            known = process
        finally:
            world.compressing.discard(process.number)
        world.compressed[key] = known
    return known


def _compressed(name: str, process: Term) -> Term:
    world = process.world
    _, table = explored(process, lambda term: term.steps(), MOST_STATES)
    lts = Lts(0, table, [])
    if name in _NORMAL:
        smaller = quotient(lts, "divergence-branching")
        normal = normal_form(smaller.steps, smaller.initial, MOST_STATES)
        lts = smaller if normal is None else quotient(Lts(0, normal, []), "strong")
    elif name in _BISIMULATIONS:
        lts = quotient(lts, "divergence-branching")
    elif name in ("diamond", "tau_loop_factor"):
        lts = quotient(without_tau_loops(lts), "strong")
    else:
        lts = quotient(lts, "strong")
    # Behind termination there is nothing, whatever state it led to.
    steps = [[(label, target) for label, target in own] for own in lts.steps]
    assert all(not steps[target] for own in steps for label, target in own if label == TICK)
    return world.table_state(world.keep(Table(steps, name)), lts.initial)
