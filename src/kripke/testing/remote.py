"""Remote objects: calls into another process, with arguments and results that are copied.

Copies keep sharing and cycles: everything goes through one pickle for each call. Objects that are exported, or that
are of a class derived from ``Remote``, go by reference: the other side gets a stub. A call runs in the process of its
object, in a thread of its own, while the caller waits.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from typing import Any

from kripke.testing import primitives
from kripke.testing.network import fate, network_of
from kripke.testing.operation import RECEIVE, SEND, START
from kripke.testing.processes import Process, in_process
from kripke.testing.run import Run


class RemoteError(ConnectionError):
    """The call did not come back: its process is gone, or a message was lost."""


class Remote:
    """Instances of classes derived from this one are passed by reference."""


class Stub:
    """Stands for an object of another process; its methods are called there."""

    _kripke_process: Process
    _kripke_target: Any
    _kripke_life: int

    def __init__(self, process: Process, target: Any) -> None:
        self.__dict__.update(_kripke_process=process, _kripke_target=target, _kripke_life=process.life)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(f"{name} of a remote object cannot be called")
        return lambda *args, **kwargs: _call(self, name, args, kwargs)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("attributes of remote objects cannot be set: call a method")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stub) and self._kripke_target is other._kripke_target

    def __hash__(self) -> int:
        return hash(self._kripke_process.name)

    def __repr__(self) -> str:
        return f"<{type(self._kripke_target).__name__} of {self._kripke_process.name}>"


def export(name: str, target: Any) -> None:
    """Let other processes look this object up."""
    run, system = _system()
    process = run.present.process
    assert process is not None
    operation = primitives.here(SEND, f"exports {name}")
    operation.writes = ((system.place[0], ("export", name)),)
    run.do(operation)
    system.exports[name] = (process, target, process.life, run.at_this_step())
    process.exported[id(target)] = target


def lookup(name: str) -> Any:
    """The object that a process exported under this name, as a stub; waits until there is one where the start-up file
    says ``set connect=wait``."""
    run, system = _system()
    operation = primitives.here(RECEIVE, f"looks up {name}")
    operation.reads = ((system.place[0], ("export", name)),)
    waits = network_of(run).waits_for_listeners
    if waits:
        operation.waits_for = lambda: name in system.exports
    run.do(operation)
    if name not in system.exports:
        raise LookupError(f"no process has exported {name}")
    process, target, _, at = system.exports[name]
    if waits:
        operation.after += at
    return target if process is run.present.process else Stub(process, target)


def _system() -> tuple[Run, Any]:
    in_process(lambda process: None)
    run = primitives.the_run()
    return run, network_of(run).system


def _call(stub: Stub, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    in_process(lambda process: None)
    run = primitives.the_run()
    process: Process = stub._kripke_process
    target = stub._kripke_target
    request = copied(run.present.process, (args, kwargs))
    outcome: list[tuple[bool, bytes]] = []
    words = f"{type(target).__name__}.{name}() of {process.name}"

    def serve() -> None:
        arguments, named = process_loads(process, request)
        try:
            result = (True, getattr(target, name)(*arguments, **named))
        except Exception as error:
            result = (False, error)
        outcome.append((result[0], copied(process, result[1])))

    operation = primitives.here(START, f"calls {words}")
    if not fate_of_call(run):
        raise RemoteError(f"the call of {words} was lost")
    _look(run, process, f"asks {process.name}")
    if not process.alive or process.life != stub._kripke_life:
        raise RemoteError(f"{process.name} is gone")
    task = run.start(serve, name, daemon=True, operation=operation, process=process)
    if task.finished:
        raise RemoteError(f"{process.name} is gone")
    run.join(task, primitives.here("", f"waits for {words}"), None)
    if not outcome:
        raise RemoteError(f"{process.name} ended during the call of {words}")
    if not fate_of_call(run):
        raise RemoteError(f"the answer of {words} was lost")
    good, data = outcome[0]
    result = process_loads(run.present.process, data)
    if not good:
        raise result
    return result


def _look(run: Run, process: Process, text: str) -> None:
    """Calls depend on whether the process is there."""
    operation = primitives.here(SEND, text)
    operation.reads = (process.alive_place,)
    run.do(operation)


def fate_of_call(run: Run) -> bool:
    """Does the message arrive? Calls are never doubled."""
    process = run.present.process
    if process is None or not process.losses_left:
        return True
    doubles, process.duplicates_left = process.duplicates_left, 0
    arrives = bool(fate(run))
    process.duplicates_left = doubles
    return arrives


class _Pickler(pickle.Pickler):
    def __init__(self, file: io.BytesIO, process: Process | None) -> None:
        super().__init__(file)
        self._process = process
        self.references: list[tuple[Process, Any]] = []

    def persistent_id(self, value: Any) -> Any:
        if isinstance(value, Stub):
            self.references.append((value._kripke_process, value._kripke_target))
        elif self._process is not None and (isinstance(value, Remote) or id(value) in self._process.exported):
            self._process.exported[id(value)] = value
            self.references.append((self._process, value))
        else:
            return None
        return len(self.references) - 1


class Copied(bytes):
    """A pickle, with what went by reference."""

    references: list[tuple[Process, Any]]


def copied(process: Process | None, value: Any) -> Copied:
    file = io.BytesIO()
    pickler = _Pickler(file, process)
    pickler.dump(value)
    made = Copied(file.getvalue())
    made.references = pickler.references
    return made


def process_loads(process: Process | None, data: Any) -> Any:
    """The copy, in this process: what is this process's own comes back as itself."""

    class Unpickler(pickle.Unpickler):
        def persistent_load(self, number: Any) -> Any:
            owner, target = data.references[number]
            return target if owner is process else Stub(owner, target)

    return Unpickler(io.BytesIO(data)).load()
