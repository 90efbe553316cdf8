"""Compressions: a process replaced by a smaller one that means the same."""

from __future__ import annotations

from kripke.algebra.terms import Term


def compress(name: str, process: Term) -> Term:
    return process
