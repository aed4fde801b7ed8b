"""Asks the built service with the programs that map viewers and API users have.

    python Tests/interop/service.py .build/debug/geoq

Debian's GDAL, the GDAL inside pyogrio and OWSLib page through the collection and filter it by box;
openapi-spec-validator reads /api; schemathesis makes up requests from it; prometheus-client reads the
metrics. What each must find is counted here from the feed. Exits with 1 where a check fails.
"""

import json
import math
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TOKEN = "a-token-of-the-tests-0123456789abcdef"
OWNER = {"Authorization": f"Bearer {TOKEN}"}
SEED = int(os.environ.get("SEED", "20150821"))
# generated requests an operation, and all in all; the long form is 800
EXAMPLES = int(os.environ.get("GEOQ_SCHEMATHESIS", "150"))
LEAST = min(5_000, 12 * EXAMPLES)
LARGEST_LIMIT = 10_000
LARGEST_LIMIT_OF_OFFERS = 1_000
COUNT = 2345
# what only restaurants have that no client's first page shows
LATE_FROM = 2_000
LATE = {"reviewCount": 7, "closed": True, "website": "https://late.example/", "favoriteDish": "soup"}


class Service:
    """A running `geoq serve` over a made-up feed."""

    def __init__(self, binary, folder):
        self.binary = str(Path(binary).resolve())
        self.folder = folder
        self.places = made_up_places(COUNT)
        feed = folder / "feed.json"
        feed.write_text(json.dumps(feature_collection(self.places)))
        database = str(folder / "lunch.db")
        subprocess.run([self.binary, "import", "-q", "--db", database, str(feed)], check=True)
        token = folder / "token"
        token.touch(mode=0o600)
        token.write_text(TOKEN)
        self.process = subprocess.Popen(
            [self.binary, "serve", "-q", "--db", database, "--port", "0", "--token-file", str(token)],
            stdout=subprocess.PIPE, text=True,
        )
        self.url = self.process.stdout.readline().strip()

    def get(self, target, accept=None):
        request = urllib.request.Request(self.url + target, headers=OWNER)
        if accept:
            request.add_header("Accept", accept)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.read()

    def json(self, target):
        return json.loads(self.get(target))

    def inside(self, west, south, east, north):
        def is_in(lon, lat):
            across = west <= lon <= east if west <= east else lon >= west or lon <= east
            return south <= lat <= north and across

        return {name for name, lon, lat in self.places if is_in(lon, lat)}

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(timeout=20) == 0, "a signal ends the service with 0"


def made_up_places(count):
    rng = random.Random(SEED)
    return [
        (f"place-{n:05d}", round(rng.uniform(-179, 179), 6), round(rng.uniform(-80, 80), 6))
        for n in range(count)
    ]


def feature_collection(places):
    return {"type": "FeatureCollection", "features": [
        {
            "type": "Feature", "id": name,
            "geometry": {"type": "Point", "coordinates": [lon, lat]},
            "properties": {"name": f"Name of {name}", "category": ["Thai", "Burgers"][n % 2],
                           "rating": n % 50 / 10} | (LATE if n >= LATE_FROM else {}),
        } for n, (name, lon, lat) in enumerate(places)
    ]}


# -- the checks ---------------------------------------------------------------------------------


BOXES = [(-10, 40, 30, 60), (-120, 20, -60, 50), (0, -80, 179, 0)]


def ogrinfo_reads_everything(service):
    source = f"OAPIF:{service.url}"
    listed = run("ogrinfo", "-ro", "-q", source)
    assert "restaurants" in listed, listed
    counted = run("ogrinfo", "-ro", "-so", source, "restaurants")
    assert f"Feature Count: {COUNT}" in counted, counted
    features = run("ogrinfo", "-ro", "-al", "-q", source)
    assert features.count("OGRFeature(restaurants)") == COUNT
    for box in BOXES:
        found = run("ogrinfo", "-ro", "-so", "-spat", *map(str, box), source, "restaurants")
        assert f"Feature Count: {len(service.inside(*box))}" in found, found
    return f"{COUNT} features, {len(BOXES)} boxes, {run('ogrinfo', '--version').strip()}"


def pyogrio_reads_everything(service):
    import pyogrio

    source = f"OAPIF:{service.url}"
    _, table = pyogrio.read_arrow(source, layer="restaurants")
    assert table.num_rows == COUNT, table.num_rows
    for box in BOXES:
        _, part = pyogrio.read_arrow(source, layer="restaurants", bbox=box)
        assert part.num_rows == len(service.inside(*box)), (box, part.num_rows)
    plain = f"{service.url}/bbox?bbox=-10,40,30,60"
    _, part = pyogrio.read_arrow(plain)
    assert part.num_rows == len(service.inside(-10, 40, 30, 60))
    return f"{COUNT} features, GDAL {pyogrio.__gdal_version_string__}"


def gdal_finds_by_id_and_keeps_columns(service):
    """By id, by AND, by equality; the columns and types that only late restaurants have; the extent."""
    import pyogrio

    source = f"OAPIF:{service.url}"

    def found(where):
        return pyogrio.read_arrow(source, layer="restaurants", where=where)[1]

    by_id = found("id = 'place-02222'")
    assert by_id["name"].to_pylist() == ["Name of place-02222"], by_id
    assert by_id["reviewCount"].to_pylist() == [7] and by_id["closed"].to_pylist() == [True]
    assert found("category = 'Thai'").num_rows == (COUNT + 1) // 2
    # the service refuses a name given twice, and GDAL finds nothing: no restaurant has both
    assert found("category = 'Thai' AND category = 'Burgers'").num_rows == 0
    assert found("reviewCount = 7").num_rows == COUNT - LATE_FROM
    info = pyogrio.read_info(source, layer="restaurants")
    types = dict(zip(info["fields"], info["ogr_types"]))
    assert [types[name] for name in ["website", "reviewCount", "rating", "extra"]] == \
        ["OFTString", "OFTInteger", "OFTReal", "OFTString"], types
    longitudes = [lon for _, lon, _ in service.places]
    latitudes = [lat for _, _, lat in service.places]
    assert tuple(info["total_bounds"]) == \
        (min(longitudes), min(latitudes), max(longitudes), max(latitudes)), info["total_bounds"]
    # Debian's GDAL goes by the id too
    listed = run("ogrinfo", "-ro", "-q", "-where", "id = 'place-02222'", source, "restaurants")
    assert listed.count("OGRFeature(restaurants)") == 1 and "Name of place-02222" in listed, listed
    return f"{len(types)} columns, GDAL {pyogrio.__gdal_version_string__}"


def owslib_reads_everything(service):
    from owslib.ogcapi.features import Features

    client = Features(service.url + "/")
    assert client.feature_collections() == ["restaurants"]
    assert len(client.conformance()["conformsTo"]) == 19
    assert client.api()["openapi"].startswith("3.0")
    assert client.collection("restaurants")["id"] == "restaurants"
    for box in BOXES:
        found = client.collection_items("restaurants", bbox=list(box), limit=10_000)
        assert {f["id"] for f in found["features"]} == service.inside(*box)
    thai = client.collection_items("restaurants", category="Thai", limit=1)
    assert thai["numberMatched"] == (COUNT + 1) // 2
    both = client.collection_items("restaurants", category="Thai,Burgers", limit=1)
    assert both["numberMatched"] == COUNT
    one = client.collection_item("restaurants", "place-00007")
    assert one["id"] == "place-00007"
    return f"{len(BOXES)} boxes"


def pages_are_complete(service):
    """By hand, over the antimeridian too."""
    for query in ["limit=100", "limit=1000&sortby=-rating", "bbox=170,-80,-170,80&limit=7"]:
        seen, target = [], f"/collections/restaurants/items?{query}"
        while target:
            page = service.json(target)
            seen += [feature["id"] for feature in page["features"]]
            following = [link for link in page["links"] if link["rel"] == "next"]
            target = following[0]["href"].removeprefix(service.url) if following else None
        expected = service.inside(170, -80, -170, 80) if "bbox" in query else \
            {name for name, _, _ in service.places}
        assert len(seen) == len(set(seen)) == page["numberMatched"], query
        assert set(seen) == expected, query
    return "3 walks"


def openapi_is_valid(service):
    from openapi_spec_validator import OpenAPIV30SpecValidator

    document = service.json("/api")
    OpenAPIV30SpecValidator(document).validate()
    return f"{len(document['paths'])} paths"


def schemathesis_finds_nothing(service):
    """All checks; a value that fits its schema may still be refused (south above north)."""
    config = service.folder / "schemathesis.toml"
    config.write_text(
        "[checks]\npositive_data_acceptance.expected-statuses = "
        "['2xx', '303', '304', '400', '401', '404', '406', '413', '414', '431']\n"
        # what is wrong is 400, 404 where a path does not exist, 405 and 406 for methods and types
        "negative_data_rejection.expected-statuses = "
        "['400', '401', '404', '405', '406', '413', '414', '415', '421', '431', '501']\n"
    )
    # two at a time, each with every other path: as many requests an operation as by one, in half the time
    paths = sorted(service.json("/api")["paths"])
    with ThreadPoolExecutor() as pool:
        results = list(pool.map(lambda part: schemathesis(service, config, part), [paths[::2], paths[1::2]]))
    for result in results:
        assert result.returncode == 0 or only_known(result.stdout), \
            result.stdout[-12_000:] + result.stderr[-2_000:]
    generated = sum(int(re.findall(r"(\d+) generated", result.stdout)[-1]) for result in results)
    assert generated >= LEAST, f"only {generated} generated requests"
    return f"{generated} generated requests"


def schemathesis(service, config, paths):
    included = [word for path in paths for word in ("--include-path", path)]
    return subprocess.run(
        [Path(sys.executable).absolute().parent / "schemathesis", "--config-file", config, "run",
         service.url + "/api", *included, "--phases", "examples,coverage,fuzzing", "--checks", "all",
         "-H", f"Authorization: Bearer {TOKEN}", "--max-examples", str(EXAMPLES), "--seed", str(SEED), "--workers", "1"],
        capture_output=True, text=True, timeout=3_000, check=False, cwd=service.folder,
    )


def only_known(report):
    """Whether all that was found is right: a limit above the maximum, or a request that fits its schema after all."""
    failures = re.findall(r"^- ST.*?(?=^- ST|\Z)", report, re.MULTILINE | re.DOTALL)
    return bool(failures) and all(is_clamp(failure) or is_list_of_one(failure) for failure in failures)


def query_of(failure):
    found = re.search(r"curl -X GET .*'http[^'?]*\?([^']*)'", failure)
    return urllib.parse.parse_qsl(found[1], keep_blank_values=True) if found else []


def is_clamp(failure):
    """The standard wants a limit above the maximum to be the maximum."""
    limits = [value for name, value in query_of(failure) if name == "limit"]
    largest = LARGEST_LIMIT_OF_OFFERS if re.search(r"curl -X GET .*/offers\?", failure) else LARGEST_LIMIT
    return failure.startswith("- ST201 Schema-violating request accepted") \
        and "Invalid component: parameter `limit` in query" in failure and "[200] OK" in failure \
        and len(limits) == 1 and limits[0].isdigit() and int(limits[0]) > largest


def is_list_of_one(failure):
    """A text instead of a list is written as a list of one is, an object as a text, a list of one number as the number;
    an object without members is not written."""
    wrong = re.findall(r"violates `type` at /properties/(\w+)[/\w]* \((?:was \w+, )?became (\w+)\)", failure)
    names = [name for name, _ in query_of(failure)]
    values = dict(query_of(failure))

    def is_number(name):
        try:
            return names.count(name) == 1 and math.isfinite(float(values[name]))
        except ValueError:
            return False

    return failure.startswith("- ST201 Schema-violating request accepted") and "[200] OK" in failure \
        and bool(wrong) and failure.count("violates") == len(wrong) and all(
            name in ("category", "want") and kind in ("string", "object") and names.count(name) == 1
            or kind == "object" and name not in names or kind == "array" and is_number(name)
            for name, kind in wrong)


def prometheus_reads_the_metrics(service):
    from prometheus_client.parser import text_string_to_metric_families

    families = {f.name: f for f in text_string_to_metric_families(service.get("/metrics").decode())}
    assert families["geoq_restaurants"].samples[0].value == COUNT
    assert families["http_server_request_duration_seconds"].type == "histogram"
    return f"{len(families)} families"


def errors_are_problems(service):
    for target, status in [("/nearest?lat=91&lon=0", 400), ("/nowhere", 404)]:
        try:
            service.get(target)
            raise AssertionError(f"{target} must fail")
        except urllib.error.HTTPError as error:
            assert error.code == status and json.loads(error.read())["status"] == status
    return "2 kinds"


CHECKS = [
    ogrinfo_reads_everything, pyogrio_reads_everything, gdal_finds_by_id_and_keeps_columns,
    owslib_reads_everything, pages_are_complete,
    openapi_is_valid, prometheus_reads_the_metrics, errors_are_problems, schemathesis_finds_nothing,
]


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    return result.stdout


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        service = Service(sys.argv[1], Path(folder))
        try:
            for check in CHECKS:
                begun = time.monotonic()
                try:
                    found = check(service)
                    seconds = time.monotonic() - begun
                    print(f"ok    {check.__name__}: {found} ({seconds:.0f} s)", flush=True)
                except Exception as error:  # noqa: BLE001: a failed check is a line, not the end
                    failed += 1
                    print(f"FAIL  {check.__name__}: {type(error).__name__}: {error}", flush=True)
            service.get("/healthz")
        finally:
            service.end()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
