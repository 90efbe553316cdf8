"""A chart in terms: the capability ``Encodable``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kripke.hierarchy.chart.courses import TooManyCases
from kripke.hierarchy.chart.encode.places import Places
from kripke.hierarchy.chart.encode.scxml_steps import Steps
from kripke.hierarchy.chart.encode.uml_steps import TooManyOrders
from kripke.hierarchy.chart.finite import Finite
from kripke.model.capabilities.encodable import Encoding
from kripke.terms.build import FALSE, any_of, disjoin, negate, variable
from kripke.terms.system import Breach, TransitionSystem, valued

if TYPE_CHECKING:
    from kripke.hierarchy.chart.model import ChartModel


def encoded(
    model: ChartModel, finite: Finite, room: int, make: Callable[[ChartModel, Finite, Places, int], Steps]
) -> Encoding | str:
    from kripke.hierarchy.chart.model import INVARIANT

    while True:
        places = Places(model, finite, room)
        try:
            initial = valued(places.variables, [places.values(state) for state in model.initial()])
            break
        except ValueError:  # what waits at the start needs more room
            room *= 2
    steps = make(model, finite, places, room)
    try:
        steps.run()
    except TooManyCases as refusal:
        history = model.chart.states[refusal.history]
        return f"a history that may keep very many different states cannot be said in terms ({history.span})"
    except TooManyOrders as refusal:
        return f"very many orders in which transitions fire cannot be said in terms ({refusal.span})"
    first = steps.take + 2
    now = steps.moment(steps.running)
    for number, script in enumerate(model.invariants):
        if (broken := negate(now.truth(script))) is not FALSE:
            steps.breaches.append(Breach(broken, INVARIANT, first + number))
    moving = disjoin(
        any_of(command.guard for command in steps.commands), any_of(breach.condition for breach in steps.breaches)
    )
    atoms = [now.truth(script) for script in model.conditions.values()]
    system = TransitionSystem(
        variables=places.variables,
        initial=initial,
        commands=steps.commands,
        atoms=atoms,
        failed_atoms=[FALSE] * len(atoms),
        resting=negate(moving),
        valid_end=negate(variable(places.running)),
        breaches=steps.breaches,
        limits=steps.limits,
    )
    return Encoding(system, places.values, places.state)
