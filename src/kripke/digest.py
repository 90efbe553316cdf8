"""What hashlib gives, without OpenSSL: loading that takes longer than a small check and 3 MB in every run."""

from __future__ import annotations

from importlib import import_module

try:
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

__all__ = ["blake2b", "sha256"]


def sha256(content: bytes) -> str:
    """The hash in hexadecimal digits."""
    for module in ("_sha256", "_sha2", "hashlib"):  # the second since Python 3.12
        try:
            return str(import_module(module).sha256(content).hexdigest())
        except ImportError:
            continue
    raise ImportError("this Python has no SHA-256")
