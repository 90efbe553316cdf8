"""The engine that searches with several processes, on one machine or many."""

from __future__ import annotations

from kripke.engines.combinations import Rule
from kripke.engines.registry import Engine, register

RULES: tuple[Rule, ...] = (
    Rule(
        "workers keep their states in memory: choose full, tree, hashcompact or bitstate",
        store=("collapse", "numbers", "cache", "disk"),
    ),
    Rule("workers have no reduction: leave out --por", por=(True,)),
    Rule("workers have no symmetry: leave out --symmetry", symmetry=(True,)),
    Rule("every worker is one thread: leave out --threads, and give more workers", several_threads=(True,)),
    Rule("workers make one whole search: leave this out", way=("deepening", "switches", "swarm")),
)

register(
    Engine(
        name="distributed",
        words="distributed breadth-first",
        serves=("safety", "ltl", "never", "acceptance", "progress"),
        check="kripke.engines.distributed.engine:check",
        answers="as the explicit engine with bfs: what holds was seen in every state and step",
        usual="bfs",
        names=("native",),
        chosen_with="workers",
        takes=frozenset(
            [
                "workers",
                "hosts",
                "all_errors",
                "max_states",
                "memory",
                "time_limit",
                "hash_bits",
                "hashes",
                "store_size",
                "checkpoint_every",
                "partition",
                "siblings",
                "look_ahead",
                "fair",
                "cycles",
            ]
        ),
        because="which the search by several workers does not have",
        asked_by="--workers",
        rules=RULES,
        refuse_check="kripke.engines.distributed.engine:refuse",
        visits_states=True,
    )
)
