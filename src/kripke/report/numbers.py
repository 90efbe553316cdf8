"""Moved to ``kripke.numbers``."""

from kripke.numbers import counted, parse_size, parse_time, rate_text, size_text, time_text

__all__ = ["counted", "parse_size", "parse_time", "rate_text", "size_text", "time_text"]
