"""Which code an instruction may call, found out from the program's text.

What a call calls is known where the function is a constant or a global variable that is assigned once. A method may be
that of any class that the program mentions. Everything else may call everything.
"""

from __future__ import annotations

from collections.abc import Iterator

from kripke.heap.program import INTRINSIC_ARGUMENTS, Class, Code, FunctionConstant, Intrinsic, Member, Op, Program

#: what an operand is known to be: a constant, ("global", number), ("code", number), ("new", class), or None
Origin = object
_BRANCHES = (Op.JUMP_IF_FALSE, Op.JUMP_IF_TRUE, Op.FOR_ITERATOR, Op.SEND, Op.BLOCK)


def next_places(code: Code, at: int) -> Iterator[int]:
    """Where a frame may go on behind an instruction; exceptions that it raises included."""
    op, argument, _ = code.instructions[at]
    if op == Op.JUMP or op in _BRANCHES:
        yield argument
    if op not in (Op.JUMP, Op.RETURN, Op.RAISE, Op.BLOCK):
        yield at + 1
    for handler in code.handlers:
        if handler.start <= at < handler.end:
            yield handler.target


class Calls:
    def __init__(self, program: Program) -> None:
        self.program = program
        self._dunder = {n for n, name in enumerate(program.names) if name.startswith("__") and name.endswith("__")}
        self.origins: dict[tuple[int, int], Origin] = {}
        #: by global variable: what it is assigned, where that is known
        self.assigned: dict[int, list[Origin]] = {}
        #: by global variable: the classes of which it is assigned new instances, where that is known
        self.made: dict[int, list[Origin]] = {}
        self.live: set[int] = set()
        self.classes: set[int] = {found.number for found in program.known}
        self.names: set[int] = set(self._dunder)
        self._find_live()
        self.live_classes = [found for found in program.classes if found.number in self.classes]
        self.generators = [n for n in sorted(self.live) if program.codes[n].generator]
        self._by_name: dict[int, set[int] | None] = {}

    # --- what the program can come to ---------------------------------------------------------------------------------

    def _find_live(self) -> None:
        todo = [self.program.entry, self.program.bootstrap]
        todo += self._mention_all([*self.program.initial.values(), *self.program.comparing])
        while True:
            while todo:
                number = todo.pop()
                if number not in self.live:
                    self.live.add(number)
                    self._follow(self.program.codes[number])
                    todo += self._mentioned(self.program.codes[number])
            todo = [each for each in self._members() if each not in self.live]
            if not todo:
                return

    def _mentioned(self, code: Code) -> list[int]:
        found: list[int] = []
        for op, argument, _ in code.instructions:
            if op == Op.CONST:
                found += self._mention_all([self.program.constants[argument]])
            elif op == Op.MAKE_FUNCTION:
                found.append(argument)
            elif op in (Op.LOAD_ATTRIBUTE, Op.STORE_ATTRIBUTE):
                self.names.add(argument)
            elif op == Op.CALL_METHOD:
                self.names.add(self.program.calls[argument].name)
        return found

    def _mention_all(self, values: object) -> list[int]:
        found: list[int] = []
        for value in values:  # type: ignore[attr-defined]
            if isinstance(value, FunctionConstant):
                found.append(value.code.number)
                found += self._mention_all([*value.defaults, *value.keyword_defaults])
            at = value if isinstance(value, Class) else None
            while at is not None and at.number not in self.classes:
                self.classes.add(at.number)
                at = at.base
        return found

    def _members(self) -> list[int]:
        """Methods of the classes, by the names that are used; run is called by the machine."""
        found: list[int] = []
        run = self.program.names.index("run")
        for each in self.program.classes:
            if each.number in self.classes:
                for name, (kind, value) in each.members.items():
                    if kind != Member.SLOT and (name in self.names or name == run):
                        found += self._mention_all([value])
        return found

    # --- where operands come from -------------------------------------------------------------------------------------

    def _follow(self, code: Code) -> None:
        """Runs the code with origins for values; what differs from way to way is not known."""
        before: dict[int, tuple[Origin, ...]] = {0: ()}
        todo = [0]
        while todo:
            at = todo.pop()
            stack = list(before[at])
            op, argument, _ = code.instructions[at]
            self._note(code, at, stack)
            jumped = _run(self.program, op, argument, stack)
            for place in next_places(code, at):
                into = tuple(jumped if place == argument and op in _BRANCHES else stack)
                for handler in code.handlers:
                    if place == handler.target and handler.start <= at < handler.end:
                        into = (*before[at][: handler.depth], None)
                        into += (None,) * (handler.depth + 1 - len(into))
                known = before.get(place)
                if known is None:
                    before[place] = into
                elif known != into:
                    merged = tuple(a if a is b or a == b else None for a, b in zip(known, into, strict=False))
                    if merged == known:
                        continue
                    before[place] = merged
                else:
                    continue
                todo.append(place)

    def _note(self, code: Code, at: int, stack: list[Origin]) -> None:
        op, argument, _ = code.instructions[at]
        if op in (Op.CALL, Op.CALL_METHOD):
            call = self.program.calls[argument]
            self.origins[code.number, at] = stack[-1 - call.positional - len(call.keywords)]
        elif op == Op.STORE_GLOBAL:
            value = stack[-1]
            made = isinstance(value, tuple) and value[0] == "new"
            self.assigned.setdefault(argument, []).append(None if made else value)
            self.made.setdefault(argument, []).append(value[1] if made else None)  # type: ignore[index]
        elif op == Op.INTRINSIC and argument == Intrinsic.HAS:
            self.origins[code.number, at] = stack[-1]

    # --- what is called -----------------------------------------------------------------------------------------------

    def of_instruction(self, code: Code, at: int) -> set[int] | None:
        """The code that may run before the next instruction; None: any."""
        op, argument, _ = code.instructions[at]
        match op:
            case Op.CALL:
                return self.of_value(self.origins.get((code.number, at)))
            case Op.CALL_SPREAD:
                return None
            case Op.CALL_METHOD:
                return self._methods(self.program.calls[argument].name)
            case Op.LOAD_ATTRIBUTE:
                return self._properties(argument)
            case Op.FOR_ITERATOR | Op.SEND:
                return set(self.generators)
            case Op.BINARY | Op.INPLACE | Op.UNARY | Op.COMPARE | Op.TRUTH | Op.SUBSCRIPT | Op.STORE_SUBSCRIPT:
                return self._operators()
            case Op.DELETE_SUBSCRIPT | Op.GET_ITERATOR:
                return self._operators()
            case Op.INTRINSIC:
                if argument in (Intrinsic.RESUME, Intrinsic.THROW):
                    return set(self.generators)
                if argument == Intrinsic.SPAWN:
                    return None
                if argument == Intrinsic.ITERATOR:
                    return self._operators()
        return set()

    def of_value(self, value: Origin) -> set[int] | None:
        match value:
            case FunctionConstant():
                return {value.code.number}
            case Class():
                found: set[int] = set()
                for name in ("__make__", "__init__"):
                    _, member = value.members.get(self.program.names.index(name), (None, None))
                    if isinstance(member, FunctionConstant):
                        found.add(member.code.number)
                return found
            case ("code", int() as number):
                return {number}
            case ("global", int() as number):
                return self._of_global(number)
        return None

    def _of_global(self, number: int) -> set[int] | None:
        origins = [*self.assigned.get(number, ())]
        if number in self.program.initial:
            origins.append(self.program.initial[number])
        found: set[int] = set()
        for each in origins:
            if each is None or (isinstance(each, tuple) and each[0] == "global"):
                return None
            more = self.of_value(each)
            if more is None:
                return None
            found |= more
        return found

    def _methods(self, name: int) -> set[int] | None:
        if name not in self._by_name:
            self._by_name[name] = self._all_methods(name)
        return self._by_name[name]

    def _all_methods(self, name: int) -> set[int] | None:
        found: set[int] = set()
        for each in self.live_classes:
            if name in each.layout:
                return None
            kind, value = each.members.get(name, (None, None))
            if isinstance(value, FunctionConstant):
                found.add(value.code.number)
            elif kind in (Member.SLOT, Member.CONSTANT):
                return None
            elif isinstance(value, Class):
                found |= self.of_value(value) or set()
        return found

    def _properties(self, name: int) -> set[int]:
        found: set[int] = set()
        for each in self.live_classes:
            kind, value = each.members.get(name, (None, None))
            if kind == Member.PROPERTY and isinstance(value, FunctionConstant):
                found.add(value.code.number)
        return found

    def _operators(self) -> set[int]:
        """Methods with names such as __add__; calls name theirs themselves."""
        if -1 not in self._by_name:
            named = ("__init__", "__make__", "__call__", "__enter__", "__exit__", "__str__", "__repr__")
            left_out = {n for n, name in enumerate(self.program.names) if name in named}
            found: set[int] = set()
            own = self.program.names.index("__eq__")
            if any(not each.library and (own in each.members or each.compares_in_steps) for each in self.live_classes):
                found |= {function.code.number for function in self.program.comparing}
            for name in self._dunder - left_out:
                for each in self.live_classes:
                    kind, value = each.members.get(name, (None, None))
                    if kind != Member.SLOT and isinstance(value, FunctionConstant):
                        found.add(value.code.number)
            self._by_name[-1] = found
        found_before = self._by_name[-1]
        assert found_before is not None
        return found_before


def _run(program: Program, op: Op, argument: int, stack: list[Origin]) -> list[Origin]:
    """The stack behind an instruction, in place; returned: where it jumps to."""

    def take(count: int) -> None:
        if count:
            del stack[len(stack) - count :]

    match op:
        case Op.CONST:
            stack.append(program.constants[argument])
        case Op.LOAD_GLOBAL:
            stack.append(("global", argument))
        case Op.LOAD_LOCAL | Op.LOAD_CELL:
            stack.append(None)
        case Op.MAKE_FUNCTION:
            take(program.codes[argument].free + 2)
            stack.append(("code", argument))
        case Op.DUP:
            stack.append(stack[-1])
        case Op.DUP2:
            stack.extend(stack[-2:])
        case Op.SWAP:
            stack[-1], stack[-2] = stack[-2], stack[-1]
        case Op.ROTATE:
            stack.insert(len(stack) - argument, stack.pop())
        case Op.BUILD_TUPLE | Op.BUILD_LIST | Op.BUILD_SET:
            take(argument)
            stack.append(None)
        case Op.BUILD_DICT:
            take(2 * argument)
            stack.append(None)
        case Op.CALL | Op.CALL_METHOD:
            call = program.calls[argument]
            function = stack[-1 - call.positional - len(call.keywords)]
            take(call.positional + len(call.keywords) + 1)
            stack.append(("new", function) if op == Op.CALL and isinstance(function, Class) else None)
        case Op.INTRINSIC:
            take(INTRINSIC_ARGUMENTS[Intrinsic(argument)])
            stack.append(None)
        case Op.UNPACK:
            take(1)
            stack.extend([None] * argument)
        case Op.FOR_ITERATOR:
            jumped = stack[:-1]
            stack.append(None)
            return jumped
        case Op.SEND:
            take(1)
            jumped = [*stack[:-1], None]
            stack.append(None)
            return jumped
        case _:
            taken, given = _EFFECTS[op]
            take(taken)
            stack.extend([None] * given)
    return list(stack)


_EFFECTS = {
    Op.STORE_LOCAL: (1, 0), Op.CLEAR_LOCAL: (0, 0), Op.DELETE_LOCAL: (0, 0), Op.STORE_CELL: (1, 0),
    Op.MAKE_CELL: (0, 0), Op.STORE_GLOBAL: (1, 0), Op.DELETE_GLOBAL: (0, 0), Op.POP: (1, 0), Op.BINARY: (2, 1),
    Op.INPLACE: (2, 1), Op.UNARY: (1, 1), Op.COMPARE: (2, 1), Op.NOT: (1, 1), Op.TRUTH: (1, 1), Op.JUMP: (0, 0),
    Op.JUMP_IF_FALSE: (1, 0), Op.JUMP_IF_TRUE: (1, 0), Op.LIST_APPEND: (1, 0), Op.SET_ADD: (1, 0),
    Op.DICT_PUT: (2, 0), Op.LOAD_ATTRIBUTE: (1, 1), Op.STORE_ATTRIBUTE: (2, 0), Op.CALL_SPREAD: (3, 1),
    Op.RETURN: (1, 0), Op.SUBSCRIPT: (2, 1), Op.STORE_SUBSCRIPT: (3, 0), Op.DELETE_SUBSCRIPT: (2, 0),
    Op.GET_ITERATOR: (1, 1), Op.RAISE: (1, 0), Op.MATCHES: (2, 1), Op.YIELD: (1, 1), Op.WAIT: (0, 0),
    Op.BLOCK: (0, 0), Op.CHOOSE: (1, 1), Op.POINT: (1, 1),
}  # fmt: skip
