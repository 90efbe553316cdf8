"""The conformance tests of the W3C: each ends in ``pass`` when it runs, and cannot reach ``fail`` in a check."""

from __future__ import annotations

from pathlib import Path

import pytest

from kripke.engines.explicit.safety import check
from kripke.engines.plan import SearchPlan
from kripke.languages.scxml import load
from kripke.languages.scxml.execution import run
from kripke.model.source import ModelError

CORPUS = Path(__file__).parents[4] / "shared" / "corpus" / "scxml"
FILES = sorted(CORPUS.glob("*/*/*.scxml"))

INVOKE = "invoke is not supported: a chart is checked as one session"
HTTP = "the I/O processor basichttp is not supported"
SCRIPT = "script is not supported"
REFUSED = {
    **dict.fromkeys((191, 192, 207, 215, 223, 225, 232, 233, 234, 243, 245, 247, 252, 276, 347), INVOKE),
    **dict.fromkeys((201, 510, 520, 522, 531, 534, 567, 577), HTTP),
    452: SCRIPT,
    456: SCRIPT,
}


def number(file: Path) -> int:
    return int("".join(c for c in file.stem if c.isdigit()))


REFUSED_FILES = [file for file in FILES if number(file) in REFUSED or number(file) == 415]
RUN_FILES = [file for file in FILES if file not in REFUSED_FILES]
needs_corpus = pytest.mark.skipif(not FILES, reason="the corpus is not here")


@needs_corpus
def test_how_many() -> None:
    assert (len(RUN_FILES), len(REFUSED_FILES)) == (76, 26)


@pytest.mark.parametrize("file", RUN_FILES, ids=lambda file: file.stem)
def test_run(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(str(file), (), None, real_time=False) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "ended in pass"


@pytest.mark.parametrize("file", RUN_FILES, ids=lambda file: file.stem)
def test_check(file: Path) -> None:
    """With the environment that the chart itself asks for."""
    never, sometime = "!In('fail')", "!In('pass')"
    model = load(str(file), invariants=[never, sometime])
    options = SearchPlan(engine="interpreter", invariants=(never,))
    result = check(model, options)
    assert (result.verdict, result.complete) == ("holds", True)
    assert check(model, SearchPlan(engine="interpreter", invariants=(sometime,))).verdict == "violated"


@pytest.mark.parametrize("file", REFUSED_FILES, ids=lambda file: file.stem)
def test_refused(file: Path) -> None:
    with pytest.raises(ModelError) as error:
        load(str(file))
    assert error.value.message == REFUSED.get(number(file), INVOKE)
    assert error.value.span is not None and error.value.source_line
