"""Modules of Python's library that programs may import: those that the library here has, and those for types alone."""

MODULES = frozenset(
    {"threading", "queue", "asyncio", "random", "time", "collections", "dataclasses", "sys", "contextlib", "itertools"}
)
#: their names stand in annotations only
IGNORED = frozenset({"__future__", "typing", "collections.abc", "types"})
