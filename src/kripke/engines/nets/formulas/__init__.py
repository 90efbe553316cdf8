"""Answers to many formulas about one net, each by the cheapest engine that decides it."""
