"""Hostile characters in every place of a model whose text is printed, on a pseudo-terminal.

    python -m tests.soak_terminal --cases 100 --seed 1

A case puts a control character, an escape sequence or a bidirectional override into one place (a name, a string, a
comment, a formula, the name of a file, an error), runs a verb on it, and asks that nothing but our own colours and
the progress line acts on the terminal.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path

from tests.cli.test_safe_text import acts, on_a_terminal

HOSTILE = [
    "\x1b[2J", "\x1b]0;title\x07", "\x1b[32mholds\x1b[0m", "\x9b31m", "\x07", "\x08\x08", "\x7f", "\x0b", "\x0c",
    "\u202e", "\u2066", "\u200f", "\u2028", "\x1b[1A\x1b[K", "\x90q\x9c", "\x85",
]  # fmt: skip

PROMELA = [
    'active proctype P() {{ printf("{0}\\n"); assert(false) }}',
    "active proctype P() {{ byte x; x++ /* {0} */; assert(x == 2) }}",
    "active proctype P{0}() {{ assert(false) }}",
    "#error {0}\nactive proctype P() {{ skip }}",
    '#include "{0}.h"\nactive proctype P() {{ skip }}',
    "ltl p{0} {{ [] true }}\nactive proctype P() {{ skip }}",
    "mtype = {{ a{0} }};\nactive proctype P() {{ skip }}",
]
PNML = (
    '<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" type="http://www.pnml.org/version-2009/'
    'grammar/ptnet"><page id="g"><place id="p"><name><text>{0}</text></name><initialMarking><text>1</text>'
    '</initialMarking></place><transition id="t"><name><text>{0}</text></name></transition>'
    '<arc id="a" source="p" target="t"/></page></net></pnml>'
)
VERBS = [("check",), ("check", "--all-errors", "--full"), ("simulate", "--steps", "5"), ("info",), ("check", "--json")]


def case(source: random.Random, folder: Path) -> tuple[str, ...]:
    """The arguments of one run; its file is in the folder."""
    hostile = source.choice(HOSTILE)
    kind = source.randrange(4)
    verb = source.choice(VERBS)
    good = "byte n; active proctype P() { n++; assert(n == 0) }"
    if kind == 0:
        name, text = "m.pml", source.choice(PROMELA).format(hostile)
    elif kind == 1:
        # XML allows few control characters, so that most of these are errors, with the line shown.
        name, text = "m.pnml", PNML.format(hostile)
    elif kind == 2:
        name, text = f"m{hostile}.pml", good
    else:
        name, text = "m.pml", good
        verb = ("check", source.choice(("--ltl", "--invariant", "--property", "--search", "-D")), f"n{hostile}")
    (folder / name).write_text(text, encoding="utf-8")
    return (verb[0], name, *verb[1:])


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    bad = 0
    for seed in range(options.seed, options.seed + options.cases):
        with tempfile.TemporaryDirectory() as folder:
            arguments = case(random.Random(seed), Path(folder))
            shown = on_a_terminal(Path(folder), *arguments)
            if not shown or "Traceback" in shown or acts(shown):
                bad += 1
                print(f"seed {seed}: {arguments!r}: {sorted(acts(shown))!r}", flush=True)
    print(f"{options.cases} cases, {bad} bad")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
