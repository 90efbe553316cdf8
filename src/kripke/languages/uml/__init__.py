"""UML state machines: PlantUML's state diagrams (``.puml``) and XMI (``.xmi``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kripke.languages.language import Language
from kripke.languages.options import ENVIRONMENT, QUEUE

if TYPE_CHECKING:
    from kripke.hierarchy.chart.uml_model import UmlModel
    from kripke.languages.editing.document import Document
    from kripke.languages.request import LoadRequest
    from kripke.languages.uml.machine import Machine
    from kripke.model.highlighting import Highlighting
    from kripke.model.source import Sources

LONGEST_FILE = 1 << 23


def read_machine(path: str, sources: Sources) -> Machine:
    """The machine in a file."""
    from kripke.model.source import ModelError

    try:
        with open(path, "rb") as file:
            data = file.read(LONGEST_FILE + 1)
    except OSError as error:
        raise ModelError(f"cannot read {path}: {error.strerror}") from error
    if len(data) > LONGEST_FILE:
        raise ModelError(f"{path} has more than {LONGEST_FILE:,} bytes, which is too long for a state machine")
    return machine_of(data, path, sources)


def machine_of(data: bytes, path: str, sources: Sources) -> Machine:
    """The machine in the text of a file."""
    if data.lstrip()[:1] == b"<":
        from kripke.languages.uml.xmi import read_xmi

        return read_xmi(data, path, sources)
    from kripke.languages.uml.plantuml import Reader

    text = data.decode("utf-8", "replace")
    sources.add(path, text)
    return Reader(text, path, sources).read()


def load(
    path: str,
    *,
    environment: Sequence[str] | None = None,
    queue: int = 1,
    invariants: Sequence[str] = (),
    formulas: Sequence[str] = (),
    conditions: Sequence[str] = (),
) -> UmlModel:
    """The machine in a file, closed by an environment: ``environment`` names the events it may send; None: all that
    transitions wait for and the machine does not send itself."""
    from kripke.hierarchy.chart.asked import Asked
    from kripke.hierarchy.chart.closure import declared_events
    from kripke.hierarchy.chart.model import Environment
    from kripke.hierarchy.chart.uml_model import UmlModel
    from kripke.model.source import Sources

    sources = Sources()
    chart = read_machine(path, sources).chart()
    asked = Asked(chart, sources)
    for number, expression in enumerate(invariants, start=1):
        asked.condition(expression, f"<invariant {number}>")
    for number, expression in enumerate(conditions, start=1):
        asked.condition(expression, f"<condition {number}>")
    for number, formula in enumerate(formulas, start=1):
        asked.formula(formula, formula, f"<formula {number}>")
    events = declared_events(chart) if environment is None else tuple(environment)
    return UmlModel(
        chart,
        Environment(events, queue),
        path,
        "uml",
        sources,
        asked.conditions,
        asked.properties,
        (),
        asked.invariants,
    )


def _load(request: LoadRequest) -> UmlModel:
    from kripke.hierarchy.chart.closure import event_names, queue_length

    return load(
        request.path,
        environment=event_names(request.options["environment"]),
        queue=queue_length(request.options["queue"]),
        invariants=request.invariants,
        formulas=request.formulas,
        conditions=request.conditions,
    )


def _document(text: str, path: str, before: Document | None) -> Document:
    from kripke.languages.uml.editor import UmlDocument

    return UmlDocument(text, path, before)


def _highlighting() -> Highlighting:
    from kripke.model.highlighting import Highlighting

    return Highlighting(
        ("startuml", "enduml", "state", "note", "end", "left", "right", "of", "as", "entry", "exit", "do"),
        line_comments=("'",),
        block_comment=("/'", "'/"),
    )


LANGUAGE = Language(
    name="uml",
    endings=(".puml", ".plantuml", ".xmi", ".uml"),
    load=_load,
    models="UML state machines",
    options=(ENVIRONMENT, QUEUE),
    document=_document,
    highlighting=_highlighting,
    manual="docs/languages/uml.md",
    examples="examples/uml",
)
