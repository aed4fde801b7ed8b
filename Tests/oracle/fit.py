"""Fit how much the change of curvature lengthens a geodesic: python fit.py [SEED]

The coefficients of Geodesic.curvatureChange come from here. With c the chord, a the equatorial
radius, z = (c/a)^2, and N and T the squares of the axial parts of the unit normal at the chord's
midpoint and of the unit chord, the rest s/c - asin(x)/x of the chord formula is fitted by

    z^2 (k1 N + k2 T + k3 N^2 + k4 N T + k5 T^2 + k6 z N + k7 z T)

by least squares over random pairs up to 400 km, measured by PROJ's geodesic. Prints the coefficients
and the largest error per band of distance.

needs: pip install pyproj numpy
"""

import itertools
import sys

import numpy as np
from pyproj import Geod

PAIRS = 600_000
SHORTEST, LONGEST = 50e3, 400.1e3  # meters; shorter ones say nothing but their rounding
BANDS = [0, 25, 50, 100, 200, 300, 400]  # kilometers
NAMES = ["N", "T", "N^2", "N T", "T^2", "z N", "z T"]

WGS84 = Geod(ellps="WGS84")
A = WGS84.a
E2 = np.longdouble(WGS84.es)
Q = 1 / (1 - E2)  # (a/b)^2


def random_pairs(rng, count, shortest, longest):
    """Ends of geodesics, uniform in place, direction and length, and the lengths: meters."""
    lat = np.degrees(np.arcsin(rng.uniform(-1, 1, count)))
    lon = rng.uniform(-180, 180, count)
    azimuth = rng.uniform(0, 360, count)
    lon2, lat2, _ = WGS84.fwd(lon, lat, azimuth, rng.uniform(shortest, longest, count))
    # the ends are rounded to degrees of 64 bits: measure what they are, not what was asked for
    lengths = WGS84.inv(lon, lat, lon2, lat2)[2]
    return (lat, lon), (lat2, lon2), np.asarray(lengths)


def place(lat, lon):
    """Earth-centered x, y, z in extended precision, meters."""
    lat, lon = np.radians(lat.astype(np.longdouble)), np.radians(lon.astype(np.longdouble))
    n = A / np.sqrt(1 - E2 * np.sin(lat) ** 2)
    return np.stack([
        n * np.cos(lat) * np.cos(lon),
        n * np.cos(lat) * np.sin(lon),
        n * (1 - E2) * np.sin(lat),
    ])


def chord_formula(start, end):
    """The chord c, the length by one curvature, and z, N, T as the fit uses them."""
    chord, middle = end - start, start + end
    chord_equatorial, chord_axial = chord[0] ** 2 + chord[1] ** 2, chord[2] ** 2
    middle_equatorial, middle_axial = middle[0] ** 2 + middle[1] ** 2, middle[2] ** 2
    squared = chord_equatorial + chord_axial
    gradient = middle_equatorial + Q * Q * middle_axial
    stretch = chord_equatorial + Q * chord_axial
    t = stretch**2 * (middle_equatorial + Q * middle_axial) / (squared * gradient * 4 * A * A)
    x, c = np.sqrt(t), np.sqrt(squared)
    normal, direction = Q * Q * middle_axial / gradient, chord_axial / squared
    return c, c * np.arcsin(x) / x, squared / A**2, normal, direction


def terms(z, normal, direction):
    """One column per coefficient, without the factor z^2."""
    return np.stack([
        normal, direction, normal**2, normal * direction, direction**2, z * normal, z * direction,
    ], axis=1)


def measured(rng, count, shortest, longest):
    """Chords, the rest of the formula in parts of the chord, and the columns of the fit."""
    one, other, lengths = random_pairs(rng, count, shortest, longest)
    c, formula, z, normal, direction = chord_formula(place(*one), place(*other))
    rest = ((lengths - formula) / c).astype(float)
    z, normal, direction, c = (np.asarray(v, dtype=float) for v in (z, normal, direction, c))
    return c, rest, terms(z, normal, direction) * (z * z)[:, None]


def fit(rng):
    """The coefficients that make the sum of squared errors least, in parts of the chord.

    Weighing all alike serves the longest geodesics, whose errors are the largest: weights that favour
    the shorter ones gain nothing there, where 64 bits round by 3 nm anyway, and lose 40 nm at 400 km.
    """
    _, rest, columns = measured(rng, PAIRS, SHORTEST, LONGEST)
    return np.linalg.lstsq(columns, rest, rcond=None)[0]


def main(seed):
    rng = np.random.default_rng(seed)
    coefficients = fit(rng)
    for name, coefficient in zip(NAMES, coefficients):
        print(f"{name:4}{coefficient: .8e}")
    # fresh pairs: an error over those that were fitted would flatter
    for low, high in itertools.pairwise(BANDS):
        c, rest, columns = measured(rng, PAIRS // 4, max(1, low * 1e3), high * 1e3)
        without, with_fit = np.abs(rest * c), np.abs((rest - columns @ coefficients) * c)
        print(
            f"{low:3} to {high:3} km: {without.max() * 1e9:8.1f} nm without,"
            f" {with_fit.max() * 1e9:5.1f} nm with"
        )


if __name__ == "__main__":
    if len(sys.argv) > 2 or "-h" in sys.argv or "--help" in sys.argv:
        sys.exit(__doc__)
    main(int(sys.argv[1]) if len(sys.argv) == 2 else 1)
