"""Files that say which modes refine which: each a model whose assertions are checked."""

from __future__ import annotations

from collections.abc import Sequence

from kripke.hierarchy.open_mode import ClosedModes, Events, OpenMode, TraceModel, TraceProcess
from kripke.hierarchy.tree import Tree
from kripke.languages.modes.checking import Checker
from kripke.languages.modes.syntax import Name, RefinementText
from kripke.model.assertions import Assertion
from kripke.model.source import ModelError, Sources


def refinement_model(checker: Checker, path: str, sources: Sources, asked: Sequence[str]) -> TraceModel:
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
    assertions = [assertion for one in file.refinements for assertion in made.assertions(one)]
    model = made.model(file.refinements[0].implementation, file.refinements[0])
    model.assertions = assertions
    return model


class _Refinements:
    def __init__(self, checker: Checker, path: str, sources: Sources) -> None:
        self.checker, self.path, self.sources = checker, path, sources
        self.events = Events()

    def model(self, modes: Sequence[Name], refinement: RefinementText) -> TraceModel:
        """The environment of one mode sets, and a trace shows, the variables that one of the modes uses."""
        system = self.checker.together(modes)
        every = [*refinement.implementation, *refinement.specification]
        definitions = [self.checker.definitions[top.definition] for top in self.checker.together(every).tops]
        used = {parameter.name for definition in definitions for parameter in definition.parameters}
        seen = [i for i, variable in enumerate(system.globals) if variable.name in used]
        kind = OpenMode if len(modes) == 1 else ClosedModes
        return kind(system, Tree(system), self.path, self.sources, seen=seen, events=self.events)

    def assertions(self, text: RefinementText) -> list[Assertion]:
        """One; for the assume-guarantee rule one for each mode, in the company of what the others are to refine."""
        if not text.premises:
            return [self.assertion(text, text.implementation, text.name.text, text.text)]
        found = []
        for number, mode in enumerate(text.implementation):
            company = (*text.specification[:number], mode, *text.specification[number + 1 :])
            shown = f"{_shown(company)} refines {_shown(text.specification)}"
            found.append(self.assertion(text, company, f"{text.name.text} ({mode.text})", shown))
        return found

    def assertion(self, text: RefinementText, modes: Sequence[Name], name: str, shown: str) -> Assertion:
        implementation, specification = (self.model(side, text) for side in (modes, text.specification))
        return Assertion(
            name,
            shown,
            "trace refinement",
            "T",
            False,
            lambda: TraceProcess(implementation),
            lambda: TraceProcess(specification),
            span=text.span,
        )


def _shown(modes: Sequence[Name]) -> str:
    return " | ".join(mode.text for mode in modes)
