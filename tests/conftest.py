"""What all tests share: a cache of compiled models of their own, and how Hypothesis runs."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from kripke.compilation import compiler

# Examples that compile a model take as long as the compiler does: no deadline, and no complaint about slow data.
settings.register_profile("default", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.register_profile("thorough", settings.get_profile("default"), max_examples=2000)
# A run of CI is the same every time: new examples are looked for by people and by the soaks.
settings.register_profile("ci", settings.get_profile("default"), derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "default"))

# In the background of a shell Ctrl-C is ignored, and what the tests start would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests neither use nor fill the cache of the user who runs them. Those that run side by side share one."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    cache = folder / "kripke-cache"
    cache.mkdir(mode=0o700, exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KRIPKE_CACHE", str(cache))
        for name in ("KRIPKE_CC", "KRIPKE_CC_TIMEOUT", "COLUMNS"):  # workers of xdist have COLUMNS
            patch.delenv(name, raising=False)
        yield


@pytest.fixture(autouse=True)
def _compiled_fast(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test compiles in its own process is compiled without optimisation: small models wait for the compiler
    longer than they run. Commands that tests start, and files marked ``optimised``, compile as users do."""
    if request.node.get_closest_marker("optimised") is None:
        flags = tuple("-O0" if flag == "-O1" else flag for flag in compiler.USUAL)
        monkeypatch.setattr(compiler, "USUAL", flags)
