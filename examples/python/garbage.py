"""Endless, and yet finite: what nobody refers to is no part of a state."""

from threading import Thread


class Node:
    def __init__(self):
        self.other = None


def make():
    while True:
        first, second = Node(), Node()
        first.other, second.other = second, first
        shared.last = first


class Shared:
    def __init__(self):
        self.last = None


shared = Shared()
for _ in range(2):
    Thread(target=make).start()
