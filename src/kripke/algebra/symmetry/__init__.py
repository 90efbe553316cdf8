"""Symmetry of networks: claimed permutations of events, shown on the operator tree (N. Moffat, M. Goldsmith, B. Roscoe,
*A representative function approach to symmetry exploitation for CSP refinement checking*, ICFEM 2008)."""
