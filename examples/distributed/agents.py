"""The two sides of the public-key protocol of Needham and Schroeder; with ``lowe`` as last argument, Lowe's version.

python agents.py initiator ME PARTNER... | python agents.py responder ME, each with or without lowe. The initiator talks
to one of the partners that are named.
"""

import socket
import sys

from kripke.testing import choose, record
from kripke.testing.crypto import CannotOpen, decrypt, encrypt, known_pair, nonce

PORTS = {"alice": 1, "bob": 2, "mallory": 3}
me = sys.argv[2]
lowe = "lowe" in sys.argv
mine = known_pair(me)[1]
wire = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
wire.bind(("localhost", PORTS[me]))


def send(to, *value):
    wire.sendto(encrypt(known_pair(to)[0], value), ("localhost", PORTS[to]))


def receive():
    data, _ = wire.recvfrom(1000)
    try:
        return decrypt(mine, data)
    except CannotOpen:
        sys.exit("cannot open it")


def initiator():
    partner = choose([each for each in sys.argv[3:] if each != "lowe"])
    own = nonce()
    record(("runs with", me, partner))
    send(partner, own, me)
    answer = receive()
    if len(answer) != (3 if lowe else 2) or answer[0] != own or (lowe and answer[2] != partner):
        sys.exit("not the answer to my question")
    send(partner, answer[1])
    record(("is sure of", me, partner))


def responder():
    first = receive()
    if len(first) != 2 or not isinstance(first[1], str):
        sys.exit("not a question")
    theirs, partner = first
    own = nonce()
    send(partner, theirs, own, *([me] if lowe else []))
    last = receive()
    if last != (own,):
        sys.exit("not the answer to my question")
    record(("is sure of", me, partner))


(initiator if sys.argv[1] == "initiator" else responder)()
