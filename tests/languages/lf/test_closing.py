"""Open programs are closed: interrupts come at any time, and what depends on devices may go either way."""

from __future__ import annotations

from pathlib import Path

import pytest

from kripke.engines.explicit.safety import check
from kripke.engines.plan import SearchPlan
from kripke.languages.lf import load
from kripke.model.source import ModelError
from tests.support.action_agreement import assert_agreement

HEATER = """MODULE Heater;
CONST Thermometer = 300H; Window = 301H; Switch = 302H;
VAR temperature : INT32; open : INT8; on, isOpen : BOOLEAN;

PROCESS Thermostat;
BEGIN
  WHILE TRUE DO
    PORTIN(Window, open);
    isOpen := FALSE;
    IF open # 0 THEN isOpen := TRUE; on := FALSE END;
    PORTIN(Thermometer, temperature);
    IF ~isOpen THEN
      IF temperature < 20 THEN on := TRUE
      ELSIF temperature > 22 THEN on := FALSE
      END
    END;
    IF on THEN PORTOUT(Switch, 1) ELSE PORTOUT(Switch, 0) END;
    ASSERT(~(on & isOpen));
    RESCHEDULE
  END
END Thermostat;

BEGIN
  CREATE Thermostat
END Heater.
"""
OPEN = """MODULE Open;
TYPE Msg = [value(INT32), other(INT32)];
PORT q : Msg;
VAR a : ARRAY 4 OF INT8; x, y : INT32; b : BOOLEAN;
PROCESS Sender(out : Msg);
VAR v : INT32;
BEGIN PORTIN(1, v); out!value(v + 1); out!other(3) END Sender;
PROCESS Set(VAR to : INT32; from : INT32);
BEGIN to := from END Set;
BEGIN
  NEW(q); CREATE Sender(q); q?value(x); q?other(y);
  {body}
END Open.
"""


def closed(folder: Path, text: str, **options: object) -> object:
    file = folder / "open.lf"
    file.write_text(text)
    model = load(str(file), close=True, **options)  # type: ignore[arg-type]
    return model, check(model, SearchPlan())


def test_conditions_on_devices_go_either_way(tmp_path: Path) -> None:
    model, result = closed(tmp_path, HEATER)  # type: ignore[misc]
    assert (result.verdict, result.states) == ("holds", 11)
    assert [warning.span.line for warning in model.warnings] == [10, 13, 14]
    assert_agreement(model.program, tmp_path)
    wrong = HEATER.replace("isOpen := TRUE; on := FALSE END", "isOpen := TRUE END")
    _, result = closed(tmp_path, wrong)  # type: ignore[misc]
    assert (result.verdict, result.kind) == ("violated", "assertion")


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        ("ASSERT(x = 4)", "violated"),  # it came from the device
        ("ASSERT(y = 3)", "holds"),  # it did not
        ("y := x; ASSERT(y = 0)", "violated"),
        ("Set(y, x); ASSERT(y = 0)", "violated"),
        ("Set(y, 5); ASSERT(y = 5)", "holds"),
        ("IF x = 2 THEN y := 4 ELSE y := 5 END; ASSERT(y > 3)", "holds"),
        ("IF x = 2 THEN y := 4 ELSE y := 5 END; ASSERT(y = 4)", "violated"),
        ("b := x = y; IF b THEN y := 7 END; ASSERT(y = 3)", "violated"),
        ("WHILE x > 0 DO DEC(x) END; ASSERT(y = 3)", "holds"),
    ],
)
def test_what_came_from_a_device_is_unknown(tmp_path: Path, body: str, verdict: str) -> None:
    _, result = closed(tmp_path, OPEN.replace("{body}", body))  # type: ignore[misc]
    assert result.verdict == verdict


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("a[x] := 1", "the index depends on what a device answers"),
        ("SELECT WHEN q?other(y) & (x = 1) THEN END", "the guard depends on what a device answers"),
        ("q?value(3)", "what is received here depends on what a device answers"),
    ],
)
def test_what_cannot_be_closed(tmp_path: Path, body: str, message: str) -> None:
    with pytest.raises(ModelError) as raised:
        closed(tmp_path, OPEN.replace("{body}", body))
    assert raised.value.message == message


def test_conditions_of_the_user_are_known(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="x > 0 depends on what a device answers"):
        closed(tmp_path, OPEN.replace("{body}", "y := 0"), invariants=("x > 0",))
