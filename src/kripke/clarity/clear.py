"""What an engine found, as a person sees it: the trace made short and clear, and explained."""

from __future__ import annotations

from dataclasses import replace

from kripke.clarity.clarify import clarify, ending_of
from kripke.clarity.obligations import explain_run
from kripke.clarity.temporal import clarify_run
from kripke.engines.evidence import Evidence
from kripke.engines.plan import SearchPlan
from kripke.model.capabilities.explains import explanation_of
from kripke.model.property import Temporal
from kripke.model.result import Finding, Result
from kripke.model.trace import Trace


def clear_result(result: Result, plan: SearchPlan) -> Result:
    """The result, with every finding made clear."""
    if all(finding.evidence is None for finding in result.findings):
        return result
    findings = tuple(clear_finding(finding, plan) for finding in result.findings)
    return replace(result, findings=findings, trace=findings[0].trace)


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
