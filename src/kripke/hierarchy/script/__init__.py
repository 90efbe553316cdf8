"""Expressions of charts: the part of ECMAScript that finite models need, parsed and evaluated by ourselves."""
