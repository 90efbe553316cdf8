"""Hostile characters in every place of a model whose text is printed, on a pseudo-terminal.

    python -m tests.soak_terminal --cases 100 --seed 1

A case puts a control character, an escape sequence or a bidirectional override into one place (a name, a string, a
comment, a formula, the name of a file, an error), runs a verb on it, and asks that nothing but our own colours and
the progress line acts on the terminal.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from pathlib import Path

import kripke
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
#: by ending: a text of every other language with a place for what is hostile
OTHERS = {
    "pn": 'place "p{0}" unsigned (0..3): 1; trans "t{0}" in {{ "p{0}": x; }} out {{ "p{0}": x + 1; }}; deadlock true;',
    "ll_net": 'PEP\nPTNet\nFORMAT_N2\nPL\n1"{0}"0@0M1\nTR\n1"{0}"0@0\nTP\nPT\n1>1\n',
    "csp": "channel a{0}\nP = a -> STOP -- {0}\nassert P :[deadlock free]\n",
    "lf": 'module m {{ // {0}\n process p {{ print("{0}"); }} }}\n',
    "smv": "MODULE main -- {0}\nVAR x{0} : boolean;\nINVARSPEC x;\n",
    "scxml": (
        '<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="ecmascript"><state id="s"><onentry>'
        '<log label="{0}" expr="\'{0}\'"/></onentry><transition event="{0}" target="s"/></state></scxml>'
    ),
    "puml": "@startuml\n[*] --> s\ns --> s : e{0} / x\n@enduml\n",
    "modes": "mode m {{ # {0}\n }}\n",
    "py": 'x = 1\ny = "{0}"\nassert x == 2, "{0}"\n',
    "aut": 'des (0, 1, 2)\n(0, "{0}", 1)\n',
    "toml": 'model = "{0}"\n[parameters]\n"{0}" = [1]\n',
}
ON_FILES: dict[str, tuple[str, ...]] = {"aut": ("lts", "minimise"), "toml": ("sweep",)}
VERBS = [("check",), ("check", "--all-errors", "--full"), ("simulate", "--steps", "5"), ("info",), ("check", "--json")]
GOOD = "byte n; active proctype P() { n++; assert(n == 0) }"
ASKED = (
    "--ltl",
    "--invariant",
    "--property",
    "--search",
    "-D",
    "--ctl",
    "--claim",
    "--store",
    "--memory",
    "--estimate",
)


def case(source: random.Random, folder: Path) -> tuple[str, ...]:
    """The arguments of one run; its file is in the folder."""
    hostile = source.choice(HOSTILE)
    verb = source.choice(VERBS)
    match source.choice(("promela", "net", "name", "option", "other", "other", "trace", "written")):
        case "promela":
            name, text = "m.pml", source.choice(PROMELA).format(hostile)
        case "net":
            # XML allows few control characters, so that most of these are errors, with the line shown.
            name, text = "m.pnml", PNML.format(hostile)
        case "name":
            name, text = f"m{hostile}.pml", GOOD
        case "option":
            name, text = "m.pml", GOOD
            verb = ("check", source.choice(ASKED), f"n{hostile}")
        case "other":
            ending = source.choice(sorted(OTHERS))
            name, text = f"m.{ending}", OTHERS[ending].format(hostile)
            verb = ON_FILES.get(ending, verb)
            if len(verb) == 2 and verb[0] == "lts":
                (folder / name).write_text(text, encoding="utf-8")
                return (*verb, name, "-o", f"n{hostile}.aut")
        case "trace":
            (folder / "m.pml").write_text(GOOD)
            name, text = "t.json", TRACE.replace("HOSTILE", json.dumps(hostile)[1:-1])
            verb = ("replay",)
        case _:
            name, text = "m.pml", GOOD
            option = source.choice(("--trace", "--html", "--json", "--prove", "--checkpoint"))
            verb = ("check", option, f"none/n{hostile}")
    (folder / name).write_text(text, encoding="utf-8")
    return (verb[0], name, *verb[1:])


def trace_of(text: str) -> str:
    """A saved trace of a model, with a place for what is hostile in every name and text."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "m.pml").write_text(text)
        saved = str(Path(folder) / "t.json")
        kripke.load(str(Path(folder) / "m.pml")).check().trace.save(saved)
        record = json.loads(Path(saved).read_text())
    record["model"]["file"] = "m.pml"
    for step in record["steps"]:
        step["actor"] += "HOSTILE"
        for statement in step["statements"]:
            statement["text"] += "HOSTILE"
    return json.dumps(record)


TRACE = trace_of(GOOD)


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
            passed = [text for text in HOSTILE if text in shown]  # colours, too: ours are other ones
            if not shown or "Traceback" in shown or "internal error" in shown or acts(shown) or passed:
                bad += 1
                print(f"seed {seed}: {arguments!r}: {sorted(acts(shown))!r} {passed!r} {shown[-300:]!r}", flush=True)
    print(f"{options.cases} cases, {bad} bad")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
