"""Results and traces in a notebook."""

from __future__ import annotations

from html import escape

from kripke.model.coverage import Coverage
from kripke.model.model import Model
from kripke.model.result import Result
from kripke.model.trace import Trace
from kripke.report.check_report import statistics, verdict_line
from kripke.report.coverage_report import Line, coverage_lines, samples_text
from kripke.report.lit_pictures import lit_pictures
from kripke.report.terminal import Terminal
from kripke.report.trace_table import changes_text, statement_place

_SHOWN = 200
_HEADS = ("step", "process", "place", "statement", "changes")
_LANES = ("#0969da", "#8250df", "#1a7f37", "#9a6700", "#bf3989")
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
    for finding in result.findings[1:] and result.findings:
        parts.append(
            f"<h4>{escape(finding.message)}</h4>" + (trace_html(finding.trace) if finding.trace is not None else "")
        )
    if len(result.findings) < 2 and result.trace is not None:
        parts.append(trace_html(result.trace))
    if result.coverage is not None:
        parts.append(coverage_html(result.coverage))
    parts.append(f'<div style="color:gray">{"<br>".join(escape(line) for line in statistics(result))}</div>')
    return "".join(parts)


def trace_html(trace: Trace) -> str:
    """A table of at most 200 steps, a colour for every process; why it is an error."""
    rows = []
    for index, step in enumerate(trace.steps[:_SHOWN]):
        if index == trace.loop_start:
            rows.append(_note("from here on the steps repeat for ever", "gray"))
        places = "<br>".join(escape(statement_place(step.model.statements[part.statement])) for part in step.parts)
        statements = "<br>".join(f"<code>{escape(text)}</code>" for text in step.statements)
        actors = "<br>".join(_lane(step.actor_of(part)) for part in step.parts)
        cells = [str(step.number), actors, places, statements, escape(changes_text(step.effects))]
        if step.parts:
            rows.append("<tr>" + "".join(f'<td style="text-align:left">{cell}</td>' for cell in cells) + "</tr>")
        for code, _ in step.violations:
            rows.append(_note(step.model.violation_kinds[code].text, _COLOURS["violated"]))
        if index == trace.deciding and index < len(trace) - 1:
            rows.append(_note("from here on every run ends in an error", _COLOURS["unknown"]))
    heads = "".join(f'<th style="text-align:left">{head}</th>' for head in _HEADS)
    more = f"<div>and {len(trace) - _SHOWN:,} more steps</div>" if len(trace) > _SHOWN else ""
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    return table + more + _why(trace) + lit_pictures(trace)


def _note(text: str, colour: str) -> str:
    return f'<tr><td></td><td colspan="4" style="text-align:left;color:{colour}">{escape(text)}</td></tr>'


def _lane(process: str) -> str:
    number = process.rpartition(":")[2]
    colour = _LANES[int(number) % len(_LANES)] if number.isascii() and number.isdecimal() else _LANES[0]
    return f'<span style="color:{colour}">{escape(process)}</span>'


def _why(trace: Trace) -> str:
    if trace.explanation is None or not trace.explanation.reasons:
        return ""
    reasons = "".join(f"<li><code>{escape(str(reason))}</code></li>" for reason in trace.explanation.reasons)
    return f"<div><b>why:</b> {escape(trace.explanation.summary)}<ul>{reasons}</ul></div>"


def coverage_html(coverage: Coverage) -> str:
    """What ``--coverage`` prints."""
    rows = []
    for line in (*coverage_lines(coverage), Line("sample runs", samples_text(coverage))):
        details = "".join(f"<li><code>{escape(detail)}</code></li>" for detail in line.details[:_SHOWN])
        text = escape(line.text) + (f"<ul>{details}</ul>" if details else "")
        cells = f'<td style="text-align:left"><b>{escape(line.head)}</b></td><td style="text-align:left">{text}</td>'
        rows.append(f"<tr>{cells}</tr>")
    return f"<table><tbody>{''.join(rows)}</tbody></table>"


def model_html(model: Model) -> str:
    """What a model contains."""
    rows = []
    for name, value in model.facts().items():
        shown = ", ".join(map(str, value)) if isinstance(value, (list, tuple, dict)) else str(value)
        cells = (
            f'<td style="text-align:left"><b>{escape(name)}</b></td><td style="text-align:left">{escape(shown)}</td>'
        )
        rows.append(f"<tr>{cells}</tr>")
    head = f"<div>{escape(model.language)} model <code>{escape(model.file)}</code></div>"
    return f"{head}<table><tbody>{''.join(rows)}</tbody></table>"
