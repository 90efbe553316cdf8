"""Leave global variables out of the state that nobody reads.

What is only written (or printed) cannot influence a run. Assignments to such variables remain as steps and are still
evaluated, since an evaluation can fail.
"""

from __future__ import annotations

from dataclasses import replace

from kripke.model.source import Diagnostic
from kripke.process.expressions import Constant, Place, Read
from kripke.process.flow import Graph
from kripke.process.program import Assign, Discard, Operation, Print, Program, Run, Variable
from kripke.process.rewrite import mentions, rewrite


def hide_write_only(program: Program, graphs: list[Graph], hidden: set[Variable]) -> list[Diagnostic]:
    """Remove variables from the program and the assignments to them from the graphs; a warning for each that has some,
    and is not even printed."""
    if not hidden:
        return []
    warnings = _never_read(program, graphs, hidden)

    def change(node: object) -> object:
        if isinstance(node, Assign) and node.place.variable in hidden:
            return Discard(node.place.indices, node.value)
        if isinstance(node, Run) and node.result is not None and node.result.variable in hidden:
            return Run(node.process, node.arguments)
        if isinstance(node, Read) and node.place.variable in hidden:
            return Constant(0)  # printed, or part of a discarded value
        return node

    program.variables = tuple(variable for variable in program.variables if variable not in hidden)
    program.setup = rewrite(program.setup, change)
    for graph in graphs:
        for node in graph:
            if any(mentions(operation, hidden) for operation in node.operations):
                node.operations = [
                    forget_printed(operation, rewrite(operation, change)) for operation in node.operations
                ]
    return warnings


def _never_read(program: Program, graphs: list[Graph], hidden: set[Variable]) -> list[Diagnostic]:
    written: set[Variable] = set()
    for operation in (operation for graph in graphs for node in graph for operation in node.operations):
        match operation:
            case Assign(place) | Run(result=Place() as place):
                written.add(place.variable)
    return [
        Diagnostic(
            f"'{variable.name}' is assigned but never read: states do not keep its value (--dead-variables off does)",
            variable.span,
            category="never-read",
        )
        for variable in program.variables
        if variable in hidden & written and variable.span is not None and not _printed(graphs, variable)
    ]


def _printed(graphs: list[Graph], variable: Variable) -> bool:
    operations = (operation for graph in graphs for node in graph for operation in node.operations)
    return any(isinstance(operation, Print) and mentions(operation, {variable}) for operation in operations)


def forget_printed(before: Operation, after: Operation) -> Operation:
    """The operation after a pass has put constants in the place of variables: what is printed of them is not known."""
    if not isinstance(before, Print) or not isinstance(after, Print) or after is before:
        return after
    pairs = enumerate(zip(before.arguments, after.arguments, strict=True))
    gone = {position for position, (old, new) in pairs if new is not old}
    return replace(after, forgotten=tuple(sorted({*before.forgotten, *gone})))
