"""Runs the lines of docs/export.md, and counts what they have written.

    python Tests/interop/ogr.py .build/release/geoq [short|long]     the forms are the same

Formats that the installed GDAL does not have are named, and not run. Exits with 1 if a check fails.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "service"))
from harness import arguments, check_all, geoq

ROOT = Path(__file__).resolve().parents[2]
DRIVERS = {"fgb": "FlatGeobuf", "gpkg": "GPKG", "parquet": "Parquet", "kml": "LIBKML", "gpx": "GPX"}


def lines():
    """The commands of the page, in their order."""
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "docs/export.md").read_text(), re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def has(driver):
    formats = subprocess.run(["ogr2ogr", "--formats"], capture_output=True, text=True, check=True).stdout
    return f"\n  {driver} -" in formats


def run(line, folder, count):
    """Runs a line in a folder; its file has `count` points, each with a name."""
    done = subprocess.run(line, shell=True, cwd=folder, capture_output=True, text=True, env=os.environ)
    assert done.returncode == 0, done.stderr
    assert "ERROR" not in done.stderr, done.stderr
    if line.startswith("geoq"):
        return line.split()[-1]
    name = re.search(r"(\w+\.(?:fgb|gpkg|parquet|kml|gpx)) ", line)[1]
    layer = "waypoints" if name.endswith("gpx") else "restaurants"
    found = subprocess.run(["ogr2ogr", "-f", "GeoJSON", "/vsistdout/", name, layer], cwd=folder, check=True,
                           capture_output=True, text=True).stdout
    features = json.loads(found)["features"]
    assert len(features) == count, (len(features), count)
    assert all(f["geometry"]["type"] == "Point" and -180 <= f["geometry"]["coordinates"][0] < -90 for f in features)
    key = "Name" if name.endswith("kml") else "name"
    assert all(f["properties"][key] for f in features), features[0]
    return f"{len(features)} restaurants"


def main():
    binary, _ = arguments(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        tools = Path(folder) / "bin"
        tools.mkdir()
        (tools / "geoq").write_text(f"#!/bin/sh\nexec '{Path(binary).resolve()}' \"$@\" --db lunch.db\n")
        (tools / "geoq").chmod(0o755)
        os.environ["PATH"] = f"{tools}:{os.environ['PATH']}"
        geoq(binary, "import", "-q", "--db", Path(folder) / "lunch.db", ROOT / "Data/restaurants.json")
        thai = geoq(binary, "list", "--db", Path(folder) / "lunch.db", "--category", "Thai", "-f", "count")
        counts = {"thai": int(thai), "restaurants": 15}
        checks = []
        for line in lines():
            ending = re.search(r"\.(fgb|gpkg|parquet|kml|gpx) ", line)
            if ending and not has(DRIVERS[ending[1]]):
                print(f"not run, this GDAL has no {DRIVERS[ending[1]]}: {line}")
                continue
            count = counts["thai" if "thai." in line else "restaurants"]
            checks.append((line, lambda line=line, count=count: run(line, folder, count)))
        failed = check_all(checks)
    assert len(checks) >= 9, checks
    print(f"ogr2ogr: {len(checks) - failed} of {len(checks)} right")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
