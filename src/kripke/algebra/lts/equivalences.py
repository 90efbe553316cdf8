"""Equivalences by refining partitions, and quotients.

``partition`` is native/lts/bisimulation.h; ``reference_partition`` does the same by signatures.

Signatures (Blom and Orzan): the signature of a state is the set of what it can do, with blocks for targets; states of
one block with different signatures are separated, until nothing changes. For branching bisimulation invisible steps
inside a block are followed and left out; with ``divergence`` states that can stay in their block for ever are told from
others. Weak bisimulation is strong bisimulation of the saturated system.
"""

from __future__ import annotations

from array import array

from kripke.algebra.lts.system import Lts

TAU = 0
Steps = list[list[tuple[int, int]]]
NAMES = ("strong", "branching", "divergence-branching", "weak", "divergence-weak")


def partition(steps: Steps, equivalence: str) -> list[int]:
    """The block of every state, by the native engine; blocks are numbered in the order of their first states."""
    from kripke._native import bisimulation

    if equivalence not in NAMES:
        raise ValueError(equivalence)
    smallest = min((label for own in steps for label, _ in own), default=0)
    # Labels below the invisible one are those of networks; they are visible.
    numbers: dict[int, int] = {0: 0}
    sources, labels, targets = array("I"), array("I"), array("I")
    for source, own in enumerate(steps):
        for label, target in own:
            sources.append(source)
            labels.append(label if smallest >= 0 else numbers.setdefault(label, len(numbers)))
            targets.append(target)
    found = bisimulation(len(steps), sources.tobytes(), labels.tobytes(), targets.tobytes(), equivalence)
    return list(memoryview(found).cast("I"))


def reference_partition(steps: Steps, equivalence: str) -> list[int]:
    """The same in Python, slowly, to check it against."""
    if equivalence == "strong":
        return _strong(steps)
    if equivalence in ("branching", "divergence-branching"):
        return _branching(steps, divergence=equivalence.startswith("divergence"))
    if equivalence in ("weak", "divergence-weak"):
        return _weak(steps, divergence=equivalence.startswith("divergence"))
    raise ValueError(equivalence)


def _strong(steps: Steps, first: list[int] | None = None) -> list[int]:
    blocks = first or [0] * len(steps)
    count = len(set(blocks))
    while True:
        known: dict[tuple[int, frozenset[tuple[int, int]]], int] = {}
        following = [
            known.setdefault((blocks[state], frozenset((label, blocks[target]) for label, target in own)), len(known))
            for state, own in enumerate(steps)
        ]
        if len(known) == count:
            return following
        blocks, count = following, len(known)


def _branching(steps: Steps, *, divergence: bool) -> list[int]:
    order = tau_order(steps)
    blocks = [0] * len(steps)
    count = 1
    while True:
        signatures: list[frozenset[tuple[int, int]]] = [frozenset()] * len(steps)
        for component in order:
            # Components of invisible steps come after those they lead to. The states of one component are all
            # equivalent: they were in one block from the start and always get the same signature.
            found: set[tuple[int, int]] = set()
            loops = len(component) > 1
            inside = set(component)
            for state in component:
                for label, target in steps[state]:
                    if label == TAU and blocks[target] == blocks[state]:
                        if target in inside:
                            loops = True
                        else:
                            found |= signatures[target]
                    else:
                        found.add((label, blocks[target]))
            if divergence and loops:
                found.add((-1, -1))
            signature = frozenset(found)
            for state in component:
                signatures[state] = signature
        known: dict[tuple[int, frozenset[tuple[int, int]]], int] = {}
        following = [known.setdefault((blocks[s], signatures[s]), len(known)) for s in range(len(steps))]
        if len(known) == count:
            return following
        blocks, count = following, len(known)


def _weak(steps: Steps, *, divergence: bool) -> list[int]:
    closures = _tau_closures(steps)
    saturated: Steps = []
    for state in range(len(steps)):
        own: set[tuple[int, int]] = {(TAU, target) for target in closures[state]}
        for middle in closures[state]:
            for label, target in steps[middle]:
                if label != TAU:
                    own.update((label, end) for end in closures[target])
        saturated.append(sorted(own))
    first = None
    if divergence:
        diverging = divergent(steps)
        first = [int(state in diverging) for state in range(len(steps))]
    return _strong(saturated, first)


def _tau_closures(steps: Steps) -> list[set[int]]:
    found: list[set[int]] = []
    for state in range(len(steps)):
        seen, stack = {state}, [state]
        while stack:
            for label, target in steps[stack.pop()]:
                if label == TAU and target not in seen:
                    seen.add(target)
                    stack.append(target)
        found.append(seen)
    return found


def divergent(steps: Steps) -> set[int]:
    """States that can go on for ever with invisible steps."""
    found: set[int] = set()
    for component in tau_order(steps):
        for state in component:
            targets = [target for label, target in steps[state] if label == TAU]
            if any(
                target in found or target == state or (len(component) > 1 and target in component) for target in targets
            ):
                found.update(component)
                break
    return found


def tau_order(steps: Steps) -> list[list[int]]:
    """Components of mutual invisible steps, each after those it leads to (Tarjan)."""
    index = [-1] * len(steps)
    low = [0] * len(steps)
    on_stack = [False] * len(steps)
    stack: list[int] = []
    found: list[list[int]] = []
    counter = 0
    for root in range(len(steps)):
        if index[root] >= 0:
            continue
        work = [(root, 0)]
        while work:
            state, at = work.pop()
            if at == 0:
                index[state] = low[state] = counter
                counter += 1
                stack.append(state)
                on_stack[state] = True
            own = steps[state]
            descended = False
            while at < len(own):
                label, target = own[at]
                at += 1
                if label != TAU:
                    continue
                if index[target] < 0:
                    work.append((state, at))
                    work.append((target, 0))
                    descended = True
                    break
                if on_stack[target]:
                    low[state] = min(low[state], index[target])
            if descended:
                continue
            if low[state] == index[state]:
                component: list[int] = []
                while True:
                    member = stack.pop()
                    on_stack[member] = False
                    component.append(member)
                    if member == state:
                        break
                found.append(component)
            if work:
                parent = work[-1][0]
                low[parent] = min(low[parent], low[state])
    return found


def quotient(lts: Lts, equivalence: str) -> Lts:
    """One state for each class; invisible steps inside a class are left out where the equivalence does not see them."""
    blocks = partition(lts.steps, equivalence)
    count = max(blocks, default=-1) + 1
    own: list[set[tuple[int, int]]] = [set() for _ in range(count)]
    diverging = divergent(lts.steps) if equivalence.startswith("divergence") else set()
    inner = _inner_loops(lts.steps, blocks) if equivalence == "divergence-branching" else set()
    for state, steps in enumerate(lts.steps):
        for label, target in steps:
            if label == TAU and equivalence != "strong" and blocks[target] == blocks[state]:
                continue
            own[blocks[state]].add((label, blocks[target]))
        if equivalence == "divergence-branching" and state in inner:
            own[blocks[state]].add((TAU, blocks[state]))
    if equivalence == "divergence-weak":
        _keep_divergence(own, {blocks[state] for state in diverging})
    return Lts(blocks[lts.initial], [sorted(steps) for steps in own], lts.labels).reachable()


def _inner_loops(steps: Steps, blocks: list[int]) -> set[int]:
    """States that can go on for ever unseen inside their block."""
    inside = [[(label, target) for label, target in own if label == TAU and blocks[target] == blocks[state]]
              for state, own in enumerate(steps)]  # fmt: skip
    return divergent(inside)


def _keep_divergence(own: list[set[tuple[int, int]]], diverging: set[int]) -> None:
    """A class that diverged must still do so: by a loop, unless it leads to one that has it."""
    listed = [sorted(steps) for steps in own]
    still = divergent(listed)
    for block in diverging - still:
        own[block].add((TAU, block))


def equivalent(left: Lts, right: Lts, equivalence: str) -> bool:
    """Are the initial states equivalent?"""
    labels = list(left.labels)
    numbers = {name: number for number, name in enumerate(labels)}
    renumbered = []
    for number, name in enumerate(right.labels):
        if number == TAU:
            renumbered.append(TAU)
            continue
        if name not in numbers:
            numbers[name] = len(labels)
            labels.append(name)
        renumbered.append(numbers[name])
    offset = len(left.steps)
    steps = left.steps + [[(renumbered[label], target + offset) for label, target in own] for own in right.steps]
    blocks = partition(steps, equivalence)
    return blocks[left.initial] == blocks[right.initial + offset]


def without_tau_loops(lts: Lts) -> Lts:
    """States that reach each other unseen become one; that it diverges is kept as a loop."""
    component: dict[int, int] = {}
    own: list[set[tuple[int, int]]] = []
    for number, members in enumerate(tau_order(lts.steps)):
        own.append(set())
        for state in members:
            component[state] = number
    for state, steps in enumerate(lts.steps):
        for label, target in steps:
            own[component[state]].add((label, component[target]))
    return Lts(component[lts.initial], [sorted(steps) for steps in own], lts.labels).reachable()
