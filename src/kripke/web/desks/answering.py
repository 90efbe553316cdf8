"""The loop of a desk: a question, an answer, the next question. What goes wrong is an answer, too, in words."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

from kripke.web.confinement import confine, limit_resources

Answer = Callable[[Mapping[str, Any]], Any]


def settle(setting: Mapping[str, Any], *, programs: bool) -> None:
    """Limits and fences of this process, from its setting."""
    limit_resources(setting["memory"], setting.get("seconds"))
    writable = [setting["scratch"]] if setting.get("scratch") else []
    if programs:
        import tempfile

        from kripke.compilation.cache import user_folder

        writable += [user_folder(), tempfile.gettempdir()]
    confine([setting["folder"], *setting.get("readable", ())], writable, programs=programs)


def answer_all(answers: Mapping[str, Answer]) -> None:
    """Until the input ends. A question names what is asked as ``ask``."""
    output = sys.stdout.buffer
    sys.stdout = sys.stderr  # what a library prints is no answer
    for line in sys.stdin.buffer:
        question = json.loads(line)
        try:
            said: dict[str, Any] = {"answer": answers[question["ask"]](question)}
        except Exception as error:
            said = {"error": words_of(error)}
        output.write(json.dumps(said).encode() + b"\n")
        output.flush()


def words_of(error: BaseException) -> str:
    """An error as a sentence for who sits before the browser."""
    from kripke.engines.unsupported import Unsupported
    from kripke.model.source import ModelError
    from kripke.model.trace import TraceFileError
    from kripke.web.desks.questions import Unanswerable

    match error:
        case ModelError():
            return error.render()
        case Unsupported() | Unanswerable() | TraceFileError():
            return str(error)
        case MemoryError():
            return "out of memory: the limit of the workbench was reached"
        case RecursionError():
            return "the model is nested too deeply"
        case OSError():
            where = f"{error.filename}: " if error.filename else ""
            return f"{where}{error.strerror or error}"
        case _:
            return f"internal error: {type(error).__name__}: {error}"
