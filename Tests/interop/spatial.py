"""Imports files of other programs through GDAL, and compares them with the table they were made from.

    python Tests/interop/spatial.py .build/release/geoq [short|long]     long: a child that hangs, a workbook that swells

Exits with 1 if a check fails.
"""

import base64
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "service"))
from harness import arguments, check_all

TABLE = """name,category,rating,lat,lon
Ann's Grill,Thai,4.5,32.951234567891,-96.821234567891
Bob & Co,Bar,3,32.96,-96.83
Käse 寿司,Deli,,-32.97,179.5
"""
PLACES = {"Ann's Grill": (32.951234567891, -96.821234567891), "Bob & Co": (32.96, -96.83), "Käse 寿司": (-32.97, 179.5)}
OSM = """<?xml version="1.0" encoding="UTF-8"?>
<osm version="0.6"><node id="1" lat="32.9512345" lon="-96.8212345" version="1"><tag k="name" v="Ann"/>
<tag k="amenity" v="restaurant"/><tag k="cuisine" v="thai"/></node>
<node id="10" lat="1" lon="1"/><node id="11" lat="1" lon="1.001"/><node id="12" lat="1.001" lon="1.001"/>
<way id="1"><nd ref="10"/><nd ref="11"/><nd ref="12"/><nd ref="10"/><tag k="name" v="House"/>
<tag k="amenity" v="cafe"/><tag k="building" v="yes"/></way></osm>
"""
# the same, written by pyosmium
PBF = (
    "AAAADQoJT1NNSGVhZGVyGDsQLxo3eJxT4vMvzg1OzkjNTdQNM9AzU+JySc0rTvXLT0ktbmIUyMlMyi/OzSzN1TfSMzLWMwQAX2cOkwAAAAwK"
    "B09TTURhdGEYigEQiwEahAF4nOMy5mIAQpa8xNxULmbHvDwudiArL7OkkourKLW4JLG0KDGvhIs9uTSzODMvlYulJCMxUyhEKIiLhUmIiUlLjouF"
    "EQiEWBiAQApMKoFJLRYmIOnEt+na/F1MG//c2sDEsGAOoxffx79rZ7N/uv5pCTuQyxDExcTMwsrGDtIBANkeIXEAAAALCgdPU01EYXRhGF0QUxpZ"
    "eJzj0udi4GLJS8xN5WIHEnmZJZVcHEmlmTkpmXnpXKwe+aXFqVwsyYlpqVzMlanFXAxCClJyHIxCzIxMzFLMLKxsSlwcjAIMEgwKDBrsTiwiTEzM"
    "ACwRDzo="
)
# of this run's stand-ins alone
SLEEP = 90_000_000 + os.getpid()
FROM_TABLE = ["-oo", "X_POSSIBLE_NAMES=lon", "-oo", "Y_POSSIBLE_NAMES=lat", "-oo", "AUTODETECT_TYPE=YES", "-a_srs", "EPSG:4326"]
# the file, how it is made, and how exact its positions are, in degrees
KINDS = {
    "p.gpkg": (["-f", "GPKG"], 0),
    "mercator.shp": (["-f", "ESRI Shapefile", "-t_srs", "EPSG:3857", "-lco", "ENCODING=UTF-8"], 1e-11),
    "utm.tab": (["-f", "MapInfo File", "-t_srs", "EPSG:32614", "-lco", "ENCODING=UTF-8"], 2e-6),
    "p.mif": (["-f", "MapInfo File", "-lco", "ENCODING=UTF-8"], 0),
    "p.kml": (["-f", "KML", "-dsco", "NameField=name"], 0),
    "p.kmz": (["-f", "LIBKML"], 0),
    "p.gpx": (["-f", "GPX", "-select", "name"], 0),
    "p.fgb": (["-f", "FlatGeobuf"], 0),
    "p.sqlite": (["-f", "SQLite", "-dsco", "SPATIALITE=YES"], 0),
}


class Folder:
    """A folder with the files, and the tool."""

    def __init__(self, path, binary):
        self.path, self.binary = Path(path), str(Path(binary).resolve())

    def make(self, name, *options, source="p.gpkg"):
        subprocess.run(["ogr2ogr", *options, str(self.path / name), str(self.path / source)], check=True,
                       capture_output=True)

    def geoq(self, *options, path=None):
        environment = os.environ | ({"PATH": path} if path is not None else {})
        return subprocess.run([self.binary, *options], cwd=self.path, env=environment, capture_output=True, text=True,
                              timeout=600)

    def take(self, name, *options, path=None):
        """Imports a file into a new database: the run, and the restaurants by name."""
        (self.path / "t.db").unlink(missing_ok=True)
        done = self.geoq("import", name, "--db", "t.db", "--source", "s", *options, path=path)
        if done.returncode:
            return done, {}
        found = self.geoq("list", "--db", "t.db", "-f", "jsonl").stdout
        records = [json.loads(line) for line in found.splitlines()]
        return done, {record["name"]: record for record in records}

    def refused(self, name, *words, options=(), path=None):
        done, _ = self.take(name, *options, path=path)
        assert done.returncode in (64, 65, 66), (name, done.returncode, done.stderr)
        assert done.stderr.startswith("Error: "), done.stderr
        for word in words:
            assert word in done.stderr, (word, done.stderr)
        assert not (self.path / "t.db").exists(), name

    def tool(self, name, script):
        """A folder for PATH with a stand-in for ogr2ogr, and the real ogrinfo."""
        tools = self.path / name
        tools.mkdir()
        (tools / "ogr2ogr").write_text(f"#!/bin/sh\n{script}\n")
        (tools / "ogr2ogr").chmod(0o755)
        real = subprocess.run(["which", "ogrinfo"], capture_output=True, text=True, check=True).stdout.strip()
        (tools / "ogrinfo").symlink_to(real)
        return f"{tools}:/usr/bin:/bin"


def prepare(folder):
    (folder.path / "p.csv").write_text(TABLE)
    folder.make("p.gpkg", "-f", "GPKG", "-nln", "places", *FROM_TABLE, source="p.csv")
    for name, (options, _) in KINDS.items():
        if name != "p.gpkg":
            folder.make(name, *options)
    for name in ("p.xlsx", "p.ods"):
        folder.make(name, "-f", name[2:].upper(), "-oo", "AUTODETECT_TYPE=YES", source="p.csv")
    with zipfile.ZipFile(folder.path / "shape.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir("data") if hasattr(archive, "mkdir") else archive.writestr("data/", "")
        for ending in ("shp", "shx", "dbf", "prj", "cpg"):
            archive.write(folder.path / f"mercator.{ending}", f"data/mercator.{ending}")
    (folder.path / "p.osm").write_text(OSM)
    (folder.path / "p.osm.pbf").write_bytes(base64.b64decode(PBF))


def kinds_are_equal(folder):
    exactness = {name: error for name, (_, error) in KINDS.items()}
    exactness |= {"p.xlsx": 1e-12, "p.ods": 1e-12, "shape.zip": 1e-11}
    for name, error in exactness.items():
        done, found = folder.take(name)
        assert done.returncode == 0, (name, done.stderr)
        assert set(found) == set(PLACES), (name, sorted(found), done.stderr)
        for place, (latitude, longitude) in PLACES.items():
            record = found[place]
            assert abs(record["latitude"] - latitude) <= error, (name, record)
            assert abs(record["longitude"] - longitude) <= error, (name, record)
        if name not in ("p.gpx", "utm.tab"):
            assert found["Ann's Grill"]["category"] == "Thai" and found["Ann's Grill"]["rating"] == 4.5, (name, found)
        again = folder.geoq("import", name, "--db", "t.db", "--source", "s")
        assert "3 unchanged, 0 removed" in again.stderr, (name, again.stderr)
    for name in ("p.osm", "p.osm.pbf"):
        done, found = folder.take(name)
        assert {record["id"] for record in found.values()} == {"node/1", "way/1"}, (name, done.stderr)
        assert found["Ann"]["category"] == "restaurant, thai" and found["Ann"]["latitude"] == 32.9512345, found
        assert 1 < found["House"]["latitude"] < 1.001 and 1 < found["House"]["longitude"] < 1.001, found
    return f"{len(exactness) + 2} kinds"


def without_gdal(folder):
    names = [*KINDS, "p.xlsx", "p.osm"]
    for name in names:
        if name != "p.mif":  # its first words are an ordinary text
            folder.refused(name, "gdal-bin", path="/nonexistent")
    return f"{len(names) - 1} sentences"


def layers_are_chosen(folder):
    folder.make("two.gpkg", "-f", "GPKG", "-nln", "one")
    folder.make("two.gpkg", "-f", "GPKG", "-update", "-nln", "other", "-where", "name like 'B%'")
    folder.refused("two.gpkg", "there are 2 layers; choose one with --layer: one (Point), other (Point)")
    folder.refused("two.gpkg", 'there is no layer "x"', options=["--layer", "x"])
    assert set(folder.take("two.gpkg", "--layer", "other")[1]) == {"Bob & Co"}
    folder.make("mixed.gpkg", "-f", "GPKG", "-nln", "points")
    folder.make("mixed.gpkg", "-f", "GPKG", "-update", "-nln", "notes", "-nlt", "NONE", source="p.csv")
    assert set(folder.take("mixed.gpkg")[1]) == set(PLACES)
    folder.refused("p.csv", "--layer is for files that GDAL reads", options=["--layer", "x"])
    return "the only one with points, or a list"


def names_are_names(folder):
    for name in ("-sql.gpkg", "a b'\"$(touch x).gpkg", "@file.gpkg", "vsicurl.gpkg", "x{y}.gpkg"):
        (folder.path / name).write_bytes((folder.path / "p.gpkg").read_bytes())
        done, found = folder.take(f"./{name}")
        assert set(found) == set(PLACES), (name, done.stderr)
    assert not (folder.path / "x").exists()
    (folder.path / "dash.kml").write_text("<kml><Document><Folder><name>-sql</name><Placemark><name>x</name><Point>"
                                          "<coordinates>1,2</coordinates></Point></Placemark></Folder></Document></kml>")
    folder.refused("dash.kml", "begins with -")
    return "5 names of files, 1 of a layer"


def nothing_leads_elsewhere(folder):
    vrt = "<OGRVRTDataSource><OGRVRTLayer name='places'><SrcDataSource>p.gpkg</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>"
    (folder.path / "a.vrt").write_text(vrt)
    folder.refused("a.vrt")
    for name, text in (("a.kml", f"<kml><!-- {vrt} --></kml>"), ("b.kml", f"<kml>{vrt}</kml>"), ("a.gpx", f"<gpx>{vrt}</gpx>"),
                       ("a.tab", f"!table\n{vrt}"), ("s.tab", '!table\n"\\IsSeamless" = "TRUE"\n')):
        (folder.path / name).write_text(text)
        done, found = folder.take(name)
        assert not found, (name, done.stderr, found)
    (folder.path / "other.csv").write_text(TABLE)
    for sql in ("CREATE VIRTUAL TABLE t USING VirtualText('other.csv', 'UTF-8', 1)",
                "CREATE VIRTUAL TABLE t USING/**/VirtualText('other.csv')",
                "CREATE/**/VIRTUAL  TABLE t USING VirtualText('other.csv')",
                "CREATE VIRTUAL TABLE \"t\" USING VirtualText('using rtree(')",
                "CREATE VIRTUAL TABLE t USING VirtualOGR('p.gpkg')"):
        path = folder.path / "virtual.sqlite"
        path.unlink(missing_ok=True)
        with sqlite3.connect(path) as database:
            database.execute("CREATE TABLE places (name TEXT, lat REAL, lon REAL)")
            database.execute("PRAGMA writable_schema = 1")
            database.execute("INSERT INTO sqlite_master VALUES ('table', 't', 't', 0, ?)", [sql])
        database.close()
        folder.refused("virtual.sqlite", 'the table "t" reads another file')
    return "files in files, virtual tables"


def failures_change_nothing(folder):
    done, _ = folder.take("p.gpkg")
    assert done.returncode == 0
    before = (folder.path / "t.db").read_bytes()
    point = '{"type":"Feature","properties":{"name":"New"},"geometry":{"type":"Point","coordinates":[1,2]}}'
    for name, script, words in (
        ("crashes", "kill -SEGV $$", "signal 11"), ("fails", "echo ERROR 1: no luck >&2; exit 1", "no luck"),
        ("half", f"echo '{point}'; echo ERROR 1: in the middle >&2; exit 2", "in the middle"),
        ("silent", "exit 3", "without a word"), ("empty", "exit 0", "empty"),
        ("loud", "yes ERROR 1: again | head -c 3000000 >&2; exit 1", "again"),
        ("endless", "exec yes ERROR 1: again >&2", "does not stop to complain"),
    ):
        path = folder.tool(name, script)
        done = folder.geoq("import", "p.gpkg", "--db", "t.db", "--source", "s", path=path)
        assert done.returncode == 65 and words in done.stderr, (name, done.returncode, done.stderr)
        assert (folder.path / "t.db").read_bytes() == before, name
    # ogrinfo fails when the layers are known and ogr2ogr would start
    path = folder.tool("late", "exit 0")
    info, seen = folder.path / "late" / "ogrinfo", folder.path / "late" / "seen"
    real = info.readlink()
    info.unlink()
    info.write_text(f'#!/bin/sh\nif [ "$1" = --formats ]; then [ -e {seen} ] && exit 1; : > {seen}; fi\nexec {real} "$@"\n')
    info.chmod(0o755)
    done = folder.geoq("import", "p.gpkg", "--db", "t.db", "--source", "s", path=path)
    assert done.returncode == 65 and "ogrinfo failed without a word" in done.stderr and seen.exists(), (done.returncode, done.stderr)
    assert (folder.path / "t.db").read_bytes() == before
    # an interrupt ends the child, and what that has started
    path = folder.tool("hangs", f"sleep {SLEEP}1 & sleep {SLEEP}2")
    child = subprocess.Popen([folder.binary, "import", "p.gpkg", "--db", "t.db", "--source", "s"], cwd=folder.path,
                             env=os.environ | {"PATH": path}, stderr=subprocess.PIPE, text=True,
                             # a shell starts what runs in the background with this signal ignored
                             preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    for _ in range(200):
        if sleeping() == 2:
            break
        time.sleep(0.05)
    assert sleeping() == 2, sleeping()
    child.send_signal(signal.SIGINT)
    said = child.communicate(timeout=20)[1]
    assert child.returncode == -signal.SIGINT and "interrupted" in said, (child.returncode, said)
    for _ in range(100):
        if not sleeping():
            break
        time.sleep(0.05)
    assert not sleeping()
    assert (folder.path / "t.db").read_bytes() == before
    return "8 ways to fail, and an interrupt"


def sleeping():
    """How many of the stand-ins' processes are there."""
    return int(subprocess.run(["pgrep", "-cf", f"^sleep {SLEEP}"], capture_output=True, text=True).stdout)


def limits_hold(folder):
    path = folder.tool("waits", f"sleep {SLEEP}1")
    start = time.time()
    folder.refused("p.gpkg", "wrote nothing for 120 seconds", path=path)
    assert 119 < time.time() - start < 135 and not sleeping()
    with zipfile.ZipFile(folder.path / "p.xlsx") as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    sheet = next(name for name in parts if name.startswith("xl/worksheets/sheet"))
    row = b'<row r="%d"><c r="A%d" t="inlineStr"><is><t>x</t></is></c><c r="ZZ%d"><v>1</v></c></row>'
    rows = b"".join(row % (number, number, number) for number in range(1, 900_000))
    parts[sheet] = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>' + rows + b"</sheetData></worksheet>"
    with zipfile.ZipFile(folder.path / "bomb.xlsx", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    start = time.time()
    done, _ = folder.take("bomb.xlsx")
    assert done.returncode == 65, (done.returncode, done.stderr[-300:])
    return f"a child that hangs; a workbook of {(folder.path / 'bomb.xlsx').stat().st_size >> 10} KiB after {time.time() - start:.0f} s"


def main():
    binary, is_long = arguments(__doc__)
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path, binary)
        prepare(folder)
        checks = [
            ("every kind is its table", lambda: kinds_are_equal(folder)),
            ("without GDAL the sentence names it", lambda: without_gdal(folder)),
            ("layers are chosen or listed", lambda: layers_are_chosen(folder)),
            ("names are no options and no addresses", lambda: names_are_names(folder)),
            ("no file leads to another one", lambda: nothing_leads_elsewhere(folder)),
            ("a failing child changes nothing", lambda: failures_change_nothing(folder)),
        ]
        if is_long:
            checks.append(("limits hold", lambda: limits_hold(folder)))
        return check_all(checks)


if __name__ == "__main__":
    sys.exit(main())
