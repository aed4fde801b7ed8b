"""Asks DuckDB, on one thread, what `Benchmarks/planning` has asked geoq, and prints rows of the same table.

Its distances are on a sphere (the haversine formula): it has no geodesics without an extension. So its
costs may differ from the exact ones by half a percent; the last column counts those that differ by more.
"""

import csv
import statistics
import sys
import time

import duckdb

RADIUS = 6371008.8
# of the places that meet the same wants only the nearest can be of a best group
GROUP = """
with measured as (
  select wants, {distance} as distance from places where wants > 0),
best as (select wants, min(distance) as distance from measured group by wants),
groups as (
  select 1 as size, wants, distance from best
  union all
  select 2, a.wants | b.wants, greatest(a.distance, b.distance) from best a join best b on a.wants < b.wants
  union all
  select 3, a.wants | b.wants | c.wants, greatest(a.distance, b.distance, c.distance)
  from best a join best b on a.wants < b.wants join best c on b.wants < c.wants)
select bit_count(wants), size, distance from groups order by 1 desc, 2, 3 limit 1
"""
MIDDLE = "select position, {distance} as cost from places order by cost, position limit 10"


def distance(latitude, longitude):
    return (
        f"2 * {RADIUS} * asin(sqrt(pow(sin(radians(latitude - {latitude}) / 2), 2)"
        f" + cos(radians(latitude)) * cos(radians({latitude}))"
        f" * pow(sin(radians(longitude - {longitude}) / 2), 2)))"
    )


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        yield from csv.DictReader(file)


def ask(database, sql):
    start = time.perf_counter()
    answer = database.execute(sql).fetchall()
    return answer, (time.perf_counter() - start) * 1000


def report(size, question, asked):
    """One row; of each question: ours and its time, DuckDB's and its time, whether it is about the same."""
    ours = statistics.median(float(each[0]) for each in asked)
    theirs = statistics.median(each[1] for each in asked)
    differing = sum(not each[2] for each in asked)
    print(f"| {size} | {question} | {ours:.4g} | {theirs:.4g} | {theirs / ours:.0f} | {differing} of {len(asked)} |")


def main(folder, sizes):
    print("\n| places | question | geoq, ms | DuckDB, ms | times | differ by over 1 % |")
    print("|---|---|---|---|---|---|")
    for size in sizes:
        database = duckdb.connect(config={"threads": 1})
        database.execute(f"create table places as from read_csv('{folder}/places-{size}.csv')")
        asked = []
        for row in rows(f"{folder}/covers-{size}.csv"):
            sql = GROUP.format(distance=distance(row["latitude"], row["longitude"]))
            answer, milliseconds = ask(database, sql)
            met, count, cost = answer[0]
            exact = float(row["cost"])
            same = (met, count) == (int(row["met"]), int(row["count"])) and abs(cost - exact) <= exact / 100
            asked.append((row["ms"], milliseconds, same))
        report(size, "cover by farthest, 4 wants, P=3", asked)
        asked = []
        for row in rows(f"{folder}/meetings-{size}.csv"):
            numbers = row["points"].split()
            points = zip(numbers[::2], numbers[1::2])
            sql = MIDDLE.format(distance=" + ".join(distance(*point) for point in points))
            answer, milliseconds = ask(database, sql)
            exact = float(row["cost"])
            asked.append((row["ms"], milliseconds, abs(answer[0][1] - exact) <= exact / 100))
        report(size, "meet of 5 points by sum, k=10", asked)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
