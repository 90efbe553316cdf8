"""Strongly connected components (Tarjan 1972), without recursion."""

from __future__ import annotations

from collections.abc import Sequence


def components(successors: Sequence[Sequence[int]]) -> list[list[int]]:
    """The strongly connected components of the graph over 0, 1, ...; those that others lead to come first."""
    count = len(successors)
    index = [-1] * count
    low = [0] * count
    on_stack = [False] * count
    stack: list[int] = []
    found: list[list[int]] = []
    next_index = 0
    for root in range(count):
        if index[root] >= 0:
            continue
        index[root] = low[root] = next_index
        next_index += 1
        stack.append(root)
        on_stack[root] = True
        path = [(root, iter(successors[root]))]
        while path:
            node, rest = path[-1]
            for target in rest:
                if index[target] < 0:
                    index[target] = low[target] = next_index
                    next_index += 1
                    stack.append(target)
                    on_stack[target] = True
                    path.append((target, iter(successors[target])))
                    break
                if on_stack[target] and index[target] < low[node]:
                    low[node] = index[target]
            else:
                path.pop()
                if path and low[node] < low[path[-1][0]]:
                    low[path[-1][0]] = low[node]
                if low[node] == index[node]:
                    at = _last_index(stack, node)
                    component = stack[at:]
                    del stack[at:]
                    for member in component:
                        on_stack[member] = False
                    found.append(component)
    return found


def _last_index(stack: list[int], node: int) -> int:
    at = len(stack) - 1
    while stack[at] != node:
        at -= 1
    return at
