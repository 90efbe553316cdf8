"""Branching and linear time over a net: the whole graph or product where it is small enough, else what can be said
with less.

Linear time without X is searched on a reduced net that keeps it. Branching time falls apart into its parts where the
graph is too large (``branching_parts``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from kripke.deadline import OutOfTime, current
from kripke.engines.nets.formulas.answers import REASONS, SHARE_FOR_SETS
from kripke.model.answer import Answer
from kripke.nets.formulas import (
    AllPaths,
    Formula,
    Query,
    classify,
)
from kripke.nets.predicates import Predicate
from kripke.nets.translation import atom_names, branching_formula, linear_formula

if TYPE_CHECKING:
    from kripke.engines.branching.graph import GraphLimits
    from kripke.engines.explicit import native
    from kripke.engines.nets.formulas.answers import QueryAnswerer
    from kripke.engines.nets.symbolic.branching import Branching
    from kripke.nets.model import NetModel

_SHARE = 0.4  # of the time that is left, for the whole graph or product
_MANY_NODES = 200_000  # in the diagram of all reachable markings
_FINAL = (REASONS["interrupted"], REASONS["error"])  # nothing else is tried


def branching(answerer: QueryAnswerer, queries: Sequence[Query]) -> list[Answer]:
    """On the graph where that is small, else on sets of markings, else on a larger graph, else in parts."""
    answers: dict[str, Answer] = {}
    with suppress(OutOfTime):
        _branch(answerer, queries, answers)
    return _in_order(queries, answers)


def _in_order(queries: Sequence[Query], answers: Mapping[str, Answer]) -> list[Answer]:
    """The answers; where there is none, the time was over."""
    return [answers.get(query.name, Answer(query.name, None, "", REASONS["time"])) for query in queries]


def _branch(answerer: QueryAnswerer, queries: Sequence[Query], answers: dict[str, Answer]) -> None:
    if not queries:
        return
    if not answerer.reduce or answerer.interpret:
        answers |= _by_name(_on_graph(answerer, queries, answerer.limits_left()))
        return
    if not answerer.knows_sets:
        answers |= _by_name(_on_graph(answerer, queries, answerer.limits_left(states=answerer.few_states)))
    if any(answer.reason in _FINAL for answer in answers.values()):
        return
    answers |= _by_name(_on_sets(answerer, _open(queries, answers)))
    left = _open(queries, answers)
    if left:
        answers |= _by_name(_on_graph(answerer, left, answerer.limits_left(share=_SHARE)))
    if any(answer.reason in _FINAL for answer in answers.values()):
        return
    from kripke.engines.nets.formulas.branching_parts import Parts

    left = _open(queries, answers)
    for number, query in enumerate(left):
        value = Parts(answerer, 1 / (len(left) - number)).value(query.formula)
        if value is not None:
            answers[query.name] = Answer(query.name, value, "parts")


def _by_name(answers: Sequence[Answer]) -> dict[str, Answer]:
    return {answer.name: answer for answer in answers}


def _open(queries: Sequence[Query], answers: Mapping[str, Answer]) -> list[Query]:
    return [query for query in queries if query.name not in answers or answers[query.name].value is None]


def _on_graph(answerer: QueryAnswerer, queries: Sequence[Query], limits: GraphLimits) -> list[Answer]:
    from kripke.engines.branching.ctl import Labelling
    from kripke.engines.branching.graph import build

    names = atom_names(queries)
    model = answerer.model.with_predicates({name: predicate for predicate, name in names.items()})
    graph = build(model, model.atoms, limits, answerer.library(model), answerer.watch)
    answerer.count(graph.states, graph.edges + graph.initial_states)
    if graph.reason:
        return [Answer(query.name, None, "graph", REASONS[graph.reason]) for query in queries]
    labelling = Labelling(graph, pause=current())
    return [Answer(query.name, labelling.holds(branching_formula(query.formula, names)), "graph") for query in queries]


def _on_sets(answerer: QueryAnswerer, queries: Sequence[Query]) -> list[Answer]:
    """Those that the set of all reachable markings decides in a share of the time."""
    saturation = answerer.saturation()
    if not queries or saturation is None or answerer.is_over():
        return []
    known = saturation.reach(answerer.limits_left(share=SHARE_FOR_SETS).time_limit)
    if known is None:
        return []
    if known.markings.reachable.nodes > _MANY_NODES:  # linear time takes too many steps on such sets
        queries = [query for query in queries if classify(query.formula) != "ltl"]
    answers: dict[str, Answer] = {}
    part = answerer.part(_SHARE)
    for _ in range(2):  # what some do not need of their time, others get
        left = _open(queries, answers)
        for number, query in enumerate(left):
            if part.is_over():
                break
            seconds = part.limits_left(share=1 / (len(left) - number)).time_limit
            question = _keeps if classify(query.formula) == "ltl" else _satisfies
            value = saturation.ask(partial(question, query.formula), seconds)
            if value is not None:
                answers[query.name] = Answer(query.name, value, "sets")
    return list(answers.values())


def _satisfies(formula: Formula, branching: Branching) -> bool | None:
    return branching.holds(formula)


def _keeps(formula: Formula, branching: Branching) -> bool | None:
    from kripke.engines.nets.symbolic.linear import breaks
    from kripke.logic.translation import TranslationTooLarge

    assert isinstance(formula, AllPaths)
    try:
        return not breaks(branching, formula.operand)
    except TranslationTooLarge:
        return None


def linear(answerer: QueryAnswerer, queries: Sequence[Query]) -> list[Answer]:
    """Each by a search of its own; where that becomes long, on sets of markings, else on a reduced net."""
    answers: dict[str, Answer] = {}
    with suppress(OutOfTime):
        _follow_runs(answerer, queries, answers)
    return _in_order(queries, answers)


def _follow_runs(answerer: QueryAnswerer, queries: Sequence[Query], answers: dict[str, Answer]) -> None:
    if not queries:
        return
    names = atom_names(queries)
    model = answerer.model.with_predicates({name: predicate for predicate, name in names.items()})
    library = answerer.library(model)
    if library is None:
        reason = "linear time needs the native engine"
        answers |= {query.name: Answer(query.name, None, "automaton", reason) for query in queries}
        return
    states = answerer.few_states if answerer.reduce else 0
    for query in queries:
        if answerer.is_over():
            answers[query.name] = Answer(query.name, None, "automaton", REASONS["time"])
        else:
            limits = answerer.limits_left(states=states)
            answers[query.name] = _run_of(answerer, query, names, model, library, limits)
    if not states:
        return
    left = [query for query in queries if answers[query.name].reason == REASONS["states"]]
    answers |= _by_name(_on_sets(answerer, left))
    left = [query for query in left if answers[query.name].value is None]
    for position, query in enumerate(left):
        if answerer.is_over():
            answers[query.name] = replace(answers[query.name], reason=REASONS["time"])
            continue
        share = 1 / (len(left) - position)
        answers[query.name] = on_reduced_net(answerer, query, answerer.limits_left(share=share))


def on_reduced_net(answerer: QueryAnswerer, query: Query, limits: GraphLimits) -> Answer:
    """Formulas that cannot tell how often a run stutters are searched on a smaller net, with stubborn sets."""
    from kripke.engines.nets.structural.reduced_goals import reduce_for_runs
    from kripke.logic.stuttering import is_stutter_invariant

    assert isinstance(query.formula, AllPaths)
    names = atom_names([query])
    if not is_stutter_invariant(linear_formula(query.formula.operand, names)):
        model = answerer.model.with_predicates({name: predicate for predicate, name in names.items()})
        library = answerer.library(model)
        assert library is not None
        return _run_of(answerer, query, names, model, library, limits)
    model = reduce_for_runs(answerer.model, {name: predicate for predicate, name in names.items()})
    stubborn = not isinstance(model.dependencies(tuple(range(len(model.atoms)))), str)
    library = answerer.library(model, dependencies=stubborn)
    assert library is not None
    return _run_of(answerer, query, names, model, library, limits, stubborn=stubborn)


def _run_of(
    answerer: QueryAnswerer,
    query: Query,
    names: Mapping[Predicate, str],
    model: NetModel,
    library: native.Model,
    limits: GraphLimits,
    *,
    stubborn: bool = False,
) -> Answer:
    """Look for a run that breaks the formula: one that the automaton of its negation accepts."""
    from kripke.engines.explicit import native
    from kripke.engines.explicit.search import SearchRequest
    from kripke.logic.translation import TranslationTooLarge, generalised
    from kripke.model.observer import Alarm, observe

    assert isinstance(query.formula, AllPaths)
    numbers = {name: number for number, name in enumerate(names.values())}
    try:
        automaton = generalised(linear_formula(query.formula.operand, names), negated=True)
    except TranslationTooLarge as refusal:
        return Answer(query.name, None, "automaton", str(refusal))
    observer = observe(automaton, numbers, query.name, "ltl", Alarm("ltl", "the formula is broken"))
    analysis = model.dependencies(tuple(range(len(model.atoms)))) if stubborn else None
    request = SearchRequest(
        order="scc",
        deadlock=False,
        observer=observer,
        dependencies=None if isinstance(analysis, str) else analysis,
        max_states=limits.max_states,
        memory=limits.memory,
        time_limit=limits.time_limit,
    )
    result = native.search(library, request)
    answerer.count(result.states, result.transitions)
    overflow = len(answerer.model.violation_kinds)
    if any(found.kind == "violation" and found.code < overflow for found in result.error_paths):
        return Answer(query.name, None, "automaton", REASONS["error"])
    if result.error_paths:
        return Answer(query.name, False, "automaton")
    if result.complete:
        return Answer(query.name, True, "automaton")
    return Answer(query.name, None, "automaton", REASONS[result.reason or "interrupted"])
