"""Random systems of modes, as text: nested, with shared definitions, history, group transitions, pauses, errors."""

from __future__ import annotations

import random


def random_modes(seed: int, *, apart: bool = False) -> str:
    """One to three top-level modes over shared variables; ``apart``: each has some of its own. Every third system has
    modes that override the way back."""
    chance = random.Random(seed)
    overrides = seed % 3 == 2
    modes = [_mode(chance, number, list(range(number)), overrides) for number in range(chance.randint(2, 4))]
    inner = list(range(len(modes)))
    tops, text = [], []
    for number in range(chance.randint(1, 3)):
        modes.append(_mode(chance, len(modes), inner, overrides, top=True))
        start = chance.choice(["", "initialised "])
        bound = f"(x = x{number}, q = q{number})" if apart else ""
        tops.append(f"  {start}t{number}: M{len(modes) - 1}{bound};")
    if apart:
        text += [f"var x{number}: 0..3 = 1;\nvar q{number}: array[2] of 0..3;" for number in range(len(tops))]
    text.append("var x: 0..3 = 1;\nvar b: bool;\nvar q: array[2] of 0..3 = {0, 1};")
    text += modes
    text.append("system {\n" + "\n".join(tops) + "\n}")
    if chance.random() < 0.5:
        text.append("invariant small: x < 3 | b;")
    return "\n\n".join(text) + "\n"


def _mode(chance: random.Random, number: int, inner: list[int], overrides: bool, *, top: bool = False) -> str:
    lines = [
        f"mode M{number} {{",
        "  read write x: 0..3;",
        "  read write b: bool;",
        "  local u: 0..2 = 0;",
        "  read write q: array[2] of 0..3;",
        "  local r: array[3] of bool;",
    ]
    points = [f"p{i}" for i in range(chance.randint(1, 3))]
    lines.append(f"  point {', '.join(points)};")
    if not top:
        lines.append("  entry i;  exit o;")
    instances = [f"m{i}" for i in range(chance.randint(0, 2))] if inner else []
    lines += [f"  submode {name}: M{chance.choice(inner)};" for name in instances]
    sources = points + [f"{m}.o" for m in instances] + instances
    targets = points + [f"{m}.i" for m in instances] + instances + ["dx"]
    for entry in ["de"] if top else ["de", "i"]:
        for _ in range(chance.randint(1, 2)):
            target = chance.choice([t for t in targets if t != "dx"])
            lines.append(f"  {entry} -> {target}{_guard(chance, False)}{_actions(chance, True)};")
    for _ in range(chance.randint(0, 2) if overrides else 0):
        target = chance.choice(targets if top else [*targets, "o"])
        lines.append(f"  override de -> {target}{_guard(chance, False)}{_actions(chance, target != 'o')};")
    for _ in range(chance.randint(2, 7)):
        source = chance.choice(sources)
        target = chance.choice(targets if top else [*targets, "o"])
        pause = " pause" if target in points and chance.random() < 0.3 else ""
        lines.append(f"  {source} -> {target}{_guard(chance, True)}{_actions(chance, target != 'o')}{pause};")
    return "\n".join([*lines, "}"])


def _guard(chance: random.Random, local: bool) -> str:
    choices = ["", " when b", " when !b", " when x > 0", " when x < 3", " when x = 2 | b", " when 6 / x > 2"]
    if local:
        choices += [" when u < 2", " when u = x", " when u != 1 & b"]
        choices += [" when r[u]", " when q[u % 2] = x"]
    choices += [" when q[1] > 0"]
    weights = [1] * len(choices)
    weights[6] = 0 if chance.random() < 0.8 else 1
    return chance.choices(choices, weights)[0]


def _actions(chance: random.Random, local: bool) -> str:
    choices = ["x := 0", "x := 3", "b := !b", "b := x = 1", "x := x > 0 ? x - 1 : 3", "x := (x + 1) % 4"]
    if chance.random() < 0.1:
        choices.append("x := x + 1")
    choices += ["q[x % 2] := x", "q[0] := q[1]"]
    if chance.random() < 0.05:
        choices.append("q[x] := 0")
    if local:
        choices += ["u := 1", "u := 2", "u := x % 3", "r[x % 3] := b"]
    picked = chance.sample(choices, chance.randint(0, 2))
    return f" do {', '.join(picked)}" if picked else ""
