"""Directed search: the state that looks nearest to an error comes first."""
