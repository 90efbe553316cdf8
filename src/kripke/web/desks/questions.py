"""What a question says about the model it is about: its file, its macros, what else it is loaded with."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kripke.languages.registry import language_of
from kripke.languages.request import LoadRequest


class Unanswerable(Exception):
    """A question that makes no sense, or has no answer; the message says why."""


def request_of(setting: Mapping[str, Any], name: str, defines: Mapping[str, str]) -> LoadRequest:
    """The model of a file of the folder, as it is checked. It includes nothing from outside of the folder."""
    return LoadRequest(
        path=name,
        defines=dict(defines),
        include_root=setting["folder"],
        allow_c=bool(setting.get("allow_c")),
    )


def request_to_explore(setting: Mapping[str, Any], name: str, defines: Mapping[str, str]) -> LoadRequest:
    """The same as a run shows it: every variable, every step (``Option.in_simulations``)."""
    request = request_of(setting, name, defines)
    own = {one.name: one.in_simulations for one in language_of(request).options if one.in_simulations is not None}
    return replace(request, options={**own, **request.options})


def enter(setting: Mapping[str, Any]) -> None:
    """Work in the folder, so that files are called as on a command line there."""
    os.chdir(setting["folder"])
