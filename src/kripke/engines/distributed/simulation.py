"""How long would so many workers take? A simulation of the levels of a distributed search, message by message where it
matters, with the code of the real one for owners (``partition.py``) and for the end of a level (``termination.py``).

What is known of a state space is its *profile*: how many states and steps each level has, as a real run tells
(``engine["profile"]``). What is known of the machines is a ``Machine``. Nothing is left to chance but by a seed.

A worker expands its part of a level; a batch leaves when its buffer is full, and the rest when the part is done.
Batches travel while others are expanded, so a level takes a worker the longer of its computing and its sending. Then
come the waves of the four counters, each a reduction over a tree of all workers.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log2, sqrt

from kripke.engines.distributed.partition import even_owners
from kripke.engines.distributed.termination import FourCounters


@dataclass(frozen=True, slots=True)
class Machine:
    """Seconds and bytes: of one step (to compute and look up), of what a sent state costs its sender and receiver
    beside that, of a message (the processor's part of sending and receiving it), of the way to another machine.
    ``buffers`` are the send buffers of a worker together; ``speeds`` of workers that are not as fast as the others."""

    step: float
    sent_state: float = 30e-9
    message: float = 10e-6
    latency: float = 2e-6
    bandwidth: float = 1e9
    state_bytes: int = 32
    buffers: int = 64 << 20
    most_buffer: int = 1 << 20
    least_buffer: int = 4 << 10
    restart: float = 5.0
    speeds: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Prediction:
    """``computing`` and ``waiting`` are parts of all workers' time; ``waves`` the seconds that ends of levels took."""

    workers: int
    seconds: float
    bytes_sent: float
    messages: float
    computing: float
    waiting: float
    waves: float
    restarts: int
    lost: float


def simulate(
    profile: Sequence[tuple[int, int]],
    workers: int,
    machine: Machine,
    *,
    sent_share: float | None = None,
    failures: Sequence[float] = (),
    checkpoint_every: float = 30.0,
    seed: int = 1,
) -> Prediction:
    """``profile``: states and steps of each level. ``sent_share``: of the steps, those that are sent (None: all that
    lead to another worker under a hash). ``failures``: moments at which a worker dies."""
    owned = Counter(even_owners(workers))
    shares = [owned[worker] / sum(owned.values()) for worker in range(workers)]
    speeds = dict(machine.speeds)
    share = (workers - 1) / workers if sent_share is None else sent_share
    buffer = min(max(machine.buffers // (2 * workers), machine.least_buffer), machine.most_buffer)
    chance = random.Random(seed)
    counters = [FourCounters() for _ in range(workers)]
    left = sorted(failures)
    clock = computing = wave_seconds = bytes_sent = messages = lost = saved_at = 0.0
    restarts, number, saved_level = 0, 0, 0
    while number < len(profile):
        states, steps = profile[number]
        begin = clock
        passive = []
        arrival = begin
        for worker in range(workers):
            mean = states * shares[worker]
            part = max(0.0, mean + chance.gauss(0, 1) * sqrt(mean * (1 - shares[worker]))) if workers > 1 else states
            own_steps = part * steps / max(1, states)
            size = own_steps * share * machine.state_bytes
            # Every receiver gets its own batches; the last of each is not full.
            count = 0 if workers == 1 or not size else _messages(size, workers - 1, buffer, machine.state_bytes)
            busy = own_steps * (machine.step + 2 * share * machine.sent_state) + 2 * count * machine.message
            busy /= speeds.get(worker, 1.0)
            end = begin + max(busy, size / machine.bandwidth)
            computing += busy
            bytes_sent += size
            messages += count
            counters[worker].sent += ceil(count)
            passive.append(end)
            arrival = max(arrival, end + machine.latency + min(size, buffer) / machine.bandwidth)
        clock = _end_of_level(counters, passive, arrival, 2 * ceil(log2(workers)) * machine.latency)
        wave_seconds += clock - max(passive)
        if left and left[0] <= clock:
            # All end; what was done since the last checkpoint is done again.
            died = max(left.pop(0), begin)
            restarts += 1
            lost += died - saved_at + machine.restart
            clock = saved_at = died + machine.restart
            number = saved_level
            continue
        number += 1
        if clock - saved_at >= checkpoint_every:
            saved_at, saved_level = clock, number
    total = clock * workers
    waiting = 1 - computing / total if total else 0.0
    return Prediction(workers, clock, bytes_sent, messages, 1 - waiting, waiting, wave_seconds, restarts, lost)


def _messages(size: float, receivers: int, buffer: int, state_bytes: int) -> float:
    """Batches of a worker whose bytes are spread over its receivers; with few states not all of them get one."""
    states = size / state_bytes
    reached = receivers * (1 - (1 - 1 / receivers) ** states) if receivers > 1 else 1.0
    return max(reached, size / buffer + reached / 2)


def _end_of_level(counters: list[FourCounters], passive: list[float], arrival: float, wave: float) -> float:
    """When do all know that the level is over? Everything has been received by the moment ``arrival``; waves go on
    from when the last worker is passive."""
    for counter in counters:
        counter.begin()
    sent = sum(counter.sent for counter in counters)
    now = max(passive)
    while True:
        # Messages that have not come by now are not counted as received.
        received = sent if now >= arrival else sum(counter.received for counter in counters)
        now += wave
        if counters[0].hear((sent, received)):
            break
        now = max(now, min(arrival, now + wave))
    for counter in counters:
        counter.received = 0
    counters[0].received = sent
    return now
