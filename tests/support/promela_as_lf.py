"""A Promela model and what ``emit --lf`` makes of it: their verdicts must be the same."""

from __future__ import annotations

from pathlib import Path
from random import Random

from kripke.engines.explicit.safety import check
from kripke.engines.plan import SearchPlan
from kripke.languages import promela
from kripke.languages.lf import load as load_lf
from kripke.model.source import ModelError

MOST_STATES = 60_000


def kinds(model: object, most: int) -> frozenset[str] | None:
    """The sorts of errors; None where the space is too large."""
    result = check(model, SearchPlan(all_errors=True, max_states=most))  # type: ignore[arg-type]
    return frozenset(one.kind for one in result.findings) if result.complete else None


def compare(text: str, folder: Path, most: int = MOST_STATES) -> str:
    """What came of it: "refused", "large", or the errors both have. AssertionError where they differ."""
    file, twin = folder / "m.pml", folder / "m.lf"
    file.write_text(text)
    model = promela.load(str(file))
    (form,) = promela.LANGUAGE.forms
    try:
        twin.write_text(form.write(model, form).text)
    except ModelError as refusal:
        assert refusal.span is not None and str(refusal.message).startswith("--lf: "), refusal
        return "refused"
    expected, found = kinds(model, most), kinds(load_lf(str(twin)), 8 * most)
    if expected is None or found is None:
        return "large"
    if "assertion" in expected:  # behind a failed assertion Promela goes on, and LF does not
        assert "assertion" in found, text
    else:
        assert found == expected, (sorted(found), sorted(expected), text)
    return ", ".join(sorted(expected)) or "holds"


def random_model(seed: int) -> str:
    """Processes with rendezvous, buffers, atomic sequences and conditions on shared variables."""
    choose = Random(seed)
    count = choose.randint(2, 3)
    lines = ["byte x, y;", "bool b;", "short s[3];", "typedef pair { byte a; bool c };", "pair p;"]
    capacity = choose.choice((0, 0, 1, 2))
    lines.append(f"chan c = [{capacity}] of {{ byte, bool }};")
    lines.append("chan d[2] = [0] of { mtype };" if choose.random() < 0.5 else "chan d[2] = [1] of { mtype };")
    lines.insert(0, "mtype = { red, green };")
    for number in range(count):
        body = [_statement(choose, 2) for _ in range(choose.randint(1, 4))]
        text = ";\n\t".join(body)
        if choose.random() < 0.3:
            text = f"do\n\t:: {text}\n\t:: x > 2 -> break\n\tod"
        lines.append(f"active proctype P{number}() {{\n\tbyte v, w; mtype m; bool t;\n\t{text}\n}}")
    return "\n".join(lines) + "\n"


def _expression(choose: Random) -> str:
    return choose.choice(
        ("x", "y", "v", "w", "v + 1", "x + v", "x % 3", "(v + 2) / 2", "s[v % 3]", "p.a", "x - y", "v & 3", "_pid", "b")
    )


def _condition(choose: Random) -> str:
    one = _expression(choose)
    return choose.choice(
        (f"{one} > {choose.randint(0, 2)}", f"{one} == {choose.randint(0, 2)}", "b", "!b", "t || x < 2", "b && v == 0")
    )


def _assignment(choose: Random) -> str:
    target = choose.choice(("x", "y", "v", "w", "s[1]", "s[v % 3]", "p.a"))
    return choose.choice(
        (f"{target} = {_expression(choose)}", "x++", "v++", "b = !b", f"t = ({_condition(choose)})", "p.c = b")
    )


def _statement(choose: Random, depth: int) -> str:
    kind = choose.randint(0, 11)
    if kind < 4 or depth == 0:
        return _assignment(choose)
    if kind == 4:
        return f"({_condition(choose)})"
    if kind == 5:
        return f"assert({_condition(choose)} || x < 3)"
    if kind == 6:
        return choose.choice(("c!v,t", "c!1,true", "d[0]!red", "d[1]!green"))
    if kind == 7:
        return choose.choice(("c?v,t", "c?w,_", "c?1,t", "d[0]?m", "d[1]?green", "c?eval(w),t"))
    inner = f"{_statement(choose, 0)}; {_statement(choose, depth - 1)}"
    if kind == 8:
        return f"atomic {{ {_statement(choose, depth - 1)}; {inner} }}"
    if kind == 9:
        return f"d_step {{ {_assignment(choose)}; {_assignment(choose)} }}"
    first, second = _condition(choose), choose.choice(("else", _condition(choose), _assignment(choose)))
    if kind == 10:
        return f"if\n\t:: {first} -> {inner}\n\t:: {second}\n\tfi"
    return f"if\n\t:: {_statement(choose, depth - 1)}; v = 0\n\t:: {_statement(choose, depth - 1)}\n\tfi"
