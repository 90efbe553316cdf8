"""Process programs in terms: the same steps as the interpreter's, state by state; what cannot be said is refused."""

from pathlib import Path

import pytest
from hypothesis import given, settings

import kripke
from kripke.model.source import Sources
from kripke.process.model import ProcessModel
from tests.support.creation_programs import creation_program
from tests.support.encoded_steps import assert_encoded
from tests.support.random_programs import programs
from tests.support.shared_programs import meeting_program, shared_program

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "promela").glob("*.pml"))


def model_of(text, tmp_path, **options):
    path = tmp_path / "m.pml"
    path.write_text(text)
    return kripke.load(path, **options).model


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_have_the_steps_of_the_interpreter(path):
    states, ended = assert_encoded(kripke.load(path).model, most_states=60)
    assert states > 0
    assert ended == 0


@pytest.mark.parametrize(
    ("written", "seeds"), [(shared_program, range(12)), (meeting_program, range(12)), (creation_program, (0, 1, 3))]
)
def test_random_texts_have_the_steps_of_the_interpreter(written, seeds, tmp_path):
    for seed in seeds:
        states, _ = assert_encoded(model_of(written(seed), tmp_path), most_states=40)
        assert states > 0, seed


@settings(max_examples=40, deadline=None)
@given(programs())
def test_random_programs_have_the_steps_of_the_interpreter(program):
    model = ProcessModel(program, "Promela", Sources(), (), {})
    assert assert_encoded(model, most_states=40)[0] >= 0


def test_processes_that_are_created_again_and_again_have_limited_room(tmp_path):
    text = "byte x; proctype P() { x++ } active proctype Q() { do :: run P() od }"
    model = model_of(text, tmp_path)
    assert assert_encoded(model, most_states=200, room=1)[1] > 0
    encoding = model.encode()
    assert {limit.text for limit in encoding.system.limits} == {"there are more than 5 processes at once"}
    assert {limit.text for limit in model.encode(2).system.limits} == {"there are more than 9 processes at once"}


def test_as_many_slots_as_there_can_be_processes(tmp_path):
    text = "proctype P() { skip } init { atomic { run P(); run P() } if :: run P() :: skip fi }"
    system = model_of(text, tmp_path).encode().system
    assert not system.limits
    assert sum(variable.name.startswith("(") for variable in system.variables) == 5  # of four processes, and the owner


def test_a_d_step_may_go_round(tmp_path):
    loop = "n = 0; do :: n < 20 -> n++; s = s + n :: else -> break od"
    model = model_of(f"byte n, s; active proctype P() {{ s = 7; d_step {{ {loop} }}; n = s }}", tmp_path)
    assert assert_encoded(model)[0] == 5


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        (
            "byte x, y; active proctype P() { d_step { do :: x != 1 -> x = x * 3 + y :: else -> break od } }",
            "a loop inside a d_step, of which nobody knows how often it goes round cannot be said in terms",
        ),
        (
            "chan q = [1] of { byte }; trace { q!1 } active proctype P() { q!1 }",
            "assertions about sequences of messages (trace, notrace) and formulas about steps cannot be said in terms",
        ),
    ],
)
def test_what_cannot_be_said_is_refused(text, refusal, tmp_path):
    assert model_of(text, tmp_path).encode().startswith(refusal)


def test_a_refusal_names_the_place(tmp_path):
    text = "byte x, y;\nactive proctype P() {\n  d_step { do :: x != 1 -> x = x * 3 + y :: else -> break od } }"
    assert model_of(text, tmp_path).encode().endswith("m.pml:3:3)")
