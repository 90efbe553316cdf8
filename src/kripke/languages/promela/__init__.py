"""Promela, the language of SPIN 6.5: text to tokens to a syntax tree."""
