"""Makes toys of ``tests/model``, random programs of ``tests/process`` and ``benchmarks/switches.py`` importable."""

import importlib.util
import sys
from pathlib import Path

HERE = Path(__file__).parent
FILES = {"toys": HERE.parent / "model" / "toys.py", "switches": HERE.parents[1] / "benchmarks" / "switches.py"}

for name, file in FILES.items():
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, file)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)

PROGRAMS = str(HERE.parent / "process")
if PROGRAMS not in sys.path:
    sys.path.insert(0, PROGRAMS)
