"""Three machines, each with its own name and network: namespaces of this one."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.network_hosts import NetworkHosts, cannot

pytestmark = pytest.mark.skipif(bool(cannot()), reason=cannot() or "hosts can be made")
HAS_SSHD = bool(shutil.which("sshd") or os.path.exists("/usr/sbin/sshd"))
needs_sshd = pytest.mark.skipif(not HAS_SSHD, reason="hosts are reached by ssh, and there is no sshd to let anybody in")
EXAMPLES = Path(__file__).parents[3] / "examples"
LEADER = str(EXAMPLES / "promela/leader_election.pml")
LONG = """
byte a, b, c;
active proctype p() { do :: a < 45 -> a++ :: a > 0 && b == 3 -> a-- :: a == 45 -> a = 0 od }
active proctype q() { do :: b < 45 -> b++ :: b > 0 && c == 3 -> b-- :: b == 45 -> b = 0 od }
active proctype r() { do :: c < 45 -> c++ :: c == 45 -> c = 0 od }
"""


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NetworkHosts]:
    with NetworkHosts(3, tmp_path_factory.mktemp("hosts")) as made:
        yield made


def _check(hosts: NetworkHosts, *arguments: str, agent: str = "", **environment: str) -> Any:
    line = [sys.executable, "-m", "kripke", "check", *arguments, "--property", "safety", "--json"]
    # Else MPI sees that they share a kernel, and memory.
    environment = {**os.environ, "UCX_TLS": "tcp,self", "KRIPKE_AGENT": agent or str(hosts.agent), **environment}
    done = subprocess.run(line, capture_output=True, text=True, env=environment, timeout=60)
    return json.loads(done.stdout) if done.returncode in (0, 1) else done.stderr


def test_three_hosts_count_as_one_and_listen_on_their_network_alone(hosts: NetworkHosts) -> None:
    heard: set[str] = set()
    over = threading.Event()

    def listen() -> None:
        while not over.is_set():
            heard.update(hosts.listening())

    listener = threading.Thread(target=listen)
    listener.start()
    answer = _check(hosts, LEADER, "--workers", "3", "--hosts", hosts.file())
    over.set()
    listener.join()
    assert (answer["states"], answer["transitions"], answer["depth"]) == (115, 224, 33)
    assert answer["engine"]["hosts"] == hosts.names
    assert heard <= set(hosts.addresses.values())


@needs_sshd
def test_hosts_by_ssh(hosts: NetworkHosts, tmp_path: Path) -> None:
    agent = hosts.start_sshd()
    file = tmp_path / "hosts"
    first, second = list(hosts.addresses.values())[:2]
    file.write_text(f"root@{first}\n{second}:2\n")
    answer = _check(hosts, LEADER, "--workers", "3", "--hosts", str(file), agent=agent)
    assert answer["states"] == 115 and answer["engine"]["hosts"] == hosts.names[:2]
    for name, words in (
        (f"nobody@{first}", f"nobody@{first} does not let you in: ssh must work without a password"),
        ("nowhere.invalid", "the name nowhere.invalid is not known here"),
    ):
        file.write_text(f"{second}\n{name}\n")
        assert words in _check(hosts, LEADER, "--workers", "2", "--hosts", str(file), agent=agent)
    file.write_text(f"{first}\n{second}\n")
    said = _check(
        hosts, LEADER, "--workers", "2", "--hosts", str(file), agent=agent, KRIPKE_REMOTE_PYTHON="/nowhere/python"
    )
    assert any(f"there is no /nowhere/python on {address}" in said for address in (first, second))


@needs_sshd
def test_a_job_of_pbs(tmp_path: Path) -> None:
    """PBS runs the job's script on the first of its hosts, and lists a host once for each of its processors."""
    with NetworkHosts(3, tmp_path) as hosts:
        folder = hosts.start_ssh_everywhere()
        first, second, third = hosts.names
        nodes = tmp_path / "nodes"
        nodes.write_text(f"{first}\n{second}\n{second}\n{third}\n")
        environment = {**os.environ, "PBS_NODEFILE": str(nodes), "UCX_TLS": "tcp,self"}
        environment["PATH"] = f"{folder}:{os.environ['PATH']}"
        command = [sys.executable, "-m", "kripke", "check", LEADER, "--property", "safety", "--json", "--workers"]
        done = subprocess.run(
            [str(hosts.agent), first, shlex.join([*command, "4"])], capture_output=True, text=True, env=environment
        )
        answer = json.loads(done.stdout)
        assert (answer["states"], answer["transitions"], answer["depth"]) == (115, 224, 33)
        assert answer["engine"]["hosts"] == [first, second, third]
        done = subprocess.run(
            [str(hosts.agent), first, shlex.join([*command, "5"])], capture_output=True, text=True, env=environment
        )
        assert done.returncode == 2 and "the hosts have room for 4; give fewer workers, or more slots" in done.stderr


def test_disks_that_are_full(tmp_path: Path) -> None:
    """A search goes on without checkpoints, and says so; fragments are not left half written."""
    small = tmp_path / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(small)], check=True)
    try:
        model = tmp_path / "long.pml"
        model.write_text(LONG.replace("45", "20"))
        line = [sys.executable, "-m", "kripke", "check", str(model), "--property", "safety", "--workers", "2", "--json"]
        done = subprocess.run(
            [*line, "--checkpoint", str(small / "saved"), "--checkpoint-every", "0.01"], capture_output=True, text=True
        )
        answer = json.loads(done.stdout)
        assert answer["verdict"] == "holds" and "the checkpoint could not be written" in answer["warnings"][-1]
        shutil.rmtree(small / "saved")
        line = [sys.executable, "-m", "kripke", "explore", str(model), "--workers", "2", "-o", str(small / "parts")]
        done = subprocess.run(line, capture_output=True, text=True)
        assert done.returncode == 2 and "a worker could not write there: No space left on device" in done.stderr
        assert not list((small / "parts").iterdir())
    finally:
        subprocess.run(["umount", str(small)], check=True)


def test_a_host_that_is_gone_is_left_out(hosts: NetworkHosts, tmp_path: Path) -> None:
    """All its processes are killed, as when it loses its power. The others go on from the last level."""
    model, folder = tmp_path / "long.pml", tmp_path / "saved"
    model.write_text(LONG)
    one = _check(hosts, str(model), "--no-por")

    def kill_when_saved() -> None:
        while not (folder / "checkpoint.json").exists():
            time.sleep(0.02)
        said = subprocess.run(["ip", "netns", "pids", hosts.names[1]], capture_output=True, text=True).stdout
        for process in said.split():
            os.kill(int(process), signal.SIGKILL)

    killer = threading.Thread(target=kill_when_saved, daemon=True)
    killer.start()
    saving = ["--checkpoint", str(folder), "--checkpoint-every", "0.1"]
    answer = _check(hosts, str(model), "--workers", "3", "--hosts", hosts.file(), *saving)
    assert isinstance(answer, dict), answer
    assert (answer["states"], answer["transitions"], answer["depth"]) == (
        one["states"],
        one["transitions"],
        one["depth"],
    )
    facts = answer["engine"]
    assert (facts["restarts"], facts["lost_hosts"], facts["workers"]) == (1, [hosts.names[1]], 2)
    assert f"{hosts.names[1]} left out" in answer["warnings"][-1]
