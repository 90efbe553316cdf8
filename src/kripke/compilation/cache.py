"""The folder of compiled models, from which nothing is ever loaded that another user could have written.

An entry is two files: ``<key>.key`` holds the hash of a library, ``<hash>.so`` is that library. Both are made
under another name in the same folder and moved into place, the library first: a reader sees a whole entry or none,
however many processes write the same one. Reading checks owner, mode and hash; what does not fit counts as absent and
is written again.
"""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import NamedTuple

from kripke.digest import blake2b

VARIABLE = "KRIPKE_CACHE"
LARGEST = 512 * 1024 * 1024
"""Bytes the cache may take before the entries that were not used for longest go."""

_DAY = 86_400.0
_HOUR = 3_600.0
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_WORK = "build-"


class Unusable(OSError):
    """The user's cache cannot be used. The message says why, and what to do."""


class Size(NamedTuple):
    """How much a cache holds."""

    models: int
    bytes: int


class Cache:
    """A folder of compiled models that only this user can write to."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def find(self, key: str) -> str | None:
        """The path of the library stored for `key`, if it is there, ours, and whole."""
        entry = os.path.join(self.folder, f"{key}.key")
        digest = (_read_own(entry) or b"").decode("ascii", "replace")
        if not _is_digest(digest):
            return None
        library = os.path.join(self.folder, f"{digest}.so")
        content = _read_own(library)
        if content is None or content_hash(content) != digest:
            return None
        _mark_used(entry)
        _mark_used(library)
        return library

    def store(self, key: str, built: str) -> str:
        """Move the library `built`, a file in a folder from `workshop`, into the cache. OSError where that fails."""
        os.chmod(built, stat.S_IRWXU)
        with open(built, "rb") as file:
            digest = content_hash(file.read())
        pointer = f"{built}.key"
        with open(pointer, "w", encoding="ascii", opener=_private) as text:
            text.write(digest)
        library = os.path.join(self.folder, f"{digest}.so")
        os.replace(built, library)
        os.replace(pointer, os.path.join(self.folder, f"{key}.key"))
        return library

    def secret(self, name: str, size: int) -> bytes:
        """Random bytes that stay the same, and that only this user can read. `Unusable` where there is no room."""
        path = os.path.join(self.folder, f"{name}.secret")
        if not os.path.lexists(path):
            try:
                self._make_secret(path, size)
            except OSError as error:
                raise Unusable(f"the cache folder {self.folder} is not used: {error.strerror or error}") from error
        found = _read_own(path)
        if found is None or len(found) != size:
            raise Unusable(f"{path} is not what Kripke wrote: remove it, and checkpoints with it")
        return found

    def _make_secret(self, path: str, size: int) -> None:
        """Whole or not at all, and only where there is none."""
        with self.workshop() as folder, suppress(FileExistsError):
            made = os.path.join(folder, "secret")
            with open(made, "wb", opener=_private) as file:
                file.write(os.urandom(size))
            os.link(made, path)

    @contextmanager
    def workshop(self) -> Iterator[str]:
        """A private folder on the same file system, gone at the end."""
        import tempfile

        folder = tempfile.mkdtemp(prefix=_WORK, dir=self.folder)
        try:
            yield folder
        finally:
            import shutil

            shutil.rmtree(folder, ignore_errors=True)

    def size(self) -> Size:
        models, total = 0, 0
        for entry in self._entries():
            models += entry.name.endswith(".so")
            with suppress(OSError):
                total += entry.stat(follow_symlinks=False).st_size
        return Size(models, total)

    def prune(self, largest: int = LARGEST) -> None:
        """Remove what was not used for longest until `largest` bytes are left; looks at the folder once a day only."""
        if not self._is_due():
            return
        files = []
        for entry in self._entries():
            with suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                files.append((status.st_mtime, status.st_size, entry.path))
        excess = sum(size for _, size, _ in files) - largest
        for _, size, path in sorted(files):
            if excess <= 0:
                break
            with suppress(OSError):
                os.unlink(path)
                excess -= size
        self._remove_abandoned()

    def _is_due(self) -> bool:
        stamp = os.path.join(self.folder, "pruned")
        with suppress(OSError):
            if abs(time.time() - os.lstat(stamp).st_mtime) < _DAY:
                return False
        try:
            os.close(os.open(stamp, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
            os.utime(stamp, follow_symlinks=False)
        except OSError:
            return False
        return True

    def _entries(self) -> list[os.DirEntry[str]]:
        """Files whose names are ours: the folder may hold other things when the user chose it."""
        try:
            with os.scandir(self.folder) as found:
                return [entry for entry in found if _is_entry(entry.name)]
        except OSError:
            return []

    def _remove_abandoned(self) -> None:
        """Work folders of processes that were killed."""
        import shutil

        with suppress(OSError), os.scandir(self.folder) as found:
            for entry in found:
                if not entry.name.startswith(_WORK) or not entry.is_dir(follow_symlinks=False):
                    continue
                with suppress(OSError):
                    if time.time() - entry.stat(follow_symlinks=False).st_mtime > _DAY:
                        shutil.rmtree(entry.path, ignore_errors=True)


def content_hash(*parts: bytes) -> str:
    """BLAKE2b with 256 bits, in 64 hexadecimal digits, over the parts and where each of them ends."""
    digest = blake2b(digest_size=32)
    for part in parts:
        digest.update(b"%d:" % len(part))
        digest.update(part)
    return digest.hexdigest()


def user_folder() -> str | None:
    """Where this user's cache belongs; None for a user without a home."""
    chosen = os.environ.get(VARIABLE)
    if chosen:
        return os.path.abspath(os.path.expanduser(chosen))
    xdg = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(xdg):
        return os.path.join(xdg, "kripke")
    home = os.path.expanduser("~")
    if not os.path.isabs(home):
        return None
    caches = os.path.join("Library", "Caches") if sys.platform == "darwin" else ".cache"
    return os.path.join(home, caches, "kripke")


def open_user_cache() -> Cache:
    """The user's cache, its folder made where it is missing. `Unusable` where that is impossible or not safe."""
    folder = user_folder()
    if folder is None:
        raise Unusable(f"there is no cache folder: this user has no home (set {VARIABLE} to a folder of your own)")
    real = os.path.realpath(folder)
    why = _unsafe_way(os.path.dirname(real)) or _made(real) or _unsafe_folder(real)
    if why is not None:
        raise Unusable(f"the cache folder {folder} is not used: {why}")
    return Cache(real)


@cache
def open_private_cache() -> Cache:
    """A cache that ends with this process, for when the user's cannot be used. OSError if there is no room for it."""
    import atexit
    import tempfile

    failure: OSError | None = None
    for parent in dict.fromkeys([tempfile.gettempdir(), "/tmp", "/var/tmp", "/dev/shm"]):
        try:
            if _no_execution(parent):
                continue
            folder = tempfile.mkdtemp(prefix="kripke-", dir=parent)
        except OSError as error:
            failure = error
            continue
        atexit.register(_remove_as, os.getpid(), folder)
        return Cache(folder)
    raise failure or OSError("no folder for temporary files allows programs to be run from it")


def _remove_as(process: int, folder: str) -> None:
    """A forked child comes here too when it ends, and must leave its parent's files alone."""
    if os.getpid() == process:
        import shutil

        shutil.rmtree(folder, ignore_errors=True)


def _made(folder: str) -> str | None:
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    except FileExistsError:
        return "it is not a folder"
    except OSError as error:
        return f"it cannot be made ({(error.strerror or str(error)).lower()})"
    return None


def _unsafe_folder(folder: str) -> str | None:
    status = os.lstat(folder)
    if status.st_uid != os.geteuid():
        return "it belongs to another user"
    if status.st_mode & _OTHERS_WRITE:
        return f"others may write to it (mode {stat.S_IMODE(status.st_mode):04o}; chmod go-w makes it safe)"
    if not os.access(folder, os.W_OK | os.X_OK):
        return "it cannot be written to"
    if _no_execution(folder):
        return "its file system does not allow programs to be run (noexec)"
    return None


def _unsafe_way(folder: str) -> str | None:
    """Why somebody else could put another folder in the place of one below `folder`; None when nobody can."""
    while True:
        with suppress(FileNotFoundError):
            status = os.lstat(folder)
            if not stat.S_ISDIR(status.st_mode):
                return f"{folder} is not a folder"
            if status.st_uid not in (0, os.geteuid()):
                return f"{folder} belongs to another user"
            # With the sticky bit set, only the owner of an entry can move it away.
            if status.st_mode & _OTHERS_WRITE and not status.st_mode & stat.S_ISVTX and not _is_our_group_only(status):
                return f"others may write to {folder} (mode {stat.S_IMODE(status.st_mode):04o})"
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _is_our_group_only(status: os.stat_result) -> bool:
    """Writable for a group that is this user alone, as folders are where every user has a group of the same name."""
    if status.st_mode & stat.S_IWOTH or status.st_gid != os.getegid():
        return False
    import grp
    import pwd

    try:
        user = pwd.getpwuid(os.geteuid()).pw_name
        group = grp.getgrgid(status.st_gid)
    except KeyError:
        return False
    return group.gr_name == user and set(group.gr_mem) <= {user}


def _no_execution(folder: str) -> bool:
    return bool(os.statvfs(folder).f_flag & getattr(os, "ST_NOEXEC", 0))


def _read_own(path: str) -> bytes | None:
    """The content of a plain file that is ours and that nobody else may write; None for anything else."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & _OTHERS_WRITE:
            return None
        with open(handle, "rb", closefd=False) as file:
            return file.read()
    except OSError:
        return None
    finally:
        os.close(handle)


def _mark_used(path: str) -> None:
    with suppress(OSError):
        if time.time() - os.lstat(path).st_mtime > _HOUR:
            os.utime(path, follow_symlinks=False)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _is_digest(text: str) -> bool:
    return len(text) == 64 and not text.strip("0123456789abcdef")


def _is_entry(name: str) -> bool:
    stem, _, ending = name.partition(".")
    return ending in ("key", "so") and _is_digest(stem)
