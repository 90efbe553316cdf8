"""The manual page ``kripke.1``, written from what the command says about itself: ``python -m kripke.cli.man``."""

from __future__ import annotations

from collections.abc import Iterator

from kripke import __version__
from kripke.cli.arguments import options_of
from kripke.cli.main import VERBS

_EXIT = {
    "0": "holds, or done",
    "1": "violated",
    "2": "wrong usage, or an error in the model",
    "3": "unknown: a limit was reached, or the check was interrupted",
}


def lines() -> Iterator[str]:
    yield f'.TH KRIPKE 1 "" "kripke {__version__}" "User Commands"'
    yield ".SH NAME"
    yield "kripke \\- a model checking workbench"
    yield ".SH SYNOPSIS"
    yield ".B kripke"
    yield ".I VERB FILE"
    yield "[options]"
    yield ".SH DESCRIPTION"
    yield "Kripke searches every state that a model of a concurrent system can reach. It says whether something goes"
    yield "wrong, and shows how to get there."
    yield "\\fBkripke docs\\fR shows the manual, \\fBkripke examples\\fR the models that come with it."
    for verb, does in VERBS.items():
        yield f'.SH "KRIPKE {verb.upper()}"'
        yield _text(f"{does[0].upper()}{does[1:]}.")
        for option in options_of(verb):
            flags = ", ".join(f"\\fB{_text(flag)}\\fR" for flag in option.option_strings)
            value = "" if option.nargs == 0 else f" \\fI{_text(str(option.metavar or option.dest.upper()))}\\fR"
            yield ".TP"
            yield f"{flags}{value}"
            yield _text(str(option.help or "").replace("%%", "%"))
    yield '.SH "EXIT STATUS"'
    for code, means in _EXIT.items():
        yield ".TP"
        yield f".B {code}"
        yield means
    yield ".SH ENVIRONMENT"
    for name, means in (
        ("KRIPKE_CC", "the C compiler for models"),
        ("KRIPKE_CACHE", "the folder of compiled models"),
        ("KRIPKE_DEBUG", "set to 1: show where an error comes from"),
    ):
        yield ".TP"
        yield f".B {name}"
        yield means


def _text(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text


if __name__ == "__main__":
    print("\n".join(lines()))
