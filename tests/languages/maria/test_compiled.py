"""Compiled high-level nets and the interpreter: the same states, steps, errors and atoms, in the same order."""

from __future__ import annotations

import re
from collections.abc import Callable
from time import process_time

import pytest

pytest.importorskip("kripke._native")
from kripke.compilation.compile import compile_model
from kripke.engines.explicit.native import open_model
from kripke.model.source import ModelError
from kripke.nets.high_level.backjumping import loops_to_return_to
from kripke.nets.high_level.fair import FairModel
from kripke.nets.high_level.marking import decode, encode
from kripke.nets.high_level.model import HighLevelModel
from tests.support.high_level_nets import random_text

Read = Callable[..., HighLevelModel]


def compare(model: HighLevelModel, most: int) -> int:
    """Walk both forms breadth-first, up to some states; how many were seen."""
    text = model.emit_c()
    assert text is not None
    library = open_model(compile_model(text).path)
    assert library.initial() == model.initial()
    states = model.initial()
    seen = set(states)
    for state in states:
        steps = model.successors(state)
        emitted, reported = library.successors(state)
        assert emitted == [(step.target, step.parts[0].statement) for step in steps if step.target is not None]
        assert reported == [(v.code, v.statement) for step in steps for v in step.violations]
        assert tuple(library.atoms(state)) == model.atom_values(state)
        if not steps:
            assert library.valid_end(state) == model.valid_end(state)
        if not model.always_fair:  # then there are fairness sets before the marking
            assert encode(model.net, decode(model.net, state)) == state
        for target, _ in emitted:
            if target not in seen and len(states) < most:
                seen.add(target)
                states.append(target)
    return len(states)


@pytest.mark.parametrize("seed", range(25))
def test_random_nets(read: Read, seed: int) -> None:
    try:
        model = read(random_text(seed))
    except ModelError as refusal:
        if not re.search(
            "no input arc|the initial marking|is no value of|multiplicity of zero|there is no x", str(refusal)
        ):
            raise
        pytest.skip(refusal.message)
    compare(model, 60)


@pytest.mark.parametrize("seed", range(300, 320))
def test_random_nets_with_fairness_sets(read: Read, seed: int) -> None:
    try:
        net = read(random_text(seed, fair=True))
    except ModelError as refusal:
        pytest.skip(refusal.message)
    model = FairModel(net.net, net.file, "maria", net.sources)
    assert model.fairness_constraints
    compare(model, 60)


def test_variables_that_may_have_no_value(read: Read) -> None:
    model = read(
        """place m unsigned (0..2): 0, 1, 2; place p unsigned (0..9): 2#7, 8; place q unsigned (0..9): 7, 8, 9;
        trans t in { m: n; p: n#x; q: n#x; } out { m: n; q: 2#x; };
        trans u in { m: n; p: n#x; q: (2 - n)#x; } out { q: x; };"""
    )
    compare(model, 200)


def test_many_tokens_and_long_states(read: Read) -> None:
    model = read(
        """typedef unsigned (1..40) t; place p t: t v: v#(is t v); place q t; place n struct {}: 70000#{};
        trans move in { p: x; } gate x > 37 out { q: x, x; }; trans count in { n: 300#{}; } out { n: 301#{}; };"""
    )
    assert compare(model, 40) == 40


def test_a_marking_that_gets_too_long_is_an_error(read: Read) -> None:
    model = read("typedef unsigned (1..10000) t; place p t; trans t out { p: t v: v; };")
    assert [step.violations[0].code for step in model.successors(model.initial()[0])] == [
        [kind.name for kind in model.violation_kinds].index("size")
    ]
    assert compare(model, 2) == 1


def test_values_beyond_machine_words_are_left_to_the_interpreter(read: Read) -> None:
    model = read("place p unsigned[queue 3]: {}; trans t in { p: q; } gate %q > 0 out { p: q + 7; };")
    assert model.emit_c() is None
    assert len(model.successors(model.initial()[0])) == 1


UNRELATED = """typedef unsigned (1..9) t; place p t: t v: v; place q t: t v: v; place r t: t v: v; place s t: t v: v;
place u t: t v: v; place w t: t v: v;
trans a in { p: x0, x1; q: x2, x3; r: x4, x5; s: x6; u: x7; w: x8; }
gate x0 < x1, x2 < x3, x4 < x5, x5 != x6, is unsigned x7 + is unsigned x8 > LEAST out { p: x7; };
"""


def test_a_failure_is_not_tried_again_with_other_tokens_that_do_not_matter(read: Read) -> None:
    """There are 400,000 ways to choose the others, 81 pairs that fail."""
    model = read(UNRELATED.replace("LEAST", "18"))
    text = model.emit_c()
    assert text is not None
    library = open_model(compile_model(text).path)
    begin = process_time()
    assert library.successors(model.initial()[0]) == ([], [])
    assert process_time() - begin < 0.02
    plan = model.interpreter.plans[0]
    assert -1 in loops_to_return_to(plan)


def test_going_back_misses_nothing(read: Read) -> None:
    """Tokens of one place, variables that may have no value, errors, output variables with conditions."""
    compare(
        read(
            """typedef unsigned (0..3) t; place p t: 0, 1, 2; place q t: 1, 3; place r t: 2, 2, 3; place s t: 0, 1;
            trans a in { p: x, y; q: z; r: w; } gate x < y, z > w, 6 / is unsigned x > is unsigned y out { s: x; };
            trans b in { p: n; q: n#x; r: n#x; s: y; } gate y != n out { p: y; };
            trans c in { p: x; q: y; s: z; } gate y > 1, z < 1, x > 0 { t o! (o != 3); } out { r: o; };
            trans d in { r: x; p: y; q: x; s: y; } gate is unsigned y / is unsigned y == 1 out { q: x; s: y; };"""
        ),
        80,
    )


def test_once_a_multi_set_and_conditions_of_output_variables(read: Read) -> None:
    model = read(
        """typedef unsigned (0..3) t; place p t: 0, 1; place q t;
        trans a in { p: x; } { t o! (o > x); } out { q: 1#(x > 0 ? o : (o, x)); };"""
    )
    assert len(model.successors(model.initial()[0])) == 5
    assert compare(model, 40) > 5
