"""Structural analysis: what can be said about a net without visiting its markings."""
