"""A place/transition net in terms: a variable for every place, a command for every transition.

A place that place invariants bound has that many values. Nobody knows how many tokens another may hold: it gets as many
values as ``room`` says, and where a transition would bring more, the encoding ends and says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kripke.model.capabilities.encodable import Encoding
from kripke.nets.interpreter import Interpreter
from kripke.nets.place_transition import PlaceTransitionNet
from kripke.nets.predicates import And as Both
from kripke.nets.predicates import AtLeastZero, Constant, Fireable, Not, Or, Predicate
from kripke.nets.structure.invariants import bounds, place_invariants
from kripke.terms.build import (
    FALSE,
    add,
    all_of,
    any_of,
    at_most,
    boolean,
    conjoin,
    constant,
    less,
    multiply,
    negate,
    variable,
)
from kripke.terms.sort import integers
from kripke.terms.system import Command, Limit, TransitionSystem, valued
from kripke.terms.term import Symbol, Term

MOST_INVARIANTS = 2_000  # they are looked for in no time; more of them take longer than they are worth
MOST_BITS = 47  # of tokens on a place (``MOST_TOKENS``)


def encoded(net: PlaceTransitionNet, predicates: Sequence[Predicate], room: int) -> Encoding:
    known = bounds(net, place_invariants(net, most=MOST_INVARIANTS) or [])
    most = (1 << min(room, MOST_BITS)) - 1
    largest = [max(known.get(place, most), tokens) for place, tokens in enumerate(net.initial)]
    symbols = [Symbol(place.name, integers(0, bound)) for place, bound in zip(net.places, largest, strict=True)]
    enabled = [at_least(symbols, dict(transition.preset)) for transition in net.transitions]
    commands: list[Command] = []
    limits: list[Limit] = []
    for number, transition in enumerate(net.transitions):
        guard = enabled[number]
        updates: dict[Symbol, Term] = {}
        for place, change in transition.changes:
            after = add(variable(symbols[place]), constant(change))
            updates[symbols[place]] = after
            if change > 0 and place not in known:
                over = less(constant(largest[place]), after)
                limits.append(Limit(conjoin(guard, over), too_many(net, place, largest[place])))
                guard = conjoin(guard, negate(over))
        commands.append(Command(guard, updates, 0, number))
    system = TransitionSystem(
        variables=symbols,
        initial=valued(symbols, [net.initial]),
        commands=commands,
        atoms=[lowered(predicate, symbols, enabled) for predicate in predicates],
        failed_atoms=[FALSE] * len(predicates),
        resting=negate(any_of(enabled)),
        limits=[limit for limit in limits if limit.condition is not FALSE],
    )
    interpreter = Interpreter(net)

    def values(state: bytes) -> tuple[int, ...]:
        tokens = tuple(interpreter.tokens(state))
        if any(count not in symbol.sort for count, symbol in zip(tokens, symbols, strict=True)):
            raise ValueError("more tokens than the encoding has room for")
        return tokens

    return Encoding(system, values, lambda tokens: interpreter.state(tuple(tokens)))


def too_many(net: PlaceTransitionNet, place: int, most: int) -> str:
    tokens = "token" if most == 1 else "tokens"
    return f"the place {net.places[place].name} gets more than {most:,} {tokens}"


def at_least(symbols: Sequence[Symbol], needed: Mapping[int, int]) -> Term:
    return all_of(at_most(constant(count), variable(symbols[place])) for place, count in needed.items())


def lowered(predicate: Predicate, symbols: Sequence[Symbol], enabled: Sequence[Term]) -> Term:
    match predicate:
        case Constant(value):
            return boolean(value)
        case AtLeastZero(terms, offset):
            weighted = (multiply(constant(factor), variable(symbols[place])) for place, factor in terms)
            return at_most(constant(0), add(*weighted, constant(offset)))
        case Fireable(transitions):
            return any_of(enabled[transition] for transition in transitions)
        case Not(operand):
            return negate(lowered(operand, symbols, enabled))
        case Both(operands):
            return all_of(lowered(operand, symbols, enabled) for operand in operands)
        case Or(operands):
            return any_of(lowered(operand, symbols, enabled) for operand in operands)
        case _:
            raise TypeError(predicate)
