"""Passes over process programs. Each can be switched off; each keeps verdicts and may change counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

DeadVariables = Literal["zero", "initial", "off"]


@dataclass(frozen=True, slots=True)
class Passes:
    """Which passes run.

    ``merge``: statements that only this process can see run in the step of the statement before them.
    ``dead``: a variable that is not read again before it is written gets one value: 0, as SPIN does, or the value it
    was declared with; global variables that nobody reads are left out of the state.
    ``slice``: data that no property and no step depends on is left out.
    ``questions``: to ask about a channel is to use it, where ``xr`` and ``xs`` say who may.
    """

    merge: bool = True
    dead: DeadVariables = "zero"
    slice: bool = False
    questions: bool = False
