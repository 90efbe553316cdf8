"""Pseudo-cryptography: what is encrypted or signed travels as opaque bytes, and is a term to the run.

Nothing can be read out of the bytes. Whoever holds the key opens them; an ``Adversary`` opens all it has keys for, and
makes whatever can be made of what it knows (D. Dolev and A. Yao, *On the Security of Public Key Protocols*, 1983). Each
encryption gives new bytes; digests and codes of equal terms are equal.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from kripke.testing import primitives
from kripke.testing.choice import choose
from kripke.testing.network import NOTHING, network_of
from kripke.testing.operation import SEND


class CannotOpen(ValueError):
    """It is not encrypted or signed with this key."""


@dataclass(frozen=True)
class Key:
    """``private``: the secret half of a pair; ``shared``: both sides have the same."""

    name: str
    identity: bytes
    kind: str

    def __repr__(self) -> str:
        return f"<{self.kind} key {self.name}>"


@dataclass(frozen=True)
class Sealed:
    """As a term: a value under a key. In the patterns of an adversary: whatever fits ``value``."""

    key: Key
    value: Any


@dataclass(frozen=True)
class Signed:
    """A signature of a value."""

    key: Key
    value: Any


def _fresh(label: str) -> bytes:
    """Bytes that nothing else in this run has: by task, so that they do not depend on what other tasks do."""
    run = primitives.the_run()
    task = run.present
    number = task.local.get(-1, 0) + 1
    task.local[-1] = number
    return hashlib.sha256(f"{label}:{task.index}:{number}".encode()).digest()[:16]


def nonce() -> bytes:
    """Bytes nobody can guess."""
    return _fresh("nonce")


def new_key(name: str = "") -> Key:
    """A key that both sides share."""
    return Key(name, _fresh("key"), "shared")


def new_pair(name: str = "") -> tuple[Key, Key]:
    """A public key and the private one that belongs to it."""
    identity = _fresh("pair")
    return Key(name, identity, "public"), Key(name, identity, "private")


def known_pair(name: str) -> tuple[Key, Key]:
    """The pair of somebody whose public key everybody knows: the same for every process that asks."""
    identity = hashlib.sha256(f"known:{name}".encode()).digest()[:16]
    return Key(name, identity, "public"), Key(name, identity, "private")


def encrypt(key: Key, value: Any) -> bytes:
    if key.kind == "private":
        raise TypeError("a private key signs; encrypt with the public one")
    _check(value)
    data = _fresh("sealed") + b"sealed"
    _terms()[data] = Sealed(key, value)
    return data


def decrypt(key: Key, data: bytes) -> Any:
    term = _terms().get(bytes(data))
    if not isinstance(term, Sealed) or not opens(key, term.key):
        raise CannotOpen("this is not encrypted for this key")
    return term.value


def opens(key: Key, sealed_with: Key) -> bool:
    wanted = "private" if sealed_with.kind == "public" else "shared"
    return key.identity == sealed_with.identity and key.kind == wanted


def sign(key: Key, value: Any) -> bytes:
    if key.kind != "private":
        raise TypeError("only a private key signs")
    _check(value)
    data = _of_term("signed", key, value)
    _terms()[data] = Signed(key, value)
    return data


def verify(key: Key, value: Any, signature: bytes) -> bool:
    term = _terms().get(bytes(signature))
    return isinstance(term, Signed) and term.key.identity == key.identity and term.value == value


def digest(value: Any) -> bytes:
    """Equal for equal values; nothing can be found out from it."""
    _check(value)
    return _of_term("digest", None, value)


def code(key: Key, value: Any) -> bytes:
    """A message authentication code."""
    _check(value)
    return _of_term("code", key, value)


def _of_term(label: str, key: Key | None, value: Any) -> bytes:
    return hashlib.sha256(repr((label, key and (key.identity, key.kind), value)).encode()).digest()[:16]


def _check(value: Any) -> None:
    if isinstance(value, tuple):
        for each in value:
            _check(each)
    elif not isinstance(value, (bytes, str, int, Key, type(None))):
        raise TypeError(f"terms are bytes, texts, numbers, keys and tuples of them, not {type(value).__name__}")


def _terms() -> dict[bytes, Any]:
    run = primitives.the_run()
    network = network_of(run)
    found: dict[bytes, Any] = network.terms
    return found


class Adversary:
    """What it knows, in the order in which it learned it. The network is its own where the start-up file says
    ``set adversary=NAME``: it gets every datagram of others, and nothing arrives but what it sends."""

    def __init__(self, *known: Any) -> None:
        self.knowledge: dict[Any, None] = {}
        for value in known:
            self.learn(value)

    def learn(self, value: Any) -> None:
        """Take apart whatever can be taken apart, with keys that are known now."""
        self._add(value)
        while self._open_more():
            pass

    def _add(self, value: Any) -> None:
        if isinstance(value, tuple):
            for each in value:
                self._add(each)
        else:
            self.knowledge[value] = None

    def _open_more(self) -> bool:
        terms = _terms()
        before = len(self.knowledge)
        keys = [each for each in self.knowledge if isinstance(each, Key)]
        for value in list(self.knowledge):
            term = terms.get(value) if isinstance(value, bytes) else None
            if isinstance(term, Sealed) and any(opens(key, term.key) for key in keys):
                self._add(term.value)
        return len(self.knowledge) > before

    def knows(self, value: Any) -> bool:
        """Can it say this value, which is no ciphertext?"""
        if isinstance(value, tuple):
            return all(map(self.knows, value))
        return value in self.knowledge

    def makes(self, pattern: Any) -> list[Callable[[], Any]]:
        """Everything that fits the pattern and can be made now. A pattern is a type (``bytes``: what is no
        ciphertext, ``str``, ``Key``), a value, a tuple of patterns, or ``Sealed(key, pattern)``, which known
        ciphertexts fit too."""
        return [made for _, made in self._made(pattern)]

    def chooses(self, *patterns: Any) -> Any:
        """One of all values that fit one of the patterns: every one is tried. None where there is none."""
        found: dict[Any, Callable[[], Any]] = {}
        for pattern in patterns:
            found.update(self._made(pattern))
        return choose(list(found.values()))() if found else None

    def _made(self, pattern: Any) -> Iterator[tuple[Any, Callable[[], Any]]]:
        terms = _terms()
        if isinstance(pattern, type):
            for value in self.knowledge:
                if isinstance(value, pattern) and not (isinstance(value, bytes) and value in terms):
                    yield value, _giving(value)
        elif isinstance(pattern, tuple):
            yield from _tuples([list(self._made(each)) for each in pattern])
        elif isinstance(pattern, Sealed):
            for value in self.knowledge:
                term = terms.get(value) if isinstance(value, bytes) else None
                # Those that could be made anew are equal to what is made below.
                if isinstance(term, Sealed) and term.key == pattern.key and not self.knows(term.value):
                    yield ("sealed", value), _giving(value)
            if pattern.key in self.knowledge:
                for name, made in self._made(pattern.value):
                    yield ("sealed", pattern.key, name), _encrypting(pattern.key, made)
        elif self.knows(pattern):
            yield pattern, _giving(pattern)

    def receive(self, timeout: float | None = None) -> tuple[bytes, Any, Any] | None:
        """The next datagram that somebody sent, from where, and for whom; None where none comes in time."""
        run = primitives.the_run()
        network = network_of(run)
        item = network.taps().take(run, timeout, "intercepts a datagram")
        if item is None or item is NOTHING:
            return None
        self.learn(item[0])
        found: tuple[bytes, Any, Any] = item
        return found

    def send(self, data: bytes, address: Any, source: Any = ("127.0.0.1", 0)) -> None:
        """A datagram, as if it came from ``source``."""
        run = primitives.the_run()
        network = network_of(run)
        wanted = ("datagram", network.resolve(run, 0, address))
        operation = primitives.here(SEND, f"sends to {address!r} in the name of {source!r}")
        operation.places = lambda: (
            (network.place(wanted),),
            (network.bound[wanted].tail,) if wanted in network.bound else (),
        )
        operation.look_again()
        run.do(operation)
        if wanted in network.bound:
            network.bound[wanted].add(run, (data, source))


def _encrypting(key: Key, made: Callable[[], Any]) -> Callable[[], Any]:
    return lambda: encrypt(key, made())


def _giving(value: Any) -> Callable[[], Any]:
    return lambda: value


def _tuples(parts: list[list[tuple[Any, Callable[[], Any]]]]) -> Iterator[tuple[Any, Callable[[], Any]]]:
    def combined(chosen: Iterable[tuple[Any, Callable[[], Any]]]) -> tuple[Any, Callable[[], Any]]:
        listed = list(chosen)
        return tuple(name for name, _ in listed), lambda: tuple(made() for _, made in listed)

    partial: list[list[tuple[Any, Callable[[], Any]]]] = [[]]
    for part in parts:
        partial = [[*each, one] for each in partial for one in part]
    yield from map(combined, partial)
