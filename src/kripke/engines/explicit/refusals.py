"""What the explicit engine refuses of a plan beside its rules: options that belong to another choice, or to none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kripke.engines.explicit.stores import HASH_BITS, MOST_HASHES
from kripke.engines.unsupported import Unsupported
from kripke.model.preemptions import MOST_SWITCHES

if TYPE_CHECKING:
    from kripke.engines.plan import SearchPlan

MOST_SWARM = 10_000


def refuse(plan: SearchPlan) -> None:
    """Unsupported says what, and what to do."""
    if plan.shortest and plan.search == "dfs":
        raise Unsupported("--shortest does not go with --search dfs, whose traces are long: leave one out")
    _refuse_of_checkpoints(plan)
    _refuse_of_store(plan)
    _refuse_of_way(plan)


def _refuse_of_checkpoints(plan: SearchPlan) -> None:
    if plan.checkpoint_every is not None and plan.checkpoint is None:
        raise Unsupported("--checkpoint-every says how often --checkpoint FILE is written: give both")
    if plan.checkpoints and (plan.another is not None or plan.ctl or plan.mu or plan.possible):
        raise Unsupported(
            "--checkpoint and --resume go with a search for safety: leave out --another, --ctl, --mu and --possible"
        )


def _refuse_of_store(plan: SearchPlan) -> None:
    """Options of stores, and what takes the native engine."""
    for option, given, stores in (
        ("--hash-bits", plan.hash_bits is not None, ("hashcompact",)),
        ("--hashes", plan.hashes is not None and plan.swarm is None, ("bitstate",)),
        ("--store-size", plan.store_size is not None and plan.swarm is None, ("bitstate", "cache")),
        ("--replaces", plan.replaces is not None, ("cache",)),
        ("--runs", plan.runs > 1, ("hashcompact", "bitstate")),
    ):
        if given and plan.store not in stores:
            raise Unsupported(
                f"{option} belongs to --store {' and '.join(stores)}, not to --store {plan.store or 'full'}"
            )
    if plan.hash_bits not in (None, *HASH_BITS):
        raise Unsupported(f"hashes of {plan.hash_bits} bits: choose 32, 40 or 64")
    if plan.hashes is not None and not 1 <= plan.hashes <= MOST_HASHES:
        raise Unsupported(f"{plan.hashes} hashes: choose from 1 to {MOST_HASHES}")
    if plan.engine == "interpreter" and plan.needs_native:
        what = f"--store {plan.store}"
        if plan.store in (None, "full"):
            what = f"--threads {plan.threads}" if plan.threads > 1 else "a checkpoint"
        what = f"--swarm {plan.swarm}" if plan.swarm is not None else what
        what = "--search sweep" if plan.search == "sweep" else what
        raise Unsupported(f"{what} needs the native engine: leave out --engine interpreter")


def _refuse_of_way(plan: SearchPlan) -> None:
    """Options of ways of searching, and of single searches."""
    given = {"--max-switches": plan.max_switches, "--deepen": plan.deepen, "--swarm": plan.swarm}
    several = [name for name, value in given.items() if value is not None]
    if len(several) > 1:
        raise Unsupported(f"{' and '.join(several)} do not go together: choose one")
    if plan.progress is None and plan.search == "sweep":
        raise Unsupported("--search sweep goes by a measure: say with --progress EXPR how far a state has come")
    if plan.max_switches is not None and not 0 <= plan.max_switches <= MOST_SWITCHES:
        raise Unsupported(f"{plan.max_switches} switches: choose from 0 to {MOST_SWITCHES}")
    if plan.swarm is not None and plan.swarm > MOST_SWARM:
        raise Unsupported(f"a swarm of {plan.swarm:,} searches: choose from 1 to {MOST_SWARM:,}")
    if plan.swarm is not None and plan.runs > 1:
        raise Unsupported("--runs does not go with --swarm, which makes many anyway: leave it out")
