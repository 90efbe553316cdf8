"""Random UML machines as PlantUML: regions that react together and in conflict, choices, history, deferred events,
completion, effects whose order matters."""

from __future__ import annotations

import random

from tests.support.sismic_twin import Box, Machine


def random_uml(seed: int) -> str:
    chance = random.Random(seed)
    machine = Machine(seed)
    lines = machine.plantuml().splitlines()[:-1]
    names = [box.name for box in machine.boxes]
    for number in range(chance.randint(1, 5)):
        source, target = chance.choice(names), chance.choice(names)
        effect = chance.choice([" / x = x * 2 % 5", " / x = 1", " / x += 1; ^own", ""])
        lines.append(f"{source} --> {target} : {chance.choice('abc')}{effect}")
        if number == 2:
            lines.append(f"{chance.choice(names)} : {chance.choice('bc')} / defer")
    composite = [box for box in machine.boxes if box.kind == "compound"]
    if composite and chance.random() < 0.6:
        box: Box = chance.choice(composite)
        lines.append(f"{chance.choice(names)} --> {box.name}[H{chance.choice(['', '*'])}] : c")
    if chance.random() < 0.6:
        one, other, source = (chance.choice(machine.root.children).name for _ in range(3))
        lines += ["state ch <<choice>>", f"{source} --> ch : a / x = x + 1"]
        lines.append(f"ch --> {one} : [x % 2 == 0]")
        lines.append(f"ch --> {other} : [{chance.choice(['else', 'x > 1'])}] / x = 0")
    if chance.random() < 0.3:
        lines.append(f"{chance.choice(names)} --> {chance.choice(names)} : [x == 3] / x = 4")
    return "\n".join([*lines, "@enduml"]) + "\n"
