"""Estimates of high-level nets: those of the unfolded net (``nets/estimates.py``).

Its steps are the net's own, or more where a capacity forbids one: so a bound for it is one for the net.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kripke.deadline import current
from kripke.model.capabilities.estimate import Estimator, Goal, Way
from kripke.nets.emit import estimate_functions
from kripke.nets.estimates import Errors, NetEstimator, estimator
from kripke.nets.high_level.interpreter import VIOLATIONS
from kripke.nets.high_level.net import HighLevelNet
from kripke.nets.high_level.unfolded_view import UnfoldedView
from kripke.nets.place_transition_view import NotExpressible

if TYPE_CHECKING:
    from kripke.nets.high_level.model import HighLevelModel

MOST_TOKENS = 10_000  # kinds of them
_SECONDS = 3.0  # for the unfolded net


def unfolded(model: HighLevelModel) -> UnfoldedView | str:
    """A sentence where there is no unfolded net, or it takes long."""
    if model.merged_steps or model.always_fair:
        return "nets that are checked module by module, compressed or with fairness sets have no estimates"
    if model.net.implicit_order:
        return "nets with places that are defined by others have no estimates"
    end = current().within(_SECONDS)

    def pause() -> None:
        if end.is_over:
            raise NotExpressible("unfolding the net takes too long for an estimate")

    try:
        view = UnfoldedView(model, pause, "as predicates")
    except NotExpressible as refusal:
        return str(refusal).removesuffix(": choose another search")
    return view if len(view.unfolding.tokens) <= MOST_TOKENS else "the unfolded net is too large for an estimate"


def net_estimator(model: HighLevelModel, view: UnfoldedView, goal: Goal, way: Way) -> NetEstimator | str:
    interpreter, tokens = model.interpreter, view.unfolding.tokens

    def read(state: bytes) -> list[int]:
        marking = interpreter.marking(state)
        return [marking[place].get(value, 0) for place, value in tokens]

    errors = view.errors
    every = (*errors.forbidden, *errors.ends, *errors.failing)
    try:
        predicates = [view.predicate(atom) for atom in model.atoms]
        known = Errors(tuple(error.where for error in every), view.stuck, frozenset(VIOLATIONS))
    except NotExpressible as refusal:
        return str(refusal).removesuffix(": choose another search")
    return estimator(read, view.net, predicates, goal, way, known)


class _Counts:
    """Sums of the tokens that ``COUNT`` has counted."""

    def sum(self, terms: tuple[tuple[int, int], ...]) -> str:
        return " + ".join(f"(int64_t)counts[{place}]" + ("" if by == 1 else f" * {by}") for place, by in terms)


def emit_estimates(net: HighLevelNet, view: UnfoldedView, estimators: Sequence[Estimator]) -> list[str]:
    """A function ``estimate`` as ``model.h`` asks for; it comes behind the shapes of places."""
    distances = [one.distance for one in estimators if isinstance(one, NetEstimator)]
    by_place: list[list[tuple[int, int]]] = [[] for _ in net.places]
    for number, (place, value) in enumerate(view.unfolding.tokens):
        by_place[place].append((net.places[place].type.index(value), number))
    indices = [pair for pairs in by_place for pair in sorted(pairs)]
    starts, total = [0], 0
    for pairs in by_place:
        total += len(pairs)
        starts.append(total)
    listed = ", ".join(f"{{INT64_C({index}), {number}u}}" for index, number in indices)
    always = view.net.initial
    constant = [
        f"    counts[{number}] = {always[number]}u;"
        for number, (place, _) in enumerate(view.unfolding.tokens)
        if net.places[place].constant and always[number]
    ]
    return [
        "/* The tokens of the unfolded net, by place and index. */",
        "typedef struct { int64_t index; uint32_t number; } token;",
        f"static const token unfolded_tokens[] = {{{listed or '{0, 0}'}}};",
        f"static const uint32_t unfolded_start[] = {{{', '.join(map(str, starts))}}};",
        f"static const uint32_t stored_places[] = {{{', '.join(map(str, net.stored)) or '0'}}};",
        f"#define STORED_PLACES {len(net.stored)}u",
        f"#define UNFOLDED {max(1, len(view.unfolding.tokens))}u",
        _COUNT.replace("CONSTANT", "\n".join(constant)),
        estimate_functions(
            _Counts(), distances, ["    uint32_t counts[UNFOLDED];", "    count_tokens(state, length, counts);"]
        ),
    ]


_COUNT = """
static void count_token(uint32_t *counts, uint32_t place, int64_t index, uint64_t count) {
    uint32_t low = unfolded_start[place], high = unfolded_start[place + 1];
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (unfolded_tokens[middle].index < index)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < unfolded_start[place + 1] && unfolded_tokens[low].index == index)
        counts[unfolded_tokens[low].number] = (uint32_t)count;
}

static void count_tokens(const uint8_t *state, uint32_t length, uint32_t *counts) {
    reader r = {state + WIDTH, length - WIDTH, 0};
    memset(counts, 0, UNFOLDED * sizeof *counts);
CONSTANT
    for (uint32_t k = 0; k < STORED_PLACES; k++) {
        const shape *const s = &shapes[stored_places[k]];
        uint64_t total = read_count(&r, s);
        if (!total)
            continue;
        uint64_t kinds = get(&r, bits_of(total)) + 1;
        while (kinds) {
            const uint64_t low = (total + kinds - 1) / kinds, high = total - kinds + 1;
            const uint64_t count = low + (high > low ? get(&r, bits_of(high - low + 1)) : 0);
            count_token(counts, stored_places[k], (int64_t)get(&r, s->value_bits), count);
            total -= count;
            kinds--;
        }
    }
}
"""
