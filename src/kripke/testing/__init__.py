"""Your own Python program under every schedule: ``@kripke.interleave`` on a test.

    import threading
    import kripke.testing

    @kripke.testing.interleave
    def test_counter():
        counter = Counter()
        threads = [threading.Thread(target=counter.increment) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert counter.value == 2

The body runs again and again, each time with another order of steps, until all behaviours were seen.
"""

from __future__ import annotations

try:
    import bytecode as _bytecode  # noqa: F401
    import greenlet as _greenlet  # noqa: F401
except ImportError as missing:
    raise ImportError(
        f"kripke.testing needs the package {missing.name}: pip install 'kripke[pytest]'", name=missing.name
    ) from None

from kripke.testing.choice import choose
from kripke.testing.explore import NotSupported, Report, Settings, explore
from kripke.testing.interleave import InterleavingFailure, NotAllBehaviours, interleave
from kripke.testing.system import System, explore_system, record, stable

__all__ = [
    "InterleavingFailure",
    "NotAllBehaviours",
    "NotSupported",
    "Report",
    "Settings",
    "System",
    "choose",
    "explore",
    "explore_system",
    "interleave",
    "record",
    "stable",
]
