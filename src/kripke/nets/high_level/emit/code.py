"""Terms as C: statements that compute them, with a jump where that fails.

``Code`` collects the lines of one function. A value is a C expression of type int64_t; what is used more than once, or
may fail, is a variable of its own. An error sets ``error`` and jumps to the label that is the handler at the time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kripke.nets.high_level.emit.values import Types, bare_ranges, literal
from kripke.nets.high_level.terms import Term
from kripke.nets.high_level.types import NUMERIC, ArrayType, BufferType, StructType, Type, UnionType

_CHECKED = ("+", "-", "*")
_FEW = 8  # constant tokens that are written out
_FULL = (-(1 << 62), 1 << 62)


class Names:
    """Numbers that are unlike over the whole file."""

    def __init__(self) -> None:
        self.bags = 0
        self.tables: list[str] = []


class Code:
    def __init__(self, types: Types, names: Names) -> None:
        self.types = types
        self.names = names
        self.lines: list[str] = []
        self.depth = 1
        self.count = 0
        self.handler = "failed"
        #: variables that may have no value: each has a flag
        self.uncertain: frozenset[int] = frozenset()

    def line(self, text: str) -> None:
        self.lines.append("    " * min(self.depth, 12) + text)

    def new(self, prefix: str = "x") -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def label(self, name: str) -> None:
        self.lines.append(f"{name}:;")

    def variable(self, value: str) -> str:
        name = self.new()
        self.line(f"const int64_t {name} = {value};")
        return name

    def fail_if(self, condition: str, error: str) -> None:
        if condition:
            self.line(f"if ({condition}) {{ error = E_{error}; goto {self.handler}; }}")

    def fail(self, error: str) -> None:
        self.line(f"{{ error = E_{error}; goto {self.handler}; }}")

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        self.line(f"{head} {{")
        self.depth += 1
        yield
        self.depth -= 1
        self.line("}")

    @contextmanager
    def handled_by(self, label: str) -> Iterator[None]:
        before, self.handler = self.handler, label
        yield
        self.handler = before

    # --- values -------------------------------------------------------------------------------------------------------

    def value(self, term: Term) -> str:
        operator, type_ = term.operator, term.type
        match operator:
            case "const":
                return literal(type_.key(term.detail))
            case "var":
                if term.detail in self.uncertain:
                    self.fail_if(f"!b{term.detail}", "unbound")
                return f"v{term.detail}"
            case "undefined" | "fatal":
                self.fail(operator)
                return "INT64_C(0)"
            case "and" | "or":
                return self._junction(term)
            case "not":
                return f"(!{self.value(term.operands[0])})"
            case "if":
                return self._if(term)
            case "subset" | "equals" | "cardinality" | "max" | "min":
                return self._about_sets(term)
        values = [self.value(operand) for operand in term.operands]
        match operator:
            case "==" | "<":
                return f"({values[0]} {operator} {values[1]})"
            case "+" | "-" | "*" | "/" | "%" | "&" | "^" | "|" | "neg" | "~" | "<<" | ">>":
                return self._arithmetic(term, values)
            case "succ" | "pred":
                return self._neighbour(term, values[0])
            case "cast":
                return self._cast(term, values[0])
        return self._compound(term, values)

    def _junction(self, term: Term) -> str:
        """From the left until it is decided; in one expression where nothing can fail."""
        sign = "&&" if term.operator == "and" else "||"
        before, at = self.count, len(self.lines)
        texts = [self.value(operand) for operand in term.operands]
        if len(self.lines) == at:
            return "(" + f" {sign} ".join(texts) + ")"
        del self.lines[at:]
        self.count = before
        result = self.new()
        self.line(f"int64_t {result} = {self.value(term.operands[0])} != 0;")
        for operand in term.operands[1:]:
            with self.block(f"if ({'' if sign == '&&' else '!'}{result})"):
                self.line(f"{result} = {self.value(operand)} != 0;")
        return result

    def _if(self, term: Term) -> str:
        condition, *branches = term.operands
        chosen = self.types.index(condition.type, self.value(condition))
        result = self.new()
        self.line(f"int64_t {result} = 0;")
        for head, branch in self._branches(chosen, branches):
            with self.block(head):
                self.line(f"{result} = {self.value(branch)};")
        return result

    def _branches(self, chosen: str, branches: list[Term]) -> Iterator[tuple[str, Term]]:
        """Heads of blocks: the first branch is that of the greatest value."""
        if len(branches) == 1:
            yield "if (1)", branches[0]
        elif len(branches) == 2:
            name = self.variable(chosen)
            yield f"if ({name})", branches[0]
            yield f"if (!{name})", branches[1]
        else:
            name = self.variable(chosen)
            for at, branch in enumerate(branches):
                yield f"if ({name} == {len(branches) - 1 - at})", branch

    def _arithmetic(self, term: Term, values: list[str]) -> str:
        ((low, high),) = term.type.ranges
        left, right = values[0], values[-1]
        match term.operator:
            case "+" | "-":
                text = f"({left} {term.operator} {right})"
            case "*":
                text = f"({left} * {right})"
                if term.type.kind == "unsigned" and interval(term) == (low, high):
                    left, right = self.variable(left), self.variable(right)
                    self.fail_if(f"{left} && {right} > {literal(high)} / {left}", "overflow")
                    return self.variable(f"{left} * {right}")
            case "/" | "%":
                right = self.variable(right)
                self.fail_if(f"{right} == 0", "division")
                text = f"({left} {term.operator} {right})"
                if term.operator == "%":
                    return text
            case "neg":
                text = f"(-{left})"
            case "~":
                return f"(~{left})" if term.type.kind == "int" else f"({left} ^ INT64_C(4294967295))"
            case "<<" | ">>":
                right = self.variable(right)
                self.fail_if(f"{right} < 0 || {right} >= 32", "shift")
                if term.operator == ">>":
                    return f"({left} >> {right})"
                shifted = f"(uint32_t)((uint64_t){left} << {right})"
                return f"((int64_t)(int32_t){shifted})" if term.type.kind == "int" else f"((int64_t){shifted})"
            case _:
                return f"({left} {term.operator} {right})"
        outside = self.types.outside(term.type, "@", bare_interval(term))
        if not outside:
            return text
        name = self.variable(text)
        self.fail_if(outside.replace("@", name), "overflow")
        return name

    def _neighbour(self, term: Term, value: str) -> str:
        type_, name = term.type, self.variable(value)
        if len(type_.ranges) == 1:
            ((low, high),) = type_.ranges
            if term.operator == "succ":
                return f"({name} == {literal(high)} ? {literal(low)} : {name} + 1)"
            return f"({name} == {literal(low)} ? {literal(high)} : {name} - 1)"
        by = "1" if term.operator == "succ" else literal(type_.count - 1)
        return self.types.key(type_, f"(({self.types.index(type_, name)} + {by}) % {literal(type_.count)})")

    def _cast(self, term: Term, value: str) -> str:
        source, target = term.operands[0].type, term.type
        if source.kind in NUMERIC and target.kind in NUMERIC:
            self.types.name(target)
            outside = self.types.outside(target, "@", interval(term.operands[0]))
            if not outside:
                return value
            name = self.variable(value)
            self.fail_if(outside.replace("@", name), "constraint")
            return name
        result = self.new()
        self.line(f"int64_t {result} = 0;")
        self.line(f"if ((error = {self.types.conversion(source, target)}({value}, &{result}))) goto {self.handler};")
        return result

    # --- compound values ----------------------------------------------------------------------------------------------

    def _whole(self, type_: Type, text: str) -> str:
        """A new compound value, which may break a constraint on its type as a whole."""
        self.types.name(type_)
        if type_.ranges == bare_ranges(type_):
            return text
        name = self.variable(text)
        self.fail_if(self.types.outside(type_, name), "constraint")
        return name

    def _compound(self, term: Term, values: list[str]) -> str:
        types, type_ = self.types, term.type
        match term.operator:
            case "tuple":
                assert isinstance(type_, StructType | ArrayType)
                types.name(type_)
                return self._whole(type_, types.composed(type_.types, values))
            case "component":
                outer = term.operands[0].type
                assert isinstance(outer, StructType | ArrayType)
                types.name(outer)
                return types.component(outer, values[0], term.detail)
            case "replace":
                assert isinstance(type_, StructType | ArrayType)
                types.name(type_)
                old = self.variable(values[0])
                part = type_.types[term.detail]
                change = (
                    f"{types.index(part, values[1])} - {types.index(part, types.component(type_, old, term.detail))}"
                )
                return self._whole(type_, f"({old} + ({change}) * {literal(types.weight(type_, term.detail))})")
            case "item" | "put" | "rotate":
                return self._array(term, values)
            case "inject":
                assert isinstance(type_, UnionType)
                part = type_.components[term.detail][1]
                types.name(type_)
                return self._whole(type_, f"({literal(type_.offsets[term.detail])} + {types.index(part, values[0])})")
            case "is" | "select":
                outer = term.operands[0].type
                assert isinstance(outer, UnionType)
                types.name(outer)
                low, part = outer.offsets[term.detail], outer.components[term.detail][1]
                name = self.variable(values[0])
                active = f"({name} >= {literal(low)} && {name} < {literal(low + part.count)})"
                if term.operator == "is":
                    return active
                self.fail_if(f"!{active}", "union")
                return types.key(part, f"({name} - {literal(low)})")
        return self._buffer(term, values)

    def _array(self, term: Term, values: list[str]) -> str:
        types, outer = self.types, term.operands[0].type
        assert isinstance(outer, ArrayType)
        name, size = types.name(outer), len(outer.types)
        array = self.variable(values[0])
        if term.operator == "rotate":
            by = f"({values[1]} % {size})"
            by = self.variable(by if term.detail > 0 else f"({size} - {by}) % {size}")
            low, high = f"{array} % {name}_power[{by}]", f"{array} / {name}_power[{by}]"
            return self._whole(outer, f"({high} + ({low}) * {name}_power[{size} - {by}])")
        at = self.variable(types.index(outer.indices, values[1]))
        digit = f"({array} / {name}_power[{at}] % {literal(outer.item.count)})"
        if term.operator == "item":
            return types.key(outer.item, digit)
        change = f"({types.index(outer.item, values[2])} - {digit})"
        return self._whole(outer, f"({array} + {change} * {name}_power[{at}])")

    def _buffer(self, term: Term, values: list[str]) -> str:
        types, type_ = self.types, term.type
        if term.operator == "buffer":
            assert isinstance(type_, BufferType)
            name = types.name(type_)
            inner = types.composed((type_.item,) * len(values), values)
            return self._whole(type_, f"({name}_offset[{len(values)}] + {inner})")
        outer = term.operands[0].type
        assert isinstance(outer, BufferType)
        name = types.name(outer)
        buffer = self.variable(values[0])
        length = self.variable(f"{name}_length({buffer})")
        match term.operator:
            case "used":
                return length
            case "free":
                return f"({outer.capacity} - {length})"
        items = self.variable(f"{buffer} - {name}_offset[{length}]")
        power = f"{name}_power"
        match term.operator:
            case "write":
                new, at = self.variable(values[1]), self.variable(values[2])
                self.fail_if(f"{length} >= {outer.capacity} || {at} < 0 || {at} > {length}", "buffer")
                at = self.variable(f"{length} - {at}" if outer.kind == "queue" else at)
                text = (
                    f"({name}_offset[{length} + 1] + {items} % {power}[{at}]"
                    f" + {types.index(outer.item, new)} * {power}[{at}] + {items} / {power}[{at}] * {power}[{at} + 1])"
                )
                return self._whole(outer, text)
            case "peek":
                at = self.variable(values[1])
                self.fail_if(f"{at} < 0 || {at} >= {length}", "buffer")
                return types.key(outer.item, f"({items} / {power}[{at}] % {literal(outer.item.count)})")
            case "remove":
                number, at = self.variable(values[1]), self.variable(values[2])
                self.fail_if(f"{number} < 0 || {at} < 0 || {at} + {number} > {length}", "buffer")
                text = (
                    f"({name}_offset[{length} - {number}] + {items} % {power}[{at}]"
                    f" + {items} / {power}[{at} + {number}] * {power}[{at}])"
                )
                return self._whole(outer, text)
        raise TypeError(term.operator)

    # --- multi-sets ---------------------------------------------------------------------------------------------------

    def _about_sets(self, term: Term) -> str:
        bags = [self.bag(operand) for operand in term.operands]
        match term.operator:
            case "subset" | "equals":
                function = "bag_subset" if term.operator == "subset" else "bag_equal"
                return self.variable(f"{function}({bags[0]}, {bags[1]})")
            case "cardinality":
                total = self.variable(f"(int64_t)bag_total({bags[0]})")
                self.fail_if(f"(uint64_t){total} > MOST_COPIES", "overflow")
                return total
        return self.variable(f"(int64_t)bag_{'most' if term.operator == 'max' else 'least'}({bags[0]})")

    def bag(self, term: Term) -> str:
        """A pointer to a multi-set that is not to be changed."""
        if term.operator == "place":
            return f"c->view[{term.detail}]"
        number = self.names.bags
        self.names.bags += 1
        name = f"(&c->extra[{number}])"
        self.line(f"c->extra[{number}].n = 0;")
        self.add(term, name, "UINT64_C(1)")
        return name

    def add(self, term: Term, bag: str, factor: str) -> None:
        """Add so many copies of a multi-set to another one."""
        match term.operator:
            case "empty":
                pass
            case "tokens" | "times":
                self._add_copies(term, bag, factor)
            case "sum" | "union":
                self._add_sum(term, bag, factor)
            case "place":
                self._add_all(f"c->view[{term.detail}]", bag, factor)
            case "taken":
                place = f"c->here[{term.detail}]"
                at = self.new("i")
                with self.block(f"for (uint32_t {at} = 0; {at} < {place}.n; {at}++)"):
                    copies = f"{place}.count[{at}] - {place}.left[{at}]"
                    with self.block(f"if ({copies})"):
                        self._add_one(bag, f"{place}.key[{at}]", f"saturated({copies}, {factor})")
            case "multiif":
                condition, *branches = term.operands
                chosen = self.types.index(condition.type, self.value(condition))
                for head, branch in self._branches(chosen, branches):
                    with self.block(head):
                        self.add(branch, bag, factor)
            case "minus" | "intersect":
                left, right = self.bag(term.operands[0]), self.bag(term.operands[1])
                at = self.new("i")
                with self.block(f"for (uint32_t {at} = 0; {at} < {left}->n; {at}++)"):
                    one, other = f"{left}->count[{at}]", self.new("n")
                    self.line(f"const uint64_t {other} = bag_count({right}, {left}->key[{at}]);")
                    if term.operator == "minus":
                        head, copies = f"if ({one} > {other})", f"{one} - {other}"
                    else:
                        head, copies = f"if ({other})", f"({one} < {other} ? {one} : {other})"
                    with self.block(head):
                        self._add_one(bag, f"{left}->key[{at}]", f"saturated({copies}, {factor})")
            case "filter" | "map" | "mapeach":
                self._comprehension(term, bag, factor)
            case _:
                raise TypeError(term.operator)

    def _add_sum(self, term: Term, bag: str, factor: str) -> None:
        """Many tokens that are known beforehand are a table."""
        known = [token for operand in term.operands if (token := constant_token(operand)) is not None]
        if len(known) < _FEW:
            known = []
        for operand in term.operands:
            if not known or constant_token(operand) is None:
                self.add(operand, bag, factor)
        if known:
            name, at = f"tokens{len(self.names.tables)}", self.new("i")
            rows = ", ".join(f"{{{literal(key)}, {count}}}" for key, count in known)
            self.types.name(term.type)
            self.names.tables.append(f"static const int64_t {name}[][2] = {{{rows}}};")
            with self.block(f"for (uint32_t {at} = 0; {at} < {len(known)}; {at}++)"):
                self._add_one(bag, f"{name}[{at}][0]", f"saturated((uint64_t){name}[{at}][1], {factor})")

    def _add_one(self, bag: str, key: str, copies: str) -> None:
        self.fail_if(f"!bag_add(c, {bag}, {key}, {copies})", "overflow")

    def _add_all(self, source: str, bag: str, factor: str) -> None:
        at = self.new("i")
        with self.block(f"for (uint32_t {at} = 0; {at} < {source}->n; {at}++)"):
            self._add_one(bag, f"{source}->key[{at}]", f"saturated({source}->count[{at}], {factor})")

    def _add_copies(self, term: Term, bag: str, factor: str) -> None:
        number, inner = term.operands
        if number.operator == "const" and number.detail == 1:
            if term.operator == "tokens":
                self._add_one(bag, self.value(inner), factor)
            else:
                self.add(inner, bag, factor)
            return
        copies = self.variable(self.value(number))
        if interval(number)[0] < 0:
            self.fail_if(f"{copies} < 0", "constraint")
        with self.block(f"if ({copies})"):
            product = f"saturated((uint64_t){copies}, {factor})"
            if factor == "UINT64_C(1)":
                product = f"(uint64_t){copies}"
            if term.operator == "tokens":
                self._add_one(bag, self.value(inner), product)
            else:
                self.add(inner, bag, product)

    def _comprehension(self, term: Term, bag: str, factor: str) -> None:
        source, body = term.operands
        tokens = self.bag(source)
        at = self.new("i")
        with self.block(f"for (uint32_t {at} = 0; {at} < {tokens}->n; {at}++)"):
            slots = term.detail if term.operator == "mapeach" else (term.detail,)
            if term.operator == "mapeach":
                self.line(f"const int64_t v{slots[0]} = (int64_t){tokens}->count[{at}]; (void)v{slots[0]};")
            self.line(f"const int64_t v{slots[-1]} = {tokens}->key[{at}]; (void)v{slots[-1]};")
            copies = f"saturated({tokens}->count[{at}], {factor})"
            match term.operator:
                case "filter":
                    with self.block(f"if ({self.value(body)})"):
                        self._add_one(bag, f"{tokens}->key[{at}]", copies)
                case "map":
                    self._add_one(bag, self.value(body), copies)
                case _:
                    self.add(body, bag, factor)


def constant_token(term: Term) -> tuple[int, int] | None:
    """The key of a token and how many there are of it, where both are known beforehand."""
    if term.operator != "tokens" or any(operand.operator != "const" for operand in term.operands):
        return None
    count, value = term.operands
    return value.type.key(value.detail), int(count.detail)


def bare_interval(term: Term) -> tuple[int, int]:
    """In which range the result of an operator on numbers is before it is checked."""
    if term.operator in _CHECKED:
        (a, b), (c, d) = (interval(operand) for operand in term.operands)
        match term.operator:
            case "+":
                return a + c, b + d
            case "-":
                return a - d, b - c
            case "*":
                products = (a * c, a * d, b * c, b * d)
                return min(products), max(products)
    if term.operator == "neg":
        low, high = interval(term.operands[0])
        return -high, -low
    return _FULL


def interval(term: Term) -> tuple[int, int]:
    """In which range the key of a term is."""
    low, high = term.type.ranges[0][0], term.type.ranges[-1][1]
    if term.operator == "const":
        key = term.type.key(term.detail)
        return key, key
    if term.operator == "cast" and term.operands[0].type.kind in NUMERIC and term.type.kind in NUMERIC:
        inner = interval(term.operands[0])
        return max(low, inner[0]), min(high, inner[1])
    if term.operator in _CHECKED or term.operator == "neg":
        inner = bare_interval(term)
        return max(low, inner[0]), min(high, inner[1])
    return low, high
