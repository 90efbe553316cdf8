"""A run by hand: steps forward and back, at random up to a breakpoint, with expressions that are watched."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from kripke.cli.safe_stream import print_lines
from kripke.engines.runs.simulation import End, Simulation
from kripke.languages.registry import load_model
from kripke.languages.request import LoadRequest
from kripke.model.capabilities.messages import messages_of
from kripke.model.model import Model
from kripke.model.source import ModelError
from kripke.model.trace import Step, Trace, make_step
from kripke.numbers import counted
from kripke.report.check_report import state_lines
from kripke.report.terminal import Terminal
from kripke.report.trace_table import changes_text, place_text, trace_table

HELP = """\
  N            take step N; Return takes the only one, or that of the trace
  b [N]        back by N steps (1)
  j N          jump to the state after step N, back or forward again; j 0: the start
  r [N]        N steps at random (1); a breakpoint, an error or an end stops them
  c            on at random to the next breakpoint, error or end
  m            on at random to the next message that is sent or received
  w [EXPR]     watch a variable or a condition; without EXPR: what is watched; w - EXPR: no longer
  k [EXPR]     a breakpoint where a condition becomes true; without EXPR: all; k - EXPR: no longer
  p EXPR       print the value of a variable, or whether a condition holds
  s            the state
  t            the run so far
  save FILE    save the run so far as a trace
  q            end the run"""
_MOST_CHOICES = 30


class Expressions:
    """Evaluates what somebody types: a name of the state has its value, a condition its truth.

    Conditions belong to a model when it is loaded, so it is loaded once more with them; its states stay the same.
    """

    def __init__(self, request: LoadRequest, model: Model) -> None:
        self._request = request
        self._model = model
        self._loaded = model
        self._conditions: tuple[str, ...] = ()

    def refusal(self, text: str, state: bytes) -> str | None:
        """Why it cannot be evaluated; None where it can."""
        if text in self._model.describe(state) or text in self._conditions:
            return None
        wanted = (*self._conditions, text)
        try:
            loaded = load_model(replace(self._request, conditions=wanted))
        except ModelError as error:
            return f"{text!r} is no variable of this state and no condition: {error.message}"
        if text not in loaded.atoms:
            return f"there are no conditions in the language {self._model.language} yet; {text!r} is no variable"
        if loaded.initial() != self._model.initial():
            return f"{text!r} cannot be looked at in this run: the model with it has other states"
        self._conditions, self._loaded = wanted, loaded
        return None

    def value(self, text: str, state: bytes) -> str:
        shown = self._model.describe(state)
        if text in shown:
            return shown[text]
        if text not in self._conditions:
            return "not there"
        number = list(self._loaded.atoms).index(text)
        if self._loaded.failed_atoms(state) >> number & 1:
            return "cannot be evaluated"
        return "true" if self._loaded.atom_values(state)[number] else "false"

    def holds(self, text: str, state: bytes) -> bool:
        return self.value(text, state) not in ("false", "0", "not there", "cannot be evaluated")


class Stepping:
    """The run so far, and what was undone and can be done again."""

    def __init__(
        self,
        model: Model,
        request: LoadRequest,
        terminal: Terminal,
        show: Callable[[Step], None],
        most: int,
        origin: Mapping[str, Any],
        along: Trace | None = None,
    ) -> None:
        """``along``: a trace whose steps are proposed, as if they had been undone."""
        self.model = model
        self.terminal = terminal
        self.show = show
        self.most = most
        self.origin = origin
        self.expressions = Expressions(request, model)
        self.watched: list[str] = []
        self.breakpoints: list[str] = []
        self.steps: list[Step] = []
        self.undone: list[Step] = [] if along is None else list(reversed(along.steps))
        self.random = random.Random()
        self.start = (model.initial() or [b""])[0] if along is None else along.initial

    # --- the run ------------------------------------------------------------------------------------------------------

    @property
    def state(self) -> bytes:
        return next((step.state for step in reversed(self.steps) if step.state is not None), self.start)

    @property
    def trace(self) -> Trace:
        return Trace(self.model, self.start, tuple(self.steps), origin=self.origin)

    def enabled(self) -> list[Step]:
        if self.end() in ("violation", "limit"):
            return []
        number = len(self.steps) + 1
        return [make_step(self.model, number, self.state, step) for step in self.model.successors(self.state)]

    def end(self) -> End | None:
        """Why the run cannot go on."""
        if self.steps and (self.steps[-1].violations or self.steps[-1].state is None):
            return "violation"
        if not self.model.successors(self.state):
            return "valid end" if self.model.valid_end(self.state) else "deadlock"
        return "limit" if len(self.steps) >= self.most else None

    def take(self, step: Step) -> None:
        if self._undone_before(step):
            self.undone.pop()
        else:
            self.undone.clear()
        self.steps.append(step)
        self.show(step)

    def _undone_before(self, step: Step) -> bool:
        return bool(self.undone) and self.undone[-1].parts == step.parts and self.undone[-1].state == step.state

    def _proposed(self, enabled: list[Step]) -> int | None:
        """The number of the step that Return takes: the one that was undone, or the only one."""
        for number, step in enumerate(enabled, start=1):
            if self._undone_before(step):
                return number
        return 1 if len(enabled) == 1 else None

    def jump(self, number: int) -> str:
        last = len(self.steps) + len(self.undone)
        if number > last:
            return f"there is no step {number}: the run, with what was undone, has {counted(last, 'step')}"
        while len(self.steps) > number:
            self.undone.append(self.steps.pop())
        while len(self.steps) < number:
            self.steps.append(self.undone.pop())
        return "at the start" if not number else f"after step {number:,}"

    def wander(self, most: int, stop: Callable[[Step], bool] = lambda step: False) -> str:
        """Steps at random; why they ended, where that is worth a word."""
        for _ in range(most):
            enabled = self.enabled()
            if not enabled:
                return ""
            before = self.state
            self.take(self.random.choice(enabled))
            for text in self.breakpoints:
                if self.expressions.holds(text, self.state) and not self.expressions.holds(text, before):
                    return f"breakpoint: {text}"
            if stop(self.steps[-1]):
                return ""
        return ""

    # --- the conversation ---------------------------------------------------------------------------------------------

    def converse(self) -> Simulation:
        """Asks until the run is over."""
        if not self.model.initial():
            return Simulation(self.trace, "stopped")
        said: str | None = None  # what is shown again after an answer that changed nothing
        while True:
            end, enabled = self.end(), self.enabled()
            if said is None:
                self._tell(enabled, end)
            try:
                answer = input(self._prompt(enabled, end)).strip()
            except EOFError:
                print()
                return Simulation(self.trace, end or "stopped")
            word, _, rest = answer.partition(" ")
            if word in ("q", "quit") or (not word and not enabled):
                return Simulation(self.trace, end or "stopped")
            said = self._answer(word, rest.strip(), enabled)
            if said:
                print_lines(said)

    def _tell(self, enabled: list[Step], end: End | None) -> None:
        print()
        for text in self.watched:
            print(f"  {text} = {self.expressions.value(text, self.state)}")
        for number, step in enumerate(enabled[:_MOST_CHOICES], start=1):
            print(_choice(number, step))
        if len(enabled) > _MOST_CHOICES:
            print(f"     and {len(enabled) - _MOST_CHOICES:,} more")
        if end is not None:
            print(f"  the run is at its end: {end}")

    def _prompt(self, enabled: list[Step], end: End | None) -> str:
        if end is not None or not enabled:
            return "b back, s state, ? help, q quit [q]> "
        proposed = self._proposed(enabled)
        default = "" if proposed is None else f" [{proposed}]"
        return f"step 1-{len(enabled)}, s state, ? help, q quit{default}> "

    def _answer(self, word: str, rest: str, enabled: list[Step]) -> str | None:
        """Does what was asked; a text where the run is where it was, None where it has moved."""
        count = int(rest) if rest.isdecimal() else 1 if not rest else None
        match word.lower():
            case "":
                proposed = self._proposed(enabled)
                if proposed is None:
                    return ""
                self.take(enabled[proposed - 1])
                return None
            case "?" | "h" | "help":
                return HELP
            case "s" | "state":
                return "\n".join(state_lines(self.model.describe(self.state), self.terminal, full=True))
            case "t" | "trace":
                return "\n".join(trace_table(self.trace, self.terminal))
            case "w" | "watch":
                return self._keep(self.watched, rest, "watched")
            case "k" | "break":
                return self._keep(self.breakpoints, rest, "breakpoint")
            case "p" | "print" if rest:
                refusal = self.expressions.refusal(rest, self.state)
                return refusal or f"  {rest} = {self.expressions.value(rest, self.state)}"
            case "save" if rest:
                return self._save(rest)
            case "b" | "back" if count is not None:
                return self._moved(self.jump(max(len(self.steps) - count, 0)))
            case "j" | "jump" if rest.isdecimal():
                return self._moved(self.jump(int(rest)))
            case "r" | "random" if count is not None:
                return self._moved(self.wander(count))
            case "c" | "continue":
                return self._moved(self.wander(self.most))
            case "m" | "message":
                return self._moved(self.wander(self.most, self._is_message))
        if word.isdecimal() and 1 <= int(word) <= len(enabled) and not rest:
            self.take(enabled[int(word) - 1])
            return None
        return f"{word + ' ' + rest if rest else word!r} is none of the choices; ? shows them"

    @staticmethod
    def _moved(said: str) -> str | None:
        """What is said where the run has moved; where it has not, that is the answer."""
        if said.startswith("there is no step"):
            return said
        if said:
            print(said)
        return None

    def _is_message(self, step: Step) -> bool:
        return any(messages_of(self.model)(part, step.before) is not None for part in step.parts)

    def _keep(self, kept: list[str], text: str, what: str) -> str:
        """Add an expression to a list, or take it away."""
        if not text:
            return "\n".join(f"  {e} = {self.expressions.value(e, self.state)}" for e in kept) or f"  nothing is {what}"
        if text.startswith("- "):
            text = text[2:].strip()
            if text not in kept:
                return f"  {text} is not {what}"
            kept.remove(text)
            return f"  {text} is not {what} any more"
        refusal = self.expressions.refusal(text, self.state)
        if refusal is not None:
            return refusal
        if text not in kept:
            kept.append(text)
        return f"  {text} = {self.expressions.value(text, self.state)}"

    def _save(self, name: str) -> str:
        try:
            self.trace.save(name)
        except OSError as error:
            return f"cannot write {name}: {error.strerror or error}"
        return f"  {counted(len(self.steps), 'step')} saved in {name}"


def _choice(number: int, step: Step) -> str:
    statements = "; ".join(
        f"{step.actor_of(part)} {place_text(span)} {text}"
        for part, span, text in zip(step.parts, step.spans, step.statements, strict=True)
    )
    changes = changes_text(step.effects)
    broken = "".join(f"  *** {step.model.violation_kinds[code].text} ***" for code, _ in step.violations)
    return f"{number:3}  {statements}" + (f"   [{changes}]" if changes else "") + broken
