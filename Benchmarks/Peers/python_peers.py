"""The Python peers: the same options and lines as the C++ ones, and --peer scipy|pykdtree|sklearn.

    python python_peers.py --peer scipy --points FILE --queries FILE --op nearest --k 10
    python python_peers.py --peer pykdtree --points FILE --serve

Each is asked in one call with all queries, the way it is fastest; turning them from degrees into
the peer's coordinates is inside the time. OMP_NUM_THREADS says how many threads pykdtree has.
"""

import argparse
import ctypes
import gc
import json
import os
import shlex
import sys
import time

import numpy

RADIUS = 6371008.8  # metres: the mean radius, (2a + b) / 3


def read(path):
    return numpy.fromfile(path, "<f8").reshape(-1, 2)


def on_unit_sphere(pairs):
    longitude, latitude = numpy.radians(pairs).T
    shrunk = numpy.cos(latitude)
    xyz = (shrunk * numpy.cos(longitude), shrunk * numpy.sin(longitude), numpy.sin(latitude))
    return numpy.ascontiguousarray(numpy.column_stack(xyz))


def chord(metres):
    return 2 * numpy.sin(min(metres / (2 * RADIUS), numpy.pi / 2))


def metres(chords):
    return 2 * RADIUS * numpy.arcsin(numpy.minimum(1, numpy.asarray(chords) / 2))


class HeapUse(ctypes.Structure):
    """What mallinfo2(3) of the C library returns."""

    _fields_ = [(name, ctypes.c_size_t) for name in (
        "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks",
        "fordblks", "keepcost")]


def heap_in_use():
    """Bytes allocated and not freed; arrays and trees come from the C library's heap."""
    gc.collect()
    mallinfo2 = ctypes.CDLL(None).mallinfo2
    mallinfo2.restype = HeapUse
    use = mallinfo2()
    return use.uordblks + use.hblkhd


class SciPy:
    """cKDTree over the unit sphere, default leaves (16); radius gives no distances."""

    threads = 1

    def __init__(self, pairs):
        self.points = on_unit_sphere(pairs)

    def build(self):
        from scipy.spatial import cKDTree

        self.tree = cKDTree(self.points)

    def nearest(self, pairs, k):
        chords, ids = self.tree.query(on_unit_sphere(pairs), k, workers=self.threads)
        return ids.reshape(len(pairs), -1), chords.reshape(len(pairs), -1)

    def within(self, pairs, radius):
        return self.tree.query_ball_point(on_unit_sphere(pairs), chord(radius)), None

    def metres(self, distances):
        return metres(distances)


class PyKDTree:
    """pykdtree over the unit sphere in Double, default leaves (16), parallel by OpenMP."""

    threads = int(os.environ.get("OMP_NUM_THREADS") or os.cpu_count())

    def __init__(self, pairs):
        self.points = on_unit_sphere(pairs)

    def build(self):
        from pykdtree.kdtree import KDTree

        self.tree = KDTree(self.points)

    def nearest(self, pairs, k):
        chords, ids = self.tree.query(on_unit_sphere(pairs), k=k)
        return ids.reshape(len(pairs), -1), chords.reshape(len(pairs), -1)

    def metres(self, distances):
        return metres(distances)


class SciKit:
    """scikit-learn's BallTree with the haversine metric, default leaves (40)."""

    threads = 1

    def __init__(self, pairs):
        self.points = self.radians(pairs)

    def radians(self, pairs):
        return numpy.radians(pairs[:, ::-1])

    def build(self):
        from sklearn.neighbors import BallTree

        self.tree = BallTree(self.points, metric="haversine")

    def nearest(self, pairs, k):
        angles, ids = self.tree.query(self.radians(pairs), k)
        return ids, angles

    def within(self, pairs, radius):
        return self.tree.query_radius(self.radians(pairs), radius / RADIUS, return_distance=True)

    def metres(self, distances):
        return numpy.asarray(distances) * RADIUS


PEERS = {"scipy": SciPy, "pykdtree": PyKDTree, "sklearn": SciKit}


def make(name, points):
    """A built peer, and what building it took: the same as a C++ peer counts."""
    PEERS[name](numpy.zeros((100, 2))).build()  # loads the libraries
    before = heap_in_use()
    peer = PEERS[name](read(points))
    start = time.perf_counter()
    peer.build()
    seconds = time.perf_counter() - start
    size = (heap_in_use() - before) / max(len(peer.points), 1)
    built = {"buildSeconds": seconds, "bytesPerPoint": round(size, 2), "threads": peer.threads}
    return peer, built


def write_answers(path, peer, ids, distances):
    with open(path, "w") as file:
        for q, found in enumerate(ids):
            away = [] if distances is None else peer.metres(distances[q]).tolist()
            file.write(json.dumps({"q": q, "ids": list(map(int, found)), "d": away}) + "\n")


def run(peer, built, options):
    """One workload: the line that reports it."""
    if options.op not in ("nearest", "radius") or (
        options.op == "radius" and not hasattr(peer, "within")
    ):
        sys.exit(f"this peer does not answer: {options.op}")
    pairs = read(options.queries)
    count = min(options.count or len(pairs), len(pairs))
    before, pairs = pairs[count : 2 * count], pairs[:count]

    def ask(pairs):
        if options.op == "nearest":
            return peer.nearest(pairs, options.k)
        return peer.within(pairs, options.radius)

    if len(before):  # other queries warm the caches, as in the C++ peers
        ask(before)
    start = time.perf_counter()
    ids, distances = ask(pairs)
    seconds = time.perf_counter() - start
    if options.answers:
        write_answers(options.answers, peer, ids, distances)
    hits = sum(map(len, ids))
    return {
        "op": options.op,
        "k": options.k if options.op == "nearest" else 0,
        "queries": len(pairs),
        "usPerQuery": seconds * 1e6 / len(pairs),
        "hits": hits,
        "nsPerHit": seconds * 1e9 / max(hits, 1),
        **built,
    }


def parser():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--peer", choices=PEERS)
    options.add_argument("--op", default="nearest")
    for name in ("--points", "--queries", "--answers"):
        options.add_argument(name)
    for name in ("--k", "--count"):
        options.add_argument(name, type=int, default=10 if name == "--k" else 0)
    options.add_argument("--radius", type=float, default=0)
    options.add_argument("--serve", action="store_true")
    options.add_argument("--no-percentiles", action="store_true", help="a batch has none anyway")
    return options


def main():
    reader = parser()
    first = reader.parse_args()
    peer, built = make(first.peer, first.points)
    if not first.serve:
        return print(json.dumps(run(peer, built, first)))
    print(json.dumps({"op": "build", **built}), flush=True)
    for line in sys.stdin:
        options = reader.parse_args(shlex.split(line))
        if options.op == "build":
            del peer
            peer, built = make(first.peer, first.points)
            print(json.dumps({"op": "build", **built}), flush=True)
        else:
            print(json.dumps(run(peer, built, options)), flush=True)


if __name__ == "__main__":
    main()
