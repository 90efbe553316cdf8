"""A high-level net as engines for place/transition nets see it: unfolded, with what a step of it may break.

The unfolded net knows no capacities, no definitions of implicit places and no ``reject`` conditions. These are
predicates on its places: as long as no marking that it reaches breaks one of them, it reaches exactly the markings of
the high-level net; and the first one on a way that does is an error of the high-level net. Where a place may hold
so many tokens at most, the net can have a place beside it for what is left (capacities "as places"): a step that
breaks the capacity cannot fire, and an unfolded net without bounds has them again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from time import perf_counter

from kripke.model.model import Part, Transition
from kripke.nets.high_level.interpreter import VIOLATIONS, Instance
from kripke.nets.high_level.marking import LONGEST
from kripke.nets.high_level.model import HighLevelModel
from kripke.nets.high_level.place_conditions import PlaceConditions, Truth, Untranslatable
from kripke.nets.high_level.terms import Term
from kripke.nets.high_level.unfolding import unfold
from kripke.nets.place_transition import Arc, Place, PlaceTransitionNet
from kripke.nets.place_transition import Transition as PlainTransition
from kripke.nets.place_transition_view import (
    Capacities,
    ErrorPredicate,
    ErrorPredicates,
    NotExpressible,
    PlaceTransitionView,
)
from kripke.nets.predicates import (
    AtLeastZero,
    Predicate,
    conjunction,
    disjunction,
    negation,
)

_OTHER_SEARCH = "choose another search"


class UnfoldedView(PlaceTransitionView):
    """NotExpressible where the unfolded net would not tell; ``pause`` is called now and then and may raise."""

    def __init__(self, model: HighLevelModel, pause: Callable[[], None], capacities: Capacities) -> None:
        begin = perf_counter()
        self.model = self._high = model
        try:
            self.unfolding = unfold(model.net, pause)
        except NotExpressible as refusal:
            raise NotExpressible(f"{refusal}: {_OTHER_SEARCH}") from refusal
        self.net = self.unfolding.net
        self._limits: dict[int, int] = {}
        if capacities == "as places":
            self._limit()
        self._refuse_long_markings()
        self._conditions = PlaceConditions(model.net, self.unfolding)
        self._terms = {condition.name: condition.term for condition in model.conditions}
        self._parts = [model.part(Instance(number, values, None)) for number, values in self.unfolding.instances]
        self.errors = ErrorPredicates(
            tuple(self._forbidden()), tuple(self._ends()), (*self._too_full(), *self._failing())
        )
        self.seconds = perf_counter() - begin

    def predicate(self, atom: str) -> Predicate:
        return self._truth(self._terms[atom], atom).counts_as_true

    def fails(self, atom: str) -> Predicate:
        return self._truth(self._terms[atom], atom).fails

    @cached_property
    def stuck(self) -> Predicate:
        return disjunction([self._truth(one.term, "deadlock").counts_as_true for one in self._high.net.deadlocks])

    def step(self, state: bytes, transition: int) -> Transition | None:
        wanted: Part = self._parts[transition]
        for step in self.model.each_successor(state):
            if step.parts == (wanted,) or self.model.forbids(step.parts[0].statement):
                return step
        return None

    def _truth(self, term: Term, name: str) -> Truth:
        try:
            return self._conditions.truth(term)
        except Untranslatable as refusal:
            raise NotExpressible(f"{name} cannot be asked of the unfolded net, {refusal}: {_OTHER_SEARCH}") from refusal

    # --- capacities ---------------------------------------------------------------------------------------------------

    def _growth(self, place: int, transition: PlainTransition) -> int:
        """How many tokens a transition adds to a place of the high-level net."""
        tokens = self.unfolding.tokens
        changes = (arc for arc in transition.changes if arc.place < len(tokens))
        return sum(arc.weight for arc in changes if tokens[arc.place][0] == place)

    def _limit(self) -> None:
        """A place for what is left of a capacity, where there is a greatest number and transitions add tokens."""
        places, transitions = list(self.net.places), list(self.net.transitions)
        for number, place in enumerate(self._high.net.places):
            growths = [self._growth(number, transition) for transition in transitions]
            if place.capacity is None or max(growths, default=0) <= 0:
                continue
            at = self._limits[number] = len(places)
            held = sum(places[n].initial for n, (of, _) in enumerate(self.unfolding.tokens) if of == number)
            places.append(Place(f"room in {place.name}", place.capacity[-1][1] - held))
            for position, growth in enumerate(growths):
                one = transitions[position]
                taken, given = (Arc(at, growth),) if growth > 0 else (), (Arc(at, -growth),) if growth < 0 else ()
                transitions[position] = replace(one, preset=one.preset + taken, postset=one.postset + given)
        self.net = PlaceTransitionNet(self.net.name, tuple(places), tuple(transitions))

    def _too_full(self) -> Iterator[ErrorPredicate]:
        """Steps for which there is no room."""
        for place, room in self._limits.items():
            cases = []
            for transition in self.net.transitions:
                needed = next((arc.weight for arc in transition.preset if arc.place == room), 0)
                if needed:
                    rest = [_at_least(arc) for arc in transition.preset if arc.place < len(self.unfolding.tokens)]
                    cases.append(conjunction([*rest, negation(_at_least(Arc(room, needed)))]))
            yield _error(disjunction(cases), "capacity", self._high.net.places[place].name)

    def _refuse_long_markings(self) -> None:
        """A marking that takes too many bytes is an error that no predicate tells of."""
        bits = sum(32 + self._high.net.places[place].type.bits for place, _ in self.unfolding.tokens)
        bits += 68 * len(self._high.net.places)
        if bits > LONGEST * 8:
            raise NotExpressible(f"markings of the net may take more than {LONGEST:,} bytes: {_OTHER_SEARCH}")

    # --- what no run may do -------------------------------------------------------------------------------------------

    def _forbidden(self) -> Iterator[ErrorPredicate]:
        for number, place in enumerate(self._high.net.places):
            if place.capacity is not None and not self._is_kept(number):
                yield _error(negation(self._conditions.capacity(number)), "capacity", place.name)
            if place.implicit:
                try:
                    kept = self._conditions.kept(number)
                except Untranslatable as refusal:
                    raise NotExpressible(
                        f"the definition of the implicit place {place.name} cannot be asked of the unfolded net, "
                        f"{refusal}: {_OTHER_SEARCH}"
                    ) from refusal
                yield _error(negation(kept), "implicit", place.name)

    def _is_kept(self, place: int) -> bool:
        """Can no step break a capacity but by taking the last room?"""
        capacity = self._high.net.places[place].capacity
        assert capacity is not None
        growths = [self._growth(place, transition) for transition in self.net.transitions]
        above = place in self._limits or max(growths, default=0) <= 0
        below = capacity[0][0] == 0 or min(growths, default=0) >= 0
        return above and below and (len(capacity) == 1 or not any(growths))

    def _ends(self) -> Iterator[ErrorPredicate]:
        first = len(self._high.net.transitions)
        for number, reject in enumerate(self._high.net.rejects):
            where = self._truth(reject.term, f"reject {reject.name}").counts_as_true
            yield _error(where, "reject", f"reject {reject.name}", first + number)

    def _failing(self) -> Iterator[ErrorPredicate]:
        found: dict[tuple[int, str], dict[tuple[Arc, ...], None]] = {}
        for failure in self.unfolding.failures:
            found.setdefault((failure.transition, failure.error), {})[failure.preset] = None
        for (transition, error), presets in found.items():
            where = disjunction([conjunction([_at_least(arc) for arc in preset]) for preset in presets])
            yield _error(where, error, self._high.net.transitions[transition].name, transition)


def _at_least(arc: Arc) -> Predicate:
    return AtLeastZero(((arc.place, 1),), -arc.weight)


def _error(where: Predicate, kind: str, name: str, statement: int = -1) -> ErrorPredicate:
    return ErrorPredicate(where, kind, f"{VIOLATIONS[kind]}: {name}", statement)
