"""The HTML report of a check: one file that needs no network, for screen, print, light and dark.

What comes from a model is data only: it is embedded as JSON that cannot end its script element, and the page's script
makes text nodes of it. The page forbids everything but its own script and style by their hashes.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from html import escape
from pathlib import Path

from kripke.model.coverage import Coverage
from kripke.model.highlighting import Highlighting
from kripke.model.model import Model
from kripke.model.result import Result
from kripke.numbers import counted, rate_text, size_text, time_text
from kripke.report.check_report import statistics, verdict_line
from kripke.report.coverage_report import Line, coverage_lines, samples_text
from kripke.report.page.data import report_data
from kripke.report.page.pictures import pictures
from kripke.report.terminal import Terminal

_HERE = Path(__file__).parent
_SHOWN = 200  # statements that were never executed


def html_report(
    result: Result, model: Model | None, command: Sequence[str], highlighting: Highlighting | None = None
) -> str:
    """The whole file. ``command`` is what repeats the check, ``highlighting`` of the text of the model."""
    drawn = pictures(model) if model is not None else []
    style = (_HERE / "page.css").read_text(encoding="utf-8")
    script = _script()
    data = report_data(result, model, marked=bool(drawn))
    data["highlighting"] = None if highlighting is None else highlighting.to_json()
    text = _embedded(json.dumps(data, separators=(",", ":"), ensure_ascii=False))
    return "".join(_page(result, model, command, style, script, text, drawn))


#: what the script is made of, in an order in which every part finds what it uses
_PARTS = ("elements.js", "highlighting.js", "growth.js", "marks.js", "trace.js", "page.js")
_MODULE_WORDS = re.compile(r"^import .*\n|^export ", re.MULTILINE)


def _script() -> str:
    """The modules as one script, as a file needs it that has no others beside it."""
    parts = (_MODULE_WORDS.sub("", (_HERE / name).read_text(encoding="utf-8")) for name in _PARTS)
    return '"use strict";\n(() => {\n' + "\n".join(parts) + "})();\n"


def _embedded(text: str) -> str:
    """JSON that can stand in a script element: no ``</script>``, no ``<!--``, no surrogate alone."""
    text = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return text.encode("utf-8", "replace").decode("utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _page(
    result: Result,
    model: Model | None,
    command: Sequence[str],
    style: str,
    script: str,
    data: str,
    drawn: Sequence[tuple[str, Sequence[str]]],
) -> Iterator[str]:
    policy = f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'"
    name = escape(Path(result.model["file"]).name)
    yield (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(result.verdict)}: {name}</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n"
    )
    yield from _head(result, model)
    yield _TRACE
    yield from _pictures(drawn)
    yield _EXPLORE
    yield '<div class="below">\n'
    yield from _statistics(result)
    yield from _coverage(result)
    yield from _command(result, command)
    yield "</div>\n"
    yield f"<footer>Made by Kripke {escape(result.version)}. This file is complete: it needs no network.</footer>\n"
    yield f'</main>\n<script type="application/json" id="report">{data}</script>\n'
    yield f"<script>{script}</script>\n</body>\n</html>\n"


def _head(result: Result, asked: Model | None) -> Iterator[str]:
    title = verdict_line(result, Terminal()).partition(": ")[2] or result.verdict
    model = f"{result.model['file']} ({result.model['language']})"
    words = property_words(result, asked is None or asked.has_actors)
    yield (
        f'<header>\n<div class="verdict {escape(result.verdict)}">{escape(result.verdict)}</div>\n'
        f'<div class="headline"><h1>{escape(title)}</h1>\n<p>{escape(words)}</p>'
        f'<p class="mono">{escape(model)}</p></div>\n'
        '<div class="tools"><button id="theme" title="light or dark">◐</button></div>\n</header>\n'
    )


def property_words(result: Result, processes: bool = True) -> str:
    """What was checked, in words. ``processes``: the model has some."""
    unless = ", unless every process has reached a valid end" if processes else ""
    match result.kind:
        case "deadlock":
            return f"It must always be possible to go on{unless}."
        case "invariant":
            return f"In every state this must hold: {result.property}"
        case "assertion":
            return f"Whenever it is executed, this must hold: {result.property}"
        case "safety":
            parts = []
            for part in result.property.split(", "):
                match part:
                    case "no deadlock":
                        parts.append(f"it is always possible to go on{unless}")
                    case "no failed assertion":
                        parts.append("no assertion ever fails and no run-time error happens")
                    case _:
                        parts.append(f"in every state this holds: {part.removeprefix('invariant ')}")
            text = "; ".join(parts)
            return f"{text[:1].upper()}{text[1:]}." if text else ""
        case "ltl":
            return f"Every run must satisfy: {result.property}"
        case "possible":
            return f"Is there a run that satisfies this? {result.property}"
        case _:
            return f"This must never go wrong: {result.property}"


_TRACE = """\
<nav class="tabs" id="tabs" hidden></nav>
<section class="panel why" id="why" hidden></section>
<section class="trace" id="trace" hidden>
<div class="panel">
<div class="bar"><h2>The run</h2><span class="count" id="where"></span><span class="grow"></span>
<input id="search" type="search" placeholder="variable or statement   /" aria-label="search by variable or statement">
<span class="count" id="hits"></span><button id="previous" title="previous match">↑</button>\
<button id="next" title="next match">↓</button>
<button id="fold" aria-pressed="false" title="steps that touch nothing but their own process">fold local steps</button>
</div>
<div class="lanes" id="lanes"></div>
<div class="scroller" id="scroller"><div class="rows" id="rows" tabindex="0"></div></div>
</div>
<aside class="side">
<div class="panel" id="sourcebox"><div class="bar"><h2>Source</h2><span class="count mono" id="sourcename"></span></div>
<div class="source" id="source"></div></div>
<div class="panel"><div class="bar"><h2 id="statename">State</h2></div><div class="state" id="state"></div></div>
</aside>
</section>
"""


_EXPLORE = """\
<section class="panel" id="explore" hidden>
<div class="bar"><h2>Explore the states</h2><span class="count" id="reach"></span><span class="grow"></span>
<button id="start">start</button><button id="back">back</button>\
<button id="fromstep">from the chosen step</button></div>
<div class="walk"><div><p id="here"></p><ul id="choices"></ul></div>
<div class="state" id="herestate"></div></div>
</section>
"""


def _levels(title: str, texts: Sequence[str]) -> str:
    """A picture, or one for each number of levels of nested states, with buttons to fold and unfold them."""
    if len(texts) == 1:
        return f"<figure><figcaption>{escape(title)}</figcaption>{texts[0]}</figure>"
    last = len(texts)
    buttons = "".join(
        f'<button data-show="{n}" aria-pressed="{"true" if n == last else "false"}">{n}</button>'
        for n in range(1, last + 1)
    )
    drawn = "".join(
        f'<div class="level" data-level="{n}"{"" if n == last else " hidden"}>{text}</div>'
        for n, text in enumerate(texts, start=1)
    )
    head = f"<figcaption>{escape(title)} <span>levels {buttons}</span></figcaption>"
    return f'<figure class="foldable">{head}{drawn}</figure>'


def _pictures(drawn: Sequence[tuple[str, Sequence[str]]]) -> Iterator[str]:
    if drawn:
        shown = "".join(_levels(title, texts) for title, texts in drawn)
        head = '<div class="bar"><h2>The model</h2></div>'
        yield f'<section class="panel pictures" id="pictures">{head}<div>{shown}</div></section>\n'


def _card(title: str, content: str, more: str = "") -> str:
    return f'<section class="panel card"{more}><h2>{escape(title)}</h2>{content}</section>\n'


def _statistics(result: Result) -> Iterator[str]:
    engine = result.engine
    figures = {
        "states": f"{'about ' if engine.get('estimated') else ''}{result.states:,}",
        "transitions": f"{result.transitions:,}",
        "depth": f"{result.depth:,}",
        "errors": f"{result.errors:,}",
        "time": f"{time_text(result.seconds)}, {rate_text(result.states, result.seconds)}",
        "memory": f"{size_text(result.store_bytes)} for states of {counted(result.state_bytes, 'byte')}",
        "search": ", ".join(list(statistics(result))[2:]) if engine.get("search") else "",
        "complete": "yes" if result.complete else "no",
    }
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in figures.items() if value)
    yield _card("Statistics", f'<dl class="figures">{rows}</dl>')
    yield _card("Growth of the search", '<div id="growth"></div>', ' id="growthbox" hidden')


def _coverage(result: Result) -> Iterator[str]:
    if result.coverage is not None:
        yield _card("Why does it hold?", _coverage_rows(result.coverage))
        return
    if result.unreached is None:
        return
    places = sorted(
        {(s.span.file, s.span.line, s.component, s.text) for s in result.unreached if s.span.line},
    )
    if not places:
        if result.statement_count:
            yield _card("Coverage", f"<p>All {counted(result.statement_count, 'statement')} were executed.</p>")
        return
    items = "".join(
        f"<li><code>{escape(Path(file).name)}:{line}</code> {escape(process)} <code>{escape(text)}</code></li>"
        for file, line, process, text in places[:_SHOWN]
    )
    more = f"<p>and {len(places) - _SHOWN:,} more</p>" if len(places) > _SHOWN else ""
    said = f"{len(places):,} of {counted(result.statement_count, 'statement')} were never executed"
    yield _card("Coverage", f"<p>{escape(said)}</p><ul>{items}</ul>{more}")


def _coverage_rows(coverage: Coverage) -> str:
    rows = []
    for line in (*coverage_lines(coverage), Line("sample runs", samples_text(coverage))):
        items = "".join(f"<li><code>{escape(detail)}</code></li>" for detail in line.details[:_SHOWN])
        more = f"<li>and {len(line.details) - _SHOWN:,} more</li>" if len(line.details) > _SHOWN else ""
        details = f"<ul>{items}{more}</ul>" if items else ""
        rows.append(f"<dt>{escape(line.head)}</dt><dd>{escape(line.text)}{details}</dd>")
    return f'<dl class="figures coverage">{"".join(rows)}</dl>'


def _command(result: Result, command: Sequence[str]) -> Iterator[str]:
    import shlex

    yield _card("Reproduce", f'<pre class="command">{escape(shlex.join(command))}</pre>')
    if result.warnings:
        items = "".join(f"<li>{escape(warning)}</li>" for warning in result.warnings)
        yield _card("Warnings", f"<ul>{items}</ul>")
