"""Constructs of random programs beyond the core: escapes, priorities, questions about others, loops over messages."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from tests.spin.terms import Channel, Line, Scope, Struct, Terms


@dataclass
class Body:
    """What is known of the body being generated."""

    scope: Scope
    budget: int
    labels: list[str] = field(default_factory=list)
    jumps: list[Line] = field(default_factory=list)
    loops: int = 0
    in_atomic: bool = False
    in_step: bool = False
    in_inline: bool = False


class Constructs:
    """Makes them; the rest of a program is made by ``generator.Generator``."""

    random: Random
    features: set[str]
    terms: Terms
    globals: Scope
    seen_labels: list[tuple[str, str]]
    seen_variables: list[tuple[str, str]]

    # --- what the rest of the generator does --------------------------------------------------------------------------

    def has(self, feature: str) -> bool:
        raise NotImplementedError

    def chance(self, probability: float) -> bool:
        raise NotImplementedError

    def _inner(self, body: Body, most: int = 3) -> list[Line]:
        raise NotImplementedError

    def _channels(self, body: Body) -> list[Channel]:
        raise NotImplementedError

    def _make(self, kind: str, body: Body) -> Line:
        raise NotImplementedError

    # --- processes ----------------------------------------------------------------------------------------------------

    def _watchers(self) -> list[Line]:
        """Processes that ask about others."""
        found: list[Line] = []
        if self.has("remote labels") and self.seen_labels:
            found.append(self._watcher([f"{process}@{label}" for process, label in self.seen_labels]))
        if self.has("remote variables") and self.seen_variables:
            asked = [f"({process}:{name} {self.random.choice(('==', '<'))} 1)" for process, name in self.seen_variables]
            found.append(self._watcher(asked, "Observer"))
        if self.has("enabled"):
            found.append(
                self._watcher(["enabled(0)", "!enabled(1)", "(pc_value(0) > 3)", "(pc_value(1) == 2)"], "Asker")
            )
        return found

    def _watcher(self, questions: list[str], name: str = "Watcher") -> Line:
        asked = [self.random.choice(questions) for _ in range(self.random.randint(1, 2))]
        test = self.random.choice((" && ", " || ")).join(asked)
        statement = self.random.choice((f"assert(!({test}));", f"({test});", f"!({test});"))
        return Line(f"active proctype {name}() {{", [Line(statement)], "}")

    def _header(self) -> str:
        """What a process type says about when its processes move."""
        text = ""
        if self.has("priorities") and self.chance(0.5):
            text += f" priority {self.random.randint(1, 3)}"
        if self.has("provided") and self.chance(0.5):
            condition = self.terms.condition(self.globals, queries=False)
            text += f" provided ({self.random.choice((condition, '_pid < 2', '_nr_pr > 1'))})"
        return text

    def _boxes(self) -> list[Line]:
        """Structures with channels in them, handed over to other processes."""
        capacities = (1, 2) if self.features & {"priorities", "enabled"} else (0, 1, 2)
        start = self.random.choice(("", " = 2"))
        fields = [Line(f"chan c = [{self.random.choice(capacities)}] of {{ byte }};"), Line(f"byte n{start};")]
        typedef = Line("typedef Box {", fields, "};")
        inside = [self._with_box("p") for _ in range(self.random.randint(1, 3))]
        taker = Line("proctype Taker(Box p; byte z) {", [*self._box_locals("p.n"), *inside], "}")
        start = "run Taker(b, 1);" if self.chance(0.5) else "m = run Taker(b, n0);"
        around = [self._with_box("b") for _ in range(self.random.randint(1, 3))]
        body = [Line("Box b;"), Line("byte m, n0;"), Line(start), *around]
        if self.chance(0.4):
            body.insert(3, Line("run Taker(b, 2);"))
        return [typedef, taker, Line("active proctype Giver() {", body, "}")]

    def _box_locals(self, field: str) -> list[Line]:
        """A variable with a start value: whether it makes the creation of its process visible depends on it."""
        value = self.random.choice(("z", "1", "-1", "z + 1", field, "_pid"))
        return [Line(f"byte m = {value};")] if self.chance(0.6) else [Line("byte m;")]

    def _with_box(self, name: str) -> Line:
        choices = (f"{name}.c!m;", f"{name}.c?m;", f"{name}.n++;", f"m = {name}.n;", f"({name}.n < 3);", "m = 0;")
        return Line(self.random.choice(choices))

    # --- statements ---------------------------------------------------------------------------------------------------

    def _make_priority(self, body: Body) -> Line:
        # Of a process that exists: SPIN takes a vain call back as if it had changed something.
        pid, priority = self.random.choice(("_pid", "0", "_nr_pr - 1")), self.random.randint(1, 4)
        place = self.terms.place(body.scope, types=("byte", "int"))
        choices = [f"set_priority({pid}, {priority});", f"_priority = {priority};", f"(get_priority({pid}) < 3);"]
        if place is not None:
            choices.append(f"{place[0]} = get_priority({pid});")
        return Line(self.random.choice(choices))

    def _make_unless(self, body: Body) -> Line:
        escape = self._inner(body, 2)
        # An escape that starts with a choice of rendezvous: SPIN forgets that another option was possible.
        if self.chance(0.7) or (self.has("rendezvous") and escape[0].text in ("if", "do")):
            escape.insert(0, Line(f"{self.terms.condition(body.scope)};"))
        if self.chance(0.6):
            opening = self.random.choice(("{", "{", "atomic {") if self.has("atomic") else ("{",))
            # Where everything is a jump, SPIN does not compile the escape.
            main = [Line("skip;"), *self._inner(body, 3)]
            self.random.shuffle(main)
            return Line(opening, [*main, Line("} unless {"), *escape], "};")
        kinds = ["do", "if", "assign", "guard", *(["d_step"] if self.has("d_step") else [])]
        main = self._make(self.random.choice(kinds), body)
        # On one line: SPIN reads the end of a line as the end of the statement.
        if main.closing:
            main.closing = main.closing.rstrip(";") + " unless {"
        else:
            main.text = main.text.rstrip(";") + " unless {"
        return Line("{", [main, *escape, Line("};")], "};")

    def _make_message_loop(self, body: Body) -> Line:
        for channel in self._channels(body):
            struct = channel.signature.fields[0]
            if (
                channel.capacity < 1
                or channel.size
                or len(channel.signature.fields) > 1
                or not isinstance(struct, Struct)
            ):
                continue
            names = [v.name for v in body.scope.all_variables() if v.struct is struct and not v.size]
            if names:
                body.loops += 1
                children = self._inner(body, 2)
                body.loops -= 1
                return Line(f"for ({self.random.choice(names)} in {channel.name}) {{", children, "};")
        return Line("skip;")

    def _make_scratch_loop(self, body: Body) -> Line:
        self.features.discard("hidden")  # no such loop inside
        again = [Line("(scratch < 2);"), *self._inner(body, 2), Line("scratch++;")]
        self.features.add("hidden")
        loop = Line("do", [Line("::", again), Line("::", [Line("else;"), Line("break;")])], "od;")
        return Line("{", [Line("scratch = 0;"), loop], "};")
