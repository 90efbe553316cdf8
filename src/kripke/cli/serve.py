"""``kripke serve``: the workbench in the browser, for the models of a folder."""

from __future__ import annotations

import argparse
import os
import secrets
import sys
from typing import TYPE_CHECKING

from kripke.cli.main import UsageError

if TYPE_CHECKING:
    from kripke.web.server import Server
    from kripke.web.workbench import Workbench

DEFAULT_PORT = 8741
_TIME_LIMIT = 600.0


def run(options: argparse.Namespace) -> int:
    from kripke.cli.jobs import usable_cores
    from kripke.compilation.cache import Unusable, open_user_cache
    from kripke.memory import default_limit
    from kripke.web.workbench import Limits, Workbench, folder_key

    folder = options.file or "."
    if not os.path.isdir(folder):
        raise UsageError(f"{folder} is no folder: name the one with your models")
    at_once = max(1, usable_cores() - 1)
    memory = options.memory or max(256 << 20, default_limit() // (at_once + 1))
    limits = Limits(memory, options.time_limit or _TIME_LIMIT, at_once, options.allow_c)
    try:
        history = os.path.join(open_user_cache().folder, "web", folder_key(folder))
    except Unusable:
        import tempfile

        history = tempfile.mkdtemp(prefix="kripke-history-")
    workbench = Workbench(folder, history, limits)
    server = _opened(workbench, options.port)
    workbench.explorers.editor.start()
    for line in (f"workbench of {workbench.folder.path}", f"  {server.address}", "Ctrl-C ends it"):
        print(line, flush=True)
    if options.browser:
        _show(server.address)
    try:
        server.serve_forever(poll_interval=0.2)
    except KeyboardInterrupt:
        print(file=sys.stderr)
        print("ended", file=sys.stderr)
    finally:
        server.server_close()
    return 0


def _opened(workbench: Workbench, port: int | None) -> Server:
    from kripke.web.server import Server

    token = secrets.token_urlsafe(24)
    try:
        return Server(workbench, token, DEFAULT_PORT if port is None else port)
    except OSError as error:
        if port is not None:
            raise UsageError(f"--port {port}: {error.strerror}") from error
        return Server(workbench, token, 0)  # the usual one is taken: any


def _show(address: str) -> None:
    """In a browser, if there is one that has windows."""
    import threading
    import webbrowser

    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
