"""LF beside Promela: the same algorithms in both languages, and what a message costs a program that runs.

Usage: python benchmarks/lf.py [--messages N] [--require]

Times are those of the processor, so that other work on the machine counts less. States per second are those of a
search of larger instances, after the time that a search of three states takes (start, compilation) was taken off; LF
and Promela take turns, and of each the fastest counts. ``--require``: exit 1 where LF has less than 0.8 of Promela's
states per second, or where a state takes more than 12 bytes with ``tree``.
"""

import argparse
import json
import math
import queue
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

TWINS = Path(__file__).parent / "lf_twins"
MODELS = ("peterson", "bounded_buffer", "philosophers", "sieve", "sliding_window")
#: what the document's table 4 has for LF and for SPIN without reduction
PRINTED = {
    "peterson": (1_094_676, 6_504_635),
    "bounded_buffer": (2_571, 8_709),
    "philosophers": (437_127, 321),
    "sieve": (7_758, 25_295),
    "sliding_window": (122_385, 159_896),
}
#: instances that take long enough to be measured, with about as many states in both languages
SIZES: dict[str, dict[str, list[str]]] = {
    "peterson": {"lf": [], "pml": []},
    "bounded_buffer": {"lf": ["Slots=40", "Items=121"], "pml": ["SLOTS=40", "ITEMS=121"]},
    "philosophers": {"lf": [], "pml": ["N=11"]},
    "sieve": {"lf": ["Last=36"], "pml": ["LAST=30"]},
    "sliding_window": {"lf": ["Window=4", "Modulo=8", "Data=9"], "pml": ["WINDOW=4", "MODULO=8", "DATA=9"]},
}
SPEED = """MODULE Speed;
CONST Messages = {messages};
TYPE Msg = [data(INTEGER), end];
PORT q : Msg;
PROCESS Producer(out : Msg);
VAR i : INTEGER;
BEGIN
  i := 0;
  WHILE i < Messages DO out!data(i); INC(i) END;
  out!end
END Producer;
PROCESS Consumer(in : Msg);
VAR x, n : INTEGER; more : BOOLEAN;
BEGIN
  more := TRUE;
  WHILE more DO
    SELECT
      WHEN in?data(x) THEN INC(n)
      WHEN in?end THEN more := FALSE
    END
  END;
  ASSERT(n = Messages)
END Consumer;
BEGIN
  NEW(q); CREATE Producer(q); CREATE Consumer(q)
END Speed.
"""
THREADS = r"""
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int full, value;
static void *produce(void *unused) {
    for (int i = 0; i < MESSAGES; i++) {
        pthread_mutex_lock(&lock);
        while (full) pthread_cond_wait(&changed, &lock);
        full = 1; value = i;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}
int main(void) {
    pthread_t one;
    long sum = 0;
    pthread_create(&one, 0, produce, 0);
    for (int i = 0; i < MESSAGES; i++) {
        pthread_mutex_lock(&lock);
        while (!full) pthread_cond_wait(&changed, &lock);
        full = 0; sum += value;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    pthread_join(one, 0);
    return sum == 0;
}
"""


def processor_seconds(command: list[str]) -> tuple[float, str]:
    """The time a command and what it starts spend in the processor, and what it prints."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def command(file: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "kripke", "check", str(file), "--json", *options]


def checked(file: Path, *options: str) -> tuple[int, float, int]:
    """States, processor seconds, and the bytes of the store."""
    seconds, text = processor_seconds(command(file, *options))
    result = json.loads(text)
    assert result["verdict"] == "holds", file
    return result["states"], seconds, result["store_bytes"]


def speeds(name: str, rounds: int = 5) -> dict[str, float]:
    """States per second in both languages."""
    options = {kind: [part for one in SIZES[name][kind] for part in ("-D", one)] for kind in ("lf", "pml")}
    files = {kind: TWINS / f"{name}.{kind}" for kind in options}
    starts = dict.fromkeys(options, math.inf)
    ends = dict.fromkeys(options, math.inf)
    states = dict.fromkeys(options, 0)
    for kind, file in files.items():
        processor_seconds(command(file, *options[kind], "--max-states", "3"))  # compiled, and in the cache
    for _ in range(rounds):
        for kind, file in files.items():
            start, _ = processor_seconds(command(file, *options[kind], "--max-states", "3"))
            states[kind], end, _ = checked(file, *options[kind])
            starts[kind], ends[kind] = min(starts[kind], start), min(ends[kind], end)
    return {kind: states[kind] / max(ends[kind] - starts[kind], 1e-3) for kind in options}


def twins() -> bool:
    """Prints the table; is everything as fast and as small as it must be?"""
    print(
        f"{'':<16}{'LF':>10}{'Promela':>12}{'ratio':>8}{'printed':>9}{'LF/s':>12}{'Promela/s':>12}{'ratio':>8}{'bytes':>7}"
    )
    good = True
    for name in MODELS:
        states, _, _ = checked(TWINS / f"{name}.lf")
        others, _, _ = checked(TWINS / f"{name}.pml")
        large = [part for one in SIZES[name]["lf"] for part in ("-D", one)]
        stored, _, size = checked(TWINS / f"{name}.lf", *large, "--store", "tree")
        speed = speeds(name)
        lf, spin = PRINTED[name]
        print(
            f"{name:<16}{states:>10,}{others:>12,}{states / others:>8.2f}{lf / spin:>9.2f}"
            f"{speed['lf']:>12,.0f}{speed['pml']:>12,.0f}{speed['lf'] / speed['pml']:>8.2f}{size / stored:>7.1f}",
            flush=True,
        )
        good &= speed["lf"] >= 0.8 * speed["pml"] and size <= 12 * stored
    return good


def messages(number: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "speed.lf"
        program.write_text(SPEED.format(messages=number))
        done = subprocess.run(
            [sys.executable, "-m", "kripke", "run", str(program), "--statistics"],
            capture_output=True,
            text=True,
            check=True,
        )
        print(f"\nLF:      {done.stderr.strip()}")
        few = max(number // 40, 1)
        source, made = Path(folder) / "threads.c", Path(folder) / "threads"
        source.write_text(THREADS)
        subprocess.run(["cc", "-O2", f"-DMESSAGES={few}", str(source), "-o", str(made), "-lpthread"], check=True)
        began = time.monotonic()
        seconds, _ = processor_seconds([str(made)])
        elapsed = time.monotonic() - began
        print(
            f"threads: {1e-6 * few / seconds:.2f} million messages per second of the processor, "
            f"{1e-6 * few / elapsed:.2f} million elapsed"
        )
    few = max(number // 200, 1)
    channel: queue.Queue[int] = queue.Queue(1)
    producer = threading.Thread(target=lambda: [channel.put(i) for i in range(few)])
    began = time.process_time()
    producer.start()
    for _ in range(few):
        channel.get()
    producer.join()
    print(f"queue.Queue: {1e-6 * few / (time.process_time() - began):.3f} million messages per second of the processor")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--messages", type=int, default=20_000_000)
    parser.add_argument("--require", action="store_true")
    options = parser.parse_args()
    good = twins()
    if options.messages:
        messages(options.messages)
    if options.require and not good:
        sys.exit(1)


if __name__ == "__main__":
    main()
