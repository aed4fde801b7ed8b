"""The tool and the service give the same answers: restaurants, order, distances, counts and pages.

    same.py BINARY QUERIES [SEED]

Seeded queries over all regions, filters, saved areas and orders go to `geoq` and to `geoq serve` on one database; a
page's cursor of the one is used with the other. First pages are asked for with `POST /search` as well, which gets
the outline of the area itself. Prints what differs and exits 1 if anything does.
"""

import json
import math
import random
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from harness import Service

WORDS = ["grill", "the", "caf", "st", "thai b", "a", "main", "!", "zzz"]
CONDITIONS = [
    "rating >= 4", "rating < 3.5", "priceLevel <= 2", "city != Paris", "name ~ an", "closed = false",
    "phone is null", "priceLevel in (1, 2)", "(city = Paris or rating > 4)", "not category ~ a",
    "reviewCount > 100", "latitude > 40", "source ~ lunch", "postalCode >= 5",
    "category ~ i", "name < m", "phone ~ 5", "address ~ 1", "website ~ example",
]


def outlines(rng, points):
    """Areas by name: stars around places, some with a hole, one across the antimeridian and one of half the globe."""
    found = {}
    for number in range(10):
        lat, lon = rng.choice(points)
        size = rng.choice([0.02, 0.3, 5, 40])
        ring = []
        for corner in range(rng.randint(3, 40)):
            angle, reach = corner * math.tau / 40, size * rng.uniform(0.2, 1)
            ring.append([lon + reach * math.cos(angle), max(-90, min(90, lat + reach * math.sin(angle)))])
        if not all(-180 <= x <= 180 for x, _ in ring):
            continue
        rings = [ring + ring[:1]]
        if number % 3 == 0:
            hole = [[lon + (x - lon) / 3, lat + (y - lat) / 3] for x, y in rings[0]]
            rings.append(hole)
        found[f"area {number}"] = {"type": "Polygon", "coordinates": rings}
    found["wide"] = {"type": "Polygon", "coordinates": [[[-180, -90], [60, -90], [10, 90], [-180, 90], [-180, -90]]]}
    found["across"] = {"type": "MultiPolygon", "coordinates": [
        [[[170, -50], [180, -50], [180, 50], [170, -50]]], [[[-180, -50], [-100, 0], [-180, 50], [-180, -50]]]]}
    return found


def question(rng, categories, points, areas):
    """One query: the tool's arguments and the service's path and parameters."""
    lat, lon = rng.choice(points) if rng.random() < 0.7 else (rng.uniform(-90, 90), rng.uniform(-180, 180))
    k = rng.choice([1, 5, 40, 300])
    far = rng.choice([None, None, 500, 20_000, 3_000_000])
    radius = rng.choice([0, 300, 5_000, 100_000, 4_000_000, 20_000_000])
    west, east = rng.uniform(-180, 180), rng.uniform(-180, 180)
    south = rng.uniform(-90, 80)
    north = rng.uniform(south, 90)
    if rng.random() < 0.5:
        west, south, east, north = lon - 1, max(-90, lat - 1), lon + 1, min(90, lat + 1)
        west, east = max(-180, west), min(180, east)
    kind = rng.choice(["nearest", "radius", "box", "list"])
    if kind == "nearest":
        tool = ["nearest", "--at", f"{lat},{lon}", "-k", str(k)] + (["--max", str(far)] if far else [])
        path, parameters = "/nearest", {"lat": lat, "lon": lon, "count": k} | ({"max": far} if far else {})
    elif kind == "radius":
        tool = ["radius", "--at", f"{lat},{lon}", "-r", str(radius)]
        path, parameters = "/radius", {"lat": lat, "lon": lon, "radius": radius}
    elif kind == "box":
        box = f"{west},{south},{east},{north}"
        tool, path, parameters = ["bbox", f"--bbox={box}"], "/bbox", {"bbox": box}
    else:
        tool, path, parameters = ["list"], "/collections/restaurants/items", {}
    if rng.random() < 0.4:
        names = rng.sample(categories, rng.randint(1, min(2, len(categories))))
        for name in names:
            tool += ["--category", name]
        parameters["category"] = ",".join(names)
    if rng.random() < 0.3:
        text = rng.choice(WORDS)
        tool += [f"--text={text}"]
        parameters["q"] = text
    if rng.random() < 0.4:
        found = rng.sample(CONDITIONS, rng.randint(1, 2))
        for condition in found:
            tool += ["--where", condition]
        parameters["filter"] = " and ".join(found)
    if rng.random() < 0.4:
        parameters["within"] = rng.choice(sorted(areas))
        tool += ["--within", parameters["within"]]
    if rng.random() < 0.2:
        time = f"2026-{rng.randint(1, 12):02}-{rng.randint(1, 28):02} {rng.randint(0, 23):02}:{rng.randint(0, 59):02}"
        tool += ["--open", time]
        parameters["open"] = time
        if rng.random() < 0.5:
            tool += ["--open-unknown"]
            parameters["open-unknown"] = "true"
    keys = ["name", "rating", "priceLevel", "reviewCount", "category", "city"] + (["distance"] if kind in ("nearest", "radius") else [])
    if rng.random() < 0.6:
        key, descending = rng.choice(keys), rng.random() < 0.5
        tool += ["--sort", key] + (["--desc"] if descending else [])
        parameters["sortby"] = ("-" if descending else "") + key
    return tool, path, parameters


def posted(url, parameters, areas):
    """The same query as the body of POST /search, with the outline instead of its name."""
    body = {}
    for name, value in parameters.items():
        kinds = {"bbox": lambda text: [float(side) for side in text.split(",")], "within": areas.get,
                 "open-unknown": lambda _: True, "category": lambda text: text.split(",")}
        body[name] = kinds.get(name, lambda same: same)(value)
    request = urllib.request.Request(
        url + "/search", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=20) as response:
        answer = json.load(response)
    rows = [(item["id"], item["properties"].get("distance")) for item in answer["features"]]
    following = next((link["body"]["cursor"] for link in answer["links"] if link["rel"] == "next"), None)
    return rows, following


def plan(rng, categories, points, areas):
    """One question to cover or meet: the tool's arguments and the service's target."""
    if rng.random() < 0.5:
        lat, lon = rng.choice(points)
        wants = rng.sample([*categories, *CONDITIONS, *(f"text:{word}" for word in WORDS)], rng.randint(1, 6))
        by, places, far = rng.choice(["farthest", "walk", "spread"]), rng.randint(1, 3), rng.choice([1_000, 20_000])
        tool = ["cover", f"--at={lat},{lon}", "--by", by, "--places", str(places), "--max", str(far)]
        parameters = [("lat", lat), ("lon", lon), ("by", by), ("places", places), ("max", far)]
        names, values = ("--want", "want"), wants
    else:
        by, k = rng.choice(["sum", "max"]), rng.choice([1, 5, 40])
        values = [f"{lat},{lon}" for lat, lon in rng.sample(points, rng.randint(2, 6))]
        tool, parameters, names = ["meet", "--by", by, "-k", str(k)], [("by", by), ("count", k)], ("--at", "at")
    if rng.random() < 0.4:
        area = rng.choice(sorted(areas))
        tool, parameters = [*tool, "--within", area], [*parameters, ("within", area)]
    return tool + [f"{names[0]}={value}" for value in values], \
        "/" + tool[0] + "?" + urllib.parse.urlencode(parameters + [(names[1], value) for value in values])


def plan_differs(binary, database, url, tool, target):
    """Whether the tool's JSON is not the service's, byte for byte."""
    left = subprocess.run([binary, *tool, "--db", database, "-q", "--json"], check=True, capture_output=True).stdout
    with urllib.request.urlopen(url + target, timeout=20) as response:
        right = response.read()
    if left != right:
        print(f"DIFFERS {tool}\n  {target}\n  {left[:200]}\n  {right[:200]}")
    return left != right


def of_tool(binary, database, arguments):
    run = subprocess.run(
        [binary, *arguments, "--db", database, "-f", "json"], capture_output=True, text=True
    )
    if run.returncode != 0:
        raise AssertionError(f"{arguments}: {run.returncode} {run.stderr[:300]}")
    answer = json.loads(run.stdout)
    rows = [(item["id"], item.get("distance")) for item in answer["items"]]
    return rows, answer.get("next")


def of_service(url, path, parameters):
    address = f"{url}{path}?{urllib.parse.urlencode(parameters)}"
    with urllib.request.urlopen(address, timeout=20) as response:
        answer = json.load(response)
    rows = [(item["id"], item["properties"].get("distance")) for item in answer["features"]]
    following = next((link["href"] for link in answer["links"] if link["rel"] == "next"), None)
    cursor = following and urllib.parse.parse_qs(urllib.parse.urlsplit(following).query).get("cursor")
    return rows, cursor[0] if cursor else None, answer["numberMatched"]


def main(binary, queries, seed):
    rng = random.Random(seed)
    problems = pages = 0
    with tempfile.TemporaryDirectory() as folder:
        feed, database = f"{folder}/lunch.geojson", f"{folder}/lunch.db"
        subprocess.run(
            [binary, "generate", "--size", "3000", "--seed", str(seed), "-o", feed], check=True,
            capture_output=True,
        )
        subprocess.run([binary, "import", feed, "--db", database, "-q"], check=True)
        every = json.loads(subprocess.run(
            [binary, "list", "--db", database, "-f", "json"], check=True, capture_output=True
        ).stdout)["items"]
        categories = sorted({item["category"] for item in every if item.get("category")})
        categories = [name for name in categories if "," not in name]
        points = [(item["latitude"], item["longitude"]) for item in every]
        areas = outlines(rng, points)
        features = [{"type": "Feature", "properties": {"name": name}, "geometry": area} for name, area in areas.items()]
        Path(f"{folder}/areas.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": features}))
        subprocess.run([binary, "area", "add", f"{folder}/areas.geojson", "--db", database, "-q"], check=True)
        with Service(binary, database) as service:
            for _number in range(queries // 4):
                problems += plan_differs(binary, database, service.url, *plan(rng, categories, points, areas))
            for _number in range(queries):
                tool, path, parameters = question(rng, categories, points, areas)
                limit = rng.choice([1, 7, 50, 1_000])
                cursor = None
                for _ in range(4):
                    page = ["--limit", str(limit)] + (["--cursor", cursor] if cursor else [])
                    asked = parameters | {"limit": limit} | ({"cursor": cursor} if cursor else {})
                    left = of_tool(binary, database, tool + page)
                    rows, following, matched = of_service(service.url, path, asked)
                    pages += 1
                    if left != (rows, following):
                        problems += 1
                        print(f"DIFFERS {tool + page}\n  {path} {asked}\n  {str(left)[:200]}\n  "
                              f"{str((rows, following))[:200]}")
                        break
                    if not cursor:
                        search = posted(service.url, asked, areas)
                        if search != left:
                            problems += 1
                            print(f"SEARCH {tool + page}\n  {str(left)[:200]}\n  {str(search)[:200]}")
                        count = subprocess.run(
                            [binary, *tool, "--db", database, "-f", "count"], check=True,
                            capture_output=True, text=True,
                        ).stdout.strip()
                        if int(count) != matched:
                            problems += 1
                            print(f"COUNT {tool}: {count}, but {matched} over HTTP")
                    cursor = following
                    if not cursor:
                        break
    print(f"same: {queries} queries, {pages} pages, {queries // 4} plans, {problems} differ (seed {seed})")
    return 1 if problems else 0


if __name__ == "__main__":
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 15
    sys.exit(main(str(Path(sys.argv[1]).resolve()), int(sys.argv[2]), seed))
