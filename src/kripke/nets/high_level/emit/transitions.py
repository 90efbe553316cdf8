"""A transition as a C function: nested loops over tokens in the order of its plan, then firing."""

from __future__ import annotations

from collections.abc import Sequence

from kripke.nets.high_level.backjumping import loops_to_return_to
from kripke.nets.high_level.emit.code import Code, Names
from kripke.nets.high_level.emit.units import UnitCode
from kripke.nets.high_level.emit.values import Types
from kripke.nets.high_level.net import FairnessSet, HighLevelNet
from kripke.nets.high_level.terms import Term
from kripke.nets.high_level.types import NUMERIC, ArrayType, BufferType, StructType, Type, UnionType
from kripke.nets.high_level.unification import Check, Choose, Define, Match, Plan, Take

_STOPPED = 3  # loops that look whether the search is to stop
_NOWHERE = 1_000_000  # to go back to: on to the next token


class TransitionCode:
    """``emit`` gives ``static int t7(context *c, kripke_sink *sink)``: is there an instance?

    ``pending`` is the error of a gate, by the depth of loops: it counts where no later gate is false.
    """

    def __init__(
        self,
        net: HighLevelNet,
        number: int,
        plan: Plan,
        types: Types,
        names: Names,
        fair: Sequence[FairnessSet] = (),
        units: UnitCode | None = None,
    ) -> None:
        self.net = net
        self.fair = fair
        self.units = units
        self.number = number
        self.transition = net.transitions[number]
        self.plan = plan
        self.types = types
        self.code = Code(types, names)
        self.code.uncertain = plan.uncertain
        self.level = 0
        self.loops = 0
        self.taken = 0  # arcs whose tokens were taken
        self.returns = loops_to_return_to(plan)
        #: where to go when the instance at hand is no good
        self.next = "done"

    def emit(self) -> list[str]:
        code = self.code
        code.line("int pending0 = 0;")
        self._step(0)
        body = code.lines
        comment = "".join(c if c.isalnum() or c in " _.:" else "?" for c in self.transition.name)
        declared = [f"v{slot}" for slot in self._bound()]
        flags = [f"b{slot}" for slot in sorted(self.plan.uncertain)]
        head = [
            f"/* {comment} */",
            f"static int t{self.number}(context *c, kripke_sink *sink) {{",
            "    int64_t fired = 0;",
            f"    int error = 0, back = {_NOWHERE};",
            "    (void)c, (void)error, (void)sink, (void)back;",
        ]
        if declared:
            head.append("    int64_t " + ", ".join(f"{name} = 0" for name in declared) + ";")
            head.append("    " + " ".join(f"(void){name};" for name in declared))
        if self.units is not None:
            takes = sum(isinstance(step, Take) for step in self.plan.steps)
            head.append(f"    uint32_t node[{takes + 1}] = {{{self.units.root(self.number)}u}};")
            head.append("    (void)node;")
        if flags:
            head.append("    int " + ", ".join(f"{name} = 0" for name in flags) + ";")
        return [*head, *body, "done:;", "    return fired != 0;", "}", ""]

    def _bound(self) -> list[int]:
        slots = []
        for step in self.plan.steps:
            match step:
                case Define(slot, _):
                    slots.append(slot)
                case Take(_, matches):
                    slots += [match.slot for match in matches if match.kind in ("bind", "convert")]
                case Choose(variable):
                    slots.append(variable.slot)
        return sorted(set(slots))

    def _step(self, at: int) -> None:
        if at == len(self.plan.steps):
            self._fire()
            return
        match self.plan.steps[at]:
            case Check(term):
                self._check(term)
                self._step(at + 1)
            case Define(slot, term):
                self._define(slot, term)
                self._step(at + 1)
            case Choose() as step:
                self._choose(step, at)
            case Take() as step:
                self._take(step, at)

    def _report(self, label: str, error: str) -> None:
        """Behind the code: what is done at a label."""
        self.code.label(label)
        self.code.line("fired++;")
        self.code.line(f"sink->covered[{self.number}] = 1; sink->report(sink, (uint32_t)({error}) - 1, {self.number});")
        self.code.line(f"goto {self.next};")

    def _guarded_report(self, skip: str, failed: str) -> None:
        """Jump over the report of what failed just before."""
        if any(f"goto {failed};" in line for line in self.code.lines):
            self.code.line(f"goto {skip};")
            self._report(failed, f"pending{self.level} ? pending{self.level} : error")
            self.code.label(skip)

    def _check(self, term: Term) -> None:
        code = self.code
        failed, passed = code.new("gate"), code.new("passed")
        with code.handled_by(failed):
            value = code.value(term)
        if not any(f"goto {failed};" in line for line in code.lines):
            code.line(f"if (!{value}) goto {self.next};")
            return
        code.line(f"if (!{value}) goto {self.next};")
        code.line(f"goto {passed};")
        code.label(failed)
        self.level_pending()
        code.label(passed)

    def level_pending(self) -> None:
        """Remember the first error of this depth."""
        name = f"pending{self.level}"
        self.code.line(f"if (!{name}) {name} = error;")

    def _define(self, slot: int, term: Term) -> None:
        code = self.code
        failed, passed = code.new("undefined"), code.new("defined")
        with code.handled_by(failed):
            code.line(f"v{slot} = {code.value(term)};")
        self._guarded_report(passed, failed)

    def _choose(self, step: Choose, at: int) -> None:
        code, variable = self.code, step.variable
        index, outer = code.new("i"), self.level
        count = variable.type.count
        inner_next = code.new("next")
        head = f"for (int64_t {index} = 0; {index} < (pending{outer} ? 1 : INT64_C({count})); {index}++)"
        with code.block(head):
            self._deeper(outer)
            code.line(f"v{variable.slot} = {self.types.key(variable.type, index)};")
            before, self.next = self.next, inner_next
            if variable.condition is not None:
                failed, passed = code.new("failed"), code.new("passed")
                code.line(f"if (pending{self.level}) goto {passed};")
                with code.handled_by(failed):
                    value = code.value(variable.condition)
                code.line(f"if (!{value}) goto {self.next};")
                if any(f"goto {failed};" in line for line in code.lines):
                    code.line(f"goto {passed};")
                    self._report(failed, "error")
                code.label(passed)
            self._step(at + 1)
            code.label(inner_next)
            self.next = before
        self.level = outer

    def _deeper(self, outer: int) -> None:
        self.level = outer + 1
        self.code.line(f"int pending{self.level} = pending{outer}; (void)pending{self.level};")

    # --- arcs ---------------------------------------------------------------------------------------------------------

    def _take(self, step: Take, at: int) -> None:
        code, arc = self.code, step.arc
        outer, before = self.level, self.next
        if arc.whole:
            self._take_all(step, at)
            return
        failed, passed = code.new("failed"), code.new("passed")
        copies, always = "UINT64_C(1)", True
        with code.handled_by(failed):
            if arc.multiplicity is not None:
                number = code.variable(code.value(arc.multiplicity))
                code.fail_if(f"{number} < 0", "constraint")
                copies, always = f"(uint64_t){number}", arc.multiplicity.operator == "const"
        if step.known:
            self._take_known(step, at, copies, always, failed, passed)
            return
        self._guarded_report(passed, failed)
        place = f"c->here[{arc.place}]"
        index = code.new("i")
        number_of = f"(int64_t){place}.n" if always else f"({copies} ? (int64_t){place}.n : 1)"
        undo, skip = code.new("undo"), code.new("next")
        perhaps = [match for match in step.matches if match.kind == "perhaps"]
        for match in perhaps:
            code.line(f"const int before{match.slot}_{index} = b{match.slot};")
        before_loop = code.variable("fired")
        with code.block(f"for (int64_t {index} = 0; {index} < {number_of}; {index}++)"):
            self._deeper(outer)
            loop, self.loops = self.loops, self.loops + 1
            if loop < _STOPPED:
                code.line("if (*sink->stop) return fired != 0;")
            self.next = skip
            matched = code.new("matched")
            if not always:
                for match in step.matches:
                    if match.slot in self.plan.uncertain and match.kind in ("bind", "convert"):
                        code.line(f"b{match.slot} = 0;")
                code.line(f"if (!{copies}) goto {matched};")
            code.line(f"if ({place}.left[{index}] < {copies}) continue;")
            failed = code.new("failed")
            with code.handled_by(failed):
                self._matches(step, f"{place}.key[{index}]")
            if any(f"goto {failed};" in line for line in code.lines):
                code.line(f"goto {matched};")
                self._report(failed, f"pending{outer} ? pending{outer} : error")
            code.label(matched)
            taken = copies if always else f"({copies} ? {copies} : 0)"
            guard = "" if always else f"if ({copies}) "
            code.line(f"{guard}{place}.left[{index}] -= {taken};")
            self.next = undo
            self._step_from(at + 1, arc.place, f"{place}.key[{index}]", "1" if always else copies)
            code.label(undo)
            code.line(f"{guard}{place}.left[{index}] += {taken};")
            code.label(skip)
            for match in perhaps:
                code.line(f"b{match.slot} = before{match.slot}_{index};")
            if loop > min(self.returns):
                code.line(f"if (back < {loop}) break;")
            code.line(f"back = {_NOWHERE};")
        if self.returns[loop] < loop - 1:
            code.line(f"if (back >= {loop} && fired == {before_loop}) back = {self.returns[loop]};")
        self.level, self.next = outer, before

    def _take_known(self, step: Take, at: int, copies: str, always: bool, failed: str, passed: str) -> None:
        code, arc = self.code, step.arc
        before = self.next
        index = code.new("i")
        place = f"c->here[{arc.place}]"
        guard = "" if always else f"if ({copies}) "
        with code.block(""):
            code.line(f"int64_t {index} = 0;")
            absent = code.new("absent")
            if not always:
                code.line(f"if (!{copies}) goto {absent};")
            with code.handled_by(failed):
                value = code.value(arc.token)
            code.line(f"{index} = bag_find(&{place}, {value});")
            code.line(f"if ({index} < 0 || {place}.left[{index}] < {copies}) goto {self.next};")
            self._guarded_report(passed, failed)
            code.label(absent)
            code.line(f"{guard}{place}.left[{index}] -= {copies};")
            undo = code.new("undo")
            self.next = undo
            self._step_from(at + 1, arc.place, f"{place}.key[{index}]", "1" if always else copies)
            code.label(undo)
            code.line(f"{guard}{place}.left[{index}] += {copies};")
        self.next = before

    def _take_all(self, step: Take, at: int) -> None:
        code, arc = self.code, step.arc
        before = self.next
        failed, passed = code.new("failed"), code.new("passed")
        place = f"c->here[{arc.place}]"
        with code.block(""):
            with code.handled_by(failed):
                bag = code.bag(arc.token)
            index = code.new("i")
            with code.block(f"for (uint32_t {index} = 0; {index} < {bag}->n; {index}++)"):
                found = code.variable(f"bag_find(&{place}, {bag}->key[{index}])")
                code.line(f"if ({found} < 0 || {place}.left[{found}] < {bag}->count[{index}]) goto {self.next};")
            self._guarded_report(passed, failed)
            change = f"{place}.left[bag_find(&{place}, {bag}->key[{index}])]"
            code.line(f"for (uint32_t {index} = 0; {index} < {bag}->n; {index}++) {change} -= {bag}->count[{index}];")
            undo = code.new("undo")
            self.next = undo
            self._step_from(at + 1, arc.place, f"{bag}->key[0]", f"{bag}->n")
            code.label(undo)
            code.line(f"for (uint32_t {index} = 0; {index} < {bag}->n; {index}++) {change} += {bag}->count[{index}];")
        self.next = before

    def _step_from(self, at: int, place: int, key: str, copies: str) -> None:
        """The next step, after a token was taken, if there are copies of it."""
        if self.units is not None:
            sort = f"sort{place}({key})" if copies == "1" else f"({copies} ? sort{place}({key}) : 0)"
            self.code.line(f"node[{self.taken + 1}] = next_node(node[{self.taken}], {sort});")
        self.taken += 1
        self._step(at)
        self.taken -= 1

    def _matches(self, step: Take, token: str) -> None:
        """Compare and bind the parts of a token."""
        code = self.code
        lengths: dict[tuple[object, ...], int] = {}
        name = code.variable(token)
        root = self.net.places[step.arc.place].type
        for match in step.matches:
            part, type_ = self._part(root, name, match, lengths)
            match match.kind:
                case "bind":
                    code.line(f"v{match.slot} = {part};")
                    if match.slot in self.plan.uncertain:
                        code.line(f"b{match.slot} = 1;")
                case "perhaps":
                    value = code.variable(part)
                    code.line(f"if (!b{match.slot}) v{match.slot} = {value};")
                    code.line(f"if (v{match.slot} != {value}) goto {self.next};")
                    code.line(f"b{match.slot} = 1;")
                case "tag":
                    assert isinstance(type_, UnionType)
                    value = code.variable(part)
                    low, size = type_.offsets[match.number], type_.components[match.number][1].count
                    code.line(f"if ({value} < INT64_C({low}) || {value} >= INT64_C({low + size})) goto {self.next};")
                case "length":
                    lengths[match.path] = match.number
                    code.line(f"if ({self.types.name(type_)}_length({part}) != {match.number}) goto {self.next};")
                case "convert":
                    assert match.target is not None and match.target.kind in NUMERIC
                    value = code.variable(part)
                    code.line(f"if ({self.types.outside(match.target, value)}) goto {self.next};")
                    code.line(f"v{match.slot} = {value};")
                    if match.slot in self.plan.uncertain:
                        code.line(f"b{match.slot} = 1;")
                case _:
                    assert match.term is not None
                    code.line(f"if ({part} != {code.value(match.term)}) goto {self.next};")

    def _part(self, type_: Type, key: str, match: Match, lengths: dict[tuple[object, ...], int]) -> tuple[str, Type]:
        for depth, at in enumerate(match.path):
            self.types.name(type_)
            match type_:
                case StructType() | ArrayType():
                    assert isinstance(at, int)
                    key, type_ = self.types.component(type_, key, at), type_.types[at]
                case UnionType():
                    assert isinstance(at, tuple)
                    low, part = type_.offsets[at[0]], type_.components[at[0]][1]
                    key, type_ = self.types.key(part, f"({key} - INT64_C({low}))"), part
                case BufferType():
                    assert isinstance(at, int)
                    name = self.types.name(type_)
                    digits = f"({key} - {name}_offset[{lengths[match.path[:depth]]}])"
                    digit = f"({digits} / {name}_power[{at}] % INT64_C({type_.item.count}))"
                    key, type_ = self.types.key(type_.item, digit), type_.item
        self.types.name(type_)
        return key, type_

    def _sets(self) -> None:
        """The sets that the instance belongs to; not those whose condition cannot be evaluated."""
        code = self.code
        if self.fair:
            code.line("c->sets = 0;")
        first = len(self.net.transitions) + len(self.net.rejects)
        sets = [(one, f"c->sets |= UINT64_C(1) << {number};") for number, one in enumerate(self.fair)]
        sets += [(one, f"sink->covered[{n}] = 1;") for n, one in enumerate(self.net.enabled_sets, first)]
        for one, belongs in sets:
            for term in (term for transition, term in one.instances if transition == self.number):
                failed = code.new("failed")
                with code.block(""), code.handled_by(failed):
                    code.line(f"if ({code.value(term)}) {belongs}")
                if any(f"goto {failed};" in line for line in code.lines):
                    code.label(failed)

    # --- firing -------------------------------------------------------------------------------------------------------

    def _fire(self) -> None:
        code, net, number = self.code, self.net, self.number
        failed = code.new("failed")
        code.line("fired++;")
        code.line(f"if (pending{self.level}) {{ error = pending{self.level}; goto {failed}; }}")
        touched = sorted({arc.place for arc in self.transition.inputs} | {p for p, _ in self.transition.outputs})
        for place in touched:
            code.line(f"bag_rest(c, &c->there[{place}], &c->here[{place}]);")
        with code.handled_by(failed):
            for place, term in self.transition.outputs:
                code.add(term, f"(&c->there[{place}])", "UINT64_C(1)")
        for place in touched:
            code.line(f"c->view[{place}] = &c->there[{place}];")
        constant = [place for place in touched if net.places[place].constant]
        for place in range(len(net.places)):
            if place in constant:
                text = f"!bag_equal(&c->there[{place}], &c->here[{place}])"
                code.line(f"if ({text}) {{ error = E_constant; goto {failed}; }}")
            if place in touched and net.places[place].capacity is not None:
                text = f"!holds(&shapes[{place}], bag_total(&c->there[{place}]))"
                code.line(f"if ({text}) {{ error = E_capacity; goto {failed}; }}")
        if any(place.implicit for place in net.places):
            code.line(f"if ((error = check_implicit(c))) goto {failed};")
        self._sets()
        if self.units is not None:
            code.line(f"sink->transition = unit_of(node[{self.taken}]);")
        code.line(f"if (!write_view(c, sink, {number})) {{ error = E_size; goto {failed}; }}")
        for place in touched:
            code.line(f"c->view[{place}] = &c->here[{place}];")
        code.line(f"goto {self.next};")
        code.label(failed)
        for place in touched:
            code.line(f"c->view[{place}] = &c->here[{place}];")
        code.line(f"sink->covered[{number}] = 1; sink->report(sink, (uint32_t)error - 1, {number});")
