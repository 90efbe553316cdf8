"""A breadth-first search by several processes, on one machine or on many, that send each other states by MPI."""
