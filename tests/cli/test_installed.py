"""What an installed Kripke brings along: examples, the manual, completion for shells, a manual page."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import kripke as package
from kripke.cli import man
from kripke.cli.main import VERBS
from tests.cli.conftest import Kripke

ROOT = Path(__file__).parents[2]


def test_examples(kripke: Kripke, tmp_path: Path) -> None:
    listed = kripke("examples")
    assert listed.code == 0 and "promela/peterson.pml" in listed.out.splitlines()
    assert kripke("examples", "promela/peterson.pml").out == (ROOT / "examples/promela/peterson.pml").read_text()
    assert kripke("examples", "scxml").out.splitlines()[0].startswith("scxml/")
    assert "did you mean promela/peterson.pml?" in kripke("examples", "promela/petersen.pml").err
    assert kripke("examples", "promela", "--copy", "mine").code == 0
    assert kripke("check", "mine/promela/peterson.pml", "-q").out == (
        "holds: no deadlock, no failed assertion in 38 states\n"
    )
    assert "is there already" in kripke("examples", "promela", "--copy", "mine").err


def test_docs(kripke: Kripke) -> None:
    listed = kripke("docs").out
    assert "cli" in listed and "engines/ltl" in listed
    assert kripke("docs", "ltl").out.startswith("# ")
    assert kripke("docs", "languages/promela.md").out == (ROOT / "docs/languages/promela.md").read_text()
    assert "there is no page 'tutorail'; did you mean tutorial?" in kripke("docs", "tutorail").err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(kripke: Kripke, tmp_path: Path, shell: str) -> None:
    script = kripke("completion", shell).out
    assert all(verb in script for verb in VERBS) and "symmetry" in script and "dead-variables" in script
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "script").write_text(script)
    assert subprocess.run([shell, "-n", "script"], capture_output=True, text=True, check=False).stderr == ""
    if shell == "bash":
        ask = "source ./script; COMP_WORDS=(kripke check --dead); COMP_CWORD=2; _kripke; echo ${COMPREPLY[@]}"
        said = subprocess.run(["bash", "-c", ask], capture_output=True, text=True, check=True).stdout
        assert said.split() == ["--dead-variables"]


def test_the_manual_page(tmp_path: Path) -> None:
    """The build writes it (CMakeLists.txt)."""
    page = "\n".join(man.lines()) + "\n"
    assert all(f'.SH "KRIPKE {verb.upper()}"' in page for verb in VERBS) and "\\fB\\-\\-symmetry\\fR" in page
    # No line is taken for a command by mistake.
    assert {line.split()[0] for line in page.splitlines() if line.startswith(".")} == {".TH", ".SH", ".TP", ".B", ".I"}
    assert not any(line.startswith("'") for line in page.splitlines())
    if shutil.which("groff") is not None:
        (tmp_path / "kripke.1").write_text(page)
        shown = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "kripke.1"], capture_output=True, check=False)
        assert shown.returncode == 0 and shown.stderr == b""


# --- in Python and notebooks ------------------------------------------------------------------------------------------

TEXT = "byte x;\nactive proctype P() { x = 1; assert(x == 2) }\n"


def test_a_model_from_text(tmp_path: Path) -> None:
    model = package.loads(TEXT)
    path = Path(model.request.path)
    assert path.name == "model.pml" and model.model.language == "promela"
    result = model.check(invariants="x < 3")
    assert result.verdict == "violated" and "model.pml:2" in str(result)
    page = result.html(tmp_path / "r.html")
    assert page.startswith("<!") and (tmp_path / "r.html").read_text() == page and "assert(x == 2)" in page
    assert repr(result).startswith("<violated: assertion violated: assert(x == 2)")
    folder = path.parent
    assert folder.is_dir()
    del model, result
    assert not folder.exists()
    assert package.loads("P = STOP\nassert P :[deadlock free]\n", language="cspm").check().verdict == "violated"


def test_mistakes_in_a_text(tmp_path: Path) -> None:
    with pytest.raises(package.ModelError) as caught:
        package.loads("active proctype P() { y = 1 }")
    assert caught.value.render().startswith("model.pml:1:23: error: unknown name 'y'\n  active proctype")
    with pytest.raises(package.ModelError, match="the text does not show its language"):
        package.loads("nothing")
    with pytest.raises(package.ModelError, match="there is no language 'french'"):
        package.loads(TEXT, language="french")
    (tmp_path / "part.h").write_text("#define N 3\n")
    assert package.loads('#include "part.h"\nbyte x;\ninit { x = N }').check()


def test_the_magic_of_notebooks(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("IPython")
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    package.load_ipython_extension(shell)
    result = shell.run_cell_magic("kripke", "found --invariant 'x < 1'", TEXT)
    assert result.verdict == "violated" and result.kind == "invariant" and shell.user_ns["found"] is result
    assert "<table>" in result._repr_html_()
    assert shell.run_cell_magic("kripke", "", "active proctype P() { y = 1 }") is None
    assert "cell.pml:1:23: error: unknown name 'y'" in capsys.readouterr().out
    assert shell.run_cell_magic("kripke", "--xyzzy", TEXT) is None
    assert shell.run_cell_magic("kripke", "--lang cspm", "P = STOP\nassert STOP [T= P\n").verdict == "holds"


def test_progress_while_a_cell_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("IPython")
    from kripke import notebook
    from kripke.engines.explicit.search import Progress

    shown: list[str] = []
    monkeypatch.setattr(notebook._LiveProgress, "_show", lambda self, text: shown.append(text))
    monkeypatch.setattr(notebook, "_SECONDS", 0.0)
    live = notebook._LiveProgress()
    live(Progress(1234, 5678, 9, 0, 0, 1.5))
    assert shown == ["1,234 states, 5,678 transitions, depth 9, 1.5 s"]


def test_pictures_fit_the_page() -> None:
    drawing = package.loads(TEXT).picture()._repr_svg_()
    assert 'style="max-width:100%;height:auto"' in drawing
