"""What GDAL and clients that page make of the service: one feature, filters, columns, extent, pages.

    python Tests/interop/gdal.py .build/release/geoq [short|long]     the forms are the same

Debian's GDAL (ogrinfo) and the one inside pyogrio ask for a feature by its id, for two properties at once, for
columns that only restaurants beyond the first page have, and for the extent of data all over the world, around
the antimeridian, and on both sides of Greenwich. Pages are walked by `next` to the end and by `prev` back. What
each must find is counted here from the feed. Exits with 1 if a check fails.
"""

import json
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pyogrio
import requests

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "service"))
from harness import Service, arguments, ask, check_all, geoq

COUNT = 1_500
LATE = 1_200  # more than the thousand that the newer GDAL asks for at a time
ITEMS = "/collections/restaurants/items"


def made_up(count, longitudes, seed=1):
    rng = random.Random(seed)
    features = []
    for n in range(count):
        properties = {"name": f"Place {n}", "category": ["Thai", "Pub", "Café", "Steak & Fish"][n % 4],
                      "city": ["Austin", "Dallas", "Saint-Étienne"][n % 3], "rating": n % 10 / 2}
        if n >= LATE:
            properties |= {"twitter": f"row{n}", "reviewCount": n}
        features.append({"type": "Feature", "id": f"place-{n:05d}", "properties": properties, "geometry": {
            "type": "Point", "coordinates": [round(longitudes(rng), 6), round(rng.uniform(-60, 60), 6)]}})
    return features


def all_over(rng):
    """Longitudes all around the globe, but for a gap that is wider than the one at the antimeridian."""
    longitude = rng.uniform(-179.99, 179.99)
    return longitude - 3 if 20 < longitude < 23 else longitude


class World:
    """A service over some features, ended with its block."""

    def __init__(self, binary, folder, name, features):
        self.features = {feature["id"]: feature for feature in features}
        feed, database = folder / f"{name}.json", folder / f"{name}.db"
        feed.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
        geoq(binary, "import", "-q", "--db", database, feed)
        self.service = Service(binary, database, "-q", token=None)
        self.url, self.source = self.service.url, f"OAPIF:{self.service.url}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.service.end()

    def json(self, target):
        answer = ask(self.service.port, "GET", target)
        assert answer.status == 200, (target, answer.status, answer.body[:200])
        return answer.json()

    def ids(self, **wanted):
        return {name for name, feature in self.features.items()
                if all(feature["properties"].get(key) == value for key, value in wanted.items())}

    def longitudes(self):
        return [feature["geometry"]["coordinates"][0] for feature in self.features.values()]


def ogrinfo(*options):
    return subprocess.run(["ogrinfo", "-ro", *options], capture_output=True, text=True, timeout=60, check=False)


def found_by_ogrinfo(world, where):
    """Ids of the features that ogrinfo shows, and what it complains about."""
    result = ogrinfo("-q", "-where", where, world.source, "restaurants")
    return set(re.findall(r"^  id \(String\) = (.*)$", result.stdout, re.MULTILINE)), result.stderr.strip()


def found_by_pyogrio(world, where):
    try:
        _, table = pyogrio.read_arrow(world.source, layer="restaurants", where=where)
    except Exception as error:  # noqa: BLE001: an error of GDAL's is an answer without features
        return set(), str(error)
    return set(table["id"].to_pylist()), ""


READERS = {"ogrinfo": found_by_ogrinfo, "pyogrio": found_by_pyogrio}


def feature_by_id(world):
    for n in (0, 7, COUNT - 1):
        for name, read in READERS.items():
            found, problem = read(world, f"id = 'place-{n:05d}'")
            assert found == {f"place-{n:05d}"}, f"{name}: {found or problem[:200]}"
    collection = world.json("/collections/restaurants")
    [items] = [link["href"] for link in collection["links"]
               if link["rel"] == "items" and link["type"] == "application/geo+json"]
    assert items == world.url + ITEMS, "clients append /ID to it"
    for name, read in READERS.items():
        found, _ = read(world, "id = 'nobody'")
        assert not found, (name, found)
    return f"3 ids, GDAL {version()} and {pyogrio.__gdal_version_string__}"


def version():
    return re.search(r"[\d.]+", ogrinfo("--version").stdout)[0]


def equality_and(world):
    for name, read in READERS.items():
        for wanted in ({"category": "Thai", "city": "Austin"}, {"category": "Steak & Fish", "city": "Saint-Étienne"},
                       {"category": "Café", "rating": 1.0}, {"category": "Pub", "city": "Dallas", "rating": 0.5}):
            where = " AND ".join(f"{key} = '{value}'" if isinstance(value, str) else f"{key} = {value}"
                                 for key, value in wanted.items())
            found, problem = read(world, where)
            right = world.ids(**wanted)
            assert found == right, f"{name}: {where}: {len(found)}, not {len(right)} features {problem[:200]}"
        # GDAL sends both: category=Thai&category=Pub
        found, problem = read(world, "category = 'Thai' AND category = 'Pub'")
        assert not found, f"{name}: {len(found)} features are both Thai and Pub"
    twice = ask(world.service.port, "GET", f"{ITEMS}?category=Thai&category=Pub")
    assert twice.status == 400, f"a parameter given twice: {twice.status}"
    either = world.json(f"{ITEMS}?category=Thai,Pub&limit=1")["numberMatched"]
    assert either == len(world.ids(category="Thai") | world.ids(category="Pub")), either
    return "4 pairs and triples, both at once are none, a list is either"


def late_columns(world):
    """Columns of a few restaurants only are read from the schema that `describedby` names."""
    schema_links = [link for link in world.json("/collections/restaurants")["links"]
                    if link["rel"].lower() == "describedby" and link["type"] == "application/schema+json"]
    assert schema_links, "no describedby link"
    assert schema_links[0]["href"].startswith(world.url + "/collections/restaurants/schema"), schema_links
    answer = ask(world.service.port, "GET", "/collections/restaurants/schema")
    assert answer.field("content-type").startswith("application/schema+json"), answer.fields
    assert {"twitter", "reviewCount", "name", "rating"} <= set(properties_of(answer.json())), answer.body[:300]
    meta, table = pyogrio.read_arrow(world.source, layer="restaurants")
    rows = {row["id"]: row for row in table.select(["id", "twitter", "reviewCount", "name"]).to_pylist()}
    assert len(rows) == COUNT
    for name, feature in world.features.items():
        for key in ("twitter", "reviewCount", "name"):
            assert rows[name][key] == feature["properties"].get(key), (name, key, rows[name][key])
    # the older one knows the link only if it is spelled describedBy
    older = ogrinfo("-so", world.source, "restaurants").stdout
    return f"{COUNT - LATE} rows have 2 columns more; GDAL {version()}: " \
        f"{'also' if re.search('^twitter:', older, re.MULTILINE) else 'only with describedBy'}"


def properties_of(schema):
    """The columns of a JSON Schema of the features' properties, or of the features."""
    properties = schema["properties"]
    return properties["properties"]["properties"] if "geometry" in properties and "properties" in properties \
        else properties


def extent(world, crosses):
    """The announced box holds everything; west > east only if it is narrower than half the globe."""
    [[west, _, east, _]] = world.json("/collections/restaurants")["extent"]["spatial"]["bbox"]
    longitudes = world.longitudes()
    if crosses:
        assert west > east and east + 360 - west < 180, f"{west}..{east} of data around the antimeridian"
        assert all(lon >= west or lon <= east for lon in longitudes)
    else:
        # QGIS shows a box with west > east as the strip between
        ends = min(longitudes), max(longitudes)
        assert (west, east) == ends, f"{west}..{east} of data from {ends[0]} to {ends[1]}"
    box = [float(x) for x in re.findall(r"-?[\d.]+", re.search(
        r"^Extent: (.*)$", ogrinfo("-so", world.source, "restaurants").stdout, re.MULTILINE)[1])]
    bounds = pyogrio.read_info(world.source, layer="restaurants", force_total_bounds=True)["total_bounds"]
    for found in (box, bounds):
        # GDAL has no boxes across the antimeridian and makes them the whole globe
        expected = (-180, 180) if crosses else (west, east)
        assert max(abs(found[0] - expected[0]), abs(found[2] - expected[1])) < 1e-5, (found, expected)
    _, table = pyogrio.read_arrow(world.source, layer="restaurants", bbox=tuple(bounds))
    assert table.num_rows == len(world.features), f"{table.num_rows} features in the extent"
    return f"{west:g}..{east:g}, {table.num_rows} features in GDAL's"


def wide_boxes(world):
    """Boxes beyond 180 degrees, as maps send them that were turned around the globe."""
    def count(box):
        answer = ask(world.service.port, "GET", f"{ITEMS}?limit=1&bbox={box}")
        return answer.json()["numberMatched"] if answer.status == 200 else answer.status

    lons = world.longitudes()
    across = sum(lon >= 170 or lon <= -170 for lon in lons)
    everything = len(lons)
    for box, wanted in [("170,-90,190,90", across), ("-190,-90,-170,90", across), ("530,-90,550,90", across),
                        ("170,-90,-170,90", across), ("-180,-90,180,90", everything), ("-200,-90,200,90", everything),
                        ("0,-90,360,90", everything), ("190,-90,350,90", sum(-170 <= lon <= -10 for lon in lons)),
                        ("0,-91,1,1", 400), ("0,0,1,90.1", 400)]:
        assert count(box) == wanted, f"{box}: {count(box)}, not {wanted}"
    return f"10 boxes, {across} across the antimeridian"


def pages(world):
    """By `next` to the end, and by `prev` back: the same pages; `Link` has the same links."""
    walks = 0
    for query in ("limit=400", "limit=170&sortby=-rating", "limit=60&category=Thai&sortby=name",
                  "limit=30&bbox=170,-80,-170,80", "limit=100&sortby=rating&city=Dallas"):
        forward, target, last = [], f"{world.url}{ITEMS}?{query}", None
        while target:
            page, links = read_page(target)
            assert ("prev" in links) == bool(forward), f"{query}: page {len(forward) + 1} has links {sorted(links)}"
            forward.append([feature["id"] for feature in page["features"]])
            last, target = target, links.get("next")
        assert len(forward) > 2, query
        ids = [id_ for ids in forward for id_ in ids]
        assert len(ids) == len(set(ids)) == page["numberMatched"], query
        backward, target = [], last
        while target:
            page, links = read_page(target)
            backward.insert(0, [feature["id"] for feature in page["features"]])
            target = links.get("prev")
            assert len(backward) <= len(forward), f"{query}: prev does not end"
        assert backward == forward, f"{query}: pages of {[len(p) for p in backward]}, not {[len(p) for p in forward]}"
        walks += len(forward)
    return f"5 walks of {walks} pages, there and back"


def read_page(url):
    answer = requests.get(url, timeout=20)
    assert answer.status_code == 200, (url, answer.text[:200])
    page = answer.json()
    links = {link["rel"]: link["href"] for link in page["links"]}
    sent = {link["rel"]: link["url"] for link in requests.utils.parse_header_links(answer.headers.get("Link", ""))}
    assert links.items() <= sent.items(), f"Link lacks {sorted(set(links) - set(sent)) or 'addresses'} of {url}"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", page.get("timeStamp", "")), page.get("timeStamp")
    return page, links


def main():
    binary, _ = arguments(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        around = made_up(100, lambda rng: (rng.uniform(165, 195) + 180) % 360 - 180)
        # the smallest arc around these crosses the antimeridian, and is wider than half the globe
        both = made_up(100, lambda rng: rng.choice([-1, 1]) * rng.uniform(65, 125))
        with World(binary, folder, "world", made_up(COUNT, all_over)) as world, \
                World(binary, folder, "around", around) as antimeridian, World(binary, folder, "both", both) as sides:
            checks = [(check.__name__.replace("_", " "), lambda check=check: check(world))
                      for check in (feature_by_id, equality_and, late_columns, wide_boxes, pages)]
            checks += [("extent of the world", lambda: extent(world, False)),
                       ("extent around the antimeridian", lambda: extent(antimeridian, True)),
                       ("extent on both sides of Greenwich", lambda: extent(sides, False))]
            failed = check_all(checks)
    print(f"gdal: {len(checks) - failed} of {len(checks)} right")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
