"""The engine that goes from state to state: searches for errors in states and steps, and for runs of products."""

from __future__ import annotations

from kripke.engines.explicit.rules import (
    BREADTH_AND_DEPTH_FIRST,
    CHECKPOINTS,
    DEPTH_LIMITS,
    FILES,
    PARTIAL,
    STORES,
    SWEEP,
    WALK,
    WAYS,
)
from kripke.engines.linear.rules import CYCLES, CYCLES_BY_THREADS
from kripke.engines.reduction.rules import REDUCTION
from kripke.engines.registry import Engine, Search, register
from kripke.engines.symmetry.rules import SYMMETRY

# Of several reasons the first is told: so those come first whose way out is not refused again.
_RULES = (
    *PARTIAL,
    *WALK,
    *SWEEP,
    *WAYS,
    *CYCLES,
    *BREADTH_AND_DEPTH_FIRST,
    *FILES,
    *REDUCTION,
    *SYMMETRY,
    *STORES,
    *CHECKPOINTS,
    *CYCLES_BY_THREADS,
    *DEPTH_LIMITS,
)

register(
    Engine(
        name="explicit",
        words="explicit-state",
        serves=("safety", "ltl", "never", "acceptance", "progress", "possible"),
        check="kripke.engines.explicit.engine:check",
        answers="what holds was seen in every state and step; with limits or a store that is not exact: errors only",
        searches=(
            Search("bfs", "breadth-first"),
            Search("dfs", "depth-first"),
            Search("ndfs", "nested depth-first"),
            Search("scc", "strongly-connected-component"),
            Search("walk", "random-walk", options=("walks", "seed")),
            Search("sweep", "sweep-line", options=("progress",)),
        ),
        names=("native", "interpreter"),
        takes=frozenset(
            [
                "all_errors",
                "max_states",
                "memory",
                "time_limit",
                "fair",
                "shortest",
                "possible",
                "ctl",
                "mu",
                "coverage",
                "hash_bits",
                "hashes",
                "store_size",
                "replaces",
                "runs",
                "walks",
                "seed",
                "checkpoint_every",
                "formula_files",
                "examine",
                "another",
                "progress",
            ]
        ),
        rules=_RULES,
        asks_rules=True,
        refuse_check="kripke.engines.explicit.engine:refuse",
        refuse="kripke.engines.explicit.refusals:refuse",
        visits_states=True,
    )
)
