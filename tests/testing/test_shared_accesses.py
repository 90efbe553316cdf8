"""Every kind of sharing in Python is seen: what CPython can do, switched between single instructions, is found."""

from __future__ import annotations

import os
import threading
from typing import Any

import pytest

from kripke.testing import Settings, explore
from tests.testing.opcode_schedules import outcomes
from tests.testing.shared_accesses import CASES

PREEMPTIONS = 2 if os.environ.get("KRIPKE_THOROUGH") else 1


def explored(make: Any) -> tuple[set[Any], bool]:
    """What may be left, and whether that is said to be all."""
    found = set()

    def body() -> None:
        one, other, left = make()
        threads = [threading.Thread(target=worker) for worker in (one, other)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        found.add(left())

    report = explore(body, Settings(seconds=60))
    assert report.failure is None, str(report)
    return found, report.complete


@pytest.mark.parametrize("name", CASES)
def test_no_outcome_is_missed(name: str) -> None:
    happens = outcomes(CASES[name], PREEMPTIONS)
    found, is_all = explored(CASES[name])
    assert is_all == (name not in ("weak_reference", "weak_dictionary"))
    assert not is_all or happens <= found
