"""``STDIN``: what a simulation reads.

The input and how much of it has been read are variables of the program, so that a run can be repeated. ``STDIN?c``
takes the next character and waits for ever at the end. In a verification there is no input: the channel is not
initialised.
"""

from __future__ import annotations

from kripke.languages.promela import syntax
from kripke.languages.promela.lowering.declarations import Storage
from kripke.languages.promela.lowering.expressions import Context
from kripke.languages.promela.lowering.symbols import BASIC_TYPES, Scope, Symbol, components
from kripke.model.source import NOWHERE
from kripke.process.program import Scope as Reach
from kripke.process.program import Variable

#: characters that are read at most
LONGEST_INPUT = 1 << 16
# Names that no model can have.
_TEXT, _READ = "STDIN text", "STDIN read"


def provide_input(scope: Scope, storage: Storage, text: str) -> None:
    """Declare the input; one character more, which is never read, makes an empty one an array, too."""
    codes = (*text.encode("latin-1", "replace")[:LONGEST_INPUT], 0)
    byte, number = BASIC_TYPES["byte"], BASIC_TYPES["int"]
    size = len(codes)
    parts = tuple(components(byte, size))
    input_ = Variable(_TEXT, Reach.GLOBAL, "byte", parts, size, codes, False, NOWHERE, kept=True, shown=False)
    read = Variable(_READ, Reach.GLOBAL, "int", tuple(components(number, None)), 4, (0,), True, NOWHERE, kept=True)
    storage.variables += [input_, read]
    scope.symbols[_TEXT] = Symbol(_TEXT, byte, size, input_, read=True)
    scope.symbols[_READ] = Symbol(_READ, number, None, read, read=True)


def reading(context: Context, scope: Scope, node: syntax.Receive) -> syntax.DStep | None:
    """``STDIN?c`` as a step that takes the next character; None where there is nothing to read it from."""
    stdin, text = scope.find("STDIN"), scope.find(_TEXT)
    if stdin is None or stdin.is_local or stdin.channels:
        return None
    if text is None or text.count is None:
        context.warn("STDIN can be read in a simulation only (kripke simulate)", node.span)
        return None
    span = node.span
    if node.anywhere or node.peek or not all(isinstance(argument, syntax.Reference) for argument in node.arguments):
        raise context.fail("STDIN is read into variables only: STDIN?c", span)
    position = syntax.Reference(_READ, span=span)
    end = syntax.Constant(text.count - len(node.arguments), span=span)
    enough = syntax.ExpressionStatement(syntax.Binary("<", position, end, span=span), span=span)
    steps: list[syntax.Statement] = [enough]
    for argument in node.arguments:
        assert isinstance(argument, syntax.Reference)
        steps.append(syntax.Assignment(argument, syntax.Reference(_TEXT, position, span=span), span=span))
        steps.append(syntax.Increment(position, span=span))
    return syntax.DStep(tuple(steps), span=span)
