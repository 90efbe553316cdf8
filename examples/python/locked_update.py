"""The same with a lock: nothing is lost."""

import threading

counter = 0
lock = threading.Lock()


def add():
    global counter
    with lock:
        value = counter
        counter = value + 1


threads = [threading.Thread(target=add) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert counter == 2
