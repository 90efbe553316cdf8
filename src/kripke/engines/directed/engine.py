"""How directed searches run: what is aimed at, by which estimate, and what the answer is worth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from kripke.deadline import current, keeping
from kripke.engines.directed.guidance import SCALE, Guidance
from kripke.engines.explicit.conclusion import conclude
from kripke.engines.explicit.prepare import prepare
from kripke.engines.explicit.safety import dependencies_on, in_time_left, search_request, store_options
from kripke.engines.explicit.search import Expansions, Order, Outcome, SearchRequest, Watch
from kripke.engines.plan import SearchPlan, Unsupported
from kripke.engines.refusals import refuse_combination
from kripke.model.capabilities.estimate import Estimate, Estimator, Goal
from kripke.model.model import Model
from kripke.model.property import Safety, Temporal
from kripke.model.result import Result

#: What A* and greedy search go by where nothing else is asked for.
_USUAL = {"astar": "bound", "ida": "bound", "best-first": "formula", "directed-bfs": "none", "directed-dfs": "none"}


def check(
    model: Model,
    properties: Sequence[Safety | Temporal],
    plan: SearchPlan,
    *,
    watch: Watch | None,
    origin: Mapping[str, Any],
) -> Iterator[Result]:
    if plan.por == "auto":  # what costs nothing is chosen for other orders than these
        plan = replace(plan, por=False)
    for property_ in properties:
        with keeping(current().within(plan.time_limit)):
            if isinstance(property_, Temporal):
                from kripke.engines.directed.temporal import check_alarms

                result = check_alarms(model, property_, plan, watch=watch, origin=origin)
            else:
                result = check_safety(model, property_, plan, watch=watch, origin=origin)
        yield result
        if result.interrupted:
            return


def refuse(model: Model, properties: Sequence[Safety | Temporal], plan: SearchPlan) -> None:
    """Unsupported, where one of the properties does not go with what else is asked for: before anything is searched."""
    from kripke.engines.linear.product_search import refuse_unsuited, translate

    order = cast(Order, plan.search)
    plan = replace(plan, por=False) if plan.por == "auto" else plan
    for property_ in properties:
        if isinstance(property_, Temporal):
            refuse_unsuited(property_, translate(model, property_), order, plan)
        else:
            refuse_combination(plan, order, "safety", bounded=plan.max_depth is not None)


def check_safety(
    model: Model, safety: Safety, plan: SearchPlan, *, watch: Watch | None, origin: Mapping[str, Any]
) -> Result:
    order = cast(Order, plan.search)
    request = search_request(model, plan, order)
    refuse_combination(plan, order, "safety", bounded=request.max_depth > 0)
    kinds = [kind.name for kind in model.violation_kinds]
    breaking = safety.assertions or (bool(kinds) and "assertion" not in kinds)
    goal = Goal(plan.deadlock and model.has_deadlocks, breaking, request.invariants)
    chosen = choose(model, [goal], plan, order)
    request = replace(request, store=store_options(plan), guidance=chosen.guidance)
    notes = chosen.notes
    if plan.por is True:
        analysis = dependencies_on(model, request.invariants, request)
        if isinstance(analysis, str):
            plan, notes = replace(plan, por=False), (*notes, f"searched without partial-order reduction: {analysis}")
        else:
            request = replace(request, dependencies=analysis)
    estimators = chosen.guidance.estimators
    engine = prepare(model, plan.wanted_engine, dependencies=plan.por is True, estimators=estimators)
    outcome = engine.search(model, in_time_left(request), watch)
    facts = chosen.facts(plan, request, outcome, kinds)
    return conclude(model, safety, plan, request, engine, outcome, origin, facts, notes)


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a search goes by. ``admissible``: no estimate is more than the steps that are needed."""

    guidance: Guidance
    words: str
    admissible: bool
    notes: tuple[str, ...] = ()

    def facts(
        self, plan: SearchPlan, request: SearchRequest, outcome: Outcome, violations: Sequence[str] = ()
    ) -> dict[str, Any]:
        """What the result says of the search beside what every result says. ``violations``: the names of the kinds that
        the model has."""
        expansions = outcome.expansions or Expansions(0, 0, 0)  # None: there was no time to begin
        told: dict[str, Any] = {
            "estimate": self.words,
            **expansions._asdict(),
            "shortest": self._is_shortest(plan, request, outcome, violations),
        }
        if plan.weight is not None:
            told["weight"] = plan.weight
        if plan.ties is not None:
            told["ties"] = plan.ties
        return told

    def _is_shortest(
        self, plan: SearchPlan, request: SearchRequest, outcome: Outcome, violations: Sequence[str]
    ) -> bool:
        """Is the first error at the end of a run that no other run to an error of the kinds aimed at is shorter than?

        A way to a goal that partial-order reduction leaves may be a longer one; bits may lose the shortest. An error
        that the estimate does not aim at may be nearer than it says.
        """
        if not outcome.error_paths or not self.admissible or request.dependencies is not None:
            return False
        if request.order not in ("astar", "ida", "directed-bfs") or request.store.name != "full":
            return False
        first = outcome.error_paths[0]
        if first.kind == "violation" and self.guidance.estimators:
            aimed = frozenset.intersection(*(one.known.violations for one in self.guidance.estimators))
            if not violations or violations[first.code] not in aimed:
                return False
        return (plan.weight or 1) == 1 and first.kind in ("deadlock", "invariant", "violation")


def choose(
    model: Model, goals: Sequence[Goal], plan: SearchPlan, order: Order, of_observer: tuple[int, ...] = ()
) -> Chosen:
    """The estimates for some goals; Unsupported where the model has none that was asked for by name."""
    weight = round((plan.weight or 1) * SCALE)
    behind, ahead = {
        "astar": (SCALE, weight),
        "ida": (SCALE, weight),
        "best-first": (0, 1),
        "directed-bfs": (1, 0),
        "directed-dfs": (0, 0),
    }[order]
    if weight == SCALE and behind == SCALE:
        behind = ahead = 1
    plain = Guidance(behind, ahead, newest=plan.ties != "fifo")
    wanted = plan.estimate or _USUAL[order]
    if wanted == "none":
        return Chosen(plain, "none", True)
    if wanted == "active":
        return Chosen(replace(plain, active=True), "how many can move", False)
    known = model.capability(Estimate)
    why = f"a {model.language} model has no estimates"
    estimators: list[Estimator] = []
    if known is not None:
        for goal in goals:
            found = known.estimator(goal, wanted)
            if isinstance(found, str):
                why = found
                break
            estimators.append(found)
    if len(estimators) < len(goals) or not goals:
        if plan.estimate is not None and goals:
            raise Unsupported(f"--estimate {plan.estimate}: {why}; choose active or none")
        return Chosen(
            replace(plain, active=True), "how many can move", False, (f"searched by how many can move: {why}",)
        )
    guidance = replace(plain, estimators=tuple(estimators), of_observer=of_observer)
    words = "; ".join(dict.fromkeys(one.known.words for one in estimators))
    return Chosen(guidance, words, all(one.known.admissible for one in estimators))
