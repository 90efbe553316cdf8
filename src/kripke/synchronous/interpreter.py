"""The reference semantics: all steps from a state, found by assigning variables one after another.

Assignments come first, as soon as what they need is known. Then constraints give values to variables where they leave
no choice; where they leave one, the operands of a disjunction are tried in turn, or the values of a variable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from kripke.synchronous.expressions import (
    Apply,
    Case,
    Choice,
    Constant,
    Element,
    Interval,
    Node,
    Read,
    Renumber,
    conjuncts,
    every,
    reads,
)
from kripke.synchronous.system import SynchronousSystem
from kripke.synchronous.valuation import NONE, OPEN, Valuation

#: kinds of violations: an expression has no value; a variable is to have one that its type has not
UNDEFINED: Final = 0
RANGE: Final = 1


class Broken(NamedTuple):
    """What a step breaks: a kind, and the number of a statement of the system."""

    code: int
    statement: int


class Found(NamedTuple):
    """A step: the values of all variables after it (those of inputs are those of the step), or what it breaks."""

    values: tuple[int, ...]
    broken: Broken | None = None


class _Task(NamedTuple):
    """What is left to do: an assignment, or a constraint."""

    node: Node
    variable: int  # -1: a constraint
    statement: int


class _Way(NamedTuple):
    """Values so far, what is left to do, and what is broken already."""

    valuation: Valuation
    tasks: list[_Task]
    broken: frozenset[Broken]


class _Conflict(Exception):
    """No solution."""


class Interpreter:
    def __init__(self, system: SynchronousSystem, pause: Callable[[], None]) -> None:
        self.system = system
        self._pause = pause
        self._domains = [variable.type.domain for variable in system.variables]
        numbers = {id(one): number for number, one in enumerate(system.statements(), start=1)}
        always = [_Task(later_form(one.value), one.variable, numbers[id(one)]) for one in system.always]
        following = [_Task(one.value, one.variable, numbers[id(one)]) for one in system.following]
        invar = [_Task(later_form(c), -1, numbers[id(one)]) for one in system.invar for c in conjuncts(one.condition)]
        trans = [_Task(c, -1, numbers[id(one)]) for one in system.trans for c in conjuncts(one.condition)]
        self._step_tasks = [*always, *following, *invar, *trans]
        self._start_tasks = [
            *(_Task(one.value, one.variable, 0) for one in (*system.always, *system.first)),
            *(_Task(c, -1, 0) for one in (*system.invar, *system.init) for c in conjuncts(one.condition)),
        ]
        self._failing: dict[int, bool] = {}
        self._inputs = [number for number, one in enumerate(system.variables) if one.kind == "input"]

    # --- what is asked for --------------------------------------------------------------------------------------------

    def initial(self) -> Iterator[Found]:
        """Inputs have the first of their values: they belong to no state."""
        now: list[int | None] = [None] * len(self.system.variables)
        for number in self._inputs:
            now[number] = self._domains[number][0]
        valuation = Valuation(now, [None] * len(now))
        yield from self._solutions(valuation, self._start_tasks, later=False)

    def steps(self, values: tuple[int, ...]) -> Iterator[Found]:
        now: list[int | None] = list(values)
        later: list[int | None] = [None] * len(now)
        for number, variable in enumerate(self.system.variables):
            if variable.kind == "input":
                now[number], later[number] = None, self._domains[number][0]
            elif variable.kind == "frozen":
                later[number] = values[number]
        yield from self._solutions(Valuation(now, later), self._step_tasks, later=True)

    def truth(self, node: Node, values: tuple[int, ...]) -> bool | None:
        """Of a condition on states; None: it has no value."""
        found = Valuation(list(values), []).of(node)
        return bool(found) if isinstance(found, int) else None

    # --- solutions ----------------------------------------------------------------------------------------------------

    def _solutions(self, valuation: Valuation, tasks: list[_Task], later: bool) -> Iterator[Found]:
        """Each once."""
        seen: set[Found] = set()
        stack: list[Iterator[_Way]] = [iter([_Way(valuation, tasks, frozenset())])]
        while stack:
            self._pause()
            way = next(stack[-1], None)
            if way is None:
                stack.pop()
                continue
            try:
                tasks, broken = self._propagated(way.valuation, way.tasks, later, way.broken)
            except _Conflict:
                continue
            split = self._split(_Way(way.valuation, tasks, broken), later)
            if split is not None:
                stack.append(split)
                continue
            for found in sorted(Found((), one) for one in broken) if broken else (self._whole(way.valuation, later),):
                if found not in seen:
                    seen.add(found)
                    yield found

    def _whole(self, valuation: Valuation, later: bool) -> Found:
        values = valuation.later if later else valuation.now
        if later:
            for number in self._inputs:
                values[number] = valuation.now[number]
        return Found(tuple(value for value in values if value is not None))

    def _propagated(
        self, valuation: Valuation, tasks: list[_Task], later: bool, broken: frozenset[Broken]
    ) -> tuple[list[_Task], frozenset[Broken]]:
        """What is left to do when nothing follows any more. _Conflict: it cannot be done."""
        deriving = _Deriving(valuation, self._domains)
        changed = True
        while changed:
            changed, left = False, list[_Task]()
            for task in tasks:
                done = self._assigned(valuation, task, later) if task.variable >= 0 else deriving.demand(task.node)
                if done is NONE or isinstance(done, int):
                    broken |= {Broken(RANGE if isinstance(done, int) else UNDEFINED, task.statement)}
                    changed = True
                elif done is OPEN:
                    left.append(task)
                else:
                    changed = True
            changed |= deriving.changed
            deriving.changed = False
            tasks = left
        return tasks, broken

    def _assigned(self, valuation: Valuation, task: _Task, later: bool) -> object:
        """Assign where one value is left: None. A number outside of the type, or NONE, is an error."""
        values = valuation.choices(task.node)
        if not isinstance(values, list):
            return values
        domain = self._domains[task.variable]
        outside = next((value for value in values if value not in domain), None)
        if outside is not None:
            return outside
        known = valuation.get(task.variable, later)
        if known is not None:
            if known not in values:
                raise _Conflict
            return None
        if len(values) > 1:
            return OPEN
        valuation.set(task.variable, later, values[0])
        return None

    # --- choices ------------------------------------------------------------------------------------------------------

    def _split(self, way: _Way, later: bool) -> Iterator[_Way] | None:
        """Ways to go on, all solutions among them; None: there is nothing left to decide. Where something is broken,
        the rest only has to be possible."""
        valuation, tasks = way.valuation, way.tasks
        for task in tasks:
            if task.variable >= 0:
                values = valuation.choices(task.node)
                if isinstance(values, list):
                    return self._tried(way, task.variable, later, values)
        smallest = self._smallest(valuation, [task for task in tasks if task.variable < 0], later)
        ways = self._disjunction(valuation, tasks)
        if ways is not None and (smallest is None or len(ways[1]) < len(self._domains[smallest[0]])):
            return self._alternatives(way, *ways)
        if smallest is not None:
            number, of_next = smallest
            return self._tried(way, number, of_next, self._domains[number])
        if way.broken and not tasks:
            return None
        for values_, of_next in ((valuation.now, False), (valuation.later, True)):
            if of_next <= later:
                for number, value in enumerate(values_):
                    if value is None:
                        return self._tried(way, number, of_next, self._domains[number])
        return None

    def _smallest(self, valuation: Valuation, tasks: list[_Task], later: bool) -> tuple[int, bool] | None:
        """Of the variables in these constraints one with fewest values."""
        found: tuple[int, bool] | None = None
        for task in tasks:
            for number, of_next in reads(task.node):
                smaller = found is None or len(self._domains[number]) < len(self._domains[found[0]])
                if smaller and of_next <= later and valuation.get(number, of_next) is None:
                    found = number, of_next
        return found

    def _tried(
        self, way: _Way, number: int, later: bool, values: range | tuple[int, ...] | list[int]
    ) -> Iterator[_Way]:
        for value in values:
            attempt = way.valuation.copy()
            attempt.set(number, later, value)
            yield way._replace(valuation=attempt)

    def _disjunction(self, valuation: Valuation, tasks: list[_Task]) -> tuple[_Task, list[Node]] | None:
        best: tuple[_Task, list[Node]] | None = None
        for task in tasks:
            node = task.node
            if task.variable < 0 and isinstance(node, Apply) and node.operator == "or":
                ways = [operand for operand in node.operands if valuation.of(operand) is OPEN]
                # That one operand has no value matters only if no other is true: such are decided by variables.
                if not self._may_fail(node) and (best is None or len(ways) < len(best[1])):
                    best = task, ways
        return best

    def _may_fail(self, node: Node) -> bool:
        found = self._failing.get(id(node))
        if found is None:
            found = self._failing[id(node)] = any(map(may_fail, every(node)))
        return found

    def _alternatives(self, way: _Way, task: _Task, nodes: list[Node]) -> Iterator[_Way]:
        rest = [one for one in way.tasks if one is not task]
        for node in nodes:
            more = [_Task(part, -1, task.statement) for part in conjuncts(node)]
            yield way._replace(valuation=way.valuation.copy(), tasks=[*more, *rest])


class _Deriving:
    """Values that follow from what must be true."""

    def __init__(self, valuation: Valuation, domains: list[range | tuple[int, ...]]) -> None:
        self.valuation, self.domains = valuation, domains
        self.changed = False

    def demand(self, node: Node) -> object:
        """A constraint: None where it is true, NONE, or OPEN. _Conflict where it is false."""
        self._follow(node, 1)
        value = self.valuation.of(node)
        if value == 0:
            raise _Conflict
        return value if not isinstance(value, int) else None

    def _follow(self, node: Node, truth: int) -> None:
        if self.valuation.of(node) is not OPEN:
            return
        match node:
            case Read():
                self._set(node, truth)
            case Apply(operator="not"):
                self._follow(node.operands[0], 1 - truth)
            case Apply(operator="and" | "or"):
                self._follow_gathered(node, truth)
            case Apply(operator="iff"):
                for one, other in (node.operands, reversed(node.operands)):
                    known = self.valuation.of(one)
                    if isinstance(known, int):
                        self._follow(other, known if truth else 1 - known)
            case Apply(operator="=") if truth:
                for one, other in (node.operands, reversed(node.operands)):
                    known = self.valuation.of(one)
                    if isinstance(known, int):
                        self._follow_value(other, known)
            case Case():
                for condition, value in node.branches:
                    known = self.valuation.of(condition)
                    if known is OPEN or known is NONE:
                        return
                    if known:
                        self._follow(value, truth)
                        return

    def _follow_gathered(self, node: Apply, truth: int) -> None:
        if truth == (node.operator == "and"):
            for operand in node.operands:
                self._follow(operand, truth)
            return
        # All but one decide nothing: the one must. An operand without a value would make the whole have none.
        left = [operand for operand in node.operands if not isinstance(self.valuation.of(operand), int)]
        if len(left) == 1:
            self._follow(left[0], truth)

    def _follow_value(self, node: Node, value: int) -> None:
        match node:
            case Read():
                self._set(node, value)
            case Apply(operator="as"):
                self._follow_value(node.operands[0], value)
            case Renumber() if node.numbers.count(value) == 1:
                self._follow_value(node.operand, node.numbers.index(value))

    def _set(self, node: Read, value: int) -> None:
        if self.valuation.get(node.variable, node.later) is None:
            if value not in self.domains[node.variable]:
                raise _Conflict
            self.valuation.set(node.variable, node.later, value)
            self.changed = True


def may_fail(node: Node) -> bool:
    """May it have no value though all its parts have one?"""
    match node:
        case Apply(operator="/" | "mod"):
            divisor = node.operands[1]
            return not (isinstance(divisor, Constant) and divisor.value)
        case Apply(operator="<<" | ">>"):
            count = node.operands[1]
            sort = count.type.sort
            known = count.value if isinstance(count, Constant) else sort.low if isinstance(count, Read) else None
            return known is None or known < 0
        case Case():
            last = node.branches[-1][0]
            return not (isinstance(last, Constant) and last.value)
        case Element():
            sort = node.index.type.sort
            inside = sort.low is not None and sort.high is not None and node.low <= sort.low
            return not (inside and sort.high is not None and sort.high < node.low + len(node.items))
    return False


def later_form(node: Node, known: dict[int, Node] | None = None) -> Node:
    """The same of the next state."""
    known = {} if known is None else known
    found = known.get(id(node))
    if found is not None:
        return found
    match node:
        case Read():
            made: Node = Read(node.variable, True, node.type, node.span)
        case Apply():
            made = Apply(node.operator, tuple(later_form(one, known) for one in node.operands), node.type, node.span)
        case Case():
            branches = tuple((later_form(c, known), later_form(value, known)) for c, value in node.branches)
            made = Case(branches, node.type, node.span)
        case Element():
            items = tuple(later_form(one, known) for one in node.items)
            made = Element(later_form(node.index, known), node.low, items, node.type, node.span)
        case Renumber():
            made = Renumber(later_form(node.operand, known), node.numbers, node.type, node.span)
        case Choice():
            inner = tuple(one if isinstance(one, Interval) else later_form(one, known) for one in node.items)
            made = Choice(inner, node.type, node.span)
        case Constant():
            made = node
        case _:
            raise TypeError(node)
    known[id(node)] = made
    return made
