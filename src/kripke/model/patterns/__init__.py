"""Estimates from a few variables at a time: the model seen through them is small, and distances there are bounds.

J. Culberson, J. Schaeffer, Pattern databases, Computational Intelligence 14, 1998; S. Edelkamp, Planning with pattern
databases, ECP 2001. With one process as the pattern these are the local distance tables of HSF-SPIN.
"""
