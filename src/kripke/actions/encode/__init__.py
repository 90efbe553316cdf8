"""Action programs in terms, for symbolic engines."""
