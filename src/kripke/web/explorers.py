"""The processes behind the pages: one that reads texts, one for each model that is explored, one for each
set of tables.

They are kept while they are used. Those that were not used for longest go first.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import threading
from collections.abc import Mapping
from typing import Any

from kripke.web.child import Child

MOST_KEPT = 4  # of each sort
READING = 10.0  # seconds for an answer
EXPLORING = 20.0
SEARCHING = 60.0


class Explorers:
    def __init__(self, setting: Mapping[str, Any]) -> None:
        self.setting = setting
        self.editor = Child("editing", setting)
        self._lock = threading.Lock()
        self._children: dict[str, dict[str, Child]] = {"exploring": {}, "tables": {}, "reaching": {}}
        self._folder = tempfile.mkdtemp(prefix="kripke-web-")

    def child(self, desk: str, name: str, defines: Mapping[str, str], version: str) -> tuple[Child, bool]:
        """The process for a model as it is now, and whether it is a new one."""
        key = json.dumps([name, defines, version], sort_keys=True)
        with self._lock:
            children = self._children[desk]
            found = children.pop(key, None)
            is_new = found is None
            if found is None:
                setting = {**self.setting, "name": name, "defines": dict(defines)}
                if desk == "tables":
                    setting["scratch"] = tempfile.mkdtemp(dir=self._folder)
                found = Child(desk, setting)
            children[key] = found  # the last one used is the last one here
            old = [children.pop(other) for other in list(children)[:-MOST_KEPT]]
        for child in old:
            self._forget(child)
        return found, is_new

    def forget(self, desk: str, name: str) -> None:
        """End what works on a model, whatever it does."""
        with self._lock:
            keys = [key for key in self._children[desk] if json.loads(key)[0] == name]
            children = [self._children[desk].pop(key) for key in keys]
        for child in children:
            self._forget(child)

    def close(self) -> None:
        self.editor.stop()
        for children in self._children.values():
            for child in children.values():
                child.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    @staticmethod
    def _forget(child: Child) -> None:
        child.stop()
        scratch = child.setting.get("scratch")
        if scratch and os.path.basename(os.path.dirname(scratch)).startswith("kripke-web-"):
            shutil.rmtree(scratch, ignore_errors=True)
