"""Many-valued checking: the examples of Chechik, Devereux and Gurfinkel, and the laws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from kripke.checker.check import check_properties
from kripke.engines.plan import SearchPlan
from kripke.logic import formula as logic
from kripke.logic import valued
from kripke.logic.formula import Formula, always, conjunction, disjunction, eventually, made
from kripke.logic.valued import Literal, atom, equivalence, implication, negation, value, value_name
from kripke.model.model import Part, Transition
from kripke.model.property import Temporal
from tests.support.toys import Toy, statement

F, U, M, L, T = range(5)


class Valued(Toy):
    """A graph: ``steps[s]`` are targets, ``values[s]`` what the atoms are worth, from 0 to ``top``."""

    names = ("s",)
    statements = (statement("go", 1),)

    def __init__(
        self,
        steps: Sequence[Sequence[int]],
        values: Sequence[Mapping[str, int]],
        *,
        top: int = T,
        initial: Sequence[int] = (0,),
    ) -> None:
        self.steps, self.values, self.top, self.starts = steps, values, top, initial
        self.atoms = tuple(
            f"{name} {sign} {bound}" for name in values[0] for sign in (">=", "<=") for bound in range(top + 1)
        )

    def initial(self) -> list[bytes]:
        return [bytes([start]) for start in self.starts]

    def successors(self, state: bytes) -> list[Transition]:
        return [Transition((Part(0, 0),), bytes([target])) for target in self.steps[state[0]]]

    def atom_values(self, state: bytes) -> tuple[bool, ...]:
        here = self.values[state[0]]
        return tuple(
            here[name] >= bound if sign == ">=" else here[name] <= bound
            for name in self.values[0]
            for sign in (">=", "<=")
            for bound in range(self.top + 1)
        )


def value_of(model: Valued, formula: Formula) -> int:
    """The value of a formula, by cuts."""
    cuts = tuple(
        valued.cut(
            formula,
            level,
            model.top,
            lambda name, bound: logic.atom(f"{name} >= {bound}"),
            lambda name, bound: logic.atom(f"{name} <= {bound}"),
        )
        for level in range(1, model.top + 1)
    )
    model.properties = (Temporal("f", "ltl", "f", formula=cuts[-1], cuts=cuts),)
    result = check_properties(model, SearchPlan(engine="interpreter", properties=("f",)))
    assert result.verdict == ("holds" if result.value == model.top else "violated")
    assert (result.trace is None) == (result.verdict == "holds")
    assert result.value is not None
    return result.value


def run_of(values: Sequence[Mapping[str, int]], loop_start: int) -> Valued:
    """The model that has a single run."""
    return Valued([[i + 1 if i + 1 < len(values) else loop_start] for i in range(len(values))], values)


LEADER = [{"le": value, "on": F} for value in (U, L, T, L)]  # U L T (L)^w


def both_ways(values: list[Mapping[str, int]], loop_start: int, formula: Formula) -> int:
    """By definition and by cuts."""
    defined = value(formula, values, loop_start, T)
    assert value_of(run_of(values, loop_start), formula) == defined
    return defined


def test_a_run() -> None:
    le, on = atom("le"), atom("on")
    assert both_ways(LEADER, 3, eventually(le)) == T
    assert both_ways(LEADER, 3, eventually(always(le))) == L
    assert both_ways(LEADER, 3, conjunction((le, on))) == F
    assert both_ways(LEADER, 3, negation(on)) == T
    assert both_ways(LEADER, 3, always(le)) == U
    assert both_ways(LEADER, 3, negation(le)) == L


def test_excluded_middle_and_contradiction() -> None:
    le = atom("le")
    assert both_ways([{"le": M}], 0, disjunction((le, negation(le)))) == M
    assert both_ways([{"le": M}], 0, conjunction((le, negation(le)))) == M
    assert both_ways([{"le": L}], 0, implication(le, le)) == L
    assert both_ways([{"le": U}], 0, equivalence(le, le)) == L


def test_catenation_of_languages() -> None:
    """X = {a: T, ab: L}, Y = {bc: M, c: U}: the value of abc in XY is M, the best way to split it."""
    splits = [{"x": T, "y": M}, {"x": L, "y": U}]
    ways = [conjunction((atom(f"x{i}"), atom(f"y{i}"))) for i in range(len(splits))]
    state = {f"{name}{i}": split[name] for i, split in enumerate(splits) for name in split}
    assert both_ways([state], 0, disjunction(ways)) == M


def test_intersection_of_automata() -> None:
    """A1 has ac^w with T and ba^w with L, A2 has ba^w with T: together only ba^w, with L.

    The value of a run is the least of its steps, so the value of the best run is that of !([] step -> false) turned
    round: of not being able to avoid it.
    """

    def best(steps: list[list[int]], values: list[Mapping[str, int]]) -> int:
        return T - value_of(Valued(steps, values), negation(always(atom("step"))))

    # 0 -b-> 1 -a-> 1 ..., and 0 -a-> 2 -c-> 2 in A1; the value of a step is kept in the state it leads to
    first: list[Mapping[str, int]] = [{"step": T}, {"step": L}, {"step": T}]
    assert best([[1, 2], [1], [2]], first) == T
    assert best([[1], [1], [2]], first) == L  # what A2 allows: min of both


def test_values_of_steps() -> None:
    """A lasso a (c d e)^w whose steps are worth U: <>d is T, <>[]d only L, as the run is U that breaks it."""
    names = ("a", "c", "d", "e")
    values = [{**{n: T if n == here else F for n in names}, "step": U} for here in names]
    model = Valued([[1], [2], [3], [1]], values)
    worth = always(atom("step"))
    assert value_of(model, implication(worth, eventually(atom("d")))) == T
    assert value_of(model, implication(worth, eventually(always(atom("d"))))) == L


def test_names_of_values() -> None:
    assert value_name(3, 5) == "likely (3 of 0 to 4)"
    assert value_name(1, 3) == "maybe (1 of 0 to 2)"
    assert value_name(2, 4) == "2 of 0 to 3"


# --- laws -------------------------------------------------------------------------------------------------------------

ATOMS = ("p", "q")


def _larger(parts: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    unary = st.builds(lambda operator, part: made(operator, [part]), st.sampled_from(["X", "F", "G"]), parts)
    operators = st.sampled_from(["and", "or", "U", "R", "W", "M"])
    binary = st.builds(lambda operator, left, right: made(operator, [left, right]), operators, parts, parts)
    arrow = st.builds(implication, parts, parts)
    return st.one_of(unary, binary, arrow, st.builds(negation, parts))


formulas = st.recursive(st.sampled_from([atom(name) for name in ATOMS]), _larger, max_leaves=4)


@st.composite
def models(draw: st.DrawFn, top: int = T, size: int = 4) -> Valued:
    count = draw(st.integers(1, size))
    steps = [draw(st.lists(st.integers(0, count - 1), max_size=2, unique=True)) for _ in range(count)]
    values = [{name: draw(st.integers(0, top)) for name in ATOMS} for _ in range(count)]
    return Valued(steps, values, top=top)


@given(
    st.lists(st.fixed_dictionaries({n: st.integers(F, T) for n in ATOMS}), min_size=1, max_size=4), formulas, st.data()
)
def test_cuts_agree_with_the_definition(values: list[Mapping[str, int]], formula: Formula, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(values) - 1))
    assert value_of(run_of(values, start), formula) == value(formula, values, start, T)
    assert value(negation(formula), values, start, T) == T - value(formula, values, start, T)
    assert negation(negation(formula)) is formula


@given(models(), formulas, formulas)
def test_conjunction_and_disjunction(model: Valued, left: Formula, right: Formula) -> None:
    f, g = value_of(model, left), value_of(model, right)
    assert value_of(model, conjunction((left, right))) == min(f, g)
    assert max(f, g) <= value_of(model, disjunction((left, right)))


@given(models(), formulas, st.data())
def test_a_choice_of_models_is_worth_the_worst(model: Valued, formula: Formula, data: st.DataObject) -> None:
    other = data.draw(st.integers(0, len(model.steps) - 1))
    single = [value_of(Valued(model.steps, model.values, initial=[start]), formula) for start in (0, other)]
    assert value_of(Valued(model.steps, model.values, initial=sorted({0, other})), formula) == min(single)


@given(models(top=1), formulas)
def test_two_values_are_ordinary_logic(model: Valued, formula: Formula) -> None:
    def plain(part: Formula) -> Formula:
        if isinstance(part.atom, Literal):
            there = logic.atom(f"{part.atom.atom} >= 1")
            return there if part.atom.positive else logic.negation(there)
        return made(part.operator, [plain(operand) for operand in part.operands]) if part.operands else part

    found = value_of(model, formula)
    model.properties = (Temporal("f", "ltl", "f", formula=plain(formula)),)
    holds = bool(check_properties(model, SearchPlan(engine="interpreter", properties=("f",))))
    assert found == int(holds)
