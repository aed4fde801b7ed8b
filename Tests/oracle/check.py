"""Compare geoq's answers with PROJ: python check.py DIR

DIR holds pairs.f64 and queries.jsonl as written by the test suite OracleFiles. Everything is
recomputed here: distances by PROJ's geodesic (pyproj), order and membership by brute force, boxes in
exact fractions. Prints one line per figure and exits 1 on any failure.

needs: pip install pyproj numpy
"""

import json
import os
import sys
from fractions import Fraction

import numpy as np
from pyproj import Geod

TOLERANCE = 1e-6  # meters, between two answers that may differ
NEAR_TOLERANCE = 1e-7  # meters, of the chord formula
FAR = 400_100  # meters; beyond, the chord formula is out of play
FAR_TOLERANCE = 5e-8  # meters
LEAST_PAIRS = 200_000
LEAST_QUERIES = 400
WGS84 = Geod(ellps="WGS84")


def distances(lat1, lon1, lat2, lon2):
    """Meters between arrays of positions."""
    lat1, lon1, lat2, lon2 = np.broadcast_arrays(lat1, lon1, lat2, lon2)
    return np.asarray(WGS84.inv(lon1.copy(), lat1.copy(), lon2.copy(), lat2.copy())[2])


def check_pairs(path):
    """The count of pairs, and per range the largest error in meters with its pair."""
    rows = np.fromfile(path, dtype="<f8").reshape(-1, 5)
    true = distances(*rows[:, :4].T)
    errors = np.abs(true - rows[:, 4])
    errors[np.isnan(errors)] = np.inf
    figures = {}
    for name, part in {"up to 400 km": true <= FAR, "beyond 400 km": true > FAR}.items():
        worst = int(np.argmax(np.where(part, errors, -1)))
        figures[name] = (errors[worst], rows[worst].tolist())
    return len(rows), figures


def in_box(lat, lon, box):
    """Closed membership, from the rules in geoq's documentation, in exact arithmetic."""
    west, south, east, north = (Fraction(edge) for edge in box)
    if not south <= Fraction(lat) <= north:
        return False
    if abs(lat) == 90 or east - west == 360:
        return True
    return (Fraction(lon) - west) % 360 <= (east - west) % 360


class Checker:
    """Checks queries one by one against the last set of points."""

    def __init__(self):
        self.queries = {"nearest": 0, "radius": 0, "box": 0}
        self.ties = self.rim = 0
        self.bad = []

    def take(self, row):
        if "points" in row:
            self.points = np.array(row["points"]).reshape(-1, 2)
            self.layout = row["layout"]
            return
        kind = row["kind"]
        self.queries[kind] += 1
        fault = self.box_fault(row) if kind == "box" else self.distance_fault(row)
        if fault:
            self.bad.append(f"{self.layout}, {len(self.points)} points, {kind}: {fault}")

    def box_fault(self, row):
        expected = [i for i, (lat, lon) in enumerate(self.points) if in_box(lat, lon, row["box"])]
        if row["indexes"] != expected:
            return f"{row['box']} gave {len(row['indexes'])} of {len(expected)}"
        if row["counted"] != len(expected):
            return f"{row['box']} counted {row['counted']} of {len(expected)}"
        return None

    def distance_fault(self, row):
        got, told = row["indexes"], row["distances"]
        true = distances(row["lat"], row["lon"], self.points[:, 0], self.points[:, 1])
        if len(set(got)) != len(got) or len(got) != len(told):
            return "repeated indexes or a missing distance"
        if any(abs(true[i] - d) > TOLERANCE for i, d in zip(got, told)):
            return "a distance is off by more than 1 um"
        if list(zip(told, got)) != sorted(zip(told, got)):
            return "not in order of (distance, index)"
        allowed = range(len(true)) if row["allowed"] is None else row["allowed"]
        ranked = sorted(allowed, key=lambda i: (true[i], i))
        if row["kind"] == "radius":
            return self.radius_fault(row, true, ranked)
        return self.nearest_fault(row, true, ranked)

    def radius_fault(self, row, true, ranked):
        if row["counted"] != len(row["indexes"]):
            return f"counted {row['counted']} of {len(row['indexes'])}"
        return self.membership_fault(row["indexes"], true, ranked, row["radius"]) \
            or self.order_fault(row["indexes"], true, None)

    def nearest_fault(self, row, true, ranked):
        got, limit = row["indexes"], row["within"]
        limit = float("inf") if limit is None else limit
        sure = sum(1 for i in ranked if true[i] < limit - TOLERANCE)
        possible = sum(1 for i in ranked if true[i] <= limit + TOLERANCE)
        if not min(row["count"], sure) <= len(got) <= min(row["count"], possible):
            return f"{len(got)} answers, expected {min(row['count'], sure)}"
        if not set(got) <= set(ranked):
            return "an answer that the filter does not allow"
        if len(got) < row["count"]:
            fault = self.membership_fault(got, true, ranked, limit)
            if fault:
                return fault
        return self.order_fault(got, true, ranked)

    def membership_fault(self, got, true, ranked, radius):
        """A wrong member must be within a micrometer of the rim."""
        wrong = set(got) ^ {i for i in ranked if true[i] <= radius}
        if any(abs(true[i] - radius) > TOLERANCE for i in wrong):
            return f"{len(wrong)} wrong members for {radius}"
        self.rim += len(wrong)
        return None

    def order_fault(self, got, true, ranked):
        """Each place must hold the expected point, or one as far to a micrometer."""
        expected = ranked if ranked else sorted(got, key=lambda i: (true[i], i))
        differing = [(i, j) for i, j in zip(got, expected) if i != j]
        if any(abs(true[i] - true[j]) > TOLERANCE for i, j in differing):
            return "wrong order or a nearer point skipped"
        self.ties += bool(differing)
        return None


def main(folder):
    count, figures = check_pairs(os.path.join(folder, "pairs.f64"))
    checker = Checker()
    with open(os.path.join(folder, "queries.jsonl"), encoding="utf-8") as lines:
        for line in lines:
            checker.take(json.loads(line))
    total = sum(checker.queries.values())
    print(f"pairs {count}")
    for name, (error, worst) in figures.items():
        print(f"max error {name} {error:.3e} m at {worst}")
    print(f"queries {total} {checker.queries}")
    print(f"bad {len(checker.bad)}")
    print(f"queries with ties explained {checker.ties}")
    print(f"rim members explained {checker.rim}")
    for fault in checker.bad[:10]:
        print(f"  {fault}")
    passed = (
        figures["up to 400 km"][0] <= NEAR_TOLERANCE
        and figures["beyond 400 km"][0] <= FAR_TOLERANCE
        and not checker.bad
    )
    return 0 if passed and count >= LEAST_PAIRS and total >= LEAST_QUERIES else 1


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
