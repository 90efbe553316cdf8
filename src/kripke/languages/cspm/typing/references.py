"""Which names a piece of text mentions, for the order in which definitions are typed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from kripke.languages.cspm.syntax import Constructor, Name, Node

#: what has no names in it
_PLAIN = {"first", "last", "operator", "mark", "bracket", "name", "text", "kind", "value", "subtype", "negated"}
_FIELDS: dict[type, tuple[str, ...]] = {}


def mentioned(node: object) -> Iterator[str]:
    """Every name in a tree, bound ones included."""
    stack: list[object] = [node]
    while stack:
        at = stack.pop()
        if isinstance(at, Name):
            yield at.name
        elif isinstance(at, Node):
            if isinstance(at, Constructor):
                yield at.name
            kind = type(at)
            if kind not in _FIELDS:
                _FIELDS[kind] = tuple(field.name for field in fields(at) if field.name not in _PLAIN)
            for name in _FIELDS[kind]:
                stack.append(getattr(at, name))
        elif isinstance(at, list | tuple):
            stack.extend(at)


def components(graph: dict[str, list[str]]) -> list[list[str]]:
    """Strongly connected components, those that are needed first coming first (Tarjan)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    found: list[list[str]] = []
    for root in graph:
        if root in index:
            continue
        work: list[tuple[str, Iterator[str]]] = []
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        work.append((root, iter(graph[root])))
        while work:
            at, following = work[-1]
            for target in following:
                if target not in graph:
                    continue
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(graph[target])))
                    break
                if target in on_stack:
                    low[at] = min(low[at], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[at])
                if low[at] == index[at]:
                    component: list[str] = []
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        component.append(member)
                        if member == at:
                            break
                    found.append(component)
    return found
