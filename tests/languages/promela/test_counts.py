"""Small models with the exact counts of SPIN 6.5.2: each pins down one rule that decides what counts as a state.

Counts are states/transitions/errors of a full search without partial-order reduction, every error counted
(``spin -a; cc -DSAFETY -DNOREDUCE -DNOCLAIM pan.c; ./pan -c0``). ``-o3`` switches merging off in SPIN, ``-o1 -o2`` dead
variables. Most of these models are what was left of a random program (``tests/spin``) that showed a difference.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from kripke.engines.explicit.safety import check
from kripke.engines.explicit.search import Order
from kripke.engines.plan import EngineName, SearchPlan
from kripke.languages.promela import load
from kripke.process.passes import Passes


class Case(NamedTuple):
    """A model and SPIN's counts, by default with merging and dead-variable reduction as SPIN has them."""

    rule: str
    text: str
    counts: str
    passes: Passes = Passes()


CASES = [
    Case(
        "an arrow may have two dashes",
        "byte x = 3; active proctype P() { do :: x > 0 --> x-- :: else --> break od }",
        "9/9/0",
    ),
    Case(
        "a claim through a variable that holds no channel yet claims nothing",
        """
        chan q[2] = [1] of { byte };
        active [2] proctype p() {
          chan in, out;
          in = q[_pid]; out = q[1 - _pid];
          xr in; xs out;
          out!1; in?1
        }
        """,
        "22/33/0",
    ),
    Case(
        "the last start value of an array stands for those that are missing",
        """
        byte a[4] = { 5, 7 };
        typedef T { byte f[3] = { 4, 6 } };
        T t;
        active proctype P() {
          byte c[4] = { 2, 3, 9 };
          assert(a[3] == 7 && c[3] == 9); assert(t.f[2] == 6); assert(!a[2])
        }
        """,
        "5/5/1",
    ),
    Case(
        "a variable as the size of an array is its start value, or 8",
        """
        int N = 3, M = 2 * 2;
        byte a[N], b[M];
        proctype P(byte n) { byte c[n]; c[7] = n; a[2] = c[7]; b[7] = a[2]; assert(b[7] == 2) }
        init { byte i; for (i : 1 .. N) { a[i - 1] = i }; run P(2) }
        """,
        "19/19/0",
    ),
    Case(
        "a run in an assertion or a printf is a part of its step",
        """
        byte x;
        proctype P(byte n) { if :: n > 0 -> assert(run P(n - 1)) :: else fi; x++ }
        init {
          byte k;
          atomic { assert(run P(1) > 0); k = 1 }; assert(run P(k) == 2); k = 2; printf("%d", run P(0)); k = 1; x = k
        }
        """,
        "454/1549/0",
    ),
    Case(
        "a channel may hold more than 255 messages",
        """
        chan q = [300] of { byte, short };
        chan r = [2] of { byte };
        chan d[2] = [260] of { short };
        byte x; short n;
        proctype P(chan c) {
          d_step { do
          :: n < 258 -> c!!n; n++
          :: n == 258 -> break
          od; }
          x = len(c);
          assert(len(c) == 258); assert(c?[0] && c??[257]);
          do :: len(c) > 253 -> c?n :: else -> break od;
          c??256; c?<n>; n = len(c);
          if :: full(c) -> x = 3 :: nfull(c) -> x = 4 fi;
          c!!2; c!!1; r!5
        }
        init { short i; run P(d[1]);
          d_step { do :: i < 256 -> q!i,i; i++  :: i == 256 -> break od };
          assert(nempty(q) && len(q) == 256);
          if :: q?0,0 -> i = 7 :: timeout -> i = 3 fi;
          d_step { q!9,i; q!10,i;}
          do :: len(q) > 254 -> q??_,i :: len(q) < 250 -> break :: else -> q??10,i; break od }
        """,
        "352/664/0",
    ),
    Case(
        "the creation of a process is visible where it computes start values, also of variables declared later",
        """
        byte g;
        active proctype P() { byte x; bit y; x = run Q(0); y = 0; y = 1 }
        proctype Q(bit z) { do :: z = 1 od; byte a = g; a = 2 }
        """,
        "3/5/0",
    ),
    Case(
        "... even of constants",
        """
        active proctype P() { byte x; bit y; x = run Q(0); y = 0; y = 1 }
        proctype Q(bit z) { int a = -1; do :: z = 1 od }
        """,
        "3/5/0",
    ),
    Case(
        "... but not where it copies its own variables",
        """
        byte g;
        active proctype P() { byte x; bit y; x = run Q(0); y = 0; y = 1 }
        proctype Q(bit z) { byte b[2]; byte a = b[g]; do :: z = a od }
        """,
        "2/3/0",
    ),
    Case(
        "a global in the branch of a conditional expression makes a statement visible: no merging after it",
        """
        byte shared;
        active proctype P() { bool x; (~((x -> shared : 2)) != 7); x = 1 }
        """,
        "4/4/0",
    ),
    Case(
        "a global in a subscript does not make a statement visible",
        """
        byte shared;
        active proctype P() { byte x; byte a[2]; (a[shared] == 0); x = 1; x = 2 }
        """,
        "3/3/0",
    ),
    Case(
        "a rendezvous channel is never full",
        "chan q = [0] of { byte }; active proctype P() { full(q) }",
        "1/1/1",
    ),
    Case(
        "an array of bits is an array of bytes, also inside a typedef",
        """
        typedef T { bool f[2] };
        T x[2];
        active [2] proctype P() { x[0].f[0]++; }
        """,
        "7/9/0",
    ),
    Case(
        "a message of one bit is a byte",
        "chan q = [3] of { bit }; active [2] proctype P() { q!(_pid ^ -1) & 3; q!2 }",
        "16/18/5",
    ),
    Case(
        "of a message of two bits each is a bit",
        "chan q = [3] of { bit, bit }; active [2] proctype P() { q!(_pid ^ -1) & 3, 1; q!2, 1 }",
        "16/18/5",
    ),
    Case(
        "a poll with too few arguments looks at the fields given",
        """
        chan q = [2] of { byte, byte };
        active proctype P() { q!1,2; q!3,4; if :: q?[1] -> skip :: q??[3] -> assert(false) :: q?[3] fi }
        """,
        "7/8/1",
    ),
    Case(
        "so does a receive that leaves the message where it is",
        """
        chan q = [2] of { byte, byte }; byte x;
        active proctype P() { q!1,2; q!3,4; q?<x>; assert(x == 1); q??<3>; assert(len(q) == 2) }
        """,
        "8/8/0",
    ),
    Case(
        "'else' is not enabled where a rendezvous takes place",
        """
        chan q = [0] of { byte }; byte x;
        active proctype P() { if :: q!1 :: else -> assert(false) fi }
        active proctype Q() { q?x }
        """,
        "4/4/0",
    ),
    Case(
        "'else' is enabled where nobody receives",
        """
        chan q = [0] of { byte }; byte x;
        active proctype P() { if :: q!1 :: else -> assert(false) fi }
        active proctype Q() { x == 1; q?x }
        """,
        "3/3/2",
    ),
    Case(
        "a global that is only counted is not part of the state",
        "bit x; active [2] proctype P() { do :: x-- od }",
        "1/3/0",
    ),
    Case(
        "an argument of an inline call counts as read",
        "bit x; inline count(a) { a-- }; active [2] proctype P() { do :: count(x) od }",
        "2/5/0",
    ),
    Case(
        "so does a global with the name of a parameter of an inline",
        "bit x, y; inline count(x) { x++ }; active [2] proctype P() { bit z; do :: y++; x++; count(z) od }",
        "36/73/0",
    ),
    Case(
        "a global that is only shown by printm is not part of the state",
        "mtype = { on, off }; mtype x = on; active proctype P() { do :: x = on; printm(x) :: x = off od }",
        "2/4/0",
    ),
    Case(
        "an end label at the start of an option belongs to the state after its first statement",
        "byte x; active proctype P() { if :: end1: x = 1 :: x = 2 fi; x == 3 }",
        "3/3/0",
    ),
    Case(
        "an end label on the inner of two choices, to the states after its options",
        "byte x; active proctype P() { if :: end1: if :: x = 1; x == 3 :: x = 2; x == 3 fi :: x = 3; x == 4 fi }",
        "4/4/1",
    ),
    Case(
        "an end label on a block that starts an option, to the state after its first statement",
        "byte x; active proctype P() { if :: end1: { x = 1; x == 3; x == 4 } :: x = 3; x == 4 fi }",
        "3/3/1",
    ),
    Case(
        "an end label on a block elsewhere, to the block",
        "byte x; active proctype P() { x = 1; end1: { x == 3; x == 4 } }",
        "2/2/0",
    ),
    Case(
        "an end label before a loop that starts a block, to the states after its options",
        "byte x; active proctype P() { { end1: do :: x = 1; x == 3 :: x = 2 -> break od }; x == 4 }",
        "3/3/0",
    ),
    Case(
        "a label before a loop may stand first in a block: the loop starts with a joint",
        """
        byte x;
        active proctype P() {
            atomic { again: do :: x < 2 -> x++ :: else -> break od };
            if :: x < 3 -> x++; goto again :: else fi
        }
        """,
        "7/7/0",
    ),
    Case(
        "an else that a d_step starts with looks at the other options",
        """
        byte x;
        active [2] proctype A() { bool r; do :: r = !r; if :: r -> x = 0; break :: d_step { else -> skip } fi od }
        """,
        "21/33/0",
    ),
    Case(
        "an else in a d_step that a macro builds, steps inside steps",
        """
        #define CAS(l, o, n, r) d_step { if :: l == o -> r = true; l = n; :: else -> r = false; fi }
        byte x;
        active [2] proctype A() {
            bool r;
            do :: d_step { else -> CAS(x, 0, 1, r); }; if :: r -> x = 0; break :: d_step { else -> skip; }; fi od
        }
        """,
        "24/37/0",
    ),
    Case(
        "fields have start values",
        """
        typedef T { byte a = 2; int b[2] = 7; bit c; byte d[2] = { 4, 5 } };
        typedef U { T t[2]; T s };
        U u[2]; T t;
        active proctype P() {
            U v;
            assert(u[1].t[1].b[1] == 7 && v.s.a == 2 && t.b[0] == 7 && u[0].s.c == 0 && v.t[0].d[1] == 5);
            v.s.a = 1; v.s.a++; assert(v.s.a == 2)
        }
        """,
        "4/4/0",
    ),
    Case(
        "every structure has channels of its own",
        """
        typedef F { chan c[2] = [1] of { byte } };
        F f[2];
        active proctype A() { f[0].c[0]!1; f[1].c[1]!2; assert(len(f[0].c[1]) == 0); f[1].c[1]?2 }
        active proctype B() { byte x; f[0].c[0]?x }
        """,
        "14/20/0",
    ),
    Case(
        "the channels of a local structure belong to its process",
        """
        typedef F { chan c = [2] of { byte }; byte n };
        proctype R(chan d) { byte x; d?x; assert(x == 1) }
        active [2] proctype A() { F f; f.c!1; run R(f.c) }
        """,
        "52/82/0",
    ),
    Case(
        "structures are handed over field by field",
        """
        typedef I { byte p; bit q }; typedef M { I i; byte a };
        proctype W(M m; byte z) { assert(m.i.p == 3 && m.i.q == 1 && m.a == 9 && z == 4); m.a++ }
        init { M n[2]; n[1].i.p = 3; n[1].i.q = 1; n[1].a = 9; run W(n[1], 4); run W(n[1], 4) }
        """,
        "13/17/0",
    ),
    Case(
        "the arrays of a structure are sent with it",
        """
        typedef T { byte a[2]; byte b };
        chan q = [1] of { byte, T };
        active proctype P() {
            T t[2], u;
            t[1].a[0] = 3; t[1].a[1] = 4; t[1].b = 5;
            q!1,t[1]; q?1,u;
            assert(u.a[0] == 3); assert(u.a[1] == 4); assert(u.b == 5)
        }
        """,
        "6/6/0",
    ),
]


def _named(case: Case) -> str:
    return case.rule


@pytest.mark.parametrize(
    ("engine", "order"), [("interpreter", "bfs"), ("native", "bfs"), ("native", "dfs")], ids=lambda value: str(value)
)
@pytest.mark.parametrize("case", CASES, ids=_named)
def test_counts_of_spin(case: Case, engine: EngineName, order: Order, tmp_path: Path) -> None:
    model = tmp_path / "model.pml"
    model.write_text(case.text)
    result = check(load(str(model), passes=case.passes), SearchPlan(search=order, engine=engine, all_errors=True))
    assert f"{result.states}/{result.transitions}/{result.errors}" == case.counts
