"""Types of CSP-M: Hindley-Milner with the dots of channels and datatypes, and constraints such as Eq."""

from kripke.languages.cspm.typing.declarations import check_types

__all__ = ["check_types"]
