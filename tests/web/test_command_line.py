"""The words of a plan ask the same as the plan."""

from __future__ import annotations

import argparse
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kripke.cli.arguments import parse
from kripke.cli.command_line import words_of
from kripke.cli.request import definition
from kripke.engines.explicit.stores import STORES
from kripke.engines.plan import SearchPlan, Unsupported
from kripke.engines.registry import searches
from kripke.engines.symmetry.symmetric import CHOICES

TEXTS = st.lists(st.sampled_from(["x < 3", "-x == 1", "--y", "[] p"]), max_size=2)
NUMBERS = st.integers(1, 1_000_000)
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "search": st.sampled_from([None, *searches()]),
    "engine": st.sampled_from([None, "native", "interpreter", "bdd"]),
    "store": st.sampled_from([None, *STORES]),
    "por": st.sampled_from([False, True, "auto"]),
    "symmetry": st.sampled_from(CHOICES),
    "deadlock": st.booleans(),
    "clarify": st.booleans(),
    "all_errors": st.booleans(),
    "coverage": st.booleans(),
    "shortest": st.booleans(),
    "fair": st.sampled_from([None, "weak", "strong-edges"]),
    "threads": st.integers(1, 4),
    "max_states": st.none() | NUMBERS,
    "max_depth": st.none() | NUMBERS,
    "memory": st.none() | NUMBERS,
    "time_limit": st.none() | st.sampled_from([1.5, 10.0, 3600.0]),
    "another": st.none() | st.integers(1, 3),
    "invariants": TEXTS,
    "ctl": TEXTS,
    "properties": TEXTS,
    "seed": st.none() | NUMBERS,
}


@given(st.fixed_dictionaries({}, optional=FIELDS))
def test_words_are_read_back(given_fields: dict[str, Any]) -> None:
    try:
        plan = SearchPlan.of(given_fields)
    except Unsupported:
        return
    words = words_of(plan, "m.pml", {"N": "3", "FAST": "1"}, ("[] q", "-1 < x"))
    options: argparse.Namespace = parse("check", words)
    assert options.file == "m.pml"
    assert dict(map(definition, options.defines)) == {"N": "3", "FAST": "1"}
    assert options.ltl == ["[] q", "-1 < x"]
    assert SearchPlan.of(vars(options)) == plan
