"""Dining philosophers who all take the fork on their left first: a deadlock."""

from threading import Lock, Thread

N = 2
forks = [Lock() for _ in range(N)]


class Philosopher(Thread):
    def __init__(self, number):
        super().__init__()
        self.number = number

    def run(self):
        with forks[self.number], forks[(self.number + 1) % N]:
            pass


for philosopher in [Philosopher(number) for number in range(N)]:
    philosopher.start()
