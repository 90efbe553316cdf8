"""Engines: what searches the states of a model."""
