"""The kernel of programs that run: records, queues of those who wait, two schedulers, interrupts.

It is the game of ``emit/runtime.py`` with one partner instead of all: the first in the queue. Every action it takes is
a step of the checked program, and with ``-DLF_STATES`` it writes the states that it passes, in the checker's form.
"""

STRUCT = r"""
typedef struct queue queue;
typedef struct node { struct node *before, *after; queue *in; uint8_t pid, number; } node;
struct queue { node *first, *last; };

/* All memory there is: nothing is allocated while the program runs. */
typedef struct {
    uint8_t *s;
    uint32_t count;         /* slots in use, up to the last */
    uint32_t failed;
    uint32_t at[MOST_PROCESSES + 1];
} memory;

static uint8_t space[GLOBAL_BYTES + MOST_PROCESSES * RECORD_BYTES + 1];
static node nodes[MOST_PROCESSES][MOST_ALTERNATIVES];
/* of every channel and message: who waits to receive or send, and who selects */
static queue queues[MOST_CHANNELS + 1][MOST_MESSAGES][2][2];
static uint16_t children[MOST_PROCESSES];
static uint32_t rechecking; /* processes that wait with guards about what others may change */
static int64_t deadline[MOST_PROCESSES], due[MOST_PROCESSES];
static volatile sig_atomic_t stopped;
static uint64_t actions, messages, started;
static uint32_t chosen = 1; /* state of the generator that takes choices */
"""

KERNEL = r"""
/* ---- the ready processes ---- */

static uint8_t ring[256];
static uint8_t ring_first, ring_count;
static int earliest_deadline_first;

static void make_ready(uint32_t pid) {
    if (DEADLINES) due[pid] = deadline[pid] ? (int64_t)actions + deadline[pid] : INT64_MAX;
    ring[(uint8_t)(ring_first + ring_count++)] = (uint8_t)pid;
}

static uint32_t take_ready(void) {
    uint32_t best = 0;
    if (earliest_deadline_first) {
        for (uint32_t i = 1; i < ring_count; i++)
            if (due[ring[(uint8_t)(ring_first + i)]] < due[ring[(uint8_t)(ring_first + best)]]) best = i;
        uint8_t pid = ring[(uint8_t)(ring_first + best)];
        for (uint32_t i = best; i; i--) ring[(uint8_t)(ring_first + i)] = ring[(uint8_t)(ring_first + i - 1)];
        ring_first++;
        ring_count--;
        return pid;
    }
    ring_count--;
    return ring[ring_first++];
}

/* An action is done that was due when so many were. */
static uint64_t timed, missed, latest;

static inline void look_at_deadline(int64_t by) {
    timed++;
    if ((int64_t)actions <= by) return;
    missed++;
    if (actions - (uint64_t)by > latest) latest = actions - (uint64_t)by;
}

/* ---- what goes wrong ---- */

static void finish(int code) {
    fflush(stdout);
    exit(code);
}

static void report(memory *w, uint32_t label) {
    fflush(stdout);
    fprintf(stderr, "%s: error: %s\n", label_place[label], violation_text[w->failed - 1]);
    fprintf(stderr, "  %s\n", label_text[label]);
    finish(1);
}

/* ---- processes ---- */

static uint32_t start(memory *w, const uint8_t *record, uint32_t size) {
    uint32_t pid = 0;
    while (pid < w->count && get_control(w->s + w->at[pid])) pid++;
    if (pid >= MOST_PROCESSES) { fail(w, PROCESSES); return 0; }
    if (pid == w->count) w->count++;
    memcpy(w->s + w->at[pid], record, size);
    if ((record[2] & 0x7F) != 0x7F) children[record[2] & 0x7F]++;
    deadline[pid] = 0;
    started++;
    make_ready(pid);
    return pid;
}

/* A process at its end goes when those that it created have gone; then its own creator may, or goes on. */
static void end_process(memory *w, uint32_t pid, uint32_t ended) {
    if (children[pid]) {
        set_control(w->s + w->at[pid], ended);
        return;
    }
    for (;;) {
        uint8_t *slot = w->s + w->at[pid];
        uint32_t parent = slot[2], creator = parent & 0x7F;
        memset(slot, 0, record_bytes[get_control(slot)]);
        while (w->count && !get_control(w->s + w->at[w->count - 1])) w->count--;
        if (creator == 0x7F) return;
        uint8_t *record = w->s + w->at[creator];
        children[creator]--;
        if (parent & 0x80) {
            set_control(record, continues[get_control(record)]);
            make_ready(creator);
            return;
        }
        if (!is_ended[get_control(record)] || children[creator]) return;
        pid = creator;
    }
}

static uint8_t free_channel(memory *w) {
    uint8_t used[256] = {0};
    for (uint32_t i = 1; i <= GLOBAL_PORTS; i++) used[w->s[global_ports[i - 1]]] = 1;
    for (uint32_t pid = 0; pid < w->count; pid++) {
        const uint8_t *record = w->s + w->at[pid];
        uint32_t control = get_control(record);
        if (!control) continue;
        for (uint32_t i = first_port[control]; i < last_port[control]; i++) used[record[ports[i]]] = 1;
    }
    for (uint32_t i = 1; i < 256; i++)
        if (!used[i]) return (uint8_t)i;
    fail(w, CHANNELS);
    return 0;
}

/* ---- communication ---- */

static inline uint32_t port_of(const memory *w, uint32_t self, uint32_t control, uint32_t number) {
    return w->s[w->at[self] + waiting[control].alternatives[number].port];
}

static uint32_t values_of(memory *w, uint32_t self, uint32_t control, uint32_t number, int64_t *values);
static int store_at(memory *w, uint32_t self, uint32_t control, uint32_t number, const int64_t *values);
static int targets_of(memory *w, uint32_t self, uint32_t control, uint32_t number, int64_t *values);
static int guard_of(memory *w, uint32_t self, uint32_t control, uint32_t number);

static inline void enqueue(queue *q, node *one) {
    one->in = q;
    one->after = 0;
    one->before = q->last;
    if (q->last) q->last->after = one; else q->first = one;
    q->last = one;
}

static inline void dequeue(node *one) {
    queue *q = one->in;
    if (one->before) one->before->after = one->after; else q->first = one->after;
    if (one->after) one->after->before = one->before; else q->last = one->before;
}

static inline void forget(uint8_t *record, const waiting_place *place) {
    if (!place->pending[1]) return; /* those that keep something come first */
    for (uint32_t i = 0; i < 6; i += 2)
        if (place->pending[i + 1]) memset(record + place->pending[i], 0, place->pending[i + 1]);
}

static void leave(memory *w, uint32_t pid, const waiting_place *place) {
    for (uint32_t i = 0; i < place->count; i++) dequeue(&nodes[pid][i]);
    rechecking -= place->rechecks;
    forget(w->s + w->at[pid], place);
}

/* Hand the message over; 0 where a guard is false or a constant differs, and then nothing has happened. */
static int hand_over(memory *w, uint32_t self, uint32_t control, uint32_t number, const node *other) {
    const waiting_place *place = &waiting[control];
    const alternative *mine = &place->alternatives[number];
    uint32_t pid = other->pid, their_control = get_control(w->s + w->at[pid]), their_number = other->number;
    const waiting_place *their_place = &waiting[their_control];
    const alternative *theirs = &their_place->alternatives[their_number];
    uint32_t receiver = mine->sends ? pid : self, at = mine->sends ? their_control : control;
    uint32_t which = mine->sends ? their_number : number;
    const int guarded = mine->guarded || theirs->guarded;
    int64_t values[MOST_FIELDS] = {0}, before[MOST_FIELDS] = {0};
    if (mine->has_data) {
        if (mine->sends) values_of(w, self, control, number, values);
        else values_of(w, pid, their_control, their_number, values);
        if (guarded) targets_of(w, receiver, at, which, before);
        if (!store_at(w, receiver, at, which, values)) return 0;
    }
    if (guarded) {
        int holds = 1;
        if (mine->guarded) {
            holds = guard_of(w, self, control, number);
            if (w->failed) report(w, mine->label);
        }
        if (holds && theirs->guarded) {
            holds = guard_of(w, pid, their_control, their_number);
            if (w->failed) report(w, theirs->label);
        }
        if (!holds) {
            if (mine->has_data) store_at(w, receiver, at, which, before);
            return 0;
        }
    }
    leave(w, pid, their_place);
    set_control(w->s + w->at[pid], theirs->next);
    make_ready(pid);
    messages++;
    return 1;
}

/* Communicate with the first who waits for it. */
static inline int pairs(memory *w, uint32_t self, uint32_t control, const uint8_t *channels) {
    const waiting_place *place = &waiting[control];
    for (uint32_t i = 0; i < place->count; i++) {
        const alternative *one = &place->alternatives[i];
        queue (*there)[2] = &queues[channels[i]][one->message][!one->sends];
        for (int selects = 0; selects <= !place->selects; selects++)
            for (node *other = (*there)[selects].first; other; other = other->after)
                if (other->pid != self && hand_over(w, self, control, i, other)) return (int)i + 1;
    }
    return 0;
}

/* The end of an action: the process communicates, or waits. */
static void communicate(memory *w, uint32_t self, uint32_t control, uint32_t label) {
    const waiting_place *place = &waiting[control];
    uint8_t *record = w->s + w->at[self];
    uint8_t channels[MOST_ALTERNATIVES] = {0};
    for (uint32_t i = 0; i < place->count; i++)
        if (!(channels[i] = (uint8_t)port_of(w, self, control, i))) { fail(w, CHANNEL); report(w, label); }
    int found = pairs(w, self, control, channels);
    if (found) {
        forget(record, place);
        set_control(record, place->alternatives[found - 1].next);
        return;
    }
    for (uint32_t i = 0; i < place->count; i++) {
        const alternative *one = &place->alternatives[i];
        node *mine = &nodes[self][i];
        mine->pid = (uint8_t)self;
        mine->number = (uint8_t)i;
        enqueue(&queues[channels[i]][one->message][one->sends][place->selects], mine);
    }
    rechecking += place->rechecks;
    set_control(record, control);
}
"""

MAIN = r"""
/* ---- devices: what the addresses of PORTIN and PORTOUT stand for ---- */

#define CONSOLE 0x3F8 /* reads and writes characters */

static int64_t registers[65536];

static int tell_interrupted(void) {
    fflush(stdout);
    fprintf(stderr, "\ninterrupted\n");
    return 130;
}

static int64_t device_in(int64_t address) {
    if (address == CONSOLE) {
        fflush(stdout);
        int read = getchar(); /* -1 at the end, and where somebody asks to stop */
        if (stopped) finish(tell_interrupted());
        return read;
    }
    return address >= 0 && address < 65536 ? registers[address] : 0;
}

static void device_out(int64_t address, int64_t value) {
    if (address == CONSOLE) putchar((int)(value & 255));
    else if (address >= 0 && address < 65536) registers[address] = value;
}

/* ---- interrupts ---- */

typedef struct { uint32_t every; FILE *file; int64_t next; uint32_t pending; } source;
static source sources[16];
static int sources_used;
static volatile sig_atomic_t ticked;

static int64_t milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t began;

static void next_of(source *one) {
    long time;
    if (one->every) { one->next += one->every; return; }
    if (one->file && fscanf(one->file, "%ld", &time) == 1) { one->next = began + time; return; }
    one->next = INT64_MAX;
}

/* An interrupt is a message on its channel from nobody; where nobody waits for it, it is remembered. */
static int deliver(memory *w, int number) {
    if (interrupt_port[number] < 0 || !sources[number].pending) return 0;
    uint32_t channel = w->s[interrupt_port[number]];
    if (!channel) return 0;
    for (int selects = 0; selects < 2; selects++)
        for (node *other = queues[channel][0][0][selects].first; other; other = other->after) {
            uint32_t control = get_control(w->s + w->at[other->pid]), pid = other->pid;
            const alternative *one = &waiting[control].alternatives[other->number];
            if (one->guarded && !guard_of(w, pid, control, other->number)) continue;
            leave(w, pid, &waiting[control]);
            set_control(w->s + w->at[pid], one->next);
            make_ready(pid);
            sources[number].pending--;
            messages++;
            return 1;
        }
    return 0;
}

/* Returns whether anything may still come. */
static int look_at_interrupts(memory *w) {
    int more = 0;
    int64_t now = milliseconds();
    for (int i = 0; i < 16; i++) {
        source *one = &sources[i];
        if (!one->every && !one->file) continue;
        while (one->next <= now) { one->pending++; next_of(one); }
        while (deliver(w, i)) {}
        more |= one->next != INT64_MAX;
    }
    return more;
}

static void on_stop(int signal_number) { (void)signal_number; stopped = 1; }
static void on_tick(int signal_number) { (void)signal_number; ticked = 1; }

/* ---- the loop ---- */

#ifdef LF_STATES
static FILE *states;

/* The state as the checker has it: its length, then its bytes. */
static void write_state(const memory *w) {
    static uint8_t out[sizeof space];
    uint32_t n = GLOBAL_BYTES;
    if (!states) return;
    memcpy(out, w->s, GLOBAL_BYTES);
    for (uint32_t pid = 0; pid < w->count; pid++) {
        uint32_t size = record_bytes[get_control(w->s + w->at[pid])];
        memcpy(out + n, w->s + w->at[pid], size);
        n += size;
    }
    fwrite(&n, sizeof n, 1, states);
    fwrite(out, 1, n, states);
}
#else
#define write_state(w) ((void)0)
#endif

static void recheck(memory *w) {
    for (uint32_t pid = 0; pid < w->count; pid++) {
        uint32_t control = get_control(w->s + w->at[pid]);
        const waiting_place *place = &waiting[control];
        if (!place->rechecks) continue;
        uint8_t channels[MOST_ALTERNATIVES] = {0};
        for (uint32_t i = 0; i < place->count; i++) channels[i] = (uint8_t)port_of(w, pid, control, i);
        int found = pairs(w, pid, control, channels);
        if (!found) continue;
        leave(w, pid, place);
        set_control(w->s + w->at[pid], place->alternatives[found - 1].next);
        make_ready(pid);
        actions++;
        write_state(w);
    }
}

static void tell_deadlock(const memory *w) {
    fflush(stdout);
    fprintf(stderr, "deadlock: every process that has not ended waits for another\n");
    for (uint32_t pid = 0; pid < w->count; pid++) {
        uint32_t control = get_control(w->s + w->at[pid]);
        const waiting_place *place = &waiting[control];
        for (uint32_t i = 0; i < place->count; i++) {
            uint32_t label = place->alternatives[i].label;
            fprintf(stderr, "  %s:%u %s %s: %s\n", process_name[process_of[control]], pid, i ? "or" : "waits at",
                    label_place[label], label_text[label]);
        }
    }
}

static int usage(const char *program) {
    fprintf(stderr,
            "usage: %s [options]\n"
            "  --scheduler round-robin|earliest-deadline-first\n"
            "  --seed N                 which choices are taken\n"
            "  --actions N              stop after so many\n"
            "  --interrupt K=every:MS   interrupt K every so many milliseconds\n"
            "  --interrupt K=FILE       at the times in a file, in milliseconds\n"
            "  --statistics             what was done, and how fast\n", program);
    return 2;
}

int main(int count, char **arguments) {
    static memory all;
    memory *w = &all;
    uint64_t most = UINT64_MAX;
    int statistics = 0, coming = 0;
    for (int i = 1; i < count; i++) {
        const char *value = i + 1 < count ? arguments[i + 1] : 0;
        if (!strcmp(arguments[i], "--statistics")) { statistics = 1; continue; }
        if (!value) return usage(arguments[0]);
        if (!strcmp(arguments[i], "--scheduler")) {
            earliest_deadline_first = !strcmp(value, "earliest-deadline-first");
            if (!earliest_deadline_first && strcmp(value, "round-robin")) return usage(arguments[0]);
        } else if (!strcmp(arguments[i], "--seed")) chosen = (uint32_t)strtoul(value, 0, 10) * 2654435761u | 1u;
        else if (!strcmp(arguments[i], "--actions")) most = strtoull(value, 0, 10);
#ifdef LF_STATES
        else if (!strcmp(arguments[i], "--states")) states = fopen(value, "wb");
#endif
        else if (!strcmp(arguments[i], "--interrupt")) {
            char *end;
            unsigned long number = strtoul(value, &end, 10);
            if (number > 15 || *end != '=') return usage(arguments[0]);
            source *one = &sources[number];
            if (!strncmp(end + 1, "every:", 6)) one->every = (uint32_t)strtoul(end + 7, 0, 10);
            else if (!(one->file = fopen(end + 1, "r"))) { perror(end + 1); return 2; }
            if (!one->every && !one->file) return usage(arguments[0]);
            sources_used = 1;
        } else return usage(arguments[0]);
        i++;
    }
    w->s = space;
    for (uint32_t pid = 0; pid <= MOST_PROCESSES; pid++) w->at[pid] = GLOBAL_BYTES + pid * RECORD_BYTES;
    start(w, initial_state + GLOBAL_BYTES, sizeof initial_state - GLOBAL_BYTES);
    struct sigaction stop = {.sa_handler = on_stop}; /* without SA_RESTART: whoever waits for input wakes up */
    sigaction(SIGINT, &stop, 0);
    sigaction(SIGTERM, &stop, 0);
    (void)device_in, (void)device_out;
    began = milliseconds();
    for (int i = 0; i < 16; i++) {
        sources[i].next = began;
        next_of(&sources[i]);
    }
    if (sources_used) {
        struct itimerval tick = {{0, 1000}, {0, 1000}};
        signal(SIGALRM, on_tick);
        setitimer(ITIMER_REAL, &tick, 0);
        coming = 1;
    }
    struct timespec first, last;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &first);
    write_state(w);
    int code = 0;
    while (actions < most) {
        if (stopped) { code = tell_interrupted(); break; }
        if (ticked || (sources_used && !ring_count)) {
            ticked = 0;
            coming = look_at_interrupts(w);
        }
        if (!ring_count) {
            if (!w->count) break;
            if (coming) { pause(); continue; }
            tell_deadlock(w);
            code = 1;
            break;
        }
        uint32_t pid = take_ready(), control = get_control(w->s + w->at[pid]), entry = first_entry[control];
        uint32_t ways = last_entry[control] - entry;
        if (ways > 1) {
            chosen = chosen * 1664525u + 1013904223u;
            entry += (chosen >> 16) % ways;
        }
        const int64_t by = due[pid];
        run(w, pid, process_of[control], entries[entry]);
        actions++;
        if (DEADLINES && by != INT64_MAX) look_at_deadline(by);
        control = get_control(w->s + w->at[pid]);
        if (pid < w->count && first_entry[control] < last_entry[control]) make_ready(pid);
        write_state(w);
        if (rechecking) recheck(w);
    }
    if (statistics) {
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &last);
        double seconds = (double)(last.tv_sec - first.tv_sec) + 1e-9 * (double)(last.tv_nsec - first.tv_nsec);
        fflush(stdout);
        fprintf(stderr, "%llu actions, %llu messages, %llu processes in %.3f s of the processor: ",
                (unsigned long long)actions, (unsigned long long)messages, (unsigned long long)started, seconds);
        fprintf(stderr, "%.2f million messages per second, ", 1e-6 * (double)messages / seconds);
        fprintf(stderr, "%.1f ns for an action with its switch\n", 1e9 * seconds / (double)actions);
        if (DEADLINES)
            fprintf(stderr, "%llu actions with a deadline, %llu of them late, by at most %llu actions\n",
                    (unsigned long long)timed, (unsigned long long)missed, (unsigned long long)latest);
    }
#ifdef LF_STATES
    if (states) fclose(states);
#endif
    finish(code);
}
"""
