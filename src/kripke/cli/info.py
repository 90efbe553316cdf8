"""``kripke info``: what a model contains, and which of its guards overlap."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kripke.cli.main import UsageError
from kripke.cli.request import request_of
from kripke.cli.safe_stream import print_lines
from kripke.languages.registry import load_model
from kripke.model.model import Model
from kripke.numbers import counted

_ELEMENT = re.compile(r"(\w+)\[(\w+)\]")


def run(options: argparse.Namespace) -> int:
    request = request_of(options)
    if options.assume and not options.overlaps:
        raise UsageError("--assume is about states in which guards overlap: it goes with --overlaps")
    model = load_model(replace(request, conditions=(*request.conditions, *options.assume)))
    facts: dict[str, object] = {"file": model.file, "language": model.language, **model.facts()}
    facts.setdefault("statements", len(model.statements))
    facts.setdefault("largest state in bytes", model.max_state_bytes)
    facts["warnings"] = [str(warning) for warning in (*model.warnings, *model.remarks())]
    overlaps = _overlaps(model, options.assume) if options.overlaps else None
    if overlaps is not None:
        facts = {"file": model.file, "assumed": options.assume, "overlaps": overlaps}
    if options.json == "-":
        print_lines(json.dumps(facts, indent=2, default=str))
        return 0
    if options.json is not None:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(facts, file, indent=2, default=str)
            file.write("\n")
    for line in overlap_lines(overlaps) if overlaps is not None else fact_lines(facts):
        print_lines(line)
    return 0


def _overlaps(model: Model, assume: Sequence[str]) -> list[dict[str, object]]:
    """One entry for each pair of statements, as they are in the text: where an inline is called does not matter."""
    from kripke.engines.satisfiability.overlaps import find_overlaps

    found: dict[tuple[str, str], dict[str, object]] = {}
    for one in find_overlaps(model, assume):
        first, second = model.statements[one.first], model.statements[one.second]
        places = (f"{first.span.file}:{first.span.line}", f"{second.span.file}:{second.span.line}")
        if places not in found or (one.differing and not found[places]["differ in"]):
            found[places] = {
                "first": f"{places[0]}: {first.text}",
                "second": f"{places[1]}: {second.text}",
                "subscripts": [[list(pair) for pair in _ELEMENT.findall(text)] for text in (first.text, second.text)],
                "differ in": list(one.differing),
                "example": dict(one.example),
            }
    return list(found.values())


def overlap_lines(overlaps: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for one in overlaps:
        yield one["first"]
        yield one["second"]
        differ = ", ".join(one["differ in"])
        yield f"  both can be true, and then {f'they differ in {differ}' if differ else 'they do the same'}"
        elements = [
            [f"{name}[{index}]" for name, index in dict.fromkeys(map(tuple, part))] for part in one["subscripts"]
        ]
        if all(elements):
            alike = {index for _, index in one["subscripts"][0]} == {index for _, index in one["subscripts"][1]}
            subscripts = "; ".join(", ".join(part) for part in elements)
            yield f"  {'the same subscripts' if alike else 'different subscripts'}: {subscripts}"
        yield "  such as " + ", ".join(f"{name} = {value}" for name, value in one["example"].items())
    differing = sum(bool(one["differ in"]) for one in overlaps)
    pairs = f"{counted(len(overlaps), 'pair')} of statements with guards that overlap"
    yield f"{pairs}, {differing:,} with different effects"


def fact_lines(facts: Mapping[str, object], indent: str = "") -> Iterator[str]:
    """``name: value``, lists and tables on lines of their own."""
    for name, value in facts.items():
        match value:
            case Mapping():
                yield f"{indent}{name}:"
                yield from fact_lines({str(key): item for key, item in value.items()}, indent + "  ")
            case list() | tuple():
                if not value:
                    yield f"{indent}{name}: none"
                    continue
                yield f"{indent}{name}:"
                for item in value:
                    if isinstance(item, Mapping):
                        yield f"{indent}  " + ", ".join(f"{key} {shown}" for key, shown in item.items())
                    else:
                        yield f"{indent}  {item}"
            case bool():
                yield f"{indent}{name}: {'yes' if value else 'no'}"
            case int():
                yield f"{indent}{name}: {value:,}"
            case _:
                yield f"{indent}{name}: {value}"
