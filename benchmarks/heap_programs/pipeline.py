"""Numbers go through two queues: one thread makes them, one doubles them, two sum them up."""

from queue import Queue
from threading import Thread

raw = Queue(2)
done = Queue(2)
sums = [0, 0]


def make():
    for number in range(1, 5):
        raw.put(number)
    raw.put(None)


def double():
    while True:
        number = raw.get()
        if number is None:
            break
        done.put(2 * number)
    done.put(None)
    done.put(None)


def add(place):
    while True:
        number = done.get()
        if number is None:
            break
        sums[place] += number


threads = [Thread(target=make), Thread(target=double), Thread(target=add, args=(0,)), Thread(target=add, args=(1,))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert sums[0] + sums[1] == 20
