"""Checkpoints: a search that goes on from one ends with the counts of one that was never ended."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

import kripke
from kripke.engines.plan import Unsupported

WHEELS = """
byte wheel[SIZE];
bool odd;
active [SIZE] proctype Wheel() {
    do :: d_step { wheel[_pid] < 6 -> wheel[_pid]++ } :: d_step { odd -> odd = 0 } :: d_step { !odd -> odd = 1 } od
}
"""


def load(tmp_path, size=4, text=WHEELS):
    path = tmp_path / f"wheels{size}.pml"
    path.write_text(text)
    return kripke.load(path, defines={"SIZE": size})


def counts(result):
    return result.verdict, result.states, result.transitions, result.depth, result.errors, len(result.unreached or ())


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("full", "full"),
        ("full", "tree"),
        ("tree", "full"),
        ("tree", "tree"),
        ("collapse", "full"),
        ("tree", "collapse"),
        ("collapse", "collapse"),
        ("numbers", "full"),
        ("collapse", "numbers"),
    ],
)
def test_going_on(tmp_path, first, then):
    model, file = load(tmp_path), str(tmp_path / "point")
    expected = model.check()
    written = model.check(store=first, checkpoint=file, checkpoint_every=1e-9, threads=2)
    assert counts(written) == counts(expected) and written.engine["checkpoints"] == expected.depth + 1
    for threads in (1, 2):
        result = model.check(store=then, resume=file, threads=threads)
        assert counts(result) == counts(expected) and result.engine["resumed"]
    assert os.listdir(tmp_path).count("point.new") == 0


def test_from_the_middle(tmp_path):
    """The last checkpoint before a limit, and errors found before it."""
    model, file = load(tmp_path), str(tmp_path / "point")
    asked = {"invariants": ["wheel[0] != 2"], "all_errors": True}
    expected = model.check(**asked)
    assert expected.errors > 1
    for states in (3, 40, 500, 2000):
        cut = model.check(**asked, max_states=states, checkpoint=file, checkpoint_every=1e-9)
        assert cut.states == states and cut.engine["checkpoints"] > 0
        result = model.check(**asked, resume=file)
        assert counts(result) == counts(expected)
        assert len(result.trace) == len(expected.trace)


@pytest.mark.parametrize("store", ["full", "tree"])
def test_many_states_come_in_the_order_of_a_table(tmp_path, store):
    """What is next to each other in a large table would crowd in a small one that grows."""
    model, file = load(tmp_path, 6), str(tmp_path / "point")
    states = 2 * 7**6
    cut = model.check(store=store, max_states=states - 1, checkpoint=file, checkpoint_every=1e-9)
    assert cut.states == states - 1
    result = model.check(store=store, resume=file)
    assert (result.verdict, result.states, result.depth) == ("holds", states, 37)


def test_what_does_not_belong_together(tmp_path):
    model, file = load(tmp_path), str(tmp_path / "point")
    model.check(checkpoint=file, checkpoint_every=1e-9)
    for other, asked in (
        (load(tmp_path, 3), {}),
        (model, {"deadlock": False}),
        (model, {"all_errors": True}),
        (model, {"max_depth": 1000}),
        (model, {"invariants": ["odd < 2"]}),
    ):
        with pytest.raises(Unsupported, match="another model, or of a check with other options"):
            other.check(resume=file, **asked)
    with pytest.raises(Unsupported, match="it cannot be read"):
        model.check(resume=file + "x")


def test_damaged_files(tmp_path):
    model, file = load(tmp_path, 3), tmp_path / "point"
    model.check(checkpoint=str(file), checkpoint_every=1e-9)
    good = file.read_bytes()
    bad = tmp_path / "bad"
    chance = random.Random(1)
    for end in [0, 5, 30, *(chance.randrange(len(good)) for _ in range(40))]:
        bad.write_bytes(good[:end])
        with pytest.raises(Unsupported, match="--resume"):
            model.check(resume=str(bad))
    for place in (chance.randrange(len(good)) for _ in range(60)):
        damaged = bytearray(good)
        damaged[place] ^= 1 << chance.randrange(8)
        bad.write_bytes(damaged)
        with pytest.raises(Unsupported, match="--resume"):
            model.check(resume=str(bad))


def test_files_of_others(tmp_path, monkeypatch):
    """States go to compiled code as they are: a file that is not marked with the user's key is refused."""
    model, file = load(tmp_path, 3), str(tmp_path / "point")
    model.check(checkpoint=file, checkpoint_every=1e-9)
    monkeypatch.setenv("KRIPKE_CACHE", str(tmp_path / "another"))
    with pytest.raises(Unsupported, match="was not written by this user on this machine"):
        model.check(resume=file)
    (tmp_path / "another" / "checkpoints.secret").write_bytes(b"short")
    with pytest.raises(Unsupported, match="remove it"):
        model.check(resume=file)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_what_is_no_file(tmp_path):
    model = load(tmp_path, 3)
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", ".", "none"):
        with pytest.raises(Unsupported, match="it cannot be read"):
            model.check(resume=str(tmp_path / name))


def test_a_place_that_cannot_be_written(tmp_path):
    model = load(tmp_path, 3)
    result = model.check(checkpoint=str(tmp_path / "none" / "point"), checkpoint_every=1e-9)
    assert result.engine["checkpoints"] == 0 and any("could not be written" in warning for warning in result.warnings)


def test_what_is_no_file_is_not_replaced(tmp_path):
    """As /dev/null would be."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(Unsupported, match="not a regular file"):
        load(tmp_path, 3).check(checkpoint=str(pipe), checkpoint_every=1e-9)
    assert pipe.is_fifo()
    for option in ("checkpoint", "resume"):
        with pytest.raises(Unsupported, match=f"--{option} needs the name of a file"):
            load(tmp_path, 3).check(**{option: ""})


def test_a_link_stays_a_link(tmp_path):
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "point")
    result = load(tmp_path, 3).check(checkpoint=str(link), checkpoint_every=1e-9)
    assert link.is_symlink() and (tmp_path / "point").is_file()
    assert counts(load(tmp_path, 3).check(resume=str(link))) == counts(result)


def test_from_another_folder(tmp_path, monkeypatch):
    result = load(tmp_path, 3).check(checkpoint=str(tmp_path / "point"), checkpoint_every=1e-9)
    monkeypatch.chdir(tmp_path)
    again = kripke.load("wheels3.pml", defines={"SIZE": 3})
    assert counts(again.check(resume="point")) == counts(result)


def test_two_searches_that_write_the_same_file(tmp_path):
    """One of the two writes a checkpoint, whichever that is; what is there is always whole."""
    load(tmp_path, 5)
    file = tmp_path / "point"
    command = [sys.executable, "-m", "kripke", "check", str(tmp_path / "wheels5.pml"), "-DSIZE=5", "--json"]
    both = [
        subprocess.Popen([*command, "--checkpoint", str(file), "--checkpoint-every", "0.001"], stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    answers = [json.loads(search.communicate()[0]) for search in both]
    assert [search.returncode for search in both] == [0, 0]
    assert sum(answer["engine"]["checkpoints"] for answer in answers) > 0
    again = json.loads(subprocess.run([*command, "--resume", str(file)], stdout=subprocess.PIPE, check=False).stdout)
    assert again["states"] == answers[0]["states"] and again["engine"]["resumed"]
    assert os.listdir(tmp_path).count("point.new") == 0


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="no such signal here")
def test_killed_and_gone_on(tmp_path):
    """A checkpoint on request, then kill -9: the counts are the same in the end."""
    load(tmp_path, 7)
    file = tmp_path / "point"
    command = [sys.executable, "-m", "kripke", "check", str(tmp_path / "wheels7.pml"), "-DSIZE=7", "--json"]
    search = subprocess.Popen([*command, "--checkpoint", str(file)], stdout=subprocess.DEVNULL)
    give_up = time.monotonic() + 60
    while not file.exists() and search.poll() is None and time.monotonic() < give_up:
        time.sleep(0.2)  # the signal has its meaning from the start of the search on
        if search.poll() is None and _handles(search.pid, signal.SIGUSR1):
            search.send_signal(signal.SIGUSR1)
    if search.poll() is not None:
        pytest.skip("the search was over before it could be ended")
    search.kill()
    search.wait()
    result = subprocess.run([*command, "--resume", str(file)], stdout=subprocess.PIPE, check=False)
    found = json.loads(result.stdout)
    wheels = 7**7  # positions of all wheels together
    assert (found["states"], found["depth"]) == (2 * wheels, 6 * 7 + 1)
    assert found["transitions"] == 1 + 2 * 6 * wheels + 2 * 7 * wheels  # turned, and changed; into the first
    assert found["engine"]["resumed"]


def _handles(process, number):
    """Does a process have a handler for a signal? Before it has, the signal would end it."""
    try:
        with open(f"/proc/{process}/status", encoding="ascii") as status:
            caught = next(line for line in status if line.startswith("SigCgt"))
    except (OSError, StopIteration):
        return False
    return bool(int(caught.split()[1], 16) >> (number - 1) & 1)
