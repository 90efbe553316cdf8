"""Who moves in a step, as C."""

from __future__ import annotations

from kripke.process.program import Program


def note_move(program: Program, state: str, pid: str) -> list[str]:
    """C that records who moves, where formulas speak of it."""
    moves = program.record.moves() if program.record is not None else {}
    return [f"if ({pid} == {i}) {state}[{at}] |= {bit};" for i, places in moves.items() for at, bit in places]
