"""SPIN's trails: runs as lines of ``depth:process:statement``, followed in our model and written from our traces.

SPIN numbers statements as it reads them (see ``lowering/numbers.py``), so a trail fits the text it was made from and
the way SPIN was run: with statement merging, a line stands for all the statements that run in its step, which a line
``-4:-4:-4`` at the top says. ``-2:N:-2`` tells that claim N ran along: process 0 is the claim and all others are one
higher. ``-1:-1:-1`` stands before the step at which a cycle begins. A rendezvous takes two lines, an atomic sequence
one for every edge.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kripke.languages.trails import Followed, Unwritable
from kripke.model.model import Model, Part, Transition, Violation
from kripke.model.source import ModelError
from kripke.model.trace import Step, Trace, TraceFileError, make_step

if TYPE_CHECKING:
    from kripke.languages.request import LoadRequest
    from kripke.process.interpreter import Moment
    from kripke.process.model import ProcessModel

_LINE = re.compile(r"\s*(-?\d+):(-?\d+):(-?\d+)\s*")
_CYCLE, _CLAIM, _MERGED = -1, -2, -4
_PERMUTED = range(-8, -4)


@dataclass(frozen=True, slots=True)
class Move:
    """A line of a trail: which process ran which statement."""

    line: int
    process: int
    statement: int


@dataclass(frozen=True, slots=True)
class SpinTrail:
    """A trail as it lies in a file. ``cycle`` is the position of the move that starts the cycle."""

    file: str
    moves: tuple[Move, ...]
    merged: bool
    claim: bool
    cycle: int | None = None

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> SpinTrail:
        """TraceFileError where the file is no trail."""
        name = os.fspath(path)
        try:
            with open(name, encoding="utf-8") as file:
                lines = file.read().splitlines()
        except OSError as error:
            raise TraceFileError(f"cannot read {name}: {error.strerror}") from error
        except ValueError as error:
            raise TraceFileError(f"{name} is not a trail of SPIN: it is not text") from error
        return _parse(name, lines)

    def fitting(self, request: LoadRequest) -> LoadRequest:
        return replace(request, options={**request.options, "merge": self.merged})

    def followed(self, model: Model) -> Followed:
        from kripke.process.model import ProcessModel

        assert isinstance(model, ProcessModel)
        return follow(model, self)


class SpinTrails:
    """What Promela knows of trails (``languages/trails.py``)."""

    def refuse(self, request: LoadRequest) -> None:
        if request.options.get("slice"):
            raise ModelError(
                "--spin-trail with --slice: SPIN takes steps that a slice leaves out; write the trail without --slice"
            )

    def written(self, trace: Trace, request: LoadRequest) -> str:
        from kripke.model.product import without_observer
        from kripke.process.model import ProcessModel

        plain = without_observer(trace)
        assert isinstance(plain.model, ProcessModel)
        return trail_text(plain, plain.model, merged=request.options.get("merge", True))

    def read(self, file: str) -> SpinTrail:
        return SpinTrail.read(file)


def _parse(name: str, lines: Sequence[str]) -> SpinTrail:
    moves: list[Move] = []
    merged = claim = False
    cycle: int | None = None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        found = _LINE.fullmatch(line)
        if found is None:
            raise TraceFileError(f"{name} is not a trail of SPIN: line {number} is not of the form step:process:number")
        depth, process, statement = (int(text) for text in found.groups())
        if depth == _MERGED:
            merged = True
        elif depth == _CLAIM:
            claim = True
        elif depth == _CYCLE:
            cycle = len(moves)
        elif depth in _PERMUTED:
            raise TraceFileError(f"{name} was made by a search in permuted order (pan -p_...): it cannot be replayed")
        elif depth < 0 or process < 0 or statement < 0:
            raise TraceFileError(f"{name} is not a trail of SPIN: line {number} has a negative number")
        elif claim and process == 0:
            continue  # what the claim does follows from what the processes do
        else:
            moves.append(Move(number, process - claim, statement))
    return SpinTrail(name, tuple(moves), merged, claim, cycle)


# --- reading ----------------------------------------------------------------------------------------------------------


class _Run:
    """The steps of the model that the moves so far amount to; a step may still be in an atomic sequence."""

    def __init__(self, model: ProcessModel) -> None:
        self.model = model
        self.initial = model.initial()[0]
        self.state = self.before = self.initial
        self.actor = -1
        self.ended = False
        self.steps: list[Step] = []
        self._parts: list[Part] = []
        self._violations: list[Violation] = []

    def possible(self) -> list[Moment]:
        """What can happen next; a process whose atomic sequence blocks has lost control."""
        if self.ended:
            return []
        if self.actor >= 0:
            found = self.model.interpreter.moments(self.state, self.actor)
            if found:
                return found
            self.finish_step()
        return self.model.interpreter.moments(self.state)

    def take(self, moment: Moment) -> None:
        self._parts.extend(moment.parts)
        self._violations.extend(moment.violations)
        if moment.state is None:
            self.ended = True
            self._add(None)
            return
        self.state, self.actor = moment.state, moment.actor
        if self.actor < 0:
            self.finish_step()

    def finish_step(self) -> None:
        if self._parts:
            self._add(self.state)
            self.before = self.state
        self.actor = -1

    def _add(self, state: bytes | None) -> None:
        transition = Transition(tuple(self._parts), state, tuple(self._violations))
        self.steps.append(make_step(self.model, len(self.steps) + 1, self.before, transition))
        self._parts, self._violations = [], []

    @property
    def position(self) -> int:
        """The step the next move belongs to, from 0."""
        return len(self.steps)


def follow(model: ProcessModel, trail: SpinTrail) -> Followed:
    """The run a trail tells of. The model must be loaded with merging as the trail says (``trail.merged``)."""
    run = _Run(model)
    numbers = {statement.number for statement in model.statements}
    loop_start: int | None = None
    at = 0
    while at < len(trail.moves):
        possible = run.possible()
        if trail.cycle == at:
            loop_start = run.position
        moment = _meant(model, possible, trail.moves, at)
        if moment is None:
            deviation = _deviation(model, run, trail, trail.moves[at], numbers)
            run.finish_step()
            enabled = tuple(make_step(model, run.position + 1, run.state, t) for t in model.successors(run.state))
            return Followed(Trace(model, run.initial, tuple(run.steps)), deviation, () if run.ended else enabled)
        run.take(moment)
        at += len(moment.heads)
    run.finish_step()
    return Followed(Trace(model, run.initial, tuple(run.steps), loop_start))


def _meant(model: ProcessModel, possible: Sequence[Moment], moves: Sequence[Move], at: int) -> Moment | None:
    """The moment whose edges are those of the moves from a position on.

    SPIN ends a trail at an error: of a rendezvous that fails, it may hold the first line alone.
    """
    for moment in possible:
        names = [(process, model.statements[statement].number) for process, statement in moment.heads]
        wanted = [(move.process, move.statement) for move in moves[at : at + len(names)]]
        if wanted and wanted == names[: len(wanted)]:
            return moment
    return None


def _deviation(model: ProcessModel, run: _Run, trail: SpinTrail, move: Move, numbers: set[int]) -> str:
    where = f"line {move.line} of {trail.file} (process {move.process}, statement {move.statement})"
    if move.statement not in numbers:
        return f"{where}: the model has no statement of that number; is it the text, with the -D, the trail is of?"
    if run.ended:
        return f"{where}: the run has ended in a violation"
    statement = next(s for s in model.statements if s.number == move.statement)
    return f"{where} is not possible here: {statement.text} ({statement.span})"


# --- writing ----------------------------------------------------------------------------------------------------------


def trail_text(trace: Trace, model: ProcessModel, *, merged: bool) -> str:
    """The trail for ``spin -t``; ``merged``: the model was loaded with statement merging, as SPIN does it."""
    lines = ["-4:-4:-4"] if merged else []
    depth = 1
    for position, step in enumerate(trace.steps):
        if position == trace.loop_start:
            lines.append("-1:-1:-1")
        for process, statement in _edges_of(model, step):
            number = model.statements[statement].number
            if number < 0:
                raise Unwritable(f"step {step.number} has a statement that SPIN does not number")
            lines.append(f"{depth}:{process}:{number}")
            depth += 1
    return "\n".join(lines) + "\n"


def _edges_of(model: ProcessModel, step: Step) -> list[tuple[int, int]]:
    """The edges a step is made of, by process and first statement."""
    waiting: list[tuple[bytes, Moment | None, int]] = [(step.before, None, 0)]
    while waiting:
        state, before, done = waiting.pop()
        following: list[tuple[bytes, Moment | None, int]] = []
        for moment in model.interpreter.moments(state, -1 if before is None else before.actor):
            known = done + len(moment.parts)
            if moment.parts != step.parts[done:known]:
                continue
            moment.before = before
            if known == len(step.parts) and (moment.violations or moment.state == step.state):
                return _heads(moment)
            if moment.actor >= 0 and moment.state is not None:
                following.append((moment.state, moment, known))
        waiting.extend(reversed(following))
    raise Unwritable(f"step {step.number} of the trace is not a step of the model")


def _heads(last: Moment) -> list[tuple[int, int]]:
    """The edges of all the moments up to this one."""
    pieces: list[tuple[tuple[int, int], ...]] = []
    moment: Moment | None = last
    while moment is not None:
        pieces.append(moment.heads)
        moment = moment.before
    return [head for piece in reversed(pieces) for head in piece]
