"""Action programs that run: a C file with a small kernel in it, which needs nothing else."""
