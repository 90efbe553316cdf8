"""Labelled transition systems: files, equivalences, minimisation, composition."""

from kripke.algebra.lts.system import TAU_NAME, Lts

__all__ = ["TAU_NAME", "Lts"]
