"""Three threads count in one variable without a lock, each four times."""

from threading import Thread

counter = 0


def count():
    global counter
    for _ in range(4):
        value = counter
        counter = value + 1


threads = [Thread(target=count) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert 2 <= counter <= 12
