"""A small Raft (D. Ongaro and J. Ousterhout, USENIX 2014): elections, and a log of one entry.

python raft.py ME MEMBERS [stands] [writes] [forgetful]: who ``stands`` becomes a candidate, once; a
leader that ``writes`` stores an entry with the others. The forgetful one answers before its vote is on disk.
"""

import json
import socket
import sys

from kripke.testing import record, stable

me, members = int(sys.argv[1]), int(sys.argv[2])
others = [each for each in range(1, members + 1) if each != me]
disk = stable()
term, voted_for = disk.get("vote", (0, None))
entry = disk.get("entry")  # (term, value) or nothing
votes = set()
stored = set()
wire = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
wire.bind(("localhost", me))


def send(to, *message):
    wire.sendto(json.dumps((me, term, *message)).encode(), ("localhost", to))


def follow(new_term):
    global term, voted_for, votes
    term, voted_for, votes = new_term, None, set()


def stand():
    """As a candidate, with its own vote."""
    global votes
    follow(term + 1)
    vote(me)
    votes = {me}
    for each in others:
        send(each, "vote?", entry[0] if entry else 0)


def vote(candidate):
    global voted_for
    voted_for = candidate
    disk["vote"] = term, candidate


def handle(sender, sent_term, kind, value):
    global entry, stored, voted_for
    if sent_term > term:
        follow(sent_term)
    if sent_term < term:
        return
    if kind == "vote?" and voted_for in (None, sender) and value >= (entry[0] if entry else 0):
        if "forgetful" in sys.argv:
            voted_for = sender
            send(sender, "vote", None)
            vote(sender)
        else:
            vote(sender)
            send(sender, "vote", None)
    elif kind == "vote" and votes and len(votes) <= members // 2:
        votes.add(sender)
        if len(votes) > members // 2:
            record(("leader", term, me))
            if "writes" not in sys.argv:
                return
            entry = disk["entry"] = (term, entry[1] if entry else f"value of {me}")
            stored = {me}
            for each in others:
                send(each, "store", entry[1])
    elif kind == "store":
        entry = disk["entry"] = (term, value)
        send(sender, "stored", None)
    elif kind == "stored" and entry and entry[0] == term and len(stored) <= members // 2:
        stored.add(sender)
        if len(stored) > members // 2:
            record(("committed", term, entry[1]))


if "stands" in sys.argv and not term:
    stand()
while True:
    handle(*json.loads(wire.recv(1000)))
