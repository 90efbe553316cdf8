"""Text of models, files and messages as something that is safe to show.

A name in a model may contain anything: escape sequences that move the cursor, marks that turn the direction of
writing, a line break followed by a verdict. What is shown to a person shows such characters as escapes instead.
"""

from __future__ import annotations

_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
#: spaces of all widths, which Python does not count as printable
_SPACES = "\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"


def visible(text: str, keep: str = "") -> str:
    """The text in one line, with what could not be seen or would act on a terminal as escapes; ``keep`` stays."""
    if text.isprintable():
        return text
    keep += _SPACES
    return "".join([one if one.isprintable() or one in keep else _escape(one) for one in text])


def _escape(character: str) -> str:
    code = ord(character)
    short = _SHORT.get(character)
    if short is not None:
        return short
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
