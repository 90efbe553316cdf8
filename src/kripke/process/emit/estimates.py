"""Estimates of how far a state is from a goal, as C."""

from __future__ import annotations

from collections.abc import Sequence

from kripke.model.capabilities.estimate import UNREACHABLE, Combine
from kripke.process.emit.channels import find_site, for_each_shape, length_of, slot_loop, times
from kripke.process.emit.code import Code
from kripke.process.emit.expressions import Evaluation
from kripke.process.emit.facts import Facts, Shape
from kripke.process.emit.processes import table
from kripke.process.emit.scalars import Spot, View
from kripke.process.estimates.distance import (
    Combined,
    Distance,
    EachProcess,
    Fixed,
    LocalDistance,
    OwnDistance,
    Position,
    Value,
)
from kripke.process.expressions import Poll
from kripke.process.program import ProcessType

_FAR = f"{UNREACHABLE}u"


def estimate_functions(facts: Facts, distances: Sequence[Distance]) -> str:
    """A function ``estimate`` as ``model.h`` asks for; the numbers of goals are the places in the list."""
    code = Code()
    tables: dict[tuple[int, ...], str] = {}
    for number, distance in enumerate(distances):
        code.line(f"static uint32_t estimate_{number}(const uint8_t *s, uint32_t n)")
        with code.block():
            code.line("(void)s, (void)n;")
            writer = _Estimation(facts, code, tables)
            code.line(f"return {writer.steps(distance)};")
        code.line()
    code.line("static uint32_t estimate(const uint8_t *s, uint32_t n, uint32_t goal)")
    with code.block():
        code.line("uint32_t steps = 0;")
        with code.block("switch (goal)"):
            for number in range(len(distances)):
                code.line(f"case {number}: steps = estimate_{number}(s, n); break;")
            code.line("default: break;")
        code.line(f"return steps < {_FAR} ? steps : KRIPKE_UNREACHABLE;")
    written = [table("uint32_t", name, map(str, numbers)) for numbers, name in tables.items()]
    return "\n".join([*written, code.text()])


class _Estimation(Evaluation):
    """Writes the evaluation of a distance; the function returns 0 where an expression in it fails."""

    def __init__(self, facts: Facts, code: Code, tables: dict[tuple[int, ...], str]) -> None:
        super().__init__(facts, code, View("s", "s", offset="0", pid="-1"), lambda _: "return 0;")
        self._tables = tables
        self._own: tuple[str, ProcessType] | None = None

    def steps(self, distance: Distance) -> str:
        """A C operand of type uint32_t, at most ``UNREACHABLE``."""
        match distance:
            case Fixed(steps):
                return f"{min(steps, UNREACHABLE)}u"
            case Value(expression):
                value, name = self.named(self.value(expression)), self.code.fresh("v")
                # What a user's expression gives may be anything.
                self.code.line(f"uint32_t {name} = {value} < 0 ? 0u : (uint32_t){value};")
                self.code.line(f"if ({name} > {_FAR}) {name} = {_FAR};")
                return name
            case Position(poll):
                return self._position(poll)
            case LocalDistance():
                return self._local(distance)
            case OwnDistance(numbers):
                assert self._own is not None
                return f"{self._table(numbers)}[{self._own[0]}]"
            case Combined(how, parts):
                return self._combined(how, parts)
            case EachProcess():
                return self._each(distance)

    def _table(self, numbers: tuple[int, ...]) -> str:
        return self._tables.setdefault(numbers, f"distances_{len(self._tables)}")

    def _combined(self, how: Combine, parts: tuple[Distance, ...]) -> str:
        result = self.code.fresh("h")
        self.code.line(f"uint32_t {result} = {_FAR if how == 'min' else '0u'};")
        for part in parts:
            with self.code.block():
                self._join(how, result, self.steps(part))
        return result

    def _join(self, how: Combine, result: str, one: str) -> None:
        if how == "sum":
            self.code.line(f"{result} += {one};")
            self.code.line(f"if ({result} > {_FAR}) {result} = {_FAR};")
            return
        name = one
        if not one.isidentifier():
            name = self.code.fresh("d")
            self.code.line(f"uint32_t {name} = {one};")
        self.code.line(f"if ({name} {'<' if how == 'min' else '>'} {result}) {result} = {name};")

    def _local(self, distance: LocalDistance) -> str:
        other = self._other_frame(distance.process, distance.pid)
        result = self.code.fresh("d")
        place = f"get_control({self.view.state} + {other}) - {distance.process.control_base}"
        found = f"{self._table(distance.table)}[{place}]"
        if other == "NO_FRAME":
            found = f"{distance.absent}u"
        elif not other.isdigit():
            found = f"{other} == NO_FRAME ? {distance.absent}u : {found}"
        self.code.line(f"uint32_t {result} = {found};")
        return result

    def _each(self, distance: EachProcess) -> str:
        result, how = self.code.fresh("h"), distance.how
        self.code.line(f"uint32_t {result} = {_FAR if how == 'min' else '0u'};")
        at, pid, control = self.code.fresh("at"), self.code.fresh("pid"), self.code.fresh("c")
        self.code.line(f"uint32_t {pid} = 0;")
        with self.code.block(f"for (uint32_t {at} = GLOBAL_BYTES; {at} < n; {at} += frame_bytes(s + {at}), {pid}++)"):
            frame = self.code.fresh("l")
            self.code.line(f"const uint8_t *{frame} = s + {at};")
            self.code.line(f"uint32_t {control} = get_control({frame});")
            self.code.line(f"(void){frame}, (void){pid};")
            outer, self.view = self.view, View("s", frame, offset=at, pid=pid)
            for process, part in distance.of_type:
                with self.code.block(f"if ({control} - {process.control_base}u < {len(process.locations)}u)"):
                    place = self.code.fresh("place")
                    self.code.line(f"uint32_t {place} = {control} - {process.control_base}u;")
                    self.code.line(f"(void){place};")
                    self._own = place, process
                    self._join(how, result, self.steps(part))
            self._own, self.view = None, outer
        self.code.line(f"(void){pid};")
        return result

    def _position(self, poll: Poll) -> str:
        site = find_site(self, poll.channel)
        result = self.code.fresh("d")
        self.code.line(f"uint32_t {result} = 1;")

        def search(shape: Shape, spot: Spot) -> None:
            if shape.capacity == 0 or len(shape.fields) < len(poll.patterns):
                return
            length, first = length_of(shape, spot, self.view), spot.plus(shape.length_bytes)
            self.code.line(f"{result} = (uint32_t){length} + 1;")
            wanted = [(i, self.named(value)) for i, value in self.wanted(poll.patterns)]
            slot = self.code.fresh("k")
            with slot_loop(self, slot, f"(uint32_t){length}"):
                message = first.plus(0, times(slot, shape.message_bytes))
                self.code.line(f"if ({self.matches(shape, message, wanted)}) {{ {result} = {slot}; break; }}")

        for_each_shape(self, site, search)
        return result
