"""Parts of random programs that bring processes and declarations of their own: children that come and go, structures
with arrays of channels, names of several mtypes, macros that make statements, inlines that call inlines.
"""

from __future__ import annotations

from tests.spin.constructs import Body, Constructs
from tests.spin.terms import Line

# Each program switches every feature on with this chance.
FAMILIES = {
    "children": 0.12,
    "trunks": 0.1,
    "subtypes": 0.12,
    "nested inlines": 0.12,
    "macros": 0.2,
}
_MACROS = (
    "#define NEXT(v) v = (v + 1) % 3",
    "#define WHEN(c, s) if :: c -> s :: else fi",
    "#define BOTH(s, t) \\\n    s; \\\n    t",
    "#define GUARDED(word, c, s) word { c; s }",
)


class Families(Constructs):
    """Makes them; what the statements of ordinary processes are is the business of ``generator.Generator``."""

    def _macros(self) -> list[Line]:
        return [Line(macro) for macro in _MACROS] if self.has("macros") else []

    def _families(self) -> list[Line]:
        lines: list[Line] = []
        # SPIN remembers the pid that made a claim from one run to the next, and children have different ones.
        if self.has("children") and not self.has("claims"):
            lines += self._children()
        if self.has("trunks"):
            lines += self._trunks()
        if self.has("subtypes"):
            lines += self._subtypes()
        if self.has("nested inlines"):
            lines += self._nested_inlines()
        return lines

    def _some(self, choices: tuple[str, ...], most: int = 4) -> list[Line]:
        return [Line(self.random.choice(choices)) for _ in range(self.random.randint(1, most))]

    def _children(self) -> list[Line]:
        """A process that starts others one after the other, so that their numbers are used again."""
        child = self._some(
            ("births++;", "births = births + z;", "z = z + _pid;", "(births < 3);", "assert(_pid > 0);"), 3
        )
        started = self.random.choice(
            ("run Child(k);", "c = run Child(k);", "run Child(_nr_pr);", "births = run Child(1);")
        )
        wait = self.random.choice((f"(_nr_pr < {self.random.randint(2, 5)});", "skip;", "(births != 1);", "timeout;"))
        again = [Line(f"(k < {self.random.randint(1, 3)});"), Line(started), Line("k++;"), Line(wait)]
        if self.chance(0.3):
            again = [again[0], Line("atomic {", again[1:], "};")]
        loop = Line("do", [Line("::", again), Line("::", [Line("else;"), Line("break;")])], "od;")
        after = self._some(("births = _nr_pr;", "k = births;", "assert(births < 4);", "run Child(9);", "skip;"), 2)
        return [
            Line("byte births;"),
            Line("proctype Child(byte z) {", child, "}"),
            Line("active proctype Parent() {", [Line("byte k;"), Line("pid c;"), loop, *after], "}"),
        ]

    def _trunks(self) -> list[Line]:
        """Arrays of channels in arrays of structures."""
        fields = [Line("chan c[2] = [1] of { byte, bit };"), Line("byte n[2];"), Line("unsigned u : 3;")]
        choices = (
            *(
                "tr[0].c[1]!m, 1;",
                "tr[1].c[0]!m, 0;",
                "tr[0].c[1]?m, _;",
                "tr[1].c[0]?m, 0;",
                "tr[m & 1].c[m & 1]!1, m;",
            ),
            *(
                "tr[0].n[m % 2]++;",
                "m = tr[1].n[0];",
                "(nempty(tr[0].c[1]));",
                "tr[1].u = tr[1].u + 3;",
                "m = (m + 1) % 3;",
            ),
            *("(len(tr[0].c[1]) == tr[0].n[1]);", "own.c[0]!tr[0].n[0], 1;", "own.c[0]?m, 1;", "own.n[1] = m;"),
            *(
                "(tr[1].u < 6 -> len(own.c[0]) : 1);",
                "assert(tr[0].n[0] < 3);",
                "tr[1].c[1]!!m, 0;",
                "tr[1].c[1]??m, _;",
            ),
        )
        count = self.random.choice(("active", "active [2]"))
        body = [Line("byte m;"), Line("Trunk own;"), *self._some(choices, 6)]
        if self.chance(0.4):
            body.append(Line("do", [Line("::", self._some(choices, 2)), Line("::", [Line("break;")])], "od;"))
        return [
            Line("typedef Trunk {", fields, "};"),
            Line("Trunk tr[2];"),
            Line(f"{count} proctype Hauler() {{", body, "}"),
        ]

    def _subtypes(self) -> list[Line]:
        choices = (
            *(
                "f0 = apple;",
                "f0 = pear;",
                "f1 = f0;",
                "qf!f0, 1;",
                "qf!fig, k;",
                "qf?f1, k;",
                "qf?apple, k;",
                "(f0 == pear);",
            ),
            *(
                "qf?eval(f0), _;",
                "(f1 != f0);",
                'printf("%e\\n", f1);',
                "k = (f0 == fig -> 1 : 2);",
                "m0 = soft;",
                "(m0 == hard);",
            ),
            *(
                "if :: f0 == fig -> f0 = pear :: m0 == soft -> m0 = hard :: else fi;",
                "assert(f1 != apple);",
                "m0 = hard;",
            ),
        )
        body = [Line("byte k;"), Line("mtype : fruit f1 = fig;"), *self._some(choices, 6)]
        return [
            Line("mtype:fruit = { apple, pear };"),
            Line("mtype : feel = { soft, hard };"),
            Line("mtype:fruit = { fig };"),
            Line("mtype:fruit f0 = pear;"),
            Line("mtype : feel m0;"),
            Line("chan qf = [2] of { mtype:fruit, byte };"),
            Line("active [2] proctype Eater() {", body, "}"),
        ]

    def _nested_inlines(self) -> list[Line]:
        """Names of locals, parameters and globals clash on purpose."""
        low = self._some(("t = a;", "t = a;", "a = (a + 1) % 3;", "a++;", "t = t + 1;", "(a < 2);"), 3)
        low.insert(0, Line("byte t = 1;")) if self.chance(0.7) else None
        calls = ("low(b);", "low(a);", "{ byte u; u = a; low(u) };", "{ byte s = 2; low(s); b = s % 4 };", "b = a;")
        middle = self._some((*calls, "if :: a > 1 -> low(b) :: else fi;", "atomic { low(a); low(b) };"), 3)
        high = self._some(("mid(x, y);", "mid(y, x);", "low(t);", "mid(t, x);", "x = (x + y) % 4;", "low(x);"), 4)
        return [
            Line("byte t;"),
            Line("inline low(a) {", low, "}"),
            Line("inline mid(a, b) {", middle, "}"),
            Line("active [2] proctype Caller() {", [Line("byte x, y = 1;"), *high], "}"),
        ]

    # --- statements ---------------------------------------------------------------------------------------------------

    def _make_macro(self, body: Body) -> Line:
        place = self.terms.place(body.scope, types=("byte",))
        if place is None:
            return Line("skip;")
        name = place[0]
        value = self.terms.bounded(body.scope, 1)
        condition = self.terms.condition(body.scope, queries=False)
        if body.in_step:
            return Line(f"WHEN({condition}, NEXT({name}));")
        return Line(
            self.random.choice(
                (
                    f"NEXT({name});",
                    f"WHEN({condition}, {name} = {value});",
                    f"BOTH(NEXT({name}), {name} = {value});",
                    f"WHEN(({name} < 2), BOTH(NEXT({name}), skip));",
                    f"GUARDED(atomic, ({condition}), NEXT({name}));",
                    f"GUARDED(d_step, ({condition}), {name} = {value});",
                )
            )
        )
