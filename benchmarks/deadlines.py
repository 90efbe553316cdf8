"""Is `--time-limit` kept? Forty command lines over all languages and engines, each far longer than its limit.

Usage: python benchmarks/deadlines.py [--require] [--only TEXT]

Every line is a check that does not end within 1, 3 or 10 seconds: large spaces, large files, large nets with formulas,
errors far away. Printed is by how much each command was late, start of Python and report included. The bar is one
second and five hundredths of the limit. The processor time tells a late command from one that a busy machine kept
waiting.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from child import Finished, run_child
from kripke_command import find_kripke
from net_families import FAMILIES, pnml

SLACK, SHARE = 1.0, 0.05


class Line(NamedTuple):
    """A file, its limit in seconds, and options."""

    file: str
    limit: int
    options: tuple[str, ...] = ()


# --- models -----------------------------------------------------------------------------------------------------------

COUNTERS = """
byte n;
active [7] proctype P() {
    byte i;
    do
    :: i < 100 -> i++; n++
    :: i > 0 -> i--; n--
    :: i == 99 -> assert(n != 200)
    od
}
ltl back { [] (n > 50 -> <> (n == 0)) }
ltl small { [] (n < 255) }
"""

# An atomic sequence with so many paths that one step takes long.
PATHS = """
byte n;
active proctype P() {
    byte i, x;
    do
    :: atomic { i = 0; do :: i < 30 -> i++; if :: x++ :: x-- :: x = x ^ 3 fi :: else -> break od; n++ }
    od
}
"""


def long_program(statements: int) -> str:
    """A text that takes long to read, to analyse and to compile."""
    lines = [f"    x{number % 50} = (x{(number * 7) % 50} + {number}) % 251;" for number in range(statements)]
    names = ", ".join(f"x{number}" for number in range(50))
    return "\n".join([f"byte {names};", "active proctype P() {", "  do", "  :: skip;", *lines, "  od", "}", ""])


def csp(count: int) -> str:
    return f"""
N = {count}
ID = {{0..N-1}}
channel up, down : ID
COUNT(i, n) = n < 9 & up.i -> COUNT(i, n+1) [] n > 0 & down.i -> COUNT(i, n-1)
ALL = ||| i:ID @ COUNT(i, 0)
BAG(n) = n < 9*N & up?i -> BAG(n+1) [] n > 0 & down?i -> BAG(n-1)
assert ALL :[deadlock free [F]]
assert ALL :[deterministic [FD]]
assert BAG(0) [T= ALL
assert ALL [FD= ALL
"""


LF = """
MODULE Counters;
CONST N = 7;
TYPE Line = [up, down];
PORT lines : ARRAY N OF Line;
VAR i : INT8;

PROCESS Count(line : Line);
VAR n, m : INT16;
BEGIN
  n := 0; m := 0;
  WHILE TRUE DO SELECT WHEN line?up THEN n := (n + 1) MOD 97 WHEN line?down THEN m := (m + 1) MOD 89 END END
END Count;

PROCESS User(line : Line);
BEGIN
  WHILE TRUE DO line!up; line!down END
END User;

BEGIN
  FOR i := 0 TO N - 1 DO NEW(lines[i]) END;
  FOR i := 0 TO N - 1 DO CREATE Count(lines[i]) END;
  FOR i := 0 TO N - 1 DO CREATE User(lines[i]) END
END Counters.
"""


def modes(count: int) -> str:
    tops = "\n".join(f"  m{number}: Count;" for number in range(count))
    return f"""
var total: 0..200 = 0;
mode Count {{
  read write total: 0..200;
  local n: 0..90;
  point a;
  point b;
  de -> a do n := 0;
  a -> b when n < 90 & total < 200 do n := n + 1, total := total + 1;
  b -> a when n > 0 & total > 0 do n := n - 1, total := total - 1;
  a -> a when n > 3 do n := n - 1;
  b -> b when n < 80 do n := n + 1;
}}
system {{
{tops}
}}
"""


def chart(count: int) -> str:
    """A state chart of so many counters side by side."""
    data = "".join(f'<data id="n{i}" expr="0"/>' for i in range(count))
    parts = "".join(
        f'<state id="s{i}"><state id="a{i}">'
        f'<transition event="up" cond="n{i} &lt; 50" target="b{i}"><assign location="n{i}" expr="n{i}+1"/></transition>'
        f'</state><state id="b{i}"><transition event="down{i}" target="a{i}"/>'
        f'<transition event="reset{i}" target="a{i}"><assign location="n{i}" expr="0"/></transition></state></state>'
        for i in range(count)
    )
    return (
        '<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" name="counters">'
        f'<datamodel>{data}</datamodel><parallel id="all">{parts}</parallel></scxml>'
    )


def uml(count: int) -> str:
    counters = "\n".join(f"' kripke: var n{i} = 0" for i in range(count))
    regions = "\n  --\n".join(
        f"  [*] --> A{i}\n  A{i} --> B{i} : up [n{i} < 60] / n{i} = n{i} + 1\n  B{i} --> A{i} : down{i}\n"
        f"  B{i} --> A{i} : reset{i} / n{i} = 0"
        for i in range(count)
    )
    return f"@startuml counters\n{counters}\n[*] --> All\nstate All {{\n{regions}\n}}\n@enduml\n"


MARIA = """
typedef unsigned (1..8) seat_t;
typedef unsigned (0..40) count_t;
place counter (#seat_t) struct { seat_t seat; count_t n; }: seat_t s: { s, 0 };
trans up in { counter: { s, n }; } out { counter: { s, n + 1 }; } gate n < 40;
trans down in { counter: { s, n }; } out { counter: { s, n - 1 }; } gate n > 0;
trans swap in { counter: { s, n }, { t, m }; } out { counter: { s, m }, { t, n }; } gate s != t && n < m;
"""


def coloured(size: int) -> str:
    """A symmetric net of a shared memory, which unfolds to size * size places."""

    def sub(*terms: str) -> str:
        return "".join(f"<subterm>{term}</subterm>" for term in terms)

    def var(name: str) -> str:
        return f'<variable refvariable="{name}"/>'

    def once(term: str) -> str:
        number = '<numberconstant value="1"><positive/></numberconstant>'
        return f"<numberof>{sub(number, term)}</numberof>"

    both = f"<tuple>{sub(var('x'), var('y'))}</tuple>"
    constants = "".join(f'<feconstant id="p{i}" name="p{i}"/>' for i in range(size))
    everybody = '<all><usersort declaration="P"/></all>'

    def place(name: str, sort: str, initial: str = "") -> str:
        marking = f"<hlinitialMarking><structure>{initial}</structure></hlinitialMarking>" if initial else ""
        return (
            f'<place id="{name}"><name><text>{name}</text></name><type><structure>'
            f'<usersort declaration="{sort}"/></structure></type>{marking}</place>'
        )

    def arc(source: str, target: str, term: str) -> str:
        return (
            f'<arc id="{source}-{target}" source="{source}" target="{target}">'
            f"<hlinscription><structure>{once(term)}</structure></hlinscription></arc>"
        )

    def transition(name: str, guard: str = "") -> str:
        return f'<transition id="{name}"><name><text>{name}</text></name>{guard}</transition>'

    different = f"<condition><structure><inequality>{sub(var('x'), var('y'))}</inequality></structure></condition>"
    parts = [
        place("active", "P", everybody),
        place("memory", "P", everybody),
        place("queue", "P"),
        place("access", "PP"),
        transition("ask"),
        transition("begin", different),
        transition("end"),
        arc("active", "ask", var("x")),
        arc("ask", "queue", var("x")),
        arc("queue", "begin", var("x")),
        arc("memory", "begin", var("y")),
        arc("begin", "access", both),
        arc("access", "end", both),
        arc("end", "active", var("x")),
        arc("end", "memory", var("y")),
    ]
    sorts = (
        f'<namedsort id="P" name="P"><cyclicenumeration>{constants}</cyclicenumeration></namedsort>'
        '<namedsort id="PP" name="PP"><productsort><usersort declaration="P"/><usersort declaration="P"/>'
        "</productsort></namedsort>"
        '<variabledecl id="x" name="x"><usersort declaration="P"/></variabledecl>'
        '<variabledecl id="y" name="y"><usersort declaration="P"/></variabledecl>'
    )
    kind = "http://www.pnml.org/version-2009/grammar"
    return (
        f'<pnml xmlns="{kind}/pnml"><net id="n" type="{kind}/symmetricnet"><declaration><structure><declarations>'
        f'{sorts}</declarations></structure></declaration><page id="page">{"".join(parts)}</page></net></pnml>'
    )


def formulas(kind: str, first: str, second: str) -> str:
    """Sixteen formulas over the tokens of two places, of one kind: none can be answered at once."""
    texts = []
    for number in range(16):
        few = f"<integer-constant>{number % 5}</integer-constant>"
        one = f"<integer-le>{few}<tokens-count><place>{first}</place></tokens-count></integer-le>"
        tokens = f"<tokens-count><place>{second}</place></tokens-count>"
        two = f"<integer-le>{tokens}<tokens-count><place>{first}</place></tokens-count></integer-le>"
        inner = f"<conjunction>{one}<negation>{two}</negation></conjunction>"
        match kind:
            case "reachability":
                formula = f"<exists-path><finally>{inner}</finally></exists-path>"
            case "ctl":
                some = f"<exists-path><globally><negation>{inner}</negation></globally></exists-path>"
                formula = (
                    f"<all-paths><globally><exists-path><finally>{some}</finally></exists-path></globally></all-paths>"
                )
            case _:
                formula = f"<all-paths><globally><finally>{inner}</finally></globally></all-paths>"
        texts.append(f"<property><id>f{number}</id><description>-</description><formula>{formula}</formula></property>")
    return f'<property-set xmlns="http://mcc.lip6.fr/">{"".join(texts)}</property-set>'


def write_models(folder: Path) -> None:
    texts = {
        "counters.pml": COUNTERS,
        "paths.pml": PATHS,
        "long.pml": long_program(60_000),
        "longer.pml": long_program(600_000),
        "counters.csp": csp(9),
        "counters.lf": LF,
        "counters.modes": modes(6),
        "counters.scxml": chart(9),
        "counters.puml": uml(8),
        "counters.pn": MARIA,
        "memory.pnml": coloured(60),
        "large.pnml": coloured(400),
        "bus.pnml": pnml("bus", FAMILIES["energy-bus"](24)),
        "cascade.pnml": pnml("cascade", FAMILIES["signalling"](40)),
        "database.pnml": pnml("database", FAMILIES["database"](7)),
        "ring.pnml": pnml("ring", FAMILIES["token-ring"](60)),
        "diners.pnml": pnml("diners", FAMILIES["philosophers"](2000)),
        "reach.xml": formulas("reachability", "access", "queue"),
        "ctl.xml": formulas("ctl", "access", "queue"),
        "ltl.xml": formulas("ltl", "access", "queue"),
        "bus_reach.xml": formulas("reachability", "charge0", "drive1"),
        "bus_ctl.xml": formulas("ctl", "charge0", "drive1"),
        "bus_ltl.xml": formulas("ltl", "charge0", "drive1"),
    }
    for name, text in texts.items():
        (folder / name).write_text(text)


LINES = (
    Line("counters.pml", 3, ("--property", "safety", "--no-deadlock")),
    Line("counters.pml", 3),
    Line("counters.pml", 3, ("--search", "dfs", "--all-errors", "--property", "safety")),
    Line("counters.pml", 1, ("--engine", "interpreter")),
    Line("counters.pml", 3, ("--por",)),
    Line("counters.pml", 3, ("--store", "tree", "--property", "safety")),
    Line("counters.pml", 3, ("--store", "bitstate", "--property", "safety")),
    Line("counters.pml", 1, ("--threads", "2", "--property", "safety")),
    Line("counters.pml", 3, ("--search", "walk", "--walks", "1000000000", "--property", "safety")),
    Line("counters.pml", 3, ("--swarm", "4", "--property", "safety")),
    Line("counters.pml", 3, ("--deepen", "50", "--property", "safety")),
    Line("counters.pml", 3, ("--max-switches", "30", "--property", "safety")),
    Line("counters.pml", 3, ("--fair", "weak", "--property", "back")),
    Line("counters.pml", 3, ("--symmetry", "canonical", "--property", "safety")),
    Line("counters.pml", 3, ("--ctl", "AG EF (n == 0)")),
    Line("counters.pml", 3, ("--possible", "<> (n == 250)")),
    Line("paths.pml", 1),
    Line("long.pml", 1),
    Line("long.pml", 10, ("--engine", "native")),
    Line("longer.pml", 3),
    Line("counters.csp", 3),
    Line("counters.csp", 1, ("--engine", "interpreter")),
    Line("counters.lf", 3),
    Line("counters.lf", 1, ("--por",)),
    Line("counters.modes", 3),
    Line("counters.modes", 1, ("--search", "hierarchic", "--no-deadlock")),
    Line("counters.scxml", 3),
    Line("counters.puml", 3),
    Line("counters.pn", 3),
    Line("counters.pn", 1, ("--search", "symbolic")),
    Line("memory.pnml", 3, ("--formulas", "reach.xml")),
    Line("memory.pnml", 3, ("--formulas", "ctl.xml")),
    Line("memory.pnml", 10, ("--formulas", "ltl.xml")),
    Line("large.pnml", 1),
    Line("bus.pnml", 3, ("--formulas", "bus_reach.xml", "--formulas", "bus_ctl.xml", "--formulas", "bus_ltl.xml")),
    Line("bus.pnml", 3, ("--examine", "StateSpace", "--examine", "Liveness", "--examine", "OneSafe")),
    Line("bus.pnml", 1, ("--search", "symbolic")),
    Line("ring.pnml", 3, ("--search", "prefix")),
    Line("database.pnml", 3, ("--search", "prefix")),
    Line("cascade.pnml", 10, ("--search", "symbolic", "--no-deadlock", "--ctl", "AG EF (raf = 0 && erk = 0)")),
    Line("diners.pnml", 1, ("--search", "symbolic")),
)


def measured(kripke: Path, folder: Path, lines: Sequence[Line]) -> Iterator[tuple[Line, Finished]]:
    environment = {**os.environ, "KRIPKE_CACHE": str(folder / "cache"), "XDG_CACHE_HOME": str(folder / "cache")}
    for line in lines:
        command = [str(kripke), "check", line.file, *line.options, "--time-limit", str(line.limit)]
        finished = run_child(command, cwd=folder, environment=environment)
        yield line, finished


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Measure how late commands with a time limit are.")
    parser.add_argument("--require", action="store_true", help="fail when a command is later than it may be")
    parser.add_argument("--only", default="", metavar="TEXT", help="lines that contain this text")
    options = parser.parse_args(arguments)
    kripke = find_kripke()
    if kripke is None:
        print("benchmarks: the kripke command was not found beside this Python nor on PATH", file=sys.stderr)
        return 2
    lines = [line for line in LINES if options.only in " ".join((line.file, *line.options))]
    late = wrong = 0
    with tempfile.TemporaryDirectory(prefix="kripke-deadlines-") as name:
        folder = Path(name)
        write_models(folder)
        print("limit    late  processor")
        for line, finished in measured(kripke, folder, lines):
            over = finished.wall - line.limit
            missed = over > SLACK + SHARE * line.limit
            refused = finished.code not in (0, 1, 3)
            late += missed
            wrong += refused
            text = next((text for text in reversed(finished.stderr.splitlines()) if text), "")
            said = f"  exit {finished.code}: {text}" if refused else ""
            mark = "  LATE" if missed else ""
            figures = f"{line.limit:3} s {over:+7.2f} s {finished.processor:8.2f} s"
            print(f"{figures}  {line.file} {' '.join(line.options)}{mark}{said}", flush=True)
    print(f"{len(lines)} commands, {late} later than {SLACK:g} s and {SHARE:.0%} of the limit, {wrong} refused")
    return 1 if options.require and (late or wrong) else 0


if __name__ == "__main__":
    raise SystemExit(main())
