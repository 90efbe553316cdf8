"""Whoever owns the network: takes every message, opens what it can, sends what it can make. It has a key of its own.

python mallory.py [lowe]
"""

import sys

from kripke.testing import choose
from kripke.testing.crypto import Adversary, Sealed, known_pair, nonce

PORTS = {"alice": 1, "bob": 2}
#: What each of them takes for its next messages. After anything else it talks no more, to nobody: whatever can be
#: reached with such a message can be reached without it, so it is never sent.
NEXT = {"alice": [(bytes, bytes, str) if "lowe" in sys.argv else (bytes, bytes)], "bob": [(bytes, str), (bytes,)]}

mallory = Adversary("alice", "bob", "mallory", nonce(), known_pair("mallory")[1])
for name in ("alice", "bob", "mallory"):
    mallory.learn(known_pair(name)[0])

while any(NEXT.values()):
    while mallory.receive(timeout=1):  # until everybody waits: what others send only adds to what it knows
        pass
    victim = choose([each for each in NEXT if NEXT[each]])
    message = mallory.chooses(Sealed(known_pair(victim)[0], NEXT[victim].pop(0)))
    mallory.send(message, ("localhost", PORTS[victim]))
