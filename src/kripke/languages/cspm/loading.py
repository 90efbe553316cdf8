"""A CSP-M script as a model with its assertions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from kripke.algebra.model import AlgebraModel, TermProcess
from kripke.algebra.priority import prioritised, tau_first
from kripke.algebra.symmetry.claims import Claim
from kripke.algebra.terms import Term
from kripke.languages.cspm.communication import ENDLESS, PrefixTerm
from kripke.languages.cspm.dump import script_of
from kripke.languages.cspm.parser import Script, parse
from kripke.languages.cspm.program import Program
from kripke.languages.cspm.questions import asked_of
from kripke.languages.cspm.sets import Values
from kripke.languages.cspm.symmetries import claim_of
from kripke.languages.cspm.syntax import Assertion as AssertionNode
from kripke.languages.cspm.syntax import Expr
from kripke.languages.cspm.syntax import Function as FunctionNode
from kripke.languages.cspm.values import Seq, Wrong, force, kind_of, missing, show
from kripke.model.assertions import Assertion
from kripke.model.source import NOWHERE, ModelError, Span

#: CSP-M programs recurse deeply, and Python's own calls need no more than memory for that
DEEPEST_CALLS = 30_000
KINDS = {
    "T": "trace refinement",
    "F": "failures refinement",
    "FD": "failures-divergences refinement",
    "V": "revivals refinement",
    "VD": "revivals-divergences refinement",
    "R": "refusal testing refinement",
    "RD": "refusal testing-divergences refinement",
}


def load(
    path: str,
    *,
    process: str | None = None,
    types: bool = True,
    interrupt_after_end: bool = False,
    evaluate: Sequence[str] = (),
    symmetric: Sequence[str] = (),
    evaluation_limit: int | None = None,
    formulas: Sequence[str] = (),
    conditions: Sequence[str] = (),
    invariants: Sequence[str] = (),
    text: str | None = None,
    include_root: str | None = None,
) -> AlgebraModel:
    """The script in a file. ``process``: which process the model is, by default MAIN or that of the first assertion.

    ``interrupt_after_end``: ``P /\\ Q`` can still do what Q can when P has ended. ``symmetric``: what may change
    places. ``evaluation_limit``: the most steps of evaluation until something comes of it; 0: no limit.
    """
    sys.setrecursionlimit(max(sys.getrecursionlimit(), DEEPEST_CALLS))
    script = parse(path, text, include_root)
    if types:
        from kripke.languages.cspm.typing import check_types

        check_types(script)
    program = Program(script, lazy=types)
    program.world.interrupt_after_tick = interrupt_after_end
    if evaluation_limit is not None:
        program.effort.most = evaluation_limit
    loader = _Loader(script, program, symmetric)
    model = loader.model(process)
    asked = asked_of(program, formulas, conditions, invariants)
    if asked is not None:
        model.ask(asked)
    model.values = lambda: loader.values(evaluate)
    return model


class _Loader:
    def __init__(self, script: Script, program: Program, symmetric: Sequence[str] = ()) -> None:
        self.script = script
        self._symmetric = symmetric
        self.program = program
        self._last = ""
        self._known_words: dict[int, tuple[str, Span]] = {}

    def values(self, asked: Sequence[str]) -> dict[str, str]:
        """What the script prints, and what is asked for."""
        try:
            found = {node.text: show(self.program.evaluate(node.expression)) for node in self.program.prints}
            return {**found, **{text: show(self.program.evaluate_text(text)) for text in asked}}
        except Wrong as error:
            raise ModelError(error.message, hint=error.hint) from None

    def model(self, process: str | None) -> AlgebraModel:
        root, text = self._root(process)
        model = AlgebraModel(
            self.program.world, root, self.script.path, "cspm", self.script.tokens.sources, self._words
        )
        model.claims = self._claims
        model.script = lambda term, most: script_of(term, self.script.path, text or self._last, most)
        if process is not None or (not self.program.assertions and self.program.scope.find("MAIN") is not None):
            model.assertions = [self._no_deadlock(model, process or "MAIN")]
        elif not self.program.assertions:
            model.assertions = [self._nothing(model)]
        else:
            model.assertions = [
                self._assertion(model, number, node)
                for number, (node, _) in enumerate(self.program.assertions, start=1)
            ]
        return model

    def _claims(self) -> list[Claim]:
        """What the command line claims."""
        try:
            return [claim_of(self.program.evaluate_text(text), self.program.world.events) for text in self._symmetric]
        except Wrong as error:
            raise ModelError(f"--symmetric: {error.message}", hint=error.hint) from None

    def _claimed(self, node: Expr) -> Claim:
        """What an assertion claims."""
        try:
            return claim_of(self.program.evaluate(node), self.program.world.events)
        except Wrong as error:
            raise self.program.wrong(error.message, node) from None

    def _nothing(self, model: AlgebraModel) -> Assertion:
        """A script without assertions and MAIN: that it can be read is all there is to show."""
        text = "nothing is asserted"
        stop = model.rooted(lambda: self.program.world.stop)
        return Assertion(text, text, "has trace", "T", False, lambda: TermProcess(stop), trace=list)

    def _no_deadlock(self, model: AlgebraModel, process: str) -> Assertion:
        return Assertion(
            name=f"{process} :[deadlock free [F]]",
            text=f"{process} :[deadlock free [F]]",
            kind="deadlock",
            semantics="F",
            negated=False,
            implementation=lambda: TermProcess(model),
            about_states=True,
            usual=True,
        )

    def _words(self, term: Term) -> tuple[str, Span]:
        known = self._known_words.get(term.number)
        if known is None:
            known = self._known_words[term.number] = self._made_words(term)
        return known

    def _made_words(self, term: Term) -> tuple[str, Span]:
        """A prefix as it is written; a choice by what it chooses from."""
        if isinstance(term, PrefixTerm):
            node = term.plan.node
            tokens = self.script.tokens
            shown = tokens.text(node.first, node.last)
            values = [show(value) for value in term.values() if not isinstance(value, Term)]
            bound = f" with {', '.join(values)}" if values else ""
            return (shown if len(shown) < 60 else shown[:57] + "...") + bound, tokens.span(node.first, node.last)
        parts = [self._words(part) for part in term.children()[:8]]
        if not parts:
            return term.words(), NOWHERE
        text = f" {term.operator} ".join(words for words, _ in parts) if len(parts) > 1 else term.words()
        return (text if len(text) < 90 else text[:87] + "..."), _around([span for _, span in parts])

    def _root(self, process: str | None) -> tuple[Callable[[], Term], str]:
        """The process, and what it is called in the script."""
        if process is not None:
            return (lambda: self._term(self.program.evaluate_text(process), process)), process
        if self.program.scope.find("MAIN") is not None:
            return (lambda: self._term(self.program.value("MAIN"), "MAIN")), "MAIN"
        if self.program.assertions:
            node = self.program.assertions[0][0]
            chosen = node.right if node.kind == "refinement" and node.right is not None else node.left
            return (lambda: self._process(chosen)), self.script.tokens.text(chosen.first, chosen.last)
        return self._last_process, ""

    def _last_process(self) -> Term:
        """The last definition that is a process."""
        for declaration in reversed(self.script.declarations):
            if isinstance(declaration, FunctionNode) and not declaration.clauses[0].groups:
                value = self.program.value(declaration.name)
                if isinstance(value, Term):
                    self._last = declaration.name
                    return value
        raise ModelError(f"{self.script.path} defines no process without parameters", hint="name one: --process 'P(0)'")

    def _term(self, value: Any, name: str) -> Term:
        if value is None:
            raise ModelError(f"{name} is not defined")
        if not isinstance(value, Term):
            raise ModelError(f"{name} is {kind_of(value)}, not a process")
        return value

    def _process(self, node: Expr) -> Term:
        try:
            value = self.program.evaluate(node)
            if not isinstance(value, Term):
                raise self.program.wrong(f"{show(value)} is {kind_of(value)}, but a process is needed here", node)
            return value.now()
        except RecursionError:
            raise self.program.wrong(ENDLESS[0], node, ENDLESS[1]) from None

    def _assertion(self, model: AlgebraModel, number: int, node: AssertionNode) -> Assertion:
        refused = ""
        order: Expr | None = None
        claimed: list[Expr] = []
        for option in node.options:
            if option.name == "tau priority":
                order = option.argument
            elif option.name == "symmetry reduce" and option.argument is not None:
                claimed.append(option.argument)
            elif option.name == "symmetry reduce":
                refused = "symmetry reduce needs what may change places: :[symmetry reduce]: {B, C, D}"
            elif option.name != "partial order reduce":  # leaves verdicts as they are
                refused = f"the option '{option.name}' is not supported yet"

        def made(expression: Expr) -> Term:
            term = self._process(expression)
            if order is None:
                return term
            value = self.program.evaluate(order)
            if not isinstance(value, Values):
                raise self.program.wrong(f"{show(value)} is no set of events", order)
            return prioritised(self.program.world, term, tau_first(self.program.event_set(value)))

        def process(name: str) -> TermProcess:
            own = model.rooted(lambda: made(implementation), name)
            own.claims = lambda: [*self._claims(), *map(self._claimed, claimed)]
            return TermProcess(own)

        implementation = node.right if node.kind == "refinement" and node.right is not None else node.left
        specification = None
        if node.kind == "refinement":
            specification = lambda: TermProcess(model.rooted(lambda: made(node.left)))  # noqa: E731
        trace = None
        if node.kind == "has trace" and node.right is not None:
            expected = node.right
            trace = lambda: self._trace(expected)  # noqa: E731
        same = [other for other, _ in self.program.assertions[: number - 1] if other.text == node.text]
        tokens = self.script.tokens
        called = tokens.text(implementation.first, implementation.last)
        return Assertion(
            name=node.text + (f" #{len(same) + 1}" if same else ""),
            text=node.text,
            kind=KINDS[node.model] if node.kind == "refinement" else node.kind,
            semantics=node.model,
            negated=node.negated,
            implementation=lambda: process(called),
            specification=specification,
            trace=trace,
            span=self.script.tokens.span(node.first, node.last),
            refused=refused,
            symmetric=bool(claimed),
        )

    def _trace(self, node: Expr) -> list[int]:
        value = self.program.evaluate(node)
        if not isinstance(value, Seq):
            raise self.program.wrong(
                f"{show(value)} is {kind_of(value)}, but a sequence of events is needed here", node
            )
        events: list[int] = []
        for item in value.items():
            event = force(item)
            if missing(event):
                raise self.program.wrong(f"{show(event)} is not a complete event", node)
            events.append(self.program.world.events.number(event))
        return events


def _around(spans: Sequence[Span]) -> Span:
    """From the first to the last of those that are somewhere."""
    known = [span for span in spans if span is not NOWHERE]
    if not known:
        return NOWHERE
    first = min(known, key=lambda span: (span.line, span.column))
    same = [span for span in known if span.file == first.file]
    last = max(same, key=lambda span: (span.end_line, span.end_column))
    return Span(first.file, first.line, first.column, last.end_line, last.end_column)


__all__ = ["Wrong", "load"]
