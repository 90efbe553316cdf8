"""``Trace``: a run of a model from an initial state, as something to show, to save and to replay.

A trace keeps states and executed statements and asks the model for words when somebody looks; so even a trace of a
million steps is cheap to make.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from stat import S_ISCHR
from typing import Any, NamedTuple

from kripke.model.explanation import Explanation
from kripke.model.model import Model, Part, Transition, Violation
from kripke.model.source import Span
from kripke.model.trace_shape import TRACE, misfit
from kripke.presentation import presented

FORMAT = "kripke-trace"
VERSION = 1


class Difference(NamedTuple):
    """A name whose value a step changed. None: it did not exist before, or does not any more."""

    name: str
    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a trace; ``state`` is the state it leads to, None where a violation ended it."""

    model: Model = field(repr=False, compare=False)
    number: int
    before: bytes = field(repr=False)
    parts: tuple[Part, ...]
    state: bytes | None = field(repr=False)
    violations: tuple[Violation, ...] = ()

    @property
    def actor(self) -> str:
        """Who moves (of a rendezvous: the sender)."""
        return self.actor_of(self.parts[0]) if self.parts else ""

    def actor_of(self, part: Part) -> str:
        # Within one step a component can be created and move: it is in the second state only.
        for state in (self.before, self.state):
            if state is not None:
                try:
                    return self.model.actor_name(part.actor, state)
                except LookupError:
                    continue
        return str(part.actor)

    @property
    def statements(self) -> tuple[str, ...]:
        """The executed statements, with the values they sent or received."""
        return tuple(self.model.explain_part(part) for part in self.parts)

    @property
    def spans(self) -> tuple[Span, ...]:
        return tuple(self.model.statements[part.statement].span for part in self.parts)

    @property
    def values(self) -> tuple[tuple[int, ...], ...]:
        return tuple(part.values for part in self.parts)

    @property
    def printed(self) -> str:
        """What the statements print."""
        return "".join(self.model.printed(part) or "" for part in self.parts)

    @property
    def after(self) -> Mapping[str, str] | None:
        """The state the step leads to, for a person."""
        return None if self.state is None else self.model.describe(self.state)

    @property
    def differences(self) -> tuple[Difference, ...]:
        """What the step changed, in the order of the state's names."""
        if self.state is None or self.state == self.before:
            return ()
        model = self.model
        return differences(model.describe(self.before), model.describe(self.state), model.omitted_value)

    @property
    def effects(self) -> tuple[Difference, ...]:
        """The differences that its statements make: without variables that are only forgotten."""
        changed = self.differences
        forgotten = self.model.forgotten(self.parts) if changed else frozenset()
        return tuple(change for change in changed if change.name not in forgotten) if forgotten else changed

    def to_json(self, changes: tuple[Difference, ...] | None = None) -> dict[str, Any]:
        """``changes``: the differences, where the caller has them already."""
        return {
            "actor": self.actor,
            "statements": [self._part_json(part) for part in self.parts],
            "changes": {name: [old, new] for name, old, new in (self.differences if changes is None else changes)},
            "violations": [self.model.violation_kinds[code].name for code, _ in self.violations],
        }

    def _part_json(self, part: Part) -> dict[str, Any]:
        statement = self.model.statements[part.statement]
        span = statement.span
        called = {"called_at": [str(call) for call in statement.calls]} if statement.calls else {}
        return called | {
            "actor": self.actor_of(part),
            "text": self.model.explain_part(part),
            "file": span.file,
            "line": span.line,
            "column": span.column,
            "values": list(part.values),
        }


@dataclass(frozen=True, slots=True)
class Trace:
    """Steps from an initial state; with ``loop_start``, the steps from that one on repeat for ever.

    ``origin`` says how the model was loaded, so that a saved trace can be replayed by anybody who has the model file.
    ``file`` is where the trace was saved. ``omitted`` steps of the trace as it was found are left out, since
    the error does not need them. ``deciding`` is the position (from 0) of the step after which the error cannot be
    avoided any more, where that is known; ``explanation`` says why what the trace ends in is an error. ``unclear``:
    there was no time to make it as short and clear as can be.
    """

    model: Model = field(repr=False, compare=False)
    initial: bytes = field(repr=False)
    steps: tuple[Step, ...]
    loop_start: int | None = None
    origin: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    file: str | None = None
    omitted: int = 0
    deciding: int | None = None
    explanation: Explanation | None = None
    unclear: bool = field(default=False, compare=False)

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def moves(self) -> tuple[Step, ...]:
        """The steps of the model: without the last one, where it is only the observer that says so."""
        if self.steps and self.steps[-1].state is None and not self.steps[-1].parts:
            return self.steps[:-1]
        return self.steps

    @property
    def final(self) -> bytes:
        """The last state; for a step that ended in a violation, the state it started from."""
        for step in reversed(self.steps):
            if step.state is not None:
                return step.state
        return self.initial

    def changes(self) -> Iterator[tuple[Difference, ...]]:
        """The differences of every step in turn, each state being described once."""
        described = self.model.describe(self.initial)
        for step in self.steps:
            after = described if step.state is None else self.model.describe(step.state)
            yield differences(described, after, self.model.omitted_value)
            described = after

    def show(self, *, width: int | None = None, full: bool = True) -> None:
        """Print the trace as a table."""
        if table := presented(self, "terminal", width=width, full=full):
            print(table)

    def __str__(self) -> str:
        return presented(self, "text")

    def _repr_html_(self) -> str:
        return presented(self, "html")

    def to_json(self) -> dict[str, Any]:
        """For the ``trace`` key of a result."""
        steps = [step.to_json(changes) for step, changes in zip(self.moves, self.changes(), strict=False)]
        return {
            "steps": steps,
            "loop_start": self.loop_start,
            "file": self.file,
            "omitted": self.omitted,
            "deciding": self.deciding,
            "explanation": None if self.explanation is None else self.explanation.to_json(),
        }

    def save(self, path: str | os.PathLike[str]) -> Trace:
        """Write the trace as JSON, one step to a line; the trace that knows its file."""
        import json

        name = os.fspath(path)
        head = {
            "format": FORMAT,
            "version": VERSION,
            "model": {"file": self.model.file, "language": self.model.language, **self.origin},
            "initial": self.initial.hex(),
            "loop_start": self.loop_start,
            "unclear": self.unclear,
        }
        with open(name, "w", encoding="utf-8") as file:
            # By hand as far as the steps: one at a time, so that a million of them need no memory.
            file.write(json.dumps(head, indent=1).removesuffix("\n}") + ',\n "steps": [')
            separator = "\n  "
            for step, changes in zip(self.steps, self.changes(), strict=True):
                file.write(separator + json.dumps(self._saved(step, changes)))
                separator = ",\n  "
            file.write("\n ]\n}\n")
        return replace(self, file=name)

    def _saved(self, step: Step, changes: tuple[Difference, ...]) -> dict[str, Any]:
        described = step.to_json(changes)
        for part, shown in zip(step.parts, described["statements"], strict=True):
            # The text of the statement alone, without the values of this step: replay finds it again by that.
            shown |= {"statement": part.statement, "source": self.model.statements[part.statement].text}
        described["state"] = None if step.state is None else step.state.hex()
        return described


class SavedPart(NamedTuple):
    """An executed statement as it was saved: who, which text, where."""

    actor: str
    source: str
    text: str
    file: str
    line: int


class SavedStep(NamedTuple):
    parts: tuple[SavedPart, ...]
    changes: frozenset[Difference]
    state: bytes | None
    violations: tuple[str, ...]

    def __str__(self) -> str:
        return "; ".join(f"{part.actor} {part.text}" for part in self.parts)


class TraceFileError(Exception):
    """A file that is not a trace we can read; the message says why."""


@dataclass(frozen=True, slots=True)
class SavedTrace:
    """A trace as it lies in a file: not yet tied to a model."""

    file: str
    model_file: str
    language: str
    origin: Mapping[str, Any]
    initial: bytes
    steps: tuple[SavedStep, ...]
    loop_start: int | None
    unclear: bool = False

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> SavedTrace:
        import json

        name = os.fspath(path)
        try:
            with open(name, encoding="utf-8") as file:
                if S_ISCHR(os.fstat(file.fileno()).st_mode) and not file.isatty():  # /dev/zero never ends
                    raise TraceFileError(f"cannot read {name}: it is a device, not a trace")
                record = json.load(file)
        except OSError as error:
            raise TraceFileError(f"cannot read {name}: {error.strerror}") from error
        except (ValueError, RecursionError) as error:  # not UTF-8, or not JSON
            raise TraceFileError(f"{name} is not a trace of Kripke: it is not JSON") from error
        if not isinstance(record, dict) or record.get("format") != FORMAT:
            raise TraceFileError(f"{name} is not a trace of Kripke")
        if record.get("version") != VERSION:
            raise TraceFileError(
                f"{name} is a trace of version {record.get('version')}; this Kripke reads version {VERSION}"
            )
        wrong = misfit(record, TRACE)
        if wrong is not None:
            raise TraceFileError(f"{name} is damaged: {wrong}")
        try:
            model = record["model"]
            return cls(
                file=name,
                model_file=str(model["file"]),
                language=str(model["language"]),
                origin={key: value for key, value in model.items() if key not in ("file", "language")},
                initial=_bytes_of(record["initial"]),
                steps=tuple(_read_step(step) for step in record["steps"]),
                loop_start=_loop_start(record),
                unclear=record.get("unclear", False),
            )
        except ValueError as error:
            raise TraceFileError(f"{name} is damaged: {error}") from error


def _loop_start(record: dict[str, Any]) -> int | None:
    start: int | None = record["loop_start"]
    if start is not None and not 0 <= start < len(record["steps"]):
        raise ValueError(f"loop_start is {start}, and there are {len(record['steps'])} steps")
    return start


def _bytes_of(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise ValueError(f"{text[:20]!r} is no state") from None


def _read_step(step: dict[str, Any]) -> SavedStep:
    parts = (
        SavedPart(part["actor"], part["source"], part["text"], part["file"], part["line"])
        for part in step["statements"]
    )
    if any(len(values) != 2 for values in step["changes"].values()):
        raise ValueError("a change has two values, the old and the new")
    changes = frozenset(Difference(name, old, new) for name, (old, new) in step["changes"].items())
    state = None if step["state"] is None else _bytes_of(step["state"])
    return SavedStep(tuple(parts), changes, state, tuple(step["violations"]))


def make_step(model: Model, number: int, before: bytes, transition: Transition) -> Step:
    return Step(model, number, before, transition.parts, transition.target, transition.violations)


def differences(
    before: Mapping[str, str], after: Mapping[str, str], omitted_value: str | None = None
) -> tuple[Difference, ...]:
    """Names whose values differ: those of the second state in their order, then those that are gone.

    ``omitted_value`` is the value of a name that a description leaves out.
    """
    changed = [
        Difference(name, before.get(name, omitted_value), value)
        for name, value in after.items()
        if before.get(name) != value
    ]
    gone = [Difference(name, value, omitted_value) for name, value in before.items() if name not in after]
    return tuple(changed + gone)
