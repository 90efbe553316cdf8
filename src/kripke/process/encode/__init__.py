"""A process program in terms: what symbolic engines work on, and the reference of its states."""
