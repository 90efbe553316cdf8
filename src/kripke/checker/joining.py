"""One result from those of several properties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kripke.model.result import Result


def joined(parts: Sequence[Result]) -> Result:
    """One result: violated (or impossible) if a part is, else unknown if a part is."""
    first = parts[0]
    if len(parts) == 1:
        return replace(first, parts=tuple(parts))
    decisive = next(
        (part for verdict in ("violated", "impossible", "unknown") for part in parts if part.verdict == verdict),
        None,
    )
    findings = tuple(finding for part in parts for finding in part.findings)
    warnings = tuple(dict.fromkeys(warning for part in parts for warning in part.warnings))
    if decisive is None:
        verdict, reason, kind = min(part.verdict for part in parts), "", first.kind  # "holds" before "possible"
        property_ = ", ".join(part.property for part in parts)
    else:
        verdict, reason, kind, property_ = decisive.verdict, decisive.reason, decisive.kind, decisive.property
    return replace(
        first,
        verdict=verdict,
        reason=reason,
        property=property_,
        kind=kind,
        errors=sum(part.errors for part in parts),
        complete=all(part.complete for part in parts),
        trace=findings[0].trace if findings else None,
        warnings=warnings,
        findings=findings,
        answer=None,
        clarify_seconds=sum(part.clarify_seconds for part in parts),
        parts=tuple(parts),
    )
