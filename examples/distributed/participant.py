"""Two-phase commit, the side that votes: python participant.py PORT COORDINATOR_PORT [impatient]

Who has voted yes must wait for the decision. The impatient one does not.
"""

import json
import socket
import sys

from kripke.testing import choose, record

port, coordinator = map(int, sys.argv[1:3])
wire = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
wire.bind(("localhost", port))
wire.settimeout(20)


def send(*message):
    wire.sendto(json.dumps(message).encode(), ("localhost", coordinator))


def receive():
    return json.loads(wire.recv(1000))[0]


def decided():
    while True:
        try:
            decision = receive()
        except TimeoutError:
            if "impatient" in sys.argv:
                return "abort"
            send("what now?", port, None)
        else:
            if decision in ("commit", "abort"):
                return decision


try:
    receive()
except TimeoutError:
    decision = "abort"  # nobody asked
else:
    vote = choose(["yes", "no"])
    send("vote", port, vote)
    decision = decided() if vote == "yes" else "abort"
record(("decided", port, decision))
