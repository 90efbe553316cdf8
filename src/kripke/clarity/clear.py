"""What an engine found, as a person sees it: the trace made short and clear, and explained.

Making traces clear takes as long as the search at most, and at least half a second; ``clarify_limit`` of the plan says
otherwise. The first trace may have half of that, and the others share what is left. What there is no time for stays
as it was found, and a warning says so; it is made clear when somebody opens it (``later.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from kripke.clarity.clarify import clarify, ending_of
from kripke.clarity.obligations import explain_run
from kripke.clarity.temporal import clarify_run
from kripke.deadline import current, keeping
from kripke.engines.evidence import Evidence
from kripke.engines.plan import SearchPlan
from kripke.model.capabilities.explains import explanation_of
from kripke.model.property import Temporal
from kripke.model.result import Finding, Result
from kripke.model.trace import Trace
from kripke.numbers import counted

LEAST = 0.5  # seconds
_LATE = 0.2  # seconds, where the time of the check is over


@dataclass(frozen=True, slots=True)
class ClearFindings:
    """The findings made clear, so far as there was time; ``warnings`` say how far."""

    findings: tuple[Finding, ...]
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()


def clear_result(result: Result, plan: SearchPlan) -> Result:
    """The result, with every finding made clear."""
    if all(finding.evidence is None for finding in result.findings):
        return result
    return with_findings(result, clear_findings(result.findings, plan, result.seconds))


def with_findings(result: Result, clear: ClearFindings) -> Result:
    return replace(
        result,
        findings=clear.findings,
        trace=clear.findings[0].trace,
        clarify_seconds=result.clarify_seconds + clear.seconds,
        warnings=(*result.warnings, *clear.warnings),
    )


def clear_findings(findings: Sequence[Finding], plan: SearchPlan, searched: float) -> ClearFindings:
    """All of them, after a search that took so many seconds."""
    start = perf_counter()
    seconds = max(searched, LEAST) if plan.clarify_limit is None else plan.clarify_limit
    deadline = current().at_least(_LATE).within_work(seconds)
    clear: list[Finding] = []
    unclear = 0
    for number, finding in enumerate(findings):
        others = len(findings) - number
        share = deadline if others == 1 else deadline.part(0.5 if number == 0 else 1 / others)
        late = deadline.is_over
        with keeping(share):
            made = clear_finding(finding, replace(plan, clarify=False) if late else plan)
        if plan.clarify and finding.evidence is not None and share.is_over:
            unclear += 1
            made = made if made.trace is None else replace(made, trace=replace(made.trace, unclear=True))
        clear.append(made)
    warnings = (_unclear(unclear, len(findings)),) if unclear else ()
    return ClearFindings(tuple(clear), perf_counter() - start, warnings)


def _unclear(unclear: int, traces: int) -> str:
    which = "the trace is" if traces == 1 else f"{unclear:,} of {counted(traces, 'trace')} are"
    more = "--clarify-limit gives more, and kripke replay makes a saved trace clear"
    return f"{which} not as short and clear as possible, for lack of time: {more}"


def clear_finding(finding: Finding, plan: SearchPlan) -> Finding:
    """Where the engine said how it was found; otherwise as it is."""
    if not isinstance(finding.evidence, Evidence) or finding.trace is None:
        return finding
    if isinstance(finding.evidence.goal, Temporal):
        trace = _clear_run(finding.trace, finding.evidence, finding.evidence.goal, plan)
    else:
        trace = _clear_path(finding.trace, finding.evidence, plan)
    return replace(finding, trace=trace, evidence=None)


def _clear_path(trace: Trace, found: Evidence, plan: SearchPlan) -> Trace:
    if plan.clarify:
        trace = clarify(trace, found.error, found.look, longer=found.longer)
    ending = ending_of(found.error)
    if ending is None or found.goal is None:
        return trace
    last = trace.steps[-1].before if found.error.kind == "violation" else trace.final
    return replace(trace, explanation=explanation_of(trace.model, last, ending))


def _clear_run(trace: Trace, found: Evidence, goal: Temporal, plan: SearchPlan) -> Trace:
    if plan.clarify and not found.shortest:
        trace = clarify_run(trace, found.error, found.fairness)
    return replace(trace, explanation=explain_run(trace, goal))
