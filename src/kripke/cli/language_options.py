"""Options that belong to some languages, and their forms: from what they say about themselves to the command line."""

from __future__ import annotations

import argparse
from typing import Any

from kripke.languages.registry import forms_of_languages, options_of_languages

_PREFIX = "language option "  # of their names among those of all options


def add_options_of_languages(model: argparse._ActionsContainer) -> None:
    for option, _ in options_of_languages().values():
        settings: dict[str, Any] = {"dest": _PREFIX + option.name, "default": argparse.SUPPRESS, "help": option.help}
        if option.is_switch:
            settings["action"] = "store_false" if option.default else "store_true"
        elif option.repeated:
            settings["action"] = "append"
        if option.choices:
            settings["choices"] = option.choices
        if option.metavar is not None:
            settings["metavar"] = option.metavar
        model.add_argument(option.flag, **settings)


def add_forms_of_languages(forms: argparse._ActionsContainer) -> None:
    for form in forms_of_languages().values():
        forms.add_argument(form.flag, action="store_const", const=form.name, dest="form", help=form.help)


def options_of_language(options: argparse.Namespace) -> dict[str, Any]:
    """Those that were given, by their names."""
    given = vars(options).items()
    return {name.removeprefix(_PREFIX): value for name, value in given if name.startswith(_PREFIX)}
