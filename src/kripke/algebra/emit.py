"""A network, and perhaps a specification beside it, as C: tables, and one function that walks them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kripke.algebra.events import TAU, TICK
from kripke.algebra.network import Rule
from kripke.algebra.rule_masks import RuleMasks, doubtful_labels
from kripke.algebra.state_layout import WORD
from kripke.model.capabilities.estimate import Estimator
from kripke.model.patterns.emit import emit_patterns

if TYPE_CHECKING:
    from kripke.algebra.network_model import NetworkModel


def emit_c(model: NetworkModel, estimators: Sequence[Estimator] = ()) -> str:
    """See native/model/model.h for what is asked of it. ``estimators``: with these, for directed search."""
    network, spec = model.network, model.specification
    refusals = spec is not None and spec.demands is not None
    lines = [
        "/* A network of processes: see kripke/algebra/network.py. */",
        "#include <stdint.h>",
        "#include <string.h>",
        '#include "model.h"',
        _LOWEST,
    ]
    fields = model.layout.fields
    lines += [
        f"#define LEAVES {len(network.leaves)}",
        f"#define FIELDS {len(fields)}",
        f"#define BYTES {model.max_state_bytes}",
        f"#define LABELS {len(model.events_used)}",
        f"#define STATE_WORDS {model.layout.words}",
        f"#define REFUSALS {int(refusals)}",
        _array("uint8_t", "word_of", [field.bit // WORD for field in fields])
        if model.layout.words <= 256
        else _array("uint32_t", "word_of", [field.bit // WORD for field in fields]),
        _array("uint8_t", "shift_of", [field.bit % WORD for field in fields]),
        _array("uint64_t", "mask_of", [(1 << field.bits) - 1 for field in fields], "u"),
    ]
    if spec is not None:
        lines += _specification(model)
    masks = RuleMasks.fit(network)
    lines += [_ACCESS, _STATE, _doubtful(model)]
    lines += [_WITH_SPECIFICATION if spec is not None else _ALONE]
    lines += [*(_mask_tables(model) if masks else _leaf_tables(model)), _MASK_WALK if masks else _LEAF_WALK, _START]
    chaos = "if (chaotic[w.now[LEAVES]]) return;" if spec is not None else ""
    clear = "memset(w.offered, 0, sizeof w.offered);" if refusals else ""
    refuse = ""
    if refusals:
        label = model.label.get(TICK)
        only = f"if (w.offered[{label}]) {{ memset(w.offered, 0, sizeof w.offered); w.offered[{label}] = 1; }}"
        refuse = _REFUSALS.replace("ONLY_TICK", "" if label is None else only)
    lines += [_SUCCESSORS.replace("SKIP_CHAOS", chaos).replace("CLEAR", clear).replace("REFUSE", refuse)]
    if model.atoms:
        lines += _atoms(model)
    if estimators:
        prologue = "    uint64_t words[STATE_WORDS];\n    load(words, state);"
        lines.append(emit_patterns(estimators, prologue, "GET(words, {})".format))
    entry = _ENTRY.replace("ESTIMATE", "estimate" if estimators else "0")
    entry = entry.replace("VIOLATIONS", str(len(model.violation_kinds))).replace("ENDED", _ended(model))
    lines += [entry.replace("ATOM_COUNT", str(len(model.atoms))).replace("ATOMS", "atoms" if model.atoms else "0")]
    return "\n".join(lines) + "\n"


def _doubtful(model: NetworkModel) -> str:
    """Labels by which the same step may be found twice: what was emitted by them is remembered."""
    network = model.network
    unseen = [Rule(((at, TAU),), TAU) for at, leaf in enumerate(network.leaves) if TAU in leaf.events]
    doubtful = doubtful_labels(network, [*unseen, *network.rules])
    if not doubtful:
        return "#define TWICE(w, label) 0\n#define MEMORY 1"
    flags = [int(event in doubtful) for event in model.events_used]
    return _array("uint8_t", "doubtful", flags) + _TWICE


def _mask_tables(model: NetworkModel) -> list[str]:
    tables = RuleMasks(model.network)
    tables.fill(model.network)
    first: list[int] = []
    leaves: list[int] = []
    events: list[int] = []
    for rule in tables.rules:
        first.append(len(leaves))
        for leaf, event in rule.moves:
            leaves.append(leaf)
            events.append(tables.local[leaf][event])
    first.append(len(leaves))
    return [
        f"#define WORDS {tables.words}",
        _array("uint32_t", "mask_first", tables.mask_first),
        _array("uint64_t", "masks", tables.masks, "u"),
        _array("uint32_t", "go_first", tables.go_first),
        _array("uint32_t", "go_events", tables.go_events),
        _array("uint32_t", "go", tables.go, "u"),
        _array("uint32_t", "several", tables.several),
        _array("uint32_t", "rule_first", first),
        _array("uint32_t", "move_leaf", leaves),
        _array("uint32_t", "move_event", events),
        _array("uint32_t", "rule_label", [model.label[rule.event] for rule in tables.rules]),
    ]


def _leaf_tables(model: NetworkModel) -> list[str]:
    network = model.network
    # Local events of every leaf, numbered from 0 (the invisible one) in the order of the tables.
    local: list[dict[int, int]] = []
    first_state: list[int] = []
    offsets: list[int] = []
    events: list[int] = []
    targets: list[int] = []
    for leaf in network.leaves:
        numbering = {TAU: 0}  # then the others
        for event in leaf.events:
            numbering.setdefault(event, len(numbering))
        local.append(numbering)
        first_state.append(len(offsets))
        for own in leaf.steps:
            offsets.append(len(events))
            for event, target in sorted((numbering[event], target) for event, target in own):
                events.append(event)
                targets.append(target)
        offsets.append(len(events))
    # Rules by their first leaf and its event.
    first_rule: list[int] = []
    rule_offsets: list[int] = []
    rule_move: list[int] = []
    rule_label: list[int] = []
    move_leaf: list[int] = []
    move_event: list[int] = []
    by_first: list[list[list[int]]] = [[[] for _ in numbering] for numbering in local]
    for number, rule in enumerate(network.rules):
        first, event = rule.moves[0]
        by_first[first][local[first][event]].append(number)
    for table in by_first:
        first_rule.append(len(rule_offsets))
        for numbers in table:
            rule_offsets.append(len(rule_label))
            for number in numbers:
                rule = network.rules[number]
                rule_label.append(model.label[rule.event])
                rule_move.append(len(move_leaf))
                for other, event in rule.moves[1:]:
                    move_leaf.append(other)
                    move_event.append(local[other][event])
        rule_offsets.append(len(rule_label))
    rule_move.append(len(move_leaf))
    return [
        _array("uint32_t", "first_state", first_state),
        _array("uint32_t", "offsets", offsets),
        _array("uint32_t", "events", events),
        _array("uint32_t", "targets", targets),
        _array("uint32_t", "first_rule", first_rule),
        _array("uint32_t", "rule_offsets", rule_offsets),
        _array("uint32_t", "rule_move", rule_move),
        _array("uint32_t", "rule_label", rule_label),
        _array("uint32_t", "move_leaf", move_leaf),
        _array("uint32_t", "move_event", move_event),
    ]


def _atoms(model: NetworkModel) -> list[str]:
    """What can happen in a state, as sets of labels."""
    offsets: list[int] = []
    labels: list[int] = []
    for has in model.base.asked.states.values():
        offsets.append(len(labels))
        labels += sorted(model.labels_of(has))
    offsets.append(len(labels))
    return [
        f"#define ATOM_SETS {len(model.atoms)}",
        _array("uint32_t", "atom_offsets", offsets),
        _array("uint32_t", "atom_labels", labels),
        _ATOMS,
    ]


def _ended(model: NetworkModel) -> str:
    """May the network rest in this state?"""
    network = model.network
    if model.specification is not None:
        return "1"
    return "0" if network.dead is None else f"GET(words, {network.dead}) == {network.leaves[network.dead].ended}"


def _array(kind: str, name: str, values: Iterable[int], suffix: str = "") -> str:
    listed = list(values) or [0]
    chunks = [", ".join(f"{number}{suffix}" for number in listed[at : at + 24]) for at in range(0, len(listed), 24)]
    return f"static const {kind} {name}[{len(listed)}] = {{\n" + ",\n".join(chunks) + "};"


def _specification(model: NetworkModel) -> list[str]:
    spec = model.specification
    assert spec is not None
    offsets: list[int] = []
    labels: list[int] = []
    following: list[int] = []
    for after in spec.after:
        offsets.append(len(labels))
        for label, node in sorted((model.label[event], node) for event, node in after.items() if event in model.label):
            labels.append(label)
            following.append(node)
    offsets.append(len(labels))
    lines = [
        _array("uint32_t", "spec_offsets", offsets),
        _array("uint32_t", "spec_labels", labels),
        _array("uint32_t", "spec_nodes", following),
        _array("uint8_t", "chaotic", [int(node in spec.chaotic) for node in range(len(spec.after))]),
    ]
    if spec.demands is not None:
        sets: list[int] = []
        events_at: list[int] = []
        demanded: list[int] = []
        for demands in spec.demands:
            sets.append(len(events_at))
            # A demand with an event the network never does cannot be met.
            for demand in demands or ():
                if all(event in model.label for event in demand):
                    events_at.append(len(demanded))
                    demanded += sorted(model.label[event] for event in demand)
        sets.append(len(events_at))
        events_at.append(len(demanded))
        lines += [
            _array("uint32_t", "demand_sets", sets),
            _array("uint32_t", "demand_events", events_at),
            _array("uint32_t", "demanded", demanded),
        ]
    return lines


_LOWEST = """
#if defined(__GNUC__) && !defined(__TINYC__)
#define LOWEST(word) ((uint32_t)__builtin_ctzll(word))
#else
static uint32_t lowest(uint64_t word) {
    uint32_t at = 0;
    while (!(word >> at & 1)) at++;
    return at;
}
#define LOWEST(word) lowest(word)
#endif
"""

_ACCESS = """
/* A state in words; field k of it is the state of leaf k, the last one the node of the specification. */
#if STATE_WORDS == 1
#define WORD_OF(k) 0
#else
#define WORD_OF(k) word_of[k]
#endif
#define GET(words, k) ((uint32_t)((words)[WORD_OF(k)] >> shift_of[k] & mask_of[k]))
#define PUT(words, k, value) \\
    ((words)[WORD_OF(k)] = ((words)[WORD_OF(k)] & ~(mask_of[k] << shift_of[k])) | ((value) & mask_of[k]) << shift_of[k])

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
static inline void load(uint64_t *words, const uint8_t *state) {
    memset(words, 0, 8 * STATE_WORDS);
    for (uint32_t k = 0; k < BYTES; k++) words[k / 8] |= (uint64_t)state[k] << (8 * (k % 8));
}
static inline void store(uint8_t *state, const uint64_t *words) {
    for (uint32_t k = 0; k < BYTES; k++) state[k] = (uint8_t)(words[k / 8] >> (8 * (k % 8)));
}
#else
static inline void load(uint64_t *words, const uint8_t *state) {
    words[STATE_WORDS - 1] = 0;
    memcpy(words, state, BYTES);
}
static inline void store(uint8_t *state, const uint64_t *words) { memcpy(state, words, BYTES); }
#endif
"""

_STATE = """
typedef struct walk {
    kripke_sink *sink;
    uint64_t next[STATE_WORDS];
    uint32_t now[LEAVES + 1];
    uint32_t some_tau;
    uint32_t remembered;
    uint8_t *memory;
#if REFUSALS
    uint8_t offered[LABELS];
#endif
} walk;
"""

_TWICE = """
/* What was emitted by labels that may give a step twice; where there is no room, a step may count twice. */
#define REMEMBERED (BYTES < 1000 ? 256 : 16)
#define MEMORY (REMEMBERED * (8 * STATE_WORDS + 4))

static int twice(walk *w, uint32_t label) {
    const uint32_t size = 8 * STATE_WORDS + 4;
    if (!doubtful[label]) return 0;
    for (uint32_t k = 0; k < w->remembered; k++) {
        const uint8_t *at = w->memory + k * size;
        if (memcmp(at, &label, 4) == 0 && memcmp(at + 4, w->next, 8 * STATE_WORDS) == 0) return 1;
    }
    if (w->remembered < REMEMBERED) {
        uint8_t *at = w->memory + w->remembered++ * size;
        memcpy(at, &label, 4);
        memcpy(at + 4, w->next, 8 * STATE_WORDS);
    }
    return 0;
}
#define TWICE(w, label) twice(w, label)
"""

_ALONE = """
static inline void done(walk *w, uint32_t label) {
    if (TWICE(w, label)) return;
    store(w->sink->out, w->next);
    w->sink->covered[label] = 1;
    w->sink->emit(w->sink, BYTES, label);
}
"""

_WITH_SPECIFICATION = """
static inline void done(walk *w, uint32_t label) {
    kripke_sink *sink = w->sink;
    if (TWICE(w, label)) return;
    sink->covered[label] = 1;
#if REFUSALS
    w->offered[label] = 1;
    w->some_tau |= label == 0;
#endif
    uint32_t node = w->now[LEAVES];
    if (label != 0) {
        uint32_t low = spec_offsets[node], high = spec_offsets[node + 1];
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (spec_labels[middle] < label) low = middle + 1; else high = middle;
        }
        if (low == spec_offsets[node + 1] || spec_labels[low] != label) {
            sink->report(sink, 0, label);
            return;
        }
        node = spec_nodes[low];
    }
    PUT(w->next, LEAVES, node);
    store(sink->out, w->next);
    PUT(w->next, LEAVES, w->now[LEAVES]);
    sink->emit(sink, BYTES, label);
}
"""

_LEAF_WALK = """
/* The moves of a rule from `move` on: every way its other leaves can do their events. */
static void together(walk *w, uint32_t move, uint32_t end, uint32_t label) {
    if (move == end) {
        done(w, label);
        return;
    }
    uint32_t leaf = move_leaf[move], event = move_event[move];
    const uint32_t *range = offsets + first_state[leaf] + w->now[leaf];
    uint32_t k = range[0], stop = range[1];
    if (stop - k > 16) {
        uint32_t high = stop;
        while (k < high) {
            uint32_t middle = k + (high - k) / 2;
            if (events[middle] < event) k = middle + 1; else high = middle;
        }
    }
    for (; k < stop && events[k] <= event; k++) {
        if (events[k] != event) continue;
        PUT(w->next, leaf, targets[k]);
        together(w, move + 1, end, label);
    }
    PUT(w->next, leaf, w->now[leaf]);
}

/* The steps the leaf begins. */
static void begin(walk *w, uint32_t leaf) {
    const uint32_t *range = offsets + first_state[leaf] + w->now[leaf];
    for (uint32_t k = range[0]; k < range[1]; k++) {
        uint32_t event = events[k];
        PUT(w->next, leaf, targets[k]);
        if (event == 0) {
            w->some_tau = 1;
            done(w, 0);
            continue;
        }
        const uint32_t *rules = rule_offsets + first_rule[leaf] + event;
        for (uint32_t r = rules[0]; r < rules[1]; r++) WALK_RULE
    }
    PUT(w->next, leaf, w->now[leaf]);
}

static void steps(walk *w) {
    for (uint32_t leaf = 0; leaf < LEAVES; leaf++) begin(w, leaf);
}
""".replace("WALK_RULE", "together(w, rule_move[r], rule_move[r + 1], rule_label[r]);")

_MASK_WALK = """
/* The moves of a rule from `move` on, where a leaf may go several ways. */
static void ways(walk *w, uint32_t move, uint32_t end, uint32_t label) {
    if (move == end) {
        done(w, label);
        return;
    }
    uint32_t leaf = move_leaf[move];
    uint32_t to = go[go_first[leaf] + w->now[leaf] * go_events[leaf] + move_event[move]];
    const uint32_t *list = several + (to & 0x7FFFFFFFu);
    uint32_t count = to >> 31 ? list[0] : 1;
    for (uint32_t k = 0; k < count; k++) {
        PUT(w->next, leaf, to >> 31 ? list[k + 1] : to - 1);
        ways(w, move + 1, end, label);
    }
    PUT(w->next, leaf, w->now[leaf]);
}

static inline void apply(walk *w, uint32_t rule) {
    uint32_t first = rule_first[rule], end = rule_first[rule + 1], several_ways = 0;
    for (uint32_t move = first; move < end; move++) {
        uint32_t leaf = move_leaf[move];
        uint32_t to = go[go_first[leaf] + w->now[leaf] * go_events[leaf] + move_event[move]];
        several_ways |= to >> 31;
        PUT(w->next, leaf, to - 1);
    }
    if (!several_ways) done(w, rule_label[rule]);
    for (uint32_t move = first; move < end; move++) PUT(w->next, move_leaf[move], w->now[move_leaf[move]]);
    if (several_ways) ways(w, first, end, rule_label[rule]);
}

/* The rules that no leaf is in the way of. */
static void steps(walk *w) {
    uint64_t can[WORDS];
    const uint64_t *mask = masks + mask_first[0] + w->now[0] * WORDS;
    for (uint32_t k = 0; k < WORDS; k++) can[k] = mask[k];
    for (uint32_t leaf = 1; leaf < LEAVES; leaf++) {
        mask = masks + mask_first[leaf] + w->now[leaf] * WORDS;
        for (uint32_t k = 0; k < WORDS; k++) can[k] &= mask[k];
    }
    for (uint32_t k = 0; k < WORDS; k++)
        for (uint64_t left = can[k]; left != 0; left &= left - 1) apply(w, 64 * k + LOWEST(left));
}
"""

_START = """
static void start(walk *w, const uint8_t *state, kripke_sink *sink) {
    w->sink = sink;
    load(w->next, state);
    for (uint32_t k = 0; k < FIELDS; k++) w->now[k] = GET(w->next, k);
    w->some_tau = 0;
    w->remembered = 0;
}
"""

_SUCCESSORS = """
static void successors(const uint8_t *state, uint32_t length, kripke_sink *sink) {
    walk w;
    uint8_t memory[MEMORY];
    (void)length;
    w.memory = memory;
    start(&w, state, sink);
    SKIP_CHAOS
    CLEAR
    steps(&w);
    REFUSE
}
"""

_REFUSALS = """
    if (w.some_tau) return;
    ONLY_TICK
    for (uint32_t s = demand_sets[w.now[LEAVES]]; s < demand_sets[w.now[LEAVES] + 1]; s++) {
        uint32_t k = demand_events[s];
        while (k < demand_events[s + 1] && w.offered[demanded[k]]) k++;
        if (k == demand_events[s + 1]) return;
    }
    sink->report(sink, 1, 0);
"""

_ATOMS = """
static void ignore(kripke_sink *sink, uint32_t length, uint32_t label) {
    (void)sink;
    (void)length;
    (void)label;
}

/* The steps are made, and thrown away: which labels they have is left in `covered`. */
static void atoms(const uint8_t *state, uint32_t length, uint64_t *truth) {
    walk w;
    kripke_sink sink;
    uint8_t out[BYTES], covered[LABELS], memory[MEMORY];
    (void)length;
    w.memory = memory;
    memset(&sink, 0, sizeof sink);
    memset(covered, 0, sizeof covered);
    sink.out = out;
    sink.emit = ignore;
    sink.covered = covered;
    start(&w, state, &sink);
    steps(&w);
    for (uint32_t a = 0; a < ATOM_SETS; a++) {
        uint64_t some = 0;
        for (uint32_t k = atom_offsets[a]; k < atom_offsets[a + 1]; k++) some |= covered[atom_labels[k]];
        truth[a / 64] = (truth[a / 64] & ~(UINT64_C(1) << (a % 64))) | some << (a % 64);
    }
}
"""

_ENTRY = """
static void initial(kripke_sink *sink) {
    memset(sink->out, 0, BYTES);
    sink->emit(sink, BYTES, 0);
}

static int valid_end(const uint8_t *state, uint32_t length) {
    uint64_t words[STATE_WORDS];
    (void)length;
    load(words, state);
    return ENDED;
}

static const kripke_model model = {
    .abi = KRIPKE_ABI,
    .max_state_bytes = BYTES,
    .label_count = LABELS,
    .violation_count = VIOLATIONS,
    .atom_count = ATOM_COUNT,
    .flags = 0,
    .name = "network",
    .initial = initial,
    .successors = successors,
    .valid_end = valid_end,
    .atoms = ATOMS,
    .estimate = ESTIMATE,
};

const kripke_model *kripke_model_entry(void) { return &model; }
"""
