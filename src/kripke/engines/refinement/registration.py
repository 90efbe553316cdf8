"""The engine for assertions about processes: refinement, deadlock, divergence, determinism."""

from __future__ import annotations

from kripke.engines.registry import Engine, Need, register

register(
    Engine(
        name="refinement",
        words="breadth-first",
        serves=(
            "trace refinement",
            "failures refinement",
            "failures-divergences refinement",
            "revivals refinement",
            "revivals-divergences refinement",
            "refusal testing refinement",
            "refusal testing-divergences refinement",
            "deadlock",
            "divergence",
            "determinism",
            "has trace",
        ),
        check="kripke.engines.refinement.assertions:check",
        answers="every reachable pair of implementation and specification was seen; with limits: errors only",
        usual="bfs",
        names=("interpreter", "native"),
        takes=frozenset(
            {
                "all_errors",
                "shortest",
                "max_states",
                "max_depth",
                "memory",
                "time_limit",
                "threads",
                "store",
                "symmetry",
            }
        ),
        asked_by="assertions about processes",
        because="which a search of their own checks",
        needs=(Need("kripke.model.assertions:Assertions", "models with assertions about processes"),),
    )
)
