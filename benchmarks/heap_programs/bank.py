"""Three threads move money between accounts; each account has its own lock, and they are taken in one order."""

from threading import Lock, Thread


class Account:
    def __init__(self, number, balance):
        self.number = number
        self.balance = balance
        self.lock = Lock()


accounts = [Account(number, 10) for number in range(3)]


def transfer(source, target, amount):
    first, second = (source, target) if source.number < target.number else (target, source)
    with first.lock, second.lock:
        if source.balance >= amount:
            source.balance -= amount
            target.balance += amount


def work(number):
    for amount in range(1, 3):
        transfer(accounts[number], accounts[(number + 1) % 3], amount)


threads = [Thread(target=work, args=(number,)) for number in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert sum([account.balance for account in accounts]) == 30
