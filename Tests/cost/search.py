"""Searches for the most expensive requests of each class of threads: routes, parameters, orders of magnitude.

    python3 Tests/cost/search.py [BINARY] [--size N] [--seconds N]      default: 50 000 made-up restaurants, 20 s

Random requests, and changes of the worst so far (one parameter at a time), by a seed (SEED=). Requests are sent one at a
time; what each class of threads worked for it, the kernel says (/proc/PID/task/*/schedstat). Event loops: the least of
three equal requests, the last of which find their pages warm and what is remembered, less 1 ms for each megabyte
received; other classes: the first. Prints the ten worst of each class in ms of processor time, at most three of a route.
Exits with 1 if a loop works for more than 5 ms (GEOQ_LOOP_MS) for a request, or a request gets a 5xx other than 503.
"""

import argparse
import copy
import http.client
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from urllib.parse import quote

SEED = int(os.environ.get("SEED", "20150821"))
LOOP_MS = float(os.environ.get("GEOQ_LOOP_MS", "5"))
LOOPS = "event loops"
PRINTED, KEPT = 10, 3

# -- values -----------------------------------------------------------------------------------------


def magnitude(rng, least, most):
    return least * (most / least) ** rng.random()


def place(rng):
    return rng.choice([(32.95, -96.82), (0, 0), (71, -10), (90, 0), (-89.9999, 179.9999),
                       (rng.uniform(-90, 90), rng.uniform(-180, 180)), (rng.gauss(48, 2), rng.gauss(10, 5))])


def box(rng):
    south, north = sorted((rng.uniform(-90, 90), rng.uniform(-90, 90)))
    lat, lon = place(rng)
    size = magnitude(rng, 1e-4, 90)
    return rng.choice(["-180,-90,180,90", f"170,{south:.6f},-170,{north:.6f}", f"{rng.uniform(-180, 180)},-90,{rng.uniform(-180, 180)},90",
                       f"{max(-180, lon - size)},{max(-90, lat - size)},{min(180, lon + size)},{min(90, lat + size)}"])


def word(rng):
    return rng.choice(["a", "e", "s", "st", "the", "pizza", "rose", "street", "zzzzq", "caf\u00e9", str(rng.randrange(100)),
                       rng.choice("aeiourst") + rng.choice("aeiourst"), "quiet rose", '"the quiet"'])


def words(rng):
    return " ".join(word(rng) for _ in range(int(magnitude(rng, 1, 40))))


CATEGORIES = ["Thai", "Italian", "Pizza", "Caf\u00e9", "Nowhere"]
COLUMNS = ["name", "city", "address", "category", "phone", "extra.x", "description"]


def term(rng):
    column = rng.choice(COLUMNS)
    return rng.choice([
        lambda: f"longitude > {rng.uniform(-180, 180):.3f}", lambda: f"latitude < {rng.uniform(-90, 90):.3f}",
        lambda: f"rating >= {rng.uniform(0, 5):.1f}", lambda: f"priceLevel = {rng.randrange(5)}", lambda: "longitude > 179.99",
        lambda: f"{column} = {rng.choice(CATEGORIES)}", lambda: f"{column} ~ {word(rng).split()[0].strip(chr(34))}",
        lambda: f"reviewCount > {int(magnitude(rng, 1, 1e5))}", lambda: f"{column} != x",
    ])()


def terms(rng):
    return " and ".join(term(rng) for _ in range(rng.choice([1, 1, 1, 2, 5, 20])))


def want(rng):
    return rng.choice([lambda: f"text:{word(rng)}", lambda: f"category:{rng.choice(CATEGORIES)}", lambda: f"filter:{term(rng)}"])()


def tile(rng):
    zoom = rng.choice([0, 0, 1, 2, 3, 5, 8, 12, 14, 20])
    return zoom, rng.randrange(2**zoom), rng.randrange(2**zoom)


LOOK = ["category", "city", "q", "filter"]
PAGE = ["sortby", "limit", "offset"]
VALUES = {
    "limit": lambda rng: int(magnitude(rng, 1, 10_000)), "offset": lambda rng: int(magnitude(rng, 1, 1e6)),
    "count": lambda rng: int(magnitude(rng, 1, 1_000)), "max": lambda rng: f"{magnitude(rng, 1, 2e7):.0f}",
    "radius": lambda rng: f"{magnitude(rng, 1, 2e7):.0f}", "bbox": box, "q": words, "filter": terms,
    "category": lambda rng: rng.choice(CATEGORIES), "city": lambda rng: rng.choice(["Rasquinia", "a", "Quinpur", "Addison"]),
    "sortby": lambda rng: rng.choice(["name", "-name", "rating", "-rating", "reviews", "-reviews", "price", "-price", "distance", "-distance", "id", "-id"]),
    "places": lambda rng: rng.randrange(1, 8), "prefer": lambda rng: term(rng), "frontier": lambda rng: "true",
    "rank": lambda rng: rng.randrange(1, 20), "zoom": lambda rng: rng.randrange(22), "ids": lambda rng: ",".join(word(rng) for _ in range(50)),
    "f": lambda rng: rng.choice(["html", "json", "geojson"]), "datetime": lambda rng: "..", "restaurant": word, "chain": word,
    "lat": lambda rng: place(rng)[0], "lon": lambda rng: place(rng)[1], "want": want, "at": lambda rng: "{},{}".format(*place(rng)),
}
# a route, what it needs, what it may have too; {tile} becomes z/x/y
ROUTES = [
    ("/nearest", ["lat", "lon"], ["count", "max", *LOOK, *PAGE]), ("/radius", ["lat", "lon", "radius"], [*LOOK, *PAGE]),
    ("/bbox", ["bbox"], [*LOOK, *PAGE]), ("/collections/restaurants/items", [], ["bbox", *LOOK, *PAGE, "ids", "f", "datetime"]),
    ("/count/radius", ["lat", "lon", "radius"], LOOK), ("/count/bbox", ["bbox"], LOOK), ("/facets", ["by"], ["bbox", *LOOK]),
    ("/facets", ["by", "lat", "lon", "radius"], LOOK), ("/cover", ["lat", "lon", "want"], ["places", "by", "max", "prefer", "rank", "frontier", "f"]),
    ("/meet", ["at"], ["by", "count", *LOOK, "f"]), ("/offers", [], ["q", "category", "chain", "restaurant", "max", "limit", "offset", "f"]),
    ("/tiles/{tile}.mvt", [], [*LOOK, "ids"]), ("/tiles.json", [], LOOK), ("/style.json", [], LOOK), ("/density", [], ["bbox", "zoom", *LOOK]),
    ("/collections/restaurants/tiles", [], [*LOOK, "f"]), ("/app/", [], ["lat", "lon", "q", "category", "limit", "offset", "sortby", "filter"]),
    ("/app/map", [], ["lat", "lon", "q", "category", "limit", "filter"]), ("/app/wants", [], ["lat", "lon", "want", "by", "places", "max"]),
    ("/app/meet", [], ["at", "by", "count"]), ("/app/offers", [], ["q", "category", "lat", "lon"]), ("/app/list", [], ["ids"]),
    *((path, [], []) for path in ["/", "/api", "/api.html", "/conformance", "/collections", "/collections/restaurants", "/healthz", "/readyz",
                                  "/metrics", "/licenses", "/collections/restaurants/schema"]),
]
BY = {"/facets": ["category", "city", "state", "source", "chain"], "/cover": ["farthest", "walk", "spread"], "/meet": ["sum", "max"]}
BY |= {"/app/wants": BY["/cover"], "/app/meet": BY["/meet"]}
REPEATED = {"want": 64, "at": 10}


class Question:
    """A request that can be changed in one parameter."""

    def __init__(self, rng):
        self.path, self.needed, self.others = rng.choice(ROUTES)
        self.points = None
        if self.path == "/nearest" and rng.random() < 0.1:
            count = int(magnitude(rng, 1, 1_000))
            self.points, self.count = [place(rng) for _ in range(count)], max(1, min(1_000, int(magnitude(rng, 1, 10_000 // count))))
            self.path, self.needed, self.others = "/nearest", [], LOOK
        self.tile = tile(rng)
        chosen = self.needed + rng.sample(self.others, rng.randrange(len(self.others) + 1) if self.others else 0)
        self.pairs = [pair for name in chosen for pair in self.some(rng, name)]

    def some(self, rng, name):
        repeats = int(magnitude(rng, 1, REPEATED[name])) if name in REPEATED and rng.random() < 0.5 else 1
        return [(name, str(rng.choice(BY[self.path]) if name == "by" else VALUES[name](rng))) for _ in range(repeats)]

    def changed(self, rng):
        other = copy.copy(self)
        names = self.needed + self.others
        if "{" in self.path and rng.random() < 0.5 or not names:
            other.tile = tile(rng)
            return other
        name = rng.choice(names)
        kept = [pair for pair in self.pairs if pair[0] != name]
        other.pairs = kept + (self.some(rng, name) if name in self.needed or rng.random() < 0.7 else [])
        return other

    @property
    def target(self):
        return self.path.replace("{tile}", "/".join(map(str, self.tile))) + "?" + "&".join(f"{name}={quote(value)}" for name, value in self.pairs)

    @property
    def kind(self):
        return self.path if self.points is None else "POST " + self.path

    @property
    def body(self):
        if self.points is None:
            return None
        more = dict(self.pairs)
        return json.dumps({"points": [{"lat": lat, "lon": lon} for lat, lon in self.points], "count": self.count, **more})

    def __str__(self):
        if self.points is None:
            return self.target
        return f"{self.kind}, {len(self.points)} points, count {self.count}, {dict(self.pairs)}"


# -- measuring --------------------------------------------------------------------------------------


class Threads:
    """The processor time of each class of a process's threads."""

    CLASSES = {"NIO-SGLTN": LOOPS, "NIO-ELT": LOOPS, "geoq-": None}

    def __init__(self, pid):
        self.folder = Path(f"/proc/{pid}/task")

    def seconds(self):
        found = Counter()
        for thread in self.folder.iterdir():
            try:
                name, used = (thread / "comm").read_text().strip(), int((thread / "schedstat").read_text().split()[0])
            except OSError:
                continue
            known = next((start for start in self.CLASSES if name.startswith(start)), None)
            found["others" if known is None else self.CLASSES[known] or name] += used / 1e9
        return found

    def rest(self, patience=10):
        """Waits until nothing runs."""
        last, end = self.seconds(), time.monotonic() + patience
        while time.monotonic() < end:
            time.sleep(0.002)
            now = self.seconds()
            if (now - last).total() < 50e-6:
                return now
            last = now
        return last


class Search:
    def __init__(self, process, port):
        self.threads, self.port, self.rng = Threads(process.pid), port, random.Random(SEED)
        self.connection, self.worst, self.statuses, self.problems = None, {}, Counter(), []
        self.count = 0

    def ask(self, question):
        try:
            self.connection = self.connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
            body = question.body
            self.connection.request("POST" if body else "GET", question.target if body is None else question.path, body,
                                    {"Content-Type": "application/json"} if body else {})
            answer = self.connection.getresponse()
            return answer.status, len(answer.read())
        except (OSError, http.client.HTTPException) as error:
            self.connection = None
            return type(error).__name__, 0

    def measure(self, question):
        """The status, and the cost for each class of threads."""
        costs = []
        for _ in range(3):
            before = self.threads.rest()
            status, length = self.ask(question)
            costs.append(self.threads.rest() - before)
            costs[-1][LOOPS] -= length * 1e-9
            self.count += 1
            if costs[0].total() < 1e-3:
                break
        found = costs[0]
        found[LOOPS] = min(cost[LOOPS] for cost in costs)
        return status, found

    def step(self):
        kept = [entry[1] for entry in self.rng.choice(list(self.worst.values()))] if self.worst else []
        question = self.rng.choice(kept).changed(self.rng) if kept and self.rng.random() < 0.6 else Question(self.rng)
        status, costs = self.measure(question)
        self.statuses[status] += 1
        if not isinstance(status, int) or status >= 500 and status != 503:
            self.problems.append(f"{status}: {question}")
        for name, cost in costs.items():
            kept = self.worst.setdefault((name, question.kind), [])
            if cost > 20e-6 and status != 400:
                kept.append((cost, question))
                kept.sort(key=lambda entry: -entry[0])
                del kept[KEPT:]

    def ten_worst(self):
        """The worst of each class of threads."""
        found = {}
        for (name, _), kept in sorted(self.worst.items(), key=lambda item: item[0]):
            found.setdefault(name, []).extend(kept)
        return {name: sorted(kept, key=lambda entry: -entry[0])[:PRINTED] for name, kept in found.items()}


def run(binary, database, seconds):
    process = subprocess.Popen([binary, "serve", "--db", str(database), "--port", "0", "-q"], stdout=subprocess.PIPE, text=True)
    try:
        port = int(process.stdout.readline().strip().rsplit(":", 1)[1].strip("/"))
        search, begun = Search(process, port), time.monotonic()
        while time.monotonic() - begun < seconds and process.poll() is None:
            search.step()
        if process.poll() is not None:
            search.problems.append(f"the service ended with {process.returncode}")
    finally:
        process.terminate()
        process.wait()
    worst = search.ten_worst()
    for name, kept in worst.items():
        print(name)
        for cost, question in kept:
            print(f"  {cost * 1000:9.2f} ms  {str(question)[:300]}")
    for cost, question in worst.get(LOOPS, []):
        if cost * 1000 > LOOP_MS:
            search.problems.append(f"{cost * 1000:.1f} ms on an event loop: {question}")
    for problem in search.problems:
        print(f"FAIL  {problem}")
    statuses = ", ".join(f"{status}: {count}" for status, count in search.statuses.most_common())
    print(f"search       {search.count} requests ({statuses}), {len(search.problems)} problems, seed {SEED}")
    return 1 if search.problems else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", nargs="?", default=".build/release/geoq")
    parser.add_argument("--size", type=int, default=50_000)
    parser.add_argument("--seconds", type=float, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="geoq-search-") as folder:
        database, feed = Path(folder) / "lunch.db", Path(folder) / "feed.geojsonseq"
        subprocess.run([options.binary, "generate", "-q", "--size", str(options.size), "--seed", "1", "-o", feed], check=True)
        subprocess.run([options.binary, "import", "-q", "--db", database, feed], check=True)
        return run(options.binary, database, options.seconds)


if __name__ == "__main__":
    sys.exit(main())
