"""What is known when the time is over is said, whichever stage the end comes in."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from kripke.cli.alarm import Alarm
from kripke.cli.main import main
from kripke.deadline import Deadline, OutOfTime, keeping


def test_an_error_stays_an_error_if_its_trace_is_cut_off(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "m.pml"
    file.write_text("byte x; active proctype P() { x = 1; assert(x == 2) }")

    def late(*_: object) -> None:
        raise OutOfTime

    monkeypatch.setattr("kripke.clarity.clear.clear_result", late)
    assert main(["check", str(file), "--time-limit", "60"]) == 1
    assert "violated: assertion assert(x == 2)" in capsys.readouterr().out


def test_the_alarm_leaves_a_stage_with_time_of_its_own_alone() -> None:
    with keeping(Deadline(0.0)) as deadline, Alarm(deadline):
        with keeping(Deadline(3600)):
            signal.raise_signal(signal.SIGALRM)
        with pytest.raises(OutOfTime):
            signal.raise_signal(signal.SIGALRM)
