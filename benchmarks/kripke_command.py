"""Measure Kripke through its command line, the way a user runs it."""

import json
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from child import BenchmarkError, Finished, run_child
from manifest import BenchmarkModel
from measurement import Measurement

SHORTEST_SEARCH = 1e-6


def find_kripke() -> Path | None:
    """The command installed beside this Python, else the one on PATH."""
    beside = Path(sys.executable).parent / "kripke"
    if beside.exists():
        return beside
    found = shutil.which("kripke")
    return Path(found) if found else None


@dataclass(frozen=True)
class KripkeCommand:
    executable: Path
    extra_options: tuple[str, ...] = ()

    def measure(self, model: BenchmarkModel, cache: Path) -> Measurement:
        """One check; `cache` holds compiled models, so an empty folder makes the run a cold one."""
        command = [str(self.executable), "check", str(model.path), "--json", "--no-por"]
        command += [*model.define_options, *self.extra_options]
        finished = run_child(command, environment={**os.environ, "KRIPKE_CACHE": str(cache)})
        if finished.code != 0:
            raise BenchmarkError(
                f"{model.name}: kripke ended with code {finished.code}, expected 0 (holds)\n"
                f"{' '.join(command)}\n{finished.stdout}{finished.stderr}"
            )
        return read_result(finished, model)


def read_result(finished: Finished, model: BenchmarkModel) -> Measurement:
    try:
        result = json.loads(finished.stdout)
        if result["verdict"] != "holds" or result["complete"] is not True:
            raise BenchmarkError(f"{model.name}: kripke says {result['verdict']!r}, complete: {result['complete']}")
        return Measurement(
            states=int(result["states"]),
            transitions=int(result["transitions"]),
            seconds=max(SHORTEST_SEARCH, float(result["seconds"])),
            wall=finished.wall,
            peak_bytes=finished.peak_bytes,
        )
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise BenchmarkError(f"{model.name}: kripke's JSON is not as promised: {error!r}\n{finished.stdout}") from error
