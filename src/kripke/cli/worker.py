"""One check in a process of its own: options come as JSON on standard input, what is found goes to standard output.

A process of its own, so that many checks run side by side, and none of them can take the others with it.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from kripke.cli.main import UsageError, ends_by_interrupt
from kripke.model.source import ModelError, Span


def main() -> int:
    ends_by_interrupt()
    options = argparse.Namespace(**json.load(sys.stdin))
    try:
        found = checked(options)
    except ModelError as error:
        found = _failed(error.message, error.render(), error.span)
    except KeyboardInterrupt:
        found = _failed("interrupted", "interrupted", None)
    except MemoryError:
        found = _failed("out of memory", "out of memory", None)
    except RecursionError:
        found = _failed("the model is nested too deeply", "", None)
    except Exception as error:
        from kripke.engines.plan import Unsupported

        known = isinstance(error, UsageError | Unsupported | OSError)
        message = str(error) if known else f"internal error: {type(error).__name__}: {error}"
        found = _failed(message, message, None)
    json.dump(found, sys.stdout)
    return 0


def checked(options: argparse.Namespace) -> dict[str, Any]:
    from kripke.cli.check import checked_in_time, refuse_unknown, save_html
    from kripke.cli.request import request_of
    from kripke.engines.registry import refuse_beside
    from kripke.report.check_report import check_report
    from kripke.report.terminal import Terminal

    refuse_unknown(options)
    refuse_beside(vars(options))
    request, problems = request_of(options), list[str]()
    result = checked_in_time(request, options, problems)
    page = None
    if options.html is not None and any(finding.trace is not None for finding in result.findings):
        save_html(result, request, options, problems)
        page = None if problems else options.html
    files = [options.file, *options.read, *options.claims, *options.formula_files]
    return {
        "result": result.to_json(),
        "text": "\n".join(check_report(result, Terminal(width=110))),
        "page": page,
        "files": sorted({file for file in files if not file.startswith("<")}),
    }


def _failed(message: str, text: str, span: Span | None) -> dict[str, Any]:
    place = None
    if span is not None and span.in_file:
        place = {"file": span.file, "line": span.line, "column": span.column}
    return {"error": message, "text": text, "place": place}


if __name__ == "__main__":
    sys.exit(main())
