"""Engines for Petri nets: sets of markings, unfoldings, structural answers, and formulas about a net."""
