"""The command itself: help, versions, verbs, pipes, start-up time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kripke import __version__
from kripke.cli.main import VERBS


def test_version(command) -> None:
    ran = command("--version")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, f"kripke {__version__}\n", "")


def test_help(kripke) -> None:
    ran = kripke("--help")
    assert ran.code == 0
    assert {"check", "simulate", "run", "build", "replay", "explore", "info", "lts", "doctor"} <= set(VERBS)
    for verb in VERBS:
        assert f"\n  {verb}" in ran.out
        assert kripke(verb, "--help").code == 0


def test_no_arguments_show_the_help(kripke) -> None:
    assert kripke().code == 2


@pytest.mark.parametrize(
    ("verb", "message"),
    [
        ("chek", "there is no verb 'chek'; did you mean check?"),
        ("xyz", f"there is no verb 'xyz'; there are {', '.join(VERBS)}"),
        ("--fast", "there is no option --fast before the verb; write: kripke VERB FILE [options]"),
        ("model.toy", "say what to do with model.toy, for example: kripke check model.toy"),
    ],
)
def test_unknown_verbs(kripke, verb: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "model.toy").touch()
    ran = kripke(verb)
    assert (ran.code, ran.err) == (2, f"error: {message}\n")


@pytest.mark.parametrize("verb", ["check", "simulate", "replay", "explore", "info", "emit"])
def test_a_missing_file_name(kripke, verb: str) -> None:
    ran = kripke(verb)
    assert ran.code == 2
    assert ran.err == (
        f"error: which file? write: kripke {verb} FILE [options]\nkripke {verb} --help lists the options\n"
    )


def test_help_of_a_verb(kripke) -> None:
    assert kripke("help", "explore").out == kripke("explore", "--help").out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("check", "--seach", "dfs", "m.pml"), "there is no option --seach; did you mean --search?"),
        (("check", "m.pml", "--xyzzy=3"), "there is no option --xyzzy"),
        (("simulate", "m.pml", "other.pml"), "one file at a time: what is 'other.pml'?"),
        (("simulate", "--", "m.pml", "--quiet"), "one file at a time: what is '--quiet'?"),
        (("doctor", "m.pml"), "no file is needed: what is 'm.pml'?"),
        (("simulate", "m.pml", "--seed", "x"), "argument --seed: 'x' is not a whole number"),
    ],
)
def test_unknown_options(kripke, arguments: tuple[str, ...], message: str) -> None:
    ran = kripke(*arguments)
    assert ran.code == 2
    assert ran.err == f"error: {message}\nkripke {arguments[0]} --help lists the options\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("check", "folder"), "there is no model in folder"),
        (("verify-proof", "none.json"), "cannot read none.json: No such file or directory"),
        (("explore", "m.pml", "-o", "none/x.aut"), "cannot write none/x.aut: there is no directory none"),
        (("explore", "m.pml", "-o", "none/x.parquet"), "cannot write none/x.parquet: there is no directory none"),
        (("emit", "m.pml", "--c", "-o", "none/x.c"), "cannot write none/x.c: there is no directory none"),
        (("check", "m.pml", "--property", "safty"), "--property safty: the model has no property of that name; "
         "did you mean safety?"),
        (("check", "empty.pn"), "empty.pn contains no net\nhint: a net has places: place name (0..1) struct {};"),
        (("sql", "m.parquet", "select 1"), "cannot read m.parquet: it is no Parquet file; kripke explore MODEL -o "
         "m.parquet writes one"),
    ],
)  # fmt: skip
def test_files_that_are_not_what_they_should_be(kripke, arguments, message: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "m.pml").write_text("active proctype p() { skip }")
    (tmp_path / "m.parquet").write_text("no table")
    (tmp_path / "empty.pn").write_text("// nothing\n")
    ran = kripke(*arguments)
    assert (ran.code, ran.out, ran.err) == (2, "", f"error: {message}\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_devices(kripke) -> None:
    assert kripke("replay", "/dev/zero").err == "error: cannot read /dev/zero: it is a device, not a trace\n"
    ran = kripke("emit", "--ltl", "[] p", "-o", "/dev/full")
    assert (ran.code, ran.err) == (2, "error: cannot write /dev/full: No space left on device\n")


def test_a_reader_that_goes_away(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    ran = subprocess.run([sys.executable, "-m", "kripke", "--help"], stdout=write, stderr=subprocess.PIPE, timeout=60)
    os.close(write)
    assert (ran.returncode, ran.stderr) == (0, b"")


def test_closed_streams() -> None:
    ran = subprocess.run(
        ["/bin/sh", "-c", f"{sys.executable} -m kripke nothing 2>&1 >&-; {sys.executable} -m kripke --help >&- 2>&-"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ran.stdout.startswith("error: there is no verb 'nothing'")
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk() -> None:
    with open("/dev/full", "w") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "kripke", "--help"], stdout=full, stderr=subprocess.PIPE, timeout=60
        )
    assert (ran.returncode, ran.stderr) == (2, b"error: No space left on device\n")


def test_start_up_imports_little() -> None:
    code = "import sys, kripke; from kripke.cli.main import main; main(['--version']); print(*sys.modules)"
    out = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    ).stdout
    for heavy in ("argparse", "typing", "dataclasses", "re", "json", "subprocess", "kripke._native"):
        assert heavy not in out.split()


def test_import_is_quick() -> None:
    """Well under 0.2 s of processor time; the best of several runs, less what Python itself takes."""

    def best(code: str) -> float:
        times = []
        for _ in range(5):
            before = os.times()
            subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
            after = os.times()
            times.append(after.children_user + after.children_system - before.children_user - before.children_system)
        return min(times)

    assert best("import kripke") - best("pass") < 0.1


def test_ctrl_c_again_and_again_shows_no_traceback() -> None:
    """While the first is answered, and while Python shuts down."""
    program = """
import atexit, os, signal, sys, time
from kripke.cli import main as command

def interrupt():
    os.kill(os.getpid(), signal.SIGINT)

def run(arguments):
    interrupt()
    time.sleep(60)

class Interrupting:
    def write(self, text):
        interrupt()
        return sys.__stderr__.write(text)
    def flush(self):
        sys.__stderr__.flush()

signal.signal(signal.SIGINT, signal.default_int_handler)
command._run = run
sys.stderr = Interrupting()
atexit.register(interrupt)
sys.exit(command.main())
"""
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=50)
    assert "Traceback" not in finished.stderr
    assert finished.returncode == 130


def test_an_interrupt_that_was_answered_does_not_end_the_process(tmp_path) -> None:
    """Ctrl-C while modules are imported: the exit code is that of the answer, not the signal."""
    script = tmp_path / "interrupted.py"
    script.write_text(
        "import sys\n"
        "from kripke.cli import main as cli\n"
        "def answer():\n"
        "    try:\n"
        "        exec('raise KeyboardInterrupt')\n"
        "    except KeyboardInterrupt:\n"
        "        return 3\n"
        "cli.main = answer\n"
        "sys.exit(cli.command())\n"
    )
    ended = subprocess.run([sys.executable, "-m", script.stem], cwd=tmp_path, check=False)
    assert ended.returncode == 3


def test_an_interrupt_while_a_class_is_made(kripke, monkeypatch) -> None:
    def run(options):
        raise RuntimeError("Error calling __set_name__ on 'Field' instance") from KeyboardInterrupt()

    monkeypatch.setattr("kripke.cli.check.run", run)
    ended = kripke("check", "model.pml")
    assert (ended.code, ended.out, ended.err) == (130, "", "\ninterrupted\n")
