"""A failing schedule as an HTML page: one column for each task, one row for each step."""

from __future__ import annotations

import html

from kripke.testing.failure import Failure
from kripke.text import visible

_STYLE = """body { font: 15px/1.5 system-ui, sans-serif; margin: 2em; color: #222; background: #fff }
table { border-collapse: collapse } th, td { border: 1px solid #ccc; padding: .2em .6em; text-align: left }
td { vertical-align: top } th { background: #f2f2f2; position: sticky; top: 0 } td.here { background: #e8f0fb }
code, pre { font: 13px/1.5 ui-monospace, monospace; white-space: pre-wrap } .number, .place { color: #666 }
pre.headline { background: #f8d7d3; padding: .6em 1em }
@media (prefers-color-scheme: dark) { body { background: #1b1b1b; color: #ddd } th { background: #2a2a2a }
td.here { background: #22344d } th, td { border-color: #444 } pre.headline { background: #6d2821 } }
"""


def html_page(failure: Failure) -> str:
    shown = sorted({row.task for row in failure.rows})
    heads = "".join(f"<th>{_text(failure.tasks[task])}</th>" for task in shown)
    rows = []
    for number, row in enumerate(failure.rows, 1):
        cells = "".join(
            f'<td class="here"><code>{_text(row.source)}</code></td>' if task == row.task else "<td></td>"
            for task in shown
        )
        words = "; ".join(_text(word) for word in dict.fromkeys(row.words) if word)
        rows.append(
            f'<tr><td class="number">{number}</td>{cells}<td class="place">{_text(row.place)}</td><td>{words}</td></tr>'
        )
    title = _text(failure.name or "A failing schedule")
    stack = f"<pre>{html.escape(failure.stack)}</pre>" if failure.stack else ""
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
        f"<style>{_STYLE}</style></head><body>\n<h1>{title}</h1>\n"
        f'<pre class="headline">{html.escape(failure.headline)}</pre>\n'
        f"<table><thead><tr><th></th>{heads}<th>place</th><th>what others see</th></tr></thead>\n"
        f"<tbody>{''.join(rows)}</tbody></table>\n{stack}</body></html>\n"
    )


def _text(text: str) -> str:
    return html.escape(visible(text))
