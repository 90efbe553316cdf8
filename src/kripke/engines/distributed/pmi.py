"""What processes of MPICH ask whoever has started them: PMI, version 1.1, by lines of text.

Before they can send each other anything, they put cards with their addresses on a board, wait until all have, and read
those of the others. The board is here; how the lines travel is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from secrets import token_hex

from kripke.engines.distributed.hosts import Place

_MOST_TEXT = 1 << 20  # characters of a line


class BadQuestion(ValueError):
    """A worker asked what no worker asks."""


class Board:
    """The board of so many workers. Every question has answers, each for some worker."""

    def __init__(self, places: Sequence[Place]) -> None:
        self._size = sum(place.count for place in places)
        self._cards = {"PMI_process_mapping": mapping(places)}
        self._waiting: set[int] = set()
        # MPICH names the memory that workers of a machine share after it: so it is unique.
        self._name = f"kripke_{token_hex(8)}"

    def ask(self, rank: int, line: str) -> list[tuple[int, str]]:
        if len(line) > _MOST_TEXT or not 0 <= rank < self._size:
            raise BadQuestion("a line is too long, or of no worker")
        fields = dict(part.partition("=")[::2] for part in line.split(" ") if "=" in part)
        answer = self._answer(rank, fields)
        return answer if isinstance(answer, list) else [(rank, answer)]

    def _answer(self, rank: int, fields: dict[str, str]) -> str | list[tuple[int, str]]:
        match fields.get("cmd"):
            case "init":
                return "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0"
            case "get_maxes":
                return "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024"
            case "get_appnum":
                return "cmd=appnum appnum=0"
            case "get_my_kvsname":
                return f"cmd=my_kvsname kvsname={self._name}"
            case "get_universe_size":
                return f"cmd=universe_size size={self._size}"
            case "put":
                self._cards[fields.get("key", "")] = fields.get("value", "")
                return "cmd=put_result rc=0 msg=success"
            case "get":
                card = self._cards.get(fields.get("key", ""))
                if card is None:
                    return "cmd=get_result rc=-1 msg=key_not_found value=unknown"
                return f"cmd=get_result rc=0 msg=success value={card}"
            case "barrier_in":
                self._waiting.add(rank)
                if len(self._waiting) < self._size:
                    return []
                self._waiting.clear()
                return [(other, "cmd=barrier_out rc=0") for other in range(self._size)]
            case "finalize":
                return "cmd=finalize_ack rc=0"
            case "abort":
                return []
            case other:
                raise BadQuestion(f"a worker asks for {str(other)[:40]!r}")


def mapping(places: Sequence[Place]) -> str:
    """Which workers share a machine: runs of hosts with as many workers each, ``(first host, hosts, workers)``."""
    runs: list[list[int]] = []
    for number, place in enumerate(places):
        if runs and runs[-1][2] == place.count:
            runs[-1][1] += 1
        else:
            runs.append([number, 1, place.count])
    return "(vector," + ",".join(f"({first},{hosts},{count})" for first, hosts, count in runs) + ")"
