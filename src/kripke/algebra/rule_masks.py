"""The steps of a network by masks: a bit for every rule, set in a state of a leaf unless the leaf is in the way of it.

The rules that can be applied are the bits that all leaves have in common (A. W. Roscoe et al., *Hierarchical
compression for model-checking CSP*, TACAS 1995, has supercombinators as masks). Where there are too many rules for
that, ``emit.py`` walks from leaf to leaf.
"""

from __future__ import annotations

from collections.abc import Sequence

from kripke.algebra.events import TAU
from kripke.algebra.network import Network, Rule

MOST_WORDS = 16
MOST_TABLE = 1 << 20  # numbers in a table
SEVERAL = 1 << 31


class RuleMasks:
    """The tables, as the C code reads them."""

    def __init__(self, network: Network) -> None:
        # What a leaf does unseen is a rule like the others.
        unseen = [Rule(((at, TAU),), TAU) for at, leaf in enumerate(network.leaves) if TAU in leaf.events]
        self.rules = [*unseen, *network.rules]
        self.words = max(1, (len(self.rules) + 63) // 64)
        self.mask_first: list[int] = []
        self.masks: list[int] = []
        self.go_first: list[int] = []
        self.go_events: list[int] = []
        self.go: list[int] = []
        self.several: list[int] = []
        self.local: list[dict[int, int]] = []

    @staticmethod
    def fit(network: Network) -> bool:
        """Are the tables small enough?"""
        words = (len(network.rules) + len(network.leaves) + 63) // 64
        states = sum(len(leaf.states) for leaf in network.leaves)
        moves = sum(len(leaf.states) * (len(leaf.events) + 1) for leaf in network.leaves)
        return words <= MOST_WORDS and states * words <= MOST_TABLE and moves <= MOST_TABLE

    def fill(self, network: Network) -> None:
        whole = (1 << len(self.rules)) - 1
        rules_of: list[dict[int, int]] = [{} for _ in network.leaves]
        for number, rule in enumerate(self.rules):
            for mover, event in rule.moves:
                rules_of[mover][event] = rules_of[mover].get(event, 0) | 1 << number
        for at, leaf in enumerate(network.leaves):
            numbering = {event: number for number, event in enumerate(leaf.events)}
            self.local.append(numbering)
            self.mask_first.append(len(self.masks))
            self.go_first.append(len(self.go))
            self.go_events.append(len(numbering))
            mine = 0
            for bits in rules_of[at].values():
                mine |= bits
            for own in leaf.steps:
                targets: dict[int, list[int]] = {}
                for event, target in own:
                    targets.setdefault(event, []).append(target)
                mask = whole & ~mine
                row = [0] * len(numbering)
                for event, reached in targets.items():
                    mask |= rules_of[at].get(event, 0)
                    row[numbering[event]] = self._entry(list(dict.fromkeys(reached)))
                self.masks += [mask >> (64 * word) & (1 << 64) - 1 for word in range(self.words)]
                self.go += row

    def _entry(self, reached: Sequence[int]) -> int:
        if len(reached) == 1:
            return reached[0] + 1
        place = len(self.several)
        self.several += [len(reached), *reached]
        return SEVERAL | place


def doubtful_labels(network: Network, rules: Sequence[Rule]) -> set[int]:
    """Events by which two different rules may lead to the same state, so that a step would count twice.

    A leaf that never stays where it is by its event tells the rule apart from all rules without that leaf.
    """
    stays = [
        {event for state, own in enumerate(leaf.steps) for event, target in own if target == state}
        for leaf in network.leaves
    ]
    by_event: dict[int, list[tuple[frozenset[int], frozenset[int]]]] = {}
    for rule in rules:
        leaves = frozenset(leaf for leaf, _ in rule.moves)
        movers = frozenset(leaf for leaf, event in rule.moves if event not in stays[leaf])
        by_event.setdefault(rule.event, []).append((leaves, movers))
    return {event for event, those in by_event.items() if _may_meet(those)}


def _may_meet(rules: list[tuple[frozenset[int], frozenset[int]]]) -> bool:
    if len(rules) < 2:
        return False
    if len(rules) > 2_000:
        return True
    # Rules that surely move the same leaves are met together; others only if one stays within the other.
    for at, (leaves, movers) in enumerate(rules):
        for others, their_movers in rules[:at]:
            if movers <= others and their_movers <= leaves:
                return True
    return False
