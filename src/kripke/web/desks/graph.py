"""The state graph as far as somebody has opened it, and the same collapsed: never more than a person can look at.

Single states: those that were opened, with everything that follows them; what is not opened yet has a dashed border.
Collapsed: the states around the present one in groups, by the value of a variable, by the place of a process, or by
strongly connected components.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from kripke.engines.explicit.exploration import label_of
from kripke.engines.linear.reference_cycles import components
from kripke.model.diagram import Arrow, Diagram, Node, shortened
from kripke.pictures.svg import svg
from kripke.web.desks.address import written
from kripke.web.desks.questions import Unanswerable
from kripke.web.desks.walk import Walk

_MOST_NODES = 40
_MOST_SUCCESSORS = 12  # of one state, that are drawn
_MOST_EXPLORED = 3_000  # states that are put into groups
_SECONDS = 0.8
_LINES = 6
_OTHERS = "others"


@dataclass(slots=True)
class _Known:
    """A state of the graph: how it is reached, and where it leads (numbers, words, is something broken?)."""

    state: bytes
    address: str
    shown: Mapping[str, str]
    steps: list[tuple[int | None, str, bool]] | None = None
    deadlock: bool = False
    more: int = field(default=0)


class StateGraph:
    """Numbers of states stay the same as long as it is there."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.known: list[_Known] = []
        self._numbers: dict[bytes, int] = {}

    def number(self, state: bytes, address: str) -> int:
        found = self._numbers.get(state)
        if found is None:
            found = self._numbers[state] = len(self.known)
            self.known.append(_Known(state, address, self.walk.model.describe(state)))
        return found

    def expand(self, number: int, most: int) -> None:
        known = self.known[number]
        if known.steps is not None:
            return
        model, known.steps = self.walk.model, []
        for place, step in self.walk.choices(known.state):
            if len(known.steps) >= most:
                known.more += 1
                continue
            label = label_of(model, known.state, step)
            target = None if step.target is None else self.number(step.target, known.address + written(place))
            known.steps.append((target, label, bool(step.violations)))
        known.deadlock = not known.steps and not model.valid_end(known.state)

    # --- single states ------------------------------------------------------------------------------------------------

    def drawn(self, address: str, opened: Sequence[object]) -> dict[str, Any]:
        here = self.number(self.walk.state(address), address)
        wanted = [number for number in opened if isinstance(number, int) and 0 <= number < len(self.known)]
        shown: dict[int, None] = {}
        left_out = 0
        for number in dict.fromkeys([here, *wanted]):
            if number not in shown and len(shown) >= _MOST_NODES:
                left_out += 1
                continue
            shown[number] = None
            self.expand(number, _MOST_SUCCESSORS)
            for target, _, _ in self.known[number].steps or ():
                if target is not None and (target in shown or len(shown) < _MOST_NODES):
                    shown[target] = None
                elif target is not None:
                    left_out += 1
        open_ = {number for number in dict.fromkeys([here, *wanted]) if number in shown}
        names = self._telling(shown)
        nodes = [self._node(number, names, here, open_) for number in shown]
        arrows = self._arrows(shown, open_, nodes)
        more = sum(self.known[number].more for number in open_)
        said = f"{left_out + more:,} states are not drawn: collapse the graph, or close some" if left_out + more else ""
        return {
            "svg": svg(Diagram("", nodes, arrows), styled=False),
            "here": here,
            "nodes": [{"key": f"state {n}", "number": n, "at": self.known[n].address} for n in shown],
            "opened": sorted(open_),
            "said": said,
        }

    def _telling(self, shown: Iterable[int]) -> list[str]:
        """Names whose values tell the shown states apart; where there is but one state, all of them."""
        states = [self.known[number].shown for number in shown]
        names = dict.fromkeys(name for state in states for name in state)
        telling = [name for name in names if len({state.get(name) for state in states}) > 1]
        return telling or list(names)

    def _node(self, number: int, names: Sequence[str], here: int, opened: set[int]) -> Node:
        known = self.known[number]
        lines = [_line(name, known.shown[name]) for name in names if name in known.shown]
        if len(lines) > _LINES:
            lines = [*lines[: _LINES - 1], f"and {len(lines) - _LINES + 1} more"]
        tone = "bad" if known.deadlock else "start" if number == here else "" if number in opened else "closed"
        return Node(str(number), tuple(lines) or (str(number),), "box", tone, key=f"state {number}")

    def _arrows(self, shown: Mapping[int, None], opened: set[int], nodes: list[Node]) -> list[Arrow]:
        arrows = []
        for number in opened:
            labels: dict[tuple[int | None, bool], list[str]] = {}
            for target, label, broken in self.known[number].steps or ():
                if target is None or target in shown:
                    labels.setdefault((target, broken), []).append(shortened(label, 30))
            for (target, broken), texts in labels.items():
                text = "\n".join(texts[:3] + ([f"and {len(texts) - 3} more"] if len(texts) > 3 else []))
                end = str(target)
                if target is None:
                    end = f"broken {number}"
                    nodes.append(Node(end, ("!",), "circle", "bad"))
                arrows.append(Arrow(str(number), end, text, "bad" if broken else ""))
        return arrows

    # --- collapsed ----------------------------------------------------------------------------------------------------

    def grouped(self, address: str, by: str, name: str) -> dict[str, Any]:
        """Groups of the states that are found from here, as far as the limits go."""
        here = self.number(self.walk.state(address), address)
        complete = self._explore()
        if by == "component":
            group_of = self._components()
            titles = {group: _counted(n) for group, n in Counter(group_of).items()}
        elif by in ("variable", "process"):
            if not any(name in known.shown for known in self.known):
                raise Unanswerable(f"{name!r} is no name of these states")
            values = [known.shown.get(name, self.walk.model.omitted_value or "not there") for known in self.known]
            numbers = {value: number for number, value in enumerate(dict.fromkeys(values))}
            group_of = [numbers[value] for value in values]
            titles = {number: _line(name, value) for value, number in numbers.items()}
        else:
            raise Unanswerable(f"there is no way {by!r} to collapse a graph: by variable, process or component")
        return self._drawn_groups(group_of, titles, here, complete, by)

    def _explore(self) -> bool:
        until, at = perf_counter() + _SECONDS, 0
        while at < len(self.known):
            if len(self.known) > _MOST_EXPLORED or perf_counter() > until:
                return False
            self.expand(at, 1_000)
            at += 1
        return True

    def _components(self) -> list[int]:
        """A number for each state, that of its component; those that come first have small ones."""
        targets = {
            known.state: [self.known[target].state for target, _, _ in known.steps or () if target is not None]
            for known in self.known
        }
        found = components(frozenset(targets), targets.__getitem__)
        of_state = {state: number for number, component in enumerate(found) for state in component}
        order: dict[int, int] = {}
        return [order.setdefault(of_state[known.state], len(order)) for known in self.known]

    def _drawn_groups(
        self, group_of: Sequence[int], titles: Mapping[int, str], here: int, complete: bool, by: str
    ) -> dict[str, Any]:
        sizes = Counter(group_of)
        large = {group for group, _ in sizes.most_common(_MOST_NODES - 1)} | {group_of[here]}
        kept = set(sizes) if len(sizes) <= _MOST_NODES else large
        ends = Counter(group_of[n] for n, known in enumerate(self.known) if known.deadlock)
        first: dict[int, int] = {}
        for number, group in enumerate(group_of):
            first.setdefault(group, number)
        nodes = []
        for group in sorted(kept):
            lines = [titles[group]] if by == "component" else [titles[group], _counted(sizes[group])]
            lines += [f"{ends[group]} without a step"] if ends[group] else []
            tone = "start" if group == group_of[here] else "bad" if ends[group] else ""
            nodes.append(Node(str(group), tuple(lines), "box", tone, key=f"group {group}"))
        if len(kept) < len(sizes):
            nodes.append(Node(_OTHERS, (f"{len(sizes) - len(kept):,} other groups",), "box"))
        counts: Counter[tuple[str, str]] = Counter()
        broken = set()
        for number, known in enumerate(self.known):
            for target, _, breaks in known.steps or ():
                if target is None:
                    continue
                pair = (_end(group_of[number], kept), _end(group_of[target], kept))
                if pair[0] != pair[1]:
                    counts[pair] += 1
                    broken |= {pair} if breaks else set()
        arrows = [
            Arrow(
                source,
                target,
                f"{count:,} steps" if count > 1 else "1 step",
                "bad" if (source, target) in broken else "",
            )
            for (source, target), count in counts.items()
        ]
        seen = _counted(len(self.known))
        return {
            "svg": svg(Diagram("", nodes, arrows), styled=False),
            "nodes": [
                {"key": f"group {g}", "number": first[g], "at": self.known[first[g]].address} for g in sorted(kept)
            ],
            "said": f"all {seen} that can be reached from here" if complete else f"the first {seen} from here on",
        }


def _end(group: int, kept: set[int]) -> str:
    return str(group) if group in kept else _OTHERS


def _line(name: str, value: str) -> str:
    return shortened(f"{name[:-1]} at {value}" if name.endswith("@") else f"{name} = {value}", 34)


def _counted(number: int) -> str:
    return "1 state" if number == 1 else f"{number:,} states"
