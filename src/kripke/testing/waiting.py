"""Who waits for what, where nobody can go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kripke.testing.operation import ACQUIRE, Operation

if TYPE_CHECKING:
    from kripke.testing.run import Run


def who_waits(run: Run) -> str:
    lines = ["nobody can go on"]
    waiting = [task for task in run.tasks if not task.finished]
    in_loops = [task for task in waiting if task.place is not None]
    for task in waiting:
        operation: Operation | None = task.pending
        if task.loop is not None:
            operation = task.place() if task.place is not None else None
        elif in_loops and task.pending.kind == "loop":
            continue  # it waits for those that are shown
        if operation is not None:
            place = f", at {operation.file}:{operation.line}" if operation.code else ""
            lines.append(f"  {task.name} waits: {operation.words()}{_holder(run, operation)}{place}")
    return "\n".join(lines)


def _holder(run: Run, operation: Operation) -> str:
    if operation.kind == ACQUIRE:
        for identity, _ in operation.writes:
            holder = run.holders.get(identity)
            if holder is not None:
                return f", which {holder.name} holds"
    return ""
