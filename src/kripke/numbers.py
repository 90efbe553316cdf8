"""Numbers as people write them."""

from __future__ import annotations

_UNITS = ("B", "KB", "MB", "GB", "TB", "PB")


def size_text(amount: float) -> str:
    """Bytes with a unit, powers of 1024: ``4.0 GB``, ``312 B``."""
    unit = 0
    while amount >= 1024 and unit < len(_UNITS) - 1:
        amount /= 1024
        unit += 1
    return f"{amount:.0f} B" if unit == 0 else f"{amount:.1f} {_UNITS[unit]}"


def parse_size(text: str) -> int:
    """``4G``, ``512MB``, ``1.5 GiB`` or plain bytes. ValueError otherwise."""
    compact = text.strip().upper().removesuffix("B").removesuffix("I").strip()
    factor = 1
    if compact and compact[-1] in "KMGT":
        factor = 1024 ** ("KMGT".index(compact[-1]) + 1)
        compact = compact[:-1].strip()
    amount = float(compact) * factor
    if not 1 <= amount < 2**63:
        raise ValueError(text)
    return int(amount)


def parse_time(text: str) -> float:
    """Seconds, or with a unit: ``90``, ``1.5m``, ``2h``. ValueError otherwise."""
    compact = text.strip().lower()
    factor = {"s": 1.0, "m": 60.0, "h": 3600.0}.get(compact[-1:], 0.0)
    seconds = float(compact[:-1]) * factor if factor else float(compact)
    if not 0 < seconds < 1e9:
        raise ValueError(text)
    return seconds


def time_text(seconds: float) -> str:
    """``0.02 s``, ``12.3 s``, ``4 min 05 s``, ``2 h 03 min``."""
    if seconds < 10:
        return f"{seconds:.2f} s"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min"


def rate_text(states: int, seconds: float) -> str:
    """States per second, two or three digits: ``5.61 M states/s``."""
    if seconds <= 0 or states == 0:
        return "- states/s"
    rate = states / seconds
    for factor, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if rate >= factor:
            return f"{rate / factor:.3g}{unit} states/s"
    return f"{rate:.0f} states/s"


def counted(number: int, noun: str) -> str:
    """``1 state``, ``2,000 states``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
