"""Kripke: a model checking workbench.

    import kripke
    model = kripke.load("peterson.pml", defines={"N": 3})
    result = model.check()
    if not result:
        result.trace.show()

Only names live here; what they stand for is imported on first use, so that ``import kripke`` costs nothing.
"""

from __future__ import annotations

from kripke.presentation import presented_by

TYPE_CHECKING = False  # as in typing, whose import would take longer than everything else here
if TYPE_CHECKING:
    from kripke.engines.plan import SearchPlan, Unsupported
    from kripke.engines.runs.simulation import Simulation
    from kripke.loaded import LoadedModel, automaton, load, load_trace, loads
    from kripke.model.model import Model
    from kripke.model.result import Finding, Result
    from kripke.model.source import Diagnostic, ModelError, Span
    from kripke.model.trace import Step, Trace
    from kripke.notebook import load_ipython_extension
    from kripke.testing import interleave

__version__ = "0.1.0"

presented_by("kripke.report.presenters")

__all__ = [
    "Diagnostic",
    "Finding",
    "LoadedModel",
    "Model",
    "ModelError",
    "Result",
    "SearchPlan",
    "Simulation",
    "Span",
    "Step",
    "Trace",
    "Unsupported",
    "__version__",
    "automaton",
    "interleave",
    "load",
    "load_ipython_extension",
    "load_trace",
    "loads",
]

_HOME = {
    "SearchPlan": "kripke.engines.plan",
    "Diagnostic": "kripke.model.source",
    "Finding": "kripke.model.result",
    "LoadedModel": "kripke.loaded",
    "Model": "kripke.model.model",
    "ModelError": "kripke.model.source",
    "Result": "kripke.model.result",
    "Simulation": "kripke.engines.runs.simulation",
    "Span": "kripke.model.source",
    "Step": "kripke.model.trace",
    "Trace": "kripke.model.trace",
    "Unsupported": "kripke.engines.plan",
    "automaton": "kripke.loaded",
    "interleave": "kripke.testing",
    "load": "kripke.loaded",
    "load_ipython_extension": "kripke.notebook",
    "load_trace": "kripke.loaded",
    "loads": "kripke.loaded",
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'kripke' has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
