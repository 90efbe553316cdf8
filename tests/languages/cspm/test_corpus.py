"""The public test suites of two other front ends, where they are at hand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kripke.algebra.terms import Term
from kripke.languages.cspm.loading import load
from kripke.languages.cspm.parser import parse
from kripke.languages.cspm.program import Program
from kripke.languages.cspm.syntax import Function
from kripke.languages.cspm.values import TRUE
from kripke.model.source import ModelError

CORPUS = Path(__file__).parents[4] / "shared" / "corpus" / "cspm"


def files(folder: str) -> list[Path]:
    return sorted(file for file in (CORPUS / folder).glob("*") if file.suffix in (".csp", ".fdr2"))


def missing_include(error: ModelError) -> bool:
    return "does not exist" in error.message


@pytest.mark.parametrize("file", files("libcspm/parser/should_pass") + files("cspmf"), ids=lambda file: file.name)
def test_read(file: Path) -> None:
    try:
        parse(str(file))
    except ModelError as error:
        if missing_include(error):
            pytest.skip("includes a file that is not there")
        raise


@pytest.mark.parametrize("file", files("libcspm/parser/should_fail"), ids=lambda file: file.name)
def test_not_read(file: Path) -> None:
    with pytest.raises(ModelError) as caught:
        parse(str(file))
    assert caught.value.span is not None


def evaluate(file: Path) -> None:
    script = parse(str(file))
    program = Program(script)
    for declaration in script.declarations:
        if not isinstance(declaration, Function) or declaration.clauses[0].groups:
            continue
        if declaration.name.startswith("test"):
            assert program.value(declaration.name) is TRUE, declaration.name
        elif declaration.name.startswith("procTest"):
            explore(program.value(declaration.name))


def explore(process: Term) -> None:
    seen, stack = {process}, [process]
    while stack:
        for _, target in stack.pop().steps():
            if target not in seen:
                seen.add(target)
                stack.append(target)


@pytest.mark.parametrize("file", files("libcspm/evaluator/should_pass"), ids=lambda file: file.name)
def test_evaluated(file: Path) -> None:
    evaluate(file)


@pytest.mark.parametrize("file", files("libcspm/evaluator/should_fail"), ids=lambda file: file.name)
def test_not_evaluated(file: Path) -> None:
    with pytest.raises(ModelError):
        evaluate(file)


@pytest.mark.parametrize("file", files("libcspm/desugar/should_fail"), ids=lambda file: file.name)
def test_not_desugared(file: Path) -> None:
    with pytest.raises(ModelError):
        load(str(file))


#: scripts for the first tools for CSP-M, which had no types, and what in them has none
DYNAMIC = {
    # decrypt gives the sequence that was encrypted, or the atom Garbage
    "Andrew.csp": "this is Encryption, but <Encryption> is needed here",
    # {uptodown.1, downout0.x}: a channel that lacks a field beside a complete event
    "SequentialRouter.csp": "this is Event, but Int => Event is needed here",
    "oopseq.csp": "this is Event, but Int => Event is needed here",
    # {|false, true|}: productions of Booleans; the corpus has a mended version of it, peterson2.fix.fdr2
    "peterson2.fdr2": "this is Bool, but an event or a value of a datatype is needed here",
    # {enter.GateSeg} lacks the train; "type error!" stands in the script itself
    "t1.csp": "this is {TRAINS => Event}, but {Event} is needed here",
}


@pytest.mark.parametrize("file", files("libcspm/typechecker/should_pass") + files("cspmf"), ids=lambda file: file.name)
def test_well_typed(file: Path) -> None:
    if file.name in DYNAMIC:
        with pytest.raises(ModelError, match=re.escape("type error: " + DYNAMIC[file.name])):
            load(str(file))
        load(str(file), types=False)
        return
    try:
        load(str(file))
    except ModelError as error:
        if missing_include(error):
            pytest.skip("includes a file that is not there")
        raise


@pytest.mark.parametrize("file", files("libcspm/typechecker/should_fail"), ids=lambda file: file.name)
def test_not_well_typed(file: Path) -> None:
    with pytest.raises(ModelError) as caught:
        load(str(file))
    assert caught.value.span is not None
