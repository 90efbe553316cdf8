"""What it takes to add a language: one package of a few lines, and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

import kripke
from kripke.cli.main import main
from kripke.languages import registry
from kripke.languages.forms import NET_FORMS
from kripke.languages.language import Language, Option
from kripke.languages.registry import options_of_languages

ROOT = Path(__file__).parents[2]

# Every line moves a token: "a b". With --back, another transition moves it back.
PACKAGE = """
from kripke.languages.language import Language, Option
from kripke.model.source import Sources
from kripke.nets.place_transition import Arc, Place, PlaceTransitionNet, Transition
from kripke.nets.specification import specified_model

def load(request):
    moves = [line.split() for line in open(request.path)]
    moves += [[b, a] for a, b in moves] if request.options["back"] else []
    names = list(dict.fromkeys(name for move in moves for name in move))
    places = tuple(Place(name, int(name == names[0])) for name in names)
    steps = tuple(Transition(f"{a}{b}", (Arc(names.index(a), 1),), (Arc(names.index(b), 1),)) for a, b in moves)
    net = PlaceTransitionNet("moves", places, steps)
    return specified_model(net, request.path, "moves", Sources(), request.invariants, request.formulas)

LANGUAGE = Language("moves", (".moves",), load, options=(Option("back", "--back", "tokens may go back (moves)"),))
"""


@pytest.fixture
def moves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A language from elsewhere, and a file in it."""
    (tmp_path / "moves_language").mkdir()
    (tmp_path / "moves_language" / "__init__.py").write_text(PACKAGE)
    monkeypatch.syspath_prepend(tmp_path)
    registry.register(import_module("moves_language").LANGUAGE)
    file = tmp_path / "ring.moves"
    file.write_text("a b\nb c\n")
    yield file
    del registry.LANGUAGES["moves"]
    del sys.modules["moves_language"]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    def run(*arguments: object) -> tuple[int, str, str]:
        code = main([str(argument) for argument in arguments])
        return code, *capsys.readouterr()

    return run


def test_a_language_in_one_package(moves: Path, run: Callable[..., tuple[int, str, str]]) -> None:
    code, out, _ = run("check", moves, "--json")
    assert (code, json.loads(out)["verdict"], json.loads(out)["states"]) == (1, "violated", 3)
    code, out, _ = run("check", moves, "--back", "--invariant", "a + b + c = 1", "--json")
    assert (code, json.loads(out)["verdict"], json.loads(out)["states"]) == (0, "holds", 3)
    code, out, _ = run("check", "--help")
    assert "--back" in out and "tokens may go back (moves)" in out and " or moves, if" in " ".join(out.split())


def test_its_option_in_python_and_in_saved_traces(moves: Path, tmp_path: Path) -> None:
    assert not kripke.load(moves).check()
    result = kripke.load(moves, back=True).check(invariants=["c = 0"])
    assert result.trace is not None
    result.trace.save(tmp_path / "trace.json")
    assert json.loads((tmp_path / "trace.json").read_text())["model"]["back"] is True
    assert len(kripke.load_trace(tmp_path / "trace.json")) == 2


def test_options_of_other_languages_are_refused(moves: Path, run: Callable[..., tuple[int, str, str]]) -> None:
    code, _, err = run("check", moves, "--modular")
    assert (code, err) == (2, f"error: --modular is for nets in Maria's language; {moves} is a moves model\n")
    code, _, err = run("check", ROOT / "examples/promela/peterson.pml", "--back")
    assert code == 2 and "--back is for moves models; " in err and " is a promela model" in err
    for flag in (["--no-merge"], ["--dead-variables", "off"]):
        code, _, err = run("check", moves, *flag)
        assert (code, err) == (2, f"error: {flag[0]} is for Promela models; {moves} is a moves model\n")
    assert kripke.load(moves, merge=True, dead_variables="zero", slice=False).model.language == "moves"  # as it is
    with pytest.raises(TypeError, match="unexpected keyword argument 'sclice'"):
        kripke.load(moves, sclice=True)
    with pytest.raises(kripke.ModelError, match="--compress steps: there is no such choice"):
        kripke.load(ROOT / "examples/maria/lift.pn", compress=["steps"])


def test_forms_and_trails_are_what_a_language_says(
    moves: Path, tmp_path: Path, run: Callable[..., tuple[int, str, str]]
) -> None:
    code, _, err = run("emit", moves, "--pnml")
    assert (code, err) == (2, f"error: --pnml is for Petri nets; {moves} is a moves model\n")
    registry.register(replace(registry.LANGUAGES["moves"], forms=NET_FORMS))
    code, out, _ = run("emit", moves, "--ll-net")
    assert code == 0 and out.startswith("PEP")
    code, _, err = run("check", moves, "--spin-trail", tmp_path / "trail")
    assert (code, err) == (2, "error: --spin-trail: SPIN reads trails of Promela models only\n")
    code, _, err = run("check", moves, "--values", 3, "--ltl", "[] (a = 1)")
    assert (code, err) == (2, "error: --values: there are no many-valued formulas in the language moves yet\n")


def test_simulations_have_defaults_of_their_own(tmp_path: Path, run: Callable[..., tuple[int, str, str]]) -> None:
    """A run shows every variable: what is not read again is reset in a state space only."""
    file, trace = ROOT / "examples/promela/peterson.pml", tmp_path / "trace.json"
    for given, value in (([], "off"), (["--dead-variables", "zero"], "zero")):
        assert run("simulate", file, "--steps", 5, "--seed", 1, "-q", "--save", trace, *given)[0] == 0
        assert json.loads(trace.read_text())["model"]["dead_variables"] == value


def test_two_languages_may_share_an_option_but_not_its_name(moves: Path) -> None:
    other = Option("back", "--back", "something else")
    registry.register(Language("shelf", (".shelf",), lambda request: None, options=(other,)))  # type: ignore[arg-type]
    try:
        with pytest.raises(ValueError, match="moves and shelf mean different things by --back"):
            options_of_languages()
    finally:
        del registry.LANGUAGES["shelf"]


@pytest.mark.parametrize("name", sorted(registry.PACKAGES))
def test_every_language_has_a_page_and_examples(name: str) -> None:
    language = registry.LANGUAGES[name]
    assert language.name == name
    assert (ROOT / language.manual).is_file()
    assert any(file.suffix in language.endings for file in (ROOT / language.examples).rglob("*"))


def test_no_ending_belongs_to_two_languages() -> None:
    endings = [ending for name in registry.PACKAGES for ending in registry.LANGUAGES[name].endings]
    assert len(endings) == len(set(endings))


def test_other_languages_are_not_imported() -> None:
    """Loading a file costs nothing for languages that it is not written in, unless an option may be theirs."""
    file = ROOT / "examples/promela/peterson.pml"
    program = (
        "import sys\nfrom kripke.cli.main import main\n"
        f"main(['info', {str(file)!r}, *sys.argv[1:], '--json'])\n"
        "print(*(name for name in sys.modules if 'kripke.languages.' in name), file=sys.stderr)"
    )

    def imported(*options: str) -> set[str]:
        done = subprocess.run([sys.executable, "-c", program, *options], capture_output=True, text=True, check=True)
        return set(done.stderr.split()) & set(registry.PACKAGES.values())

    assert imported() == {"kripke.languages.promela"}
    assert imported("-DN=1") == {"kripke.languages.promela"}
    assert imported("--slice") == set(registry.PACKAGES.values())
