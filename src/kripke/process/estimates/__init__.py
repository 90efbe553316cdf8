"""Estimates of how many steps a process program is from a goal (Edelkamp, Lluch Lafuente, Leue: Directed Explicit Model
Checking with HSF-SPIN, SPIN 2001, section 5)."""
