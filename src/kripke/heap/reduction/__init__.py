"""Partial-order reduction by the heap: which threads can disturb the next steps of which others."""
