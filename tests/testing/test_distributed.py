"""Distributed programs in one process: start-up files, processes of their own, faults, remote objects, cryptography."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kripke.testing import Report, Settings, System, explore, explore_system
from kripke.testing.programs import ProgramError
from kripke.testing.startup import Faults, StartupError, parse_startup
from tests.testing.centralised import PAIRS, Pair

WITHOUT_LIMIT = Settings(seconds=None)
EXAMPLES = Path(__file__).parents[2] / "examples" / "distributed"


def system(folder: Path, startup: str, check: Any = None, **files: str) -> Report:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    (folder / "all.startup").write_text(startup)
    return explore_system(str(folder / "all.startup"), WITHOUT_LIMIT, check=check)


def verdict_of(report: Report) -> str:
    if report.failure is None:
        assert report.complete, report.reason
        return "holds"
    return report.failure.kind


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_verdicts_are_those_of_a_version_by_hand(pair: Pair, tmp_path: Path) -> None:
    for name, text in pair.files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "all.startup").write_text(pair.startup)
    report = explore_system(str(tmp_path / "all.startup"), WITHOUT_LIMIT)
    assert verdict_of(report) == pair.verdict, str(report)
    assert verdict_of(explore(pair.by_hand, WITHOUT_LIMIT)) == pair.verdict


def test_lines_of_a_start_up_file() -> None:
    startup = parse_startup(
        "# who is there\nset loss=1 delay=1\nbank (crashes=2)@left: NAME=x python bank.py 80 'a b' &\n"
        "python -m client\npython -m client\n",
        folder="/somewhere",
    )
    bank, one, two = startup.processes
    assert (bank.name, bank.host, bank.target, bank.arguments) == ("bank", "left", "bank.py", ("80", "a b"))
    assert (bank.background, bank.environment) == (True, (("NAME", "x"),))
    assert (bank.faults, one.faults) == (Faults(crashes=2, loss=1), Faults(loss=1))
    assert (one.name, two.name, one.is_module, startup.delay) == ("client", "client-2", True, True)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "there is no process"),
        ("set colour=red\npython a.py", "<start-up>:1: set colour=red\n  there is no setting colour"),
        ("set loss=many\npython a.py", "loss is a number, not 'many'"),
        ("set connect=maybe\npython a.py", "connect is 'wait' or 'refuse'"),
        ("a: java A", "<start-up>:1: a: java A\n  the command is 'python FILE ARGUMENTS'"),
        ("a: python", "no file or module to run"),
        ("a: python -O a.py", "only -m is known here"),
        ("a: python 'a.py", "No closing quotation"),
        ("a: python a.py\na: python b.py", "there is a process a already"),
        ("a (delay=1): python a.py", "delay=1 is a setting of the whole"),
        ("set adversary=eve\na: python a.py", "there is no process eve"),
    ],
)
def test_errors_of_start_up_files_point(text: str, words: str) -> None:
    with pytest.raises(StartupError) as found:
        parse_startup(text)
    assert words in str(found.value)


def test_what_cannot_be_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match=r"b\.py: No such file"):
        system(tmp_path, "python b.py\n")
    with pytest.raises(ProgramError, match=r"a\.py:1:\d+: "):
        system(tmp_path, "python a.py\n", a="def (:\n")
    with pytest.raises(ProgramError, match="has no function wrong"):
        system(tmp_path, "set check=a.py:wrong\npython a.py\n", a="")


def test_globals_arguments_and_output_are_of_one_process(tmp_path: Path) -> None:
    seen = set()

    def check(whole: System) -> None:
        one, two = whole["one"], whole["two"]
        assert one.module("shared").value == "1"
        assert two.module("shared").value == "2"
        assert one.module("shared").Kind is not two.module("shared").Kind
        assert (one.output, two.output) == ("1 x\n", "2 y\n")
        assert (one.exit_code, two.exit_code) == (3, 0)
        seen.add(tuple(whole.log))

    report = system(
        tmp_path,
        "one: PLACE=x python a.py 1\ntwo: PLACE=y python a.py 2\n",
        check,
        shared="value = None\nclass Kind:\n    pass\n",
        a=(
            "import os, sys, shared, pickle\nfrom kripke.testing import record\nshared.value = sys.argv[1]\n"
            "assert type(pickle.loads(pickle.dumps(shared.Kind()))) is shared.Kind\n"
            "record(sys.argv[1])\nprint(shared.value, os.environ['PLACE'])\n"
            "sys.exit(3 if sys.argv[1] == '1' else 0)\n"
        ),
    )
    assert report.complete, str(report)
    assert seen == {("1", "2"), ("2", "1")}
    assert "shared" not in sys.modules


def test_threads_of_one_process_race_and_its_module_has_steps(tmp_path: Path) -> None:
    report = system(
        tmp_path,
        "python a.py\npython b.py\n",
        a=(
            "import threading\ncount = 0\ndef add():\n    global count\n    count += 1\n"
            "threads = [threading.Thread(target=add) for _ in range(2)]\nfor each in threads: each.start()\n"
            "for each in threads: each.join()\nassert count == 2\n"
        ),
        b="pass\n",
    )
    assert report.failure is not None
    assert report.failure.kind == "assertion"


def test_leaving_ends_one_process(tmp_path: Path) -> None:
    server = (
        "import socket\nwire = socket.create_server(('', 80))\n"
        "client, _ = wire.accept()\nassert client.recv(9) == b''\n"
    )
    for end in ("sys.exit()", "os._exit(1)"):
        report = system(
            tmp_path,
            "set connect=wait\npython server.py\npython client.py\n",
            server=server,
            client=(
                "import os, socket, sys, threading, time\nwire = socket.create_connection(('', 80))\n"
                f"threading.Thread(target=time.sleep, args=(9,), daemon=True).start()\n{end}\n"
            ),
        )
        assert report.complete, str(report)


def test_crash_and_restart_are_choices_and_the_disk_stays(tmp_path: Path) -> None:
    logs = set()
    report = system(
        tmp_path,
        "one (crashes=1, restarts=1): python a.py\n",
        lambda whole: logs.add((tuple(whole.log), whole["one"].crashed)),
        a=(
            "from kripke.testing import record, stable\ndisk = stable()\nrecord(disk.get('lives', 0))\n"
            "disk['lives'] = disk.get('lives', 0) + 1\nrecord('done')\n"
        ),
    )
    assert report.complete, str(report)
    assert logs == {
        ((0, "done"), False),
        ((), True),
        ((0,), True),
        ((0, "done"), False),
        ((0, 0, "done"), False),
        ((0, 1, "done"), False),
    }


def test_a_crash_comes_at_any_time_to_a_thread_that_waits(tmp_path: Path) -> None:
    """The main thread waits alone; a call then runs beside it, and crashes the process before or after it goes on."""
    logs = set()
    report = system(
        tmp_path,
        "set connect=wait\nserver (crashes=1): python server.py &\npython client.py\n",
        lambda whole: logs.add(tuple(whole.log)),
        server=(
            "import threading\nfrom kripke.testing import record\nfrom kripke.testing.remote import export\n"
            "called = threading.Event()\nclass Server:\n    def work(self):\n        called.set()\n"
            "        record('handler')\nexport('server', Server())\ncalled.wait()\nrecord('main')\n"
        ),
        client=(
            "from kripke.testing.remote import RemoteError, lookup\nimport time\ntry: lookup('server').work()\n"
            "except RemoteError: pass\n"
        ),
    )
    assert report.failure is not None  # it may crash before it exports anything
    startup = (tmp_path / "all.startup").read_text().replace("python client.py", "python client.py &")
    report = explore_system(
        parse_startup(startup, folder=str(tmp_path)), WITHOUT_LIMIT, check=lambda whole: logs.add(tuple(whole.log))
    )
    assert report.complete, str(report)
    assert logs == {(), ("handler",), ("main",), ("handler", "main"), ("main", "handler")}


def test_datagrams_are_lost_doubled_and_late(tmp_path: Path) -> None:
    receiver = (
        "import socket\nfrom kripke.testing import record\nwire = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        "wire.bind(('', 1))\nwire.settimeout(5)\n"
        "try:\n    while True: record(wire.recv(9))\nexcept TimeoutError: pass\n"
    )
    sender = (
        "import socket, time\ntime.sleep(1)\nwire = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        "wire.sendto(b'a', ('', 1))\nwire.sendto(b'b', ('', 1))\n"
    )
    logs: dict[str, set[Any]] = {}
    for faults in ("loss=0", "loss=1", "duplication=1", "delay=1"):
        found = logs.setdefault(faults, set())
        report = system(
            tmp_path,
            f"set {faults}\npython receiver.py\npython sender.py\n",
            lambda whole, found=found: found.add(b"".join(whole.log)),
            receiver=receiver,
            sender=sender,
        )
        assert report.complete, str(report)
    assert logs["loss=0"] == {b"ab"}
    assert logs["loss=1"] == {b"ab", b"a", b"b"}
    assert logs["duplication=1"] == {b"ab", b"aab", b"abb"}
    assert logs["delay=1"] == {b"ab", b"ba"}


def test_copies_keep_sharing_and_cycles(tmp_path: Path) -> None:
    report = system(
        tmp_path,
        "set connect=wait\npython server.py &\npython client.py\n",
        thing="class Thing:\n    pass\n",
        server=(
            "import threading\nfrom kripke.testing.remote import export, Remote\nfrom thing import Thing\n"
            "class Counter(Remote):\n    count = 0\n"
            "    def add(self):\n        self.count += 1\n        return self.count\n"
            "class Server:\n    def take(self, values):\n        assert values[0] is values[1]\n"
            "        assert values[0].loop is values[0] and type(values[0]) is Thing\n        values[0].mark = 1\n"
            "        return values\n    def counter(self): return Counter()\n"
            "    def use(self, other): return other.add()\n"
            "    def fail(self): raise KeyError('no')\n"
            "export('server', Server())\nthreading.Event().wait()\n"
        ),
        client=(
            "from kripke.testing.remote import lookup\nfrom thing import Thing\nserver = lookup('server')\n"
            "mine = Thing()\nmine.loop = mine\nback = server.take([mine, mine])\n"
            "assert back[0] is back[1] and back[0].loop is back[0] and back[0] is not mine and back[0].mark == 1\n"
            "assert not hasattr(mine, 'mark') and type(back[0]) is Thing\n"
            "counter = server.counter()\nassert (counter.add(), server.use(counter)) == (1, 2)\n"
            "try: server.fail()\nexcept KeyError as error: assert error.args == ('no',)\nelse: assert False\n"
        ),
    )
    assert report.complete, str(report)


def test_calls_fail_where_the_process_is_gone_or_messages_are_lost(tmp_path: Path) -> None:
    results = set()
    report = system(
        tmp_path,
        "set connect=wait\nserver (crashes=1): python server.py &\nclient (loss=1): python client.py\n",
        lambda whole: results.add(tuple(whole.log)),
        server=(
            "import threading\nfrom kripke.testing import record\nfrom kripke.testing.remote import export\n"
            "class Server:\n    def work(self):\n        record('worked')\n        return 'good'\n"
            "export('server', Server())\nthreading.Event().wait()\n"
        ),
        client=(
            "from kripke.testing import record\nfrom kripke.testing.remote import RemoteError, lookup\n"
            "server = lookup('server')\ntry: record(server.work())\nexcept RemoteError as error: record('failed')\n"
        ),
    )
    # Where the server crashes before it exports anything, the client waits for ever.
    assert report.failure is not None
    assert report.failure.kind == "deadlock"
    report = explore_system(
        parse_startup(
            (tmp_path / "all.startup").read_text().replace("(crashes=1)", "(crashes=0)"), folder=str(tmp_path)
        ),
        check=lambda whole: results.add(tuple(whole.log)),
    )
    assert report.complete, str(report)
    assert results >= {("worked", "good"), ("worked", "failed"), ("failed",)}


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("two_phase_commit_impatient", "assertion"),
        ("raft", "holds"),
        ("raft_forgetful", "assertion"),
        ("raft_log_careless", "assertion"),
        ("needham_schroeder", "assertion"),
        ("needham_schroeder_lowe", "holds"),
    ],
)
def test_examples(name: str, verdict: str) -> None:
    assert verdict_of(explore_system(str(EXAMPLES / f"{name}.startup"), WITHOUT_LIMIT)) == verdict


CRYPTO = """
from kripke.testing.crypto import *
key, other = new_key("k"), new_key("l")
public, private = new_pair("p")
first, second = encrypt(key, (b"x", "y")), encrypt(key, (b"x", "y"))
assert first != second and decrypt(key, first) == decrypt(key, second) == (b"x", "y")
for wrong in (other, public, private):
    try: decrypt(wrong, first)
    except CannotOpen: pass
    else: assert False
assert decrypt(private, encrypt(public, 5)) == 5
signature = sign(private, "text")
assert verify(public, "text", signature) and not verify(public, "other", signature)
assert not verify(new_pair("q")[0], "text", signature)
assert digest((1, "a")) == digest((1, "a")) != digest((1, "b")) and code(key, 1) != code(other, 1)
eve = Adversary("eve", other)
inner = encrypt(other, b"secret")
eve.learn(encrypt(key, inner))
assert not eve.knows(b"secret")
eve.learn((key,))
assert eve.knows(b"secret")
assert [made() for made in eve.makes((str, bytes))] == [("eve", b"secret")]
"""


def test_terms_and_what_an_adversary_learns(tmp_path: Path) -> None:
    report = system(tmp_path, "python a.py\n", a=CRYPTO)
    assert report.complete, str(report)


def test_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import sys\nprint('noise')\nassert sys.argv[1] == '1', 'not one'\n")
    (tmp_path / "all.startup").write_text("python a.py 2\n")

    def kripke(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "kripke", *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=240
        )

    found = kripke("check", "all.startup", "--json", "--trace", "bad.schedule.json")
    assert found.returncode == 1
    answer = json.loads(found.stdout)
    assert (answer["verdict"], answer["kind"], answer["schedules"]) == ("violated", "assertion", 1)
    again = kripke("replay", "bad.schedule.json")
    assert again.returncode == 1
    assert "noise" in again.stdout
    assert "AssertionError in a: not one" in again.stdout
    refused = kripke("check", "all.startup", "--por")
    assert refused.returncode == 2
    assert "--por: a start-up file takes" in refused.stderr


def test_a_limit_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("from kripke.testing import record\nrecord(1)\nrecord(2)\n")
    startup = parse_startup("set schedules=2\npython a.py\npython a.py\n", folder=str(tmp_path))
    assert str(explore_system(startup)) == "2 schedules, not all: the limit of 2 schedules is reached"
    assert explore_system(startup, Settings(schedules=100)).complete
