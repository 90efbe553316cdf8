"""Lemmas of a proof as text: what each rests on, what rests on it, and the step that breaks it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any


def lemma_lines(lemmas: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    width = max(len(lemma["name"]) for lemma in lemmas)
    yield "lemmas:"
    for lemma in lemmas:
        text = lemma["sort"]
        if lemma["needs"]:
            text = f"inductive relative to {', '.join(lemma['needs'])}"
        if lemma["without"]:
            text += f"; without it {', '.join(lemma['without'])} would not be shown"
        yield f"  {lemma['name']:{width}}  {text}"
        if "before" in lemma:
            before, after = lemma["before"], lemma["after"]
            yield f"  {'':{width}}  from: {_state(before)}"
            changed = {name: value for name, value in after.items() if before.get(name) != value}
            yield f"  {'':{width}}  to:   {_state(changed) or 'the same state'}"


def _state(state: Mapping[str, str]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in state.items())
