"""The engine of directed searches."""

from __future__ import annotations

from kripke.engines.directed.rules import RULES
from kripke.engines.registry import Engine, Search, register

_GUIDED = ("estimate", "ties")

register(
    Engine(
        name="directed",
        words="directed",
        serves=("safety", "ltl", "never"),
        check="kripke.engines.directed.engine:check",
        answers="errors soon, of A* and IDA* with a bound the shortest; what holds was seen in every state and step",
        searches=(
            Search("astar", "A*", options=(*_GUIDED, "weight")),
            Search("best-first", "best-first", options=_GUIDED),
            Search("ida", "IDA*", options=("estimate", "weight")),
            Search("directed-bfs", "directed breadth-first", options=("ties",)),
            Search("directed-dfs", "directed depth-first"),
        ),
        names=("native", "interpreter"),
        takes=frozenset(
            ["all_errors", "max_states", "memory", "time_limit", "estimate", "weight", "ties", "hashes", "store_size"]
        ),
        rules=RULES,
        asks_rules=True,
        refuse="kripke.engines.directed.refusals:refuse",
        refuse_check="kripke.engines.directed.engine:refuse",
        visits_states=True,
    )
)
