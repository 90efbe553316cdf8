"""What directed searches do not go with, and why."""

from __future__ import annotations

from kripke.engines.combinations import NOT_ONCE, Rule

RULES: tuple[Rule, ...] = (
    Rule("a directed search is one whole search: choose another", way=NOT_ONCE),
    Rule(
        "this search looks for the end of a run, and this property is about runs without end: choose astar, "
        "best-first, directed-dfs or ndfs, or --property safety",
        search=("ida", "directed-bfs"),
        sort=("cycles",),
    ),
    Rule("a directed search is made by one thread: leave out --threads", several_threads=(True,)),
    Rule("states come in the order of their promise, not of their depth: leave out --max-depth", bounded=(True,)),
    Rule("an estimate tells like processes apart: leave out --symmetry", symmetry=(True,)),
    Rule("checkpoints do not know which states wait: leave out --checkpoint and --resume", checkpoint=(True,)),
    Rule(
        "with every state the way to it is kept, which the full store has room for: leave out --store, or choose ida "
        "with bitstate",
        search=("astar", "best-first", "directed-bfs", "directed-dfs"),
        store=("tree", "collapse", "numbers", "hashcompact", "bitstate", "cache", "disk"),
    ),
    Rule(
        "with every state the steps to it are kept, or none: leave out --store, or choose bitstate",
        search=("ida",),
        store=("tree", "collapse", "numbers", "hashcompact", "cache", "disk"),
    ),
    Rule(
        "the reduction must know which states wait, and a depth-first search has none: leave out --por, or choose "
        "astar or best-first",
        search=("ida", "directed-dfs"),
        por=(True,),
    ),
    Rule(
        "with an observer the reduction must expand a state of every cycle in full: leave out --por",
        sort=("alarms", "cycles"),
        por=(True,),
    ),
)
