"""Nets over sets of markings, by decision diagrams."""
