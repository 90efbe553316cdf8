"""Tables of the generated C."""

from __future__ import annotations

from collections.abc import Iterable


def array(kind: str, name: str, values: Iterable[int]) -> str:
    """At least one element, since C has no empty arrays."""
    items = [str(value) for value in values] or ["0"]
    lines = [", ".join(items[at : at + 24]) for at in range(0, len(items), 24)]
    return f"static const {kind} {name}[] = {{\n" + ",\n".join(lines) + "};"
