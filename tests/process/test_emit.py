"""The emitted C: exact successors of small programs, agreement with the interpreter on programs of every kind."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings

from kripke.languages.promela.loader import load_file
from kripke.process.emit import emit_c
from kripke.process.expressions import (
    AtLocation,
    Bind,
    ChannelElement,
    Constant,
    Ignore,
    Match,
    OwnPid,
    ProcessCount,
    Timeout,
)
from kripke.process.program import (
    MAX_PROCESSES,
    Assert,
    Assign,
    Choose,
    DeterministicStep,
    Else,
    Guard,
    InitialProcess,
    Program,
    Receive,
    Run,
    Scope,
    Send,
    Skip,
    StepInstruction,
    Terminate,
    ViolationKind,
)
from tests.support.agreement import assert_agreement
from tests.support.building import (
    BYTE,
    INT,
    SHORT,
    Builder,
    binary,
    channel,
    identity,
    local,
    place,
    process,
    read,
    variable,
)
from tests.support.compiled import COMPILER, STRICT, Compiled
from tests.support.random_programs import programs

pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C compiler")

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "promela").glob("*.pml"))


def step(program: Program, folder: Path, depth: int = 0) -> tuple[list[bytes], list[ViolationKind]]:
    """The successors of the state reached by taking the only successor ``depth`` times, and what they break.

    The interpreter must say the same of every state.
    """
    assert_agreement(program, folder)
    compiled = Compiled(program, folder)
    ((state, _),) = compiled.initial().states
    for _ in range(depth):
        ((state, _),) = compiled.successors(state)[0].states
    answer = compiled.successors(state)[0]
    return [target for target, _ in answer.states], [ViolationKind(code) for code, _ in answer.violations]


# --- variables and expressions ----------------------------------------------------------------------------------------


def test_values_wrap_around_in_their_variables(tmp_path: Path) -> None:
    b = Builder()
    x, y = variable("x", BYTE, initial=255), variable("y", SHORT, initial=32767)
    z = variable("z", INT, initial=2**31 - 1)
    increments = [Assign(place(v), binary("+", read(v), 1)) for v in (x, y, z)]
    p = process("P", [b.edge(1, *increments)], [])
    found, _ = step(b.program([p], [p], [x, y, z]), tmp_path)
    assert found == [bytes([0, 0x00, 0x80, 0, 0, 0, 0x80, 1])]


def test_an_index_out_of_range_ends_the_step(tmp_path: Path) -> None:
    b = Builder()
    a, i = variable("a", BYTE, 3), variable("i", BYTE, initial=3)
    p = process("P", [b.edge(1, Assign(place(a, read(i)), Constant(1))), b.edge(1, Skip())], [])
    found, broken = step(b.program([p], [p], [a, i]), tmp_path)
    assert found == [bytes([0, 0, 0, 3, 1])]
    assert broken == [ViolationKind.INDEX]


def test_the_right_side_of_and_is_not_evaluated_where_the_left_decides(tmp_path: Path) -> None:
    b = Builder()
    a, i = variable("a", BYTE, 3), variable("i", BYTE, initial=3)
    guarded = binary("&&", binary("<", read(i), 3), binary("==", read(a, read(i)), 0))
    p = process("P", [b.edge(1, Guard(guarded)), b.edge(1, Else())], [])
    found, broken = step(b.program([p], [p], [a, i]), tmp_path)
    assert (found, broken) == ([bytes([0, 0, 0, 3, 1])], [])


def test_division(tmp_path: Path) -> None:
    b = Builder()
    x, d = variable("x", INT, initial=-(2**31)), variable("d", INT, initial=-1)
    divide = b.edge(1, Assign(place(x), binary("/", read(x), read(d))))
    by_zero = b.edge(1, Assign(place(x), binary("%", read(x), binary("+", read(d), 1))))
    p = process("P", [divide, by_zero], [])
    found, broken = step(b.program([p], [p], [x, d]), tmp_path)
    assert found == [bytes([0, 0, 0, 0x80, 255, 255, 255, 255, 1])]
    assert broken == [ViolationKind.DIVISION]


def test_a_failed_assertion_goes_on(tmp_path: Path) -> None:
    b = Builder()
    p = process("P", [b.edge(1, Assert(Constant(0), "0"))], [])
    assert step(b.program([p], [p]), tmp_path) == ([bytes([1])], [ViolationKind.ASSERTION])


def test_atoms_and_ends(tmp_path: Path) -> None:
    b = Builder()
    x = variable("x", BYTE, 2)
    p = process("P", [b.edge(1, Skip())], [], end=[1])
    atoms = {
        "there": AtLocation(p, Constant(0), (1,)),
        "oldest": AtLocation(p, None, (1,)),
        "fails": binary("==", read(x, 2), 0),
        "two": binary("==", ProcessCount(), 2),
    }
    compiled = Compiled(b.program([p], [p, p], [x], atoms=atoms), tmp_path)
    start, middle, last = compiled.successors(bytes(4), bytes([0, 0, 1, 0]), bytes([0, 0, 1, 1]))
    younger = compiled.successors(bytes([0, 0, 0, 1]))[0]
    assert start.atoms == (False, False, False, True) and not start.valid_end
    assert middle.atoms == (True, True, False, True) and not middle.valid_end
    assert younger.atoms == (False, False, False, True) and not younger.valid_end
    assert last.valid_end and not last.states


# --- channels ---------------------------------------------------------------------------------------------------------


def test_a_sorted_send_goes_behind_its_equals_and_a_random_receive_takes_the_first_match(tmp_path: Path) -> None:
    b = Builder()
    q, x = channel("q", 4, [BYTE, BYTE], 0), variable("x")
    to_q = identity(q)
    sends = [b.edge(i + 1, Send(to_q, (Constant(k), Constant(i)), ordered=True)) for i, k in enumerate((2, 1, 2, 1))]
    take = b.edge(5, Receive(to_q, (Match(Constant(2)), Bind(place(x))), anywhere=True))
    look = b.edge(5, Receive(to_q, (Match(Constant(1)),), keep=True))
    p = process("P", *([edge] for edge in sends), [take, look], [])
    found, _ = step(b.program([p], [p], [x], [q]), tmp_path, depth=4)
    assert found == [
        bytes([0, 3, 1, 1, 1, 3, 2, 2, 0, 0, 5]),
        bytes([0, 4, 1, 1, 1, 3, 2, 0, 2, 2, 5]),
    ]


def test_a_rendezvous_is_one_step_with_every_receiver_the_youngest_first(tmp_path: Path) -> None:
    b = Builder()
    q, got = channel("q", 0, [BYTE], 0), local("got")
    sender = process("S", [b.edge(1, Send(identity(q), (Constant(257),))), b.edge(1, Else())], [])
    receiver = process("R", [b.edge(1, Receive(identity(q), (Bind(place(got)),)))], [], variables=(got,))
    found, _ = step(b.program([sender, receiver], [receiver, sender, receiver], channels=[q]), tmp_path)
    assert found == [bytes([2, 0, 1, 3, 1]), bytes([3, 1, 1, 2, 0])]


def test_after_a_rendezvous_the_receiver_goes_on_if_its_edge_is_atomic(tmp_path: Path) -> None:
    b = Builder()
    q, x = channel("q", 0, [BYTE], 0), variable("x")
    increment = Assign(place(x), binary("+", read(x), 1))
    sender = process("S", [b.edge(1, Send(identity(q), (Constant(1),)))], [b.edge(2, increment)], [])
    receiver = process("R", [b.edge(1, Receive(identity(q), (Ignore(),)), atomic=True)], [b.edge(2, increment)], [])
    found, _ = step(b.program([sender, receiver], [sender, receiver], [x], [q]), tmp_path)
    assert found == [bytes([1, 1, 5])]


def test_channels_named_by_variables(tmp_path: Path) -> None:
    b = Builder()
    p_channel, q = channel("p", 0, [BYTE], 0), channel("q", 1, [BYTE], 1)
    own = channel("own", 1, [BYTE, BYTE], 0, Scope.LOCAL)
    c = local("c")
    send = b.edge(1, Send(read(c), (Constant(7),)))
    p = process("P", [send], [], parameters=(c,), variables=(c,), channels=(own,))
    for value, expected in {
        0: ([], [ViolationKind.CHANNEL]),
        1: ([], []),
        2: ([bytes([1, 7, 1, 2, 0, 0, 0])], []),
        3: ([], [ViolationKind.MESSAGE]),
        4: ([], [ViolationKind.CHANNEL]),
    }.items():
        program = b.program([p], [InitialProcess(p, (value,))], channels=[p_channel, q])
        assert step(program, tmp_path) == expected, value


def test_elements_of_channel_arrays(tmp_path: Path) -> None:
    b = Builder()
    channels = tuple(channel(f"q{i}", 1, [BYTE], i) for i in range(3))
    i = variable("i", BYTE, initial=2)
    good, bad = ChannelElement(channels, read(i)), ChannelElement(channels, binary("+", read(i), 1))
    p = process("P", [b.edge(1, Send(good, (Constant(9),))), b.edge(1, Send(bad, (Constant(9),)))], [])
    found, broken = step(b.program([p], [p], [i], channels), tmp_path)
    assert (found, broken) == ([bytes([2, 0, 0, 0, 0, 1, 9, 1])], [ViolationKind.INDEX])


# --- atomic sequences, deterministic steps ----------------------------------------------------------------------------


def test_every_path_through_an_atomic_sequence_is_a_step_in_depth_first_order(tmp_path: Path) -> None:
    b = Builder()
    x = variable("x")

    def add(target: int, value: int, atomic: bool) -> object:
        return b.edge(target, Assign(place(x), binary("+", binary("*", read(x), 3), value)), atomic=atomic)

    p = process(
        "P",
        [add(1, 1, True), add(2, 2, False), add(1, 1, True)],  # type: ignore[list-item]
        [add(2, 0, True), add(2, 1, False), add(3, 2, True)],  # type: ignore[list-item]
        [],
        [b.edge(2, Guard(Constant(0)))],
    )
    found, _ = step(b.program([p], [p], [x]), tmp_path)
    paths = [bytes([3, 2]), bytes([4, 2]), bytes([5, 3])]
    assert found == [*paths, bytes([2, 2]), *paths]


def test_an_endless_atomic_sequence_is_found(tmp_path: Path) -> None:
    b = Builder()
    p = process("P", [b.edge(0, Skip(), atomic=True)])
    answer = Compiled(b.program([p], [p]), tmp_path).successors(bytes(1))[0]
    assert (answer.states, answer.violations) == ([], [(ViolationKind.ENDLESS, 0)])


def test_deterministic_steps_loop_choose_and_block(tmp_path: Path) -> None:
    b = Builder()
    x, y = variable("x"), variable("y")

    def sum_up_to(limit: int, last: StepInstruction) -> DeterministicStep:
        return DeterministicStep(
            (
                StepInstruction(Choose((1, 3)), b.statement("do"), -1),
                StepInstruction(Guard(binary("<", read(x), limit)), b.statement("x < limit"), 2),
                StepInstruction(Assign(place(x), binary("+", read(x), 1)), b.statement("x++"), 4),
                StepInstruction(Else(), b.statement("else"), 5),
                StepInstruction(Assign(place(y), binary("+", read(y), read(x))), b.statement("y = y + x"), 0),
                last,
            )
        )

    ends = StepInstruction(Skip(), b.statement("skip"), -1)
    blocks = StepInstruction(Guard(binary(">", read(x), 200)), b.statement("x > 200"), -1)
    p = process("P", [b.edge(1, sum_up_to(10, ends)), b.edge(1, sum_up_to(5, blocks))], [])
    found, broken = step(b.program([p], [p], [x, y]), tmp_path)
    assert (found, broken) == ([bytes([10, 55, 1])], [ViolationKind.BLOCKED])


def test_an_endless_deterministic_step_is_found(tmp_path: Path) -> None:
    b = Builder()
    endless = DeterministicStep((StepInstruction(Skip(), b.statement("skip"), 0),))
    p = process("P", [b.edge(0, endless)])
    answer = Compiled(b.program([p], [p]), tmp_path).successors(bytes(1))[0]
    assert (answer.states, [code for code, _ in answer.violations]) == ([], [ViolationKind.ENDLESS])


def test_timeout_has_its_chance_where_nothing_else_moves(tmp_path: Path) -> None:
    b = Builder()
    x = variable("x")
    waits = process("W", [b.edge(1, Guard(Timeout()))], [])
    p = process("P", [b.edge(1, Assign(place(x), Constant(1)), atomic=True)], [b.edge(2, Guard(Timeout()))], [])
    program = b.program([waits, p], [waits, p], [x])
    assert step(program, tmp_path) == ([bytes([1, 0, 3])], [])
    assert step(program, tmp_path, depth=1) == ([bytes([1, 0, 4]), bytes([1, 1, 3])], [])


# --- processes --------------------------------------------------------------------------------------------------------


def test_processes_are_born_and_die_at_the_end_of_the_state(tmp_path: Path) -> None:
    b = Builder()
    x, n, me = variable("x"), local("n", SHORT), local("me", initial=9)
    setup = (b.action(Assign(place(me), OwnPid())),)
    child = process("C", [b.edge(0, Terminate())], parameters=(n,), variables=(n, me), setup=setup)
    run = b.edge(1, Run(child, (Constant(-2),), place(x)))
    parent = process("P", [run], [b.edge(1, Terminate())])
    program = b.program([parent, child], [parent], [x])
    assert step(program, tmp_path) == ([bytes([1, 1, 2, 0xFE, 0xFF, 1])], [])
    assert step(program, tmp_path, depth=1) == ([bytes([1, 1])], [])
    assert step(program, tmp_path, depth=2) == ([bytes([1])], [])


def test_too_many_processes(tmp_path: Path) -> None:
    b = Builder()
    child = process("C", [])
    parent = process("P", [b.edge(0, Run(child, ()))])
    compiled = Compiled(b.program([child, parent], [parent]), tmp_path)
    almost = bytes([1]) + bytes(MAX_PROCESSES - 2)
    room, full = compiled.successors(almost, almost + bytes(1))
    assert [state for state, _ in room.states] == [almost + bytes(1)]
    assert (full.states, full.violations) == ([], [(ViolationKind.PROCESSES, 0)])


def test_a_violation_in_the_start_values_leaves_no_initial_state(tmp_path: Path) -> None:
    b = Builder()
    x = variable("x")
    p = process("P", [])
    setup = [b.action(Assign(place(x), binary("/", 1, read(x))))]
    answer = Compiled(b.program([p], [p], [x], setup=setup), tmp_path).initial()
    assert (answer.states, answer.violations) == ([], [(ViolationKind.DIVISION, 0)])


# --- the text ---------------------------------------------------------------------------------------------------------


def test_nothing_of_the_model_text_becomes_code(tmp_path: Path) -> None:
    b = Builder()
    p = process('P */ #error "name"\n#error', [b.edge(0, Skip())])
    b.statements[0] = b.statements[0].__class__('*/ #error "text" ??/\n#error /*', b.statements[0].span, "*/\n#error")
    program = b.program([p], [p], atoms={'*/ #error "atom"\n#error': Constant(1)})
    program.name = 'a "; #error */ \\\n#error'
    assert Compiled(program, tmp_path).successors(bytes(1))[0].states == [(bytes(1), 0)]


def test_the_same_program_gives_the_same_text() -> None:
    path = str(EXAMPLES[0])
    assert emit_c(load_file(path).program) == emit_c(load_file(path).program)


def big_program(types: int, count: int) -> Program:
    """Process types with so many locations each, two edges at every location."""
    b = Builder()
    a, q = variable("a", BYTE, 50), channel("q", 4, [BYTE, SHORT], 0)
    processes = []
    for number in range(types):
        x, places = local("x"), []
        for i in range(count):
            guard = binary("<=", read(a, binary("%", read(x), 50)), i % 200)
            first = b.edge((i + 1) % count, Guard(guard), Assign(place(a, read(x)), binary("+", read(x), i % 7)))
            if i % 3:
                second = b.edge((7 * i) % count, Send(identity(q), (read(x), Constant(i))))
            else:
                second = b.edge((5 * i) % count, Receive(identity(q), (Bind(place(x)), Match(Constant(i)))))
            places.append([first, second])
        processes.append(process(f"P{number}", *places, variables=(x,)))
    return b.program(processes, processes, [a], [q])


def test_the_text_of_a_large_program_grows_with_its_edges() -> None:
    """How long compilers take for it, ``benchmarks/compiling.py`` measures."""
    small, large = (emit_c(big_program(types, 50)) for types in (5, 20))
    assert len(large) < 4.4 * len(small)
    assert large.count("static ") < 4.4 * small.count("static ")


def test_a_program_of_many_functions_agrees_with_the_interpreter(tmp_path: Path) -> None:
    assert assert_agreement(big_program(2, 80), tmp_path) == 2000


@pytest.mark.parametrize(
    ("expression", "written"),
    [
        ("1 || (!(x || 0) || 0)", "1"),  # tcc 0.9.27 drops the code after it
        ("0 && (!(x && 1) && 1)", "0"),
        ("x || (1 == 1)", "1"),
        ("x && (2 < 1)", "0"),
        ("0 || x", "(s[0] != 0)"),
        ("x && 7", "(s[0] != 0)"),
        ("(x & 0) || (x * 0) || (x % 1) || !(x | -1)", "0"),
        ("(1 -> x : 1 / x)", "s[0]"),
        ("(len(q) == 0) || x", "1"),
        ("1 / 0 || x", None),
    ],
)
def test_constant_parts_of_expressions_are_written_as_their_value(
    expression: str, written: str | None, tmp_path: Path
) -> None:
    model = tmp_path / "model.pml"
    text = f"byte x, y; chan q = [0] of {{ bit }}; active proctype P() {{ y = {expression}; assert(y < x) }}"
    model.write_text(text)
    program = load_file(str(model)).program
    emitted = emit_c(program)
    assert written is None or f"o[1] = (uint8_t){written};" in emitted
    assert_agreement(program, tmp_path, flags=("-O1", *STRICT))


def test_a_poll_of_an_empty_channel_does_not_evaluate_what_it_looks_for(tmp_path: Path) -> None:
    model = tmp_path / "model.pml"
    model.write_text(
        "byte x; chan q = [1] of { byte }, r = q;\n"
        "active proctype P() { if :: q ? [eval(1 / x)] :: r ?? [eval(1 / x)] :: else fi; q ! 1; q ?? [eval(1 / x)] }"
    )
    program = load_file(str(model)).program
    assert assert_agreement(program, tmp_path) == 3
    assert step(program, tmp_path, 2) == ([], [ViolationKind.DIVISION])


# --- agreement --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_agree_with_the_interpreter(path: Path, tmp_path: Path) -> None:
    assert_agreement(load_file(str(path)).program, tmp_path)


@settings(max_examples=12)
@given(programs())
def test_random_programs_agree_with_the_interpreter(program: Program) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert_agreement(program, Path(folder), most_states=300)
