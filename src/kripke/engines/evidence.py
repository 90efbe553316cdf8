"""What an engine hands over beside a trace as it was found, so that others can make it clear."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kripke.engines.explicit.search import ErrorPath, Fairness, Outcome, SearchRequest
from kripke.model.property import Safety, Temporal

#: search a model around the one that was checked, with the engine of the check
Look = Callable[[Any, SearchRequest], Outcome]


@dataclass(frozen=True, slots=True)
class Evidence:
    """``error`` is the path that was replayed, ``goal`` what it breaks; None: the trace gets no explanation.

    With ``look`` a clearer run can be looked for, which may be ``longer`` than the one found unless that is a shortest.
    Runs are fair in the sense of ``fairness``. ``shortest``: a run of the fewest steps was asked for, and stays.
    """

    error: ErrorPath
    goal: Safety | Temporal | None = None
    look: Look | None = None
    longer: bool = False
    fairness: Fairness | None = None
    shortest: bool = False
