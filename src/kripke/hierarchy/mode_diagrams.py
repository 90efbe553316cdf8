"""Pictures of modes: every mode of the system as nested boxes, its entry and exit points on bars."""

from __future__ import annotations

from kripke.hierarchy.modes import DEFAULT_ENTRY, ModeTransition
from kripke.hierarchy.tree import Node as Instance
from kripke.hierarchy.tree import Tree
from kripke.model.diagram import Arrow, Diagram, Node, shortened


def position_key(node: int, position: int) -> str:
    """What a picture calls a control point of an instance."""
    return f"position {node} {position}"


def mode_diagrams(tree: Tree) -> list[Diagram]:
    return [_inside(tree, tree.nodes[root], tree.nodes[root].name) for root in tree.roots]


def _inside(tree: Tree, instance: Instance, title: str = "") -> Diagram:
    definition = instance.definition
    nodes = []
    first = DEFAULT_ENTRY + 1
    for number, name in enumerate(definition.entries, start=first):
        nodes.append(Node(f"position {number}", (name,), "bar", key=position_key(instance.number, number)))
    for number, name in enumerate(definition.points, start=first + len(definition.entries)):
        nodes.append(Node(f"position {number}", (name,), key=position_key(instance.number, number)))
    for index, child in enumerate(instance.children):
        inner = tree.nodes[child]
        text = f"{definition.instances[index].name}: {inner.definition.name}"
        key = position_key(instance.number, definition.inside[index])
        nodes.append(Node(f"instance {index}", (text,), key=key, inside=_inside(tree, inner)))
    for number, name in enumerate(definition.exits):
        key = ""
        if instance.parent >= 0:  # control that rests there is the owner's
            owner = tree.nodes[instance.parent]
            key = position_key(owner.number, owner.definition.exits_of[instance.instance] + number)
        nodes.append(Node(f"exit {number}", (name,), "bar", key=key))
    if any(transition.target.kind == "default exit" for transition in definition.transitions):
        nodes.append(Node("default exit", ("dx",), "bar"))
    return Diagram(title, nodes, [_arrow(instance, transition) for transition in definition.transitions])


def _arrow(instance: Instance, transition: ModeTransition) -> Arrow:
    definition = instance.definition
    label = transition.name or (transition.text.partition(" when ")[2] if " when " in transition.text else "")
    if transition.overrides:
        label = f"override: {label}".rstrip(": ")
    plain, source_key, target_key = label, "", ""
    source: str | None = f"position {transition.source}"
    if transition.source == DEFAULT_ENTRY:
        source = None
    elif transition.source in definition.inside:
        source = f"instance {definition.inside.index(transition.source)}"
    elif transition.source >= len(definition.positions) - len(definition.inside) - _exits(instance):
        index = max(i for i, at in enumerate(definition.exits_of) if at <= transition.source)
        source = f"instance {index}"
        label = f"{transition.source_name.rpartition('.')[2]}: {label}".rstrip(": ")
        source_key = position_key(instance.number, transition.source)
    match transition.target.kind:
        case "position":
            target = f"position {transition.target.position}"
        case "exit":
            target = f"exit {transition.target.position}"
        case "default exit":
            target = "default exit"
        case _:
            target = f"instance {transition.target.instance}"
            if transition.target.kind == "entry":
                label = f"{label} → {transition.target_name.rpartition('.')[2]}".strip()
                target_key = position_key(instance.children[transition.target.instance], transition.target.position)
    label, plain = shortened(label, 40), shortened(plain, 40)
    return Arrow(source, target, label, source_key=source_key, target_key=target_key, plain=plain)


def _exits(instance: Instance) -> int:
    """The positions that are exit points of instances inside."""
    definition = instance.definition
    return len(definition.positions) - len(definition.inside) - 2 - len(definition.entries) - len(definition.points)
