"""Files that say which modes refine which: each a model whose assertions are checked."""

from __future__ import annotations

from collections.abc import Sequence

from kripke.hierarchy.open_mode import Events, OpenMode, OpenProcess
from kripke.hierarchy.tree import Tree
from kripke.languages.modes.checking import Checker
from kripke.languages.modes.syntax import Name, RefinementText
from kripke.model.assertions import Assertion
from kripke.model.source import ModelError, Sources


def refinement_model(checker: Checker, path: str, sources: Sources, asked: Sequence[str]) -> OpenMode:
    """The first implementation, with the assertions of the file."""
    file = checker.file
    if file.system or file.properties:
        hint = "put refinements into a file of their own"
        where = file.system[0].name.span if file.system else file.properties[0].span
        raise checker.error("a file with refinements has neither a system nor properties", where, hint)
    if asked:
        raise ModelError(f"{path} is about refinement: invariants and formulas do not go with it")
    checker.unique([one.name for one in file.refinements], "refinement")
    made = _Refinements(checker, path, sources)
    assertions = [made.assertion(one) for one in file.refinements]
    model = made.open(file.refinements[0].implementation, file.refinements[0])
    model.assertions = assertions
    return model


class _Refinements:
    def __init__(self, checker: Checker, path: str, sources: Sources) -> None:
        self.checker, self.path, self.sources = checker, path, sources
        self.events = Events()

    def open(self, mode: Name, refinement: RefinementText) -> OpenMode:
        """The environment sets, and a trace shows, the variables that one of the two modes uses."""
        system = self.checker.alone(mode)
        both = [
            self.checker.definitions[self.checker.alone(name).tops[0].definition]
            for name in (refinement.implementation, refinement.specification)
        ]
        used = {p.name for definition in both for p in definition.parameters}
        seen = [i for i, variable in enumerate(system.globals) if variable.name in used]
        return OpenMode(system, Tree(system), self.path, self.sources, seen=seen, events=self.events)

    def assertion(self, text: RefinementText) -> Assertion:
        implementation, specification = (self.open(n, text) for n in (text.implementation, text.specification))
        return Assertion(
            text.name.text,
            text.text,
            "trace refinement",
            "T",
            False,
            lambda: OpenProcess(implementation),
            lambda: OpenProcess(specification),
            span=text.span,
        )
