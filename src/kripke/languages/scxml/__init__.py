"""SCXML (``.scxml``): state charts as the W3C standardised them in 2015."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kripke.languages.language import Language
from kripke.languages.options import ENVIRONMENT, QUEUE

if TYPE_CHECKING:
    from kripke.hierarchy.chart.model import ChartModel
    from kripke.hierarchy.chart.structure import Chart
    from kripke.languages.editing.document import Document
    from kripke.languages.request import LoadRequest, RunRequest
    from kripke.languages.scxml.scripts import Scripts
    from kripke.model.highlighting import Highlighting
    from kripke.model.source import Sources


def read_chart(path: str, sources: Sources) -> tuple[Chart, Scripts]:
    """The chart in a file, and what read its expressions."""
    from kripke.languages.scxml.reader import Reader
    from kripke.languages.xml_document import Document
    from kripke.model.source import ModelError

    try:
        with open(path, "rb") as file:
            data = file.read((1 << 23) + 1)
    except OSError as error:
        raise ModelError(f"cannot read {path}: {error.strerror}") from error
    reader = Reader(Document(path, data, sources))
    return reader.read(), reader.scripts


def load(
    path: str,
    *,
    environment: Sequence[str] | None = None,
    queue: int = 1,
    invariants: Sequence[str] = (),
    formulas: Sequence[str] = (),
    conditions: Sequence[str] = (),
) -> ChartModel:
    """The chart in a file, closed by an environment: ``environment`` names the events it may send; None: all that
    transitions wait for and the chart does not send itself."""
    from kripke.hierarchy.chart.asked import Asked
    from kripke.hierarchy.chart.closure import declared_events
    from kripke.hierarchy.chart.model import ChartModel, Environment
    from kripke.model.source import Sources

    sources = Sources()
    chart, scripts = read_chart(path, sources)
    asked = Asked(chart, sources)
    for number, expression in enumerate(invariants, start=1):
        asked.condition(expression, f"<invariant {number}>")
    for number, expression in enumerate(conditions, start=1):
        asked.condition(expression, f"<condition {number}>")
    for number, formula in enumerate(formulas, start=1):
        asked.formula(formula, formula, f"<formula {number}>")
    events = declared_events(chart, ("done", "error")) if environment is None else tuple(environment)
    closed = Environment(events, queue)
    return ChartModel(
        chart, closed, path, "scxml", sources, asked.conditions, asked.properties, scripts.warnings, asked.invariants
    )


def _load(request: LoadRequest) -> ChartModel:
    from kripke.hierarchy.chart.closure import event_names, queue_length

    return load(
        request.path,
        environment=event_names(request.options["environment"]),
        queue=queue_length(request.options["queue"]),
        invariants=request.invariants,
        formulas=request.formulas,
        conditions=request.conditions,
    )


def _run(request: RunRequest) -> int:
    from kripke.languages.scxml.execution import run

    return run(request.path, request.events, request.steps, real_time=request.real_time)


def _document(text: str, path: str, before: Document | None) -> Document:
    from kripke.languages.scxml.editor import ScxmlDocument

    return ScxmlDocument(text, path, before)


def _highlighting() -> Highlighting:
    from kripke.model.highlighting import Highlighting

    return Highlighting(
        ("scxml", "state", "parallel", "transition", "initial", "final", "history", "onentry", "onexit"),
        ("data", "datamodel", "raise", "send", "assign", "if", "elseif", "else", "foreach", "log", "script"),
        line_comments=(),
        block_comment=("<!--", "-->"),
        quotes="\"'",
        markup=True,
    )


LANGUAGE = Language(
    name="scxml",
    endings=(".scxml",),
    load=_load,
    models="state charts (SCXML)",
    options=(ENVIRONMENT, QUEUE),
    run=_run,
    document=_document,
    highlighting=_highlighting,
    manual="docs/languages/scxml.md",
    examples="examples/scxml",
)
