"""From a symmetric net to a place/transition net: one place per colour that can be there, one transition per binding.

Only what may happen is made: tokens of the initial marking enable bindings, those bring further tokens, and so on until
nothing is new (as if no token were ever taken away). Bindings are found by unification: each new token is matched
with the arcs that could take it, the other arcs of the transition with the tokens found so far; the guard is tested as
early as its variables allow.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from kripke.deadline import current
from kripke.model.source import Sources
from kripke.nets.place_transition import Place, PlaceTransitionNet, Transition, arcs
from kripke.nets.symmetric.net import ColouredArc, ColouredTransition, SymmetricNet
from kripke.nets.symmetric.sorts import DOT, Colour
from kripke.nets.symmetric.terms import (
    Binding,
    ColourTerm,
    Comparison,
    EvaluationError,
    Guard,
    Sum,
    Term,
    Times,
    Variable,
)

#: A net with more instances than this would not be checked in any reasonable time.
_LOOK_EVERY = 256  # transitions between two looks at the clock
MOST_TRANSITIONS = 3_000_000
LARGEST_WEIGHT = (1 << 31) - 1

Token = tuple[int, Colour]


def unfold(net: SymmetricNet, sources: Sources) -> PlaceTransitionNet:
    """The unfolded net, in which the names of coloured places and transitions stand for all their instances."""
    return _Unfolding(net, sources).result()


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A token an arc takes, as a term that can be matched."""

    place: int
    term: ColourTerm
    variables: frozenset[str]


@dataclass(slots=True)
class _Rule:
    """A transition made ready: patterns of what it takes, arcs that can only be evaluated, and the guard in parts."""

    transition: ColouredTransition
    patterns: list[_Pattern]
    opaque: list[ColouredArc]
    conjuncts: list[tuple[frozenset[str], Guard]]
    names: tuple[str, ...]
    instances: dict[tuple[Colour, ...], tuple[dict[Token, int], dict[Token, int]]] = field(default_factory=dict)


class _Unfolding:
    def __init__(self, net: SymmetricNet, sources: Sources) -> None:
        self.net = net
        self.sources = sources
        self.tokens: list[dict[Colour, None]] = [{} for _ in net.places]  # those dealt with, in the order they came
        self.found: set[Token] = set()
        self.queue: deque[Token] = deque()
        self.count = 0
        self.rules = [_rule(transition) for transition in net.transitions]
        self.takers: list[list[tuple[_Rule, int]]] = [[] for _ in net.places]  # with the number of the pattern
        self.opaque_takers: list[list[_Rule]] = [[] for _ in net.places]
        for rule in self.rules:
            for number, pattern in enumerate(rule.patterns):
                self.takers[pattern.place].append((rule, number))
            for arc in rule.opaque:
                if rule not in self.opaque_takers[arc.place]:
                    self.opaque_takers[arc.place].append(rule)

    def result(self) -> PlaceTransitionNet:
        for place, coloured in enumerate(self.net.places):
            for colour in coloured.initial:
                self._discover((place, colour))
        for rule in self.rules:
            if not rule.patterns:
                self._instantiate(rule, {}, ())
        deadline = current()
        while self.queue:
            deadline()
            place, colour = self.queue.popleft()
            self.tokens[place][colour] = None
            for rule, number in self.takers[place]:
                binding: Binding = {}
                if rule.patterns[number].term.unify(colour, binding, []):
                    self._instantiate(rule, binding, (number,))
            for rule in self.opaque_takers[place]:
                self._instantiate(rule, {}, ())
        return self._built()

    def _discover(self, token: Token) -> None:
        if token not in self.found:
            self.found.add(token)
            self.queue.append(token)

    def _instantiate(self, rule: _Rule, binding: Binding, matched: tuple[int, ...]) -> None:
        """Every binding that extends this one and takes tokens found so far."""
        patterns = [pattern for number, pattern in enumerate(rule.patterns) if number not in matched]
        if not self._guard_holds(rule, binding, frozenset()):
            return
        for complete in self._complete(rule, binding, patterns):
            key = tuple(complete[name] for name in rule.names)
            if key in rule.instances:
                continue
            taken = self._taken(rule, complete)
            if taken is None:
                continue
            brought = self._total(rule.transition.outputs, complete)
            rule.instances[key] = (taken, brought)
            self.count += 1
            if self.count % _LOOK_EVERY == 0:
                current()()
            if self.count > MOST_TRANSITIONS:
                raise self.sources.error(
                    f"the unfolded net has more than {MOST_TRANSITIONS:,} transitions", rule.transition.span
                )
            for token in brought:
                self._discover(token)

    def _guard_holds(self, rule: _Rule, binding: Binding, before: frozenset[str]) -> bool:
        """Test what can be tested now and could not be when only ``before`` was bound."""
        known = binding.keys()
        return all(
            guard.holds(binding)
            for variables, guard in rule.conjuncts
            if variables <= known and (not before or not variables <= before)
        )

    def _complete(self, rule: _Rule, binding: Binding, patterns: list[_Pattern]) -> Iterator[Binding]:
        while patterns:
            known = binding.keys()
            best = min(patterns, key=lambda p: (not p.variables <= known, len(self.tokens[p.place])))
            patterns = [pattern for pattern in patterns if pattern is not best]
            if best.variables <= known:
                if best.term.value(binding) not in self.tokens[best.place]:
                    return
                continue
            before = frozenset(known)
            for colour in list(self.tokens[best.place]):
                bound: list[str] = []
                if best.term.unify(colour, binding, bound) and self._guard_holds(rule, binding, before):
                    yield from self._complete(rule, binding, patterns)
                for name in bound:
                    del binding[name]
            return
        yield from self._free(rule, binding)

    def _free(self, rule: _Rule, binding: Binding) -> Iterator[Binding]:
        """Variables no arc determines: by an equation of the guard where there is one, else every colour."""
        missing = [name for name in rule.names if name not in binding]
        if not missing:
            yield binding
            return
        before = frozenset(binding)
        name, colours = missing[0], None
        for candidate in missing:
            solved = _solved(rule, candidate, binding)
            if solved is not None:
                name, colours = candidate, solved
                break
        for colour in self.net_colours(rule, name) if colours is None else colours:
            binding[name] = colour
            if self._guard_holds(rule, binding, before):
                yield from self._free(rule, binding)
            del binding[name]

    def net_colours(self, rule: _Rule, name: str) -> Iterator[Colour]:
        return rule.transition.variables[name].colours()

    def _taken(self, rule: _Rule, binding: Binding) -> dict[Token, int] | None:
        """What the instance takes; None where it takes what has not been found."""
        taken = self._total(rule.transition.inputs, binding)
        return taken if all(colour in self.tokens[place] for place, colour in taken) else None

    def _total(self, coloured: tuple[ColouredArc, ...], binding: Binding) -> dict[Token, int]:
        total: dict[Token, int] = {}
        for arc in coloured:
            try:
                tokens = arc.term.tokens(binding)
            except EvaluationError:
                raise self.sources.error(
                    "the inscription of this arc has a negative number of some colour", arc.span
                ) from None
            for colour, number in tokens.items():
                token = (arc.place, colour)
                total[token] = total.get(token, 0) + number
                if total[token] > LARGEST_WEIGHT:
                    raise self.sources.error(f"the weight is out of range: at most {LARGEST_WEIGHT:,}", arc.span)
        return total

    # --- the net ------------------------------------------------------------------------------------------------------

    def _built(self) -> PlaceTransitionNet:
        numbers: dict[Token, int] = {}
        places: list[Place] = []
        groups: dict[str, tuple[int, ...]] = {}
        classes: list[tuple[int, ...]] = []
        for number, coloured in enumerate(self.net.places):
            first = len(places)
            for colour in sorted(self.tokens[number]):
                numbers[(number, colour)] = len(places)
                name = coloured.name if coloured.sort is DOT else f"{coloured.name}[{coloured.sort.text(colour)}]"
                places.append(Place(name, coloured.initial.get(colour, 0), coloured.span))
            classes.append(tuple(range(first, len(places))))
            groups[coloured.identifier] = groups[coloured.name] = classes[-1]
        transitions: list[Transition] = []
        transition_groups: dict[str, tuple[int, ...]] = {}
        transition_classes: list[tuple[int, ...]] = []
        for rule in self.rules:
            first = len(transitions)
            for key in sorted(rule.instances):
                taken, brought = rule.instances[key]
                transitions.append(
                    Transition(
                        self._instance_name(rule, key),
                        arcs({numbers[token]: weight for token, weight in taken.items()}),
                        arcs({numbers[token]: weight for token, weight in brought.items()}),
                        rule.transition.span,
                    )
                )
            transition_classes.append(tuple(range(first, len(transitions))))
            transition = rule.transition
            transition_groups[transition.identifier] = transition_groups[transition.name] = transition_classes[-1]
        return PlaceTransitionNet(
            self.net.name,
            tuple(places),
            tuple(transitions),
            groups,
            transition_groups,
            tuple(classes),
            tuple(transition_classes),
        )

    def _instance_name(self, rule: _Rule, key: tuple[Colour, ...]) -> str:
        if not rule.names:
            return rule.transition.name
        values = (
            f"{self.net.variable_names[name]}={rule.transition.variables[name].text(colour)}"
            for name, colour in zip(rule.names, key, strict=True)
        )
        return f"{rule.transition.name}[{','.join(values)}]"


def _rule(transition: ColouredTransition) -> _Rule:
    patterns: list[_Pattern] = []
    opaque: list[ColouredArc] = []
    for arc in transition.inputs:
        terms = _single_colours(arc.term)
        if terms is None:
            opaque.append(arc)
        else:
            patterns += [_Pattern(arc.place, term, term.variables()) for term in terms]
    conjuncts = [(conjunct.variables(), conjunct) for conjunct in transition.guard.conjuncts()]
    return _Rule(transition, patterns, opaque, conjuncts, tuple(transition.variables))


def _single_colours(term: Term) -> list[ColourTerm] | None:
    """The colours of a sum of single colours; None where the term is not such a sum."""
    match term:
        case ColourTerm():
            return [term]
        case Times(number, operand) if number > 0:
            return _single_colours(operand)
        case Sum(operands):
            found: list[ColourTerm] = []
            for operand in operands:
                single = _single_colours(operand)
                if single is None:
                    return None
                found += single
            return found
        case _:
            return None


def _solved(rule: _Rule, name: str, binding: Binding) -> list[Colour] | None:
    """The only colour an equation of the guard leaves for a variable."""
    known = binding.keys()
    for variables, guard in rule.conjuncts:
        if name not in variables or not isinstance(guard, Comparison) or guard.operator != "==" or guard.shift:
            continue
        for side, other in ((guard.left, guard.right), (guard.right, guard.left)):
            if isinstance(side, Variable) and side.name == name and other.variables() <= known:
                return [other.value(binding)]
    return None
