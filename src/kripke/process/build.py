"""From statement graphs to a finished program: the passes, then locations, numbers of statements and layout.

A language front end makes a program without locations and one graph per process type; what the passes need to know of
its text it says in ``Text``. Every language of process programs comes through here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kripke.deadline import current
from kripke.model.source import Diagnostic, Span
from kripke.numbers import counted
from kripke.process.expressions import AtLocation, Expression
from kripke.process.flatten import flatten, forbid_choice
from kripke.process.flow import Graph, Node
from kripke.process.layout import place_program
from kripke.process.passes import Passes
from kripke.process.passes.dead import reset_dead_variables
from kripke.process.passes.hide import hide_write_only
from kripke.process.passes.merge import merge_statements
from kripke.process.passes.number import number_statements
from kripke.process.passes.scratch import forget_scratch
from kripke.process.passes.slice import Unsliceable, slice_program
from kripke.process.passes.suspicious import find_suspicious
from kripke.process.program import Assert, Assign, Print, ProcessType, Program, Skip, Variable
from kripke.process.rewrite import rewrite

if TYPE_CHECKING:
    from kripke.process.passes.exclusive import Claim

MAX_STATE_BYTES = 1 << 20
_NAMES_SHOWN = 12
_NEVER_WAIT = (Assert, Assign, Print, Skip)


class Unbuildable(Exception):
    """What was asked for cannot be made of this program; ``span``: because of what, None: of all of it."""

    def __init__(self, message: str, span: Span | None = None) -> None:
        super().__init__(message)
        self.span = span


@dataclass(frozen=True, slots=True)
class Body:
    """A process type and what it does. ``deterministic``: two steps at once are an error.

    ``labels``: until locations have numbers, an ``AtLocation`` names a negative number, which stands for these nodes.
    """

    process: ProcessType
    graph: Graph
    deterministic: bool = False
    labels: Mapping[int, Sequence[Node]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Text:
    """What the passes need to know of the text of a program."""

    #: what is asked about states, by the names of the atoms
    atoms: Mapping[str, Expression] = field(default_factory=dict)
    #: what properties read beside the atoms
    mentioned: AbstractSet[Variable] = frozenset()
    #: is there a property of runs? It may tell an empty step from none.
    temporal: bool = False
    #: global variables that nobody reads
    write_only: AbstractSet[Variable] = frozenset()
    #: global variables that the text promises to need only inside single steps
    scratch: Sequence[Variable] = ()
    #: channels that a process says it alone uses
    claims: Sequence[Claim] = ()
    #: are there channels without buffer?
    rendezvous: bool = False
    #: what the text rules out: nothing is reset that is looked at from outside
    may_merge: bool = True
    may_reset: bool = True


def build(program: Program, bodies: Sequence[Body], text: Text, passes: Passes) -> list[Diagnostic]:
    """Run the passes and give every process its locations; what is to be said about the program. Unbuildable."""
    graphs = [body.graph for body in bodies]
    # Nobody knows what embedded C reads: then dead variables stay as they are, as in SPIN.
    dead = "off" if program.embedded is not None else passes.dead
    warnings = find_suspicious(program, graphs)
    if passes.slice:
        _slice(program, graphs, text)
    if dead != "off":
        warnings += hide_write_only(program, graphs, set(text.write_only))
    labels: dict[int, tuple[int, ...]] = {}
    deadline = current()
    resets: list[Variable] = []
    for body in bodies:
        deadline()
        resets += reset_dead_variables(body.graph, dead if text.may_reset else "off")
        if passes.merge and text.may_merge:
            merge_statements(body.graph, text.rendezvous)
        if body.deterministic:
            forbid_choice(body.graph)
        flat = flatten(body.graph)
        body.process.locations, body.process.entry = flat.locations, flat.entry
        warnings += _passed_labels(body.process)
        for number, nodes in body.labels.items():
            labels[number] = tuple(flat.index[id(node)] for node in nodes if id(node) in flat.index)
    if dead == "initial":
        program.reductions += (_resets_text(resets),)
    _resolve_labels(program, text.atoms, labels)
    kept = [variable for variable in text.scratch if variable in program.variables]
    for variable in forget_scratch(program, kept):
        message = f"hidden variable '{variable.name}' is part of the state: its value is read in later steps"
        warnings.append(Diagnostic(message, variable.span))
    if text.claims:
        _check_claims(program, text.claims, passes)
    number_statements(program)
    place_program(program)
    _check_size(program)
    return warnings


def _slice(program: Program, graphs: list[Graph], text: Text) -> None:
    try:
        # Where a property can tell an empty step from none, such steps stay visible.
        names = slice_program(program, graphs, text.atoms.values(), set(text.mentioned), absorb=not text.temporal)
    except Unsliceable as what:
        raise Unbuildable(f"a model with {what} cannot be sliced; check it without --slice") from None
    program.reductions += (_slice_text(names),)


def _slice_text(names: Sequence[str]) -> str:
    if not names:
        return "sliced: everything is needed"
    shown = ", ".join(names[:_NAMES_SHOWN]) + (f" and {len(names) - _NAMES_SHOWN:,} more" * (len(names) > _NAMES_SHOWN))
    return f"sliced: nothing depends on {shown}"


def _resets_text(resets: Sequence[Variable]) -> str:
    if not resets:
        return "dead variables: none is reset"
    return (
        f"dead variables: {counted(len(set(resets)), 'variable')} back at the start value in "
        f"{counted(len(resets), 'place')}"
    )


def _passed_labels(process: ProcessType) -> Iterator[Diagnostic]:
    """Inside an atomic sequence a process that cannot be kept waiting is at no label: a step has a start and an end.

    (SPIN looks at ``accept`` there without fairness, and not with it.)
    """
    edges = [edge for location in process.locations for edge in location.edges]
    for number, location in enumerate(process.locations):
        label = next((name for name in location.labels if name.startswith(("accept", "progress"))), None)
        if label is None or location.span is None or number == process.entry:
            continue
        inside = all(edge.atomic for edge in edges if edge.target == number)
        if inside and all(isinstance(edge.actions[0].operation, _NEVER_WAIT) for edge in location.edges):
            message = f"'{label}' is passed inside an atomic sequence and does not count there"
            yield Diagnostic(f"{message}: put it before the sequence, or behind it", location.span)


def _resolve_labels(program: Program, atoms: Mapping[str, Expression], labels: Mapping[int, tuple[int, ...]]) -> None:
    def resolve(node: object) -> object:
        if isinstance(node, AtLocation) and node.locations and node.locations[0] < 0:
            return AtLocation(node.process, node.pid, labels[node.locations[0]])
        return node

    program.atoms = {name: rewrite(atom, resolve) for name, atom in atoms.items()}
    if not labels:
        return
    for process in program.processes:
        process.provided = rewrite(process.provided, resolve)
        for location in process.locations:
            location.edges = rewrite(location.edges, resolve)


def _check_claims(program: Program, claims: Sequence[Claim], passes: Passes) -> None:
    from kripke.process.passes.exclusive import check_claims

    if check_claims(program, list(claims), questions=passes.questions) and passes.slice:
        message = "a model with xr and xs that need checking cannot be sliced; check it without --slice"
        raise Unbuildable(message, program.statements[claims[0].statement].span)


def _check_size(program: Program) -> None:
    smallest = program.global_bytes + sum(initial.process.frame_bytes for initial in program.initial)
    if smallest > MAX_STATE_BYTES:
        raise Unbuildable(f"a state takes {smallest} bytes, at most {MAX_STATE_BYTES} are possible")
