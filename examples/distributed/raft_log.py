"""A Raft with a log (D. Ongaro and J. Ousterhout, USENIX 2014): elections, and entries that are copied and committed.

The election of term 1 is over: process 1 has won it. python raft_log.py ME MEMBERS [impatient] [careless]: who is
``impatient`` stands for the next term when it hears nothing for a while, once. A leader adds one entry of its own. The
careless one votes for a candidate without looking whether that has all the entries.
"""

import json
import socket
import sys

from kripke.testing import record

me, members = int(sys.argv[1]), int(sys.argv[2])
others = [each for each in range(1, members + 1) if each != me]
term, voted_for = 1, 1
log = []  # of pairs: the term in which a leader made the entry, and its value
votes = set()
copies = set()  # who has all of the log of this leader
wire = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
wire.bind(("localhost", me))
if "impatient" in sys.argv:
    wire.settimeout(1)


def send(to, kind, value):
    wire.sendto(json.dumps((me, term, kind, value)).encode(), ("localhost", to))


def follow(new_term):
    global term, voted_for, votes, copies
    term, voted_for, votes, copies = new_term, None, set(), set()


def age(entries):
    """What logs are compared by: the term of the last entry, then how many there are."""
    return [entries[-1][0] if entries else 0, len(entries)]


def stand():
    global voted_for, votes
    follow(term + 1)
    voted_for, votes = me, {me}
    for each in others:
        send(each, "vote?", age(log))


def lead():
    global copies
    record(("leader", term, me))
    log.append([term, f"entry of {me}"])
    copies = {me}
    for each in others:
        send(each, "store", log)


def handle(sender, sent_term, kind, value):
    global log, voted_for
    if sent_term > term:
        follow(sent_term)
    if sent_term < term:
        return
    if kind == "vote?" and voted_for in (None, sender) and ("careless" in sys.argv or value >= age(log)):
        voted_for = sender
        send(sender, "vote", None)
    elif kind == "vote" and votes and len(votes) <= members // 2:
        votes.add(sender)
        if len(votes) > members // 2:
            lead()
    elif kind == "store":
        log = value
        send(sender, "stored", None)
    elif kind == "stored" and copies and len(copies) <= members // 2:
        copies.add(sender)
        if len(copies) > members // 2:
            for place, (_, entry) in enumerate(log):
                record(("committed", place, entry))


if me == voted_for:
    lead()
while True:
    try:
        message = wire.recv(1000)
    except TimeoutError:
        wire.settimeout(None)
        stand()
        continue
    handle(*json.loads(message))
