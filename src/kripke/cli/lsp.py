"""``kripke lsp``: the language server, which an editor starts and talks to."""

from __future__ import annotations

import argparse

from kripke.cli.main import UsageError


def run(options: argparse.Namespace) -> int:
    try:
        from kripke.editor.features import make_server
    except ImportError as error:
        raise UsageError(f"kripke lsp needs pygls ({error}); install it with: pip install 'kripke[lsp]'") from error
    make_server().start_io()
    return 0
