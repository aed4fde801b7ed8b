#!/usr/bin/env python3
"""The dear questions to a service, one at a time: its start, every order, far pages, new words, imports.

    Benchmarks/Load/questions.py GEOQ FEED NEXT

Imports FEED into a database of its own, and later NEXT, which has some of the restaurants changed. Prints
Markdown: the first and the second time of each question in ms, the time from start to the first answer,
from the commit of an import to the first answer of its generation, the service's anonymous memory, and the
time of the tool for the ten nearest, from its start to its end.
"""

import json
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

QUESTIONS = [
    ("by name", "/collections/restaurants/items?sortby=name"),
    ("by rating, best first", "/collections/restaurants/items?sortby=-rating"),
    ("by price level", "/collections/restaurants/items?sortby=priceLevel"),
    ("a word never asked before", "/collections/restaurants/items?q=gri"),
    ("a letter never asked before", "/collections/restaurants/items?q=s"),
    ("filter=rating >= 4", "/collections/restaurants/items?filter=rating%20%3E%3D%204"),
    ("filter=name ~ an", "/collections/restaurants/items?filter=name%20~%20an"),
    ("counts by category", "/facets?by=category"),
    ("radius, all over the world, offset 90 %", "/radius?lat=40.7&lon=-74&radius=20000000&limit=10&offset={far}"),
    ("radius of 2 000 km, by name", "/radius?lat=40.7&lon=-74&radius=2000000&limit=10&sortby=name"),
    ("radius, all over the world, by name", "/radius?lat=40.7&lon=-74&radius=20000000&limit=10&sortby=name"),
    ("radius, all over the world, farthest first",
     "/radius?lat=40.7&lon=-74&radius=20000000&limit=10&sortby=-distance"),
]


class Service:
    """A service that has answered once."""

    def __init__(self, geoq, database):
        begun = time.perf_counter()
        self.process = subprocess.Popen(
            [geoq, "serve", "--db", database, "--port", "0"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.port = re.search(r":(\d+)", self.process.stdout.readline().decode())[1]
        self.get("/nearest?lat=40.7&lon=-74&count=5")
        self.ready = time.perf_counter() - begun

    def get(self, path):
        """Milliseconds of one answer, and its ETag."""
        begun = time.perf_counter()
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}") as answer:
            answer.read()
            return (time.perf_counter() - begun) * 1000, answer.headers["ETag"]

    def next_of(self, path):
        """The path of the page after a page."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}") as answer:
            links = json.load(answer)["links"]
        href = next(link["href"] for link in links if link["rel"] == "next")
        return re.sub("^http://[^/]*", "", href)

    def delay_of(self, importing, database):
        """Milliseconds from the commit of an import to the first answer with what it brought."""
        probe = "/collections/restaurants/items?limit=1"
        served = self.get(probe)[1]
        connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
        generation = "SELECT generation FROM geoq_store"
        stored = connection.execute(generation).fetchall()
        committed = None
        while self.get(probe)[1] == served:
            if committed is None and connection.execute(generation).fetchall() != stored:
                committed = time.perf_counter()
            time.sleep(0.005)
        switched = time.perf_counter()
        connection.close()
        importing.wait()
        return 0 if committed is None else (switched - committed) * 1000

    def anonymous(self):
        """MB."""
        rollup = Path(f"/proc/{self.process.pid}/smaps_rollup").read_text()
        return int(re.search(r"Anonymous:\s+(\d+)", rollup)[1]) / 1024

    def end(self):
        self.process.terminate()
        self.process.wait()


def nearest_by_tool(geoq, database):
    """Milliseconds of one process that finds the ten nearest."""
    begun = time.perf_counter()
    subprocess.run([geoq, "nearest", "-q", "--db", database, "--at", "40.7,-74", "-k", "10"],
                   stdout=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - begun) * 1000


def measure(geoq, feed, following, database):
    """Prints the table and the sentence after it."""
    subprocess.run([geoq, "import", "-q", "--db", database, feed, "--source", "feed"], check=True)
    counted = subprocess.run([geoq, "list", "--db", database, "-f", "count"], capture_output=True, check=True)
    count = int(counted.stdout)
    tool = statistics.median(nearest_by_tool(geoq, database) for _ in range(21))
    service = Service(geoq, database)
    try:
        print(f"| {count} restaurants | first, ms | again, ms |\n|---|---:|---:|")
        for name, path in QUESTIONS:
            path = path.format(far=count * 9 // 10)
            print(f"| {name} | {service.get(path)[0]:.1f} | {service.get(path)[0]:.1f} |", flush=True)
        last = service.next_of(f"/radius?lat=40.7&lon=-74&radius=20004000&limit=10&offset={count - 20}")
        print(f"| radius, the last page by cursor | {service.get(last)[0]:.1f} | {service.get(last)[0]:.1f} |")
        memory = service.anonymous()
        delay = service.delay_of(
            subprocess.Popen([geoq, "import", "-q", "--db", database, following, "--source", "feed"]), database)
        print(f"\nFirst answer {service.ready * 1000:.0f} ms after the start; a new generation is served"
              f" {delay:.0f} ms after the commit of its import; anonymous memory {memory:.1f} MB."
              f" `geoq nearest -k 10`: {tool:.1f} ms, the median of 21 runs.\n")
    finally:
        service.end()


def main():
    geoq, feed, following = sys.argv[1:]
    with tempfile.TemporaryDirectory(dir=Path(feed).parent) as folder:
        measure(geoq, feed, following, f"{folder}/geoq.db")


main()
