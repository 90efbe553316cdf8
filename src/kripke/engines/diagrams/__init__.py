"""The engine ``bdd``: sets of states as binary decision diagrams."""
