"""Engines: what turns a model into an answer, and the compiler that makes a model fast."""
