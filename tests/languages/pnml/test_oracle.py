"""Known answers about the contest's nets: two examinations of each; ``tests/soak_contest.py`` has them all."""

from __future__ import annotations

import pytest

from tests.support.contest_oracle import CORPUS, KINDS, computed, instances, known, model_of

pytest.importorskip("kripke._native")
from kripke.engines.nets.formulas.answers import QueryAnswerer

SAMPLE = [
    (name, KINDS[(2 * number + which) % len(KINDS)]) for number, name in enumerate(instances()) for which in (0, 1)
]


@pytest.mark.skipif(not CORPUS.is_dir(), reason=f"the contest's nets are not at {CORPUS}")
@pytest.mark.parametrize(("name", "kind"), SAMPLE)
def test_known_answers(name: str, kind: str) -> None:
    assert computed(QueryAnswerer(model_of(name)), name, kind) == known(name, kind)
