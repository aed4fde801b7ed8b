"""Gives geoq and four other programs the same ten tasks: compared.py [SIZE]; run by `Benchmarks/compared`.

Each program has a table of commands, which are run as they are printed. In each round a task goes to all programs one
after the other, in an order that turns; the figures are medians over the rounds, the ratios medians of the rounds'
ratios. A command of over a minute is run once. Questions are asked one at a time over one connection (geoq and
datasette by HTTP, PostGIS by libpq) or by a call in this process (DuckDB, geopandas); a program that is slow gets fewer
of them. The answers are compared with geoq's, of which those of geopandas are independent: PROJ's geodesics to all
restaurants, without an index.
"""

import csv
import glob
import http.client
import json
import math
import os
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
from pathlib import Path

import datasette
import duckdb
import geopandas
import numpy as np
import pandas
import psycopg
import pyproj
import shapely

ROOT = Path(__file__).resolve().parents[2]
GEOQ = Path(os.environ.get("GEOQ", ROOT / ".build/release/geoq")).resolve()
ROUNDS = int(os.environ.get("ROUNDS", "3"))
RESULTS = Path(os.environ.get("RESULTS", ROOT / "Benchmarks/RESULTS-compared.md"))
SIZE = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
# of a task: its name here, what it is, and whether it is a question, a command or a load
TASKS = {
    "import": ("import a CSV file and make its indexes", "command"),
    "nearest": ("the ten nearest to a point", "question"),
    "radius": ("all within 1 km", "question"),
    "box": ("all in a box of 0.05°", "question"),
    "filter": ("the ten nearest Thai rated 4 or better", "question"),
    "words": ("all with two words, of which the beginnings are given", "question"),
    "join": ("the nearest for each row of a table of 10 000 points", "command"),
    "areas": ("count by the 300 areas of a GeoJSON file", "command"),
    "export": ("export all as GeoJSON", "command"),
    "serve": ("ten nearest for four clients at once", "load"),
}
QUESTIONS = 100
# of questions to one program in a round, in seconds
BUDGET = 2
# a command that takes longer, in seconds, is not repeated
LONGEST = 60
JOIN_POINTS = 10_000
AREAS = 300
SECONDS = 5
CLIENTS = 4


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, **options)
    if done.returncode != 0:
        sys.exit(f"{command}: {done.stderr.decode()[-2000:]}")
    return done.stdout


def port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Peer:
    """A program with its commands, by task. `ask` answers a question with ids, `do` runs a command."""

    commands: dict
    ordered = ("nearest", "filter")

    def __init__(self, folder):
        self.folder = folder

    def do(self, task):
        for line in self.commands[task].split("\n"):
            run("sh", "-ec", line, cwd=self.folder, env=self.environment())

    def environment(self):
        scripts = str(Path(sys.executable).parent)
        return os.environ | {"PATH": f"{self.folder}/bin:{scripts}:{os.environ['PATH']}"}

    def start(self):
        pass

    def connect(self):
        pass

    def end(self):
        pass


class HTTPPeer(Peer):
    """A program that answers over HTTP."""

    process = None

    def listen(self, *command):
        self.process = subprocess.Popen(
            command, cwd=self.folder, env=self.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        for _ in range(600):
            try:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
                self.connection.connect()
                return
            except OSError:
                time.sleep(0.1)
        sys.exit(f"{self.name} does not answer")

    def connect(self):
        # a server closes a connection that is not used for seconds; the next question opens it again
        self.connection.close()

    def target(self, task, question):
        quoted = {key: urllib.parse.quote(str(value)) for key, value in question.items()}
        return self.paths[task].format(**quoted)

    def get(self, target):
        self.connection.request("GET", target)
        answer = self.connection.getresponse()
        body = answer.read()
        assert answer.status == 200, (self.name, target, body[:500])
        return body, answer.headers

    def ask(self, task, question):
        return self.get(self.target(task, question))[0]

    def load(self, questions):
        """Answers per second, by wrk."""
        script = self.folder / f"{self.name}.lua"
        paths = ",".join(f'"{self.target("nearest", question)}"' for question in questions)
        script.write_text(f"local paths = {{{paths}}}\nmath.randomseed(1)\n"
                          "request = function() return wrk.format(nil, paths[math.random(#paths)]) end\n")
        done = run("wrk", "-t", 2, "-c", CLIENTS, "-d", SECONDS, "-s", script, f"http://127.0.0.1:{self.port}/").decode()
        assert "Non-2xx" not in done, done
        return float(re.search(r"Requests/sec: *([0-9.]+)", done)[1])

    def end(self):
        if self.process:
            self.process.terminate()
            self.process.wait(60)


class Geoq(HTTPPeer):
    name = "geoq"
    paths = {
        "nearest": "/nearest?lat={lat}&lon={lon}&count=10",
        "radius": "/radius?lat={lat}&lon={lon}&radius=1000&limit=10000",
        "box": "/bbox?bbox={west},{south},{east},{north}&limit=10000",
        "filter": "/nearest?lat={lat}&lon={lon}&count=10&category=Thai&filter=rating%20%3E%3D%204",
        "words": "/collections/restaurants/items?q={first}%20{second}&limit=10000",
    }
    commands = paths | {
        "import": "rm -f geoq.db*; geoq import feed.csv --db geoq.db",
        "join": "geoq nearest --at-file points.csv -k 1 --id-col point --columns id -f csv --db geoq.db > geoq-join.csv",
        "areas": "geoq count --by-area areas.geojson -f csv --db geoq.db > geoq-areas.csv",
        "export": "geoq export -o geoq.geojson --force --db geoq.db",
        "serve": "geoq serve --db geoq.db",
    }

    def start(self):
        self.port = port()
        self.listen(GEOQ, "serve", "-q", "--db", "geoq.db", "--port", str(self.port))

    def ask(self, task, question):
        """The answer's pages: one has at most 10 000 restaurants."""
        bodies, target = [], self.target(task, question)
        while target:
            body, fields = self.get(target)
            bodies.append(body)
            following = re.search(r'<http://[^/]*([^>]*)>; rel="?next', fields.get("Link") or "")
            target = following and following[1]
        return bodies

    def ids(self, bodies):
        return [feature["id"] for body in bodies for feature in json.loads(body)["features"]]


class PostGIS(Peer):
    name = "PostGIS"
    text = "to_tsvector('simple', coalesce(name, '') || ' ' || coalesce(category, '') || ' ' || coalesce(address, '') || ' ' || coalesce(city, ''))"
    commands = {
        "import": "ogr2ogr -f PostgreSQL PG:$SERVER feed.csv -nln restaurants -overwrite -a_srs EPSG:4326 "
        "-oo X_POSSIBLE_NAMES=longitude -oo Y_POSSIBLE_NAMES=latitude -oo AUTODETECT_TYPE=YES "
        "-lco GEOM_TYPE=geography -lco GEOMETRY_NAME=geog\n"
        "psql -q $SERVER -c 'CREATE INDEX ON restaurants USING gist ((geog::geometry))' "
        f"-c \"CREATE INDEX ON restaurants USING gin ({text})\" -c 'VACUUM ANALYZE restaurants'",
        "nearest": "SELECT id, name, category, ST_Distance(geog, p) FROM restaurants, "
        "(SELECT ST_MakePoint(%(lon)s, %(lat)s)::geography AS p) q ORDER BY geog <-> p LIMIT 10",
        "radius": "SELECT id, name, category, ST_Distance(geog, p) FROM restaurants, "
        "(SELECT ST_MakePoint(%(lon)s, %(lat)s)::geography AS p) q WHERE ST_DWithin(geog, p, 1000)",
        "box": "SELECT id, name, category FROM restaurants "
        "WHERE ST_Intersects(geog::geometry, ST_MakeEnvelope(%(west)s, %(south)s, %(east)s, %(north)s, 4326))",
        "filter": "SELECT id, name, category, ST_Distance(geog, p) FROM restaurants, "
        "(SELECT ST_MakePoint(%(lon)s, %(lat)s)::geography AS p) q "
        "WHERE category = 'Thai' AND rating >= 4 ORDER BY geog <-> p LIMIT 10",
        "words": f"SELECT id, name, category FROM restaurants WHERE {text} "
        "@@ to_tsquery('simple', %(first)s || ':* & ' || %(second)s || ':*')",
        "join": "psql -q $SERVER -c 'DROP TABLE IF EXISTS points' "
        "-c 'CREATE TABLE points (point int, lat float8, lon float8)' -c \"\\\\copy points FROM points.csv CSV HEADER\" "
        "-c '\\copy (SELECT point, id FROM points CROSS JOIN LATERAL (SELECT id FROM restaurants ORDER BY geog <-> "
        "ST_MakePoint(lon, lat)::geography LIMIT 1) r) TO postgis-join.csv CSV HEADER'",
        "areas": "ogr2ogr -f PostgreSQL PG:$SERVER areas.geojson -nln areas -overwrite\n"
        "psql -q $SERVER -c '\\copy (SELECT a.name, count(r.id) FROM areas a LEFT JOIN restaurants r "
        "ON ST_Intersects(a.wkb_geometry, r.geog::geometry) GROUP BY 1) TO postgis-areas.csv CSV HEADER'",
        "export": "ogr2ogr -f GeoJSON postgis.geojson PG:$SERVER restaurants",
        "serve": "pgbench, the SQL of the ten nearest, prepared: no HTTP",
    }

    def environment(self):
        return super().environment() | {"SERVER": os.environ["GEOQ_POSTGRES"]}

    def start(self):
        self.connection = psycopg.connect(os.environ["GEOQ_POSTGRES"], autocommit=True)

    def ask(self, task, question):
        return self.connection.execute(self.commands[task], question).fetchall()

    def ids(self, rows):
        return [row[0] for row in rows]

    def load(self, questions):
        with self.connection.cursor() as cursor:
            cursor.execute("DROP TABLE IF EXISTS asked; CREATE TABLE asked (n int PRIMARY KEY, lon float8, lat float8)")
            cursor.executemany("INSERT INTO asked VALUES (%s, %s, %s)",
                               [(n, q["lon"], q["lat"]) for n, q in enumerate(questions)])
        sql = self.commands["nearest"].replace("%(lon)s", "lon").replace("%(lat)s", "lat")
        script = self.folder / "nearest.sql"
        script.write_text(f"\\set n random(0, {len(questions) - 1})\n"
                          f"SELECT r.* FROM asked, LATERAL ({sql}) r WHERE n = :n;\n")
        done = run(Path(os.environ["GEOQ_POSTGRES_BIN"]) / "pgbench", "-n", "-M", "prepared", "-c", CLIENTS, "-j", 2,
                   "-T", SECONDS, "-f", script, os.environ["GEOQ_POSTGRES"]).decode()
        return float(re.search(r"^tps = ([0-9.]+)", done, re.MULTILINE)[1])


class DuckDB(Peer):
    name = "DuckDB"
    distance = "ST_Distance_Spheroid(ST_Point2D(latitude, longitude), ST_Point2D($lat, $lon))"
    text = "' ' || lower(concat_ws(' ', name, category, address, city))"
    commands = {
        "import": "CREATE OR REPLACE TABLE restaurants AS SELECT *, ST_Point(longitude, latitude) AS geom "
        "FROM read_csv('feed.csv')",
        "nearest": f"SELECT id, name, category, {distance} AS d FROM restaurants ORDER BY d LIMIT 10",
        "radius": f"SELECT id, name, category, {distance} AS d FROM restaurants WHERE latitude BETWEEN $lat - 0.01 "
        "AND $lat + 0.01 AND longitude BETWEEN $lon - 0.01 / cos(radians($lat)) AND $lon + 0.01 / cos(radians($lat)) "
        "AND d <= 1000",
        "box": "SELECT id, name, category FROM restaurants "
        "WHERE longitude BETWEEN $west AND $east AND latitude BETWEEN $south AND $north",
        "filter": f"SELECT id, name, category, {distance} AS d FROM restaurants "
        "WHERE category = 'Thai' AND rating >= 4 ORDER BY d LIMIT 10",
        "words": f"SELECT id, name, category FROM restaurants WHERE {text} LIKE '% ' || $first || '%' "
        f"AND {text} LIKE '% ' || $second || '%'",
        "join": "COPY (SELECT point, arg_min(id, ST_Distance_Spheroid(ST_Point2D(latitude, longitude), "
        "ST_Point2D(lat, lon))) AS id FROM read_csv('points.csv') JOIN restaurants ON ST_Intersects(geom, "
        "ST_MakeEnvelope(lon - 0.02, lat - 0.02, lon + 0.02, lat + 0.02)) GROUP BY point) TO 'duckdb-join.csv'",
        "areas": "COPY (SELECT a.name, count(*) FROM ST_Read('areas.geojson') a JOIN restaurants r "
        "ON ST_Intersects(a.geom, r.geom) GROUP BY ALL) TO 'duckdb-areas.csv'",
        "export": "COPY (SELECT * EXCLUDE (latitude, longitude) FROM restaurants) TO 'duckdb.geojson' "
        "(FORMAT gdal, DRIVER 'GeoJSON')",
    }

    def __init__(self, folder):
        super().__init__(folder)
        packages = Path(duckdb.__file__).parents[1]
        extension, = glob.glob(f"{packages}/duckdb_extension_spatial/extensions/*/spatial.duckdb_extension")
        self.database = duckdb.connect(str(folder / "duck.db"))
        self.database.execute(f"LOAD '{extension}'; SET enable_progress_bar = false")

    def do(self, task):
        (self.folder / "duckdb.geojson").unlink(missing_ok=True)
        sql = self.commands[task]
        for name in ("feed.csv", "points.csv", "areas.geojson", "duckdb-join.csv", "duckdb-areas.csv", "duckdb.geojson"):
            sql = sql.replace(f"'{name}'", f"'{self.folder / name}'")
        self.database.execute(sql)

    def ask(self, task, question):
        sql = self.commands[task]
        used = {key: value for key, value in question.items() if f"${key}" in sql}
        return self.database.execute(sql, used).fetchall()

    def ids(self, rows):
        return [row[0] for row in rows]

    def end(self):
        self.database.close()


class Datasette(HTTPPeer):
    name = "datasette"
    index = (
        "rowid IN (SELECT rowid FROM SpatialIndex WHERE f_table_name = 'restaurants' "
        "AND search_frame = BuildMbr(:lon - {0}, :lat - {0}, :lon + {0}, :lat + {0}, 4326))"
    )
    distance = "ST_Distance(geom, MakePoint(:lon + 0.0, :lat + 0.0, 4326), 1)"
    queries = {
        "nearest": f"SELECT id, name, category, {distance} AS d FROM restaurants WHERE {index.format(0.05)} "
        "ORDER BY d LIMIT 10",
        "radius": f"SELECT id, name, category, {distance} AS d FROM restaurants WHERE {index.format('0.01 / cos(radians(:lat + 0.0))')} "
        "AND d <= 1000",
        "box": "SELECT id, name, category FROM restaurants WHERE rowid IN (SELECT rowid FROM SpatialIndex WHERE "
        "f_table_name = 'restaurants' AND search_frame = BuildMbr(:west + 0.0, :south + 0.0, :east + 0.0, :north + 0.0, 4326)) "
        "AND longitude BETWEEN :west + 0.0 AND :east + 0.0 AND latitude BETWEEN :south + 0.0 AND :north + 0.0",
        "filter": f"SELECT id, name, category, {distance} AS d FROM restaurants WHERE category = 'Thai' AND rating >= 4 "
        f"AND {index.format(0.2)} ORDER BY d LIMIT 10",
        "words": "SELECT id, name, category FROM restaurants WHERE rowid IN (SELECT rowid FROM restaurants_fts "
        "WHERE restaurants_fts MATCH :first || '* ' || :second || '*')",
    }
    commands = queries | {
        "import": "rm -f places.db*; sqlite-utils query places.db 'SELECT InitSpatialMetaData(1)' --load-extension spatialite\n"
        "sqlite-utils insert places.db restaurants feed.csv --csv --batch-size 10000\n"
        "sqlite-utils add-geometry-column places.db restaurants geom --type POINT --load-extension spatialite\n"
        "sqlite-utils query places.db 'UPDATE restaurants SET geom = MakePoint(longitude, latitude, 4326)' "
        "--load-extension spatialite\n"
        "sqlite-utils create-spatial-index places.db restaurants geom --load-extension spatialite\n"
        "sqlite-utils enable-fts places.db restaurants name category address city\n"
        "sqlite-utils create-index places.db restaurants category",
        "serve": "datasette serve -i places.db --load-extension spatialite -m metadata.json "
        "--setting sql_time_limit_ms 60000 --setting max_returned_rows 100000",
    }

    def __init__(self, folder):
        super().__init__(folder)
        queries = {task: {"sql": sql} for task, sql in self.queries.items()}
        (folder / "metadata.json").write_text(json.dumps({"databases": {"places": {"queries": queries}}}))
        self.paths = {
            task: f"/places/{task}.json?_shape=arrays&" + "&".join(
                f"{key}={{{key}}}" for key in dict.fromkeys(re.findall(r":([a-z]+)", sql)))
            for task, sql in self.queries.items()
        }

    def start(self):
        self.port = port()
        self.listen(*self.commands["serve"].split(), "-p", str(self.port))

    def ids(self, body):
        return [row[0] for row in json.loads(body)["rows"]]


class GeoPandas(Peer):
    name = "geopandas"
    commands = {
        "import": "table = pandas.read_csv('feed.csv', low_memory=False)\n"
        "places = geopandas.GeoDataFrame(table, geometry=geopandas.points_from_xy(table.longitude, table.latitude), crs=4326)\n"
        "places.sindex",
        "nearest": "places.assign(d=meters(places, lat, lon)).nsmallest(10, 'd')",
        "radius": "near = places.iloc[places.sindex.query(shapely.box(lon - 0.01 / cos, lat - 0.01, lon + 0.01 / cos, lat + 0.01))]\n"
        "near[meters(near, lat, lon) <= 1000]",
        "box": "places.iloc[places.sindex.query(shapely.box(west, south, east, north))]",
        "filter": "some = places[(places.category == 'Thai') & (places.rating >= 4)]\n"
        "some.assign(d=meters(some, lat, lon)).nsmallest(10, 'd')",
        "words": "text = places.name + ' ' + places.category + ' ' + places.address + ' ' + places.city\n"
        "places[text.str.contains(r'\\b' + first, case=False) & text.str.contains(r'\\b' + second, case=False)]",
        "join": "points = pandas.read_csv('points.csv')\n"
        "points = geopandas.GeoDataFrame(points, geometry=geopandas.points_from_xy(points.lon, points.lat), crs=4326)\n"
        "points.sjoin_nearest(places)[['point', 'id']].to_csv('geopandas-join.csv', index=False)",
        "areas": "areas = geopandas.read_file('areas.geojson')\n"
        "places.sjoin(areas, predicate='intersects').groupby('name_right').size().to_csv('geopandas-areas.csv')",
        "export": "places.to_file('geopandas.geojson', driver='GeoJSON')",
    }

    def __init__(self, folder):
        super().__init__(folder)
        geod = pyproj.Geod(ellps="WGS84")

        def meters(places, lat, lon):
            count = len(places)
            return geod.inv(places.longitude, places.latitude, np.full(count, lon), np.full(count, lat))[2]

        self.names = {"pandas": pandas, "geopandas": geopandas, "shapely": shapely, "meters": meters}

    def evaluate(self, text):
        *lines, last = text.split("\n")
        for line in lines:
            exec(line, self.names)
        return eval(last, self.names)

    def do(self, task):
        before = os.getcwd()
        os.chdir(self.folder)
        try:
            self.evaluate(self.commands[task])
        finally:
            os.chdir(before)

    def ask(self, task, question):
        self.names |= question | {"cos": math.cos(math.radians(question["lat"]))}
        return self.evaluate(self.commands[task])

    def ids(self, rows):
        return list(rows["id"])


def make_questions(feed):
    """Points near restaurants, boxes around them, and the beginnings of two words of a restaurant."""
    with open(feed, newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if abs(float(row["latitude"])) < 75 and abs(float(row["longitude"])) < 178]
    chosen = random.Random(20).sample(rows, QUESTIONS + JOIN_POINTS + AREAS)
    noise = random.Random(21)
    questions = []
    for row in chosen[:QUESTIONS]:
        lat, lon = (round(float(row[key]) + noise.gauss(0, 0.005), 6) for key in ("latitude", "longitude"))
        name = max(re.findall(r"[A-Za-z]+", row["name"]), key=len)
        city = max(re.findall(r"[A-Za-z]+", row["city"]), key=len)
        questions.append({
            "lat": lat, "lon": lon, "west": round(lon - 0.025, 6), "east": round(lon + 0.025, 6),
            "south": round(lat - 0.025, 6), "north": round(lat + 0.025, 6),
            "first": name[:-1].lower(), "second": city[:-1].lower(),
        })
    points = [
        (number, *(round(float(row[key]) + noise.gauss(0, 0.005), 6) for key in ("latitude", "longitude")))
        for number, row in enumerate(chosen[QUESTIONS : QUESTIONS + JOIN_POINTS])
    ]
    return questions, points, [area(row, number, noise) for number, row in enumerate(chosen[-AREAS:])]


def area(row, number, noise):
    """A star of 60 corners around a restaurant, as a Feature."""
    reach = noise.uniform(0.02, 0.5)
    corners = []
    for corner in range(60):
        angle, away = 2 * math.pi * corner / 60, reach * noise.uniform(0.6, 1)
        corners.append([round(float(row["longitude"]) + away * math.cos(angle), 6),
                        round(float(row["latitude"]) + away * math.sin(angle), 6)])
    outline = {"type": "Polygon", "coordinates": [[*corners, corners[0]]]}
    return {"type": "Feature", "properties": {"name": f"area {number}"}, "geometry": outline}


def same(peer, task, ours, theirs):
    return ours == theirs if task in peer.ordered else sorted(ours) == sorted(theirs)


class Comparison:
    def __init__(self, folder):
        self.folder = folder
        (folder / "bin").mkdir()
        (folder / "bin/geoq").symlink_to(GEOQ)
        # which otherwise goes on after an error
        (folder / "bin/psql").write_text('#!/bin/sh\nexec /usr/bin/psql -X -v ON_ERROR_STOP=1 "$@"\n')
        (folder / "bin/psql").chmod(0o755)
        run(GEOQ, "-q", "generate", "--size", SIZE, "--seed", 1, "-f", "csv", "-o", folder / "feed.csv")
        self.questions, points, areas = make_questions(folder / "feed.csv")
        with open(folder / "points.csv", "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([("point", "lat", "lon"), *points])
        (folder / "areas.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": areas}))
        self.peers = [kind(folder) for kind in (Geoq, PostGIS, DuckDB, Datasette, GeoPandas)]
        self.figures, self.asked, self.differing = {}, {}, {}

    def round(self, number, task):
        """Gives the task to all, one after the other."""
        kind = TASKS[task][1]
        able = [peer for peer in self.peers if task in peer.commands and (kind != "load" or hasattr(peer, "load"))]
        turn = number % len(able)
        for peer in able[turn:] + able[:turn]:
            if kind == "command" and self.figures.get((task, peer.name), [0])[0] > LONGEST:
                continue
            if kind == "question":
                # the round for nothing also compares answers: more of those that are slow
                figure = self.ask(peer, task, BUDGET if number >= 0 else 6 * BUDGET)
            elif kind == "load":
                figure = peer.load(self.questions)
            else:
                start = time.perf_counter()
                peer.do(task)
                figure = time.perf_counter() - start
            self.figures.setdefault((task, peer.name), []).append(figure)
            print(f"{task}, {peer.name}: {figure:.4g}", file=sys.stderr, flush=True)

    def ask(self, peer, task, budget):
        peer.connect()
        times, begun = [], time.perf_counter()
        for number, question in enumerate(self.questions):
            start = time.perf_counter()
            answer = peer.ask(task, question)
            times.append(time.perf_counter() - start)
            self.asked.setdefault((task, number), {})[peer.name] = peer.ids(answer)
            if time.perf_counter() - begun > budget and len(times) >= 3:
                break
        return statistics.median(times)

    def main(self):
        with psycopg.connect(os.environ["GEOQ_POSTGRES"], autocommit=True) as connection:
            # the tests' server does without; 1 GB of log would mean checkpoints during imports
            for setting in ("fsync = on", "max_wal_size = '8GB'", "maintenance_work_mem = '512MB'", "work_mem = '64MB'"):
                connection.execute(f"ALTER SYSTEM SET {setting}")
            connection.execute("SELECT pg_reload_conf()")
        for number in range(ROUNDS):
            self.round(number, "import")
        for peer in self.peers:
            peer.start()
        for number in range(-1, ROUNDS):
            for task in list(TASKS)[1:]:
                # a round for nothing first, of questions
                if number >= 0 or TASKS[task][1] == "question":
                    self.round(number, task)
            if number < 0:
                self.figures = {key: value for key, value in self.figures.items() if key[0] == "import"}
        self.compare()
        return self.report()

    def compare(self):
        """How many answers differ from geoq's, by task and program."""
        for (task, _), answers in self.asked.items():
            for peer in self.peers[1:]:
                if peer.name in answers:
                    counts = self.differing.setdefault((task, peer.name), [0, 0])
                    counts[0] += not same(peer, task, answers["geoq"], answers[peer.name])
                    counts[1] += 1
        for task in ("join", "areas"):
            ours = self.table("geoq", task)
            for peer in self.peers[1:]:
                if task in peer.commands:
                    theirs = self.table(peer.name.lower(), task)
                    differing = sum(ours[key] != theirs.get(key) for key in ours)
                    self.differing[task, peer.name] = [differing, len(ours)]
        for peer in self.peers:
            if "export" in peer.commands:
                written = (self.folder / f"{peer.name.lower()}.geojson").read_bytes().count(b'"Point"')
                assert written == SIZE, (peer.name, written)

    def table(self, name, task):
        with open(self.folder / f"{name}-{task}.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))[1:]
        if task == "areas":
            return {row[0]: int(row[1]) for row in rows if row[0].startswith("area ") and row[1] != "0"}
        # a table of geoq has the points' columns first
        return {row[0]: row[-1] for row in rows}

    def cell(self, task, peer):
        figures = self.figures.get((task, peer.name))
        if not figures:
            return "no"
        figure = statistics.median(figures)
        kind = TASKS[task][1]
        text = f"{rounded(figure)} a second" if kind == "load" else shown(figure)
        if peer.name != "geoq":
            ours = self.figures[task, "geoq"]
            ratio = statistics.median((a / b if kind != "load" else b / a) for a, b in zip(figures, ours))
            text += f" ({rounded(ratio)})"
        return text

    def report(self):
        head = "| | " + " | ".join(peer.name for peer in self.peers) + " |\n|---|" + "---:|" * len(self.peers)
        times = [f"| {TASKS[task][0]} | " + " | ".join(self.cell(task, peer) for peer in self.peers) + " |" for task in TASKS]
        answers = []
        for task in TASKS:
            cells = [self.differing.get((task, peer.name)) for peer in self.peers[1:]]
            if any(cells):
                words = [f"{cell[0]} of {cell[1]}" if cell else "" for cell in cells]
                answers.append(f"| {TASKS[task][0]} | " + " | ".join(words) + " |")
        commands = []
        for task in TASKS:
            commands.append(f"### {TASKS[task][0][0].upper()}{TASKS[task][0][1:]}\n")
            for peer in self.peers:
                if task in peer.commands:
                    commands.append(f"{peer.name}:\n\n```\n{peer.commands[task]}\n```\n")
        server = run("psql", "-XAtq", os.environ["GEOQ_POSTGRES"], "-c",
                     "SELECT split_part(current_setting('server_version'), ' ', 1) || ', PostGIS ' || postgis_lib_version()").decode()
        versions = (f"geoq {run(GEOQ, '--version').decode().split()[1]}, PostgreSQL {server.strip()}, DuckDB "
                    f"{duckdb.__version__} with its spatial extension, datasette {datasette.__version__} with SpatiaLite, "
                    f"geopandas {geopandas.__version__}")
        load = " ".join(f"{value:.1f}" for value in os.getloadavg())
        return "\n".join([
            "# geoq, PostGIS, DuckDB, datasette and geopandas\n",
            f"Measured {time.strftime('%Y-%m-%d')} by `Benchmarks/compared {SIZE}`: {f'{SIZE:,}'.replace(',', ' ')} made-up restaurants, {ROUNDS} "
            f"rounds, {os.cpu_count()} cores, load {load} (1, 5, 15 minutes) at the end. {versions}. Times of a command or a question, "
            "and in parentheses how many times as long as geoq (below 1: faster); for clients, how many times fewer "
            "answers. `no`: it has no such command, or it is not in reasonable time.\n",
            head, *times,
            "\nAnswers that differ from geoq's:\n",
            "| | " + " | ".join(peer.name for peer in self.peers[1:]) + " |\n|---|" + "---:|" * (len(self.peers) - 1),
            *answers,
            "\n## Commands\n",
            *commands,
        ]).rstrip() + "\n"


def rounded(number, digits=2):
    """A number with so much of it that says something, and blanks between thousands."""
    text = f"{number:.{digits}g}"
    return f"{round(float(text)):,}".replace(",", " ") if float(text) >= 10 ** (digits - 1) else text


def shown(seconds):
    return f"{rounded(seconds, 3)} s" if seconds >= 1 else f"{rounded(seconds * 1000, 3)} ms"


def main():
    if not GEOQ.exists():
        sys.exit(f"{GEOQ}: not built; run: make build")
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        comparison = Comparison(Path(folder))
        try:
            text = comparison.main()
        finally:
            for peer in comparison.peers:
                peer.end()
    RESULTS.write_text(text, encoding="utf-8")
    print(text.split("\n## Commands")[0])


if __name__ == "__main__":
    main()
