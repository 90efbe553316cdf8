"""Integers without bounds: transition systems as formulas for an SMT solver."""
