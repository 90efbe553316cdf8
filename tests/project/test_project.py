"""The project itself: versions that agree, scripts that start, imports that stay light."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

import kripke

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_one_version() -> None:
    assert PROJECT["project"]["version"] == kripke.__version__ == metadata.version("kripke")


def test_nothing_is_needed_at_run_time() -> None:
    assert PROJECT["project"]["dependencies"] == []


def test_package_is_typed() -> None:
    assert (Path(kripke.__file__).parent / "py.typed").is_file()


def imported(statement: str, *suspects: str) -> list[str]:
    """Which of the suspects a statement imports, in a fresh Python."""
    program = f"import sys\n{statement}\nprint(*(name for name in {suspects!r} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_import_is_light() -> None:
    heavy = ("argparse", "ctypes", "dataclasses", "json", "kripke._native", "re", "subprocess", "tempfile")
    assert imported("import kripke", *heavy) == []


def test_compile_step_is_light() -> None:
    heavy = ("_hashlib", "asyncio", "ctypes", "dataclasses", "json", "shutil", "subprocess", "tempfile")
    assert imported("import kripke.compilation.compile", *heavy) == []


def test_files_stay_readable() -> None:
    files = [path for ending in ("py", "pyi", "cpp", "h") for path in (ROOT / "src").rglob(f"*.{ending}")]
    files += [path for path in (ROOT / "native").rglob("*") if path.suffix in (".cpp", ".h")]
    assert [str(path) for path in files if len(path.read_text().splitlines()) > 700] == []


def dev(*arguments: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ} if path is None else {"PATH": path}
    command = ["/bin/sh", str(ROOT / "dev"), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def test_dev_explains_itself() -> None:
    done = dev("help")
    assert done.returncode == 0
    assert done.stdout.startswith("Work in this checkout, with nothing installed or activated before.\n")
    assert done.stderr == ""


def test_dev_refuses_what_it_does_not_know() -> None:
    done = dev("tests")
    assert done.returncode == 2
    assert "./dev test [PYTEST ARGUMENTS]" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("version", [None, "3.10"])
def test_dev_without_a_python(tmp_path: Path, version: str | None) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    dirname = shutil.which("dirname")
    assert dirname is not None
    (tools / "dirname").symlink_to(dirname)
    if version is not None:
        old = tools / "python3"
        old.write_text("#!/bin/sh\nexit 1\n")  # what the question for the version ends with
        old.chmod(0o755)
    (tmp_path / "dev").write_text((ROOT / "dev").read_text())
    command = ["/bin/sh", str(tmp_path / "dev"), "test"]
    done = subprocess.run(command, env={"PATH": str(tools)}, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == (
        "dev: Python 3.11 or newer is needed, and none is on the PATH (set PYTHON to one that is elsewhere)\n"
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bin", "dev"]


def test_ci_runs_the_command_of_the_readme() -> None:
    assert "\npart tests ./dev test " in (ROOT / ".ci" / "run").read_text()
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    assert os.access(ROOT / "dev", os.X_OK)
