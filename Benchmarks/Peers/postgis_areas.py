"""Asks PostGIS what `Benchmarks/areas` has asked geoq, and prints both side by side: postgis_areas.py FOLDER SIZE…

Runs below Tests/postgis/cluster, on one process of the server. Times are the server's own (EXPLAIN ANALYZE, without
planning, parsing the polygon and sending the answer), medians of ROUNDS=5 rounds after one for nothing. Points have GiST
indexes as geometry and as geography. The nearest are ordered by `<->` of geography, on a sphere; where that differs
from geoq, ST_Distance on the spheroid must not. An area's boundary counts, as in geoq (ST_Intersects). The columns of
the expression have an index of their own. Exits with 1 if an exact answer differs.
"""

import os
import re
import statistics
import subprocess
import sys
import tempfile

ROUNDS = int(os.environ.get("ROUNDS", "5"))
ALL = "SELECT p.position FROM places p, areas a WHERE a.n = {n} AND ST_Intersects(p.geom, a.geom)"
NEAREST = ALL + " ORDER BY p.geog <-> a.center LIMIT 10"
EXACT = ALL + " ORDER BY ST_Distance(p.geog, a.center), p.position LIMIT 10"
CHOSEN = "SELECT p.position FROM places p, conditions c WHERE c.n = {n} AND p.category = c.category AND p.rating >= c.rating"


def sql(text):
    """Runs a script; gives what it prints, a line each."""
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
        file.write("SET jit = off; SET max_parallel_workers_per_gather = 0;\n" + text)
        file.flush()
        done = subprocess.run(["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-f", file.name, os.environ["GEOQ_POSTGRES"]],
                              check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


def rows(folder, name, size):
    with open(f"{folder}/{name}-{size}.tsv", encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file]


SHAPES = ["1 000 vertices", "1 000 spikes"]


def load(folder, size):
    areas = [row for shape in SHAPES for row in rows(folder, f"areas of {shape}", size)]
    values = ",\n".join(
        f"({n}, ST_GeomFromText('{wkt}', 4326), ST_SetSRID(ST_MakePoint({lon}, {lat}), 4326)::geography)"
        for n, (_, lat, lon, wkt, *_) in enumerate(areas))
    conditions = rows(folder, "conditions", size)
    chosen = ",\n".join(f"({n}, '{category}', {rating})" for n, (category, rating, *_) in enumerate(conditions))
    sql(f"""
DROP TABLE IF EXISTS places, areas, conditions;
CREATE TABLE places (position int, lat float8, lon float8, category text, rating float8);
\\copy places FROM '{folder}/places-{size}.tsv'
ALTER TABLE places ADD geom geometry(Point, 4326), ADD geog geography(Point, 4326);
UPDATE places SET geom = ST_SetSRID(ST_MakePoint(lon, lat), 4326), geog = ST_SetSRID(ST_MakePoint(lon, lat), 4326)::geography;
CREATE INDEX ON places USING gist (geom);
CREATE INDEX ON places USING gist (geog);
CREATE INDEX ON places (category, rating);
CREATE TABLE areas (n int PRIMARY KEY, geom geometry, center geography);
INSERT INTO areas VALUES {values};
CREATE TABLE conditions (n int PRIMARY KEY, category text, rating float8);
INSERT INTO conditions VALUES {chosen};
VACUUM FULL ANALYZE places;
VACUUM ANALYZE areas;
VACUUM ANALYZE conditions;
""")
    return areas, conditions


def timed(question, count):
    """The median of the rounds, in microseconds, of each question."""
    explained = "".join(f"EXPLAIN (ANALYZE, TIMING OFF) {question.format(n=n)};\n" for n in range(count))
    found = [[float(ms) * 1_000 for line in sql(explained) for ms in re.findall(r"Execution Time: ([\d.]+) ms", line)] for _ in range(ROUNDS + 1)]
    assert all(len(times) == count for times in found)
    return [statistics.median(times) for times in zip(*found[1:])]


def answers(question, count, wanted):
    """What each question gives, as text: the count, or the positions in order."""
    return sql("".join(f"SELECT {wanted} FROM ({question.format(n=n)}) q;\n" for n in range(count)))


def report(size, what, ours, theirs, differing):
    one, other = statistics.median(ours), statistics.median(theirs)
    print(f"| {size} | {what} | {one:.4g} µs | {other:.4g} µs | {other / one:.1f} | {differing} of {len(ours)} |")


def main(folder, sizes):
    os.chmod(folder, 0o755)
    version = sql("SELECT 'PostgreSQL ' || split_part(current_setting('server_version'), ' ', 1) || ', PostGIS ' || postgis_lib_version();")[0]
    print(f"\n{version}, one process:\n\n| places | question | geoq | PostGIS | times as long | differ |\n|---|---|---:|---:|---:|---|")
    wrong = 0
    for size in sizes:
        areas, conditions = load(folder, size)
        positions = "coalesce(string_agg(position::text, ' '), '')"
        nearest, exact, inside = (answers(question, len(areas), wanted) for question, wanted in
                                  ((NEAREST, positions), (EXACT, positions), (ALL, "count(*)")))
        times = timed(NEAREST, len(areas)), timed(ALL, len(areas))
        for shape in SHAPES:
            some = [n for n, area in enumerate(areas) if area[0] == shape]
            wrong += sum(exact[n] != areas[n][4] for n in some) + sum(inside[n] != areas[n][5] for n in some)
            report(size, f"nearest 10 in an area of {shape}", [float(areas[n][6]) for n in some], [times[0][n] for n in some],
                   sum(nearest[n] != areas[n][4] for n in some))
            report(size, f"all in an area of {shape}", [float(areas[n][7]) for n in some], [times[1][n] for n in some],
                   sum(inside[n] != areas[n][5] for n in some))
        found = answers(CHOSEN, len(conditions), "count(*)")
        differing = sum(one != condition[2] for one, condition in zip(found, conditions))
        wrong += differing
        report(size, "rating >= 4 and category = 'Cuisine 3'", [float(condition[3]) for condition in conditions],
               timed(CHOSEN, len(conditions)), differing)
    print(f"\n{wrong} exact answers differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
