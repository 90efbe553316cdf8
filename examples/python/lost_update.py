"""Two threads add to a counter without a lock: one of the additions may be lost."""

import threading

counter = 0


def add():
    global counter
    value = counter
    counter = value + 1


threads = [threading.Thread(target=add) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert counter == 2, f"counter is {counter}"
