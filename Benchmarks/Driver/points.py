"""Makes the points and the queries of a run, with fixed seeds, and keeps them in a folder.

Files hold little-endian float64 pairs, longitude and latitude in degrees, with 7 decimals. As a
program it prints the paths of one layout:

    python points.py FOLDER clustered 1e6
"""

import sys
import zlib
from pathlib import Path

import numpy

SEED = 20150821
CITIES = 20_000
QUERIES = 1_000_000
PART = 10_000_000  # points made at a time, for the sake of memory
LAYOUTS = ("clustered", "uniform")
KILOMETRE = 1 / 111.195  # degrees of latitude


def generator(*words):
    """A generator of its own for each file, so that none depends on the order they are made in."""
    return numpy.random.default_rng([SEED, zlib.crc32(repr(words).encode())])


def rounded(longitude, latitude):
    """Pairs with 7 decimals, longitude in [-180, 180], latitude in [-90, 90]."""
    longitude = (longitude + 180) % 360 - 180
    return numpy.round(numpy.column_stack([longitude, numpy.clip(latitude, -90, 90)]), 7)


def uniform(count, random):
    """Uniform on the sphere, not in degrees."""
    latitude = numpy.degrees(numpy.arcsin(random.uniform(-1, 1, count)))
    return rounded(random.uniform(-180, 180, count), latitude)


def clustered(count, random):
    """20 000 cities whose sizes follow rank^-0.9, each with a dense core and a wide rim."""
    latitude = numpy.clip(random.normal(30, 22, CITIES), -60, 72)
    longitude = random.uniform(-180, 180, CITIES)
    weight = numpy.arange(1, CITIES + 1) ** -0.9
    weight /= weight.sum()
    reach = (1 + 0.06 * numpy.sqrt(weight * count) ** 0.8) * KILOMETRE

    def some(count):
        city = random.choice(CITIES, count, p=weight)
        sigma = reach[city] * random.choice([0.15, 0.5, 1.5], count, p=[0.4, 0.4, 0.2])
        north, east = random.normal(0, 1, (2, count)) * sigma
        shrunk = numpy.cos(numpy.radians(latitude[city]))
        return rounded(longitude[city] + east / shrunk, latitude[city] + north)

    parts = [some(min(PART, count - made)) for made in range(0, count, PART)]
    return numpy.concatenate(parts)


def near(points, count, random):
    """Queries as users ask them: drawn points moved by N(0, 0.005°), in random order."""
    drawn = points[random.integers(0, len(points), count)]
    longitude, latitude = (drawn + random.normal(0, 0.005, (count, 2))).T
    return rounded(longitude, latitude)


def write(path, pairs):
    """Writes by way of another name, so that a broken run leaves no half file."""
    partial = path.with_suffix(".partial")
    pairs.astype("<f8").tofile(partial)
    partial.rename(path)


def read(path):
    return numpy.fromfile(path, "<f8").reshape(-1, 2)


def distinct(pairs, random):
    """Each pair once, in random order."""
    return random.permutation(numpy.unique(pairs, axis=0))


def make(folder, layout, size):
    """The paths of the points, of the queries near them and of those all over the globe."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    points = folder / f"{layout}-{size}.f64"
    queries = {"near": folder / f"{layout}-{size}-near.f64", "globe": folder / "globe.f64"}
    if not points.exists():
        make_points = {"clustered": clustered, "uniform": uniform}[layout]
        write(points, make_points(size, generator(layout, size)))
    if not queries["near"].exists():
        random = generator(layout, size, "near")
        write(queries["near"], distinct(near(read(points), QUERIES, random), random))
    if not queries["globe"].exists():
        random = generator("globe")
        write(queries["globe"], distinct(uniform(QUERIES, random), random))
    return points, queries


if __name__ == "__main__":
    made, asked = make(sys.argv[1], sys.argv[2], int(float(sys.argv[3])))
    print(made, *asked.values(), sep="\n")
