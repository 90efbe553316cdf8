"""Random charts as SCXML: nested and parallel states, history, delays, own events, conditions, assignments."""

from __future__ import annotations

import random
from itertools import count


def random_chart(seed: int) -> str:
    return _Chart(random.Random(seed)).text()


class _Chart:
    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.numbers = count()
        self.names: list[str] = []
        self.histories: list[str] = []

    def text(self) -> str:
        body = "\n".join(self.state(0) for _ in range(self.chance.randint(2, 3)))
        if self.chance.random() < 0.5:
            body += f'\n<final id="f{next(self.numbers)}"/>'
        for name in self.names:
            body = body.replace(f"@{name}@", self.transitions(name))
        return (
            '<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0">\n'
            '<datamodel><data id="x" expr="0"/><data id="b" expr="false"/></datamodel>\n' + body + "\n</scxml>\n"
        )

    def state(self, depth: int) -> str:
        name = f"s{next(self.numbers)}"
        self.names.append(name)
        roll = self.chance.random()
        inner, kind, more = "", "state", ""
        if depth < 3 and roll < 0.45:
            inner = "".join(self.state(depth + 1) for _ in range(self.chance.randint(1, 2)))
            if self.chance.random() < 0.4:
                inner += f'<final id="f{next(self.numbers)}"/>'
        elif depth < 3 and roll < 0.65:
            kind = "parallel"
            inner = "".join(self.region(depth + 1) for _ in range(2))
        if inner and self.chance.random() < 0.4:
            history = f"h{next(self.numbers)}"
            self.histories.append(history)
            type_ = self.chance.choice(["shallow", "deep"])
            default = f'<transition target="s{int(name[1:]) + 1}"/>'
            more = f'<history id="{history}" type="{type_}">{default}</history>'
        blocks = ""
        if self.chance.random() < 0.4:
            blocks += f"<onentry>{self.actions()}</onentry>"
        if self.chance.random() < 0.3:
            blocks += f"<onexit>{self.actions()}</onexit>"
        return f'<{kind} id="{name}">{blocks}@{name}@{more}{inner}</{kind}>'

    def region(self, depth: int) -> str:
        name = f"s{next(self.numbers)}"
        self.names.append(name)
        inner = "".join(self.state(depth + 1) for _ in range(self.chance.randint(1, 2)))
        if self.chance.random() < 0.5:
            inner += f'<final id="f{next(self.numbers)}"/>'
        return f'<state id="{name}">@{name}@{inner}</state>'

    def transitions(self, name: str) -> str:
        found = []
        for _ in range(self.chance.randint(0, 2)):
            event = self.chance.choice(["a", "b", "c", "own", "late", "a own", "done.state", "*"])
            given = f' event="{event}"'
            if self.chance.random() < 0.08:
                given = f' cond="x == {self.chance.randint(2, 3)}"'
            elif self.chance.random() < 0.4:
                given += f' cond="{self.condition()}"'
            if self.chance.random() < 0.85:
                given += f' target="{self.chance.choice(self.names + self.histories)}"'
            if self.chance.random() < 0.3:
                given += ' type="internal"'
            found.append(f"<transition{given}>{self.actions() if self.chance.random() < 0.5 else ''}</transition>")
        return "".join(found)

    def condition(self) -> str:
        some = self.chance.choice(self.names)
        return self.chance.choice(
            ["b", "!b", "x &lt; 2", "x == 1 || b", f"In('{some}')", "x % 2 === 0", "b ? x &gt; 1 : x != 3", "x - 1"]
        )

    def actions(self) -> str:
        picked = self.chance.choices(
            [
                '<assign location="x" expr="(x + 1) % 4"/>',
                '<assign location="x" expr="0"/>',
                '<assign location="b" expr="!b"/>',
                '<raise event="own"/>',
                '<send event="own"/>',
                '<send event="late" delay="2s" id="t"/>',
                '<send event="a" delay="1s"/>',
                '<cancel sendid="t"/>',
                f'<if cond="{self.condition()}"><assign location="x" expr="3"/><else/><raise event="c"/></if>',
                '<log expr="x"/>',
                '<assign location="x" expr="(x + 3) * 7 % 5"/>',
            ],
            [4, 3, 4, 1, 1, 1, 1, 2, 2, 1, 2],
            k=self.chance.randint(1, 2),
        )
        return "".join(picked)
