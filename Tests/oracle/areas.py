"""Compare geoq's areas with shapely and with rational arithmetic: python areas.py DIR

DIR holds areas.jsonl as written by the test suite OracleFiles. Every answer is computed again in
exact integers. Where the polygons are valid and a turn of 360 degrees rounds nothing, shapely's covers
is a second opinion. Prints one line per figure and exits 1 on any failure.

needs: pip install shapely
"""

import itertools
import json
import os
import sys
from fractions import Fraction

import shapely

LEAST_PAIRS = 200_000
UNIT = 1 << 60
TURNS = range(-2, 3)


def integer(number):
    """A number in units of 2**-60, all of which are whole."""
    scaled = Fraction(number) * UNIT
    assert scaled.denominator == 1, number
    return scaled.numerator


def in_polygon(edges, x, y):
    """Closed, even-odd membership: counts the edges below a point."""
    odd = False
    for (ax, ay), (bx, by) in edges:
        if (x < ax and x < bx) or (x > ax and x > bx):
            continue
        side = (bx - ax) * (y - ay) - (by - ay) * (x - ax)
        if side == 0 and min(ay, by) <= y <= max(ay, by):
            return True
        if (ax <= x) != (bx <= x) and (side > 0) == (bx > ax):
            odd = not odd
    return odd


def exact(polygons, lat, lon):
    """Membership by the rules in geoq's documentation."""
    y = integer(lat)
    if abs(lat) == 90:
        return any(y in (a[1], b[1]) for edges in polygons for a, b in edges)
    return any(in_polygon(edges, integer(lon) + 360 * UNIT * turn, y) for edges in polygons for turn in TURNS)


def opinion(geometries, lat, lon):
    """What shapely says; None if it cannot be asked."""
    if geometries is None or abs(lat) == 90:
        return None
    west = min(geometry.bounds[0] for geometry in geometries) - 1
    east = max(geometry.bounds[2] for geometry in geometries) + 1
    near = [turn for turn in TURNS if west < lon + 360 * turn < east]
    if any(Fraction(lon + 360 * turn) != Fraction(lon) + 360 * turn for turn in near):
        return None
    points = [shapely.Point(lon + 360 * turn, lat) for turn in near]
    return any(geometry.covers(point) for geometry in geometries for point in points)


def main(folder):
    pairs = asked = inside = 0
    wrong = []
    with open(os.path.join(folder, "areas.jsonl"), encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            polygons = []
            for rings in row["polygons"]:
                whole = [[(integer(x), integer(y)) for x, y in ring] for ring in rings]
                polygons.append([edge for ring in whole for edge in itertools.pairwise(ring)])
            geometries = [shapely.Polygon(rings[0], rings[1:]) for rings in row["polygons"]]
            if not all(geometry.is_valid for geometry in geometries):
                geometries = None
            for (lat, lon), answer in zip(row["positions"], row["answers"], strict=True):
                pairs += 1
                inside += answer
                if exact(polygons, lat, lon) != answer:
                    wrong.append(f"{row['kind']}: {lat},{lon} is not {answer}")
                other = opinion(geometries, lat, lon)
                asked += other is not None
                if other not in (None, answer):
                    wrong.append(f"{row['kind']}: shapely says of {lat},{lon} that it is not {answer}")
    print(f"area pairs {pairs}, inside {inside}, second opinions {asked}")
    print(f"bad {len(wrong)}")
    for fault in wrong[:10]:
        print(f"  {fault}")
    return 0 if not wrong and pairs >= LEAST_PAIRS else 1


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
