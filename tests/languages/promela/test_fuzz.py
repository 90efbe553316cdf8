"""A sample of the fuzzer that is the same every day; ``python -m tests.fuzz`` runs as long as one likes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from kripke.languages.promela import load
from kripke.model.source import ModelError
from tests.fuzz import make, seeds, smaller, trial
from tests.spin.generator import generate
from tests.spin.terms import text_of

TEXTS = 150


@pytest.mark.parametrize("seed", range(4))
def test_whatever_comes_in_the_answer_is_a_model_or_an_error_with_a_place(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    models = seeds()
    for _ in range(TEXTS):
        text = make(chance, models)
        fault = trial(text, tmp_path)
        assert fault is None, f"{fault}: {smaller(text, fault, tmp_path)!r}"


def test_the_fuzzer_reaches_both_answers(tmp_path: Path) -> None:
    """Models that are accepted and models that are not: texts that all fail in the first line would test nothing."""
    chance = random.Random(5)
    models = [text_of(generate(seed)) for seed in range(5)]
    answers = set()
    for number in range(100):
        path = tmp_path / f"{number}.pml"
        path.write_text(make(chance, models), errors="replace")
        try:
            load(str(path))
            answers.add("model")
        except ModelError as error:
            answers.add(error.message)
    assert "model" in answers
    assert len(answers) > 20


def test_a_fault_is_found_and_made_smaller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(path: str) -> object:
        if "boom" in Path(path).read_text():
            raise KeyError("boom")
        return load(path)

    monkeypatch.setattr("tests.fuzz.load", broken)
    text = "byte x;\nactive proctype P() { boom = 1 }\n"
    fault = trial(text, tmp_path)
    assert fault is not None and fault.startswith("KeyError at test_fuzz.py:")
    assert smaller(text, fault, tmp_path) == "boom"
