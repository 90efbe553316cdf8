"""What compiled nets tell partial-order reduction: the unit of every step, and what units lack (``classes.py``)."""

from __future__ import annotations

from kripke.nets.dependence import MOST_CONDITIONS
from kripke.nets.high_level.classes import Units
from kripke.nets.high_level.dependence import conditions
from kripke.nets.high_level.emit.values import Types
from kripke.nets.high_level.types import StructType

_DENSE = 4096  # keys of which a table has every one


class UnitCode:
    """``lines`` are the tables and functions that the code of transitions uses."""

    def __init__(self, units: Units, types: Types) -> None:
        self.units = units
        self._types = types
        self.lines = [_LOOKING_UP]
        for place in range(len(units.net.places)):
            self.lines += self._sort_function(place)
        edges = [sorted(children.items()) for children in units.edges]
        self.lines += [
            _array("edge_start", _starts([len(children) for children in edges])),
            _array("edge_sort", [sort for children in edges for sort, _ in children]),
            _array("edge_node", [node for children in edges for _, node in children]),
            _array("node_unit", [number & 0xFFFFFFFF for number in units.unit_at]),
            _WALKING,
        ]

    def root(self, transition: int) -> int:
        return self.units.roots[transition]

    def _sort_function(self, place: int) -> list[str]:
        sorting = self.units.sortings[place]
        known = self.units.of_key[place]
        head = f"static inline uint32_t sort{place}(int64_t key) {{"
        if not sorting.paths:
            only = next(iter(known.values()), None)
            return [head, "    (void)key;", f"    return {'NOWHERE' if only is None else f'{only}u'};", "}"]
        ((path,), (type_,)) = sorting.paths, sorting.types
        text, at = "key", self.units.net.places[place].type
        for component in path:
            assert isinstance(at, StructType)
            text, at = self._types.component(at, text, component), at.types[component]
        self._types.name(at)
        numbers = sorted((type_.key(value), sort) for (value,), sort in known.items())
        if not numbers:
            return [head, "    (void)key;", "    return NOWHERE;", "}"]
        low, high = numbers[0][0], numbers[-1][0]
        if high - low < _DENSE:
            table = dict(numbers)
            return [
                _array(f"sorts{place}", [table.get(key, 0xFFFFFFFF) for key in range(low, high + 1)]),
                head,
                f"    const int64_t at = {text} - INT64_C({low});",
                f"    return at < 0 || at > INT64_C({high - low}) ? NOWHERE : sorts{place}[at];",
                "}",
            ]
        keys = ", ".join(f"INT64_C({key})" for key, _ in numbers)
        return [
            f"static const int64_t keys{place}[] = {{{keys}}};",
            _array(f"sorts{place}", [sort for _, sort in numbers]),
            head,
            f"    const uint32_t at = find_key(keys{place}, {len(numbers)}u, {text});",
            f"    return at == NOWHERE ? NOWHERE : sorts{place}[at];",
            "}",
        ]

    def lacking(self) -> list[str]:
        """The functions that the engine asks; behind those that read states."""
        units = self.units
        needed = [conditions(units, number) for number in range(len(units.units))]
        return [
            _array("need_start", _starts([len(needs) for needs in needed])),
            _array("need_sort", [sort for needs in needed for sort, _ in needs]),
            _array("need_least", [least for needs in needed for _, least in needs]),
            *self._counting(),
            f"#define UNITS {len(units.units)}u",
            f"#define SORTS {len(units.sorts)}u",
            _LACKING,
        ]

    def _counting(self) -> list[str]:
        """The tokens of each sort in a state; 0 where there is no memory to find out."""
        net = self.units.net
        head = "static int count_sorts(const uint8_t *state, uint32_t length, uint64_t *count) {"
        if not net.implicit_order:
            return [
                head,
                "    reader r = {state + WIDTH, length - WIDTH, 0};",
                "    (void)r, (void)count;",
                *(f"    count_place(&r, &shapes[{place}], sort{place}, count);" for place in net.stored),
                "    return 1;",
                "}",
            ]
        return [
            head,
            "    context *const c = calloc(1, sizeof(context));",
            "    if (!c) return 0;",
            "    read_state(c, state, length);",
            *(f"    count_bag(&c->here[{n}], sort{n}, count);" for n, p in enumerate(net.places) if not p.constant),
            "    const int known = !c->failed;",
            "    context_free(c);",
            "    return known;",
            "}",
        ]

    @property
    def entry(self) -> str:
        return "    1, UNITS, configuration, lacking,"


def _starts(sizes: list[int]) -> list[int]:
    starts = [0]
    for size in sizes:
        starts.append(starts[-1] + size)
    return starts


def _array(name: str, numbers: list[int]) -> str:
    texts = [f"{number}u" for number in numbers] or ["0"]
    lines = [", ".join(texts[at : at + 20]) for at in range(0, len(texts), 20)]
    return f"static const uint32_t {name}[] = {{\n    " + ",\n    ".join(lines) + "\n};"


_LOOKING_UP = """
#define NOWHERE UINT32_MAX

static inline uint32_t find_key(const int64_t *keys, uint32_t size, int64_t key) {
    uint32_t low = 0, high = size;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < size && keys[low] == key ? low : NOWHERE;
}
"""

_WALKING = """
/* Where the search for an instance is after it has taken a token of this sort; sort 0: none. */
static inline uint32_t next_node(uint32_t node, uint32_t sort) {
    if (node == NOWHERE)
        return NOWHERE;
    uint32_t low = edge_start[node], high = edge_start[node + 1];
    const uint32_t end = high;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (edge_sort[middle] < sort)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && edge_sort[low] == sort ? edge_node[low] : NOWHERE;
}

static inline uint32_t unit_of(uint32_t node) { return node == NOWHERE ? NOWHERE : node_unit[node]; }

static inline void count_bag(const bag *b, uint32_t (*sort_of)(int64_t), uint64_t *count) {
    for (uint32_t i = 0; i < b->n; i++) {
        const uint32_t sort = sort_of(b->key[i]);
        if (sort != NOWHERE)
            count[sort] += b->count[i];
    }
}

/* The tokens of each sort on the next place of a state. */
static inline void count_place(reader *r, const shape *s, uint32_t (*sort_of)(int64_t), uint64_t *count) {
    uint64_t total = read_count(r, s);
    if (!total)
        return;
    for (uint64_t kinds = get(r, bits_of(total)) + 1; kinds; kinds--) {
        const uint64_t low = (total + kinds - 1) / kinds, high = total - kinds + 1;
        const uint64_t copies = low + (high > low ? get(r, bits_of(high - low + 1)) : 0);
        const uint32_t sort = sort_of(s->key((int64_t)get(r, s->value_bits)));
        if (sort != NOWHERE)
            count[sort] += copies;
        total -= copies;
    }
}
"""

_LACKING = f"""
static uint32_t configuration(const uint8_t *state, uint32_t length, uint8_t *key) {{
    (void)state, (void)length, (void)key;
    return 0;
}}

/* The last first: sets are looked for from the end. Where nothing is seen to be missing, only trying shows. */
static uint32_t lacking(const uint8_t *state, uint32_t length, kripke_lack *here) {{
    uint64_t count[SORTS];
    memset(count, 0, sizeof count);
    const int known = count_sorts(state, length, count);
    uint32_t written = 0;
    for (uint32_t u = UNITS; u-- > 0; written++) {{
        uint32_t lack = 0;
        for (uint32_t i = need_start[u], c = 1; i < need_start[u + 1]; i++, c += c < {MOST_CONDITIONS}u)
            if (known && count[need_sort[i]] < need_least[i]) lack |= UINT32_C(1) << c;
        here[written].transition = here[written].actor = u;
        here[written].lacking = lack ? lack : KRIPKE_UNCLEAR;
        here[written].selector = 0;
    }}
    return written;
}}
"""
