"""Synchronous systems in terms: one command for all variables at once, or one for each way to go on."""
