"""Symmetry of networks: the counts of the paper, refusals, and random symmetric networks against all their states."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from kripke.algebra.model import TermProcess
from kripke.algebra.network_model import NetworkModel
from kripke.algebra.symmetry.group import Tables, closed, product
from kripke.cli.main import main
from kripke.engines.plan import SearchPlan, Unsupported
from kripke.engines.refinement.assertions import check
from kripke.engines.symmetry.permutation_representative import representative_of
from kripke.languages.cspm.loading import load
from kripke.model.permutation_symmetry import UNCHANGED, Permutation, PermutationSymmetry
from tests.support.seeds import sample

EXAMPLES = Path(__file__).parents[2] / "examples" / "cspm"
POLES = "ABCDEFG"


def hanoi(poles: int) -> str:
    text = (EXAMPLES / "hanoi.csp").read_text()
    return text.replace("A | B | C | D", " | ".join(POLES[:poles]))


def dijkstra(participants: int) -> str:
    text = (EXAMPLES / "dijkstra.csp").read_text()
    return text.replace("P1 | P2 | P3", " | ".join(f"P{number + 1}" for number in range(participants)))


def states(text: str, number: int = 0, **plan) -> int:
    model = load("script.csp", text=text)
    [result] = check(model, [model.assertions[number]], SearchPlan(**plan))
    assert result.verdict == "holds"
    return result.states


@pytest.mark.parametrize(("poles", "all_states", "orbits"), [(4, 256, 51), (5, 625, 52), (6, 1296, 52), (7, 2401, 52)])
def test_hanoi(poles: int, all_states: int, orbits: int) -> None:
    text = hanoi(poles)
    assert states(text.replace(" :[symmetry reduce]: diff(POLES, {A})", "")) == all_states
    assert states(text) == orbits  # SymCheck1
    assert states(text, symmetry="canonical") == orbits  # SymCheck2
    if poles < 6:
        assert states(text, engine="interpreter") == orbits


@pytest.mark.parametrize(("participants", "all_states", "orbits"), [(2, 291, 147), (3, 11508, 1986)])
def test_dijkstra(participants: int, all_states: int, orbits: int) -> None:
    text = dijkstra(participants)
    assert states(text, 2) == all_states
    assert states(text, 0) == orbits  # SymCheck2
    assert states(text, 1) == orbits  # SymCheck3
    with pytest.raises(Unsupported, match="SymCheck1, does not apply: an exchange of two values changes the states"):
        states(text, 0, symmetry="sort")


def test_what_was_chosen_is_said(capsys) -> None:
    assert main(["check", str(EXAMPLES / "dijkstra.csp"), "--property", "assert2"]) == 0
    said = capsys.readouterr()
    assert "searched with symmetry by SymCheck3, 6 permutations" in said.out + said.err
    assert "SymCheck2 does not apply: the specification is not symmetric in every one" in said.out + said.err


REFUSED = [
    ("P = a.X -> P [] a.Y -> b.X -> P", "{X, Y}", "the graph of a process is not mapped to itself"),
    ("P = a.X -> P [] a.Y -> b.X -> P [] a.Z -> STOP", "{Y, Z}", "what becomes b.X, and its like"),
    (
        "Q(i) = a.i -> Q(i)\nP = ||| i:ID @ (if i == X then b.i -> STOP else Q(i))",
        "ID",
        "a process at its start does what becomes b.Y",
    ),
    ("Q = a?i -> Q\nP = Q [|{a.X}|] Q", "ID", "the synchronised set treats a.X unlike a.Y"),
    ("P = (a?i -> STOP) \\ {a.X}", "{X, Y}", "hiding treats a.X unlike a.Y"),
    ("P = (a?i -> STOP) [[a.X <- b.X]]", "{X, Y}", "renaming treats"),
    ("P = (a?i -> STOP) [a.X <-> b.Y] (b?i -> STOP)", "{X, Y}", "the linked pairs of events"),
    ("P = c -> STOP", "ID", "the claimed permutations change nothing in this process"),
]


@pytest.mark.parametrize(("text", "claim", "reason"), REFUSED)
def test_refused(text: str, claim: str, reason: str) -> None:
    head = "datatype ID = X | Y | Z\nchannel a, b : ID\nchannel c\n"
    model = load("script.csp", text=f"{head}{text}\nassert P :[deadlock free [F]]\n", symmetric=[claim])
    made = TermProcess(model).as_network(None)
    assert isinstance(made, NetworkModel)
    found = made.symmetry()
    assert isinstance(found, str) and reason in found, found


def test_specification_must_be_symmetric() -> None:
    text = "datatype ID = X | Y\nchannel a : ID\nP = a?i -> P\nS = a.X -> S [] a.Y -> a.X -> S\n"
    model = load("script.csp", text=text + "assert S [T= P :[symmetry reduce]: ID\n")
    [result] = check(model, model.assertions, SearchPlan())
    assert result.verdict == "violated"
    assert any("without symmetry" in warning and "goes on differently" in warning for warning in result.warnings)


def test_claims_that_are_none() -> None:
    text = "datatype ID = X | Y\nchannel a : ID\nP = a?i -> P\nassert P :[deadlock free [F]]\n"
    for claim, reason in [
        ("{X}", "claims nothing"),
        ("<(X, Y)>", "no permutation"),
        ("3", "claims no symmetry"),
        ("<(X, Y), (X, X)>", "becomes both"),
    ]:
        with pytest.raises(Exception, match=reason):
            load("script.csp", text=text, symmetric=[claim]).claims()


def test_a_single_permutation_of_events() -> None:
    text = "channel a, b\nP(x) = x -> P(x)\nQ = P(a) ||| (a -> STOP ||| b -> STOP) ||| P(b)\n"
    model = load("script.csp", text=text + "assert RUN({a, b}) [T= Q\n", symmetric=["<(a, b), (b, a)>"])
    [full] = check(model, model.assertions, SearchPlan())
    [reduced] = check(model, model.assertions, SearchPlan(symmetry="auto"))
    assert (full.states, reduced.states) == (4, 3)


def test_groups() -> None:
    tables = Tables()
    turn = Permutation((2, 0, 1), (UNCHANGED,) * 3)
    swap = Permutation((1, 0, 2), (UNCHANGED,) * 3)
    assert len(closed(tables, [turn])) == 3
    assert len(closed(tables, [turn, swap])) == 6
    assert closed(tables, [turn, swap], most=5) == []
    flip = tables.number([1, 0])
    both = Permutation((1, 0, 2), (flip, UNCHANGED, UNCHANGED))
    assert product(tables, both, both) == Permutation((0, 1, 2), (flip, flip, UNCHANGED))


def test_values_are_ranked() -> None:
    """Keys change places with the values, and the sums put them in order."""
    model = load("script.csp", text=dijkstra(3), symmetric=["ID"])
    made = TermProcess(model).as_network(None)
    assert isinstance(made, NetworkModel)
    symmetry = made.symmetry()
    assert isinstance(symmetry, PermutationSymmetry) and symmetry.ranking is not None
    ranking = symmetry.ranking
    assert ranking.counts == (3,) and sorted(ranking.images)[0] == (0, 1, 2) and len(set(ranking.images)) == 6
    random = Random(1)
    for _ in range(50):
        row = tuple(random.randrange(len(keys)) for keys in ranking.keys)
        sums = ranking.sums(row)
        for permutation, image in zip(symmetry.permutations, ranking.images[1:], strict=True):
            moved = ranking.sums(symmetry.image(permutation, row))
            assert [moved[to] for to in image] == sums
        assert any(ranking.in_order(sums, image) for image in ranking.images)


def test_two_sets_of_values() -> None:
    text = """
datatype ID = X | Y | Z
datatype KEY = K | L
channel a : ID.KEY
P(i) = a.i?k -> Q(i, k)
Q(i, k) = a.i.k -> P(i)
N = ||| i:ID @ P(i)
assert RUN({|a|}) [T= N
"""
    model = load("script.csp", text=text, symmetric=["ID", "KEY"])
    made = TermProcess(model).as_network(None)
    assert isinstance(made, NetworkModel)
    symmetry = made.symmetry()
    assert isinstance(symmetry, PermutationSymmetry) and symmetry.ranking is not None
    assert symmetry.ranking.counts == (3, 2)
    counts = [
        check(model, model.assertions, SearchPlan(engine=engine, symmetry="canonical"))[0].states
        for engine in ("native", "interpreter")
    ]
    # so many hold the one, so many the other, whichever that is
    assert counts == [6, 6]
    assert check(model, model.assertions, SearchPlan())[0].states == 27


# ---- random networks ----


def symmetric_script(seed: int) -> str:
    """Processes that treat all values of a type alike, under operators that do, and specifications."""
    random = Random(seed)

    def body(depth: int, mine: str) -> str:
        if depth == 0:
            return random.choice(["P(i)", f"R({mine})", "STOP", "P(i)"])
        kind = random.randrange(7)
        if kind == 0:
            return f"a.{mine} -> {body(depth - 1, mine)}"
        if kind == 1:
            return f"b?j -> {body(depth - 1, random.choice([mine, 'j']))}"
        if kind == 2:
            return f"c.{mine}?j -> (if i == j then {body(depth - 1, mine)} else {body(depth - 1, 'j')})"
        if kind == 3:
            return f"d -> {body(depth - 1, mine)}"
        if kind == 4:
            return f"(a.{mine} -> {body(depth - 1, mine)} |~| {body(depth - 1, mine) if depth > 1 else 'STOP'})"
        if kind == 5:
            return f"(d -> {body(depth - 1, mine)} [] a.{mine} -> {body(depth - 1, mine)})"
        return f"([] j:diff(ID, {{{mine}}}) @ c.j.{mine} -> {body(depth - 1, 'j')})"

    def guarded(depth: int) -> str:
        return random.choice(["a.i -> ", "b?j -> ", "d -> "]) + body(depth, "i")

    shared = lambda: "{|" + ",".join(name for name in "abcd" if random.random() < 0.4) + "|}"  # noqa: E731
    network = random.choice(
        [
            "(||| i:ID @ P(i))",
            f"([|{shared()}|] i:ID @ P(i))",
            "(|| i:ID @ [union({|a.i, b, d|}, {c.x.y | x <- ID, y <- ID, x == i or y == i})] P(i))",
        ]
    )
    if random.random() < 0.6:
        network = f"({network} [|{shared()}|] V)"
    if random.random() < 0.3:
        network = f"({network} [[a.i <- b.i | i <- ID]])"
    if random.random() < 0.5:
        network = f"({network} \\ {shared()})"
    return f"""
datatype ID = I1 | I2 | I3
channel a, b : ID
channel c : ID.ID
channel d
P(i) = {guarded(2)}
R(i) = {guarded(1)}
V = |~| k:ID @ W(k)
W(k) = a?i -> W(i) [] c.k?j -> W(j) [] b!k -> V
N = {network}
ONE = a?i -> b.i -> ONE [] c?i?j -> ONE [] d -> ONE
assert RUN(Events) [T= N
assert ONE [T= N
assert N :[deadlock free [F]]
assert CHAOS({{|a, b, c|}}) [F= N
"""


@pytest.mark.parametrize("seed", sample(range(16)))
def test_random_networks(seed: int) -> None:
    model = load("script.csp", text=symmetric_script(seed), symmetric=["ID"])
    made = TermProcess(model).as_network(None)
    assert isinstance(made, NetworkModel)
    symmetry = made.symmetry()
    if isinstance(symmetry, str):
        assert "change nothing" in symmetry, symmetric_script(seed)
        return
    every = reachable(made)
    is_automorphism(made, symmetry, every)
    classes = {method: {representative_of(symmetry, method, s) for s in every} for method in symmetry.methods}
    assert len({len(those) for those in classes.values()}) == 1
    plan = SearchPlan(all_errors=True)
    for assertion in model.assertions:
        [full] = check(model, [assertion], replace(plan, engine="native"))
        for engine in ("native", "interpreter"):
            for method in symmetry.methods:
                [reduced] = (
                    check(model, [assertion], SearchPlan(engine=engine, symmetry=method))
                    if (assertion.name != "ONE [T= N" or method == "canonical")
                    else [full]
                )
                assert reduced.verdict == full.verdict, (assertion.name, symmetric_script(seed))
                if full.verdict == "violated":
                    assert len(reduced.trace.steps) == len(full.trace.steps)
                elif assertion.name.startswith("RUN"):
                    assert reduced.states == len(classes[method])


def reachable(model: NetworkModel) -> list[bytes]:
    found = model.initial()
    seen = set(found)
    for state in found:
        for step in model.successors(state):
            if step.target not in seen:
                seen.add(step.target)
                found.append(step.target)
        if len(found) > 3_000:
            pytest.skip("too large to list")
    return found


def is_automorphism(model: NetworkModel, symmetry: PermutationSymmetry, every: list[bytes]) -> None:
    """Every permutation maps states to states and steps to steps, of as many events."""
    known = set(every)
    for permutation in symmetry.permutations:
        for state in every[:200]:
            image = symmetry.written(symmetry.image(permutation, symmetry.row(state)), state)
            assert image in known
            targets = sorted(
                symmetry.written(symmetry.image(permutation, symmetry.row(step.target)), step.target)
                for step in model.successors(state)
            )
            assert targets == sorted(step.target for step in model.successors(image))
