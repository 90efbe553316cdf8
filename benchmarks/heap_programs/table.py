"""A large shared table that two of four threads change a little at a time: states of several kilobytes."""

from threading import Thread

ROWS = 60
table = {row: [row, 2 * row, 3 * row, "row"] for row in range(ROWS)}
turns = [0, 0, 0, 0]


def change(row):
    for _ in range(2):
        table[row][0] += 1


def look(place):
    for row in range(2):
        turns[place] += table[row][0]


threads = [Thread(target=change, args=(row,)) for row in range(2)]
threads += [Thread(target=look, args=(place,)) for place in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
