"""State spaces in fragments: merged, they are the sequential one."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import kripke
from kripke.algebra.lts.equivalences import equivalent
from kripke.algebra.lts.system import Lts
from kripke.cli.main import main
from kripke.engines.unsupported import Unsupported
from kripke.report.fragments import Fragments, merge, merged_numbers, read_fragments
from kripke.report.parquet import transitions_file
from kripke.report.query import query
from kripke.report.tables import write_tables
from tests.support.local_workers import explore_locally

EXAMPLES = Path(__file__).parents[3] / "examples"
MODELS = ("promela/leader_election.pml", "promela/lost_update.pml", "pnml/philosophers.pnml", "maria/philosophers.pn")


def isomorphic(one: str, other: str) -> bool:
    """Do the tables differ by the numbers of states alone? A state is known by the values of its variables."""

    def space(path: str) -> tuple[Any, Any]:
        states = pq.read_table(path).to_pylist()
        known = {row["state"]: tuple(sorted((k, v) for k, v in row.items() if k != "state")) for row in states}
        assert len(set(known.values())) == len(known) == len(states), "values do not tell states apart"
        assert sorted(known) == list(range(len(known)))
        rows = pq.read_table(transitions_file(path)).to_pylist()
        named = ("process", "statement", "file", "line", "violation")
        arcs = [(known[row["source"]], known.get(row["target"]), *(row[name] for name in named)) for row in rows]
        return Counter(known.values()), Counter(arcs)

    return space(one) == space(other)


@pytest.mark.parametrize("file", MODELS)
def test_merged_fragments_are_the_sequential_state_space(file: str, tmp_path: Path) -> None:
    model = kripke.load(str(EXAMPLES / file)).model
    whole = str(tmp_path / "whole.parquet")
    write_tables(model, whole)
    for workers in (1, 3):
        folder = tmp_path / str(workers)
        folder.mkdir()
        made = explore_locally(model, workers, folder)
        assert read_fragments(str(folder)) == made and made.size == workers
        merged = str(tmp_path / f"{workers}.parquet")
        merge(made, merged)
        assert isomorphic(merged, whole)
        first = pq.read_table(merged).to_pylist()[0]
        assert (first["state"], first["depth"], first["initial"]) == (0, 0, True)
        merge(made, str(tmp_path / f"{workers}.aut"))
    assert equivalent(Lts.read(str(tmp_path / "1.aut")), Lts.read(str(tmp_path / "3.aut")), "strong")


def test_questions_about_fragments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = kripke.load(str(EXAMPLES / "promela/leader_election.pml")).model
    made = explore_locally(model, 3, tmp_path)
    assert query(str(tmp_path), "select count(*), max(depth) from states").rows == [(115, 33)]
    assert query(str(tmp_path), "select count(*) from transitions").rows == [(sum(made.transitions),)]
    assert main(["sql", str(tmp_path), "select count(*) as n from states", "--csv"]) == 0
    assert capsys.readouterr().out.splitlines() == ["n", "115"]
    assert main(["merge", str(tmp_path), "-o", str(tmp_path / "whole.aut")]) == 0
    assert "115 states, 223 transitions of 3 fragments" in capsys.readouterr().out
    assert main(["merge", str(tmp_path), "-o", str(tmp_path / "whole.dot")]) == 2
    assert "the formats are .parquet, .aut" in capsys.readouterr().err


def test_the_numbers_of_the_paper() -> None:
    """Two workers, states 0, 2, 4, 6, 8 and 1, 3: merged they are 0 to 6."""
    made = Fragments("", (5, 2), (0, 0), (0,), "")
    numbers = np.array([0, 2, 4, 6, 8, 1, 3])
    assert merged_numbers(numbers, made.first()).tolist() == [0, 1, 2, 3, 4, 5, 6]
    other = Fragments("", (5, 2), (0, 0), (1,), "")
    assert merged_numbers(np.array([1, 3, 0, 2]), other.first()).tolist() == [0, 1, 2, 3]


def test_a_folder_that_is_damaged(tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match="kripke explore MODEL --workers N -o"):
        read_fragments(str(tmp_path))
    model = kripke.load(str(EXAMPLES / "promela/peterson.pml")).model
    made = explore_locally(model, 2, tmp_path)
    content = json.loads((tmp_path / "space.json").read_text())
    (tmp_path / "space.json").write_text(json.dumps({**content, "states": [1, 1]}))
    with pytest.raises(Unsupported, match="has the number of a state that no fragment has"):
        merge(read_fragments(str(tmp_path)), str(tmp_path / "x.parquet"))
    assert not (tmp_path / "x.parquet").exists() and not (tmp_path / "x.parquet.part").exists()
    (tmp_path / "space.json").write_text(json.dumps({**content, "states": [-1]}))
    with pytest.raises(Unsupported, match="is damaged"):
        read_fragments(str(tmp_path))
    (tmp_path / "space.json").write_text(json.dumps(content))
    Path(made.transitions_file(1)).write_bytes(b"PAR1 and no more")
    with pytest.raises(Unsupported, match="cannot be read"):
        merge(made, str(tmp_path / "x.aut"))
    Path(made.transitions_file(1)).unlink()
    with pytest.raises(Unsupported, match=r"transitions-1\.parquet is missing"):
        read_fragments(str(tmp_path))
