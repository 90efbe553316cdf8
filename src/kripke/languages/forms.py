"""Forms that models of several languages can be written in, for other tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kripke.languages.language import Form
from kripke.model.source import ModelError

if TYPE_CHECKING:
    from kripke.languages.language import Written
    from kripke.model.model import Model


def _written_net(model: Model, form: Form) -> Written:
    """A place/transition net; of a high-level one, its unfolding."""
    from kripke.languages.language import Written
    from kripke.nets.export import Exportable, written
    from kripke.nets.place_transition_view import NotExpressible

    exportable = model.capability(Exportable)
    if exportable is None:
        raise ModelError(form.refusal(model))
    try:
        net, warnings = exportable.exported_net()
    except NotExpressible as refusal:
        raise ModelError(f"{form.flag}: {refusal}") from refusal
    return Written(written(net, form.name), warnings)


#: of languages whose models are Petri nets
NET_FORMS = tuple(
    Form(name, flag, help, "Petri nets", _written_net)
    for name, flag, help in (
        ("pnml", "--pnml", "a net, unfolded where it is high-level, as PNML"),
        ("ll_net", "--ll-net", "a net as a low-level net of PEP"),
        ("pn", "--pn", "a net in Maria's language, with black tokens"),
        ("lola", "--lola", "a net in the format of LoLA"),
        ("dot", "--dot", "a net, or the automaton of --ltl, as a picture for Graphviz"),
    )
)
