"""Properties of runs on diagrams: the observer state by state, the model by sets.

Of what the product of model and observer reaches, only that is kept from which every acceptance set can be reached
again and again (Emerson, Lei: Efficient model checking in fragments of the propositional mu-calculus, LICS 1986). What
is left at the end lies on wrong runs, and a lasso is found inside it. Inside a step of the model the observer waits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from kripke.engines.diagrams.fairness import Event, events_of
from kripke.engines.diagrams.manager import Node
from kripke.engines.diagrams.space import Relation, Space
from kripke.engines.observed import Pair, WrongRun
from kripke.model.observer import Observer, ObserverEdge

# Of every state of the observer, the states of the model with it.
Product = dict[int, Node]


class WrongRuns:
    """Runs of a system that an observer accepts, or at which it raises an alarm."""

    def __init__(
        self, space: Space, observer: Observer, reached: Node, pause: Callable[[], None], fair: str | None = None
    ) -> None:
        self.space, self.observer, self.reached = space, observer, reached
        self.events = events_of(space, observer, fair, reached)
        self.nothing = space.manager.false
        self._pause = pause
        self.resting = space.resting(reached) if observer.stutters else self.nothing
        atoms = [space.truth(term) for term in space.system.atoms]
        self.edges = [
            (source, edge, self._guard(edge, atoms) & reached & space.stable)
            for source, edges in enumerate(observer.edges)
            for edge in edges
        ]

    def _guard(self, edge: ObserverEdge, atoms: Sequence[Node]) -> Node:
        found = self.nothing
        for cube in edge.guard:
            part = self.space.manager.true
            for number, wanted in cube.literals():
                part &= atoms[number] if wanted else ~atoms[number]
            found |= part
        return found

    def _empty(self) -> Product:
        return dict.fromkeys(range(len(self.observer.edges)), self.nothing)

    def find(self) -> WrongRun | None:
        layers = self._layers()
        here = dict.fromkeys(self._empty(), self.nothing)
        for layer in layers:
            for state, part in layer.items():
                here[state] |= part
        for source, edge, guard in self.edges:
            if edge.alarm >= 0 and here[source] & guard != self.nothing:
                pair = source, self.space.one(here[source] & guard)
                return WrongRun(self._stem(layers, pair), edge.alarm)
        for breach in self.space.system.breaches:
            where = self.space.truth(breach.condition) & self.reached
            for state, states in here.items() if where != self.nothing else ():
                broken = states & where & self._moving(state)
                if broken != self.nothing:
                    pair = state, self.space.one(broken)
                    return WrongRun(self._stem(layers, pair), breach=breach)
        hull = self.hull(here)
        if all(part == self.nothing for part in hull.values()):
            return None
        return self._lasso(layers, hull)

    def _moving(self, state: int) -> Node:
        """Where the observer goes along with a step."""
        found = ~self.space.stable
        for source, edge, guard in self.edges:
            if source == state and edge.alarm < 0:
                found |= guard
        return found

    # --- steps --------------------------------------------------------------------------------------------------------

    def _after(self, start: Product) -> Product:
        """One command of the model; in stable states the observer moves with it."""
        space, found = self.space, self._empty()
        for state, states in start.items():
            inside = states & ~space.stable
            if inside != self.nothing:
                found[state] |= space.after(inside)
        images: dict[Node, Node] = {}
        for source, edge, guard in self.edges:
            states = start[source] & guard
            if edge.alarm >= 0 or states == self.nothing:
                continue
            if states not in images:
                images[states] = space.after(states) | (states & self.resting)
            found[edge.target] |= images[states]
        return found

    def _before(
        self, goal: Product, within: Product, marks: int | None = None, by: Sequence[Relation] | None = None
    ) -> Product:
        """From where one command leads to the goal; with ``marks``: along an edge of one of these sets; ``by``: by
        one of these relations."""
        space, found = self.space, self._empty()
        resting = self.resting if by is None else self.nothing
        back: dict[int, Node] = {}
        for state, states in goal.items():
            if states != self.nothing:
                back[state] = space.before(states, by)
                if marks is None:
                    found[state] |= back[state] & ~space.stable & within[state]
        for source, edge, guard in self.edges:
            if edge.alarm >= 0 or edge.target not in back or (marks is not None and not edge.marks & marks):
                continue
            start = within[source] & guard
            found[source] |= start & (back[edge.target] | (goal[edge.target] & resting))
        return found

    def _layers(self) -> list[Product]:
        """The product, in layers from the initial states on."""
        start = self._empty()
        for state in self.observer.initial:
            start[state] = self.space.initial
        here, layers = dict(start), [start]
        while True:
            self._pause()
            new = {state: part & ~here[state] for state, part in self._after(layers[-1]).items()}
            if all(part == self.nothing for part in new.values()):
                return layers
            here = {state: here[state] | part for state, part in new.items()}
            layers.append(new)

    # --- what is kept -------------------------------------------------------------------------------------------------

    def hull(self, here: Product) -> Product:
        """Of these, everything from which a run goes on within them for ever that has every event.

        A state that demands an event stays only if the event can still come (Kesten, Pnueli, Raviv: Algorithmic
        verification of linear temporal logic specifications, ICALP 1998).
        """
        while True:
            self._pause()
            kept = here
            for event in self.events:
                reaching = self._reaching(self._happens(event, kept), kept)
                if event.demanded is None:
                    kept = reaching
                else:
                    kept = {s: (part & ~event.demanded) | reaching[s] for s, part in kept.items()}
            # Every run must come to a stable state again and again: inside a step nothing goes on for ever.
            stable = {state: part & self.space.stable for state, part in kept.items()}
            kept = self._reaching(self._before(stable, kept), kept)
            if kept == here:
                return here
            here = kept

    def _happens(self, event: Event, within: Product) -> Product:
        """Where an event can come, or is."""
        found = self._before(within, within, event.marks) if event.marks else self._empty()
        if event.relations:
            moved = self._before(within, within, by=event.relations)
            found = {state: found[state] | moved[state] for state in found}
        return {state: found[state] | (part & event.states) for state, part in within.items()}

    def _reaching(self, goal: Product, within: Product) -> Product:
        """Everything within from which the goal is reached."""
        here, new = goal, goal
        while any(part != self.nothing for part in new.values()):
            self._pause()
            more = self._before(new, within)
            new = {state: more[state] & ~here[state] for state in here}
            here = {state: here[state] | new[state] for state in here}
        return here

    # --- a run to show ------------------------------------------------------------------------------------------------

    def _only(self, pair: Pair) -> Product:
        found = self._empty()
        found[pair[0]] = self.space.only(pair[1])
        return found

    def _stem(self, layers: Sequence[Product], pair: Pair) -> list[Pair]:
        """Back through the layers."""
        path = [pair]
        index = next(i for i, layer in enumerate(layers) if self._in(pair, layer))
        while index > 0:
            index -= 1
            path.append(self._pick(self._before(self._only(path[-1]), layers[index])))
        return path[::-1]

    def _in(self, pair: Pair, product: Product) -> bool:
        return bool(self.space.only(pair[1]) & product[pair[0]] != self.nothing)

    def _pick(self, product: Product) -> Pair:
        state = next(state for state, part in product.items() if part != self.nothing)
        return state, self.space.one(product[state])

    def _lasso(self, layers: Sequence[Product], hull: Product) -> WrongRun:
        """From a state of the hull to an edge of every set in turn, until the way closes. Where it does not, it has
        come to a component further down, which has all sets as well."""
        start = next(
            pair
            for layer in layers
            for state in layer
            if (part := layer[state] & hull[state] & self.space.stable) != self.nothing
            for pair in [(state, self.space.one(part))]
        )
        while True:
            way = [start]
            for event in self.events:
                way = self._towards(way, hull, event)
            if len(way) == 1:  # no set asks for anything: any step will do
                way.append(self._pick(self._meeting(self._after(self._only(way[-1])), hull)))
            back = self._way_back(way[-1], start, hull)
            if back is not None:
                stem = self._stem(layers, start)
                return WrongRun(stem + way[1:] + back[1:], loop=len(stem) - 1)
            start = way[-1]

    def _meeting(self, a: Product, b: Product) -> Product:
        return {state: a[state] & b[state] for state in a}

    def _towards(self, way: list[Pair], hull: Product, event: Event) -> list[Pair]:
        """Go on until the event has come. Where it cannot come any more, nothing demands it."""
        goal = self._happens(event, hull)
        try:
            way = way + self._shortest(way[-1], goal, hull)[1:]
        except LookupError:
            assert event.demanded is not None
            return way
        source, values = way[-1]
        here = self.space.only(values)
        if here & event.states != self.nothing:
            return way
        for target in self._taken(source, here, event, hull):
            return [*way, target]
        raise AssertionError("the event was there")

    def _taken(self, source: int, here: Node, event: Event, hull: Product) -> Iterator[Pair]:
        """Where a step leads that is the event."""
        stable = here & self.space.stable != self.nothing
        by_relation = self.space.after(here, event.relations) if event.relations else self.nothing
        if not stable and by_relation & hull[source] != self.nothing:
            yield source, self.space.one(by_relation & hull[source])
        for state, edge, guard in self.edges:
            if state != source or edge.alarm >= 0 or here & guard == self.nothing:
                continue
            targets = by_relation
            if edge.marks & event.marks:
                targets = targets | self.space.after(here) | (here & self.resting)
            targets = targets & hull[edge.target]
            if targets != self.nothing:
                yield edge.target, self.space.one(targets)

    def _way_back(self, start: Pair, goal: Pair, hull: Product) -> list[Pair] | None:
        if start == goal:
            return [start]
        try:
            return self._shortest(start, self._only(goal), hull)
        except LookupError:
            return None

    def _shortest(self, start: Pair, goal: Product, hull: Product) -> list[Pair]:
        """LookupError where there is no way inside the hull."""
        layers = [self._only(start)]
        here = layers[0]
        while True:
            met = self._meeting(layers[-1], goal)
            if any(part != self.nothing for part in met.values()):
                break
            self._pause()
            after = self._meeting(self._after(layers[-1]), hull)
            new = {state: after[state] & ~here[state] for state in here}
            if all(part == self.nothing for part in new.values()):
                raise LookupError
            here = {state: here[state] | new[state] for state in here}
            layers.append(new)
        path = [self._pick(met)]
        for layer in reversed(layers[:-1]):
            path.append(self._pick(self._before(self._only(path[-1]), layer)))
        return path[::-1]
