"""CSP-M networks: states per second, refinement against reachability, two threads, bytes per state, a Promela twin.

Usage: python benchmarks/csp.py [--require] [NETWORK ...]

Times are those of the processor, so that other work on the machine does not count, but for two threads: their speed is
by the clock. Beside it stands the processor time of two threads over that of one: where it is near 1 and the speed is
low, the threads did not get two processors. Models are compiled before anything is measured. With --require the exit
code says whether the figures are as they should be.
"""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

import kripke
from kripke.algebra.model import TermProcess
from kripke.engines.explicit.safety import check
from kripke.engines.plan import SearchPlan
from kripke.engines.refinement.native import specification_table
from kripke.engines.refinement.normal_form import NormalForm
from kripke.languages.cspm.loading import load

EXAMPLES = Path(__file__).parents[1] / "examples" / "cspm"

PHILOSOPHERS = """
N = 9
channel think, eat : {0..N-1}
channel pick, put : {0..N-1}.{0..N-1}
PHIL(i) = think.i -> pick.i.i -> pick.i.(i+1)%N -> eat.i -> put.i.(i+1)%N -> put.i.i -> PHIL(i)
FORK(j) = pick.j.j -> put.j.j -> FORK(j) [] pick.((j+N-1)%N).j -> put.((j+N-1)%N).j -> FORK(j)
MAIN = (||| i:{0..N-1} @ PHIL(i)) [| {| pick, put |} |] (||| j:{0..N-1} @ FORK(j))
"""
TWIN = """
#define N 9
bool fork[N];
active [N] proctype Phil() {
end: do
  :: skip;
     atomic { !fork[_pid] -> fork[_pid] = true };
     atomic { !fork[(_pid + 1) % N] -> fork[(_pid + 1) % N] = true };
     skip;
     fork[(_pid + 1) % N] = false;
     fork[_pid] = false
  od
}
"""
SCHEDULER = """
N = 16
channel start, finish, next : {0..N-1}
CELL(i) = next.i -> start.i -> BUSY(i)
BUSY(i) = finish.i -> next.(i+1)%N -> CELL(i) [] next.(i+1)%N -> finish.i -> CELL(i)
FIRST = start.0 -> BUSY(0)
SET(i) = {| start.i, finish.i, next.i, next.(i+1)%N |}
MAIN = || i:{0..N-1} @ [SET(i)] (if i == 0 then FIRST else CELL(i))
"""
BUFFERS = """
N = 13
channel c : {0..N}.{0..1}
CELL(i) = c.i?x -> c.(i+1)!x -> CELL(i)
MAIN = || i:{0..N-1} @ [{| c.i, c.(i+1) |}] CELL(i)
"""
COUNTERS = """
channel up, down : {0..6}
COUNT(i, n) = n < 9 & up.i -> COUNT(i, n+1) [] n > 0 & down.i -> COUNT(i, n-1)
MAIN = ||| i:{0..6} @ COUNT(i, 0)
"""
RING = """
N = 7
channel want, enter, leave, pass : {0..N-1}
IDLE(i) = want.i -> WAIT(i) [] pass.i -> IDLE_WITH(i)
IDLE_WITH(i) = pass.((i+1)%N) -> IDLE(i) [] want.i -> WAIT_WITH(i)
WAIT(i) = pass.i -> WAIT_WITH(i)
WAIT_WITH(i) = enter.i -> leave.i -> LEFT(i)
LEFT(i) = pass.((i+1)%N) -> REST(i, 3)
REST(i, n) = (if n == 0 then IDLE(i) else want.i -> REST(i, n-1)) [] pass.i -> LEFT(i)
SET(i) = {| want.i, enter.i, leave.i, pass.i, pass.((i+1)%N) |}
MAIN = || i:{0..N-1} @ [SET(i)] (if i == 0 then IDLE_WITH(i) else IDLE(i))
"""


def networks() -> dict[str, str]:
    hanoi = (EXAMPLES / "hanoi.csp").read_text().partition("assert")[0]
    dijkstra = (EXAMPLES / "dijkstra.csp").read_text().partition("assert")[0]
    commit = (EXAMPLES / "two_phase_commit.csp").read_text().partition("assert")[0]
    return {
        "philosophers": PHILOSOPHERS,
        "two-phase commit": commit.replace("N = 2", "N = 4") + "MAIN = SYSTEM\n",
        "hanoi": hanoi.replace("| D", "| D | E").replace("{1..4}", "{1..9}") + "MAIN = HANOI\n",
        "dijkstra": dijkstra.replace("| P3", "| P3 | P4") + "MAIN = DIJKSTRA\n",
        "scheduler": SCHEDULER,
        "buffers": BUFFERS,
        "counters": COUNTERS,
        "ring": RING,
    }


def searched(model, plan: SearchPlan, *, wall: bool = False):
    """The result of a search, and its time."""
    clock = time.perf_counter if wall else time.process_time
    check(model, SearchPlan(**{**plan.to_json(), "max_states": 10}))  # compiled, and in the cache
    start = clock()
    result = check(model, plan)
    return result, clock() - start


def best(model, plan: SearchPlan, *, wall: bool = False, times: int = 3):
    return min((searched(model, plan, wall=wall) for _ in range(times)), key=lambda one: one[1])


def row(name: str, text: str) -> dict[str, float]:
    base = load(f"{name}.csp", text=text, process="MAIN")
    network = TermProcess(base).as_network(None)
    assert not isinstance(network, str), network
    plan = SearchPlan(engine="native", deadlock=False)
    result, seconds = best(network, plan)
    states = result.states
    everything = load(f"{name}.csp", text=text, process="RUN(Events)")
    table = specification_table(NormalForm(TermProcess(everything), "T"), "T")
    beside = TermProcess(base).as_network(table)
    refined, refinement = best(beside, plan)
    assert refined.states == states and refined.verdict == "holds"
    both = SearchPlan(engine="native", deadlock=False, threads=2)
    _, alone = best(network, plan, wall=True)
    two, together = best(network, both, wall=True)
    assert two.states == states
    _, work = best(network, both)
    tree, _ = searched(network, SearchPlan(engine="native", deadlock=False, store="tree"))
    return {
        "states": states,
        "transitions": result.transitions,
        "speed": states / seconds,
        "refinement": seconds / refinement,
        "threads": alone / together,
        "work": work / seconds,
        "tree": tree.store_bytes / states,
    }


def twin_ratio(speed: float) -> float:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "philosophers.pml"
        file.write_text(TWIN)
        model = kripke.load(str(file)).model
        result, seconds = best(model, SearchPlan(engine="native", deadlock=False))
    print(f"philosophers in Promela: {result.states:,} states, {result.states / seconds:,.0f} a second")
    return speed / (result.states / seconds)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("networks", nargs="*", metavar="NETWORK")
    parser.add_argument("--require", action="store_true")
    options = parser.parse_args()
    print(f"{'':<18}{'states':>12}{'transitions':>14}{'states/s':>12}{'refine':>8}{'2 thr':>7}{'work':>7}{'tree':>7}")
    rows = {}
    for name, text in networks().items():
        if options.networks and name not in options.networks:
            continue
        found = rows[name] = row(name, text)
        print(
            f"{name:<18}{found['states']:>12,}{found['transitions']:>14,}{found['speed']:>12,.0f}"
            f"{found['refinement']:>8.2f}{found['threads']:>7.2f}{found['work']:>7.2f}{found['tree']:>7.1f}",
            flush=True,
        )
    median = {key: statistics.median(one[key] for one in rows.values()) for key in next(iter(rows.values()))}
    print(
        f"{'median':<18}{'':>12}{'':>14}{median['speed']:>12,.0f}"
        f"{median['refinement']:>8.2f}{median['threads']:>7.2f}{median['work']:>7.2f}{median['tree']:>7.1f}"
    )
    ratio = twin_ratio(rows["philosophers"]["speed"]) if "philosophers" in rows else 1.0
    print(f"philosophers in CSP-M against Promela: {ratio:.2f}")
    good = (
        median["speed"] >= 1e6
        and median["refinement"] >= 0.5
        and median["threads"] >= 1.6
        and median["tree"] <= 12
        and ratio >= 0.5
    )
    return 0 if good or not options.require else 1


if __name__ == "__main__":
    sys.exit(main())
