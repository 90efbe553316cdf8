"""Two-phase commit, the side that asks: python coordinator.py PORT PARTICIPANT_PORT..."""

import json
import socket
import sys

from kripke.testing import record

port, *others = map(int, sys.argv[1:])
wire = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
wire.bind(("localhost", port))
wire.settimeout(10)


def send(to, *message):
    wire.sendto(json.dumps(message).encode(), ("localhost", to))


for each in others:
    send(each, "prepare")
votes = {}
decision = "commit"
try:
    while len(votes) < len(others):
        kind, sender, answer = json.loads(wire.recv(1000))
        if kind == "vote":
            votes[sender] = answer
except TimeoutError:
    decision = "abort"
if "no" in votes.values():
    decision = "abort"
record(("decided", "coordinator", decision))
for each in others:
    send(each, decision)
wire.settimeout(None)
while True:  # for those that the decision did not reach
    kind, sender, _ = json.loads(wire.recv(1000))
    if kind == "what now?":
        send(sender, decision)
