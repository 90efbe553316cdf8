"""Which machines, how workers get there, what is said where they do not."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from pathlib import Path

import pytest

from kripke.engines.distributed import launch, starting
from kripke.engines.distributed.hosts import Host, Place, allocated, expanded, read_hosts, spread
from kripke.engines.distributed.pmi import BadQuestion, Board, mapping
from kripke.engines.distributed.relay import mismatch, network_environment
from kripke.engines.unsupported import Unsupported


def test_a_file_of_hosts(tmp_path: Path) -> None:
    file = tmp_path / "hosts"
    file.write_text("# ours\none\ntwo:4  # big\n\nme@three slots=2\ntwo:1\n")
    assert read_hosts(str(file)) == [Host("one"), Host("two", 5), Host("me@three", 2)]
    for text, words in (
        ("", "it names no host"),
        ("one\n-oProxyCommand=evil\n", "hosts:2: '-oProxyCommand=evil' is no host: write a name, or name:4"),
        ("one;reboot", "is no host"),
        ("one:0", "is no host"),
        ("one:many", "is no host"),
        ("one two", "is no host"),
        ("a@-b", "is no host"),
    ):
        file.write_text(text)
        with pytest.raises(Unsupported) as found:
            read_hosts(str(file))
        assert words in str(found.value)
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(Unsupported, match="it is no text"):
        read_hosts(str(file))


def test_workers_are_spread_over_hosts() -> None:
    assert spread([Host("a"), Host("b")], 5) == [Place("a", 3), Place("b", 2)]
    assert spread([Host("a", 1), Host("b", 4)], 4) == [Place("a", 1), Place("b", 3)]
    assert spread([Host("a", 4), Host("b", 4)], 1) == [Place("a", 1)]
    with pytest.raises(Unsupported, match="the hosts have room for 5; give fewer workers, or more slots"):
        spread([Host("a", 1), Host("b", 4)], 6)


def test_the_hosts_of_an_allocation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert allocated({}) == ("", [])
    slurm = {"SLURM_JOB_NODELIST": "n[08-10,12],login", "SLURM_TASKS_PER_NODE": "2(x3),1,7"}
    hosts = [Host("n08", 2), Host("n09", 2), Host("n10", 2), Host("n12", 1), Host("login", 7)]
    assert allocated(slurm) == ("slurm", hosts)
    assert allocated({"SLURM_JOB_NODELIST": "a,b"}) == ("slurm", [Host("a"), Host("b")])
    assert expanded("r[1-2]n[1-2]x") == ["r1n1x", "r1n2x", "r2n1x", "r2n2x"]
    for wrong in ("", "n[1-x]", "n[1-999999999]", "-n", "a b", "n[1"):
        with pytest.raises(Unsupported):
            expanded(wrong)
    nodes = tmp_path / "nodes"
    nodes.write_text("p1\np1\np2\n")
    assert allocated({"PBS_NODEFILE": str(nodes)}) == ("pbs", [Host("p1", 2), Host("p2", 1)])
    nodes.write_text("p1\np2\n")
    assert allocated({"PBS_NODEFILE": str(nodes)}) == ("pbs", [Host("p1"), Host("p2")])
    for name, value in slurm.items():
        monkeypatch.setenv(name, value)
    assert launch.places(3, None) == [Place("n08", 1), Place("n09", 1), Place("n10", 1)]
    assert launch.places(3, None, frozenset(["n09"])) == [Place("n08", 1), Place("n10", 1)]
    with pytest.raises(Unsupported, match="no host is left"):
        launch.places(1, None, frozenset(host.name for host in hosts))


def test_programs_that_start_workers_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KRIPKE_AGENT", raising=False)
    assert launch.relay_command("localhost")[1:] == ["-m", "kripke.engines.distributed.relay"]
    monkeypatch.setenv("KRIPKE_REMOTE_PYTHON", "/opt/my python/bin/python")
    monkeypatch.setenv("KRIPKE_AGENT", "sh -x")
    wanted = ["sh", "-x", "far", "'/opt/my python/bin/python' -m kripke.engines.distributed.relay"]
    assert launch.relay_command("far") == wanted
    monkeypatch.setenv("KRIPKE_AGENT", str(tmp_path / "none"))
    with pytest.raises(Unsupported, match=r"KRIPKE_AGENT is .*none, which is no program"):
        launch.relay_command("far")
    monkeypatch.delenv("KRIPKE_AGENT")
    (tmp_path / "srun").write_text("#!/bin/sh\n")
    (tmp_path / "srun").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unsupported, match="there is no ssh to start workers with"):
        launch.relay_command("far")
    monkeypatch.setenv("SLURM_JOB_NODELIST", "far")
    assert launch.relay_command("far")[0] == "srun" and "--nodelist=far" in launch.relay_command("far")


@pytest.mark.parametrize(
    ("status", "said", "words"),
    [
        (255, "ssh: Could not resolve hostname far: Name or service not known", "the name far is not known here"),
        (255, "ssh: connect to host far port 22: Connection refused", "far refuses the connection: no ssh server"),
        (255, "ssh: connect to host far port 22: No route to host", "far cannot be reached"),
        (255, "ssh: connect to host far port 22: Connection timed out", "far cannot be reached"),
        (255, "you@far: Permission denied (publickey).", "far does not let you in: ssh must work without a password"),
        (255, "Host key verification failed.", "the key of far is not known: ssh far once, and look at it"),
        (127, "bash: line 1: /x/python: No such file or directory", "install Kripke in the same place, or set"),
        (1, "/x/python: No module named kripke", "Kripke is not installed on far for"),
        (3, "something else", "no worker could be started on far: ssh ended with status 3; ssh said: something else"),
    ],
)
def test_why_a_host_has_no_workers(status: int, said: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KRIPKE_AGENT", raising=False)
    assert words in launch.words_for("far", status, said)
    assert said.splitlines()[-1] in launch.words_for("far", status, said)


def test_hosts_that_do_not_go_together() -> None:
    one = {"version of Kripke": "1", "machine": "x86_64", "host": "a"}
    assert mismatch([one, {**one, "host": "b"}]) == ""
    wrong = mismatch([one, {**one, "machine": "aarch64", "host": "b"}])
    assert wrong == "the machine is not the same on all hosts: x86_64 on a, aarch64 on b"
    wrong = mismatch([one, {**one, "version of Kripke": "2", "host": "b"}])
    assert wrong == "the version of Kripke is not the same on all hosts: 1 on a, 2 on b"
    assert "None on b" in mismatch([one, {"host": "b", "machine": "x86_64"}])


def test_networks_that_workers_use() -> None:
    assert network_environment([])["UCX_NET_DEVICES"] == "lo"
    assert network_environment(["127.0.0.1", "nowhere.invalid"])["FI_TCP_IFACE"] == "lo"


def test_the_board_on_which_workers_put_their_addresses() -> None:
    board = Board([Place("a", 2), Place("b", 1)])
    assert board.ask(0, "cmd=init pmi_version=1 pmi_subversion=1")[0][1].endswith("rc=0")
    assert board.ask(1, "cmd=put kvsname=k key=P1 value=a=b#c") == [(1, "cmd=put_result rc=0 msg=success")]
    assert board.ask(2, "cmd=get kvsname=k key=P1") == [(2, "cmd=get_result rc=0 msg=success value=a=b#c")]
    assert "rc=-1" in board.ask(2, "cmd=get kvsname=k key=P9")[0][1]
    assert board.ask(0, "cmd=barrier_in") == board.ask(2, "cmd=barrier_in") == []
    assert [rank for rank, _ in board.ask(1, "cmd=barrier_in")] == [0, 1, 2]
    for rank, line in ((3, "cmd=init"), (0, "cmd=spawn"), (0, "nothing"), (0, "x" * (1 << 21))):
        with pytest.raises(BadQuestion):
            board.ask(rank, line)
    assert mapping([Place("a", 2), Place("b", 2), Place("c", 1)]) == "(vector,(0,2,2),(2,1,1))"


def test_relays_that_say_anything_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes from another host is checked before it is used: whatever it is, it is an answer, or one of ours."""
    monkeypatch.setattr(launch, "relay_command", lambda _: ["cat"])
    relays = starting.Relays("{}", [Place("a", 2)])
    choose = random.Random(1)
    values = [None, 1, -1, 10**30, 1.5, "x", [], {}, [0, "cmd=get_maxes"], [0, 9], [9, "x"], ["0", "x"], [0, "x", 1]]
    try:
        for _ in range(2_000):
            news = {choose.choice(["hello", "pmi", "said", "complaint", "ended", "beat", "odd"]): choose.choice(values)}
            with suppress(starting.Died, Unsupported):
                assert isinstance(relays._understand(relays._hosts[0], json.loads(json.dumps(news))), str)
    finally:
        relays.end()


def test_workers_that_cannot_begin_with_mpi(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "relay_command", lambda _: ["cat"])
    relays = starting.Relays("{}", [Place("a", 1), Place("b", 1)])
    try:
        for line in ("internal_Init_thread(71): MPI_Init_thread() failed", "Destination is unreachable"):
            relays._understand(relays._hosts[1], {"complaint": [1, line]})
        relays._understand(relays._hosts[1], {"ended": [1, 15]})
        assert relays._why_ended() == (
            "worker 1 on b could not begin with MPI: do the hosts reach each other, and by the networks of "
            "UCX_NET_DEVICES? It said:\nworker 1 on b: Destination is unreachable"
        )
    finally:
        relays.end()
