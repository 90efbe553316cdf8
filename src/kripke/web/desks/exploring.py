"""The desk of live exploration: a state with the steps that are possible in it, runs, the state graph, the panel."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from kripke.clarity.later import clear_later
from kripke.cli.stepping import Expressions
from kripke.engines.runs.replay import replay_saved
from kripke.languages.registry import load_model
from kripke.languages.request import fingerprint
from kripke.model.capabilities.pictured import marks_of
from kripke.model.diagram import statement_key
from kripke.model.trace import SavedTrace, Step, make_step
from kripke.report.multisets import exchanged, is_multiset
from kripke.report.page.data import trace_data
from kripke.report.page.pictures import pictures
from kripke.web.desks.address import choices_of, written
from kripke.web.desks.answering import answer_all, settle
from kripke.web.desks.graph import StateGraph
from kripke.web.desks.panel import Panel
from kripke.web.desks.questions import Unanswerable, enter, request_to_explore
from kripke.web.desks.walk import MOST_CHOICES, Walk

_MOST_RANDOM = 10_000  # steps at once
_MOST_SHOWN = 2_000  # steps of a run
_TO_MAKE_CLEAR = 3.0  # seconds, for a trace that a check had no time for


def work(setting: Mapping[str, Any]) -> None:
    settle(setting, programs=False)
    enter(setting)
    desk = Desk(setting)
    answer_all(
        {
            "model": desk.model_facts,
            "panel": desk.panel,
            "state": desk.state,
            "run": desk.run,
            "random": desk.random,
            "follow": desk.follow,
            "graph": desk.graph,
            "group": desk.group,
        }
    )


class Desk:
    """One model: the one that its setting names. It is loaded when it is first needed."""

    def __init__(self, setting: Mapping[str, Any]) -> None:
        self.setting = setting
        self.name: str = setting["name"]
        self.defines: Mapping[str, str] = setting["defines"]
        self._panel = Panel(setting)
        self._walk: Walk | None = None
        self._graph: StateGraph | None = None
        self._expressions: Expressions | None = None

    @property
    def walk(self) -> Walk:
        if self._walk is None:
            self._walk = Walk(load_model(request_to_explore(self.setting, self.name, self.defines)))
        return self._walk

    @property
    def expressions(self) -> Expressions:
        if self._expressions is None:
            request = request_to_explore(self.setting, self.name, self.defines)
            self._expressions = Expressions(request, self.walk.model)
        return self._expressions

    # --- the model ----------------------------------------------------------------------------------------------------

    def model_facts(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """What stays the same while somebody explores."""
        model = self.walk.model
        return {
            "language": model.language,
            "fingerprint": (fingerprint(self.name) or "")[:8],
            "starts": len(self.walk.initial),
            "pictures": [{"title": title, "levels": levels} for title, levels in pictures(model)],
            "files": list(model.source_files()),
            "names": list(model.describe(self.walk.initial[0])) if self.walk.initial else [],
        }

    def panel(self, question: Mapping[str, Any]) -> dict[str, Any]:
        return self._panel.shown(question["plan"])

    # --- states and runs ----------------------------------------------------------------------------------------------

    def state(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """A state, how it came about, and what can happen next."""
        address = question["at"]
        last = self.walk.last_step(address)
        state = self.walk.state(address)
        model, number = self.walk.model, len(choices_of(address)[1])
        ended = last is not None and last.state is None
        steps = (
            [] if ended else [(n, make_step(model, number + 1, state, step)) for n, step in self.walk.choices(state)]
        )
        marks = dict(marks_of(model, state))
        marks |= {statement_key(part.statement): "" for part in (last.parts if last is not None else ())}
        return {
            "at": address,
            "number": number,
            "state": list(model.describe(state).items()),
            "last": None if last is None else _step(last),
            "steps": [{"at": address + written(n), **_step(step)} for n, step in steps],
            "more": len(steps) == MOST_CHOICES,
            "end": self._end(state, last, bool(steps)),
            "marks": list(marks.items()),
            "watched": [self._watched(text, state) for text in question.get("watch", ())[:50]],
        }

    def _end(self, state: bytes, last: Step | None, goes_on: bool) -> str:
        """Why nothing comes after it; empty where something does."""
        if last is not None and last.state is None:
            return "the step broke something: the run ends here"
        if goes_on:
            return ""
        if self.walk.model.valid_end(state):
            return "valid end: no step is left"
        return f"deadlock: {self.walk.model.deadlock_text}"

    def _watched(self, text: object, state: bytes) -> list[str]:
        """The value of an expression, or why it has none."""
        if not isinstance(text, str) or len(text) > 500:
            return ["", "", "this is no expression"]
        refusal = self.expressions.refusal(text, state)
        return [text, "", refusal] if refusal is not None else [text, self.expressions.value(text, state), ""]

    def run(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """The run to an address as the report shows one; of a long run the last steps."""
        trace = self.walk.trace(question["at"])
        files: dict[str, int] = {}
        cut = max(0, len(trace) - _MOST_SHOWN)
        if cut:
            from dataclasses import replace

            trace = replace(trace, initial=trace.steps[cut].before, steps=trace.steps[cut:])
        return {"cut": cut, "trace": trace_data(trace, files), "files": list(files)}

    def random(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """Some steps further, chosen at random; as far as the run goes, or to where a condition becomes true."""
        address, state = question["at"], self.walk.state(question["at"])
        until = question.get("until") or ""
        if until and (refusal := self.expressions.refusal(until, state)) is not None:
            raise Unanswerable(refusal)
        chooser = random.Random(question.get("seed"))
        last, why = self.walk.last_step(address), ""
        for _ in range(min(int(question.get("steps", 1)), _MOST_RANDOM)):
            if last is not None and last.state is None:
                break
            choices = list(self.walk.choices(state))
            if not choices:
                break
            number, step = chooser.choice(choices)
            address += written(number)
            last = make_step(self.walk.model, 0, state, step)
            held = bool(until) and self.expressions.holds(until, state)
            state = state if step.target is None else step.target
            if step.violations:
                why = "something broke"
                break
            if until and not held and self.expressions.holds(until, state):
                why = f"{until} became true"
                break
        return {"at": address, "why": why}

    def follow(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """The address of the steps of a trace that a check has saved, as far as they can be made here."""
        saved = SavedTrace.read(question["trace"])
        replayed = replay_saved(self.walk.model, saved, {})
        trace = replayed.trace
        if replayed and saved.unclear and saved.loop_start is None and "property" not in saved.origin:
            trace = clear_later(trace, tuple(saved.origin.get("invariants", ())), seconds=_TO_MAKE_CLEAR)
        address = f"{self.walk.initial.index(trace.initial)}."
        for step in trace.steps:
            wanted = (step.parts, step.state, step.violations)
            transitions = enumerate(self.walk.model.each_successor(step.before))
            address += written(next(n for n, one in transitions if (one.parts, one.target, one.violations) == wanted))
        return {"at": address, "deviation": replayed.deviation, "loop": saved.loop_start}

    # --- the state graph ----------------------------------------------------------------------------------------------

    def graph(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """States that were opened, with all that follow them."""
        if self._graph is None or question.get("anew"):
            self._graph = StateGraph(self.walk)
        return self._graph.drawn(question["at"], question.get("opened", []))

    def group(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """What lies around a state, collapsed: states that agree in something are one node."""
        return StateGraph(self.walk).grouped(question["at"], str(question["by"]), str(question.get("name", "")))


def _step(step: Step) -> dict[str, Any]:
    """A step in words: who does what, where, what changes, what breaks."""
    return {
        "parts": [
            {
                "actor": step.actor_of(part),
                "text": step.model.explain_part(part),
                "file": step.model.statements[part.statement].span.file,
                "line": step.model.statements[part.statement].span.line,
            }
            for part in step.parts
        ],
        "changes": [_change(*change) for change in step.effects],
        "broken": [step.model.violation_kinds[code].text for code, _ in step.violations],
        "ends": step.state is None,
        "printed": step.printed,
    }


def _change(name: str, old: str | None, new: str | None) -> list[str | None]:
    """Name, old value, new value, and of multisets the difference in words."""
    if old is not None and new is not None and (is_multiset(old) or is_multiset(new)):
        return [name, old, new, exchanged(old, new)]
    return [name, old, new]
