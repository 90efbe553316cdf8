"""Explicit-state search: every state one by one, by the native engine or in pure Python."""
