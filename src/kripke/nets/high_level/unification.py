"""How the instances of a transition are found: the order in which arcs are matched with tokens.

The order is fixed before any state is looked at (document: the unification algorithm of the reachability analyser
Maria, M. Mäkelä 2003, appendix B.3): an arc whose token is known is taken at once; else the arc is matched next that
has the fewest unknown parts, among several one with which a gate can be evaluated soonest. A gate is evaluated as soon
as its variables have values, definitions after the gates that guard them. Interpreter and emitted C both follow the
plan.
"""

from __future__ import annotations

from dataclasses import dataclass

from kripke.nets.high_level.net import HighLevelNet, InputArc, Transition, Variable
from kripke.nets.high_level.terms import Term
from kripke.nets.high_level.types import BOOL, NUMERIC, Type

_NO_GATE = 1_000_000


class NotUnifiable(Exception):
    """A variable that no arc can give a value; ``name`` is the variable."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


@dataclass(frozen=True, slots=True)
class Match:
    """What is done with a part of a token. ``path`` leads to the part: positions of components, and ``(tag,)`` for the
    content of a union.

    bind     slot := the part                       perhaps   the same, but compare where the slot has a value
    equal    the part must be what a term says      tag, length   of a union, a buffer
    convert  slot := the part cast to the type of the variable, if it can be cast back
    """

    kind: str
    path: tuple[int | tuple[int], ...]
    type: Type
    slot: int = 0
    term: Term | None = None
    number: int = 0
    target: Type | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """A gate; an error in it counts where no other gate is false."""

    term: Term


@dataclass(frozen=True, slots=True)
class Define:
    slot: int
    term: Term


@dataclass(frozen=True, slots=True)
class Take:
    """Match an arc with each token of the place in turn; without matches, take the known token (or multi-set)."""

    arc: InputArc
    matches: tuple[Match, ...] = ()

    @property
    def known(self) -> bool:
        return not self.matches


@dataclass(frozen=True, slots=True)
class Choose:
    """Every value for an output variable."""

    variable: Variable


Step = Check | Define | Take | Choose


@dataclass(frozen=True, slots=True)
class Plan:
    """``slots``: the length of environments, with those that matching itself needs. ``uncertain``: variables that may
    stay without a value since the multiplicity of their arcs may be zero."""

    steps: tuple[Step, ...]
    slots: int
    uncertain: frozenset[int]


def plan(net: HighLevelNet, transition: Transition) -> Plan:
    return _Planner(net, transition).plan()


class _Planner:
    def __init__(self, net: HighLevelNet, transition: Transition) -> None:
        self.net = net
        self.transition = transition
        self.slots = net.slots
        self.known: set[int] = set()
        self.uncertain: set[int] = set()
        self.steps: list[Step] = []
        self.gates = list(transition.gates)
        self.definitions = list(transition.definitions)
        self.arcs = list(transition.inputs)
        self.outputs = {variable.slot for variable in transition.variables if variable.output}

    def plan(self) -> Plan:
        self._ready()
        while self.arcs:
            arc = self._next()
            if arc is None:
                raise NotUnifiable(self._unknown())
            self.arcs.remove(arc)
            self._take(arc)
            self._ready()
        missing = [v for v in self.transition.variables if not v.output and v.slot not in self.known]
        used = self._used()
        if any(variable.slot in used for variable in missing) or self.gates:
            raise NotUnifiable(self._unknown())
        for variable in self.transition.variables:
            if variable.output:
                self.steps.append(Choose(variable))
        return Plan(tuple(self.steps), self.slots, frozenset(self.uncertain))

    def _used(self) -> set[int]:
        used: set[int] = set()
        for _, term in self.transition.outputs:
            used |= term.slots
        for variable in self.transition.variables:
            if variable.condition is not None:
                used |= variable.condition.slots
        return used

    def _unknown(self) -> str:
        for variable in self.transition.variables:
            if not variable.output and variable.slot not in self.known:
                return variable.name
        return "?"

    def _settled(self, slots: frozenset[int]) -> bool:
        """Have all these variables the values they will ever have?"""
        if not slots <= self.known:
            return False
        doubtful = slots & self.uncertain
        return not doubtful or not any(doubtful & arc.token.slots for arc in self.arcs)

    def _ready(self) -> None:
        changed = True
        while changed:
            changed = False
            for gate in list(self.gates):
                if self._settled(gate.slots):
                    self.gates.remove(gate)
                    self.steps.append(Check(gate))
                    changed = True
            for definition in list(self.definitions):
                slot, term = definition
                if self._settled(term.slots):
                    self.definitions.remove(definition)
                    if slot in self.known:  # the arcs gave it a value already
                        variable = Term("var", term.type, (), slot)
                        self.gates.append(Term("==", BOOL, (variable, term)))
                    else:
                        self.steps.append(Define(slot, term))
                        self.known.add(slot)
                    changed = True
                    break

    def _next(self) -> InputArc | None:
        ready = [arc for arc in self.arcs if arc.multiplicity is None or self._settled(arc.multiplicity.slots)]
        ready = [arc for arc in ready if not arc.whole or self._settled(arc.token.slots)]
        ready = [arc for arc in ready if self._complete(arc.token)] or ready
        return min(ready, key=self._cost, default=None)

    def _complete(self, token: Term) -> bool:
        """Can everything in a pattern be bound or compared at once?"""
        if token.slots <= self.known or token.operator == "var":
            return True
        if token.operator in ("tuple", "buffer", "inject"):
            bound = {part.detail for part in token.walk() if part.operator == "var"}
            return all(self._complete(part) or part.slots <= self.known | bound for part in token.operands)
        return self._invertible(token)

    def _cost(self, arc: InputArc) -> tuple[int, int, int, int]:
        place = self.net.places[arc.place]
        if self._settled(arc.token.slots):
            return 0, 0, 0, 0
        single = place.capacity is not None and max(high for _, high in place.capacity) <= 1
        unknown = len(arc.token.slots - self.known)
        doubtful = arc.multiplicity is not None and arc.multiplicity.operator != "const"
        return (
            (3 if doubtful else 1 if single else 2),
            0 if arc.token.slots & self.known else 1,
            unknown,
            self._until_gate(arc.token.slots),
        )

    def _until_gate(self, slots: frozenset[int]) -> int:
        """How far a gate about these variables is from being evaluated."""
        unknown = [(gate.slots - self.known, gate.slots & self.known) for gate in self.gates if gate.slots & slots]
        return min((2 * len(rest) - bool(known) for rest, known in unknown), default=_NO_GATE)

    def _take(self, arc: InputArc) -> None:
        if self._settled(arc.token.slots):
            self.steps.append(Take(arc))
            return
        doubtful = arc.multiplicity is not None and arc.multiplicity.operator != "const"
        before = set(self.known)
        matches: list[Match] = []
        late: list[tuple[tuple[int | tuple[int], ...], Term]] = []
        self._match(arc.token, (), matches, late)
        for path, term in late:
            if term.slots <= self.known:
                matches.append(Match("equal", path, term.type, term=term))
                continue
            slot = self.slots
            self.slots += 1
            matches.append(Match("bind", path, term.type, slot))
            self.known.add(slot)
            self.gates.append(Term("==", BOOL, (Term("var", term.type, (), slot), term)))
        if doubtful:
            self.uncertain |= self.known - before
        self.steps.append(Take(arc, tuple(matches)))

    def _match(
        self,
        term: Term,
        path: tuple[int | tuple[int], ...],
        matches: list[Match],
        late: list[tuple[tuple[int | tuple[int], ...], Term]],
    ) -> None:
        if term.operator == "var" and term.detail in self.uncertain:
            matches.append(Match("perhaps", path, term.type, term.detail))
        elif term.operator == "var" and term.detail not in self.known:
            matches.append(Match("bind", path, term.type, term.detail))
            self.known.add(term.detail)
        elif term.operator == "tuple" and not term.slots <= self.known:
            for at, part in enumerate(term.operands):
                self._match(part, (*path, at), matches, late)
        elif term.operator == "buffer" and not term.slots <= self.known:
            matches.append(Match("length", path, term.type, number=len(term.operands)))
            for at, part in enumerate(term.operands):
                self._match(part, (*path, at), matches, late)
        elif term.operator == "inject" and not term.slots <= self.known:
            matches.append(Match("tag", path, term.type, number=term.detail))
            self._match(term.operands[0], (*path, (term.detail,)), matches, late)
        elif self._invertible(term) and term.operands[0].detail not in self.known:
            variable = term.operands[0]
            matches.append(Match("convert", path, term.type, variable.detail, target=variable.type))
            self.known.add(variable.detail)
        else:
            late.append((path, term))

    @staticmethod
    def _invertible(term: Term) -> bool:
        return (
            term.operator == "cast"
            and term.operands[0].operator == "var"
            and term.type.kind in NUMERIC
            and term.operands[0].type.kind in NUMERIC
        )
