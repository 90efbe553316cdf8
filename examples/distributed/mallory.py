"""Whoever owns the network: takes every message, opens what it can, sends what it can make. It has a key of its own.

python mallory.py MESSAGES [lowe]: it sends at most so many
"""

import sys

from kripke.testing import choose
from kripke.testing.crypto import Adversary, Sealed, known_pair, nonce

PORTS = {"alice": 1, "bob": 2}
#: What each of them may take for a message of the protocol; after anything else they talk no more.
SHAPES = {"alice": [(bytes, bytes, str) if "lowe" in sys.argv else (bytes, bytes)], "bob": [(bytes, str), (bytes,)]}

mallory = Adversary("alice", "bob", "mallory", nonce(), known_pair("mallory")[1])
for name in ("alice", "bob", "mallory"):
    mallory.learn(known_pair(name)[0])

for _ in range(int(sys.argv[1])):
    while mallory.receive(timeout=1):  # until everybody waits: what others send only adds to what it knows
        pass
    victim = choose(["alice", "bob"])
    key = known_pair(victim)[0]
    message = mallory.chooses(*(Sealed(key, shape) for shape in SHAPES[victim]))
    mallory.send(message, ("localhost", PORTS[victim]))
