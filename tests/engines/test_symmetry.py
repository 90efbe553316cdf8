"""Symmetry: representatives, families of processes, references, and the same answers as without."""

from itertools import pairwise
from pathlib import Path

import pytest

import kripke
from kripke.engines.plan import Unsupported
from kripke.engines.symmetry.representative import exchange, representative
from kripke.languages.promela import load
from kripke.model.source import ModelError
from kripke.model.symmetry import Family, Key, Part, Site, Symmetry
from tests.soak_symmetry import compare

EXAMPLE = Path(__file__).parents[2] / "examples" / "promela" / "clients_servers.pml"


def written(tmp_path, text):
    path = tmp_path / "model.pml"
    path.write_text(text)
    return path


# --- sorting, as in the paper -----------------------------------------------------------------------------------------


def family(name, start, first, order="rvs"):
    """Three instances of three bytes each: a reference, a value, the control point."""
    at = {letter: tuple(start + 3 * i + order.index(letter) for i in range(3)) for letter in order}
    keys = tuple(Key(at[letter], 1, reference=letter == "r") for letter in order)
    return Family(name, first, (Part(tuple(start + 3 * i for i in range(3)), 3),), keys)


def sites(*families):
    return tuple(Site(offset, 1) for one in families for key in one.keys if key.reference for offset in key.offsets)


def test_sorting_one_type():
    clients = family("client", 0, 1)
    symmetry = Symmetry((clients,), sites(clients))
    before = bytes([3, 1, 1, 0, 3, 4, 1, 2, 1])
    assert exchange(symmetry, before, 0, 0, 1) == bytes([0, 3, 4, 3, 1, 1, 2, 2, 1])
    assert representative(symmetry, "sort")(before) == bytes([0, 3, 4, 3, 2, 1, 2, 1, 1])


CLIENTS_AND_SERVERS = bytes([2, 1, 2, 3, 2, 3, 1, 3, 4, 3, 4, 3, 1, 5, 2, 2, 6, 1])


def two_types(order):
    # Clients have references to servers and the other way round: values 1 to 3 are clients, 4 to 6 servers.
    clients, servers = family("client", 0, 1, order), family("server", 9, 4, order)
    return Symmetry((clients, servers), sites(clients, servers))


def numbered(state, order, *, up):
    """The paper counts references of each type from 1."""
    found = bytearray(state)
    for i in range(3):
        found[3 * i + order.index("r")] += 3 if up else -3
    return bytes(found)


def test_sorting_two_types():
    symmetry = two_types("rvs")
    found = representative(symmetry, "sort")(numbered(CLIENTS_AND_SERVERS, "rvs", up=True))
    assert numbered(found, "rvs", up=False) == bytes([1, 3, 4, 2, 1, 2, 3, 2, 3, 1, 4, 3, 2, 5, 2, 3, 6, 1])


def test_with_the_value_first_they_are_sorted_already():
    symmetry = two_types("vrs")
    state = bytearray(CLIENTS_AND_SERVERS)
    for i in range(6):
        state[3 * i], state[3 * i + 1] = state[3 * i + 1], state[3 * i]
    state = numbered(bytes(state), "vrs", up=True)
    assert representative(symmetry, "sort")(state) == state


def test_three_layers_have_one_representative():
    """Each process of a layer refers to one of the next: 6 x 6 states are one class."""
    from itertools import permutations

    layers = [Family(str(i), 1 + 3 * i, (Part((3 * i, 3 * i + 1, 3 * i + 2), 1),), ()) for i in range(3)]
    symmetry = Symmetry(tuple(layers), tuple(Site(offset, 1) for offset in range(9)))
    states = {
        bytes([3 + a for a in one] + [6 + b for b in other] + [0, 0, 0])
        for one in permutations((1, 2, 3))
        for other in permutations((1, 2, 3))
    }
    assert len(states) == 36
    assert len({representative(symmetry, "canonical")(state) for state in states}) == 1


# --- the table of the paper -------------------------------------------------------------------------------------------

TABLE = {"off": (63, 918, 16_929, 375_678), "references": (27, 108, 405, 1_458), "canonical": (21, 56, 126, 252)}


@pytest.mark.parametrize("method", TABLE)
@pytest.mark.parametrize("engine", ["native", "interpreter"])
def test_clients_and_servers(method, engine):
    for number, states in zip((2, 3, 4, 5), TABLE[method], strict=False):
        if engine == "interpreter" and number > 3:
            continue
        result = kripke.load(EXAMPLE, defines={"N": str(number)}).check(symmetry=method, engine=engine)
        assert result.verdict == "holds"
        assert result.states == states
        assert result.engine["symmetry"] == method


@pytest.mark.parametrize(
    "options",
    [
        {"search": "dfs"},
        {"store": "tree", "threads": 2},
        {"store": "tree"},
        {"store": "collapse"},
        {"store": "numbers"},
    ],
)
def test_other_searches_and_stores(options):
    assert kripke.load(EXAMPLE).check(symmetry="canonical", **options).states == 56


# --- references -------------------------------------------------------------------------------------------------------

BODY = """
chan q = [2] of {{ mtype, ref client }};
mtype = {{ ask }};
active [2] proctype client() {{ ref server ser; ref client cli; byte n; do :: {0} od }}
active [2] proctype server() {{ ref client cli; public byte load; public chan own = [1] of {{ byte }}; do :: {1} od }}
"""


@pytest.mark.parametrize(
    "statement",
    [
        "cli == n",
        "cli = 1",
        "cli < _lid",
        "q!ask,3",
        "q!ask,ser",
        "ser == cli",
        "n = cli",
        "cli = ser",
        "ser = _lid",
        "ser = anyRef(client)",
        "d_step { cli = anyRef(client) }",
        "cli == anyRef(client)",
        "q?ask,ser",
        "q?ask,n",
        "q?ask,eval(n)",
        "cli++",
        "!cli",
        "cli",
        "n = cli + 1",
        "server[cli].load = 1",
        "server[1].load = 1",
        "server[ser].unknown = 1",
        "n = (n > 0 -> cli : cli)",
        "q!!ask,cli",
        "cli = anyRef(nobody)",
    ],
)
def test_rules_of_references(tmp_path, statement):
    with pytest.raises(ModelError) as error:
        load(str(written(tmp_path, BODY.format(statement, "skip"))))
    assert error.value.span.line == 4


@pytest.mark.parametrize(
    "statement",
    [
        "cli = _lid",
        "cli = _undef_ref",
        "ser = anyRef(server)",
        "cli == _lid -> n = 1",
        "cli != _undef_ref -> q!ask,cli",
        "q?ask,cli",
        "q?ask,eval(cli)",
        "q?ask,eval(_lid)",
        "q?ask,_",
        "ser != _undef_ref -> server[ser].load = 1 - server[ser].load",
        "ser != _undef_ref -> server[ser].own!n",
        "client[cli]@done -> done: n = 0",
    ],
)
def test_uses_of_references(tmp_path, statement):
    model = kripke.load(written(tmp_path, BODY.format(statement, "own?load")))
    everything = model.check(deadlock=False)
    reduced = model.check(deadlock=False, symmetry="canonical")
    assert reduced.verdict == everything.verdict
    assert reduced.states <= everything.states
    assert not any("not alike" in warning for warning in reduced.warnings)


def test_words_are_names_elsewhere(tmp_path):
    text = "byte ref, public; active proctype P() { byte anyRef; ref = 1; public = ref; anyRef = public }"
    assert kripke.load(written(tmp_path, text)).check().verdict == "holds"


def test_printed(tmp_path, capsys):
    from kripke.cli.main import main

    text = 'init { skip }\nactive [2] proctype P() { ref P r = _lid; atomic { printf("I am %d\\n", _lid); r == _lid } }'
    assert main(["simulate", str(written(tmp_path, text)), "--seed", "1"]) == 0
    shown = capsys.readouterr().out
    assert "I am 0" in shown
    assert "I am 1" in shown


def test_a_use_of_no_reference_is_an_error(tmp_path):
    text = "active [2] proctype P() { ref P r; public byte v; do :: P[r].v = 1 od }"
    result = kripke.load(written(tmp_path, text)).check(symmetry="canonical")
    assert (result.verdict, result.kind) == ("violated", "index")


# --- families that are found ------------------------------------------------------------------------------------------

LOCK = """
byte owner = 255, inside;
active [3] proctype P() {
    do
    :: atomic { owner == 255 -> owner = _pid };
       inside++; INSIDE: assert(owner == _pid); inside--;
       owner = 255
    od
}
"""


def test_a_lock(tmp_path):
    model = kripke.load(written(tmp_path, LOCK))
    methods = ("off", "canonical", "auto")
    assert [model.check(symmetry=method, invariants=["inside < 2"]).states for method in methods] == [13, 5, 5]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("owner = _pid", "owner = _pid % 3"), "their numbers are used with"),
        (("owner == 255", "owner == 1 || owner == 255"), "process 1 is named"),
        (("od\n", "break od\n"), "come to an end"),
        (("[3]", "[1]"), "no two processes"),
    ],
)
def test_processes_that_are_not_alike(tmp_path, change, reason):
    model = kripke.load(written(tmp_path, LOCK.replace(*change).replace("break", ":: break")))
    with pytest.raises(Unsupported, match=reason):
        model.check(symmetry="canonical")
    result = model.check(symmetry="auto")
    assert result.states == model.check().states
    assert any(reason in warning for warning in result.warnings)


def test_a_variable_that_is_set_to_a_process_when_nobody_reads_it(tmp_path):
    """The message names the variable, and what it says helps."""
    text = """
    chan ask = [1] of { bool, byte };
    chan answer[2] = [1] of { bool };
    active [2] proctype client() { do :: ask!true(_pid); answer[_pid]?_; ask!false(_pid) od }
    active proctype server() { byte who; do :: ask?true(who); answer[who]!true :: ask?false(who) od }
    """
    for dead in ("zero", "initial"):
        with pytest.raises(Unsupported, match=r"who is set to 0 when it is not read again.* start with .* 255"):
            kripke.load(written(tmp_path, text), dead_variables=dead).check(symmetry="canonical")
    better = kripke.load(written(tmp_path, text.replace("byte who", "byte who = 255")), dead_variables="initial")
    assert better.check(symmetry="canonical").states < better.check().states


def test_a_property_that_names_one_process_is_refused(tmp_path):
    path = written(tmp_path, LOCK)
    for invariant in ("owner != 2", "!P[1]@INSIDE", "!P@INSIDE"):
        with pytest.raises(Unsupported, match="not alike"):
            kripke.load(path).check(symmetry="canonical", invariants=[invariant])
    assert kripke.load(path).check(symmetry="canonical", invariants=["owner != 7"]).states == 5


@pytest.mark.parametrize("engine", ["native", "interpreter"])
def test_auto_gives_way_to_reduction(tmp_path, engine):
    model = kripke.load(written(tmp_path, LOCK))
    result = model.check(symmetry="auto", por=True, engine=engine)
    assert (result.verdict, result.engine["symmetry"], result.engine["por"]) == ("holds", "off", True)
    assert any("searched without symmetry: what is chosen" in warning for warning in result.warnings)


def test_auto_gives_way_to_checkpoints(tmp_path):
    model = kripke.load(written(tmp_path, LOCK))
    result = model.check(symmetry="auto", checkpoint=str(tmp_path / "point"))
    assert (result.verdict, result.engine["symmetry"]) == ("holds", "off")
    assert any("searched without symmetry: checkpoints" in warning for warning in result.warnings)


def test_temporal_properties_are_refused(tmp_path):
    model = kripke.load(written(tmp_path, LOCK))
    with pytest.raises(Unsupported, match="symmetry"):
        model.check(ltl="[] (inside < 2)", symmetry="canonical")
    result = model.check(ltl="[] (inside < 2)", symmetry="auto")
    assert result.verdict == "holds"
    assert any("without symmetry" in warning for warning in result.warnings)


@pytest.mark.parametrize("engine", ["native", "interpreter"])
def test_a_trace_is_one_of_the_model(tmp_path, engine):
    """The processes in it are those that moved, though the search exchanged them."""
    path = written(tmp_path, LOCK.replace("assert(owner == _pid)", "owner = 255; assert(inside < 2)"))
    result = kripke.load(path).check(symmetry="canonical", engine=engine)
    assert (result.verdict, result.kind) == ("violated", "assertion")
    states = [step.before for step in result.trace.steps]
    model = load(str(path))
    assert states[0] in model.initial()
    for one, other in pairwise(states):
        assert other in [step.target for step in model.successors(one)]


@pytest.mark.parametrize("start", (0, 4))
def test_random_programs(tmp_path, start):
    words = [compare(seed, tmp_path) for seed in range(start, start + 4)]
    assert "reduced" in words
