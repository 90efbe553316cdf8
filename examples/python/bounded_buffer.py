"""A bounded buffer with a condition: every item arrives, in order."""

from threading import Condition, Thread


class Buffer:
    def __init__(self, size):
        self.size = size
        self.items = []
        self.changed = Condition()

    def put(self, item):
        with self.changed:
            while len(self.items) == self.size:
                self.changed.wait()
            self.items.append(item)
            self.changed.notify_all()

    def get(self):
        with self.changed:
            while not self.items:
                self.changed.wait()
            item = self.items.pop(0)
            self.changed.notify_all()
            return item


buffer = Buffer(1)


def produce():
    for number in range(2):
        buffer.put(number)


def consume():
    for number in range(2):
        assert buffer.get() == number


Thread(target=produce).start()
Thread(target=consume).start()
