"""Where the search for the instances of a transition goes back to: past choices that have nothing to do with a failure.

Loops over tokens lie in each other in the order of the plan. If a loop ends without an instance, another token for the
loop just outside need not help: what failed depends on the loops that gave values to the variables involved, and on
those that took tokens of the same place. The last of them is the one to go on with. (R. Dechter, Enhancement schemes
for constraint processing: backjumping, learning, and cutset decomposition, Artificial Intelligence 41, 1990; the graph
of dependencies is known beforehand, as the plan is.)
"""

from __future__ import annotations

from kripke.nets.high_level.unification import Check, Choose, Define, Plan, Take


def loops_to_return_to(plan: Plan) -> list[int]:
    """For each loop over tokens, the outermost being 0: the loop to go on with if it ends without an instance; -1:
    there is none at all."""
    causes: list[set[int]] = []  # of the failure of a loop and of what follows it, up to the next loop
    of_slot: dict[int, set[int]] = {}  # the loops that the value of a variable depends on
    of_place: dict[int, set[int]] = {}  # and what is left on a place
    for step in plan.steps:
        match step:
            case Check(term):
                found = _causes(term.slots, of_slot)
            case Define(slot, term):
                found = of_slot[slot] = _causes(term.slots, of_slot)
            case Choose(variable):
                # After an error a condition is not asked any more: so all that may have been one matters.
                found = set() if variable.condition is None else set(range(len(causes)))
            case Take(arc):
                slots = arc.token.slots | (arc.multiplicity.slots if arc.multiplicity is not None else frozenset())
                found = _causes(slots, of_slot) | of_place.setdefault(arc.place, set())
                if not step.known and not arc.whole:
                    for match in step.matches:
                        if match.kind in ("bind", "perhaps", "convert"):
                            of_slot.setdefault(match.slot, set()).add(len(causes))
                            if arc.multiplicity is not None:  # there may be no value
                                of_slot[match.slot] |= found
                    of_place[arc.place].add(len(causes))
                    causes.append(set())
                of_place[arc.place] |= found
        if causes:
            causes[-1] |= found - {len(causes) - 1}
    for loop in reversed(range(len(causes))):
        for inner in causes[loop + 1 :]:
            if loop in inner:
                causes[loop] |= {cause for cause in inner if cause < loop}
    return [max(found, default=-1) for found in causes]


def _causes(slots: frozenset[int], of_slot: dict[int, set[int]]) -> set[int]:
    return set().union(*(of_slot.get(slot, ()) for slot in slots))
