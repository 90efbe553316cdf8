"""All capabilities that engines for any model may ask for, and which of them a wrapper keeps by itself.

Those of single families are in ``families.py``.
"""

from kripke.model.assertions import Assertions
from kripke.model.capabilities.acceptances import Acceptances
from kripke.model.capabilities.compilable import Compilable
from kripke.model.capabilities.covers import Covers
from kripke.model.capabilities.dependencies import Dependencies
from kripke.model.capabilities.encodable import Encodable, WithIntegers
from kripke.model.capabilities.estimate import Estimate
from kripke.model.capabilities.events import Events
from kripke.model.capabilities.explains import Explains
from kripke.model.capabilities.inspectable import Inspectable
from kripke.model.capabilities.measure import Measure
from kripke.model.capabilities.messages import Meetings, Messages
from kripke.model.capabilities.owner import Owner
from kripke.model.capabilities.pictured import Pictured
from kripke.model.capabilities.placed import Placed
from kripke.model.capabilities.ranged import Ranged
from kripke.model.capabilities.reducible import Reducible
from kripke.model.capabilities.scripted import Scripted
from kripke.model.capabilities.symmetric import Symmetric
from kripke.model.capabilities.tabular import Tabular
from kripke.model.diagram import Drawable

#: About the very steps and states of a model: a wrapper has one of these only if it says so.
OF_BEHAVIOUR = frozenset(
    {
        Acceptances,
        Assertions,
        Compilable,
        Covers,
        Dependencies,
        Encodable,
        WithIntegers,
        Estimate,
        Events,
        Measure,
        Owner,
        Placed,
        Ranged,
        Reducible,
        Scripted,
        Symmetric,
        Tabular,
    }
)

#: For people. In a wrapper they are those of the model behind it, of its state.
OF_WORDS = frozenset({Drawable, Explains, Inspectable, Meetings, Messages, Pictured})
