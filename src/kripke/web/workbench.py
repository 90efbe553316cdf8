"""``Workbench``: what pages can ask, each question one method. ``server.py`` gives them addresses."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from http import HTTPStatus
from typing import Any

from kripke.digest import sha256
from kripke.engines.unsupported import Unsupported
from kripke.web.desks.asked import words_of_page
from kripke.web.events import News
from kripke.web.explorers import EXPLORING, READING, SEARCHING, Explorers
from kripke.web.folder import MOST_TEXT, Folder
from kripke.web.guard import Refused
from kripke.web.runs import Run, Runs

Given = Mapping[str, Any]

_MOST_TABLE_STATES = 2_000_000
_MOST_DEFINES = 50
_ASKED_OF_EXPLORERS = ("model", "state", "run", "random", "graph", "group", "panel")


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one run: bytes and seconds; how many run at a time; may C code of models be run?"""

    memory: int
    time_limit: float
    at_once: int
    allow_c: bool = False


class Workbench:
    def __init__(self, folder: str, history: str, limits: Limits) -> None:
        self.folder = Folder(folder)
        self.news = News()
        setting = {"folder": self.folder.path, "memory": limits.memory, "allow_c": limits.allow_c}
        self.limits = limits
        self.explorers = Explorers({**setting, "readable": [history]})
        cores = os.cpu_count() or 1
        of_run = {**setting, "time_limit": limits.time_limit, "seconds": int(limits.time_limit * cores) + 60}
        self.runs = Runs(history, of_run, limits.at_once, lambda run: self.news.tell({"run": shown(run)}))

    def close(self) -> None:
        self.news.close()
        self.runs.close()
        self.explorers.close()

    # --- files and texts ----------------------------------------------------------------------------------------------

    def listing(self, given: Given) -> Any:
        return self.folder.listing() | {
            "limits": {"memory": self.limits.memory, "time": self.limits.time_limit, "c": self.limits.allow_c}
        }

    def read(self, given: Given) -> Any:
        return self.folder.read(given.get("name")) | {
            "colours": self.explorers.editor.ask({"ask": "colours", "name": given.get("name")}, READING)
        }

    def write(self, given: Given) -> Any:
        return self.folder.write(given.get("name"), given.get("text"), given.get("version"))

    def edit(self, given: Given) -> Any:
        """What an editor asks of a text that need not be saved: problems, hover, completion."""
        question: dict[str, Any] = {"ask": _one_of(given.get("ask"), ("read", "hover", "complete"))}
        self.folder.place(given.get("name"))
        question |= {"name": given["name"], "text": _text(given.get("text"))}
        if question["ask"] != "read":
            question |= {"line": _number(given.get("line")), "character": _number(given.get("character"))}
        return self.explorers.editor.ask(question, READING)

    # --- checks -------------------------------------------------------------------------------------------------------

    def start(self, given: Given) -> Any:
        name, defines, version = self._model(given)
        plan = given.get("plan") or {}
        try:
            words = words_of_page({"allow_c": self.limits.allow_c}, name, defines, plan)
        except Unsupported as refusal:
            raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, str(refusal)) from None
        command = shlex.join(["kripke", "check", *words])
        return shown(self.runs.start(name, words, command, plan, defines, version))

    def all_runs(self, given: Given) -> Any:
        return [shown(run) for run in self.runs.all()]

    def one_run(self, given: Given) -> Any:
        return asdict(self.runs.run(given.get("id")))

    def stop(self, given: Given) -> Any:
        self.runs.stop(given.get("id"))
        return {}

    def remove(self, given: Given) -> Any:
        self.runs.remove(given.get("id"))
        return {}

    def report(self, number: str) -> bytes:
        run = self.runs.run(number)
        try:
            with open(self.runs.place(run.id, "report.html"), "rb") as file:
                return file.read()
        except OSError:
            raise Refused(HTTPStatus.NOT_FOUND, "this run has no report") from None

    # --- exploration --------------------------------------------------------------------------------------------------

    def explore(self, given: Given) -> Any:
        ask = _one_of(given.get("ask"), _ASKED_OF_EXPLORERS)
        name, defines, version = self._model(given)
        child, _ = self.explorers.child("exploring", name, defines, version)
        return child.ask({**_plain(given), "ask": ask}, EXPLORING)

    def follow(self, given: Given) -> Any:
        """Where a run of a check leads, as an address."""
        run = self.runs.run(given.get("id"))
        number = _number(given.get("finding"))
        path = self.runs.place(run.id, f"trace{number}.json")
        if not os.path.isfile(path):
            raise Refused(HTTPStatus.NOT_FOUND, "this run has no trace that can be followed")
        name, defines, version = self._model({"name": run.name, "defines": run.defines})
        child, _ = self.explorers.child("exploring", name, defines, version)
        answer = child.ask({"ask": "follow", "trace": path}, EXPLORING)
        return answer | {"changed": version != run.version}

    def reach(self, given: Given) -> Any:
        name, defines, version = self._model(given)
        condition = given.get("condition")
        if not isinstance(condition, str) or not condition.strip() or len(condition) > 2_000:
            raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, "which condition? write one, such as: x > 2")
        child, _ = self.explorers.child("reaching", name, defines, version)
        question = {"ask": "reach", "at": given.get("at"), "condition": condition.strip(), "seconds": SEARCHING}
        return child.ask(question, SEARCHING + EXPLORING)

    def stop_search(self, given: Given) -> Any:
        self.folder.place(given.get("name"))
        self.explorers.forget("reaching", given["name"])
        self.explorers.forget("tables", given["name"])
        return {}

    def tables(self, given: Given) -> Any:
        name, defines, version = self._model(given)
        self.explorers.forget("tables", name)
        child, _ = self.explorers.child("tables", name, defines, version)
        most = min(_number(given.get("most") or _MOST_TABLE_STATES), _MOST_TABLE_STATES)
        return child.ask({"ask": "explore", "most": most}, 3 * SEARCHING)

    def query(self, given: Given) -> Any:
        name, defines, version = self._model(given)
        child, is_new = self.explorers.child("tables", name, defines, version)
        if is_new or child.process_id is None:
            self.explorers.forget("tables", name)
            raise Refused(HTTPStatus.CONFLICT, "the states of this model are not there yet: explore them first")
        return child.ask({"ask": "query", "text": _text(given.get("text"))}, SEARCHING)

    def _model(self, given: Given) -> tuple[str, dict[str, str], str]:
        """The file of a question, its macros, and a hash of its text."""
        name = given.get("name")
        version = self.folder.read(name)["version"]
        defines = given.get("defines") or {}
        right = isinstance(defines, dict) and len(defines) <= _MOST_DEFINES
        if not right or not all(_is_macro(key, value) for key, value in defines.items()):
            raise Refused(HTTPStatus.BAD_REQUEST, "macros are names with values")
        return str(name), dict(defines), version


def shown(run: Run) -> dict[str, Any]:
    """A run for a list: without the curve and the lines of the text, which are asked for alone."""
    found = run.found and {name: value for name, value in run.found.items() if name not in ("samples", "lines")}
    return {**asdict(run), "found": found, "words": None}


def _is_macro(name: object, value: object) -> bool:
    return isinstance(name, str) and name.isidentifier() and isinstance(value, str) and len(value) <= 200


def _one_of(word: object, known: tuple[str, ...]) -> str:
    if word not in known:
        raise Refused(HTTPStatus.BAD_REQUEST, f"what is asked? there are {', '.join(known)}")
    return str(word)


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**40:
        raise Refused(HTTPStatus.BAD_REQUEST, "a number is missing, or too large")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str) or len(value) > MOST_TEXT:
        raise Refused(HTTPStatus.BAD_REQUEST, "a text is missing, or too long")
    return value


def _plain(given: Given) -> dict[str, Any]:
    """What a desk reads of a question; the file and its macros are in its setting."""
    kept = ("at", "watch", "steps", "seed", "until", "opened", "anew", "by", "plan")
    found = {name: given[name] for name in kept if name in given}
    return found | ({"name": given["of"]} if isinstance(given.get("of"), str) else {})


#: by method and path
Question = Callable[[Workbench, Given], Any]
QUESTIONS: Mapping[tuple[str, str], Question] = {
    ("GET", "/api/folder"): Workbench.listing,
    ("GET", "/api/file"): Workbench.read,
    ("PUT", "/api/file"): Workbench.write,
    ("POST", "/api/edit"): Workbench.edit,
    ("GET", "/api/runs"): Workbench.all_runs,
    ("POST", "/api/runs"): Workbench.start,
    ("GET", "/api/run"): Workbench.one_run,
    ("DELETE", "/api/run"): Workbench.remove,
    ("POST", "/api/stop"): Workbench.stop,
    ("POST", "/api/explore"): Workbench.explore,
    ("POST", "/api/follow"): Workbench.follow,
    ("POST", "/api/reach"): Workbench.reach,
    ("POST", "/api/stop-search"): Workbench.stop_search,
    ("POST", "/api/tables"): Workbench.tables,
    ("POST", "/api/query"): Workbench.query,
}


def folder_key(path: str) -> str:
    """What the history of a folder is kept under."""
    return sha256(os.path.realpath(path).encode())[:16]
