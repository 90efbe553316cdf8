"""Five philosophers; each picks up two forks, the lower one first, and eats."""

from threading import Lock, Thread

N = 5


def dine(first, second):
    with first, second:
        pass


forks = [Lock() for _ in range(N)]
threads = [Thread(target=dine, args=(forks[min(i, (i + 1) % N)], forks[max(i, (i + 1) % N)])) for i in range(N)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
