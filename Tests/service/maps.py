"""Random tiles while imports switch between two feeds: no failed request, no mixed tile, flat memory.

    python3 Tests/service/maps.py .build/release/geoq [SECONDS [RECORDS]]   default 600, 10 000

Feeds A and B name themselves in every record, as its name and its category, and are not equally long. A tile's
restaurants and clusters must have one name only, the one that its generation has; the counts of `/density` must
add up to that feed's length. A file of tiles is served next to them (`--tiles`), and must not change. Numbers
that no tile has are 404. Prints one line; exits with 1 if an answer is wrong, or memory grows by over 10%.
"""

import http.client
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import mvt
from harness import Service
from switch import private_memory

NONE = ["-1", "9223372036854775808", "1e3", "%30", "", "99999999999999999999999", "0x1", "NaN"]


def feed(name, count):
    rng = random.Random(7)
    return {"type": "FeatureCollection", "features": [
        {"type": "Feature", "id": f"p{n}", "properties": {"name": name, "category": name},
         "geometry": {"type": "Point", "coordinates": [rng.gauss(0, 3), rng.gauss(0, 3)]}}
        for n in range(count)]}


def names(tile):
    """The categories that are in a tile."""
    return {feature["category"] for features in mvt.layers(tile).values() for feature in features}


class Load:
    def __init__(self, port, lengths, basemap):
        self.port, self.lengths, self.basemap = port, lengths, basemap
        self.stop, self.answers, self.problems, self.names = False, 0, [], {}
        self.lock = threading.Lock()

    def run(self, seed):
        rng = random.Random(seed)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        while not self.stop:
            try:
                target, check = self.question(rng)
                connection.request("GET", target)
                answer = connection.getresponse()
                check(answer, answer.read(), target)
                with self.lock:
                    self.answers += 1
            except Exception as error:  # noqa: BLE001: every failure is a finding
                self.problems.append(repr(error))
                connection.close()

    def question(self, rng):
        zoom = rng.randrange(0, 17)
        middle = 2**zoom / 2
        x, y = (min(max(int(middle + rng.gauss(0, 3) / 360 * 2**zoom), 0), 2**zoom - 1) for _ in "xy")
        kind = rng.random()
        if kind < 0.1:
            return f"/basemap/{zoom}/{x}/{y}", self.check_basemap
        if kind < 0.2:
            return f"/density?zoom={rng.randrange(7)}&bbox=-180,-90,180,90", self.check_density
        if kind < 0.25:
            numbers = [str(zoom), str(x), str(y)]
            numbers[rng.randrange(3)] = rng.choice(NONE)
            folder, ending = rng.choice([("tiles", ".mvt"), ("basemap", "")])
            return f"/{folder}/{'/'.join(numbers)}{ending}", self.check_none
        query = rng.choice(["", "", "?category=A,B", "?q=a", "?filter=name%20%3D%20B", "?category=" + "e%CC%81" * 80])
        return f"/tiles/{zoom}/{x}/{y}.mvt{query}", self.check_tile

    def check_tile(self, answer, body, target):
        assert answer.status in (200, 204), (target, answer.status, body[:100])
        if answer.status == 200:
            self.note(answer.getheader("X-Geoq-Generation"), names(body), target)

    def check_density(self, answer, body, target):
        found = json.loads(body)
        assert answer.status == 200 and sum(c["count"] for c in found["cells"]) == found["count"], (target, body[:100])
        name = next((name for name, count in self.lengths.items() if count == found["count"]), "?")
        self.note(answer.getheader("X-Geoq-Generation"), {name}, target)

    def check_basemap(self, answer, body, target):
        assert answer.status in (200, 204), (target, answer.status, body[:100])
        assert self.basemap.setdefault(target, body) == body, target

    @staticmethod
    def check_none(answer, body, target):
        assert answer.status == 404, (target, answer.status, body[:100])

    def note(self, generation, found, target):
        with self.lock:
            if len(found) != 1:
                self.problems.append((generation, sorted(found), target))
            for name in found:
                if self.names.setdefault(generation, name) != name:
                    self.problems.append(("mixed", generation, name, target))


def main():
    binary = sys.argv[1]
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 600
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 10_000
    lengths = {"A": count, "B": count * 9 // 10}
    with tempfile.TemporaryDirectory() as folder:
        database, tiles = str(Path(folder) / "lunch.db"), str(Path(folder) / "map.pmtiles")
        feeds = [Path(folder) / f"{name}.json" for name in lengths]
        for path in feeds:
            path.write_text(json.dumps(feed(path.stem, lengths[path.stem])))

        def take(path):
            subprocess.run([binary, "import", "-q", "--source", "both", "--db", database, str(path)], check=True)

        take(feeds[0])
        subprocess.run([binary, "export", "-q", "--db", database, "--max-zoom", "8", "-o", tiles], check=True)
        service = Service(binary, database, "-q", "--tiles", tiles)
        load = Load(service.port, lengths, {})
        threads = [threading.Thread(target=load.run, args=(seed,), daemon=True) for seed in range(6)]
        for thread in threads:
            thread.start()
        memory, begun, rounds = [], time.monotonic(), 0
        while time.monotonic() - begun < seconds:
            time.sleep(min(3, seconds))
            rounds += 1
            take(feeds[rounds % 2])
            memory.append(private_memory(service.process.pid))
        time.sleep(1)
        load.stop = True
        for thread in threads:
            thread.join()
        ended = service.end()
    third = max(1, len(memory) // 3)
    early, late = max(memory[:third]), max(memory[-third:])
    print(f"maps         {load.answers} answers, {len(load.names)} generations seen of {rounds + 1}, "
          f"{len(load.problems)} problems, private memory {early // 1024} then {late // 1024} MB, exit {ended}")
    for problem in load.problems[:10]:
        print("  ", problem)
    sys.exit(1 if load.problems or ended != 0 or late > early * 1.1 + 20_000 else 0)


if __name__ == "__main__":
    main()
