"""The engine that lets two others run side by side, for every model and property that one of them serves."""

from __future__ import annotations

from kripke.engines.registry import Engine, engines, register

_OTHERS = engines()

register(
    Engine(
        name="auto",
        words="automatic",
        serves=tuple(dict.fromkeys(kind for engine in _OTHERS for kind in engine.serves)),
        check="kripke.engines.portfolio.check:check",
        answers="that of the engine that answered first; unknown of one never stands against an answer of the other",
        names=("auto",),
        takes=next(engine.takes for engine in _OTHERS if engine.name == "explicit") - {"another", "coverage"}
        | {
            "store",
            "por",
            "threads",
            "symmetry",
            "max_depth",
            "max_switches",
            "deepen",
            "swarm",
            "checkpoint",
            "resume",
        },
        because="which lets two engines run side by side",
        asks_rules=True,
    )
)
