"""A proof for people, as text and as a page: the automaton, the lines with states grouped into predicates, ranks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from typing import Any, NamedTuple

from kripke.model.model import Model
from kripke.proofs.predicates import NUMBER, Cube, Describing, Predicate
from kripke.proofs.tableau import Node
from kripke.proofs.terms import Term, from_json, joined, negation, written

_CUBES_SHOWN = 12


class Section(NamedTuple):
    """A title, a sentence, and a table: its head and its rows."""

    title: str
    remark: str
    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


class _Group(NamedTuple):
    """Lines that say the same of several states."""

    rule: str
    node: int
    rank: int
    vertices: list[tuple[int, int]]
    premises: set[int]
    numbers: list[int]
    line: dict[str, Any]


def proof_text(record: Mapping[str, Any], model: Model) -> Iterator[str]:
    yield _title(record)
    for section in _sections(record, model):
        yield ""
        yield section.title
        if section.remark:
            yield f"  {section.remark}"
        rows = [section.head, *section.rows]
        widths = [max(len(row[column]) for row in rows) for column in range(len(section.head))]
        for row in rows:
            cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
            yield ("  " + "  ".join(cells)).rstrip()


def proof_html(record: Mapping[str, Any], model: Model) -> str:
    """A page that needs nothing else."""
    title = escape(_title(record))
    style = (
        "body{font:15px/1.5 system-ui,sans-serif;max-width:70em;margin:2em auto;padding:0 1em;color:#1c2024}"
        "table{border-collapse:collapse}td,th{text-align:left;vertical-align:top;padding:.25em 1em .25em 0;"
        "border-bottom:1px solid #e0e1e6}td{font-family:ui-monospace,monospace;font-size:13px}h1{font-size:1.3em}"
    )
    parts = [f"<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title><style>{style}</style>"]
    parts.append(f"<h1>{title}</h1>")
    for section in _sections(record, model):
        parts.append(f"<h2>{escape(section.title)}</h2><p>{escape(section.remark)}</p><table><thead>")
        parts.append("<tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in section.head) + "</tr></thead><tbody>")
        for row in section.rows:
            parts.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>")
        parts.append("</tbody></table>")
    return "".join(parts) + "</html>\n"


def _title(record: Mapping[str, Any]) -> str:
    fair = {None: "every run", "weak": "every weakly fair run", "strong": "every strongly fair run"}[record["fair"]]
    return f"Proof: {fair} of {record['model']['file']} satisfies {record['property']['text']}"


def _sections(record: Mapping[str, Any], model: Model) -> Iterator[Section]:
    report = _Report(record, model)
    yield report.automaton()
    yield report.derivation()
    yield report.ranks()
    yield report.bits()


class _Report:
    def __init__(self, record: Mapping[str, Any], model: Model) -> None:
        self.record = record
        self.model = model
        self.nodes = [
            Node(*(frozenset(map(from_json, item[key])) for key in ("literals", "next", "promises")))
            for item in record["nodes"]
        ]
        self.states = [bytes.fromhex(text) for text in record["states"]]
        self.describing = Describing([model.describe(state) for state in self.states])
        self.whole = [0] * len(self.nodes)
        for line in record["lines"]:
            for node, state in line.get("at", ()):
                self.whole[node] |= 1 << state
        self.groups = self._groups()

    # --- sections -----------------------------------------------------------------------------------------------------

    def automaton(self) -> Section:
        rows = []
        for number, node in enumerate(self.nodes):
            if not self.whole[number]:
                continue
            targets = ", ".join(f"x{target + 1}" for target in self.record["nodes"][number]["successors"])
            rows.append(
                (
                    f"x{number + 1}",
                    _all(node.literals),
                    _all(node.next),
                    targets or "nowhere",
                    ", ".join(map(written, sorted(node.promises, key=repr))),
                    written(node.refutation),
                )
            )
        start = ", ".join(f"x{number + 1}" for number in self.record["initial_nodes"])
        remark = (
            f"A run that breaks the property satisfies {written(from_json(self.record['negation']))} and can be "
            f"followed through these nodes, from {start}."
        )
        return Section(
            "The runs to be refuted", remark, ("node", "now", "next", "goes to", "puts off", "refuted"), rows
        )

    def derivation(self) -> Section:
        rows: list[tuple[str, ...]] = []
        number_of: dict[int, int] = {}  # of a line of the proof: where it is concluded here

        def add(*cells: str) -> int:
            rows.append((f"{len(rows) + 1}.", *cells))
            return len(rows)

        for group in self.groups:
            mu = written(self.nodes[group.node].refutation)
            place = f"x{group.node + 1} where {self._where(group.node, group.vertices)}"
            premises = sorted({number_of[line] for line in group.premises})
            if group.rule == "FAIL":
                number = add("FAIL", f"{place}: the state is not as the node says, so {mu}")
            else:
                rule = add(group.rule, self._instance(group, place))
                number = add("", f"{_applied(premises, rule)}: {mu}" + ("" if group.rule == "SUCC" else " in each"))
            number_of.update((index, number) for index in group.numbers)
        starts = joined("and", [self.nodes[n].refutation for n in self.record["initial_nodes"]])
        goal = written(negation(from_json(self.record["negation"])))
        used = {number_of[p] for line in self.record["lines"] if line["rule"] == "CONJ" for p in line["premises"]}
        rule = add("CONJ", f"in every initial state: {written(starts)} implies {goal}")
        add("", f"{_applied(sorted(used), rule)}: {goal}")
        count = len(self.record["lines"])
        remark = f"{count:,} lines about single states, grouped. The rules: FAIL, SUCC, IND and CONJ of Peled and Zuck."
        return Section("The proof", remark, ("", "rule", ""), rows)

    def _instance(self, group: _Group, place: str) -> str:
        if group.rule == "SUCC":
            return f"{place}: every successor is one of the lines above"
        places = [f"x{node + 1} where {self._where(node, vertices)}" for node, vertices in _by_node(group.vertices)]
        return f"{'; '.join(places)}: no run stays here, {self._reason(group.line['missed'])}"

    def _reason(self, missed: Mapping[str, Any]) -> str:
        if "until" in missed:
            return f"as {written(from_json(missed['until']))} would be put off for ever"
        if "weak" in missed:
            return f"as process {missed['weak']} could always move and never does ([]<> of its weak fairness)"
        process, parts = missed["strong"], [part for part in missed["parts"] if part["missed"] is not None]
        text = f"as process {process} never moves, so that a strongly fair run leaves the states where it could"
        reasons = "; ".join(self._reason(part["missed"]) for part in parts)
        return f"{text}, and in what remains {reasons}" if reasons else text

    def ranks(self) -> Section:
        width = max(1, max((group.rank for group in self.groups), default=0).bit_length())
        vertices: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for group in self.groups:
            for node, state in group.vertices:
                vertices.setdefault((node, group.rank), []).append((node, state))
        rows = [
            (f"x{node + 1}", self._where(node, members), str(rank), format(rank, f"0{width}b"))
            for (node, rank), members in sorted(vertices.items(), key=lambda item: (item[0][1], item[0][0]))
        ]
        remark = "Every step to a new component makes it smaller; at 0 the node is refuted by its state alone."
        return Section("The ranking function", remark, ("node", "states", "rank", "bits"), rows)

    def bits(self) -> Section:
        rows = []
        for node, predicates in enumerate(self.record["ranking"]):
            if not self.whole[node]:
                continue
            weights: dict[Cube, int] = {}
            for bit, cubes in enumerate(predicates):
                predicate: Predicate = tuple(tuple((name, value) for name, value in cube) for cube in cubes)
                if predicate:
                    rows.append((f"x{node + 1}", f"bit {bit}", self._predicate(predicate)))
                for cube in predicate:
                    weights[cube] = weights.get(cube, 0) + (1 << bit)
            exact = self._disjoint(node, predicates)
            if exact:
                terms = [_weighted(weight, cube) for cube, weight in weights.items()][:_CUBES_SHOWN]
                more = f" + ... ({len(weights) - _CUBES_SHOWN} more)" if len(weights) > _CUBES_SHOWN else ""
                rows.append((f"x{node + 1}", "rank", (" + ".join(terms) or "0") + more))
        remark = "The bits of the rank as predicates of the state; conditions count as 1 where they are true."
        return Section("The ranking function as a formula", remark, ("node", "", ""), rows)

    def _disjoint(self, node: int, predicates: Sequence[Any]) -> bool:
        """Are the cubes of each bit disjoint, so that they can be added up?"""
        for cubes in predicates:
            seen = 0
            for cube in cubes:
                covered = self.describing.cover(tuple(map(tuple, cube)), self.whole[node])
                if seen & covered:
                    return False
                seen |= covered
        return True

    # --- groups and predicates ----------------------------------------------------------------------------------------

    def _groups(self) -> list[_Group]:
        """Lines of the same rule, node and rank together; those that others rest on first."""
        found: dict[tuple[Any, ...], _Group] = {}
        for number, line in enumerate(self.record["lines"]):
            if line["rule"] == "CONJ":
                continue
            vertices = [(node, state) for node, state in line["at"]]
            node, rank = vertices[0][0], line["rank"]
            key = (line["rule"], node, rank, number if line["rule"] == "IND" else 0)
            group = found.setdefault(key, _Group(line["rule"], node, rank, [], set(), [], line))
            group.numbers.append(number)
            group.vertices.extend(vertices)
            group.premises.update(line.get("premises", ()))
        return sorted(found.values(), key=lambda group: (group.rank, group.node))

    def _where(self, node: int, vertices: Sequence[tuple[int, int]]) -> str:
        on = sum(1 << state for other, state in vertices if other == node)
        return self._predicate(self.describing.predicate(on, self.whole[node] & ~on))

    def _predicate(self, predicate: Predicate) -> str:
        if not predicate:
            return "false"
        if predicate == ((),):
            return "true"
        texts = [_cube(cube) for cube in predicate[:_CUBES_SHOWN]]
        if len(predicate) > 1:
            texts = [f"({text})" if " && " in text else text for text in texts]
        more = f" || ... ({len(predicate) - _CUBES_SHOWN} more)" if len(predicate) > _CUBES_SHOWN else ""
        return " || ".join(texts) + more


def _by_node(vertices: Sequence[tuple[int, int]]) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    for node, members in groupby(sorted(vertices), key=lambda vertex: vertex[0]):
        yield node, list(members)


def _all(terms: frozenset[Term]) -> str:
    return written(joined("and", terms))


def _applied(premises: Sequence[int], rule: int) -> str:
    lines = ", ".join(map(str, premises))
    if len(premises) > 1:
        return f"lines {lines} applied to {rule}"
    return f"line {lines} applied to {rule}" if premises else f"by {rule}"


def _cube(cube: Cube) -> str:
    return " && ".join(_literal(name, value) for name, value in cube) or "true"


def _literal(name: str, value: str | None) -> str:
    if name == NUMBER:
        return f"state {int(value or 0) + 1}"
    if value is None:
        return f"no {name}"
    return f"{name[:-1]} at {value}" if name.endswith("@") else f"{name} = {value}"


def _weighted(weight: int, cube: Cube) -> str:
    if not cube:
        return str(weight)
    return f"({_cube(cube)})" if weight == 1 else f"{weight} * ({_cube(cube)})"
