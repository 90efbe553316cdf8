"""What Python and notebooks show of results, traces and automata."""

from __future__ import annotations

from kripke.logic.automaton import Automaton
from kripke.model.result import Result
from kripke.model.trace import Trace
from kripke.presentation import presents
from kripke.report.terminal import Terminal


def _result_text(result: Result) -> str:
    from kripke.report.check_report import check_report

    return "\n".join(check_report(result, Terminal(width=120), full=True))


def _result_html(result: Result) -> str:
    from kripke.report.html import result_html

    return result_html(result)


def _result_page(result: Result) -> str:
    from kripke.report.page.page import html_report

    traces = [finding.trace for finding in result.findings if finding.trace is not None]
    return html_report(result, traces[0].model if traces else None, ["kripke", "check", result.model["file"]])


def _trace_text(trace: Trace) -> str:
    return _lines(trace, Terminal(width=120), True)


def _trace_on_terminal(trace: Trace, width: int | None, full: bool) -> str:
    return _lines(trace, Terminal.of_stdout(width=width), full)


def _lines(trace: Trace, terminal: Terminal, full: bool) -> str:
    from kripke.report.trace_table import trace_table

    return "\n".join(trace_table(trace, terminal, full=full))


def _trace_html(trace: Trace) -> str:
    from kripke.report.html import trace_html

    return trace_html(trace)


def _automaton_svg(automaton: Automaton) -> str:
    from kripke.pictures.graphs import automaton_diagram
    from kripke.pictures.svg import svg

    return svg(automaton_diagram(automaton))


presents(Result, "text", _result_text)
presents(Result, "html", _result_html)
presents(Result, "page", _result_page)
presents(Trace, "text", _trace_text)
presents(Trace, "terminal", _trace_on_terminal)
presents(Trace, "html", _trace_html)
presents(Automaton, "svg", _automaton_svg)
