"""Work in a process of its own: how it may end."""

import signal
import time

import pytest

from kripke.deadline import OutOfTime
from kripke.engines.apart import work_apart
from kripke.engines.unsupported import Unsupported


def raising(error):
    def work(report):
        raise error

    return work


@pytest.mark.parametrize(("error", "reason"), [(OutOfTime(), "time"), (MemoryError(), "memory")])
def test_limits_that_the_work_itself_meets_are_no_crashes(error, reason):
    done = work_apart(raising(error), memory=None, time_limit=60)
    assert (done.answer, done.reason) == (None, reason)


def test_a_refusal_is_raised_here_and_a_crash_says_where():
    with pytest.raises(Unsupported, match="not this"):
        work_apart(raising(Unsupported("not this")), memory=None, time_limit=None)
    with pytest.raises(RuntimeError, match="ValueError: here"):
        work_apart(raising(ValueError("here")), memory=None, time_limit=None)


def test_limits_that_the_parent_sees_end_the_work():
    begin = time.perf_counter()
    assert work_apart(lambda report: time.sleep(60), memory=None, time_limit=0.3).reason == "time"
    assert (
        work_apart(lambda report: len([0] * 80_000_000 + [time.sleep(60)]), memory=1 << 27, time_limit=None).reason
        == "memory"
    )
    assert time.perf_counter() - begin < 30


def test_an_interruption_ends_the_work():
    def interrupt(number, frame):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        assert work_apart(lambda report: time.sleep(60), memory=None, time_limit=None).reason == "interrupted"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
