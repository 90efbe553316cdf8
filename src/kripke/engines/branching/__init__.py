"""Branching time: formulas over the whole graph of a model."""
