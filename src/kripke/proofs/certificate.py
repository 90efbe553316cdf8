"""``Proof``: what a proof says, and the file it is kept in.

The file is JSON. Nothing in it is to be believed: ``verification.py`` reads it for itself and asks the model. The
digest at the end only tells that no letter of it changed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal, NamedTuple

from kripke.proofs.predicates import Predicate
from kripke.proofs.tableau import Tableau
from kripke.proofs.terms import Term

FORMAT = "kripke proof 1"

Fairness = Literal["weak", "strong"]
Rule = Literal["FAIL", "SUCC", "IND", "CONJ"]


class Vertex(NamedTuple):
    """A node of the automaton (-1: none) and a state of the model."""

    node: int
    state: int


class Missed(NamedTuple):
    """Why no run stays in a component: a promise that all its nodes make, or a process that fairness would move.

    Under strong fairness the states in which the process can move are left; ``parts`` are what remains, those that
    others lead to first, each with its own reason, or none where no run stays anyway.
    """

    kind: Literal["until", "weak", "strong"]
    what: Any
    parts: tuple[tuple[tuple[Vertex, ...], Missed | None], ...] = ()

    def to_json(self) -> dict[str, Any]:
        record: dict[str, Any] = {self.kind: self.what}
        if self.kind == "strong":
            record["parts"] = [{"at": at, "missed": missed and missed.to_json()} for at, missed in self.parts]
        return record


class Line(NamedTuple):
    """A line: the rule, the vertices it refutes (for CONJ the state), their rank, the lines it rests on."""

    rule: Rule
    at: tuple[Vertex, ...]
    rank: int
    premises: tuple[int, ...]
    literal: Term | None = None
    missed: Missed | None = None

    def to_json(self) -> dict[str, Any]:
        if self.rule == "CONJ":
            return {"rule": self.rule, "state": self.at[0].state, "premises": self.premises}
        record: dict[str, Any] = {"rule": self.rule, "at": self.at, "rank": self.rank}
        if self.literal is not None:
            record["literal"] = self.literal
        else:
            record["premises"] = self.premises
        if self.missed is not None:
            record["missed"] = self.missed.to_json()
        return record


@dataclass(frozen=True, slots=True)
class Ranking:
    """``bits[x][i]``: where bit i of the rank is one, among the states paired with node x."""

    bits: tuple[tuple[Predicate, ...], ...]


@dataclass(frozen=True, slots=True)
class Proof:
    model: Mapping[str, Any]
    name: str
    text: str
    negation: Term
    fair: Fairness | None
    automaton: Tableau
    states: tuple[bytes, ...]
    initial: tuple[int, ...]
    lines: tuple[Line, ...]
    ranking: Ranking

    def to_json(self) -> dict[str, Any]:
        nodes = zip(self.automaton.nodes, self.automaton.successors, strict=True)
        return {
            "format": FORMAT,
            "model": dict(self.model),
            "property": {"name": self.name, "text": self.text},
            "fair": self.fair,
            "negation": self.negation,
            "nodes": [
                {
                    "literals": sorted(node.literals, key=repr),
                    "next": sorted(node.next, key=repr),
                    "promises": sorted(node.promises, key=repr),
                    "successors": successors,
                }
                for node, successors in nodes
            ],
            "initial_nodes": self.automaton.initial,
            "states": [state.hex() for state in self.states],
            "initial_states": self.initial,
            "lines": [line.to_json() for line in self.lines],
            "ranking": self.ranking.bits,
        }


def text_of(record: Mapping[str, Any]) -> str:
    """The file: one item of a list per line, and the digest of everything before it."""
    parts = []
    for key, value in record.items():
        if key in ("nodes", "states", "lines", "ranking"):
            items = ",\n".join(json.dumps(item, ensure_ascii=True) for item in value)
            parts.append(f"{json.dumps(key)}: [\n{items}\n]")
        else:
            parts.append(f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=True)}")
    body = "{\n" + ",\n".join(parts)
    return f'{body},\n"digest": "{sha256(body.encode()).hexdigest()}"\n}}\n'
