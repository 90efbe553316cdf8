"""What a language says about itself.

A language is a package with a ``LANGUAGE`` in its ``__init__``: file endings, options of its own, the loader, what an
editor asks. Nothing of it is imported before it is needed, so the ``__init__`` names functions that import the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from kripke.model.source import ModelError

if TYPE_CHECKING:
    from kripke.languages.editing.document import Document
    from kripke.languages.request import LoadRequest, RunRequest
    from kripke.languages.trails import Trails
    from kripke.model.highlighting import Highlighting
    from kripke.model.model import Model


@dataclass(frozen=True, slots=True)
class Option:
    """An option of one language, or of those that share it. ``name`` is its keyword in Python and its key in JSON.

    Without ``choices`` and ``metavar`` it is on or off, and the flag is for what the default is not.
    """

    name: str
    flag: str
    help: str
    default: Any = False
    choices: tuple[str, ...] = ()
    #: what stands for the value in the help; the value is text
    metavar: str | None = None
    #: may be given several times; the value is a tuple
    repeated: bool = False
    #: the default of ``simulate``, which shows all of a run; None: as elsewhere
    in_simulations: Any = None

    @property
    def is_switch(self) -> bool:
        return not self.choices and self.metavar is None

    def checked(self, value: object) -> Any:
        """The value as the loader sees it; ModelError where it is none of the choices."""
        if self.is_switch:
            return bool(value)
        if not self.repeated:
            return self._chosen(value)
        several = [value] if isinstance(value, str) or not isinstance(value, Sequence) else value
        return tuple(self._chosen(each) for each in several)

    def _chosen(self, value: object) -> object:
        if self.choices and value not in self.choices and value != self.default:
            raise ModelError(
                f"{self.flag} {value}: there is no such choice", hint=f"choose {' or '.join(self.choices)}"
            )
        return value


class Written(NamedTuple):
    """A model as text; ``warnings`` say what of it is not there."""

    text: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Form:
    """A form for other tools that models can be written in (``emit``). ``whose``: which models, in words. ``write``:
    ModelError where the form cannot say it."""

    name: str
    flag: str
    help: str
    whose: str
    write: Callable[[Model, Form], Written]
    #: it is also for models of other languages than the one that has it
    general: bool = False

    def refusal(self, model: Model) -> str:
        return f"{self.flag} is for {self.whose}; {model.file} is a {model.language} model"


@dataclass(frozen=True, slots=True)
class Language:
    """A language: the first three fields are needed, all others say what else it can do."""

    name: str
    endings: tuple[str, ...]
    load: Callable[[LoadRequest], Model]
    #: what its models are called in messages, such as "Promela models"
    models: str = ""
    #: options that no other language need know; a loader finds their values in ``request.options``
    options: tuple[Option, ...] = ()
    #: executes a file of its kind for real; the exit code
    run: Callable[[RunRequest], int] | None = None
    #: makes an executable of a file of its kind, at a path; with the ending ``.c`` its C
    build: Callable[[RunRequest, str], None] | None = None
    #: is this text written in it? Asked where the ending of a file tells nothing.
    recognises: Callable[[str], bool] | None = None
    #: may a model with this text read what a user types, while it is simulated?
    reads_input: Callable[[str], bool] | None = None
    #: a text in an editor, at a path, and what it was before; None: an editor sees what was last saved
    document: Callable[[str, str, Document | None], Document] | None = None
    #: how its texts are coloured in reports
    highlighting: Callable[[], Highlighting] | None = None
    #: do its formulas have more values than true and false, where that is asked for (``--values``)?
    many_valued: bool = False
    #: what its models can be written as, for other tools
    forms: tuple[Form, ...] = ()
    #: runs in files of another tool (``--spin-trail``)
    trails: Callable[[], Trails] | None = None
    #: its page of the manual, and its folder of examples
    manual: str = ""
    examples: str = ""

    def __str__(self) -> str:
        return self.models or f"{self.name} models"
