"""Symmetry: one state for all that differ by a permutation only."""
