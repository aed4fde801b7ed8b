"""The lines that geoq set itself, on 1 000 000 clustered points with queries near them."""

from workloads import BUILD

MILLION = ("clustered", 10**6, "near")
TEN_MILLION = ("clustered", 10**7, "near")
SMALLER, LARGER = "at most", "at least"


def times(results, workload, *rivals):
    """How many times as fast as the fastest of the rivals."""
    ours = results.get(*MILLION, workload, "geoq")
    theirs = [results.get(*MILLION, workload, rival) for rival in rivals]
    if not ours or not all(theirs):
        return None
    return min(each.times(ours) for each in theirs)


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
TARGETS = (
    ("k=1 against nanoflann f32", LARGER, 2.5, "×", lambda r: times(r, "k=1", "nanoflann")),
    ("k=10 against nanoflann f32", LARGER, 3, "×", lambda r: times(r, "k=10", "nanoflann")),
    (
        "k=100 against the faster of nanoflann f32 and Boost",
        *(LARGER, 2.5, "×"),
        lambda r: times(r, "k=100", "nanoflann", "boost3d"),
    ),
    (
        "radius 1 km, unsorted, against nanoflann f32",
        *(LARGER, 3, "×"),
        lambda r: times(r, "radius 1 km", "nanoflann"),
    ),
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
    for line, side, wanted, unit, find in TARGETS:
        found = find(results)
        shown = "" if found is None else f"{found:.3g}{unit}"
        yield line, f"{side} {wanted:g}{unit}", shown, verdict(side, wanted, found)
