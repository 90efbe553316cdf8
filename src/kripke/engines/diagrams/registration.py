"""The engine on binary decision diagrams, for every model that can be said in terms."""

from __future__ import annotations

from kripke.engines.combinations import WITHOUT_STATES
from kripke.engines.registry import Engine, Need, register

register(
    Engine(
        name="bdd",
        words="symbolic",
        serves=("safety", "ltl", "never", "acceptance", "progress", "ctl"),
        check="kripke.engines.diagrams.check:check",
        answers="every state is in one of the sets; where a run shows an error, the interpreter has replayed it",
        names=("bdd",),
        takes=frozenset({"memory", "time_limit", "shortest", "ctl", "fair"}),
        because="which searches sets of states",
        rules=WITHOUT_STATES,
        needs=(Need("kripke.model.capabilities.encodable:Encodable", "models that can be said in terms"),),
    )
)
