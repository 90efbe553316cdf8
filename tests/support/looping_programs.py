"""Random programs of processes that loop for ever, so that fairness matters: guards, rendezvous, atomic sequences."""

from __future__ import annotations

from random import Random


def looping_program(seed: int) -> str:
    chance = Random(seed)
    names = ("x", "y")

    def condition() -> str:
        return chance.choice(["true", f"{chance.choice(names)} {chance.choice(['==', '!='])} {chance.randrange(3)}"])

    def change() -> str:
        name = chance.choice(names)
        return f"{name} = {chance.choice([str(chance.randrange(3)), f'({name} + 1) % 3'])}"

    def option() -> str:
        kind = chance.random()
        if kind < 0.2:
            return f"atomic {{ {condition()} -> {change()}; {change()} }}"
        if kind < 0.35:
            return f"c{chance.choice('!?')}{chance.randrange(2)}"
        if kind < 0.45:
            return f"{condition()} -> c{chance.choice('!?')}1; {change()}"
        return f"{condition()} -> {change()}"

    processes = []
    for number in range(chance.randrange(2, 4)):
        options = " ".join(f":: {option()}" for _ in range(chance.randrange(1, 4)))
        processes.append(f"active proctype P{number}() {{ do {options} od }}")
    return "byte x, y;\nchan c = [0] of { bit };\n" + "\n".join(processes) + "\n"
