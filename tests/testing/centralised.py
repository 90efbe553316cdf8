"""Ten distributed programs, each with a version in one process written by hand: same verdicts are expected.

Not a part of what is run: the programs are texts, the versions by hand are functions below.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Any, NamedTuple


class Pair(NamedTuple):
    name: str
    verdict: str  # "holds", "assertion", "deadlock"
    startup: str
    files: dict[str, str]
    by_hand: Callable[[], None]


def start(*works: Callable[[], Any], daemons: tuple[Callable[[], Any], ...] = ()) -> None:
    """Threads in the place of processes."""
    for work in daemons:
        threading.Thread(target=work, daemon=True).start()
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


ADDING = """
import socket, sys
total = 0
server = socket.create_server(("", 80))
for _ in range(2):
    client, _ = server.accept()
    with client:
        total += int(client.recv(9))
        client.sendall(str(total).encode())
"""
ASKING = """
import socket, sys
with socket.create_connection(("server", 80)) as wire:
    wire.sendall(sys.argv[1].encode())
    assert int(wire.recv(9)) {}
"""


def adding(least: Callable[[int], bool]) -> Callable[[], None]:
    def by_hand() -> None:
        requests: queue.Queue[Any] = queue.Queue()

        def server() -> None:
            total = 0
            for _ in range(2):
                number, answer = requests.get()
                total += number
                answer.put(total)

        def client(number: int) -> None:
            answer: queue.Queue[int] = queue.Queue()
            requests.put((number, answer))
            assert least(answer.get())

        start(server, lambda: client(1), lambda: client(2))

    return by_hand


BANK = """
import threading
from kripke.testing.remote import export, lookup
class Bank:
    def __init__(self): self.balance, self.lock = 0, threading.Lock()
    def read(self): return self.balance
    def write(self, value): self.balance = value
    def deposit(self, amount):
        with self.lock:
            self.balance += amount
export("bank", Bank())
threading.Event().wait()
"""
DEPOSITING = """
from kripke.testing import record
from kripke.testing.remote import lookup
bank = lookup("bank")
{}
record(bank.read())
"""
CHECK_BANK = "def both(system):\n    assert max(system.log) == 2\n"


def bank_by_hand(work: Callable[[Any, threading.Lock], None]) -> Callable[[], None]:
    class Bank:
        balance = 0

    def by_hand() -> None:
        bank, lock = Bank(), threading.Lock()
        seen: list[int] = []

        def client() -> None:
            work(bank, lock)
            seen.append(bank.balance)

        start(client, client)
        assert max(seen) == 2

    return by_hand


def read_and_write(bank: Any, lock: threading.Lock) -> None:
    value = bank.balance
    bank.balance = value + 1


def deposit(bank: Any, lock: threading.Lock) -> None:
    with lock:
        bank.balance += 1


WAITING = """
import socket, sys
me, other = sys.argv[1:3]
wire = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
wire.bind(("", int(me)))
{}
"""


def both_wait_by_hand() -> None:
    first: queue.Queue[int] = queue.Queue()
    second: queue.Queue[int] = queue.Queue()

    def talk(mine: queue.Queue[int], other: queue.Queue[int]) -> None:
        mine.get()
        other.put(1)

    start(lambda: talk(first, second), lambda: talk(second, first))


SINGLETON = """
class Counter:
    made = 0
    def __init__(self):
        Counter.made += 1
the_counter = Counter()
"""
COUNTING = "import single\nfrom single import Counter\nCounter()\nassert single.Counter.made == 2\n"


def counting_by_hand() -> None:
    def process() -> None:
        made = [0]
        made[0] += 1
        made[0] += 1
        assert made[0] == 2

    start(process, process)


RING = """
import socket, sys
me, after = int(sys.argv[1]), int(sys.argv[2])
wire = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
wire.bind(("", me))
{}
"""
ELECTION = """
from kripke.testing import record
import time
time.sleep(1)
wire.sendto(bytes([me]), ("", after))
while True:
    got = wire.recv(1)[0]
    if got == me:
        record(me)
        wire.sendto(b"\\0", ("", after))
        break
    if got == 0:
        wire.sendto(b"\\0", ("", after))
        break
    if got > me:
        wire.sendto(bytes([got]), ("", after))
"""


def election_by_hand() -> None:
    inboxes: dict[int, queue.Queue[int]] = {each: queue.Queue() for each in (1, 2)}
    leaders: list[int] = []

    def node(me: int, after: int) -> None:
        inboxes[after].put(me)
        while True:
            got = inboxes[me].get()
            if got == me:
                leaders.append(me)
            if got in (0, me):
                inboxes[after].put(0)
                return
            if got > me:
                inboxes[after].put(got)

    start(lambda: node(1, 2), lambda: node(2, 1))
    assert leaders == [2]


FORK = """
import socket, sys
server = socket.create_server(("", int(sys.argv[1])))
while True:
    user, _ = server.accept()
    user.sendall(b"yours")
    user.recv(9)
    user.close()
"""
PHILOSOPHER = """
import socket, sys
def take(port):
    wire = socket.create_connection(("", port))
    wire.recv(9)
    return wire
forks = [take(int(port)) for port in sys.argv[1:]]
for fork in forks:
    fork.close()
"""


def philosophers(turned: bool) -> Callable[[], None]:
    def by_hand() -> None:
        forks = threading.Lock(), threading.Lock()

        def eat(one: threading.Lock, other: threading.Lock) -> None:
            with one, other:
                pass

        start(lambda: eat(*forks), lambda: eat(*(forks[::-1] if turned else forks)))

    return by_hand


STORE = """
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
class Handler(BaseHTTPRequestHandler):
    value = 0
    def do_GET(self): self.answer()
    def do_POST(self):
        Handler.value = int(self.path[1:])
        self.answer()
    def answer(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(str(Handler.value).encode())
    def log_message(self, *args): pass
ThreadingHTTPServer(("", 80), Handler).serve_forever()
"""
STORING = """
from urllib.request import urlopen
from kripke.testing import record
value = int(urlopen("http://server").read())
urlopen("http://server/%d" % (value + 1), data=b"").read()
record(int(urlopen("http://server").read()))
"""

PAIRS = [
    Pair(
        "adding",
        "holds",
        "set connect=wait\nserver: python server.py\npython client.py 1\npython client.py 2\n",
        {"server.py": ADDING, "client.py": ASKING.format(">= int(sys.argv[1])")},
        adding(lambda got: got >= 1),
    ),
    Pair(
        "adding in order",
        "assertion",
        "set connect=wait\nserver: python server.py\npython client.py 1\npython client.py 2\n",
        {"server.py": ADDING, "client.py": ASKING.format("!= 3")},
        adding(lambda got: got != 3),
    ),
    Pair(
        "read and write",
        "assertion",
        "set connect=wait check=checks.py:both\nbank: python bank.py &\npython client.py\npython client.py\n",
        {
            "bank.py": BANK,
            "client.py": DEPOSITING.format("bank.write(bank.read() + 1)"),
            "checks.py": CHECK_BANK,
        },
        bank_by_hand(read_and_write),
    ),
    Pair(
        "deposit",
        "holds",
        "set connect=wait check=checks.py:both\nbank: python bank.py &\npython client.py\npython client.py\n",
        {"bank.py": BANK, "client.py": DEPOSITING.format("bank.deposit(1)"), "checks.py": CHECK_BANK},
        bank_by_hand(deposit),
    ),
    Pair(
        "both wait",
        "deadlock",
        "python a.py 1 2\npython a.py 2 1\n",
        {"a.py": WAITING.format('wire.recv(9)\nwire.sendto(b"!", ("", int(other)))')},
        both_wait_by_hand,
    ),
    Pair(
        "singletons",
        "holds",
        "python a.py\npython a.py\n",
        {"single.py": SINGLETON, "a.py": COUNTING},
        counting_by_hand,
    ),
    Pair(
        "ring",
        "holds",
        "set check=checks.py:one\npython a.py 1 2\npython a.py 2 1\n",
        {
            "a.py": RING.format(ELECTION),
            "checks.py": "def one(system):\n    assert system.log == [2]\n",
        },
        election_by_hand,
    ),
    Pair(
        "philosophers",
        "deadlock",
        "set connect=wait\npython fork.py 1 &\npython fork.py 2 &\npython philosopher.py 1 2\n"
        "python philosopher.py 2 1\n",
        {"fork.py": FORK, "philosopher.py": PHILOSOPHER},
        philosophers(turned=True),
    ),
    Pair(
        "polite philosophers",
        "holds",
        "set connect=wait\npython fork.py 1 &\npython fork.py 2 &\npython philosopher.py 1 2\n"
        "python philosopher.py 1 2\n",
        {"fork.py": FORK, "philosopher.py": PHILOSOPHER},
        philosophers(turned=False),
    ),
    Pair(
        "a store over HTTP",
        "assertion",
        "set connect=wait check=checks.py:both\nserver: python server.py &\npython client.py\npython client.py\n",
        {"server.py": STORE, "client.py": STORING, "checks.py": CHECK_BANK},
        bank_by_hand(read_and_write),
    ),
]
