"""Random Promela programs: small, valid, and as nasty as the core language allows.

``generate(seed)`` gives the same text for the same seed. A program is a tree of lines, so that ``shrink.py`` can take
parts away. Every program stresses a few features together; loops count over small values so that state spaces stay
small. What SPIN itself gets wrong (see ``docs/languages/promela-differences.md``) is not generated.
"""

from __future__ import annotations

from itertools import takewhile
from random import Random

from tests.spin.constructs import Body
from tests.spin.families import FAMILIES, Families
from tests.spin.terms import Channel, Line, Scope, Signature, Struct, Terms, Variable

# Each program switches every feature on with this chance.
FEATURES = {
    "atomic": 0.5,
    "d_step": 0.3,
    "goto": 0.35,
    "labels": 0.35,
    "arrays": 0.35,
    "structs": 0.25,
    "inline": 0.25,
    "inner declarations": 0.4,
    "buffered": 0.5,
    "rendezvous": 0.35,
    "channel arrays": 0.2,
    "channel variables": 0.2,
    "local channels": 0.12,
    "run": 0.35,
    "loops over values": 0.3,
    "timeout": 0.15,
    "claims": 0.1,
    "formula": 0.15,
    "remote labels": 0.15,
    "assert": 0.4,
    "print": 0.35,
    "sorted": 0.2,
    "wide": 0.3,
    "shadow": 0.25,
    "blocking": 0.5,
    "unless": 0.3,
    "provided": 0.12,
    "priorities": 0.12,
    "enabled": 0.08,
    "last": 0.08,
    "hidden": 0.12,
    "message loops": 0.12,
    "remote variables": 0.1,
    "boxes": 0.1,
    "deterministic": 0.08,
    **FAMILIES,
}
_PLAIN_TYPES = ("bit", "bool", "byte", "byte", "byte", "short", "int", "unsigned", "pid", "mtype")
_IDLE = ("skip;", "true;", "1;", "(1);", "goto ?;", "assert(true);")
_FIELD_TYPES = ("byte", "byte", "bit", "bool", "short", "int", "mtype", "pid")


class Generator(Families):
    """Makes one program."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.features = {name for name, chance in FEATURES.items() if self.random.random() < chance}
        if self.random.random() < 0.3:  # nothing but control flow
            self.features -= {"buffered", "rendezvous", "channel variables", "structs", "wide", "local channels"}
            self.features |= {"atomic", "goto"}
        if self.features & {"priorities", "enabled"}:  # SPIN does not combine them with rendezvous
            self.features -= {"rendezvous"}
            self.features |= {"buffered"}
        if "message loops" in self.features:
            self.features |= {"structs", "buffered"}
        self.names = 0
        self.structs: list[Struct] = []
        self.signatures: list[Signature] = []
        self.terms = Terms(self.random, self.features)
        self.globals = Scope(None)
        self.inlines: list[tuple[str, int]] = []
        self.proctypes: list[tuple[str, list[Variable | Channel]]] = []
        self.seen_labels: list[tuple[str, str]] = []
        self.seen_variables: list[tuple[str, str]] = []

    # --- small choices ------------------------------------------------------------------------------------------------

    def has(self, feature: str) -> bool:
        return feature in self.features

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def fresh(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.names}"

    # --- the module ---------------------------------------------------------------------------------------------------

    def program(self) -> list[Line]:
        lines: list[Line] = [*self._macros(), Line("mtype = { red, green, blue };")]
        if self.has("structs"):
            lines += [self._typedef() for _ in range(self.random.randint(1, 2))]
        self.signatures = [self._signature() for _ in range(self.random.randint(1, 3))]
        lines += self._global_variables()
        lines += self._global_channels()
        if self.has("inline"):
            lines += [self._inline() for _ in range(self.random.randint(1, 2))]
        count = self.random.choice((1, 2, 2, 2, 3))
        with_init = self.has("run") or self.chance(0.2)
        bodies = []
        for number in range(count):
            bodies.append(self._proctype(f"P{number}", active=not with_init or self.chance(0.5)))
        self.random.shuffle(bodies)
        lines += bodies
        if with_init:
            lines.insert(len(lines) - self.random.randint(0, count), self._init())
        lines += self._watchers()
        if self.has("boxes"):
            lines += self._boxes()
        lines += self._families()
        if self.has("formula"):
            formula = self.terms.condition(self.globals, queries=False)
            if "->" not in formula:  # there, it is no conditional expression
                lines.append(Line(f"ltl {{ [] ({formula}) }}"))
        return lines

    def _typedef(self) -> Line:
        name = self.fresh("T")
        struct = Struct(name)
        children = []
        for _ in range(self.random.randint(1, 3)):
            if self.structs and self.chance(0.4):
                variable = Variable(self.fresh("f"), "", struct=self.random.choice(self.structs))
                if self.chance(0.3):
                    variable.size = self.random.choice((2, 3))
            else:
                variable = Variable(self.fresh("f"), self.random.choice(_PLAIN_TYPES))
                if variable.type == "unsigned":
                    variable.width = self.random.choice((1, 2, 3, 9))
                elif self.chance(0.3):
                    variable.size = self.random.choice((1, 2, 3))
            struct.fields.append(variable)
            children.append(Line(variable.declaration() + ";"))
        self.structs.append(struct)
        return Line(f"typedef {name} {{", children, "};")

    def _signature(self) -> Signature:
        flat = [struct for struct in self.structs if struct.is_flat()]
        fields: list[str | Struct | Signature] = []
        for _ in range(self.random.choice((1, 1, 2, 2, 3))):
            if flat and self.chance(0.3):
                fields.append(self.random.choice(flat))
            elif self.has("channel variables") and self.signatures and self.chance(0.5):
                fields.append(self.random.choice(self.signatures))
            else:
                fields.append(self.random.choice(_FIELD_TYPES))
        return Signature(tuple(fields))

    def _variable(self, name: str) -> Variable:
        if self.structs and self.chance(0.25):
            variable = Variable(name, "", struct=self.random.choice(self.structs))
        else:
            kinds = _PLAIN_TYPES if self.has("wide") else ("bit", "bool", "byte", "byte", "mtype")
            if self.has("priorities"):  # SPIN compares states without some bits of processes with priorities
                kinds = ("byte", "byte", "short", "mtype")
            variable = Variable(name, self.random.choice(kinds))
            if variable.type == "unsigned":
                variable.width = self.random.choice((1, 2, 3, 5))
        if self.has("arrays") and not variable.width and self.chance(0.3):
            variable.size = self.random.choice((1, 2, 2, 3, 4))
        return variable

    def _start_value(self, variable: Variable, scope: Scope, *, constant: bool) -> str:
        if variable.struct or self.chance(0.5):
            return ""
        if variable.type == "mtype":
            return f" = {self.random.choice(('red', 'green', 'blue'))}"
        if variable.size and constant and self.chance(0.3):
            values = ", ".join(str(self.random.randint(0, 3)) for _ in range(variable.size))
            return f" = {{ {values} }}"
        if constant or self.chance(0.5):
            return f" = {self.terms.constant()}"
        return f" = {self.terms.bounded(scope, 1)}"

    def _global_variables(self) -> list[Line]:
        lines = []
        for _ in range(self.random.randint(1, 4)):
            variable = self._variable(self.fresh("g"))
            start = self._start_value(variable, self.globals, constant=True)
            show = self.random.choice(("local ", "show ")) if self.chance(0.06) else ""
            self.globals.variables.append(variable)
            lines.append(Line(f"{show}{variable.declaration()}{start};"))
        if self.has("hidden"):
            lines.append(Line("hidden byte scratch;"))
        return lines

    def _channel(self, name: str) -> tuple[Channel, Line]:
        signature = self.random.choice(self.signatures)
        both = self.has("buffered"), self.has("rendezvous")
        kinds = {(True, False): (1, 1, 2, 3), (False, True): (0,)}.get(both, (0, 1, 2))
        if self.features & {"priorities", "enabled"}:
            kinds = (1, 2)
        channel = Channel(name, signature, self.random.choice(kinds))
        if self.has("channel arrays") and self.chance(0.5):
            channel.size = 2
        count = f"[{channel.size}]" if channel.size else ""
        return channel, Line(f"chan {name}{count} = [{channel.capacity}] of {{ {signature.text()} }};")

    def _global_channels(self) -> list[Line]:
        if not (self.has("buffered") or self.has("rendezvous") or self.has("channel variables")):
            return []
        lines = []
        for _ in range(self.random.randint(1, 3)):
            channel, line = self._channel(self.fresh("q"))
            self.globals.channels.append(channel)
            lines.append(line)
        flat = [struct for struct in self.structs if struct.is_flat()]
        if self.has("message loops") and flat:
            struct, name = self.random.choice(flat), self.fresh("q")
            self.globals.channels.append(Channel(name, Signature((struct,)), 2))
            lines.append(Line(f"chan {name} = [2] of {{ {struct.name} }};"))
            self.globals.variables.append(Variable(self.fresh("g"), "", struct=struct))
            lines.append(Line(self.globals.variables[-1].declaration() + ";"))
        if self.has("channel variables"):
            for _ in range(self.random.randint(0, 2)):
                channel = self.random.choice(self.globals.channels)
                variable = Channel(self.fresh("c"), channel.signature, -1, variable=True)
                lines.append(Line(f"chan {variable.name} = {self.terms.channel(channel, self.globals)};"))
                self.globals.channels.append(variable)
        return lines

    def _inline(self) -> Line:
        name = self.fresh("act")
        scope = Scope(self.globals)
        parameters = []
        for _ in range(self.random.randint(0, 2)):
            parameter = Variable(self.fresh("a"), "byte")
            parameters.append(parameter.name)
            scope.variables.append(parameter)
        body = Body(scope, self.random.randint(2, 4), in_inline=True)
        children = self._sequence(body)
        self._resolve_jumps(body)
        self.inlines.append((name, len(parameters)))
        return Line(f"inline {name}({', '.join(parameters)}) {{", children, "}")

    # --- processes ----------------------------------------------------------------------------------------------------

    def _proctype(self, name: str, *, active: bool) -> Line:
        scope = Scope(self.globals)
        parameters: list[Variable | Channel] = []
        if not active:
            parameters = self._parameters(scope)
            self.proctypes.append((name, parameters))
        elif self.chance(0.2):
            kinds = ("byte", "int") if self.has("priorities") else ("byte", "bit", "int")
            parameters = [Variable(self.fresh("p"), self.random.choice(kinds))]
            scope.variables += [p for p in parameters if isinstance(p, Variable)]
        children, labels = self._body(scope, self.random.choice((3, 5, 7, 9, 12, 16)), claims=active)
        word = "proctype"
        if active:
            word = self.random.choice(("active proctype", "active proctype", "active [2] proctype"))
        if word == "active proctype":
            self.seen_labels += [(name, label) for label in labels]
            plain = [v.name for v in scope.variables if not v.size and not v.struct and not v.width]
            self.seen_variables += [(name, variable) for variable in plain]
        if self.has("deterministic") and self.chance(0.7):
            word = word.replace("proctype", "D_proctype")
        shown = "; ".join(p.declaration() for p in parameters)
        return Line(f"{word} {name}({shown}){self._header()} {{", children, "}")

    def _parameters(self, scope: Scope) -> list[Variable | Channel]:
        parameters: list[Variable | Channel] = []
        for _ in range(self.random.randint(0, 2)):
            usable = self.globals.channels
            if usable and self.chance(0.5):
                channel = Channel(self.fresh("c"), self.random.choice(usable).signature, -1, variable=True)
                scope.channels.append(channel)
                parameters.append(channel)
            else:
                kinds = ("byte", "short", "mtype") if self.has("priorities") else ("byte", "bit", "short", "mtype")
                variable = Variable(self.fresh("p"), self.random.choice(kinds))
                scope.variables.append(variable)
                parameters.append(variable)
        return parameters

    def _init(self) -> Line:
        scope = Scope(self.globals)
        runs = [Line(self._run(scope, choice) + ";") for choice in self.proctypes for _ in range(self._copies())]
        children: list[Line] = []
        if runs and self.chance(0.6):
            children.append(Line("atomic {", runs, "};"))
        else:
            children += runs
        rest = self._body(scope, self.random.randint(0, 4))[0] if self.chance(0.6) or not runs else []
        declared = len(list(takewhile(self._is_declaration, rest)))
        before = self.random.randint(declared, len(rest)) if self.chance(0.3) else declared
        return Line("init {", rest[:before] + children + rest[before:], "}")

    def _copies(self) -> int:
        return self.random.choice((1, 1, 1, 2))

    def _run(self, scope: Scope, choice: tuple[str, list[Variable | Channel]]) -> str:
        name, parameters = choice
        values = []
        for parameter in parameters:
            if isinstance(parameter, Channel):
                values.append(self.terms.channel_of(parameter.signature, scope) or "q0")
            else:
                values.append(self.terms.value(parameter.type, scope))
        priority = f" priority {self.random.randint(1, 3)}" if self.has("priorities") and self.chance(0.4) else ""
        return f"run {name}({', '.join(values)}){priority}"

    def _body(self, scope: Scope, budget: int, *, claims: bool = False) -> tuple[list[Line], list[str]]:
        """The statements of a process, and its labels.

        ``claims``: with claims of exclusive use. Not where processes have different pids in different runs: SPIN
        remembers the pid that made a claim from one run to the next.
        """
        body = Body(scope, budget)
        lines: list[Line] = []
        for _ in range(self.random.choice((0, 1, 1, 2, 3))):
            lines.append(self._declare(body, initial=True))
        if self.has("local channels") and self.signatures and self.chance(0.5):
            channel, line = self._channel(self.fresh("l"))
            scope.channels.append(channel)
            lines.insert(0, line)
        if claims and self.has("claims") and self.globals.channels and self.chance(0.5):
            plain = [c for c in self.globals.channels if not c.variable and not c.size]
            if plain:
                lines.append(Line(f"{self.random.choice(('xr', 'xs'))} {self.random.choice(plain).name};"))
        lines += self._sequence(body)
        self._resolve_jumps(body)
        return lines, body.labels

    def _resolve_jumps(self, body: Body) -> None:
        for line in body.jumps:
            # A jump to itself is an error in SPIN.
            labels = [label for label in body.labels if not line.text.startswith(f"{label}:")]
            label = self.random.choice(labels) if labels else None
            line.text = line.text.replace("goto ?", f"goto {label}" if label else "skip")
        body.jumps = []

    def _declare(self, body: Body, *, initial: bool) -> Line:
        name = self.fresh("v")
        if self.has("shadow") and not initial and self.chance(0.5):
            visible = [v.name for v in body.scope.all_variables()]
            name = self.random.choice(visible) if visible else name
            if any(v.name == name for v in body.scope.variables):
                name = self.fresh("v")
        variable = self._variable(name)
        if not initial and variable.size and self.chance(0.5):
            variable.size = None
        start = self._start_value(variable, body.scope, constant=initial and self.chance(0.7))
        if not initial and variable.size:
            start = ""
        body.scope.variables.append(variable)
        if variable.type == "byte" and self.chance(0.15):
            second = Variable(self.fresh("v"), "byte")
            body.scope.variables.append(second)
            return Line(f"{variable.declaration()}{start}, {second.name}{self.random.choice(('', ' = 1'))};")
        return Line(f"{variable.declaration()}{start};")

    # --- statements ---------------------------------------------------------------------------------------------------

    def _sequence(self, body: Body, most: int = 5) -> list[Line]:
        """One or more statements."""
        lines = [self._statement(body, first=True)]
        while body.budget > 0 and len(lines) < most and self.chance(0.8):
            lines.append(self._statement(body))
        return lines

    def _statement(self, body: Body, *, first: bool = False) -> Line:
        body.budget -= 1
        line = self._plain_statement(body)
        if self.has("labels") or self.has("goto"):
            self._label(body, line, first)
        return line

    def _label(self, body: Body, line: Line, first: bool) -> None:
        if body.in_step or self._is_declaration(line):
            return
        if first and not line.text.startswith(("do", "for")):
            return  # SPIN accepts it only there
        if self.chance(0.25 if self.has("goto") else 0.15):
            prefix = self.random.choice(("L", "L", "L", "end", "progress", "accept"))
            if not self.has("labels"):
                prefix = "L"
            label = self.fresh(prefix)
            body.labels.append(label)
            line.text = f"{label}: {line.text}"

    @staticmethod
    def _is_declaration(line: Line) -> bool:
        words = ("bit ", "bool ", "byte ", "short ", "int ", "unsigned ", "pid ", "mtype ", "chan ", "T")
        return line.text.startswith(words)

    def _plain_statement(self, body: Body) -> Line:
        choices: list[tuple[str, float]] = [
            ("assign", 6),
            ("count", 2),
            ("skip", 0.7),
            ("assert", 1.2 if self.has("assert") else 0),
            ("print", 1.2 if self.has("print") else 0),
            ("macro", 2 if self.has("macros") else 0),
            ("declare", 1.2 if self.has("inner declarations") else 0),
        ]
        if not body.in_step:
            choices += [
                ("guard", 1.5 if self.has("blocking") else 0.3),
                ("send", 3 if self._channels(body) else 0),
                ("receive", 3 if self._channels(body) else 0),
                ("goto", 1 if self.has("goto") else 0),
                ("run", 0.4 if self.has("run") and self._runnable(body) else 0),
                ("call", 1.5 if self.inlines and not body.in_inline else 0),
                ("break", 0.7 if body.loops else 0),
                ("priority", 1 if self.has("priorities") else 0),
            ]
        if body.budget > 0:
            choices += [
                ("if", 3),
                ("block", 0.7),
                ("for", 1 if self.has("loops over values") else 0),
                ("select", 1 if self.has("loops over values") and not body.in_step else 0),
            ]
            if body.in_step:
                choices += [
                    ("counting loop", 1),
                    ("scratch loop", 3 if self.has("hidden") else 0),
                    ("guarded message", 1 if any(c.capacity > 0 for c in self._channels(body)) else 0),
                    ("atomic", 0.3),
                ]
            if not body.in_step:
                choices += [
                    ("do", 2.5),
                    ("atomic", 2.5 if self.has("atomic") else 0),
                    ("d_step", 2 if self.has("d_step") else 0),
                    ("unless", 3 if self.has("unless") else 0),
                    ("message loop", 2 if self.has("message loops") else 0),
                ]
        names = [name for name, _ in choices]
        kind = self.random.choices(names, [weight for _, weight in choices])[0]
        return self._make(kind, body)

    def _make(self, kind: str, body: Body) -> Line:
        made: Line = getattr(self, f"_make_{kind.replace(' ', '_')}")(body)
        return made

    def _channels(self, body: Body) -> list[Channel]:
        return body.scope.all_channels()

    def _runnable(self, body: Body) -> bool:
        return bool(self.proctypes) and not body.loops and not body.labels and not body.in_inline

    # --- basic statements ---------------------------------------------------------------------------------------------

    def _make_assign(self, body: Body) -> Line:
        place = self.terms.place(body.scope)
        if place is None:
            return Line("skip;")
        if self.has("channel variables") and self.chance(0.15):
            variables = [c for c in self._channels(body) if c.variable]
            if variables:
                target = self.random.choice(variables)
                return Line(f"{target.name} = {self.terms.channel_of(target.signature, body.scope)};")
        if self.chance(0.03):
            return Line(f"_ = {self.terms.expression(body.scope, 1)};")
        text, type_ = place
        return Line(f"{text} = {self.terms.value(type_, body.scope)};")

    def _make_count(self, body: Body) -> Line:
        place = self.terms.place(body.scope, small=True)
        if place is None:
            return Line("skip;")
        return Line(f"{place[0]}{self.random.choice(('++', '--'))};")

    def _make_skip(self, body: Body) -> Line:
        return Line(self.random.choice(("skip;", "skip;", "true;", "1;", "(1);", "(0 == 0);")))

    def _make_assert(self, body: Body) -> Line:
        if self.chance(0.4):
            return Line("assert(true);")
        return Line(f"assert({self.terms.condition(body.scope)});")

    def _make_print(self, body: Body) -> Line:
        if self.chance(0.4):
            return Line('printf("x\\n");')
        mtypes = [v.name for v in body.scope.all_variables() if v.type == "mtype" and not v.size]
        if mtypes and self.chance(0.3):
            return Line(f"printm({self.random.choice(mtypes)});")
        return Line(f'printf("%d\\n", {self.terms.expression(body.scope, 1)});')

    def _make_declare(self, body: Body) -> Line:
        return self._declare(body, initial=False)

    def _make_guard(self, body: Body) -> Line:
        if self.has("timeout") and self.chance(0.3):
            condition = self.terms.condition(body.scope)
            return Line(self.random.choice(("timeout;", f"timeout && {condition};", f"(timeout || {condition});")))
        return Line(f"{self.terms.condition(body.scope)};")

    def _make_send(self, body: Body) -> Line:
        return Line(self.terms.send(body.scope) + ";")

    def _make_receive(self, body: Body) -> Line:
        return Line(self.terms.receive(body.scope) + ";")

    def _make_goto(self, body: Body) -> Line:
        line = Line("goto ?;")
        body.jumps.append(line)
        return line

    def _make_break(self, body: Body) -> Line:
        return Line("break;")

    def _make_run(self, body: Body) -> Line:
        call = self._run(body.scope, self.random.choice(self.proctypes))
        place = self.terms.place(body.scope, types=("byte", "pid", "int", "short"))
        if place is not None and self.chance(0.4):
            more = f" + {self.terms.constant()}" if self.chance(0.3) and "priority" not in call else ""
            return Line(f"{place[0]} = {call}{more};")
        return Line(f"{call};")

    def _make_call(self, body: Body) -> Line:
        name, count = self.random.choice(self.inlines)
        arguments = []
        for _ in range(count):
            # No bits: what an inline receives into its parameter must fit.
            place = self.terms.place(body.scope, types=("byte", "short", "int"), plain=True)
            arguments.append(place[0] if place else None)
        if None in arguments:
            return Line("skip;")
        return Line(f"{name}({', '.join(a for a in arguments if a)});")

    # --- structured statements ----------------------------------------------------------------------------------------

    def _inner(self, body: Body, most: int = 3) -> list[Line]:
        """The sequence of a block, with a scope of its own."""
        outer, body.scope = body.scope, Scope(body.scope)
        lines = self._sequence(body, most)
        body.scope = outer
        return lines

    def _make_block(self, body: Body) -> Line:
        return Line("{", self._inner(body), "};")

    def _make_atomic(self, body: Body) -> Line:
        outer, body.in_atomic = body.in_atomic, True
        children = self._inner(body, 4)
        body.in_atomic = outer
        return Line("atomic {", children, "};")

    def _make_d_step(self, body: Body) -> Line:
        outer, body.in_step, loops, body.loops = body.in_step, True, body.loops, 0
        children = self._inner(body, 4)
        if self.chance(0.4):
            children.insert(0, self._first_of_step(body))
        if children[0].text.startswith(("assert", "print")):
            children.insert(0, Line("skip;"))  # SPIN runs such a step in the middle of a rendezvous of others
        body.in_step, body.loops = outer, loops
        return Line("d_step {", children, "};")

    def _make_counting_loop(self, body: Body) -> Line:
        """A loop that a deterministic step can run to its end."""
        counter = self.terms.place(body.scope, types=("byte", "int", "short"), plain=True)
        if counter is None:
            return Line("skip;")
        body.scope.frozen.append(counter[0])
        again = [Line(f"({counter[0]} < 2);"), *self._inner(body, 2), Line(f"{counter[0]}++;")]
        body.scope.frozen.pop()
        options = [Line("::", again), Line("::", [Line("else;"), Line("break;")])]
        self.random.shuffle(options)
        return Line("do", options, "od;")

    def _make_guarded_message(self, body: Body) -> Line:
        """A send where there is room, a receive where there is a message."""
        channel = self.random.choice([c for c in self._channels(body) if c.capacity > 0])
        name = self.terms.channel(channel, self.globals if not channel.size else Scope(None))
        if self.chance(0.6):
            message = self.terms.send(body.scope, channel, name)
            first = [Line(f"nfull({name});"), Line(message + ";")]
        else:
            anything = ", ".join("_" for _ in channel.signature.leaves())
            first = [Line(f"nempty({name});"), Line(f"{name}?{anything};")]
        return Line("if", [Line("::", first), Line("::", [Line("else;")])], "fi;")

    def _first_of_step(self, body: Body) -> Line:
        if self.chance(0.25):
            options = [Line("::", self._option(body)) for _ in range(2)]
            return Line("if", options, "fi;")
        buffered = [c for c in self._channels(body) if c.capacity > 0]
        if self._channels(body) and self.chance(0.3):
            return Line(self.terms.receive(body.scope) + ";")
        if buffered and self.chance(0.3):
            return Line(self.terms.send(body.scope, self.random.choice(buffered)) + ";")
        return Line(f"{self.terms.condition(body.scope)};")

    def _options(self, body: Body, *, loop: bool) -> list[Line]:
        options = []
        for _ in range(self.random.choice((1, 2, 2, 2, 3))):
            options.append(Line("::", self._option(body)))
        with_io = any(any(sign in option.children[0].text for sign in "!?") for option in options)
        if body.in_step or self.chance(0.1 if with_io else 0.6):
            rest = [Line("else;")]
            if loop and self.chance(0.6):
                rest.append(Line("break;"))
            elif self.chance(0.5):
                rest += self._inner(body, 2)
            options.insert(self.random.randint(0, len(options)), Line("::", rest))
        elif loop:
            leave = [Line("break;")]
            if self.chance(0.4):
                leave.insert(0, Line(f"{self.terms.condition(body.scope)};"))
            options.insert(self.random.randint(0, len(options)), Line("::", leave))
        return options

    def _option(self, body: Body) -> list[Line]:
        # An option is no scope: what is declared in it can be used after the selection.
        outer = body.scope
        if self.chance(0.7):
            body.scope = Scope(outer)
        lines: list[Line] = []
        if body.in_step or self.chance(0.45):
            lines.append(Line(f"{self.terms.condition(body.scope)};"))
        elif self._channels(body) and self.chance(0.35):
            lines.append(self.random.choice((self._make_send, self._make_receive))(body))
        elif self.has("timeout") and self.chance(0.15):
            lines.append(Line("timeout;"))
        if not lines or self.chance(0.8):
            lines += self._sequence(body, 3)
        if lines[0].text in ("if", "do") and any(o.children[0].text == "else;" for o in lines[0].children):
            lines.insert(0, Line("skip;"))  # SPIN does not join the two
        if len(lines) == 1 and lines[0].text in _IDLE:
            # A loop of nothing but this is an error in SPIN.
            lines.append(self._make_assign(body))
        body.scope = outer
        return lines

    def _make_if(self, body: Body) -> Line:
        return Line("if", self._options(body, loop=False), "fi;")

    def _make_do(self, body: Body) -> Line:
        body.loops += 1
        line = Line("do", self._options(body, loop=True), "od;")
        body.loops -= 1
        return line

    def _make_for(self, body: Body) -> Line:
        counter = self.terms.place(body.scope, types=("byte", "int", "short"), plain=True)
        if counter is None:
            return Line("skip;")
        arrays = [v for v in body.scope.all_variables() if v.size and not v.struct]
        if arrays and self.chance(0.3):
            head = f"for ({counter[0]} in {self.random.choice(arrays).name}) {{"
        else:
            first = self.random.choice((0, 0, 1))
            head = f"for ({counter[0]} : {first} .. {self.random.choice((1, 2, 2))}) {{"
        body.scope.frozen.append(counter[0])
        body.loops += 1
        children = self._inner(body, 3)
        body.loops -= 1
        body.scope.frozen.pop()
        return Line(head, children, "};")

    def _make_select(self, body: Body) -> Line:
        place = self.terms.place(body.scope, types=("byte", "int", "short"), plain=True)
        if place is None:
            return Line("skip;")
        last = self.random.choice(("1", "2", "3", "2") if self.chance(0.95) else ("35",))
        if self.chance(0.2):
            last = f"(1 + {self.terms.bounded(body.scope, 0)} % 2)"
        return Line(f"select ({place[0]} : {self.random.choice(('0', '1'))} .. {last});")


def generate(seed: int) -> list[Line]:
    """The program of a seed, as lines."""
    return Generator(seed).program()
