"""Two tasks take money from an account and wait between looking and taking: the balance may become negative."""

import asyncio

balance = 10


async def withdraw(amount):
    global balance
    if balance >= amount:
        await asyncio.sleep(1)
        balance -= amount


async def main():
    await asyncio.gather(withdraw(7), withdraw(5))
    assert balance >= 0, f"overdrawn: {balance}"


asyncio.run(main())
