"""``emit --smv``: any model that can be said in terms, as a file of SMV.

After p2b (M. Baldamus, J. Schröder-Babo: p2b: a translation utility for linking Promela and symbolic model checking,
SPIN 2001): a disjunct of TRANS for each command, which says what it writes and that all else stays; where nothing can
happen the state stays as it is, so that the relation is total. Its comments ``/*p2b: SPEC f */`` and
``/*p2b: lo .. hi */`` are read: the first is a formula of
branching time, the second a range, which is checked and not believed.

What is one step of the model may be several commands: ``stable`` is false in between. Formulas are about stable states.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from kripke.languages.language import Form, Written
from kripke.languages.smv.lexer import KEYWORDS
from kripke.languages.smv.written_terms import TermWriter
from kripke.logic import ctl
from kripke.logic.ctl_text import parse
from kripke.logic.formula import Formula
from kripke.model.capabilities.encodable import Encodable, Encoding
from kripke.model.model import Model
from kripke.model.source import ModelError
from kripke.terms.build import TRUE, any_of, conjoin, disjoin, negate
from kripke.terms.narrowing import narrowed
from kripke.terms.system import TransitionSystem
from kripke.terms.term import Symbol, Term

_SPEC: Final = re.compile(r"/\*\s*p2b:\s*SPEC\s+(.*?)\*/", re.DOTALL)
_RANGE: Final = re.compile(r"\b(?:byte|short|int)\s*/\*\s*p2b:\s*(-?\d+)\s*\.\.\s*(-?\d+)\s*\*/\s*([\w\s,=\[\]-]+)")


def write(model: Model, form: Form) -> Written:
    specs = [" ".join(found.split()) for found in _texts(model, _SPEC)]
    formulas = [(text, parse(text, "ctl", "<p2b: SPEC>")) for text in specs]
    atoms = sorted({name for _, formula in formulas for name in ctl.atoms_of(formula)} - set(model.atoms))
    if atoms:
        model = _with_conditions(model, atoms)
    encodable = model.capability(Encodable)
    if encodable is None:
        raise ModelError(form.refusal(model))
    encoding = encodable.encode()
    if isinstance(encoding, str):
        raise ModelError(f"{form.flag}: {encoding}")
    return _Writer(model, replace(encoding, system=narrowed(encoding.system))).written(formulas)


def _texts(model: Model, pattern: re.Pattern[str]) -> Iterator[str]:
    for lines in model.source_files().values():
        for match in pattern.finditer("\n".join(lines)):
            yield match[1]


def _with_conditions(model: Model, atoms: Iterable[str]) -> Model:
    """The same model, with the truth of these conditions."""
    from kripke.languages.registry import load_model
    from kripke.languages.request import LoadRequest

    return load_model(LoadRequest(model.file, model.language, conditions=tuple(atoms)))


class _Writer:
    def __init__(self, model: Model, encoding: Encoding) -> None:
        self.model = model
        self.system: TransitionSystem = encoding.system
        self.names: dict[Symbol, str] = {}
        self._taken: set[str] = {"stable", "step"}
        for symbol in self.system.variables:
            self._named(symbol)
        self.choices = dict.fromkeys(symbol for command in self.system.commands for symbol in command.choices)
        for symbol in self.choices:
            self._named(symbol)
        self.warnings: list[str] = []

    def _named(self, symbol: Symbol) -> None:
        """A name of SMV, as like the one it has as can be."""
        plain = re.sub(r"[^A-Za-z0-9_]+", "_", symbol.name).strip("_") or "v"
        name = plain if plain[0].isalpha() or plain[0] == "_" else f"v_{plain}"
        if name in KEYWORDS or re.fullmatch(r"part_\d+|atom_\d+", name):
            name += "_"
        count, found = 1, name
        while found in self._taken:
            count += 1
            found = f"{name}_{count}"
        self._taken.add(found)
        self.names[symbol] = found

    # --- the file -----------------------------------------------------------------------------------------------------

    def written(self, formulas: list[tuple[str, ctl.StateFormula]]) -> Written:
        system = self.system
        stays = disjoin(
            system.resting, *(one.condition for one in system.breaches), *(one.condition for one in system.limits)
        )
        claims = list(self._claims())
        roots = [system.initial, stays, system.stable, *system.atoms, *(term for _, term in claims)]
        for command in system.commands:
            roots += [command.guard, *command.updates.values()]
        self.writer = TermWriter(self.names.__getitem__, roots)
        text = [f"-- {self.model.file}, a {self.model.language} model, by kripke emit --smv", "MODULE main", "VAR"]
        text += [self._declared(symbol) for symbol in system.variables]
        if self.choices:
            text += ["IVAR", *(self._declared(symbol) for symbol in self.choices)]
        text += ["DEFINE", *(f"  {name} := {value};" for name, value in self.writer.definitions)]
        text += [
            f"  atom_{n} := {self.writer.of(atom)};  -- {_comment(self.model.atoms[n])}"
            for n, atom in enumerate(system.atoms)
        ]
        text.append(f"  stable := {self.writer.of(system.stable)};")
        text += [
            "INIT",
            f"  {self.writer.of(system.initial)};",
            "TRANS",
            "  " + "\n  | ".join(self._steps(stays)) + ";",
        ]
        text += [f"INVARSPEC NAME {name} := {self.writer.of(term)};" for name, term in claims]
        text += self._properties(formulas)
        if system.stable is not TRUE:
            text.append("-- inside of a step nothing goes on for ever\nJUSTICE stable;")
        return Written("\n".join(text) + "\n", tuple(self.warnings))

    def _declared(self, symbol: Symbol) -> str:
        sort = symbol.sort
        if sort.low is None or sort.high is None:
            raise ModelError(f"--smv: {symbol.name} is a number without bounds, which SMV has not")
        type_ = "boolean" if sort.boolean else f"{sort.low}..{sort.high}"
        shown = f"  -- {_comment(symbol.name)}" if symbol.name != self.names[symbol] else ""
        return f"  {self.names[symbol]} : {type_};{shown}"

    def _steps(self, stays: Term) -> Iterator[str]:
        for command in self.system.commands:
            parts = [self.writer.of(command.guard)]
            for symbol in self.system.variables:
                value = command.updates.get(symbol)
                after = self.names[symbol] if value is None else self.writer.of(value)
                parts.append(f"next({self.names[symbol]}) = {after}")
            yield "(" + " & ".join(parts) + ")"
        kept = [f"next({name}) = {name}" for name in (self.names[symbol] for symbol in self.system.variables)]
        yield "(" + " & ".join([self.writer.of(stays), *kept]) + ")"

    # --- what is asked ------------------------------------------------------------------------------------------------

    def _claims(self) -> Iterator[tuple[str, Term]]:
        """What the model says must not happen, and ranges that its text gives."""
        system = self.system
        if self.model.has_deadlocks:
            yield "no_deadlock", negate(conjoin(system.resting, negate(system.valid_end)))
        kinds: dict[int, list[Term]] = {}
        for breach in system.breaches:
            kinds.setdefault(breach.code, []).append(breach.condition)
        for code, conditions in kinds.items():
            name = re.sub(r"\W+", "_", self.model.violation_kinds[code].name)
            yield f"no_{name}_error", negate(any_of(conditions))
        if system.limits:
            self.warnings.append(f"what lies behind a limit is not there: {system.limits[0].text}")
            yield "within_limits", negate(any_of(limit.condition for limit in system.limits))
        yield from self._ranges()

    def _ranges(self) -> Iterator[tuple[str, Term]]:
        from kripke.terms.build import between, variable

        for lines in self.model.source_files().values():
            for match in _RANGE.finditer("\n".join(lines)):
                low, high = int(match[1]), int(match[2])
                for part in match[3].split(","):
                    wanted = re.split(r"[=\[]", part)[0].strip()
                    for symbol in self.system.variables:
                        if re.fullmatch(rf"(.*[.\]:])?{re.escape(wanted)}(\[\d+\])*", symbol.name) and wanted:
                            yield f"range_of_{self.names[symbol]}", between(low, variable(symbol), high)

    def _properties(self, formulas: list[tuple[str, ctl.StateFormula]]) -> Iterator[str]:
        numbers = {name: number for number, name in enumerate(self.model.atoms)}
        whole = self.system.stable is TRUE
        for property_ in self.model.properties:
            if property_.kind != "ltl" or property_.formula is None or property_.cuts:
                continue
            if any(name not in numbers for name in property_.formula.atoms()):
                self.warnings.append(f"{property_.name} speaks of steps, which SMV has not: it is left out")
                continue
            text = _linear(property_.formula, numbers, whole)
            start = text if whole else f"(!stable U (stable & {text}))"
            yield f"LTLSPEC {start}  -- {_comment(property_.name)}"
        for invariant in self.model.stated_invariants:
            yield f"INVARSPEC stable -> atom_{numbers[invariant.atom]}  -- {_comment(invariant.name)}"
        stated = [(one.text, one.formula) for one in self.model.branching_properties]
        for asked, formula in (*stated, *formulas):
            branching = _branching(formula, numbers, whole)
            start = branching if whole else f"A [!stable U (stable & {branching})]"
            yield f"CTLSPEC {start}  -- {_comment(asked)}"


def _comment(text: str) -> str:
    return " ".join(text.split())


_PAST: Final = {"Y", "Z", "O", "H", "S", "T"}


def _linear(formula: Formula, atoms: Mapping[str, int], whole: bool) -> str:
    """Unless all states are stable (``whole``), relative to those that are."""
    parts = [_linear(operand, atoms, whole) for operand in formula.operands]
    operator = formula.operator
    if operator in _PAST and not whole:
        raise ModelError(
            f"--smv: {formula} speaks of the past of steps that are several here: leave out atomic sequences"
        )
    stable: Callable[[str], str] = (lambda text: text) if whole else (lambda text: f"(stable -> {text})")
    there: Callable[[str], str] = (lambda text: text) if whole else (lambda text: f"(stable & {text})")
    match operator:
        case "true" | "false":
            return operator.upper()
        case "atom":
            return f"atom_{atoms[str(formula.atom)]}"
        case "not":
            return f"!({parts[0]})"
        case "and" | "or":
            return "(" + (" & " if operator == "and" else " | ").join(parts) + ")"
        case "->" | "<->":
            return f"({parts[0]} {operator} {parts[1]})"
        case "X":
            return f"X ({parts[0]})" if whole else f"X (!stable U (stable & {parts[0]}))"
        case "F":
            return f"F {there(parts[0])}" if not whole else f"F ({parts[0]})"
        case "G":
            return f"G {stable(parts[0])}" if not whole else f"G ({parts[0]})"
        case "U":
            return f"({stable(parts[0])} U {there(parts[1])})"
        case "W":
            return f"(({stable(parts[0])} U {there(parts[1])}) | G {stable(parts[0])})"
        case "R":
            return f"({there(parts[0])} V {stable(parts[1])})"
        case "M":
            return f"({stable(parts[1])} U {there(f'({parts[0]} & {parts[1]})')})"
        case "S" | "T":
            return f"({parts[0]} {operator} {parts[1]})"
    return f"{operator} ({parts[0]})"


def _branching(formula: ctl.StateFormula, atoms: Mapping[str, int], whole: bool) -> str:
    def of(part: ctl.StateFormula) -> str:
        return _branching(part, atoms, whole)

    match formula:
        case ctl.Truth(value):
            return "TRUE" if value else "FALSE"
        case ctl.Atom(name):
            return f"atom_{atoms[name]}"
        case ctl.Not(operand):
            return f"!({of(operand)})"
        case ctl.And(operands):
            return "(" + " & ".join(map(of, operands)) + ")" if operands else "TRUE"
        case ctl.Or(operands):
            return "(" + " | ".join(map(of, operands)) + ")" if operands else "FALSE"
        case ctl.Same(left, right):
            return f"({of(left)} <-> {of(right)})"
        case ctl.ExistsNext(operand):
            return f"EX ({of(operand)})" if whole else f"EX E [!stable U (stable & {of(operand)})]"
        case ctl.ExistsUntil(through, reached):
            if whole:
                return f"E [{of(through)} U {of(reached)}]"
            return f"E [(stable -> {of(through)}) U (stable & {of(reached)})]"
        case ctl.ExistsGlobally(operand):
            return f"EG ({of(operand)})" if whole else f"EG (stable -> {of(operand)})"
    raise ModelError("--smv: this formula has parts that computation tree logic has not")
