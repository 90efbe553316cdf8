"""Measure SPIN: generate the verifier, compile it, run a complete search without reduction."""

import math
import re
import shutil
import tempfile
from pathlib import Path

from child import BenchmarkError, Finished, run_child
from manifest import BenchmarkModel
from measurement import Measurement

# A higher memory limit than the default 2 GB; it reserves nothing.
COMPILE_OPTIONS = ["-O2", "-w", "-DSAFETY", "-DNOREDUCE", "-DMEMLIM=16000"]
# SPIN counts in ticks of 10 ms; a search shorter than that reports 0.
SHORTEST_SEARCH = 0.005


def missing_tools() -> list[str]:
    return [tool for tool in ("spin", "gcc") if shutil.which(tool) is None]


def measure_spin(model: BenchmarkModel) -> Measurement:
    with tempfile.TemporaryDirectory(prefix="kripke-bench-") as folder:
        here = Path(folder)
        shutil.copy(model.path, here / "model.pml")
        generated = run_child(["spin", "-a", *model.define_options, "model.pml"], cwd=here)
        require_success(generated, "spin -a", model)
        compiled = run_child(["gcc", *COMPILE_OPTIONS, "-o", "pan", "pan.c"], cwd=here)
        require_success(compiled, "gcc", model)
        searched = run_child([str(here / "pan"), *search_options(model)], cwd=here)
        require_success(searched, "pan", model)
    wall = generated.wall + compiled.wall + searched.wall
    return read_report(searched, wall, model)


def search_options(model: BenchmarkModel) -> list[str]:
    """The stack and hash table that suit the model best, so that SPIN is measured at its thriftiest."""
    depth = model.depth + model.depth // 10 + 1_000
    slots = max(16, math.ceil(math.log2(model.states)))
    return [f"-m{depth}", f"-w{slots}", "-c0"]


def read_report(searched: Finished, wall: float, model: BenchmarkModel) -> Measurement:
    report = searched.stdout
    if "max search depth too small" in report:
        raise BenchmarkError(f"{model.name}: SPIN reached its depth limit; raise `depth` in models.toml")
    if number(r"errors: (\d+)", report, model) != 0:
        raise BenchmarkError(f"{model.name}: SPIN finds errors, but benchmark models must hold")
    return Measurement(
        states=int(number(r"([\d.e+]+) states, stored", report, model)),
        transitions=int(number(r"([\d.e+]+) transitions", report, model)),
        seconds=max(SHORTEST_SEARCH, number(r"elapsed time ([\d.e+-]+) seconds", report, model)),
        wall=wall,
        peak_bytes=searched.peak_bytes,
    )


def number(pattern: str, report: str, model: BenchmarkModel) -> float:
    found = re.search(pattern, report)
    if found is None:
        raise BenchmarkError(f"{model.name}: SPIN's report lacks /{pattern}/:\n{report}")
    return float(found[1])


def require_success(finished: Finished, tool: str, model: BenchmarkModel) -> None:
    if finished.code != 0:
        raise BenchmarkError(
            f"{model.name}: {tool} ended with code {finished.code}\n{finished.stdout}{finished.stderr}"
        )
