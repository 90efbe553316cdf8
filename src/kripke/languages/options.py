"""Options that several languages share."""

from __future__ import annotations

from kripke.languages.language import Option

#: of languages whose models are process programs
SLICE = Option("slice", "--slice", "leave out data that no property and no step depends on (Promela)")
