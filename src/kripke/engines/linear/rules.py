"""What the searches for cycles refuse, and why."""

from __future__ import annotations

from kripke.engines.combinations import LOSSY, NOT_FULL, Rule

#: nested depth-first, and by components
CYCLES: tuple[Rule, ...] = (
    Rule(
        "this search looks for cycles, and a safety property needs none: choose bfs or dfs",
        search=("ndfs", "scc"),
        sort=("safety",),
    ),
    Rule(
        "where one state is taken for another, components are joined that are none, and cycles seen that are none: "
        "choose --store full, tree, collapse or numbers, or ndfs",
        search=("scc",),
        store=LOSSY,
    ),
    Rule(
        "a search for cycles comes back to states it has seen, which a cache may have dropped and files are not made "
        "for: choose another store, or check --property safety alone",
        search=("ndfs", "scc"),
        store=("cache", "disk"),
    ),
    Rule(
        "several threads that look for cycles mark the states they share, which the full store has room for: leave "
        "out --threads or --store, or check --property safety alone",
        search=("ndfs",),
        store=NOT_FULL,
        several_threads=(True,),
    ),
)

#: of both, several threads
CYCLES_BY_THREADS: tuple[Rule, ...] = (
    Rule("components are found by one thread: choose ndfs", search=("scc",), several_threads=(True,)),
    Rule(
        "how deep a state lies depends on which thread finds it: leave out --max-depth",
        search=("ndfs",),
        several_threads=(True,),
        bounded=(True,),
    ),
)
