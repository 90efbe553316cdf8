"""Results and traces in a notebook."""

from __future__ import annotations

from html import escape

from kripke.model.result import Result
from kripke.model.trace import Trace
from kripke.report.check_report import statistics, verdict_line
from kripke.report.terminal import Terminal
from kripke.report.trace_table import changes_text, place_text

_SHOWN = 200
_COLOURS = {
    "holds": "#18794e",
    "violated": "#cd2b31",
    "possible": "#18794e",
    "impossible": "#cd2b31",
    "unknown": "#ad5700",
}


def result_html(result: Result) -> str:
    """The verdict in colour, the trace as a table, the figures."""
    verdict = escape(verdict_line(result, Terminal()))
    parts = [f'<div style="color:{_COLOURS[result.verdict]};font-weight:bold">{verdict}</div>']
    if result.trace is not None:
        parts.append(trace_html(result.trace))
    parts.append(f'<div style="color:gray">{"<br>".join(escape(line) for line in statistics(result))}</div>')
    return "".join(parts)


def trace_html(trace: Trace) -> str:
    """A table of at most 200 steps."""
    rows = []
    for step in trace.steps[:_SHOWN]:
        places = "<br>".join(escape(place_text(span)) for span in step.spans)
        statements = "<br>".join(f"<code>{escape(text)}</code>" for text in step.statements)
        actors = "<br>".join(escape(step.actor_of(part)) for part in step.parts)
        broken = ", ".join(step.model.violation_kinds[code].text for code, _ in step.violations)
        cells = [str(step.number), actors, places, statements, escape(changes_text(step.differences) or broken)]
        rows.append("<tr>" + "".join(f'<td style="text-align:left">{cell}</td>' for cell in cells) + "</tr>")
    heads = "".join(f"<th>{head}</th>" for head in ("step", "process", "place", "statement", "changes"))
    more = f"<div>and {len(trace) - _SHOWN:,} more steps</div>" if len(trace) > _SHOWN else ""
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>{more}"
