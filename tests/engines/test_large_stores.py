"""Stores for more states than memory holds, by the whole way of a check."""

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


def test_a_state_space_three_times_the_cache(tmp_path):
    model = load(tmp_path, 26)
    known = model.check(search="dfs")
    assert (known.verdict, known.states) == ("holds", STATES)
    place = (known.state_bytes + 16 + 7) // 8 * 8
    result = model.check(store="cache", store_size=STATES // 3 * place)
    assert (result.verdict, result.complete) == ("holds", True)
    assert result.states > STATES
    assert result.engine["dropped"] > 0
    assert any("the cache dropped" in warning for warning in result.warnings)
    whole = model.check(store="cache", store_size=8 << 20)
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
