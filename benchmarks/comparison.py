"""Put the measurements of both checkers side by side and boil them down to a few figures."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from manifest import BenchmarkModel
from measurement import Measurement

# Below this a search is too short for SPIN's clock (10 ms) to give a ratio worth anything.
SMALLEST_FOR_RATIOS = 200_000


@dataclass(frozen=True)
class Comparison:
    model: BenchmarkModel
    spin: Measurement
    kripke: Measurement

    @property
    def counts_equal(self) -> bool:
        """Both checkers agree with each other and with the manifest."""
        wanted = (self.model.states, self.model.transitions)
        return wanted == (self.spin.states, self.spin.transitions) == (self.kripke.states, self.kripke.transitions)

    @property
    def speed_ratio(self) -> float:
        return self.kripke.states_per_second / self.spin.states_per_second

    @property
    def memory_ratio(self) -> float:
        return self.kripke.bytes_per_state / self.spin.bytes_per_state

    @property
    def wall_ratio(self) -> float:
        return self.spin.wall / self.kripke.wall

    @property
    def gives_ratios(self) -> bool:
        return self.model.states >= SMALLEST_FOR_RATIOS


@dataclass(frozen=True)
class Latency:
    """Seconds from prompt to verdict on a model under 10,000 states."""

    warm: float
    cold: float
    spin: float


@dataclass(frozen=True)
class Figures:
    """The summary; None where the selection of models does not allow the figure."""

    median_speed: float | None
    minimum_speed: float | None
    median_memory: float | None
    growth: float | None
    warm: float | None
    cold: float | None
    spin_latency: float | None


def summarise(comparisons: Sequence[Comparison], latency: Latency | None) -> Figures:
    sized = [comparison for comparison in comparisons if comparison.gives_ratios]
    speeds = [comparison.speed_ratio for comparison in sized]
    return Figures(
        median_speed=median(speeds) if speeds else None,
        minimum_speed=min(speeds) if speeds else None,
        median_memory=median(comparison.memory_ratio for comparison in sized) if sized else None,
        growth=growth(comparisons),
        warm=latency.warm if latency else None,
        cold=latency.cold if latency else None,
        spin_latency=latency.spin if latency else None,
    )


def growth(comparisons: Sequence[Comparison]) -> float | None:
    """Kripke's time per state on the large size of a model over that on its small size."""
    by_role = {comparison.model.role: comparison.kripke for comparison in comparisons}
    if not {"growth-small", "growth-large"} <= by_role.keys():
        return None
    return by_role["growth-large"].seconds_per_state / by_role["growth-small"].seconds_per_state


@dataclass(frozen=True)
class Bar:
    """A demand on one figure."""

    figure: str
    label: str
    limit: float
    at_least: bool = False

    def met_by(self, value: float) -> bool:
        return value >= self.limit if self.at_least else value <= self.limit

    @property
    def wanted(self) -> str:
        return f"{'at least' if self.at_least else 'at most'} {self.limit:g}"


BARS = (
    Bar("median_speed", "median speed ratio", 5.0, at_least=True),
    Bar("minimum_speed", "minimum speed ratio", 2.5, at_least=True),
    Bar("median_memory", "median memory ratio", 0.5),
    Bar("growth", "growth of time per state", 1.3),
    Bar("warm", "small model, warm cache (s)", 0.6),
    Bar("cold", "small model, cold cache (s)", 0.9),
)
