"""What a model declares and never uses, and channels that only one side uses.

Works on the syntax tree, by names: a name that occurs anywhere it could mean the declared thing counts as a use, in C
code too. So nothing is reported that is used; a thing may go unreported because another of the same name is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kripke.languages.promela import syntax
from kripke.languages.promela.node import Node, walk
from kripke.model.source import Diagnostic, Span

_WORD = re.compile(r"[A-Za-z_]\w*")


def find_unused(module: syntax.Module, mentioned: frozenset[str] = frozenset()) -> list[Diagnostic]:
    """Warnings in the order of the text. ``mentioned``: names used from outside, in invariants and the like."""
    uses = _Uses(module, mentioned)
    found: list[Diagnostic] = []
    for item in module.items:
        found += _of_item(item, uses)
    return found


def find_one_sided(module: syntax.Module) -> list[Diagnostic]:
    """Channels that are only sent to, or only received from."""
    # Claims look, they take no message.
    claims = (syntax.Never, syntax.Trace, syntax.Ltl)
    nodes = [node for item in module.items if not isinstance(item, claims) for node in walk(item)]
    declared = [node for node in nodes if isinstance(node, syntax.Declaration)]
    if not any(isinstance(v.initial, syntax.ChannelInitializer) for each in declared for v in each.variables):
        return []
    channels = _Channels(nodes)
    return [warning for declaration in declared for warning in channels.one_sided(declaration)]


# --- unused -----------------------------------------------------------------------------------------------------------


class _Uses:
    """The names that occur in a module."""

    def __init__(self, module: syntax.Module, mentioned: frozenset[str]) -> None:
        self.names = set(mentioned)  # anywhere
        self.local: dict[int, set[str]] = {}  # by item
        self.remote: set[str] = set()  # variables asked for from outside their process
        self.types: set[str] = set()
        self.run: set[str] = set()
        self.called: set[str] = set()
        inlines = {item.name: item for item in module.items if isinstance(item, syntax.Inline)}
        for item in module.items:
            names = self.local[id(item)] = set(mentioned)
            for node in walk(item):
                names |= self._of_node(node, inlines)
            self.names |= names

    def _of_node(self, node: Node, inlines: dict[str, syntax.Inline]) -> set[str]:
        match node:
            case syntax.Reference(name):
                return {name}
            case syntax.RemoteVariable(process, _, variable):
                self.remote.add(variable.name)
                self.run.add(process)
            case syntax.RemoteLabel(process):
                self.run.add(process)
            case syntax.Run(process):
                self.run.add(process)
            case syntax.TypeName(name):
                self.types.add(name)
            case syntax.InlineCall(name):
                self.called.add(name)
            case syntax.Inline(_, _, words):
                # What only an inline that nobody calls mentions is not reported beside it.
                self.called |= words & inlines.keys()
                self.run |= words
                self.types |= words
                return set(words)
            case syntax.CCode(text, condition) | syntax.CExpression(text, condition):
                return self._of_c(text + " " + (condition or ""))
            case syntax.CDeclaration(text):
                return self._of_c(text)
            case syntax.CState(text, scope, initial) | syntax.CTrack(text, scope, initial):
                return self._of_c(f"{text} {scope} {initial or ''}")
        return set()

    def _of_c(self, text: str) -> set[str]:
        words = set(_WORD.findall(text))
        self.remote |= words  # C code reaches the variables of every process
        self.types |= words
        return words


def _of_item(item: syntax.Item, uses: _Uses) -> Iterator[Diagnostic]:
    match item:
        case syntax.Typedef(name):
            if name not in uses.types:
                yield _unused("typedef", f"type '{name}' is never used", item.span)
        case syntax.MtypeDeclaration(names):
            unused = [f"'{name}'" for name in names if name not in uses.names]
            if len(unused) == 1:
                yield _unused("mtype", f"mtype value {unused[0]} is never used", item.span)
            elif unused:
                message = f"mtype values {', '.join(unused[:-1])} and {unused[-1]} are never used"
                yield _unused("mtype", message, item.span)
        case syntax.Declaration():
            yield from _variables(item, uses.names)
        case syntax.Inline(name, parameters, words):
            if name not in uses.called:
                yield _unused("inline", f"inline '{name}' is never called", item.span)
            for parameter in parameters:
                if parameter not in words:
                    yield _unused("parameter", f"parameter '{parameter}' of inline '{name}' is never used", item.span)
        case syntax.Proctype(name, parameters, body):
            if item.active is None and name not in uses.run:
                yield _unused("proctype", f"proctype '{name}' is never run", item.span)
            used = uses.local[id(item)] | uses.remote
            for declaration in parameters:
                for variable in declaration.variables:
                    if variable.name not in used:
                        message = f"parameter '{variable.name}' of '{name}' is never used"
                        yield _unused("parameter", message, variable.span)
            yield from _locals(body, used)
        case syntax.Init(body):
            yield from _locals(body, uses.local[id(item)] | uses.remote)


def _locals(body: tuple[syntax.Statement, ...], names: set[str]) -> Iterator[Diagnostic]:
    # The body of an inline stands at every call.
    found = {node.span: node.declaration for node in walk(body) if isinstance(node, syntax.DeclarationStatement)}
    for _, declaration in sorted(found.items(), key=lambda item: (item[0].line, item[0].column)):
        yield from _variables(declaration, names)


def _variables(declaration: syntax.Declaration, names: set[str]) -> Iterator[Diagnostic]:
    for variable in declaration.variables:
        if variable.name not in names:
            yield _unused("variable", f"variable '{variable.name}' is never used", variable.span)


def _unused(what: str, message: str, span: Span) -> Diagnostic:
    return Diagnostic(message, span, category=f"unused-{what}")


# --- channels ---------------------------------------------------------------------------------------------------------


#: Nodes of which there are many, and that tell nothing of channels.
_WITHOUT_CHANNELS = frozenset((syntax.Reference, syntax.Constant, syntax.Option, syntax.ExpressionStatement))


class _Channels:
    """Which names are sent to, received from, and used in ways that hide what happens to the channel."""

    def __init__(self, nodes: list[Node]) -> None:
        self.sent: set[str] = set()
        self.received: set[str] = set()
        self.other: set[str] = set()
        for node in nodes:
            if type(node) not in _WITHOUT_CHANNELS:
                self._note(node)

    def _note(self, node: Node) -> None:
        match node:
            case syntax.Send(channel, arguments):
                self.sent.add(channel.name)
                self._values(arguments)
            case syntax.Receive(channel, arguments):
                self.received.add(channel.name)
                self._values(arguments)
            case syntax.Run(_, arguments) | syntax.InlineCall(_, arguments):
                self._values(arguments)
            case syntax.Assignment(target, value):
                self.other.add(target.name)
                self._values((value,))
            case syntax.Variable(_, _, _, initial):
                self._values((initial,))
            case syntax.ForIn(variable, collection):
                self.other |= {variable.name, collection.name}
            case syntax.Eval(expression):
                self._values((expression,))
            case syntax.Binary(_, left, right):
                self._values((left, right))
            case syntax.Conditional(_, then, otherwise):
                self._values((then, otherwise))
            case syntax.Inline(_, _, words):
                self.other |= words
            case syntax.CCode(text) | syntax.CExpression(text) | syntax.CDeclaration(text):
                self.other |= set(_WORD.findall(text))

    def _values(self, values: tuple[object, ...]) -> None:
        self.other |= {value.name for value in values if isinstance(value, syntax.Reference)}

    def one_sided(self, declaration: syntax.Declaration) -> Iterator[Diagnostic]:
        for variable in declaration.variables:
            name = variable.name
            if not isinstance(variable.initial, syntax.ChannelInitializer) or name in self.other:
                continue
            if name in self.sent and name not in self.received:
                message = f"nothing is ever received from channel '{name}'"
                yield Diagnostic(message, variable.span, category="never-received")
            elif name in self.received and name not in self.sent:
                message = f"nothing is ever sent to channel '{name}'"
                yield Diagnostic(message, variable.span, category="never-sent")
