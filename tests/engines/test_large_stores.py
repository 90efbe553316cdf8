"""Stores for more states than memory holds, by the whole way of a check."""

import subprocess
import sys

import pytest

import kripke

WHEELS = """
byte wheel[5];
active [5] proctype Wheel() {
    end: do :: d_step { wheel[_pid] < 5 -> wheel[_pid]++ } od
}
active proctype Watch() { end: wheel[0] + wheel[1] + wheel[2] + wheel[3] + wheel[4] == SUM -> assert(false) }
"""
STATES = 6**5


def load(tmp_path, total):
    path = tmp_path / "wheels.pml"
    path.write_text(WHEELS)
    return kripke.load(path, defines={"SUM": total})


@pytest.mark.parametrize("threads", [1, 2])
def test_a_state_space_three_times_the_cache(tmp_path, threads):
    model = load(tmp_path, 26)
    known = model.check(search="dfs")
    assert (known.verdict, known.states) == ("holds", STATES)
    place = (known.state_bytes + 16 + 7) // 8 * 8
    result = model.check(store="cache", store_size=STATES // 3 * place, threads=threads)
    assert (result.verdict, result.complete) == ("holds", True)
    assert result.states > STATES
    assert result.engine["dropped"] > 0
    assert any("the cache dropped" in warning for warning in result.warnings)
    whole = model.check(store="cache", store_size=8 << 20, threads=threads)
    assert (whole.states, whole.transitions, whole.engine["dropped"]) == (STATES, known.transitions, 0)


def test_an_error_that_a_small_cache_finds(tmp_path):
    result = load(tmp_path, 25).check(store="cache", store_size=1000)
    assert (result.verdict, result.kind) == ("violated", "assertion")
    assert len(result.trace) >= 27


@pytest.mark.parametrize("total", [20, 26])
def test_states_in_files(tmp_path, total):
    model = load(tmp_path, total)
    full = model.check(search="bfs")
    disk = model.check(store="disk", memory=500_000)
    assert (disk.verdict, disk.kind) == (full.verdict, full.kind)
    if total == 26:
        assert (disk.states, disk.transitions, disk.depth) == (STATES, full.transitions, full.depth)
    else:
        assert len(disk.trace) == len(full.trace) == 22


def test_a_folder_that_cannot_be_written(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "nothing"))
    result = load(tmp_path, 26).check(store="disk")
    assert (result.verdict, result.complete) == ("unknown", False)
    assert "could not be written" in result.reason and "TMPDIR" in result.reason


@pytest.mark.parametrize("store", ["tree", "collapse"])
def test_threads_that_run_out_of_memory_together(tmp_path, store):
    """Where one thread found no memory to make the table of states anew, others went on in what was left of it."""
    path = tmp_path / "counters.pml"
    counter = "active proctype {0}() {{ do :: {0}n = ({0}n + 1) % 250 od }}"
    path.write_text("byte an, bn, cn;\n" + "\n".join(counter.format(name) for name in "abc"))
    command = [sys.executable, "-m", "kripke", "check", str(path), "--store", store, "--threads", "2", "--quiet"]
    for _ in range(4):
        ended = subprocess.run([*command, "--memory", "60M"], capture_output=True, text=True, check=False)
        assert (ended.returncode, ended.stderr) == (3, "")
        assert ended.stdout.startswith("unknown: the memory limit of 60.0 MB was reached, after ")


@pytest.mark.parametrize("options", [["--threads", "20"], ["--store", "collapse", "--search", "dfs", "--threads", "3"]])
def test_threads_that_have_no_addresses_for_their_stacks(tmp_path, options):
    """As under `ulimit -v`: the answer is unknown, for lack of memory."""
    resource = pytest.importorskip("resource")
    path = tmp_path / "counter.pml"
    path.write_text("int n; active proctype p() { do :: n >= 0 -> n++ :: n = 0 od }")
    limit = 300 << 20
    ended = subprocess.run(
        [sys.executable, "-m", "kripke", "check", str(path), *options, "--quiet", "--time-limit", "3"],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    assert ended.returncode == 3
    assert ended.stdout.startswith("unknown: ") and "internal error" not in ended.stderr
