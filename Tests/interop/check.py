"""Compares the built geoq with programs that share no code with it.

    python Tests/interop/check.py .build/release/geoq

GDAL counts what it finds in the database and in the exports; Python's strict JSON reader and
geojson-pydantic read the GeoJSON; PROJ's geodesic, by brute force, says what each query must answer.
Prints a line per check and exits with 1 where one fails.
"""

import csv
import io
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy
import pyproj
from geojson_pydantic import FeatureCollection

ROOT = Path(__file__).resolve().parents[2]
FEED = ROOT / "Data" / "restaurants.json"
GEOD = pyproj.Geod(ellps="WGS84")
MICROMETRE = 1e-6
SEED = int(os.environ.get("SEED", "20150821"))


class Geoq:
    """The binary, always with the same database."""

    def __init__(self, binary, database):
        self.binary = str(Path(binary).resolve())
        self.database = str(database)

    def run(self, *arguments, stdin=None):
        result = subprocess.run(
            [self.binary, *map(str, arguments), "--db", self.database],
            input=stdin, capture_output=True, timeout=120, check=False,
        )
        if result.returncode != 0:
            raise AssertionError(f"{arguments}: exit {result.returncode}: {result.stderr.decode()}")
        return result.stdout

    def items(self, *arguments):
        return strict_json(self.run(*arguments, "--json"))["items"]


def strict_json(data):
    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(data, parse_constant=refuse)


def ogr_count(path, layer=None):
    command = ["ogrinfo", "-ro", "-so", "-al", str(path)] + ([layer] if layer else [])
    output = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    counts = [line for line in output.splitlines() if line.startswith("Feature Count: ")]
    assert len(counts) == 1, output
    return int(counts[0].split(": ")[1])


def synthetic_feed(count):
    """Places in every awkward part of the world: cities, both poles, the antimeridian, duplicates."""
    rng = random.Random(SEED)
    features = []
    for number in range(count):
        kind = number % 5
        if kind == 0:
            lat, lon = rng.gauss(32.95, 0.05), rng.gauss(-96.82, 0.05)
        elif kind == 1:
            lat, lon = numpy.degrees(numpy.arcsin(rng.uniform(-1, 1))), rng.uniform(-180, 180)
        elif kind == 2:
            lat, lon = rng.uniform(-60, 60), rng.choice([180.0, -180.0, 179.9999, -179.9999])
        elif kind == 3:
            lat, lon = rng.choice([90.0, -90.0, 89.999, -89.999]), rng.uniform(-180, 180)
        else:
            lat, lon = round(rng.uniform(-1, 1), 1), round(rng.uniform(-1, 1), 1)
        features.append({
            "type": "Feature",
            "id": f"place-{number:05d}",
            "geometry": {"type": "Point", "coordinates": [float(lon), float(lat)]},
            "properties": {"name": f"Place {number}", "category": f"Kind {number % 7}"},
        })
    return {"type": "FeatureCollection", "features": features}


def query_points(count):
    rng = random.Random(SEED + 1)
    fixed = [(32.95, -96.82), (-33.8, 151.2), (90, 0), (-90, 45), (0, 180), (0, -180), (0, 0),
             (-32.950787, 83.178882), (1.5, 179.99999), (89.9999, -120)]
    while len(fixed) < count:
        fixed.append((rng.uniform(-90, 90), rng.uniform(-180, 180)))
    return fixed


def oracle_distances(lat, lon, places):
    n = len(places)
    lats = numpy.array([p["geometry"]["coordinates"][1] for p in places])
    lons = numpy.array([p["geometry"]["coordinates"][0] for p in places])
    return GEOD.inv(numpy.full(n, lon), numpy.full(n, lat), lons, lats)[2]


def in_box(box, lat, lon):
    west, south, east, north = box
    if not south <= lat <= north:
        return False
    if abs(lat) == 90:
        return True
    turn = lambda x: (x + 180) % 360  # noqa: E731: ±180 become one number
    if west == -180 and east == 180:
        return True
    w, e, x = turn(west), turn(east), turn(lon)
    if west == east or w == e:
        return x == w
    return w <= x <= e if w < e else x >= w or x <= e


def check_distances(items, ids, distances):
    worst = 0.0
    for item in items:
        worst = max(worst, abs(item["distance"] - distances[ids[item["id"]]]))
    assert worst <= MICROMETRE, f"distance off by {worst} m"
    return worst


# -- the checks ---------------------------------------------------------------------------------


def database_opens_in_gdal(geoq, folder):
    report = geoq.run("import", FEED)
    assert report == b"", "an import prints nothing on standard output"
    assert ogr_count(geoq.database, "restaurants") == 15
    return "15 restaurants"


def geojson_is_valid(geoq, folder):
    path = folder / "restaurants.geojson"
    geoq.run("export", "-o", path)
    assert ogr_count(path) == 15
    data = strict_json(path.read_bytes())
    collection = FeatureCollection.model_validate(data)
    feed = {r["name"]: r["location"] for r in json.loads(FEED.read_text())["restaurants"]}
    for feature in collection.features:
        place = feed[feature.properties["name"]]
        assert feature.geometry.coordinates[:2] == (place["lng"], place["lat"])
    lons = [p["lng"] for p in feed.values()]
    lats = [p["lat"] for p in feed.values()]
    assert data["bbox"] == [min(lons), min(lats), max(lons), max(lats)]
    return "15 features in GDAL and geojson-pydantic"


def text_sequence_opens_in_gdal(geoq, folder):
    path = folder / "restaurants.geojsons"
    geoq.run("export", "-o", path)
    assert ogr_count(path) == 15
    records = path.read_bytes().split(b"\x1e")
    assert records[0] == b"" and len(records) == 16
    assert all(strict_json(r)["type"] == "Feature" and r.endswith(b"\n") for r in records[1:])
    return "15 records after 0x1E"


def export_comes_back_unchanged(geoq, folder):
    for ending in ("geojson", "geojsons"):
        first, second = folder / f"first.{ending}", folder / f"second.{ending}"
        geoq.run("export", "-o", first)
        other = Geoq(geoq.binary, folder / f"again-{ending}.db")
        other.run("import", first)
        other.run("export", "-o", second)
        assert first.read_bytes() == second.read_bytes(), ending
    return "GeoJSON and text sequence, byte for byte"


def csv_reads_back(geoq, folder):
    rows = list(csv.DictReader(io.StringIO(geoq.run("list", "-f", "csv").decode(), newline="")))
    names = {r["name"] for r in json.loads(FEED.read_text())["restaurants"]}
    assert {row["name"] for row in rows} == names
    assert not [cell for row in rows for key, cell in row.items()
                if cell[:1] in "=+@" and cell and key not in ("latitude", "longitude")]
    return f"{len(rows)} rows"


def nearest_agrees_with_proj(geoq, folder):
    feed = synthetic_feed(2_000)
    path = folder / "synthetic.geojson"
    path.write_text(json.dumps(feed))
    other = Geoq(geoq.binary, folder / "synthetic.db")
    other.run("import", path)
    places = feed["features"]
    ids = {p["id"]: n for n, p in enumerate(places)}
    points = query_points(400)
    lines = "".join(f"{lat!r},{lon!r}\n" for lat, lon in points).encode()
    answers = other.run("nearest", "--at", "-", "-k", 25, "-f", "jsonl", stdin=lines).splitlines()
    assert len(answers) == len(points)
    worst = 0.0
    for (lat, lon), line in zip(points, answers):
        items = strict_json(line)["items"]
        distances = oracle_distances(lat, lon, places)
        worst = max(worst, check_distances(items, ids, distances))
        got = [distances[ids[item["id"]]] for item in items]
        best = numpy.sort(distances)[:25]
        assert numpy.abs(numpy.array(got) - best).max() <= MICROMETRE, (lat, lon)
        keys = [(item["distance"], item["id"].encode()) for item in items]
        assert keys == sorted(keys), (lat, lon)
    return f"{len(points)} queries, largest distance error {worst:.1e} m"


def radius_agrees_with_proj(geoq, folder):
    places = synthetic_feed(2_000)["features"]
    other = Geoq(geoq.binary, folder / "synthetic.db")
    ids = {p["id"]: n for n, p in enumerate(places)}
    hits = 0
    for radius in (0, 500, 20_000, 1_500_000, 10_000_000, 20_003_932):
        points = query_points(40)
        lines = "".join(f"{lat!r},{lon!r}\n" for lat, lon in points).encode()
        answers = other.run("radius", "--at", "-", "-r", radius, "-f", "jsonl", stdin=lines)
        for (lat, lon), line in zip(points, answers.splitlines()):
            items = strict_json(line)["items"]
            distances = oracle_distances(lat, lon, places)
            check_distances(items, ids, distances)
            got = {ids[item["id"]] for item in items}
            must = set(numpy.flatnonzero(distances <= radius - MICROMETRE))
            may = set(numpy.flatnonzero(distances <= radius + MICROMETRE))
            assert must <= got <= may, (lat, lon, radius)
            hits += len(got)
    return f"240 queries, {hits} hits"


def boxes_agree(geoq, folder):
    places = synthetic_feed(2_000)["features"]
    other = Geoq(geoq.binary, folder / "synthetic.db")
    rng = random.Random(SEED + 2)
    boxes = [(-180, -90, 180, 90), (180, -90, 180, 90), (-180, -90, -180, 90), (180, -90, -180, 90),
             (170, -20, -170, 20), (0, 80, 10, 90), (-1, -1, 1, 1), (0.5, 0.5, 0.5, 0.5),
             (1, -90, 0, 90), (-97, 32.9, -96.8, 33)]
    while len(boxes) < 60:
        south, north = sorted((rng.uniform(-90, 90), rng.uniform(-90, 90)))
        boxes.append((rng.uniform(-180, 180), south, rng.uniform(-180, 180), north))
    hits = 0
    for box in boxes:
        got = other.run("bbox", "--bbox", ",".join(map(repr, box)), "-f", "ids").decode().split()
        want = sorted(
            p["id"] for p in places
            if in_box(box, p["geometry"]["coordinates"][1], p["geometry"]["coordinates"][0])
        )
        assert got == want, box
        hits += len(got)
    return f"{len(boxes)} boxes, {hits} hits"


def filters_work_inside_the_search(geoq, folder):
    places = synthetic_feed(2_000)["features"]
    other = Geoq(geoq.binary, folder / "synthetic.db")
    for lat, lon in query_points(10):
        items = other.items("nearest", "--at", f"{lat!r},{lon!r}", "-k", 12, "--category", "kind 3")
        chosen = [p for p in places if p["properties"]["category"] == "Kind 3"]
        best = numpy.sort(oracle_distances(lat, lon, chosen))[:12]
        got = numpy.array([item["distance"] for item in items])
        assert len(items) == 12 and {i["category"] for i in items} == {"Kind 3"}
        assert numpy.abs(got - best).max() <= MICROMETRE
    return "ten times the twelve nearest of one category"


CHECKS = [
    database_opens_in_gdal,
    geojson_is_valid,
    text_sequence_opens_in_gdal,
    export_comes_back_unchanged,
    csv_reads_back,
    nearest_agrees_with_proj,
    radius_agrees_with_proj,
    boxes_agree,
    filters_work_inside_the_search,
]


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        geoq = Geoq(sys.argv[1], folder / "lunch.db")
        for check in CHECKS:
            name = check.__name__.replace("_", " ")
            try:
                print(f"ok      {name}: {check(geoq, folder)}", flush=True)
            except Exception as problem:  # a broken check must not hide the others
                failed += 1
                print(f"FAILED  {name}: {type(problem).__name__}: {problem}", flush=True)
    print(f"interop: {len(CHECKS) - failed} passed, {failed} failed (seed {SEED})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
