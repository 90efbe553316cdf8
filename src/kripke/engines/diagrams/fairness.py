"""What a fair loop must have: steps of every process that could move, states that come again and again."""

from __future__ import annotations

from dataclasses import dataclass

from kripke.engines.diagrams.manager import Node
from kripke.engines.diagrams.space import Relation, Space
from kripke.engines.unsupported import Unsupported
from kripke.model.model import Model
from kripke.model.observer import Observer


@dataclass(frozen=True, slots=True)
class Event:
    """Something that must come again and again: an edge of the observer's sets ``marks``, one of the ``relations``, or
    one of the ``states``. With ``demanded``: only if one of these states comes again and again."""

    marks: int = 0
    relations: tuple[Relation, ...] = ()
    states: Node = None
    demanded: Node = None


def events_of(space: Space, observer: Observer, fair: str | None, reached: Node) -> list[Event]:
    """Of an observer's acceptance and of a fairness: ``weak``, ``strong`` (to processes), ``weak-edges``,
    ``strong-edges`` (to transitions)."""
    nothing = space.manager.false
    plain = observer.sets - len(observer.waiting)
    found = [Event(marks=1 << number, states=nothing) for number in range(plain)]
    atoms = space.system.atoms
    stable = reached & space.stable
    for atom in observer.waiting:
        found.append(Event(states=stable & ~space.truth(atoms[atom])))
    for atom, able in observer.strong:
        found.append(Event(states=stable & ~space.truth(atoms[atom]), demanded=stable & space.truth(atoms[able])))
    return found + (fair_events(space, fair, reached) if fair in FAIR else [])


FAIR = ("weak", "strong", "weak-edges", "strong-edges")


def fair_events(space: Space, fair: str | None, reached: Node) -> list[Event]:
    nothing, stable = space.manager.false, reached & space.stable
    assert fair is not None
    single = fair.endswith("-edges")
    moving: dict[int, list[Relation]] = {}
    able: dict[int, Node] = {}
    for relation in space.relations:
        command = relation.command
        if command.statement < 0:
            continue  # control that is given back is no step
        who = command.statement if single else command.actor
        able[who] = able.get(who, nothing) | (relation.guard & stable)
        for one in (who,) if single else {who, command.partner} - {-1}:
            moving.setdefault(one, []).append(relation)
    found: list[Event] = []
    for who, where in able.items():
        relations = tuple(moving[who])
        if fair.startswith("weak"):
            found.append(Event(relations=relations, states=stable & ~where))
        else:
            found.append(Event(relations=relations, states=nothing, demanded=where))
    return found


def refuse_fairness_to_edges(model: Model, fair: str | None) -> None:
    """Unsupported, where several statements of the model are one command, or one is several."""
    if fair in ("weak-edges", "strong-edges") and model.has_actors:
        raise Unsupported(f"--engine bdd with --fair {fair}: it is fair to processes; choose weak or strong")
