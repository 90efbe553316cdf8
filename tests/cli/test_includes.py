"""Files that a model includes: which may be read, and what is shown of them."""

from __future__ import annotations

from pathlib import Path

import pytest

import kripke as package
from tests.cli.conftest import Kripke

SECRET = "root:x:0:0:secret-of-root"
MODELS = {
    "m.pml": '#include "../secret"\nactive proctype P() { skip }\n',
    "m.pn": '#include "../secret"\nplace p bool;\n',
    "m.csp": 'include "../secret"\nP = STOP\nassert P :[deadlock free]\n',
}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "secret").write_text(SECRET + "\n")
    folder = tmp_path / "models"
    folder.mkdir()
    for name, text in MODELS.items():
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize("name", MODELS)
def test_a_line_of_a_foreign_file_is_not_shown(kripke: Kripke, files: Path, name: str) -> None:
    ran = kripke("check", f"models/{name}")
    assert ran.code == 2 and "secret:1:" in ran.err
    assert "secret-of-root" not in ran.out + ran.err


@pytest.mark.parametrize("name", MODELS)
def test_a_root_keeps_everything_else_out(kripke: Kripke, files: Path, name: str) -> None:
    ran = kripke("check", f"models/{name}", "--include-root", "models")
    assert ran.code == 2
    assert f"models/{name}:1:" in ran.err and "secret': it lies outside of models" in ran.err
    assert ran.err.endswith("hint: --include-root says which folder included files lie in\n")
    # Inside the root the line is shown again.
    assert SECRET in kripke("check", f"models/{name}", "--include-root", ".").err


def test_links_are_followed(kripke: Kripke, files: Path) -> None:
    (files / "inside").symlink_to(files.parent / "secret")
    (files / "m.pml").write_text('#include "inside"\nactive proctype P() { skip }\n')
    assert "lies outside of models" in kripke("check", "models/m.pml", "--include-root", "models").err
    assert "secret-of-root" not in kripke("check", "models/m.pml").err


def test_an_absolute_name_and_one_that_a_user_names(kripke: Kripke, files: Path) -> None:
    (files / "m.pml").write_text(f'#include "{files.parent}/secret"\nactive proctype P() {{ skip }}\n')
    assert "secret-of-root" not in kripke("check", "models/m.pml").err
    assert SECRET in kripke("check", "models/m.pml", "-I", ".").err
    assert "lies outside of models" in kripke("check", "models/m.pml", "-I", ".", "--include-root", "models").err


def test_a_claim_and_a_module(kripke: Kripke, files: Path) -> None:
    (files / "m.pml").write_text("active proctype P() { skip }\n")
    (files / "claim").write_text('#include "../secret"\nnever { do :: true od }\n')
    ran = kripke("check", "models/m.pml", "--never", "models/claim", "--include-root", "models")
    assert (ran.code, "lies outside of models" in ran.err) == (2, True)
    (files.parent / "Other.lf").write_text(SECRET)
    (files / "m.lf").write_text("MODULE m; IMPORT Other; BEGIN END m.")
    ran = kripke("check", "models/m.lf", "-I", ".", "--include-root", "models")
    assert ran.code == 2 and "secret-of-root" not in ran.err


def test_a_good_foreign_file_is_read_and_its_statements_are_shown(kripke: Kripke, files: Path) -> None:
    (files.parent / "shared.pml").write_text("inline fail() { assert(false) }\n")
    (files / "m.pml").write_text('#include "../shared.pml"\nactive proctype P() { fail() }\n')
    ran = kripke("check", "models/m.pml")
    assert ran.code == 1 and "assert(false)" in ran.out
    model = package.load(files / "m.pml", include_root=files.parent)
    assert model.check().verdict == "violated"
    with pytest.raises(package.ModelError, match="lies outside"):
        package.load(files / "m.pml", include_root=files)
