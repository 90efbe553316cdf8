"""Smaller nets with the same answers: structural reductions that keep what a query asks.

A query is about the tokens on some *protected* places (is a marking with a certain property reachable?), or about
deadlocks. Each rule says what it keeps. A transition of the reduced net stands for a sequence of transitions of the
original one, so that a way to a marking can be followed in the original net.

G. Berthelot, Transformations and decompositions of nets, Advances in Petri Nets 1986; Y. Thierry-Mieg, Structural
reductions revisited, Petri Nets 2020.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from kripke.deadline import current
from kripke.nets.place_transition import Place, PlaceTransitionNet, Transition, arcs

Keep = Literal["reachability", "deadlock", "runs"]
Weights = dict[int, int]

_LONGEST = 10.0  # seconds
_LOOK_EVERY = 16  # places or transitions between two looks at the clock
_MOST_NEW = 16  # transitions an agglomeration may make beyond those it takes away


@dataclass(frozen=True, slots=True)
class Reduced:
    """``places[i]`` is the number in the original net of place i, ``sequences[t]`` what transition t stands for."""

    net: PlaceTransitionNet
    places: tuple[int, ...]
    sequences: tuple[tuple[int, ...], ...]

    def place_numbers(self) -> dict[int, int]:
        """Of the places that were kept, original number to new number."""
        return {original: number for number, original in enumerate(self.places)}


def reduce_net(net: PlaceTransitionNet, protected: frozenset[int], keep: Keep) -> Reduced:
    """Apply every rule until none changes anything, or the time for it is over: every single change keeps what is to be
    kept. For deadlocks nothing needs protection.

    "runs" keeps what is seen of the protected places along maximal runs, but for how often it repeats: a step that is
    joined with another changes no protected place, and no run consists of such steps alone in the end.
    """
    mutable = MutableNet(net, frozenset() if keep == "deadlock" else protected)
    rules = RULES[keep]
    changed = True
    while changed and not mutable.end.is_over:
        changed = False
        for rule in rules:
            changed |= rule(mutable)
    return mutable.reduced()


class MutableNet:
    """A net under change: places and transitions by their numbers, those that are gone not among the keys."""

    def __init__(self, net: PlaceTransitionNet, protected: frozenset[int]) -> None:
        self.net = net
        self.protected = protected
        self.end = current().within(_LONGEST)
        self.tokens: dict[int, int] = dict(enumerate(net.initial))
        self.pre: dict[int, Weights] = {}
        self.post: dict[int, Weights] = {}
        self.sequences: dict[int, tuple[int, ...]] = {}
        self.consumers: dict[int, set[int]] = {place: set() for place in self.tokens}
        self.producers: dict[int, set[int]] = {place: set() for place in self.tokens}
        self._next = 0
        for number, transition in enumerate(net.transitions):
            self.add(dict(transition.preset), dict(transition.postset), (number,))

    def add(self, pre: Weights, post: Weights, sequence: tuple[int, ...]) -> None:
        number = self._next
        self._next += 1
        self.pre[number], self.post[number], self.sequences[number] = pre, post, sequence
        for place in pre:
            self.consumers[place].add(number)
        for place in post:
            self.producers[place].add(number)

    def drop_transition(self, transition: int) -> None:
        for place in self.pre.pop(transition):
            self.consumers[place].discard(transition)
        for place in self.post.pop(transition):
            self.producers[place].discard(transition)
        del self.sequences[transition]

    def drop_place(self, place: int) -> None:
        for transition in self.consumers.pop(place):
            del self.pre[transition][place]
        for transition in self.producers.pop(place):
            del self.post[transition][place]
        del self.tokens[place]

    def in_time(self, numbers: Iterable[int]) -> Iterator[int]:
        """Those that are there now, one after the other, as long as there is time for the reduction."""
        for count, number in enumerate(list(numbers)):
            if count % _LOOK_EVERY == 0 and self.end.is_over:
                return
            yield number

    def effect(self, transition: int) -> Weights:
        effect = dict(self.post[transition])
        for place, weight in self.pre[transition].items():
            effect[place] = effect.get(place, 0) - weight
        return {place: change for place, change in effect.items() if change}

    def change(self, transition: int, place: int) -> int:
        return self.post[transition].get(place, 0) - self.pre[transition].get(place, 0)

    def reduced(self) -> Reduced:
        places = tuple(sorted(self.tokens))
        numbers = {place: number for number, place in enumerate(places)}
        names = self.net.transitions
        transitions = tuple(
            Transition(
                "; ".join(names[part].name for part in self.sequences[t]),
                arcs({numbers[place]: weight for place, weight in self.pre[t].items()}),
                arcs({numbers[place]: weight for place, weight in self.post[t].items()}),
                names[self.sequences[t][-1]].span,
            )
            for t in sorted(self.pre)
        )
        kept = tuple(self.net.places[place] for place in places)
        net = PlaceTransitionNet(self.net.name, tuple(Place(p.name, p.initial, p.span) for p in kept), transitions)
        return Reduced(net, places, tuple(self.sequences[t] for t in sorted(self.pre)))


# --- rules: each returns whether it changed anything ------------------------------------------------------------------


def drop_dead_transitions(mutable: MutableNet) -> bool:
    """Transitions that take from the largest siphon without tokens can never fire. Keeps everything.

    A siphon is a set of places such that who brings tokens into it takes some from it: empty once, empty for ever.
    """
    marked = {place for place, tokens in mutable.tokens.items() if tokens}
    waiting = {transition: len(pre.keys() - marked) for transition, pre in mutable.pre.items()}
    ready = [transition for transition, count in waiting.items() if count == 0]
    while ready:
        for place in mutable.post[ready.pop()]:
            if place in marked:
                continue
            marked.add(place)
            for transition in mutable.consumers[place]:
                waiting[transition] -= 1
                if waiting[transition] == 0:
                    ready.append(transition)
    dead = [transition for transition, count in waiting.items() if count > 0]
    for transition in dead:
        mutable.drop_transition(transition)
    return bool(dead)


def drop_constant_places(mutable: MutableNet) -> bool:
    """A place no transition changes: who needs more than it has is dead, for the others it is no condition. Keeps
    everything."""
    changed = False
    for place in mutable.in_time(mutable.tokens):
        touching = mutable.consumers[place] | mutable.producers[place]
        if any(mutable.change(transition, place) for transition in touching):
            continue
        for transition in [t for t in mutable.consumers[place] if mutable.pre[t][place] > mutable.tokens[place]]:
            mutable.drop_transition(transition)
            changed = True
        if place not in mutable.protected:
            mutable.drop_place(place)
            changed = True
    return changed


def drop_implicit_places(mutable: MutableNet) -> bool:
    """A place that never is the reason why a transition cannot fire: nobody takes from it, or another one always has
    at most as many tokens and is needed wherever it is, at least as much. Keeps everything."""
    changed = False
    for place in mutable.in_time(mutable.tokens):
        if place in mutable.protected:
            continue
        consumers = mutable.consumers[place]
        if not consumers or _is_implied(mutable, place):
            mutable.drop_place(place)
            changed = True
    return changed


def _is_implied(mutable: MutableNet, place: int) -> bool:
    consumers = mutable.consumers[place]
    some = min(consumers, key=lambda t: len(mutable.pre[t]))
    for other in mutable.pre[some]:
        if other == place or mutable.tokens[place] < mutable.tokens[other] or not consumers <= mutable.consumers[other]:
            continue
        if any(mutable.pre[t][place] > mutable.pre[t][other] for t in consumers):
            continue
        touching = consumers | mutable.producers[place] | mutable.consumers[other] | mutable.producers[other]
        if all(mutable.change(t, place) >= mutable.change(t, other) for t in touching):
            return True
    return False


def drop_dominated_transitions(mutable: MutableNet) -> bool:
    """Of two transitions with the same effect, the one that needs as much or more is superfluous. Keeps everything."""
    groups: dict[tuple[tuple[int, int], ...], list[int]] = {}
    for transition in sorted(mutable.pre):
        groups.setdefault(tuple(sorted(mutable.effect(transition).items())), []).append(transition)
    changed = False
    for group in groups.values():
        kept: list[int] = []
        for transition in mutable.in_time(sorted(group, key=lambda t: (sum(mutable.pre[t].values()), t))):
            pre = mutable.pre[transition]
            if any(all(pre.get(p, 0) >= weight for p, weight in mutable.pre[k].items()) for k in kept):
                mutable.drop_transition(transition)
                changed = True
            else:
                kept.append(transition)
    return changed


def drop_idle_transitions(mutable: MutableNet) -> bool:
    """A transition without effect leads nowhere. Keeps reachability (but it may be all that is never dead)."""
    idle = [transition for transition in mutable.pre if not mutable.effect(transition)]
    for transition in idle:
        mutable.drop_transition(transition)
    return bool(idle)


def drop_irrelevant(mutable: MutableNet) -> bool:
    """Places that no protected place depends on, and transitions that change only such. Keeps reachability: what is
    left can happen whatever the rest does, and does not need it."""
    relevant = set(mutable.protected)
    waiting = list(relevant)
    useful: set[int] = set()
    while waiting:
        place = waiting.pop()
        for transition in mutable.consumers[place] | mutable.producers[place]:
            if transition in useful or not mutable.change(transition, place):
                continue
            useful.add(transition)
            for needed in mutable.pre[transition]:
                if needed not in relevant:
                    relevant.add(needed)
                    waiting.append(needed)
    changed = False
    for transition in [t for t in mutable.pre if t not in useful]:
        mutable.drop_transition(transition)
        changed = True
    for place in [p for p in mutable.tokens if p not in relevant]:
        mutable.drop_place(place)
        changed = True
    return changed


def agglomerate(mutable: MutableNet) -> bool:
    """Join who brings a token to a place and who takes it to one step, and drop the place. Keeps both.

    *Post*: who takes needs nothing else, and brings nothing to protected places: it may as well come at once.
    *Pre*: who brings does nothing else, and nobody else takes what it needs, nothing of which is protected: it may as
    well wait. The place is empty at the start; all its arcs have weight 1, and nobody both brings and takes.
    """
    changed = False
    for place in mutable.in_time(mutable.tokens):
        if place in mutable.protected or mutable.tokens[place]:
            continue
        before, after = mutable.producers[place], mutable.consumers[place]
        if not before or not after or before & after:
            continue
        if len(before) * len(after) > len(before) + len(after) + _MOST_NEW:
            continue
        if any(mutable.post[h][place] != 1 for h in before) or any(mutable.pre[f][place] != 1 for f in after):
            continue
        if not _may_come_at_once(mutable, after) and not _may_wait(mutable, before):
            continue
        _join(mutable, place)
        changed = True
    return changed


def _may_come_at_once(mutable: MutableNet, after: set[int]) -> bool:
    return all(len(mutable.pre[f]) == 1 and not mutable.post[f].keys() & mutable.protected for f in after)


def _may_wait(mutable: MutableNet, before: set[int]) -> bool:
    return all(
        len(mutable.post[h]) == 1
        and mutable.pre[h]
        and not mutable.pre[h].keys() & mutable.protected
        and all(mutable.consumers[place] == {h} for place in mutable.pre[h])
        for h in before
    )


def _join(mutable: MutableNet, place: int) -> None:
    before, after = sorted(mutable.producers[place]), sorted(mutable.consumers[place])
    for h in before:
        for f in after:
            pre = dict(mutable.pre[h])
            for needed, weight in mutable.pre[f].items():
                if needed != place:
                    pre[needed] = pre.get(needed, 0) + weight
            post = dict(mutable.post[f])
            for brought, weight in mutable.post[h].items():
                if brought != place:
                    post[brought] = post.get(brought, 0) + weight
            mutable.add(pre, post, mutable.sequences[h] + mutable.sequences[f])
    for transition in (*before, *after):
        mutable.drop_transition(transition)
    mutable.drop_place(place)


Rule = Callable[[MutableNet], bool]
_ALWAYS: tuple[Rule, ...] = (
    drop_dead_transitions,
    drop_constant_places,
    drop_implicit_places,
    drop_dominated_transitions,
    agglomerate,
)
RULES: dict[Keep, tuple[Rule, ...]] = {
    "deadlock": _ALWAYS,
    "runs": _ALWAYS,
    "reachability": (drop_irrelevant, drop_idle_transitions, *_ALWAYS),
}
