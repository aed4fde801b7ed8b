"""The lines that geoq set itself, on 1 000 000 clustered points with queries near them."""

from peers import PEERS, WIDE
from workloads import BUILD, BUILD_ALONE

NAMES = [peer.name for peer in PEERS]
MILLION = ("clustered", 10**6, "near")
FAR = ("clustered", 10**6, "globe")
SMALL = ("clustered", 10**5, "near")
TEN_MILLION = ("clustered", 10**7, "near")
SMALLER, LARGER = "at most", "at least"


def times(results, workload, *rivals, place=MILLION, theirs=None):
    """How many times as fast as the fastest of the rivals, or of all peers that were asked."""
    ours = results.get(*place, workload, "geoq")
    rivals = [results.get(*place, theirs or workload, rival) for rival in rivals or NAMES]
    found = [rival for rival in rivals if rival]
    return min(each.times(ours) for each in found) if ours and found else None


def box_count(results):
    """Our count against the query that Boost would have to make: it has no count of its own."""
    return times(results, "count ±0.05°", "boost2d")


def bytes_per_point(results):
    ours = results.get(*MILLION, "k=10", "geoq")
    return ours and ours.line["bytesPerPoint"]


def growth(results):
    small = results.get(*MILLION, "k=10", "geoq")
    large = results.get(*TEN_MILLION, "k=10", "geoq")
    return large.times(small) if small and large else None


# the line, the side on which it is met, the figure asked for, its unit, and how it is found
def against_all(line, wanted, workload, **options):
    """A line that compares with the fastest of all peers."""
    return line, LARGER, wanted, "×", lambda r: times(r, workload, **options)


TARGETS = (
    against_all("k=1 against the fastest peer", 1.3, "k=1"),
    against_all("k=10 against the fastest peer", 1.7, "k=10"),
    against_all("k=100 against the fastest peer", 1.7, "k=100"),
    against_all("radius 1 km, unsorted, against the fastest peer", 1.5, "radius 1 km"),
    against_all("100 000 points, k=1", 1, "k=1", place=SMALL),
    against_all("100 000 points, k=10", 1, "k=10", place=SMALL),
    against_all("100 000 points, k=100", 1, "k=100", place=SMALL),
    against_all("far from all points, k=1", 1, "k=1", place=FAR),
    against_all("far from all points, k=10", 1, "k=10", place=FAR),
    against_all("far from all points, k=100", 0.6, "k=100", place=FAR),
    against_all("build on one thread, against the fastest peer", 0.9, BUILD_ALONE, theirs=BUILD),
    (
        "box ±0.05°, positions, against Boost 2-D",
        *(LARGER, 3, "×"),
        lambda r: times(r, "box ±0.05°", "boost2d"),
    ),
    ("count in that box against Boost's query (aim: 20)", LARGER, 8, "×", box_count),
    ("build, all cores, against Boost 3-D", LARGER, 1.2, "×", lambda r: times(r, BUILD, "boost3d")),
    (
        "batch k=10, all cores, against pykdtree, all cores",
        *(LARGER, 2, "×"),
        lambda r: times(r, "batch k=10", "pykdtree"),
    ),
    ("bytes per point (aim: 48)", SMALLER, 60, "", bytes_per_point),
    ("ten times the points, k=10: times as long", SMALLER, 2, "×", growth),
)


def verdict(side, wanted, found):
    if found is None:
        return "not measured"
    if found >= wanted if side == LARGER else found <= wanted:
        return "met"
    return f"**missed** by {abs(found / wanted - 1):.0%}"


def rows(results):
    """Each line, and what both builds found."""
    for line, side, wanted, unit, find in TARGETS:
        row = [line, f"{side} {wanted:g}{unit}"]
        for found in (find(results), find(results.of_build(WIDE))):
            row += ["" if found is None else f"{found:.3g}{unit}", verdict(side, wanted, found)]
        yield row
