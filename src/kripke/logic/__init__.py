"""Temporal formulas and the automata that accept exactly the runs on which they hold.

Knows neither languages nor engines: the atoms of a formula are opaque, whoever made them gives them a meaning.
"""
