"""A chart of fixed form as a C file against ``native/model.h``.

The tree of states and the transitions are tables; guards and blocks of actions are functions; the rest is the algorithm
of ``interpreter.py`` in C, with the same order of everything, and ``layout.py`` has the form of states. Sets of states
are bits. What does not depend on the state is found beforehand: which transitions an innermost state has for an event,
and, where no history is concerned, which states a transition enters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import accumulate
from math import gcd
from typing import TYPE_CHECKING

from kripke.hierarchy.chart.dependence import expecting_states
from kripke.hierarchy.chart.estimates import readers
from kripke.hierarchy.chart.finite import Finite
from kripke.hierarchy.chart.interpreter import MOST_DELAYED, MOST_EVENTS, MOST_MICRO_STEPS, Entry, Run
from kripke.hierarchy.chart.layout import PlacedLayout
from kripke.hierarchy.chart.runtime import ENDS, ENTRIES, EXITS, HEAD, LACKING, PREAMBLE, SCXML, STATES, TREE
from kripke.hierarchy.chart.session import Session
from kripke.hierarchy.chart.structure import Action, AssignTo, Cancel, If, Log, Raise, Script, Send, Transition, matches
from kripke.hierarchy.terms import c_text
from kripke.model.capabilities.estimate import Estimator
from kripke.model.dependencies import DependencyAnalysis
from kripke.model.patterns.emit import emit_patterns

if TYPE_CHECKING:
    from kripke.hierarchy.chart.model import ChartModel

_NUMBERS_PER_LINE = 24
_DYNAMIC, _NOWHERE = -2, -1  # instead of the domain of a transition


class Emission:
    """``dependencies``: with what partial-order reduction asks for (``dependence.py``)."""

    #: codes of what goes wrong before the first state
    broken: Sequence[int] = ()
    #: for directed search
    estimators: Sequence[Estimator] = ()

    def __init__(
        self,
        model: ChartModel,
        finite: Finite,
        layout: PlacedLayout,
        initial: Sequence[bytes],
        *,
        dependencies: bool = False,
    ) -> None:
        self.model = model
        self.dependencies = dependencies and isinstance(model.dependencies(), DependencyAnalysis)
        self.finite = finite
        self.layout = layout
        self.starts = initial
        self.chart = finite.chart
        self.transitions: list[Transition] = [t for s in self.chart.states for t in s.transitions]
        self.initial_of: list[int] = []
        for state in self.chart.states:
            self.initial_of.append(-1 if state.initial is None else len(self.transitions))
            if state.initial is not None:
                self.transitions.append(state.initial)
        self.number = {id(transition): number for number, transition in enumerate(self.transitions)}
        self.atomic = [s.number for s in self.chart.states if s.number and self.chart.atomic(s.number) and not
                       self.chart.is_history(s.number)]  # fmt: skip
        self.functions: list[str] = []
        self.made = 0

    def whole(self) -> str:
        """The C file."""
        return "\n".join(self.lines())

    def lines(self) -> Iterable[str]:
        model, chart, layout = self.model, self.chart, self.layout
        tables = list(self.tables())
        conditions = list(self.conditions())
        events = model.environment.events
        yield f"/* {_plain(model.file)}: {len(chart.states) - 1} states, {len(self.transitions)} transitions */"
        yield PREAMBLE
        for name, value in (
            ("VARIABLES", len(chart.variables)),
            ("STATES", len(chart.states)),
            ("HISTORIES", len(layout.histories)),
            ("BITS", layout.bits),
            ("TRANSITIONS", max(1, len(self.transitions))),
            ("WORDS", (len(chart.states) + 63) // 64),
            ("COLUMNS", len(self.finite.events) + 1),
            ("EVENTLESS", len(self.finite.events)),
            ("MOST_EVENTS", MOST_EVENTS),
            ("MOST_DELAYED", MOST_DELAYED),
            ("MOST_MICRO_STEPS", MOST_MICRO_STEPS),
            ("EVENTS", len(events)),
            ("QUEUE", model.environment.queue),
            ("FIRST_EVENT", model.first_event),
            ("TAKE", model.first_event + len(events)),
            ("WAIT", model.first_event + len(events) + 1),
            ("LABELS", len(model.statements)),
            ("INVARIANTS", len(model.invariants)),
            ("ATOMS", len(model.conditions)),
            ("LONGEST", layout.longest),
            ("PARALLELS", sum(state.kind == "parallel" for state in chart.states)),
            ("DYNAMIC", self.dynamic),
            ("UNIT", gcd(*model.delays) if model.delays else 0),
        ):
            yield f"#define {name} {value}u"
        yield "/* Who acts: with dependencies, steps are told apart by the numbers of dependence.py. */"
        yield f"#define ACTOR(number, usually) ({'number' if self.dependencies else 'usually'})"
        yield HEAD
        yield from tables
        yield from self.functions
        yield from conditions
        yield from self.pointers()
        yield array("uint32_t", "initial_start", starts(self.starts))
        yield array("uint8_t", "initial_states", [byte for state in self.starts for byte in state])
        yield f"#define INITIAL_STATES {len(self.starts)}u"
        yield array("uint32_t", "initial_codes", self.broken)
        yield f"#define INITIAL_BROKEN {len(self.broken)}u"
        yield f'static const char model_name[] = "{_plain(model.file)}";'
        yield from (TREE, EXITS, ENTRIES, STATES, *self.algorithm())
        if self.dependencies:
            expecting = [expecting_states(chart, name) for name in events]
            yield "/* Of every event of the environment: the states with transitions for it. */"
            yield array("uint64_t", "expecting", [w for s in expecting for w in words(s, len(chart.states))], "ull")
            yield LACKING
        known = "0, EVENTS + 2u, configuration, lacking, 0, 0, 0, 0, 0, 0, EVENTS + 2u"
        estimate = "0"
        if self.estimators:
            estimate = "estimate"
            prologue = "    run r;\n    decode(state, &r);"
            yield emit_patterns(self.estimators, prologue, readers(model, self.finite).__getitem__)
        dependencies = known if self.dependencies else "0, 0, 0, 0, 0, 0, 0, 0, 0, 0"
        yield ENDS.replace("DEPENDENCIES", dependencies).replace("ESTIMATE", estimate)

    def algorithm(self) -> Iterable[str]:
        yield SCXML

    def tables(self) -> Iterable[str]:
        chart = self.chart
        states = chart.states
        kinds = {"root": 0, "state": 1, "parallel": 2, "final": 3, "shallow": 4, "deep": 5, "choice": 6}
        yield array("int32_t", "parent", [s.parent for s in states])
        yield array("int32_t", "last", [s.last for s in states])
        yield "enum { ROOT, STATE, PARALLEL, FINAL, SHALLOW, DEEP, CHOICE };"
        yield array("uint8_t", "kind", [kinds[s.kind] for s in states])
        yield array("uint8_t", "compound", [int(chart.compound(s.number)) for s in states])
        yield array("int32_t", "history_place", [_index(self.layout.histories, s.number) for s in states])
        yield array("int32_t", "history_states", self.layout.histories)
        yield array("uint32_t", "children_start", starts([s.children for s in states]))
        yield array("int32_t", "children", [c for s in states for c in s.children])
        yield array("int32_t", "initial_of", self.initial_of)
        done = {name: number for number, name in enumerate(self.finite.events)}
        yield array("int32_t", "done_event", [done.get(f"done.state.{s.id}", -1) for s in states])
        ts = self.transitions
        yield array("int32_t", "t_source", [t.source for t in ts])
        yield array("int32_t", "t_label", [t.number for t in ts])
        yield array("uint8_t", "t_internal", [int(t.internal) for t in ts])
        yield array("uint32_t", "targets_start", starts([t.targets for t in ts]))
        yield array("int32_t", "targets", [n for t in ts for n in t.targets])
        domains = [self.domain(t) for t in ts]
        yield array("int32_t", "t_domain", domains)
        yield "/* Of every innermost state and event, and without one: its transitions and those around it. */"
        rows = [self.candidates(number, event) for number in self.atomic for event in (*self.finite.events, "")]
        yield array("uint32_t", "candidates_start", starts(rows))
        yield array("uint32_t", "candidates", [t for row in rows for t in row])
        places = {number: index for index, number in enumerate(self.atomic)}
        yield array("uint32_t", "atomic_index", [places.get(s.number, 0) for s in states])
        for name, numbers in (("atomic_mask", self.atomic), ("exit_mask", [s.number for s in states if s.on_exit])):
            yield array("uint64_t", name, words(numbers, len(states)), "ull")
        columns = [*self.finite.events, ""]
        waiting = [
            [s for i, s in enumerate(self.atomic) if rows[i * len(columns) + column]] for column in range(len(columns))
        ]
        yield "/* Of every event, and without one: the innermost states that have transitions for it. */"
        masks = [word for numbers in waiting for word in words(numbers, len(states))]
        yield array("uint64_t", "waiting_mask", masks, "ull")
        entered = [self.entered(t) for t in ts]
        yield "/* Transitions that only change states: nothing is executed, no history kept, no end reached. */"
        self.dynamic = sum(found is None for found in entered) + domains.count(_DYNAMIC)
        heavy = [0, *accumulate(bool(s.on_exit) or s.kind in ("shallow", "deep") for s in states)]
        plain = [self.plain(t, domain, heavy, found) for t, domain, found in zip(ts, domains, entered, strict=True)]
        yield array("uint8_t", "t_plain", map(int, plain))
        yield "/* What a transition enters: twice the numbers of states, plus one where a default is taken. */"
        yield array("uint8_t", "t_dynamic", [int(found is None) for found in entered])
        yield array("uint32_t", "entered_start", starts([found or [] for found in entered]))
        yield array("uint32_t", "entered", [n for found in entered for n in found or []])
        yield array("uint16_t", "sent", [done[name] for name in self.model.environment.events])
        yield array("uint32_t", "p", range(len(chart.variables)))
        widths = [1 if type_.is_bool else 4 for _, type_ in self.layout.variables]
        yield array("uint8_t", "widths", widths)
        guards, bodies = [], []
        for t in ts:
            guards.append("0" if t.condition is None else self.guard(t.condition))
            bodies.append(self.block([t.body]))
        self.guard_names, self.body_names = guards, bodies
        self.entry_names = [self.block(s.on_entry) for s in states]
        self.exit_names = [self.block(s.on_exit) for s in states]

    def pointers(self) -> Iterable[str]:
        yield "typedef int64_t (*condition)(const run *);\ntypedef void (*block)(run *);"
        yield _names("condition", "guards", self.guard_names)
        yield _names("block", "bodies", self.body_names)
        yield _names("block", "entry_blocks", self.entry_names)
        yield _names("block", "exit_blocks", self.exit_names)

    def domain(self, transition: Transition) -> int:
        if not transition.targets:
            return _NOWHERE
        if any(self.chart.is_history(target) for target in transition.targets):
            return _DYNAMIC
        found = Run(self.chart, Session()).domain(transition)
        return _NOWHERE if found is None else found

    def candidates(self, number: int, event: str) -> list[int]:
        outward = (number, *self.chart.ancestors(number))
        own = (t for n in outward for t in self.chart.states[n].transitions)
        return [self.number[id(t)] for t in own if (matches(t.events, event) if event else not t.events)]

    def entered(self, transition: Transition) -> list[int] | None:
        """None: what is entered depends on a history."""
        entry = Entry(Run(self.chart, Session()))
        entry.add(transition)
        if entry.defaults or any(self.chart.is_history(target) for target in transition.targets):
            return None
        return [2 * number + (number in entry.by_default) for number in sorted(entry.states)]

    def plain(self, transition: Transition, domain: int, heavy: Sequence[int], entered: list[int] | None) -> bool:
        """``heavy``: of every state, how many before it have something to do when they are left."""
        states = self.chart.states
        if entered is None or transition.body or domain < 0:
            return False
        if heavy[domain + 1] != heavy[states[domain].last + 1]:
            return False
        for code in entered:
            state = states[code // 2]
            followed = state.initial is not None and code % 2 and (state.initial.body or state.initial.number >= 0)
            if state.on_entry or state.kind == "final" or followed:
                return False
        return True

    def text(self, script: Script) -> str:
        """A C expression."""
        return self.control(c_text(self.finite.term(script)))

    def control(self, text: str) -> str:
        """Where control is, is a bit."""
        first = len(self.chart.variables)
        return re.sub(
            r"\(v\[(\d+)\] == 1\)",
            lambda match: f"in_state(r, {int(match[1]) - first}u)" if int(match[1]) >= first else match[0],
            text,
        )

    # --- functions ----------------------------------------------------------------------------------------------------

    def name(self, prefix: str) -> str:
        self.made += 1
        return f"{prefix}{self.made}"

    def guard(self, script: Script) -> str:
        name = self.name("guard")
        self.functions.append(
            f"/* {_comment(script.text)} */\nstatic int64_t {name}(const run *r) {{\n"
            "    int fail = 0, *const failed = &fail;\n    const int32_t *const v = r->v;\n"
            "    (void)v, (void)failed;\n"
            f"    return {self.text(script)};\n}}"
        )
        return name

    def conditions(self) -> Iterable[str]:
        for kind, scripts in (("atom", self.model.conditions.values()), ("invariant", self.model.invariants)):
            names = [self.guard(script) for script in scripts]
            yield f"static int64_t (*const {kind}s_of_states[])(const run *) = {{ {', '.join(names) or '0'} }};"

    def block(self, blocks: Sequence[Sequence[Action]]) -> str:
        actions = [action for block in blocks for action in block]
        if not actions:
            return "0"
        name = self.name("block")
        lines = [f"static void {name}(run *r) {{", "    int fail = 0, *const failed = &fail;"]
        lines += ["    const int32_t *const v = r->v;", "    (void)v, (void)failed;"]
        lines += [f"    {line}" for action in actions for line in self.action(action)]
        self.functions.append("\n".join([*lines, "}"]))
        return name

    def action(self, action: Action) -> Iterable[str]:
        match action:
            case Raise(_, label, event):
                yield f"mark(r, {label}u); raise_event(r, {self.event(event)}u); if (r->fault) return;"
            case Log(_, label, _, _):
                yield f"mark(r, {label}u);"
            case AssignTo(_, label, location, value):
                place = next(i for i, v in enumerate(self.chart.variables) if v.name == location.text.strip())
                yield f"mark(r, {label}u); /* {_comment(location.text)} = {_comment(value.text)} */"
                yield f"assign(r, {place}u, {self.text(value)}); if (r->fault) return;"
            case If(_, _, branches):
                for number, (condition, body) in enumerate(branches):
                    head = "" if condition is None else f"if ({self.text(condition)}) "
                    yield ("else " if number else "") + head + "{"
                    for inner in body:
                        yield from (f"    {line}" for line in self.action(inner))
                    yield "}"
            case Send(_, label, event, target, _, id_, _, delay, _, _):
                number, name = self.event(str(event)), self.finite.ids.index(id_)
                if target == "#_internal":
                    call = f"raise_event(r, {number}u)"
                elif delay:
                    call = f"send_later(r, {number}u, {delay}u, {name}u)"
                else:
                    call = f"send(r, {number}u)"
                yield f"mark(r, {label}u); {call}; if (r->fault) return;"
            case Cancel(_, label, id_):
                yield f"mark(r, {label}u); cancel(r, {self.finite.ids.index(str(id_))}u);"
            case _:
                raise TypeError(action)

    def event(self, name: str) -> int:
        return self.finite.events.index(name)


def _index(numbers: Sequence[int], number: int) -> int:
    return numbers.index(number) if number in numbers else -1


def starts(lists: Sequence[Sequence[object]]) -> list[int]:
    starts = [0]
    for items in lists:
        starts.append(starts[-1] + len(items))
    return starts


def words(numbers: Iterable[int], count: int) -> list[int]:
    """Bits as words."""
    bits = sum(1 << number for number in numbers)
    return [bits >> at & (2**64 - 1) for at in range(0, count, 64)]


def array(type_: str, name: str, numbers: Iterable[int], suffix: str = "") -> str:
    texts = [f"{number}{suffix}" for number in numbers] or ["0"]
    lines = [", ".join(texts[at : at + _NUMBERS_PER_LINE]) for at in range(0, len(texts), _NUMBERS_PER_LINE)]
    return f"static const {type_} {name}[] = {{\n    " + ",\n    ".join(lines) + "\n};"


def _names(type_: str, name: str, names: Sequence[str]) -> str:
    lines = [", ".join(names[at : at + 12]) for at in range(0, len(names), 12)] or ["0"]
    return f"static const {type_} {name}[] = {{\n    " + ",\n    ".join(lines) + "\n};"


def _comment(text: str) -> str:
    return _plain(text.replace("*/", "* /"))


def _plain(text: str) -> str:
    return "".join(c if c.isascii() and c.isprintable() and c not in '"\\?' else "_" for c in text)[:200]
