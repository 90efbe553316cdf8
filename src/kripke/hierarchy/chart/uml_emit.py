"""A UML state machine of fixed form as a C file against ``native/model.h``: the tables of ``emit.py``, and its own."""

from __future__ import annotations

from collections.abc import Iterable

from kripke.hierarchy.chart.emit import Emission, array, starts, words
from kripke.hierarchy.chart.run_to_completion import MOST_CHOICES, MOST_STEPS
from kripke.hierarchy.chart.structure import Action, Emit, Execute, matches
from kripke.hierarchy.chart.uml_runtime import UML
from kripke.hierarchy.terms import c_text


class UmlEmission(Emission):
    def algorithm(self) -> Iterable[str]:
        states, columns = self.chart.states, (*self.finite.events, "")
        yield f"#define MOST_STEPS {MOST_STEPS}u"
        yield f"#define MOST_SETS {MOST_CHOICES}u"
        yield "/* Of every state and event, and without one: its own transitions. */"
        rows = [
            [
                self.number[id(t)]
                for t in (() if state.kind == "choice" else state.transitions)
                if (matches(t.events, event) if event else not t.events)
            ]
            for state in states
            for event in columns
        ]
        yield array("uint32_t", "own_start", starts(rows))
        yield array("uint32_t", "own", [t for row in rows for t in row])
        choices = [[self.number[id(t)] for t in s.transitions] if s.kind == "choice" else [] for s in states]
        yield array("uint32_t", "choice_start", starts(choices))
        yield array("uint32_t", "choice_ways", [t for row in choices for t in row])
        yield "/* Of every event: the states that defer it. */"
        masks = [words([s.number for s in states if matches(s.deferred, e)], len(states)) for e in self.finite.events]
        yield array("uint64_t", "deferring", [word for mask in masks for word in mask], "ull")
        yield UML

    def action(self, action: Action) -> Iterable[str]:
        match action:
            case Execute(_, label, script):
                yield f"mark(r, {label}u);"
                for place, term in self.finite.assignments[id(script)]:
                    yield f"assign(r, {place}u, {self.control(c_text(term))}); if (r->fault) return;"
            case Emit(_, label, event, output):
                yield f"mark(r, {label}u);" + (
                    "" if output else f" send(r, {self.event(event)}u); if (r->fault) return;"
                )
            case _:
                raise TypeError(action)
