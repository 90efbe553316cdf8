"""Makes the toy models of ``tests/model`` and the random programs of ``tests/process`` importable."""

import importlib.util
import sys
from pathlib import Path

if "toys" not in sys.modules:
    spec = importlib.util.spec_from_file_location("toys", Path(__file__).parents[1] / "model" / "toys.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["toys"] = module
    spec.loader.exec_module(module)

PROGRAMS = str(Path(__file__).parents[1] / "process")
if PROGRAMS not in sys.path:
    sys.path.insert(0, PROGRAMS)
