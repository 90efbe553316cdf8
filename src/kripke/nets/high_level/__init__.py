"""High-level nets: tokens with values, transitions with variables, successors by unification."""
