"""What the editors of state charts have in common, SCXML and UML."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from kripke.languages.editing.document import Lens
from kripke.languages.editing.scoped import ScopedDocument


class MachineDocument(ScopedDocument):
    icons: ClassVar[Mapping[str, str]] = {
        "state": "Class",
        "variable": "Variable",
        "event": "Event",
        "invariant": "Property",
        "formula": "Property",
    }
    lenses: ClassVar[Mapping[str, Lens]] = {"invariant": "check safety", "formula": "check"}
    fixed_kinds: ClassVar[Mapping[str, str]] = {
        "event": "events are matched by their beginnings, and others may send them: change it by hand"
    }
