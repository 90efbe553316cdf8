"""The engines for Petri nets: on unfoldings, on sets of markings, and the one that answers questions."""

from __future__ import annotations

from kripke.engines.combinations import WITHOUT_STATES
from kripke.engines.registry import Engine, Need, Search, register

_NETS = Need(
    "kripke.nets.place_transition_view:HasPlaceTransitionView",
    "Petri nets, whose steps are firings of transitions",
)

register(
    Engine(
        name="prefix",
        words="unfolding",
        serves=("safety", "ltl", "never", "acceptance", "progress"),
        check="kripke.engines.nets.unfolding.check:check",
        answers="every marking is represented in the prefix; what no prefix can tell is unknown",
        searches=(Search("prefix", "unfolding", counts="event"),),
        takes=frozenset({"all_errors", "memory", "time_limit"}),
        because="which searches no states",
        rules=WITHOUT_STATES,
        needs=(_NETS,),
    )
)
register(
    Engine(
        name="formulas",
        words="combined",
        serves=("formula", "examination"),
        check="kripke.engines.nets.formulas.check:check",
        answers="what is answered was shown by one of several ways; the rest is unknown",
        usual="bfs",
        names=("native", "interpreter"),
        asked_with=("formula_files", "examine"),
        read="kripke.engines.nets.formulas.check:questions",
        refuse_beside="kripke.engines.nets.formulas.refusals:refuse_beside",
        takes=frozenset({"max_states", "memory", "time_limit", "formula_files", "examine"}),
        asked_by="--formulas and --examine",
        because="which answer all questions together",
        needs=(Need("kripke.nets.model:NetModel", "place/transition nets"),),
    )
)
register(
    Engine(
        name="symbolic",
        words="symbolic",
        serves=("safety", "ltl", "never", "acceptance", "progress", "ctl"),
        check="kripke.engines.nets.symbolic.check:check",
        answers="every marking is in one of the sets; there may be no trace",
        searches=(Search("symbolic", "symbolic"),),
        takes=frozenset({"all_errors", "memory", "time_limit", "shortest", "ctl"}),
        because="which searches no states",
        rules=WITHOUT_STATES,
        needs=(_NETS,),
    )
)
