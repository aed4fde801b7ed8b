"""Filters that other programs hand to the service, instead of reading everything: the log shows them.

    python Tests/interop/filters.py .build/release/geoq [short|long]     the forms are the same

Debian's GDAL (ogrinfo) and the one inside pyogrio translate -where into CQL text as far as the API document declares
the column, and evaluate the rest themselves; OWSLib sends what it is given. Each filter means the same in OGR SQL and
in CQL2: no text that differs from another only in case, no NOT around a missing value. The ids must be those that GDAL
finds in a file with all restaurants, where it evaluates the filter alone, and those counted here; the service's log
must have the part of the filter that is sent. Exits with 1 if a check fails.
"""

import json
import subprocess
import sys
import tempfile
import time
import urllib.parse
from pathlib import Path

import pyogrio
from owslib.ogcapi.features import Features

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "service"))
from gdal import READERS
from harness import Service, arguments, check_all, geoq

COUNT = 400
CATEGORIES = ["Thai", "Pub", "Café", "Steak & Fish", "O'Hara's", None]
CITIES = ["Austin", "Dallas", "Saint-Étienne", None]

# the filter in OGR SQL; what must be sent of it; the same in Python
QUESTIONS = [
    ("category = 'Thai'", "category = 'Thai'", lambda p: p.get("category") == "Thai"),
    ("category = 'Café' AND city = 'Saint-Étienne'", "(category = 'Café') AND (city = 'Saint-Étienne')",
     lambda p: (p.get("category"), p.get("city")) == ("Café", "Saint-Étienne")),
    ("category = 'Pub' OR city = 'Dallas'", "(category = 'Pub') OR (city = 'Dallas')",
     lambda p: p.get("category") == "Pub" or p.get("city") == "Dallas"),
    ("category = 'O''Hara''s'", "category = 'O''Hara''s'", lambda p: p.get("category") == "O'Hara's"),
    ("category LIKE 'S%F_sh'", "category LIKE 'S%F_sh'", lambda p: p.get("category") == "Steak & Fish"),
    ("category ILIKE 'th%'", "category ILIKE 'th%'", lambda p: p.get("category") == "Thai"),
    ("category >= 'Steak & Fish'", "category >= 'Steak & Fish'", lambda p: (p.get("category") or "") >= "Steak & Fish"),
    ("category <> 'Thai' AND city IS NULL", "(category <> 'Thai') AND ((city IS NULL))",
     lambda p: p.get("category") not in ("Thai", None) and p.get("city") is None),
    ("city IS NOT NULL AND rating IS NULL", "(NOT ((city IS NULL))) AND ((rating IS NULL))",
     lambda p: p.get("city") is not None and p.get("rating") is None),
    # the rest is evaluated by GDAL: only category and city are parameters, and it knows no other queryables
    ("rating >= 4 AND category = 'Thai'", "category = 'Thai'", lambda p: p.get("category") == "Thai" and p.get("rating", 0) >= 4),
    ("reviewCount < 50 AND city = 'Austin'", "city = 'Austin'", lambda p: p.get("city") == "Austin" and p.get("reviewCount", 50) < 50),
    ("category IN ('Thai', 'Pub')", None, lambda p: p.get("category") in ("Thai", "Pub")),
    ("rating >= 4", None, lambda p: p.get("rating", 0) >= 4),
]

CQL2 = [
    ("rating >= 4", lambda p: p.get("rating", 0) >= 4),
    ("NOT (rating < 2 OR category IN ('Thai','Pub'))",
     lambda p: p.get("rating", 0) >= 2 and p.get("category") not in ("Thai", "Pub", None)),
    ("CASEI(ACCENTI(category)) LIKE CASEI(ACCENTI('CAF%'))", lambda p: p.get("category") == "Café"),
    ("category = 'O''Hara''s' AND reviewCount BETWEEN 10 AND 200",
     lambda p: p.get("category") == "O'Hara's" and 10 <= p.get("reviewCount", 0) <= 200),
    ("city IS NULL", lambda p: p.get("city") is None),
    ("S_INTERSECTS(geometry,BBOX(-100,20,-90,30))", lambda p: -100 <= p["longitude"] <= -90 and 20 <= p["latitude"] <= 30),
]


def made_up():
    """Restaurants by id: properties, and where they are. The combinations of values all come up."""
    features = {}
    for n in range(COUNT):
        properties = {"name": f"Place {n}", "category": CATEGORIES[n % 6], "city": CITIES[n // 6 % 4],
                      "rating": None if n % 7 == 0 else n % 11 / 2, "reviewCount": None if n % 5 == 0 else n}
        properties = {key: value for key, value in properties.items() if value is not None}
        features[f"place-{n:04d}"] = properties | {"longitude": -120 + n % 41, "latitude": 20 + n // 41}
    return features


class Restaurants:
    """A service with a log, over made-up restaurants, and the same restaurants in a file."""

    def __init__(self, binary, folder):
        self.places = made_up()
        features = []
        for name, place in self.places.items():
            properties = {key: value for key, value in place.items() if key not in ("longitude", "latitude")}
            features.append({"type": "Feature", "id": name, "properties": {"id": name} | properties,
                             "geometry": {"type": "Point", "coordinates": [place["longitude"], place["latitude"]]}})
        self.file = folder / "all.geojson"
        self.file.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
        for feature in features:
            del feature["properties"]["id"]
        feed, database = folder / "feed.json", folder / "filters.db"
        feed.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
        geoq(binary, "import", "-q", "--db", database, feed)
        self.service = Service(binary, database, token=None)
        self.source = f"OAPIF:{self.service.url}"
        self.read = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.service.end()

    def counted(self, test):
        return {name for name, place in self.places.items() if test(place)}

    def logged(self):
        """The filters of the requests since the last call, with their languages and how many restaurants they found."""
        time.sleep(0.1)
        lines = self.service.stderr().splitlines()
        new, self.read = lines[self.read :], len(lines)
        found = []
        for line in new:
            entry = json.loads(line)
            query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(entry.get("target", "")).query))
            if "filter" in query:
                assert entry["status"] == 200, entry
                found.append((query["filter"], query.get("filter-lang"), entry["hits"]))
        return found


def by_gdal_alone(world, where):
    """What GDAL finds in a file, where it must evaluate the filter."""
    table = pyogrio.read_arrow(world.file, where=where)[1]
    return set(table["id"].to_pylist())


def gdal_sends(world, reader):
    """Debian's GDAL 3.6 sends the same text as the one inside pyogrio, or this says which."""
    sent = 0
    world.logged()
    for where, expected, test in QUESTIONS:
        found, problem = READERS[reader](world, where)
        right = world.counted(test)
        assert right, where
        assert found == right, f"{where}: {len(found)}, not {len(right)} {problem[:200]}"
        assert by_gdal_alone(world, where) == right, f"{where}: means something else to GDAL"
        filters = world.logged()
        if expected is None:
            assert not filters, f"{where}: sent {filters}"
            continue
        assert filters and all(text == expected and language == "cql-text" for text, language, _ in filters), f"{where}: {filters}"
        # the service sends no more than what its part of the filter leaves
        assert all(hits < COUNT for _, _, hits in filters), f"{where}: {filters}"
        sent += 1
    version = pyogrio.__gdal_version_string__ if reader == "pyogrio" else subprocess.run(
        ["ogrinfo", "--version"], capture_output=True, text=True, check=True).stdout.split()[1].rstrip(",")
    return f"GDAL {version}: {sent} of {len(QUESTIONS)} filters sent, the others evaluated by GDAL"


def owslib_sends(world):
    client = Features(world.service.url + "/")
    world.logged()
    for text, test in CQL2:
        found = client.collection_items("restaurants", limit=COUNT, **{"filter": text, "filter-lang": "cql2-text"})
        right = world.counted(test)
        assert right and {feature["id"] for feature in found["features"]} == right, (text, found["numberMatched"], len(right))
        assert world.logged() == [(text, "cql2-text", len(right))], text
    # without a language, in the short grammar
    found = client.collection_items("restaurants", limit=COUNT, filter="rating >= 4 and category = cafe")
    right = world.counted(lambda place: place.get("rating", 0) >= 4 and place.get("category") == "Café")
    assert {feature["id"] for feature in found["features"]} == right
    assert world.logged() == [("rating >= 4 and category = cafe", None, len(right))]
    return f"{len(CQL2) + 1} filters"


def main():
    binary, _ = arguments(__doc__)
    with tempfile.TemporaryDirectory() as folder, Restaurants(binary, Path(folder)) as world:
        checks = [(f"GDAL's filters, {reader}", lambda reader=reader: gdal_sends(world, reader)) for reader in READERS]
        checks.append(("OWSLib's filters", lambda: owslib_sends(world)))
        failed = check_all(checks)
    print(f"filters of other programs: {len(checks) - failed} of {len(checks)} right")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
