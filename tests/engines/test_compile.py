"""Compiling models: the cache, the compilers, and everything that can be wrong with either."""

from __future__ import annotations

import ctypes
import errno
import multiprocessing
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kripke.compilation import cache as cache_module
from kripke.compilation import compile as compile_module
from kripke.compilation.compile import CompiledModel, CompileError, NoCompiler, compile_model, include_folder

pytestmark = pytest.mark.optimised

SOURCE = '#include "model.h"\nint answer(void) { return 42; }\n'

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
not_as_root = pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache, not yet made."""
    monkeypatch.setenv("KRIPKE_CACHE", str(tmp_path / "cache"))
    cache_module.open_private_cache.cache_clear()
    yield tmp_path / "cache"
    cache_module.open_private_cache.cache_clear()


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str, str], Path]:
    """`script("cc", "exit 1")` is a program."""

    def make(name: str, text: str) -> Path:
        path = tmp_path / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return path

    return make


def answer(compiled: CompiledModel) -> int:
    return int(ctypes.CDLL(str(compiled.path)).answer())


def entries(folder: Path) -> list[str]:
    """What is in a cache, without its stamp: endings, sorted."""
    return sorted(path.suffix or path.name for path in folder.iterdir() if path.name != "pruned")


def real_compiler() -> str:
    found = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    assert found is not None
    return found


# --- the cache --------------------------------------------------------------------------------------------------------


def test_compiles_once_and_then_finds_it(folder: Path) -> None:
    cold = compile_model(SOURCE)
    warm = compile_model(SOURCE)
    assert (cold.cached, warm.cached) == (False, True)
    assert cold.path == warm.path
    assert cold.compiler == warm.compiler
    assert cold.warnings == warm.warnings == ()
    assert answer(warm) == 42
    assert entries(folder) == [".key", ".so"]
    assert warm.seconds < cold.seconds


def test_cache_is_private(folder: Path) -> None:
    old = os.umask(0)
    try:
        compiled = compile_model(SOURCE)
    finally:
        os.umask(old)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(Path(compiled.path).stat().st_mode) == 0o700
    assert [stat.S_IMODE(path.stat().st_mode) for path in folder.glob("*.key")] == [0o600]


def test_another_text_is_another_entry(folder: Path) -> None:
    first = compile_model(SOURCE)
    second = compile_model(SOURCE.replace("42", "43"))
    assert not second.cached
    assert (answer(first), answer(second)) == (42, 43)
    assert entries(folder) == [".key", ".key", ".so", ".so"]


def test_what_was_compiled_for_another_interface_is_compiled_again(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cache may hold models for an older ``model.h``: they are neither found nor loaded."""
    native = pytest.importorskip("kripke.engines.explicit.native")
    model = (Path(__file__).parents[1] / "native" / "models" / "grid.c").read_text()
    header = (Path(include_folder()) / "model.h").read_text()
    version = re.search(r"#define KRIPKE_ABI (\d+)u", header)
    assert version is not None
    older = tmp_path / "older"
    older.mkdir()
    (older / "model.h").write_text(header.replace(version.group(), "#define KRIPKE_ABI 9u"))
    with monkeypatch.context() as patch:
        patch.setattr(compile_module, "include_folder", lambda: str(older))
        old = compile_model(model)
    new = compile_model(model)
    assert not new.cached and new.path != old.path
    assert native.open_model(new.path) is not None
    with pytest.raises(RuntimeError, match=f"was compiled for version 9 .* this engine has version {version.group(1)}"):
        native.open_model(old.path)


def test_another_compiler_is_another_entry(
    folder: Path, script: Callable[[str, str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = script("mycc", f'exec {real_compiler()} "$@"')
    monkeypatch.setenv("KRIPKE_CC", str(compiler))
    assert not compile_model(SOURCE).cached
    assert compile_model(SOURCE).cached
    compiler.write_text(f'#!/bin/sh\n# replaced\nexec {real_compiler()} "$@"\n')
    assert not compile_model(SOURCE).cached
    monkeypatch.setenv("KRIPKE_CC", f"{compiler} -DMORE")
    assert not compile_model(SOURCE).cached


def test_warm_path_starts_no_process_and_imports_little(folder: Path) -> None:
    compile_model(SOURCE)
    program = (
        "import sys, kripke.compilation.compile as c\n"
        f"assert c.compile_model({SOURCE!r}).cached\n"
        "print([name for name in ('subprocess', 'tempfile', 'shutil', 'ctypes') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def _race(barrier: object, source: str) -> tuple[str, bool, int]:
    barrier.wait()  # type: ignore[attr-defined]
    compiled = compile_model(source)
    return str(compiled.path), compiled.cached, answer(compiled)


def test_eight_processes_at_once(folder: Path) -> None:
    context = multiprocessing.get_context("spawn")
    with context.Manager() as manager, context.Pool(8) as pool:
        barrier = manager.Barrier(8)
        results = pool.starmap(_race, [(barrier, SOURCE)] * 8, chunksize=1)
    assert [result for _, _, result in results] == [42] * 8
    assert all(Path(path).parent == folder for path, _, _ in results)
    assert not any(name.startswith("build-") for name in os.listdir(folder))
    assert compile_model(SOURCE).cached


@pytest.mark.parametrize("damage", ["flip a byte", "cut it", "empty it", "write to it"])
def test_damaged_library_is_never_loaded(folder: Path, damage: str) -> None:
    path = Path(compile_model(SOURCE).path)
    whole = path.read_bytes()
    damaged = {
        "flip a byte": whole[:1000] + bytes([whole[1000] ^ 1]) + whole[1001:],
        "cut it": whole[:-1],
        "empty it": b"",
        "write to it": whole + b"\0",
    }[damage]
    path.write_bytes(damaged)
    again = compile_model(SOURCE)
    assert not again.cached
    assert again.warnings == ()
    assert Path(again.path).read_bytes() == whole
    assert answer(again) == 42


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"../../etc/passwd", b"0" * 63, b"0" * 64, b"G" * 64])
def test_damaged_key_is_not_believed(folder: Path, content: bytes) -> None:
    compile_model(SOURCE)
    [key] = folder.glob("*.key")
    key.write_bytes(content)
    assert not compile_model(SOURCE).cached
    assert compile_model(SOURCE).cached


@pytest.mark.parametrize("pattern", ["*.so", "*.key"])
def test_link_in_the_cache_is_not_followed(folder: Path, tmp_path: Path, pattern: str) -> None:
    compile_model(SOURCE)
    [file] = folder.glob(pattern)
    moved = tmp_path / "elsewhere"
    file.rename(moved)
    file.symlink_to(moved)
    assert not compile_model(SOURCE).cached
    assert not file.is_symlink()
    assert compile_model(SOURCE).cached


@pytest.mark.parametrize("pattern", ["*.so", "*.key"])
def test_file_that_others_may_write_is_not_used(folder: Path, pattern: str) -> None:
    compile_model(SOURCE)
    [file] = folder.glob(pattern)
    file.chmod(0o770)
    assert not compile_model(SOURCE).cached


@as_root
@pytest.mark.parametrize("pattern", ["*.so", "*.key"])
def test_file_of_another_user_is_not_used(folder: Path, pattern: str) -> None:
    compile_model(SOURCE)
    [file] = folder.glob(pattern)
    os.chown(file, 12345, 12345)
    assert not compile_model(SOURCE).cached


def test_pipe_in_the_cache_does_not_block(folder: Path) -> None:
    compile_model(SOURCE)
    [key] = folder.glob("*.key")
    key.unlink()
    os.mkfifo(key, 0o600)
    assert not compile_model(SOURCE).cached


def not_used(folder: Path, why: str) -> tuple[str, ...]:
    return (f"the cache folder {folder} is not used: {why}",)


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o770, 0o702])
def test_folder_that_others_may_write_is_not_used(folder: Path, mode: int) -> None:
    compile_model(SOURCE)
    folder.chmod(mode)
    compiled = compile_model(SOURCE)
    why = f"others may write to it (mode {mode:04o}; chmod go-w makes it safe)"
    assert compiled.warnings == not_used(folder, why)
    assert not compiled.cached
    assert Path(compiled.path).parent != folder
    assert answer(compiled) == 42


def test_private_folder_serves_the_rest_of_the_process(folder: Path) -> None:
    folder.mkdir(mode=0o700)
    folder.chmod(0o777)
    first = compile_model(SOURCE)
    second = compile_model(SOURCE)
    assert second.cached
    assert first.path == second.path
    assert stat.S_IMODE(Path(first.path).parent.stat().st_mode) == 0o700
    assert list(folder.iterdir()) == []


def test_parent_that_others_may_write_is_not_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_to_all = folder / "open"
    open_to_all.mkdir(parents=True)
    open_to_all.chmod(0o777)
    monkeypatch.setenv("KRIPKE_CACHE", str(open_to_all / "cache"))
    compiled = compile_model(SOURCE)
    assert compiled.warnings == not_used(open_to_all / "cache", f"others may write to {open_to_all} (mode 0777)")
    assert list(open_to_all.iterdir()) == []
    open_to_all.chmod(0o1777)
    assert compile_model(SOURCE).warnings == ()


@as_root
def test_folder_of_another_user_is_not_used(folder: Path) -> None:
    folder.mkdir()
    os.chown(folder, 12345, 12345)
    assert compile_model(SOURCE).warnings == not_used(folder, "it belongs to another user")


@as_root
def test_nothing_is_made_in_the_home_of_another_user(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir()
    os.chown(folder, 12345, 12345)
    monkeypatch.setenv("KRIPKE_CACHE", str(folder / "cache"))
    assert compile_model(SOURCE).warnings == not_used(folder / "cache", f"{folder} belongs to another user")
    assert list(folder.iterdir()) == []


def test_cache_that_is_a_file(folder: Path) -> None:
    folder.write_text("not a folder")
    compiled = compile_model(SOURCE)
    assert compiled.warnings == not_used(folder, "it is not a folder")
    assert folder.read_text() == "not a folder"
    assert answer(compiled) == 42


def test_cache_below_a_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.write_text("not a folder")
    monkeypatch.setenv("KRIPKE_CACHE", str(folder / "cache"))
    assert compile_model(SOURCE).warnings == not_used(folder / "cache", f"{folder} is not a folder")


def test_missing_parents_are_made(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KRIPKE_CACHE", str(folder / "a" / "b"))
    assert compile_model(SOURCE).warnings == ()
    assert entries(folder / "a" / "b") == [".key", ".so"]


@not_as_root
def test_read_only_cache(folder: Path) -> None:
    folder.mkdir(mode=0o500)
    assert compile_model(SOURCE).warnings == not_used(folder, "it cannot be written to")


@not_as_root
def test_read_only_parent(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir(mode=0o500)
    monkeypatch.setenv("KRIPKE_CACHE", str(folder / "cache"))
    why = "it cannot be made (permission denied)"
    assert compile_model(SOURCE).warnings == not_used(folder / "cache", why)


def test_folder_that_cannot_be_made(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KRIPKE_CACHE", "/proc/kripke")
    warnings = compile_model(SOURCE).warnings
    assert warnings == not_used(Path("/proc/kripke"), "it cannot be made (no such file or directory)")


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("HOME", "/home/ada")
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/ada")
    monkeypatch.setenv("KRIPKE_CACHE", "/fast")
    assert cache_module.user_folder() == "/fast"
    monkeypatch.delenv("KRIPKE_CACHE")
    assert cache_module.user_folder() == "/var/ada/kripke"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative, so ignored")
    assert cache_module.user_folder() == "/home/ada/.cache/kripke"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cache_module.user_folder() == "/home/ada/Library/Caches/kripke"


def test_no_home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KRIPKE_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    assert compile_model(SOURCE).warnings == (
        "there is no cache folder: this user has no home (set KRIPKE_CACHE to a folder of your own)",
    )


# --- full disks -------------------------------------------------------------------------------------------------------


def test_full_disk_goes_to_a_private_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace = os.replace

    def full(source: str, target: str) -> None:
        if str(target).startswith(str(folder)):
            raise OSError(errno.ENOSPC, "No space left on device", str(target))
        replace(source, target)

    monkeypatch.setattr(os, "replace", full)
    compiled = compile_model(SOURCE)
    assert answer(compiled) == 42
    [warning] = compiled.warnings
    assert warning.startswith(f"cannot write the compiled model {folder}/")
    assert warning.endswith(".so: no space left on device")
    assert entries(folder) == []


def test_full_disk_that_only_the_compiler_sees(
    folder: Path, script: Callable[[str, str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"case $PWD in {folder}/*) echo 'ld: final link failed: No space left on device'; exit 1;; esac"
    monkeypatch.setenv("KRIPKE_CC", str(script("cc", f'{text}\nexec {real_compiler()} "$@"')))
    compiled = compile_model(SOURCE)
    assert compiled.warnings == (f"the file system of {folder} is full",)
    assert answer(compiled) == 42


def test_all_disks_full(folder: Path, script: Callable[[str, str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KRIPKE_CC", str(script("cc", "echo 'cc1: No space left on device'; exit 1")))
    with pytest.raises(CompileError) as raised:
        compile_model(SOURCE)
    private = cache_module.open_private_cache().folder
    assert str(raised.value) == (
        "there is no place for the compiled model\n"
        f"the file system of {folder} is full\n"
        f"the file system of {private} is full"
    )


@as_root
def test_real_full_disk(folder: Path) -> None:
    folder.mkdir(mode=0o700)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k,mode=700", "tmpfs", folder], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("cannot mount a file system here")
    try:
        compiled = compile_model(SOURCE)
        assert answer(compiled) == 42
        assert len(compiled.warnings) == 1
        assert Path(compiled.path).parent != folder
        assert entries(folder) == []
    finally:
        subprocess.run(["umount", folder], check=True)


@as_root
def test_file_system_without_execution(folder: Path) -> None:
    folder.mkdir(mode=0o700)
    options = "size=1m,mode=700,noexec"
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("cannot mount a file system here")
    try:
        why = "its file system does not allow programs to be run (noexec)"
        assert compile_model(SOURCE).warnings == not_used(folder, why)
    finally:
        subprocess.run(["umount", folder], check=True)


# --- pruning ----------------------------------------------------------------------------------------------------------


def test_what_was_not_used_for_longest_goes(folder: Path) -> None:
    paths = [Path(compile_model(SOURCE.replace("42", str(number))).path) for number in range(3)]
    size = sum(path.stat().st_size for path in folder.iterdir())
    now = time.time()
    for age, path in enumerate(paths):
        os.utime(path, (now - 10_000 * (3 - age),) * 2)
    own = folder / "notes.txt"
    own.write_text("of the user")
    os.utime(own, (0, 0))
    cache = cache_module.Cache(str(folder))
    (folder / "pruned").unlink()
    cache.prune(largest=size - 1)
    assert [path.exists() for path in paths] == [False, True, True]
    assert own.exists()
    cache.prune(largest=0)
    assert [path.exists() for path in paths] == [False, True, True], "once a day is enough"


def test_folders_of_killed_processes_go(folder: Path) -> None:
    compile_model(SOURCE)
    abandoned, busy = folder / "build-old", folder / "build-new"
    for work in (abandoned, busy):
        work.mkdir()
        (work / "model.c").write_text("")
    os.utime(abandoned, (0, 0))
    (folder / "pruned").unlink()
    cache_module.Cache(str(folder)).prune()
    assert (abandoned.exists(), busy.exists()) == (False, True)


def test_use_keeps_an_entry_young(folder: Path) -> None:
    path = Path(compile_model(SOURCE).path)
    os.utime(path, (1, 1))
    assert compile_model(SOURCE).cached
    assert time.time() - path.stat().st_mtime < 60


# --- compilers --------------------------------------------------------------------------------------------------------

ADVICE = "Set KRIPKE_CC to the command of a C compiler, or unset it to use cc, gcc, clang, tcc or ziglang."


def test_chosen_compiler_that_is_not_there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KRIPKE_CC", "/nowhere/cc -O3")
    with pytest.raises(NoCompiler) as raised:
        compile_model(SOURCE)
    assert str(raised.value) == f"KRIPKE_CC is set to '/nowhere/cc -O3', but there is no such program.\n{ADVICE}"


def test_chosen_compiler_that_is_no_command(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KRIPKE_CC", "cc 'x")
    with pytest.raises(NoCompiler) as raised:
        compile_model(SOURCE)
    why = "that is not a command: No closing quotation."
    assert str(raised.value) == f"KRIPKE_CC is set to 'cc 'x', but {why}\n{ADVICE}"


def test_chosen_compiler_that_does_not_work(
    folder: Path, script: Callable[[str, str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = script("mycc", "echo 'no licence' >&2; exit 3")
    monkeypatch.setenv("KRIPKE_CC", str(compiler))
    with pytest.raises(NoCompiler) as raised:
        compile_model(SOURCE)
    first, second, *rest = str(raised.value).splitlines()
    assert first == f"KRIPKE_CC is set to '{compiler}', but it does not work: the C compiler failed with exit status 3"
    assert second.startswith(f"command: {compiler} -O1 ")
    assert rest == ["no licence", ADVICE]


def test_no_compiler_at_all(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("kripke.compilation.compiler._zig", lambda: None)
    with pytest.raises(NoCompiler) as raised:
        compile_model(SOURCE)
    assert str(raised.value) == (
        "no C compiler found\n"
        "Looked for: KRIPKE_CC (not set), cc, gcc, clang, tcc on the PATH, the ziglang package.\n"
        "Install one (for example gcc, or `pip install ziglang`), set KRIPKE_CC to the command of one, "
        "or use --engine interpreter."
    )


def test_broken_compiler_is_passed_over(
    folder: Path, script: Callable[[str, str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    script("cc", "echo 'error: invalid active developer path'; exit 1")
    working = script("gcc", f'exec {real_compiler()} "$@"')
    monkeypatch.setenv("PATH", str(working.parent), prepend=os.pathsep)
    compiled = compile_model(SOURCE)
    assert compiled.compiler == str(working)
    assert answer(compiled) == 42
    assert compile_model(SOURCE).cached


def test_only_broken_compilers(
    folder: Path, script: Callable[[str, str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = script("cc", "echo 'error: invalid active developer path'; exit 1")
    monkeypatch.setattr("kripke.compilation.compiler._zig", lambda: None)
    monkeypatch.setenv("PATH", str(broken.parent))
    with pytest.raises(NoCompiler) as raised:
        compile_model(SOURCE)
    lines = str(raised.value).splitlines()
    assert lines[0] == "no C compiler that works"
    assert lines[2] == f"{broken} does not work: the C compiler failed with exit status 1"
    assert lines[4] == "error: invalid active developer path"


def test_text_that_is_not_c(folder: Path) -> None:
    with pytest.raises(CompileError) as raised:
        compile_model("int answer(void) { return oops; }\n")
    assert not isinstance(raised.value, NoCompiler)
    first, second, *rest = str(raised.value).splitlines()
    assert first == "the C compiler failed with exit status 1"
    assert second.endswith(f" -I{include_folder()} -o model.so model.c")
    assert any("model.c:1:27: error: " in line for line in rest)
    assert entries(folder) == []


def test_long_output_is_cut(folder: Path, script: Callable[[str, str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    text = f'grep -q probe model.c && exec {real_compiler()} "$@"\nseq 1 100\nexit 1'
    monkeypatch.setenv("KRIPKE_CC", str(script("mycc", text)))
    with pytest.raises(CompileError) as raised:
        compile_model(SOURCE)
    assert str(raised.value).splitlines()[2:] == [*map(str, range(1, 13)), "... and 88 more lines"]


def test_compiler_that_crashes(
    folder: Path, script: Callable[[str, str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f'grep -q probe model.c && exec {real_compiler()} "$@"\nkill -SEGV $$'
    monkeypatch.setenv("KRIPKE_CC", str(script("mycc", text)))
    with pytest.raises(CompileError, match=r"^the C compiler was killed by signal 11\n"):
        compile_model(SOURCE)


def test_compiler_that_writes_nothing(
    folder: Path, script: Callable[[str, str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KRIPKE_CC", str(script("mycc", "exit 0")))
    with pytest.raises(NoCompiler, match="but it does not work: the C compiler wrote no library\n"):
        compile_model(SOURCE)


def test_compiler_that_does_not_end(
    folder: Path, script: Callable[[str, str], Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    compiler = script("mycc", f"sleep 100 & echo $! > {tmp_path}/child; wait")
    monkeypatch.setenv("KRIPKE_CC", str(compiler))
    monkeypatch.setenv("KRIPKE_CC_TIMEOUT", "0.5")
    start = time.perf_counter()
    with pytest.raises(CompileError) as raised:
        compile_model(SOURCE)
    assert time.perf_counter() - start < 20
    first, second = str(raised.value).splitlines()
    assert first == "the C compiler took longer than 0.5 seconds and was stopped (KRIPKE_CC_TIMEOUT sets the limit)"
    assert second.startswith(f"command: {compiler} ")
    assert_gone(int((tmp_path / "child").read_text()))
    assert entries(folder) == []


@pytest.mark.parametrize("value", ["soon", "0", "-1", "nan"])
def test_time_limit_that_is_none(folder: Path, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("KRIPKE_CC_TIMEOUT", value)
    with pytest.raises(CompileError) as raised:
        compile_model(SOURCE)
    assert str(raised.value) == f"KRIPKE_CC_TIMEOUT is set to '{value}': it must be a number of seconds above 0"


def test_interrupt_stops_the_compiler_and_leaves_nothing(
    folder: Path, script: Callable[[str, str], Path], tmp_path: Path
) -> None:
    compiler = script("mycc", f"sleep 100 & echo $! > {tmp_path}/new; mv {tmp_path}/new {tmp_path}/child; wait")
    program = f"from kripke.compilation.compile import compile_model\ncompile_model({SOURCE!r})"
    environment = {**os.environ, "KRIPKE_CC": str(compiler)}
    process = subprocess.Popen([sys.executable, "-c", program], env=environment, stderr=subprocess.PIPE)
    child = tmp_path / "child"
    wait_until(child.exists)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert b"KeyboardInterrupt" in errors
    assert_gone(int(child.read_text()))
    assert entries(folder) == []


def test_interrupt_while_the_compiler_is_started(
    folder: Path, script: Callable[[str, str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has begun, and nobody knows its number yet: it is stopped all the same."""
    started = []

    class Interrupted(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            started.append(self.pid)
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setenv("KRIPKE_CC", str(script("mycc", "sleep 100")))
    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        compile_model(SOURCE)
    assert_gone(started[0])
    assert entries(folder) == []


def test_a_command_that_is_ended_leaves_no_compiler(
    folder: Path, script: Callable[[str, str], Path], tmp_path: Path
) -> None:
    compiler = script("mycc", f"sleep 100 & echo $! > {tmp_path}/new; mv {tmp_path}/new {tmp_path}/child; wait")
    program = f"from kripke.compilation.compile import compile_model\ncompile_model({SOURCE!r})"
    environment = {**os.environ, "KRIPKE_CC": str(compiler)}
    process = subprocess.Popen([sys.executable, "-c", program], env=environment)
    child = tmp_path / "child"
    wait_until(child.exists)
    time.sleep(0.2)
    process.terminate()
    assert process.wait(timeout=60) == 128 + signal.SIGTERM
    assert_gone(int(child.read_text()))
    assert entries(folder) == []


def test_what_takes_long_to_optimise_is_compiled_without(
    folder: Path, script: Callable[[str, str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = script("mycc", 'case "$*" in *-O1*) sleep 100;; esac; exec cc "$@"')
    monkeypatch.setenv("KRIPKE_CC", str(compiler))
    built = compile_model(SOURCE, timeout=15)
    assert not built.cached
    assert compile_model(SOURCE, timeout=15).cached


def assert_gone(process: int) -> None:
    """Ended; where nobody collects it, it may stay as a zombie."""

    def gone() -> bool:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        try:
            return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
        except OSError:
            return not Path("/proc").is_dir()

    wait_until(gone)


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize("name", ["gcc", "clang", "tcc"])
def test_every_compiler_that_is_here(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    monkeypatch.setenv("KRIPKE_CC", name)
    assert answer(compile_model(SOURCE)) == 42


def test_zig(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ziglang")
    monkeypatch.setenv("PATH", str(tmp_path))
    compiled = compile_model(SOURCE)
    assert compiled.compiler == f"{sys.executable} -m ziglang cc"
    assert answer(compiled) == 42


def test_tcc_gets_only_flags_it_knows(
    folder: Path, script: Callable[[str, str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = script("tcc", f'echo "$@" > ../arguments; exec {real_compiler()} -fPIC "$@"')
    (compiler.parent / "cc").symlink_to(compiler)
    monkeypatch.setenv("PATH", str(compiler.parent), prepend=os.pathsep)
    assert answer(compile_model(SOURCE)) == 42
    arguments = (folder / "arguments").read_text().split()
    assert arguments == ["-shared", "-w", f"-I{include_folder()}", "-o", "model.so", "model.c"]


# --- the C text -------------------------------------------------------------------------------------------------------


def test_keep_writes_the_text(folder: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.c"
    compile_model(SOURCE, keep=kept)
    assert kept.read_text() == SOURCE
    kept.unlink()
    assert compile_model(SOURCE, keep=kept).cached
    assert kept.read_text() == SOURCE


def test_keep_where_nothing_can_be_written(folder: Path, tmp_path: Path) -> None:
    kept = tmp_path / "missing" / "kept.c"
    with pytest.raises(CompileError) as raised:
        compile_model(SOURCE, keep=kept)
    assert str(raised.value) == f"cannot write the C text to {kept}: no such file or directory"


def test_text_of_any_characters(folder: Path) -> None:
    compiled = compile_model(SOURCE + "/* ∀ x: ☃ \udcff */\n")
    assert answer(compiled) == 42
