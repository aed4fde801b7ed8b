"""What is asked: the workloads of a run, and how many queries each takes.

Ours and a peer are always asked the same queries. Slow peers get fewer, and then so does geoq
beside them.
"""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Workload:
    """One operation with its argument; `queries` for the fast peers, `slow` for the slow ones."""

    name: str
    op: str
    value: float
    queries: int
    slow: int
    checked: int  # of how many queries the answers are compared
    globe: bool = False  # is it asked all over the globe too?
    batch: bool = False  # all queries in one call, on all cores

    def options(self, queries):
        """The options that geoq bench and the peers share."""
        flag = {"nearest": "--k", "radius": "--radius"}.get(self.op, "--half-width")
        return ["--op", self.op, flag, f"{self.value:g}", "--count", str(queries)]

    def shrunk(self, factor):
        names = ("queries", "slow", "checked")
        return replace(self, **{name: max(getattr(self, name) // factor, 20) for name in names})


SEARCHES = (
    Workload("k=1", "nearest", 1, 200_000, 5_000, 2_000, globe=True),
    Workload("k=10", "nearest", 10, 200_000, 5_000, 2_000, globe=True),
    Workload("k=100", "nearest", 100, 20_000, 1_000, 1_000, globe=True),
    Workload("radius 200 m", "radius", 200, 5_000, 1_000, 500),
    Workload("radius 1 km", "radius", 1_000, 5_000, 500, 200),
    Workload("radius 5 km", "radius", 5_000, 5_000, 100, 50, globe=True),
    Workload("box ±0.005°", "bbox", 0.005, 5_000, 1_000, 500),
    Workload("box ±0.05°", "bbox", 0.05, 5_000, 500, 200),
    Workload("box ±0.5°", "bbox", 0.5, 500, 100, 50, globe=True),
    Workload("count ±0.005°", "count", 0.005, 5_000, 1_000, 500),
    Workload("count ±0.05°", "count", 0.05, 5_000, 500, 200),
    Workload("count ±0.5°", "count", 0.5, 500, 100, 50, globe=True),
)
BATCH = Workload("batch k=10", "nearest", 10, 200_000, 5_000, 2_000, batch=True)
WORKLOADS = (*SEARCHES, BATCH)
BUILD = "build"
BUILD_ALONE = "build, one thread"  # ours; the peers that build on one thread do so in `BUILD`
