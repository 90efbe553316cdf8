"""What the searches from state to state, their stores, ways of searching and checkpoints refuse, and why."""

from __future__ import annotations

from kripke.engines.combinations import LOSSY, NOT_FULL, NOT_ONCE, Rule

#: what sees a part of the runs only
PARTIAL: tuple[Rule, ...] = (
    Rule(
        "what is not one whole search looks for errors in states and steps only: choose --property safety",
        way=NOT_ONCE,
        sort=("alarms", "cycles"),
    ),
)

#: random walks
WALK: tuple[Rule, ...] = (
    Rule(
        "a random walk looks for errors in states and steps only: choose --property safety, or another search",
        search=("walk",),
        sort=("alarms", "cycles"),
    ),
    Rule(
        "this is for searches that see everything within their limits: leave out --search walk",
        search=("walk",),
        way=("deepening", "swarm"),
    ),
    Rule("a random walk keeps no states: leave out --store", search=("walk",), store=NOT_FULL),
    Rule("a random walk may take every step: leave out --por", search=("walk",), por=(True,)),
    Rule("a random walk is made by one thread: leave out --threads", search=("walk",), several_threads=(True,)),
    Rule("a random walk keeps no states: leave out --symmetry", search=("walk",), symmetry=(True,)),
)

#: sweeps by a measure of progress
SWEEP: tuple[Rule, ...] = (
    Rule(
        "a sweep drops states that a temporal property may come back to: choose --property safety, or another search",
        search=("sweep",),
        sort=("alarms", "cycles"),
    ),
    Rule("a sweep is one whole search: choose another search", search=("sweep",), way=NOT_ONCE),
    Rule("a sweep has a store of its own, which drops states: leave out --store", search=("sweep",), store=NOT_FULL),
    Rule(
        "the reduction must know all states of a cycle, and a sweep drops some: leave out --por",
        search=("sweep",),
        por=(True,),
    ),
    Rule("a sweep is made by one thread: leave out --threads", search=("sweep",), several_threads=(True,)),
    Rule(
        "states come in the order of progress, not of depth: leave out --max-depth", search=("sweep",), bounded=(True,)
    ),
)

#: with growing depth limits, of few preemptions, swarms
WAYS: tuple[Rule, ...] = (
    Rule(
        "how deep a state lies depends on which thread finds it first: leave out --threads",
        store=("full",),
        several_threads=(True,),
        way=("deepening",),
    ),
    Rule(
        "with a depth limit, depth-first search must know how deep a state was met, which this store does not keep: "
        "leave out --store",
        store=("tree", "collapse", "numbers", "cache", "disk"),
        way=("deepening",),
    ),
    Rule("depth limits grow for depth-first search: choose dfs", search=("bfs", "ndfs", "scc"), way=("deepening",)),
    Rule("a swarm searches depth-first: choose dfs", search=("bfs", "ndfs", "scc"), way=("swarm",)),
    Rule(
        "a swarm is of searches with small tables of bits: leave out --store, or choose bitstate",
        store=("full", "tree", "collapse", "numbers", "hashcompact", "cache", "disk"),
        way=("swarm",),
    ),
    Rule(
        "the reduction does not know who moved last, nor what other searches see: leave out --por",
        por=(True,),
        way=("switches", "swarm"),
    ),
    Rule(
        "who moved last is kept with every state, which the full store has room for: leave out --store",
        store=NOT_FULL,
        way=("switches",),
    ),
    Rule(
        "like processes are told apart by who moved last, and by the order of their steps: leave out --symmetry",
        symmetry=(True,),
        way=("switches", "swarm"),
    ),
    Rule("preemptions are counted by one thread: leave out --threads", several_threads=(True,), way=("switches",)),
)

#: the usual searches
BREADTH_AND_DEPTH_FIRST: tuple[Rule, ...] = (
    Rule("this search finds no cycles: choose ndfs or scc", search=("bfs", "dfs"), sort=("cycles",)),
    Rule(
        "this store keeps no states, and breadth-first search goes on from those it keeps: choose dfs",
        search=("bfs",),
        store=LOSSY,
    ),
    Rule(
        "a cache must not drop what is on the stack of the search, and breadth-first search has none: choose dfs",
        search=("bfs",),
        store=("cache",),
    ),
)

#: states in files
FILES: tuple[Rule, ...] = (
    Rule(
        "partial-order reduction looks up every successor at once, which files do only at the end of a layer: "
        "leave out --por",
        store=("disk",),
        por=(True,),
    ),
    Rule(
        "files are sorted layer by layer, as breadth-first search makes them: choose bfs",
        search=("dfs",),
        store=("disk",),
    ),
)

#: threads and depth limits with stores, and with observers
STORES: tuple[Rule, ...] = (
    Rule(
        "several threads look for what an observer sees nested depth-first: choose ndfs",
        search=("bfs", "dfs"),
        several_threads=(True,),
        sort=("alarms",),
    ),
    Rule(
        "files are used by one thread: choose another store",
        store=("disk",),
        several_threads=(True,),
    ),
    Rule(
        "whether the depth limit keeps a state out is not known when it is met: choose another store",
        store=("cache", "disk"),
        bounded=(True,),
    ),
)

#: going on from a file
CHECKPOINTS: tuple[Rule, ...] = (
    Rule(
        "checkpoints are of the search for errors in states and steps: choose --property safety",
        sort=("alarms", "cycles"),
        checkpoint=(True,),
    ),
    Rule(
        "checkpoints are of one whole search: leave out --checkpoint and --resume",
        way=NOT_ONCE,
        checkpoint=(True,),
    ),
    Rule(
        "checkpoints are of states that are kept in memory: choose --store full, tree, collapse or numbers",
        store=(*LOSSY, "cache", "disk"),
        checkpoint=(True,),
    ),
    Rule(
        "checkpoints do not know what partial-order reduction has put off: leave out --por",
        por=(True,),
        checkpoint=(True,),
    ),
    Rule(
        "checkpoints are of a breadth-first search: choose bfs",
        search=("dfs", "walk", "sweep"),
        checkpoint=(True,),
    ),
    Rule(
        "checkpoints are of searches without symmetry: leave out --symmetry",
        symmetry=(True,),
        checkpoint=(True,),
    ),
)

#: depth-first search with a depth limit
DEPTH_LIMITS: tuple[Rule, ...] = (
    Rule(
        "with a depth limit, depth-first search must know how deep a state was met, which this store does not keep: "
        "choose bfs",
        search=("dfs",),
        store=("tree", "collapse", "numbers"),
        bounded=(True,),
    ),
    Rule(
        "how deep a state lies depends on which thread finds it first: choose bfs",
        search=("dfs",),
        store=("full", "tree", "collapse", "numbers"),
        several_threads=(True,),
        bounded=(True,),
    ),
)
