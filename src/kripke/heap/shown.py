"""States for people: names of variables with their values as Python writes them, and where every thread is."""

from __future__ import annotations

from kripke.heap.memory import UNBOUND, Frame, Memory, Obj, Value
from kripke.heap.program import Class, FunctionConstant, Kind, Program

_DEEPEST = 4
_LONGEST = 200


class Shown:
    def __init__(self, program: Program) -> None:
        self.program = program

    def state(self, memory: Memory) -> dict[str, str]:
        shown: dict[str, str] = {}
        for name, value in zip(self.program.global_names, memory.globals, strict=True):
            if value is not UNBOUND and not isinstance(value, FunctionConstant | Class):
                shown[name] = self.value(value)
        for number, frame in enumerate(memory.frames):
            if frame is None:
                continue
            name = self.thread_name(memory, number)
            inner = self._own(frame)
            shown[f"{name}@"] = self._place(inner, frame)
            code = self.program.codes[inner.code]
            if code.library:
                continue
            for variable, value in zip(code.local_names, inner.locals, strict=True):
                if value is not UNBOUND and not variable.startswith(".") and "·" not in variable:
                    shown[f"{name}.{variable}"] = self.value(value)
        return shown

    def thread_name(self, memory: Memory, number: int) -> str:
        if number == 0:
            return "main"
        thread = memory.threads[number] if number < len(memory.threads) else None
        if not isinstance(thread, Obj):
            return f"thread:{number}"
        return f"{self._target(thread)}:{number}"

    def _target(self, thread: Obj) -> str:
        found: Class = thread.fields[0]
        if not found.library:
            return found.name
        for name, value in zip(found.layout, thread.fields[1:], strict=True):
            if self.program.names[name] == "_target":
                return self._function(value)
        return "thread"

    def _function(self, value: Value) -> str:
        if isinstance(value, Obj) and value.kind == Kind.BOUND:
            value = value.fields[0]
        if isinstance(value, Obj) and value.kind == Kind.FUNCTION:
            return self.program.codes[value.fields[0]].name
        return value.code.name if isinstance(value, FunctionConstant) else "thread"

    def _own(self, frame: Frame) -> Frame:
        """The innermost frame that is not of the library."""
        at: Frame | None = frame
        while at is not None:
            if not self.program.codes[at.code].library:
                return at
            at = at.back
        return frame

    def _place(self, frame: Frame, innermost: Frame) -> str:
        code = self.program.codes[frame.code]
        at = frame.pc if frame is innermost else frame.pc - 1
        statement = code.instructions[min(at, len(code.instructions) - 1)].statement
        if statement < 0:
            return code.name
        return f"line {self.program.statements[statement].span.line} ({code.name})"

    def value(self, value: Value, depth: int = 0) -> str:
        text = self._text(value, depth)
        return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."

    def _text(self, value: Value, depth: int) -> str:
        if value is UNBOUND:
            return "unbound"
        if isinstance(value, Class):
            return value.name
        if isinstance(value, FunctionConstant):
            return value.code.name
        if not isinstance(value, Obj):
            return repr(value)
        if depth > _DEEPEST:
            return "..."
        items = (
            []
            if value.kind == Kind.INSTANCE
            else [self._text(each, depth + 1) for each in value.fields[:40] if not isinstance(each, Frame)]
        )
        match value.kind:
            case Kind.TUPLE:
                return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
            case Kind.LIST:
                return f"[{', '.join(items)}]"
            case Kind.SET:
                return f"{{{', '.join(items)}}}" if items else "set()"
            case Kind.DICT:
                pairs = [f"{items[at]}: {items[at + 1]}" for at in range(0, len(items) - 1, 2)]
                return f"{{{', '.join(pairs)}}}"
            case Kind.INSTANCE:
                return self._instance(value, depth)
            case Kind.FUNCTION | Kind.BOUND:
                return self._function(value)
            case Kind.CELL:
                return items[0]
            case Kind.RANGE:
                return f"range({', '.join(items)})"
            case Kind.ITERATOR:
                return f"iterator({items[0]}, at {items[1]})"
        return "generator"

    def _instance(self, value: Obj, depth: int) -> str:
        found: Class = value.fields[0]
        names = [self.program.names[name] for name in found.layout]
        if found.name == "Thread" or any(name == "_target" for name in names):
            return f"<{self._target(value)}>"
        pairs = [
            f"{name.lstrip('_')}={self._text(each, depth + 1)}"
            for name, each in zip(names, value.fields[1:], strict=True)
            if each is not UNBOUND
        ]
        return f"{found.name}({', '.join(pairs)})"
