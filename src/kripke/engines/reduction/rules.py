"""What partial-order reduction does not go with, and why."""

from __future__ import annotations

from kripke.engines.combinations import LOSSY, Rule

#: fewer steps of a state
REDUCTION: tuple[Rule, ...] = (
    Rule(
        "partial-order reduction must know the path of the search, and several threads have several: leave out --por, "
        "or choose bfs and --store tree",
        search=("dfs", "ndfs", "scc"),
        por=(True,),
        several_threads=(True,),
    ),
    Rule(
        "with reduction several threads must know which states wait, which is kept beside --store tree, collapse or "
        "numbers: leave out --por, or choose one of them",
        search=("bfs",),
        store=("full", *LOSSY, "cache", "disk"),
        por=(True,),
        several_threads=(True,),
    ),
    Rule(
        "a depth limit cuts off what the reduction puts off; leave one out",
        por=(True,),
        bounded=(True,),
    ),
)
