"""Synchronous systems: all variables change at once, by assignments and constraints on pairs of states."""
