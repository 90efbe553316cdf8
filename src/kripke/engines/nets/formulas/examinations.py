"""Answers to the questions that can be asked of every net by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kripke.engines.nets.formulas.answers import REASONS, QueryAnswerer, thresholds
from kripke.model.answer import Answer
from kripke.nets.formulas import Formula, Query
from kripke.numbers import counted

if TYPE_CHECKING:
    from kripke.engines.nets.symbolic.branching import Branching

_SHARE_FOR_SETS = 0.4  # of the time, to find all reachable markings as a set, and as much to count them
_SHARE_FOR_DEADLOCKS = 0.2  # of the time, when it is asked whether a net is live


def examine(answerer: QueryAnswerer, name: str) -> Answer:
    """The answer to one of ``examinations.EXAMINATIONS`` but StateSpace."""
    from kripke.nets import examinations

    net = answerer.model.net
    match name:
        case "ReachabilityDeadlock":
            return answerer.answer([Query(name, examinations.deadlock(net))])[0]
        case "OneSafe":
            return _one_safe(answerer, name)
        case "Liveness":
            return _live(answerer, name)
        case "QuasiLiveness":
            return _together(answerer, name, examinations.quasi_live(net), all)
        case "StableMarking":
            return _together(answerer, name, examinations.stable(net), any)
        case _:
            raise ValueError(name)


def _one_safe(answerer: QueryAnswerer, name: str) -> Answer:
    """What place invariants show to be safe need not be searched."""
    from kripke.nets import examinations

    net = answerer.model.net
    classes = examinations.place_classes(net)
    if answerer.reduce:
        classes = tuple(places for places in classes if (most := answerer.ceiling(places)) is None or most > 1)
    return answerer.answer([Query(name, examinations.one_safe(classes))])[0]


def _live(answerer: QueryAnswerer, name: str) -> Answer:
    """No transition is live where a deadlock can be reached, which is found without the graph of all states."""
    from kripke.nets import examinations

    net = answerer.model.net
    if net.transitions and answerer.reduce:
        early = answerer.part(_SHARE_FOR_DEADLOCKS)
        if early.answer([Query(name, examinations.deadlock(net))])[0].value:
            return Answer(name, False, "search")
    return answerer.answer([Query(name, examinations.live(net))])[0]


def _together(
    answerer: QueryAnswerer, name: str, formulas: Sequence[Formula], join: Callable[[list[bool]], bool]
) -> Answer:
    """The conjunction or disjunction of many answers of one search."""
    answers = answerer.answer([Query(f"{name} {number}", formula) for number, formula in enumerate(formulas)])
    values = [answer.value for answer in answers]
    if join([value is not False for value in values]) == join([value is True for value in values]):
        return Answer(name, join([value is True for value in values]), "search")
    reason = next(answer.reason for answer in answers if answer.value is None)
    return Answer(name, None, "search", reason)


@dataclass(frozen=True, slots=True)
class StateSpaceSize:
    """``transitions`` are firings; None where the search was not complete."""

    states: int | None
    transitions: int | None
    most_in_place: int | None
    most_in_marking: int | None
    reason: str = ""


def measure(answerer: QueryAnswerer) -> StateSpaceSize:
    """How large the state space is, and how many tokens there are at most, in a place and together."""
    if not answerer.reduce or answerer.interpret:
        return _by_search(answerer)
    if not answerer.knows_sets:
        size = _by_search(replace(answerer, limits=answerer.limits_left(states=answerer.few_states)))
        if not size.reason.startswith(REASONS["states"]) or answerer.is_over():
            return size
    return _on_sets(answerer) or _by_search(answerer.part(1.0))


def _on_sets(answerer: QueryAnswerer) -> StateSpaceSize | None:
    saturation = answerer.saturation()
    if saturation is None or not saturation.reach(answerer.limits_left(share=_SHARE_FOR_SETS).time_limit):
        return None

    def size(branching: Branching) -> StateSpaceSize:
        markings = branching.markings.reachable
        everything = range(len(answerer.model.net.places))
        return StateSpaceSize(
            markings.count(), markings.count_steps(), markings.most_in_a_place, markings.range(everything)[1]
        )

    return saturation.ask(size, answerer.limits_left(share=_SHARE_FOR_SETS).time_limit)


def _by_search(answerer: QueryAnswerer) -> StateSpaceSize:
    from kripke.nets import examinations

    net = answerer.model.net
    if not net.places:  # every transition is enabled for ever, and there is nothing that a search could look for
        return StateSpaceSize(1, len(net.transitions), 0, 0)
    whole = replace(answerer, reduce=False, states=0, transitions=0)
    in_marking = whole.answer([examinations.tokens_in_all(net)])[0]
    low, high, reason = max(net.initial), None, in_marking.reason
    while not reason and (numbers := thresholds(low, high)):
        found = whole.search({str(number): examinations.some_place_holds(net, number) for number in numbers})
        reason = next(filter(None, found.reasons.values()), "")
        low = max([low, *map(int, found.ways)])
        high = min((number - 1 for number in numbers if str(number) not in found), default=high)
    # The searches above ended with goals out of reach, so they have seen everything.
    if reason or not isinstance(in_marking.value, int):
        return StateSpaceSize(None, None, None, None, reason)
    return StateSpaceSize(whole.states, whole.transitions - 1, low, in_marking.value)


def answered_size(size: StateSpaceSize) -> Answer:
    """The size as an answer, in numbers and in words."""
    from kripke.nets.examinations import STATE_SPACE

    if size.states is None or size.transitions is None or size.most_in_marking is None:
        words = f"unknown  state space  ({size.reason})"
    else:
        words = (
            f"{counted(size.states, 'state')}, {counted(size.transitions, 'transition')}, "
            f"at most {counted(size.most_in_place or 0, 'token')} in a place, {size.most_in_marking:,} in a marking"
        )
    figures = {
        "states": size.states,
        "transitions": size.transitions,
        "max_token_in_place": size.most_in_place,
        "max_token_per_marking": size.most_in_marking,
    }
    return Answer(STATE_SPACE, size.states, "state space", size.reason, figures=figures, words=words, key="state_space")
