"""Partial-order reduction: which steps of a state are enough."""
