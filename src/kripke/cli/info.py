"""``kripke info``: what a model contains."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping

from kripke.cli.request import request_of
from kripke.cli.safe_stream import print_lines
from kripke.languages.registry import load_model


def run(options: argparse.Namespace) -> int:
    model = load_model(request_of(options))
    facts: dict[str, object] = {"file": model.file, "language": model.language, **model.facts()}
    facts.setdefault("statements", len(model.statements))
    facts.setdefault("largest state in bytes", model.max_state_bytes)
    facts["warnings"] = [str(warning) for warning in (*model.warnings, *model.remarks())]
    if options.json == "-":
        print_lines(json.dumps(facts, indent=2, default=str))
        return 0
    if options.json is not None:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(facts, file, indent=2, default=str)
            file.write("\n")
    for line in fact_lines(facts):
        print(line)
    return 0


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
