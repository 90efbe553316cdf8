"""Equivalences against definitions taken literally, and against each other."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from kripke.algebra.lts.composition import composed
from kripke.algebra.lts.equivalences import (
    NAMES,
    divergent,
    equivalent,
    partition,
    quotient,
    reference_partition,
    without_tau_loops,
)
from kripke.algebra.lts.system import Lts
from kripke.cli.main import main
from kripke.model.source import ModelError


def random_lts(random: Random, most: int = 7) -> Lts:
    states = random.randrange(1, most + 1)
    steps = [
        sorted({(random.choice((0, 0, 1, 2)), random.randrange(states)) for _ in range(random.randrange(4))})
        for _ in range(states)
    ]
    return Lts(0, steps, ["i", "a", "b"])


def largest(states: int, matches) -> set[tuple[int, int]]:
    """The largest symmetric relation all of whose pairs match."""
    related = {(s, t) for s in range(states) for t in range(states)}
    while True:
        kept = {(s, t) for s, t in related if matches(s, t, related) and matches(t, s, related)}
        if kept == related:
            return related
        related = kept


def closure(lts: Lts, state: int) -> set[int]:
    found = {state}
    while True:
        more = {t for s in found for label, t in lts.steps[s] if label == 0} - found
        if not more:
            return found
        found |= more


def by_definition(lts: Lts, equivalence: str) -> set[tuple[int, int]]:
    steps = lts.steps

    def strong(s, t, related):
        return all(any(b == a and (q, r) in related for b, r in steps[t]) for a, q in steps[s])

    def weak(s, t, related):
        for a, q in steps[s]:
            if a == 0:
                ends = closure(lts, t)
            else:
                middle = {r for m in closure(lts, t) for b, r in steps[m] if b == a}
                ends = {e for r in middle for e in closure(lts, r)}
            if not any((q, e) in related for e in ends):
                return False
        return True

    def branching(s, t, related):
        for a, q in steps[s]:
            if a == 0 and (q, t) in related:
                continue
            # t goes unseen, staying related to s, to a state that does the same.
            seen, stack, good = {t}, [t], False
            while stack and not good:
                m = stack.pop()
                good = any(b == a and (q, r) in related for b, r in steps[m])
                for b, r in steps[m]:
                    if b == 0 and r not in seen and (s, r) in related:
                        seen.add(r)
                        stack.append(r)
            if not good:
                return False
        return True

    def divergence_branching(s, t, related):
        if not branching(s, t, related):
            return False
        return stays(s, s, related) <= stays(t, s, related)

    def stays(start, with_, related):
        """Can it go on unseen for ever among states related to one?"""
        inside = {m for m in range(len(steps)) if (with_, m) in related}
        limited = [
            [(0, r) for b, r in steps[m] if b == 0 and r in inside] if m in inside else [] for m in range(len(steps))
        ]
        return start in divergent(limited)

    rules = {
        "strong": strong,
        "weak": weak,
        "branching": branching,
        "divergence-branching": divergence_branching,
    }
    return largest(len(steps), rules[equivalence])


@pytest.mark.parametrize("equivalence", ["strong", "weak", "branching", "divergence-branching"])
def test_partition_is_the_largest_relation(equivalence):
    for seed in range(300):
        lts = random_lts(Random(seed))
        blocks = partition(lts.steps, equivalence)
        expected = by_definition(lts, equivalence)
        found = {(s, t) for s in range(len(blocks)) for t in range(len(blocks)) if blocks[s] == blocks[t]}
        assert found == expected, (seed, lts.steps)


def numbered(blocks):
    known = {}
    return [known.setdefault(block, len(known)) for block in blocks]


@pytest.mark.parametrize("equivalence", NAMES)
def test_native_and_reference(equivalence):
    for seed in range(400):
        random = Random(seed)
        lts = random_lts(random, random.choice((3, 8, 30, 120)))
        expected = numbered(reference_partition(lts.steps, equivalence))
        assert partition(lts.steps, equivalence) == expected, (seed, lts.steps)


def test_long_chains_and_many_labels():
    """What a refinement does in as many rounds as there are states, and labels below the invisible one."""
    chain = [[(1, state + 1)] for state in range(20_000)] + [[]]
    assert len(set(partition(chain, "strong"))) == 20_001
    unseen = [[(0, state + 1)] for state in range(20_000)] + [[(1, 0)]]
    assert len(set(partition(unseen, "branching"))) == 1
    many = [[(label, label) for label in range(1, 2_000)]] + [[] for _ in range(2_000)]
    assert len(set(partition(many, "strong"))) == 2
    assert partition([[(-1, 1)], [(-2, 0)], [(0, 0)]], "strong") == [0, 1, 2]


def test_coarser_and_finer():
    for seed in range(300):
        lts = random_lts(Random(seed), 12)
        size = {e: len(set(partition(lts.steps, e))) for e in ("strong", "divergence-branching", "branching", "weak")}
        assert size["strong"] >= size["divergence-branching"] >= size["branching"] >= size["weak"]


@pytest.mark.parametrize("equivalence", ["strong", "branching", "divergence-branching", "weak", "divergence-weak"])
def test_quotient_is_equivalent(equivalence):
    for seed in range(300):
        lts = random_lts(Random(seed), 12)
        smaller = quotient(lts, equivalence)
        assert equivalent(lts, smaller, equivalence), (seed, lts.steps)
        assert len(smaller.steps) <= len(lts.steps)


def test_loops_go_and_divergence_stays():
    for seed in range(200):
        lts = random_lts(Random(seed), 12)
        assert equivalent(lts, without_tau_loops(lts), "divergence-branching"), (seed, lts.steps)


def test_files(tmp_path: Path):
    lts = Lts(0, [[(1, 1), (0, 0)], [(2, 0)]], ["i", 'say "a"', "b"])
    lts.write(str(tmp_path / "x.aut"))
    assert Lts.read(str(tmp_path / "x.aut")) == lts
    (tmp_path / "y.aut").write_text('des (0, 2, 2)\n(0, "a", 1)\n(0, a, 7)\n')
    with pytest.raises(ModelError, match="there are 2 states, counted from 0"):
        Lts.read(str(tmp_path / "y.aut"))


def test_composition(tmp_path: Path):
    one = Lts(0, [[(1, 1)], [(2, 0)]], ["i", "a", "b"])
    other = Lts(0, [[(1, 1)], [(2, 0)]], ["i", "b", "c"])
    both = composed([one, other], None)
    assert (len(both.steps), both.transitions) == (4, 5)
    alone = composed([one, other], [])
    assert (len(alone.steps), alone.transitions) == (4, 8)
    with pytest.raises(ModelError, match="no system has the event x"):
        composed([one, other], ["x"])


def test_command(tmp_path: Path, capsys):
    file, smaller = str(tmp_path / "x.aut"), str(tmp_path / "y.aut")
    Lts(0, [[(0, 1)], [(1, 2)], [(1, 1), (0, 2)]], ["i", "a"]).write(file)
    assert main(["lts", "minimise", file, "-o", smaller, "--equivalence", "branching"]) == 0
    assert capsys.readouterr().out == "1 states, 1 transitions (from 3 states)\n"
    assert main(["lts", "compare", file, smaller, "--equivalence", "branching"]) == 0
    assert main(["lts", "compare", file, smaller]) == 1
