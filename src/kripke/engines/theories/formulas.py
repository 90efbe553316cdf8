"""Terms as formulas of an SMT solver (z3): truth values and integers, with or without bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import count
from typing import Any

from kripke.engines.unsupported import Unsupported
from kripke.terms.system import Command, TransitionSystem
from kripke.terms.term import Op, Symbol, Term, parts_first

Expr = Any  # an expression of z3
_MOST_BITS = 64  # of integers whose bits are asked for


def load_z3(engine: str) -> Any:
    """The package; Unsupported where it is not there."""
    try:
        import z3
    except ImportError as error:
        raise Unsupported(
            f"--engine {engine} on integers without bounds, or with lemmas, needs an SMT solver ({error}); "
            "install it with: pip install 'kripke[smt]'"
        ) from error
    return z3


class State:
    """The variables at one moment."""

    def __init__(self, z3: Any, symbols: Sequence[Symbol], moment: str) -> None:
        self.z3 = z3
        self.vars: dict[Symbol, Expr] = {}
        for number, symbol in enumerate(symbols):
            name = f"{symbol.name}|{number}|{moment}"
            self.vars[symbol] = z3.Bool(name) if symbol.sort.boolean else z3.Int(name)
        self._known: dict[int, tuple[Term, Expr]] = {}

    def choose(self, symbols: Sequence[Symbol], number: int) -> None:
        """Variables of a command."""
        for symbol in symbols:
            name = f"choice {symbol.name}|{number}"
            self.vars[symbol] = self.z3.Bool(name) if symbol.sort.boolean else self.z3.Int(name)

    def of(self, root: Term) -> Expr:
        for term in parts_first(root):
            if id(term) not in self._known:
                self._known[id(term)] = term, self._made(term, [self._known[id(part)][1] for part in term.args])
        return self._known[id(root)][1]

    def within(self, symbol: Symbol) -> Expr:
        """The value is one of the sort."""
        sort, z3 = symbol.sort, self.z3
        if sort.boolean:
            return z3.BoolVal(True)
        bounds = [] if sort.low is None else [self.vars[symbol] >= sort.low]
        bounds += [] if sort.high is None else [self.vars[symbol] <= sort.high]
        return z3.And(*bounds)

    def _made(self, term: Term, parts: list[Expr]) -> Expr:
        z3 = self.z3
        match term.op:
            case Op.CONSTANT:
                return z3.BoolVal(bool(term.value)) if term.boolean else z3.IntVal(term.value)
            case Op.VARIABLE:
                assert isinstance(term.value, Symbol)
                return self.vars[term.value]
            case Op.NOT:
                return z3.Not(parts[0])
            case Op.AND:
                return z3.And(*parts)
            case Op.OR:
                return z3.Or(*parts)
            case Op.ITE:
                return z3.If(*parts)
            case Op.EQUAL:
                return parts[0] == parts[1]
            case Op.LESS:
                return parts[0] < parts[1]
            case Op.ADD:
                return z3.Sum(*parts)
            case Op.MULTIPLY:
                return parts[0] * parts[1]
            case Op.DIVIDE | Op.REMAINDER:
                return self._divided(term, parts)
            case Op.WRAP:
                assert isinstance(term.value, tuple)
                width, signed = term.value
                half = 1 << (width - 1) if signed else 0
                return (parts[0] + half) % (1 << width) - half
            case Op.BIT_AND | Op.BIT_OR | Op.BIT_XOR:
                return self._bitwise(term, parts)
            case _:
                raise Unsupported(f"a shift of an integer without bounds ({term!r}) cannot be asked of an SMT solver")

    def _divided(self, term: Term, parts: list[Expr]) -> Expr:
        """Towards zero; z3 rounds so that remainders are not negative."""
        z3, (a, b) = self.z3, parts
        size = z3.If(a >= 0, a, -a) / z3.If(b >= 0, b, -b)
        quotient = z3.If((a >= 0) == (b >= 0), size, -size)
        value = quotient if term.op is Op.DIVIDE else a - b * quotient
        return z3.If(b == 0, 0, value)

    def _bitwise(self, term: Term, parts: list[Expr]) -> Expr:
        """Bit by bit, of integers with bounds."""
        z3 = self.z3
        bounds = [bound for part in term.args for bound in (part.low, part.high)]
        if any(bound is None for bound in bounds):
            raise Unsupported(f"bits of an integer without bounds ({term!r}) cannot be asked of an SMT solver")
        width = max(bound.bit_length() for bound in bounds if bound is not None)
        negative = any(bound is not None and bound < 0 for bound in bounds)
        if width > _MOST_BITS:
            raise Unsupported(f"{term!r} is about more than {_MOST_BITS} bits")

        def bit(value: Expr, place: int) -> Expr:
            return (value / (1 << place)) % 2 == 1

        join = {Op.BIT_AND: z3.And, Op.BIT_OR: z3.Or, Op.BIT_XOR: z3.Xor}[term.op]
        total = [z3.If(join(bit(parts[0], p), bit(parts[1], p)), 1 << p, 0) for p in range(width)]
        if negative:
            total.append(z3.If(join(parts[0] < 0, parts[1] < 0), -(1 << width), 0))
        return z3.Sum(*total)

    def values(self, model: Any, symbols: Sequence[Symbol]) -> tuple[int, ...]:
        """In a solution."""
        z3, found = self.z3, list[int]()
        for symbol in symbols:
            value = model.eval(self.vars[symbol], model_completion=True)
            found.append(int(z3.is_true(value)) if symbol.sort.boolean else value.as_long())
        return tuple(found)


class Formulas:
    """A transition system at moments."""

    def __init__(self, z3: Any, system: TransitionSystem) -> None:
        self.z3, self.system = z3, system
        self._choices = count()

    def state(self, moment: str) -> State:
        return State(self.z3, self.system.variables, moment)

    def ranges(self, state: State) -> Expr:
        return self.z3.And(*(state.within(symbol) for symbol in self.system.variables))

    def step(self, now: State, later: State) -> Expr:
        """One command leads from one state to the other."""
        return self.z3.Or(*(self.by(command, now, later) for command in self.system.commands))

    def by(self, command: Command, now: State, later: State) -> Expr:
        now.choose(command.choices, next(self._choices))
        parts = [now.of(command.guard), *(now.within(symbol) for symbol in command.choices)]
        updates: Mapping[Symbol, Term] = command.updates
        for symbol in self.system.variables:
            after = now.of(updates[symbol]) if symbol in updates else now.vars[symbol]
            parts.append(later.vars[symbol] == after)
        parts.append(reduce(self.z3.And, (later.within(s) for s in updates), self.z3.BoolVal(True)))
        return self.z3.And(*parts)

    def differ(self, one: State, other: State) -> Expr:
        return self.z3.Or(*(one.vars[symbol] != other.vars[symbol] for symbol in self.system.variables))
