"""Models for the tests of stores, and what a search of them says."""

import kripke

PARTS = """
byte x, y;
chan a = [1] of { bit }, b = [1] of { bit };
active [2] proctype P() { end: do :: x = 1 - x :: a!1 :: b?_ od }
active proctype Q() { end: do :: a?_ -> b!0 od }
"""

# Q is born and ends again and again; its frame is longer than 32 bytes, and so are the globals.
BORN = """
byte big[70]; byte many;
proctype Q(byte n) { byte own[40]; own[n] = n + 1; big[n]++; many-- }
active proctype P() { do :: many < 2 && big[0] + big[1] < 3 -> many++; run Q(many % 2) :: else -> break od }
"""


def load(tmp_path, text):
    path = tmp_path / "model.pml"
    path.write_text(text)
    return kripke.load(path)


def figures(result):
    return result.verdict, result.states, result.transitions, result.depth, result.errors
