"""LF beside Promela: the same algorithms in both languages, and what a message costs a program that runs.

Usage: python benchmarks/lf.py [--messages N]

Times are those of the processor, so that other work on the machine does not count. States per second are those of a
search after the time that a search of three states takes (start, compilation) was taken off.
"""

import argparse
import json
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


def measured(file: Path, *options: str) -> tuple[int, float, dict[str, object]]:
    command = [sys.executable, "-m", "kripke", "check", str(file), "--json", *options]
    processor_seconds(command)  # compiled, and in the cache
    start = min(processor_seconds([*command, "--max-states", "3"])[0] for _ in range(3))
    best, text = min((processor_seconds(command) for _ in range(3)), key=lambda one: one[0])
    result = json.loads(text)
    assert result["verdict"] == "holds", file
    return result["states"], result["states"] / max(best - start, 1e-3), result


def twins() -> None:
    print(
        f"{'':<16}{'LF':>10}{'Promela':>12}{'ratio':>8}{'printed':>9}{'LF/s':>12}{'Promela/s':>12}{'ratio':>8}{'bytes':>7}"
    )
    for name in MODELS:
        states, speed, _ = measured(TWINS / f"{name}.lf")
        others, other_speed, _ = measured(TWINS / f"{name}.pml")
        _, _, tree = measured(TWINS / f"{name}.lf", "--store", "tree")
        stored = int(str(tree["store_bytes"])) / states
        lf, spin = PRINTED[name]
        print(
            f"{name:<16}{states:>10,}{others:>12,}{states / others:>8.2f}{lf / spin:>9.2f}"
            f"{speed:>12,.0f}{other_speed:>12,.0f}{speed / other_speed:>8.2f}{stored:>7.1f}"
        )


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
    options = parser.parse_args()
    twins()
    messages(options.messages)


if __name__ == "__main__":
    main()
