"""The counts of all tiles of a zoom add up to the restaurants that a filter takes.

    python3 Tests/service/sums.py .build/release/geoq [short|long]

short asks 5 filters of each layout, and of 20 000 restaurants on one spot; long asks 200, and of a million on one
spot. The filters are seeded, and what each takes is counted here. Zooms are 0 to 22 on one spot, elsewhere 0 to 8:
tiles below those that are empty are not asked for, for these are checked to be 204. `/density` has to give the same
counts. Exits with 1 if a check fails.
"""

import json
import math
import random
import sys
import tempfile
from pathlib import Path

import mvt
from harness import Client, Service, arguments, check_all, geoq

CATEGORIES = ["Thai", "Pub", "Café", None]


def layouts(spot):
    rng = random.Random(20)
    return {
        "a city": [(rng.gauss(-96.82, 0.2), rng.gauss(32.95, 0.2)) for _ in range(5_000)],
        "the world": [(rng.uniform(-180, 180), math.degrees(math.asin(rng.uniform(-1, 1)))) for _ in range(300)],
        "the antimeridian": [((rng.uniform(179.5, 180.5) + 180) % 360 - 180, rng.uniform(-30, 30))
                             for _ in range(200)] + [(180, 0), (-180, 0)],
        "the poles": [(rng.uniform(-180, 180), rng.choice([-1, 1]) * rng.uniform(84.5, 90)) for _ in range(200)]
        + [(0, 90), (0, -90)],
        "one place": [(13.405, 52.52)],
        "one spot": [(2.3522, 48.8566)] * spot,
    }


def filters(rng, count):
    """Queries, each with a test of a restaurant's number."""
    for _ in range(count):
        chosen = rng.sample(["category", "rating", "name"], rng.randrange(3))
        query, tests = [], []
        if "category" in chosen:
            wanted = rng.sample(["Thai", "Pub", "Café"], rng.randrange(1, 3))
            query.append("category=" + ",".join(wanted).replace("é", "%C3%A9"))
            tests.append(lambda n, wanted=wanted: CATEGORIES[n % 4] in wanted)
        if "rating" in chosen:
            least = rng.randrange(6)
            query.append(f"filter=rating%20%3E=%20{least}")
            tests.append(lambda n, least=least: n % 50 / 10 >= least)
        if "name" in chosen:
            start = str(rng.randrange(1, 100))
            query.append(f"q={start}")
            tests.append(lambda n, start=start: str(n).startswith(start))
        yield "&".join(query), lambda n, tests=tests: all(test(n) for test in tests)


class Layout:
    def __init__(self, binary, folder, name, points, filters_, zooms):
        self.points, self.filters, self.zooms = points, filters_, zooms
        feed, database = Path(folder) / f"{name}.geojsonseq", Path(folder) / f"{name}.db"
        with feed.open("w") as file:
            for n, (x, y) in enumerate(points):
                properties = {"name": str(n), "rating": n % 50 / 10, "ratingScale": 5}
                if CATEGORIES[n % 4]:
                    properties["category"] = CATEGORIES[n % 4]
                file.write(json.dumps({"type": "Feature", "id": f"p{n}", "properties": properties, "geometry": {
                    "type": "Point", "coordinates": [round(x, 7), round(y, 7)]}}) + "\n")
        geoq(binary, "import", "-q", "--db", database, feed, "--allow-null-island")
        feed.unlink()
        self.service = Service(binary, database, "-q", token=None)
        self.client = Client(self.service.port, timeout=60)

    def check(self):
        asked = 0
        for query, test in self.filters:
            expected = sum(map(test, range(len(self.points))))
            tiles = [(0, 0)]
            for zoom in range(self.zooms + 1):
                counts = {tile: self.count(zoom, *tile, query) for tile in tiles}
                asked += len(tiles)
                assert sum(counts.values()) == expected, (zoom, query, sum(counts.values()), expected)
                if zoom <= 8:
                    self.check_density(zoom, query, counts)
                tiles = [(2 * x + i, 2 * y + j) for (x, y), count in counts.items() if count for i in (0, 1)
                         for j in (0, 1)]
        return f"{len(self.filters)} filters, {asked} tiles"

    def count(self, zoom, x, y, query):
        answer = self.client.ask("GET", f"/tiles/{zoom}/{x}/{y}.mvt?{query}".rstrip("?"))
        assert answer.status in (200, 204), (answer.status, answer.body[:200])
        return mvt.count(answer.body)

    def check_density(self, zoom, query, counts):
        target = f"/density?bbox=-180,-90,180,90&zoom={zoom}&{query}".rstrip("&")
        cells = self.client.ask("GET", target).json()["cells"]
        found = {(cell["x"], cell["y"]): cell["count"] for cell in cells}
        assert found == {tile: count for tile, count in counts.items() if count}, (zoom, query)


def main():
    binary, is_long = arguments(__doc__)
    count, spot = (200, 1_000_000) if is_long else (5, 20_000)
    maps = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            for name, points in layouts(spot).items():
                chosen = list(filters(random.Random(name), count))
                maps.append((name, Layout(binary, folder, name, points, chosen, 22 if name == "one spot" else 8)))
            failed = check_all([(f"tiles of {name} add up", layout.check) for name, layout in maps])
        finally:
            for _, layout in maps:
                layout.client.close()
                layout.service.end()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
