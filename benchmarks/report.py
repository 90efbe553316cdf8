"""Write the comparison down: a table and a summary for people, JSON for machines."""

import platform
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from comparison import BARS, Comparison, Figures
from measurement import Measurement

HEADER = (
    f"{'model':<18} {'states':>11} {'counts':>7} {'SPIN':>7} {'Kripke':>7} {'speed':>7}"
    f" {'SPIN':>6} {'Kripke':>6} {'memory':>7} {'wall':>7}\n"
    f"{'':<18} {'':>11} {'equal':>7} {'M st/s':>7} {'M st/s':>7} {'ratio':>7}"
    f" {'B/st':>6} {'B/st':>6} {'ratio':>7} {'ratio':>7}"
)


def row(comparison: Comparison) -> str:
    spin, kripke = comparison.spin, comparison.kripke
    mark = " " if comparison.gives_ratios else "*"
    return (
        f"{comparison.model.name:<18} {kripke.states:>11,} {'yes' if comparison.counts_equal else 'NO':>7}"
        f" {spin.states_per_second / 1e6:>7.2f} {kripke.states_per_second / 1e6:>7.2f}"
        f" {comparison.speed_ratio:>6.2f}{mark}"
        f" {spin.bytes_per_state:>6.0f} {kripke.bytes_per_state:>6.0f} {comparison.memory_ratio:>6.2f}{mark}"
        f" {comparison.wall_ratio:>7.2f}"
    )


def count_difference(comparison: Comparison) -> str:
    model, spin, kripke = comparison.model, comparison.spin, comparison.kripke
    return (
        f"{model.name}: counts differ (states, transitions): manifest {model.states:,}, {model.transitions:,};"
        f" SPIN {spin.states:,}, {spin.transitions:,}; Kripke {kripke.states:,}, {kripke.transitions:,}"
    )


def summary(figures: Figures) -> str:
    lines = []
    for bar in BARS:
        value = getattr(figures, bar.figure)
        if value is None:
            lines.append(f"{bar.label:<28} not measured in this selection")
            continue
        verdict = "ok" if bar.met_by(value) else "MISSED"
        lines.append(f"{bar.label:<28} {value:>6.2f}   {bar.wanted:<13} {verdict}")
    if figures.spin_latency is not None:
        lines.append(f"{'small model, SPIN (s)':<28} {figures.spin_latency:>6.2f}")
    return "\n".join(lines)


def missed_bars(figures: Figures) -> list[str]:
    return [
        f"{bar.label} is {value:.2f}, wanted {bar.wanted}"
        for bar in BARS
        if (value := getattr(figures, bar.figure)) is not None and not bar.met_by(value)
    ]


def as_json(comparisons: Sequence[Comparison], figures: Figures, failures: Sequence[str]) -> dict[str, Any]:
    return {
        "machine": {"system": platform.system(), "processor": platform.machine(), "python": platform.python_version()},
        "models": [
            {
                "name": comparison.model.name,
                "defines": comparison.model.defines,
                "counts_equal": comparison.counts_equal,
                "speed_ratio": comparison.speed_ratio,
                "memory_ratio": comparison.memory_ratio,
                "wall_ratio": comparison.wall_ratio,
                "in_summary": comparison.gives_ratios,
                "spin": measurement_json(comparison.spin),
                "kripke": measurement_json(comparison.kripke),
            }
            for comparison in comparisons
        ],
        "figures": asdict(figures),
        "bars": {bar.figure: {"limit": bar.limit, "at_least": bar.at_least} for bar in BARS},
        "failures": list(failures),
    }


def measurement_json(measurement: Measurement) -> dict[str, float]:
    return {
        **asdict(measurement),
        "states_per_second": measurement.states_per_second,
        "bytes_per_state": measurement.bytes_per_state,
    }
