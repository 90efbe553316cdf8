"""A linked stack under one lock: two threads push, two pop until they have seen as many."""

from threading import Condition, Thread


class Node:
    def __init__(self, value, below):
        self.value = value
        self.below = below


class Stack:
    def __init__(self):
        self.top = None
        self.changed = Condition()

    def push(self, value):
        with self.changed:
            self.top = Node(value, self.top)
            self.changed.notify()

    def pop(self):
        with self.changed:
            while self.top is None:
                self.changed.wait()
            node = self.top
            self.top = node.below
            return node.value


stack = Stack()
taken = []


def push(base):
    for number in range(2):
        stack.push(base + number)


def pop():
    for _ in range(2):
        taken.append(stack.pop())


threads = [Thread(target=push, args=(0,)), Thread(target=push, args=(10,)), Thread(target=pop), Thread(target=pop)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert sorted(taken) == [0, 1, 10, 11]
