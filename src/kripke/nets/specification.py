"""A net with what a user asks of it: invariants and formulas of linear time, as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kripke.model.source import Diagnostic, Sources
from kripke.nets.formulas import Query
from kripke.nets.model import NetModel
from kripke.nets.place_transition import PlaceTransitionNet
from kripke.nets.predicate_text import parse_predicate, parse_sum, read_condition, read_firing
from kripke.nets.predicates import Predicate

if TYPE_CHECKING:
    from kripke.model.property import Temporal


def specified_model(
    net: PlaceTransitionNet,
    path: str,
    language: str,
    sources: Sources,
    invariants: Sequence[str],
    formulas: Sequence[str],
    conditions: Sequence[str] = (),
    warnings: Sequence[Diagnostic] = (),
    progress: str | None = None,
    queries: Sequence[Query] = (),
) -> NetModel:
    """Every invariant, every condition, and every one in a formula, becomes an atom with its text as its name.
    ``progress`` is a sum of tokens that measures how far a marking has come."""
    predicates: dict[str, Predicate] = {
        expression: parse_predicate(expression, f"<invariant {number}>", net)
        for number, expression in enumerate(invariants, start=1)
    }
    for number, condition in enumerate(conditions, start=1):
        predicates[condition] = parse_predicate(condition, f"<condition {number}>", net)
    steps: dict[str, frozenset[int]] = {}
    properties = [
        _property(text, f"<formula {number}>", net, predicates, steps) for number, text in enumerate(formulas, start=1)
    ]
    measure = None if progress is None else parse_sum(progress, "<progress>", net)
    return NetModel(net, path, language, sources, predicates, warnings, properties, steps, measure, queries)


def _property(
    text: str, source: str, net: PlaceTransitionNet, predicates: dict[str, Predicate], steps: dict[str, frozenset[int]]
) -> Temporal:
    from kripke.logic.parser import parse
    from kripke.model.property import Temporal

    def read_atom(whole: str, position: int) -> tuple[str, int]:
        if (firing := read_firing(whole, position, source, net)) is not None:
            transitions, end = firing
            steps[whole[position:end]] = transitions
            return whole[position:end], end
        predicate, end = read_condition(whole, position, source, net)
        name = whole[position:end]
        predicates[name] = predicate
        return name, end

    return Temporal(text, "ltl", text, formula=parse(text, source, read_atom))
