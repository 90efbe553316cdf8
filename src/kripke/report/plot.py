"""Variables along runs, drawn: SVG or PNG, by matplotlib (the extra ``plot``).

One run is a line of steps. Several runs are a band: the median, half of the runs around it, and everything between the
least and the greatest value. Variables with words for values get a plot of their own with the words at the axis.
"""

from __future__ import annotations

import os
import statistics
from collections.abc import Sequence
from typing import Any

from kripke.engines.plan import Unsupported
from kripke.report.series import Series

FORMATS = (".svg", ".png", ".pdf")
#: beyond these a legend hides more than it says
_MOST_LABELS = 12


def refuse_drawing(file: str) -> None:
    """Say early that no plot can be made."""
    if os.path.splitext(file)[1].lower() not in FORMATS:
        raise Unsupported(f"cannot draw {file}: the name of a plot ends in {', '.join(FORMATS)}")
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise Unsupported(f"--plot needs matplotlib ({error}); install it with: pip install 'kripke[plot]'") from error


def draw(series: Sequence[Series], file: str, title: str = "") -> None:
    """Write the picture; the ending of the file says in which format."""
    refuse_drawing(file)
    import matplotlib as mpl
    from matplotlib.figure import Figure

    ending = os.path.splitext(file)[1].lower()
    panels = _panels(series)
    # The same runs give the same file: no date, no random names; text stays text.
    with mpl.rc_context({"svg.hashsalt": "kripke", "svg.fonttype": "none", "text.parse_math": False}):
        figure = Figure(figsize=(9, 1.2 + 2.6 * len(panels)), layout="constrained")
        rows = figure.subplots(len(panels), 1, sharex=True, squeeze=False)
        for (axes,), panel in zip(rows, panels, strict=True):
            _draw_panel(axes, panel)
        rows[-1][0].set_xlabel("step")
        if title:
            rows[0][0].set_title(title)
        dated: dict[str, Any] = {"metadata": {"Date": None}} if ending == ".svg" else {}
        figure.savefig(file, dpi=150, **dated)


def _panels(series: Sequence[Series]) -> list[list[Series]]:
    """What shares an axis: elements of one array; anything else has one of its own."""
    panels: dict[str, list[Series]] = {}
    for one in series:
        key = one.name if one.words else one.name.split("[")[0]
        panels.setdefault(key, []).append(one)
    return list(panels.values())


def _draw_panel(axes: Any, panel: Sequence[Series]) -> None:
    for number, one in enumerate(panel):
        colour = f"C{number % 10}"
        if len(one.runs) == 1 or one.words:
            for run_number, run in enumerate(one.runs):
                label = one.name if run_number == 0 else None
                axes.step(
                    range(len(run)),
                    [float("nan") if value is None else value for value in run],
                    where="post",
                    color=colour,
                    label=label,
                    alpha=1 if len(one.runs) == 1 else 0.4,
                )
        else:
            _draw_band(axes, one, colour)
    if panel[0].words:
        axes.set_yticks(range(len(panel[0].words)), panel[0].words)
    axes.grid(alpha=0.3)
    if len(panel) == 1:
        axes.set_ylabel(panel[0].name)
    elif len(panel) <= _MOST_LABELS:
        axes.legend(loc="best", ncols=2)
    else:
        axes.set_ylabel(panel[0].name.split("[")[0])


def _draw_band(axes: Any, one: Series, colour: str) -> None:
    rows = band(one)
    steps = [row[0] for row in rows]
    least, low, middle, high, most = (list(column) for column in list(zip(*rows, strict=True))[1:])
    axes.fill_between(steps, least, most, step="post", color=colour, alpha=0.15, linewidth=0)
    axes.fill_between(steps, low, high, step="post", color=colour, alpha=0.3, linewidth=0)
    axes.step(steps, middle, where="post", color=colour, label=one.name)


def band(one: Series) -> list[tuple[int, float, float, float, float, float]]:
    """For every step: its number, the least value, the quartiles, the greatest value, over the runs that got there."""
    rows = []
    for step in range(max(len(run) for run in one.runs)):
        values = [value for run in one.runs if step < len(run) and (value := run[step]) is not None]
        if not values:
            continue
        if len(values) == 1:
            low = middle = high = float(values[0])
        else:
            low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
        rows.append((step, float(min(values)), low, middle, high, float(max(values))))
    return rows
