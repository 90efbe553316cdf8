"""Linear time: properties of runs, by cycles of the product of a model and an observer."""
