"""Certificates of ``induction`` and ``pdr``: an inductive invariant, checked by another solver than found it.

The file is JSON: the model, what is shown, and ``invariants``, conditions in SMT-LIB 2 over v0, v1, ..., the variables
of the model in terms, in their order. ``verify`` believes none of it. It reads the model again, lowers it to terms
without the passes of the engines, writes these as SMT-LIB by itself, and asks cvc5 that

1. the invariants hold in the initial states,
2. a step from states in which they hold leads to such states: a question for each command, about those invariants
   that speak of what the command writes,
3. with ``k`` = 0: nothing is wrong where they hold. With k > 0: nothing is wrong within k steps from the start, and k
   steps between different states in which they hold and nothing is wrong lead to nothing wrong.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from kripke.model.capabilities.encodable import Encodable, WithIntegers
from kripke.model.model import Model
from kripke.proofs.verification import Load, Rejected, record_of
from kripke.terms.build import any_of, conjoin, negate
from kripke.terms.smt import Text, number
from kripke.terms.system import Command, TransitionSystem
from kripke.terms.term import Symbol, Term

FORMAT = "kripke invariant 1"

_ALLOWED = {
    "and", "or", "not", "=>", "=", "<", "<=", ">", ">=", "+", "-", "*", "div", "mod", "ite", "true", "false", "xor",
    "abs", "distinct",
}  # fmt: skip
_TOKEN = re.compile(r"\s*(\(|\)|[^\s()]+)")


def record(
    model: Model, origin: Mapping[str, Any], text: str, asked: Mapping[str, Any], found: Mapping[str, Any]
) -> dict[str, Any]:
    """What is written: ``asked`` are deadlock, invariants (names of atoms) and whether integers are unbounded."""
    return {
        "format": FORMAT,
        "model": {"file": model.file, "language": model.language, "origin": dict(origin)},
        "property": {"text": text},
        "asked": dict(asked),
        "k": found["k"],
        "invariants": list(found["invariants"]),
    }


def is_invariant(text: str) -> bool:
    return f'"format": "{FORMAT}"' in text[:200]


def verify(text: str, load: Load, *, model_file: str | None = None) -> tuple[Model, dict[str, Any]]:
    """The model and what is shown of it; Rejected where the certificate is none."""
    found = record_of(text, FORMAT)
    try:
        about = found["model"]
        path = model_file or about["file"]
        model = load(path, about["language"].lower(), about["origin"])
        if model is None:
            raise Rejected(f"the model {path} is not the one the certificate is about: its text has changed")
        _Checker(model, found).check()
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError) as problem:
        raise Rejected(f"the file is not put together as a certificate is ({type(problem).__name__})") from None
    return model, found


class _Checker:
    def __init__(self, model: Model, found: Mapping[str, Any]) -> None:
        self.system = _system(model, bool(found["asked"]["unbounded"]))
        self.wrong = self._wrong(model, found["asked"])
        self.k = int(found["k"])
        self.invariants = [self._read(str(one)) for one in found["invariants"]]
        self.names = {symbol: f"v{i}" for i, symbol in enumerate(self.system.variables)}

    def _wrong(self, model: Model, asked: Mapping[str, Any]) -> Term:
        system = self.system
        numbers = {name: i for i, name in enumerate(model.atoms)}
        cases = [breach.condition for breach in system.breaches]
        cases += [limit.condition for limit in system.limits]
        cases += [conjoin(system.stable, negate(system.atoms[numbers[name]])) for name in asked["invariants"]]
        if asked["deadlock"]:
            cases.append(conjoin(system.resting, negate(system.valid_end)))
        return any_of(cases)

    def _read(self, text: str) -> str:
        """The text, if it is one condition over the variables and nothing else."""
        depth, tokens = 0, _TOKEN.findall(text)
        for place, token in enumerate(tokens):
            depth += {"(": 1, ")": -1}.get(token, 0)
            variable = re.fullmatch(r"v(\d+)", token)
            if variable and int(variable[1]) >= len(self.system.variables):
                raise Rejected(f"there is no variable {token}")
            known = token in "()" or variable or token in _ALLOWED or token.isdecimal()
            if not known or depth < 0 or (depth == 0 and place + 1 < len(tokens)):
                raise Rejected(f"an invariant cannot be read at {token!r}")
        if depth:
            raise Rejected("an invariant is not closed")
        return text

    def check(self) -> None:
        self._ask(
            "the invariants do not hold at the start", [0], initial=True, assume=[], steps=False, show=self._broken(0)
        )
        self._preserved()
        if self.k == 0:
            self._ask("something is wrong where the invariants hold", [0], False, [0], False, "wrong0")
            return
        moments = list(range(self.k + 1))
        for last in moments:
            self._ask(f"something is wrong after {last} steps", moments[: last + 1], True, [], True, f"wrong{last}")
        calm = [f"(not wrong{moment})" for moment in moments[:-1]]
        different = [self._differ(a, b) for a in moments for b in moments[:a]]
        shown = f"(and wrong{self.k} {' '.join(calm + different)})"
        self._ask(
            f"{self.k} steps without anything wrong lead to something wrong", moments, False, moments, True, shown
        )

    def _preserved(self) -> None:
        """One question about all commands would be one about all of their cases at once, far harder than its parts."""
        solver = _Solver()
        solver.tell(["(set-logic ALL)", *self._moment(0, with_start=False)])
        solver.tell([f"(assert {self._at(one, 0)})" for one in self.invariants])
        about = [{int(name) for name in re.findall(r"\bv(\d+)\b", one)} for one in self.invariants]
        for index, command in enumerate(self.system.commands):
            prefix = f"s{index}_"
            declared, text, chosen = self._chosen(command, 0, prefix)
            parts = [text.of(command.guard), *chosen]
            names = [f"{name}_0" for name in self.names.values()]
            written = {place for place, symbol in enumerate(self.names) if symbol in command.updates}
            defined = list[str]()
            for place, symbol in enumerate(self.names):
                if place in written:
                    names[place] = f"{prefix}v{place}"
                    value = text.of(command.updates[symbol])
                    defined.append(f"(define-fun {names[place]} () {_sort(symbol)} {value})")
                    parts += _within(symbol, names[place])
            later = [_renamed(one, names) for one, read in zip(self.invariants, about, strict=True) if read & written]
            question = [*declared, *text.definitions, *defined, *(f"(assert {part})" for part in parts)]
            solver.tell(["(push 1)", *question, f"(assert (not (and true true {' '.join(later)})))"])
            _judge(solver.answer(), "a step leads from the invariants to a state in which they do not hold")
            solver.tell(["(pop 1)"])

    def _broken(self, moment: int) -> str:
        return "(not (and true " + " ".join(self._at(one, moment) for one in self.invariants) + "))"

    def _at(self, text: str, moment: int) -> str:
        return _renamed(text, [f"{name}_{moment}" for name in self.names.values()])

    def _differ(self, one: int, other: int) -> str:
        return "(or " + " ".join(f"(distinct {n}_{one} {n}_{other})" for n in self.names.values()) + " false)"

    def _ask(
        self, problem: str, moments: Sequence[int], initial: bool, assume: Sequence[int], steps: bool, show: str
    ) -> None:
        lines = ["(set-logic ALL)"]
        for moment in moments:
            lines += self._moment(moment, with_start=initial and moment == 0)
            if moment in assume:
                lines += [f"(assert {self._at(one, moment)})" for one in self.invariants]
        for moment in moments[:-1] if steps else ():
            lines += self._step(moment)
        solver = _Solver()
        solver.tell([*lines, f"(assert {show})"])
        _judge(solver.answer(), problem)

    def _moment(self, moment: int, *, with_start: bool) -> list[str]:
        declared, bounds = list[str](), list[str]()
        for symbol, name in self.names.items():
            declared.append(f"(declare-const {name}_{moment} {_sort(symbol)})")
            bounds += _within(symbol, f"{name}_{moment}")
        text = Text(lambda symbol: f"{self.names[symbol]}_{moment}", f"w{moment}_")
        wrong = text.of(self.wrong)
        start = text.of(self.system.initial) if with_start else "true"
        defined = [*text.definitions, f"(define-fun wrong{moment} () Bool {wrong})", f"(assert {start})"]
        return [*declared, *(f"(assert {bound})" for bound in bounds), *defined]

    def _step(self, moment: int) -> list[str]:
        lines, cases = list[str](), list[str]()
        for place, command in enumerate(self.system.commands):
            declared, text, chosen = self._chosen(command, moment, f"s{moment}_{place}_")
            parts = [text.of(command.guard), *chosen]
            for symbol, name in self.names.items():
                update = command.updates.get(symbol)
                parts.append(f"(= {name}_{moment + 1} {text.of(update) if update is not None else f'{name}_{moment}'})")
            lines += [*declared, *text.definitions]
            cases.append(f"(and {' '.join(parts)})")
        return [*lines, f"(assert (or {' '.join(cases)} false))"]

    def _chosen(self, command: Command, moment: int, prefix: str) -> tuple[list[str], Text, list[str]]:
        """Declarations of what a command chooses, the text of its terms, and within what it chooses."""
        names = {symbol: f"{prefix}c{place}" for place, symbol in enumerate(command.choices)}
        declared = [f"(declare-const {name} {_sort(symbol)})" for symbol, name in names.items()]
        text = Text(lambda symbol: names.get(symbol) or f"{self.names[symbol]}_{moment}", prefix)
        return declared, text, [part for symbol, name in names.items() for part in _within(symbol, name)]


def _renamed(text: str, names: Sequence[str]) -> str:
    """With names for v0, v1, ..."""
    return re.sub(r"\bv(\d+)\b", lambda found: names[int(found[1])], text)


def _sort(symbol: Symbol) -> str:
    return "Bool" if symbol.sort.boolean else "Int"


def _within(symbol: Symbol, name: str) -> list[str]:
    sort = symbol.sort
    if sort.boolean:
        return []
    low = [] if sort.low is None else [f"(>= {name} {number(sort.low)})"]
    return low + ([] if sort.high is None else [f"(<= {name} {number(sort.high)})"])


def _system(model: Model, unbounded: bool) -> TransitionSystem:
    able = model.capability(WithIntegers) if unbounded else None
    encodable = model.capability(Encodable)
    encoding = able.encode_integers() if able is not None else encodable.encode() if encodable is not None else ""
    if isinstance(encoding, str):
        raise Rejected(f"the model cannot be said in terms: {encoding}")
    return encoding.system


def _judge(answer: str, problem: str) -> None:
    if answer == "sat":
        raise Rejected(problem)
    if answer != "unsat":
        raise Rejected(f"the solver does not decide whether {problem} ({answer})")


class _Solver:
    """cvc5, which is told commands of SMT-LIB."""

    def __init__(self) -> None:
        from kripke.engines.unsupported import Unsupported

        try:
            import cvc5
        except ImportError as error:
            raise Unsupported(
                f"a certificate is checked with the solver cvc5 ({error}); install it with: pip install 'kripke[smt]'"
            ) from error
        self._solver = cvc5.Solver()
        self._solver.setOption("incremental", "true")
        self._parser = cvc5.InputParser(self._solver)
        self._language = cvc5.InputLanguage.SMT_LIB_2_6

    def tell(self, lines: Sequence[str]) -> str:
        """What it says last."""
        self._parser.setStringInput(self._language, "\n".join(lines), "certificate")
        last = ""
        while not (command := self._parser.nextCommand()).isNull():
            last = str(command.invoke(self._solver, self._parser.getSymbolManager())).strip() or last
        return last

    def answer(self) -> str:
        """sat, unsat or unknown."""
        return self.tell(["(check-sat)"]) or "unknown"
