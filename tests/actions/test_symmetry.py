"""Symmetry of processes in LF: exact counts, equal verdicts, and why there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from kripke.engines.explicit.safety import check
from kripke.engines.plan import SearchPlan, Unsupported
from kripke.languages.lf import load
from kripke.model.symmetry import Symmetry

SENDERS = """\
MODULE Senders;
CONST N = 4;
TYPE S = [sig];
PORT q : S;
VAR i, count : INT8;
PROCESS Sender(out : S);
BEGIN WHILE TRUE DO out!sig END END Sender;
PROCESS Receiver(in : S);
BEGIN WHILE TRUE DO in?sig; count := (count + 1) MOD 3; ASSERT(count < LIMIT) END END Receiver;
BEGIN NEW(q); CREATE Receiver(q); FOR i := 1 TO N DO CREATE Sender(q) END END Senders.
"""


def model(tmp_path: Path, text: str, **options: object):  # type: ignore[no-untyped-def]
    file = tmp_path / "m.lf"
    file.write_text(text)
    return load(str(file), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("engine", ["native", "interpreter"])
@pytest.mark.parametrize("method", ["sort", "canonical", "auto"])
def test_senders_count_only_by_how_many_are_where(tmp_path: Path, engine: str, method: str) -> None:
    text = SENDERS.replace("; count := (count + 1) MOD 3; ASSERT(count < LIMIT)", "")
    for number in (2, 4, 6):
        senders = model(tmp_path, text, defines={"N": str(number)})
        result = check(senders, SearchPlan(engine=engine, symmetry=method))  # type: ignore[arg-type]
        # places for each: start, queued, after; as the closed form of all states, 3**N + 2 * 2**N, up to order
        assert result.states == (number + 1) * (number + 2) // 2 + 2 * (number + 1)
        assert result.verdict == "holds"


def test_an_error_has_a_trace_of_the_program_itself(tmp_path: Path) -> None:
    wrong = model(tmp_path, SENDERS.replace("LIMIT", "2"))
    plain, reduced = (check(wrong, SearchPlan(symmetry=one)) for one in ("off", "canonical"))  # type: ignore[arg-type]
    assert plain.verdict == reduced.verdict == "violated"
    assert reduced.trace is not None and plain.trace is not None
    assert len(reduced.trace.steps) == len(plain.trace.steps)


def test_order_of_arrival_stays(tmp_path: Path) -> None:
    text = SENDERS.replace("LIMIT", "3")
    whole = check(model(tmp_path, text, queues="arrival"), SearchPlan())
    reduced = check(model(tmp_path, text, queues="arrival"), SearchPlan(symmetry="canonical"))
    assert whole.verdict == reduced.verdict == "holds"
    assert 2 * reduced.states < whole.states


@pytest.mark.parametrize(
    ("change", "options", "reason"),
    [
        (("", ""), {"queues": "kernel"}, "with --queues kernel records name the processes behind them in queues"),
        (("CREATE Sender(q)", "CREATE Sender(q); INC(count)"), {}, None),
        (("WHILE TRUE DO out!sig END", "out!sig"), {}, "processes of Sender, or some before them, may end"),
        (
            ("(out : S)", "(out : S; k : INT8)", "Sender(q)", "Sender(q, i)"),
            {},
            "no two processes that the initialisation starts are of one type with the same arguments",
        ),
        (
            ("WHILE TRUE DO out!sig END", "WHILE TRUE DO Receiver(out) END"),
            {},
            "processes of Sender start others",
        ),
    ],
)
def test_who_is_alike(tmp_path: Path, change: tuple[str, ...], options: dict[str, object], reason: str | None) -> None:
    text = SENDERS.replace("LIMIT", "3")
    for before, after in zip(change[::2], change[1::2], strict=True):
        text = text.replace(before, after)
    found = model(tmp_path, text, **options).symmetry()
    assert isinstance(found, Symmetry) if reason is None else found == reason
    if reason is not None:
        with pytest.raises(Unsupported):
            check(model(tmp_path, text, **options), SearchPlan(symmetry="canonical"))
