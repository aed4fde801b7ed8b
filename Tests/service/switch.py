"""Load while an import switches between two feeds: no failed request, no mixed answer, flat memory.

    python3 Tests/service/switch.py .build/release/geoq [SECONDS [RECORDS]]   default 600, 10 000

Feeds A and B name themselves in every record; each answer must hold one name only, the one that its
generation has. All the while favorites are listed, and added by the tool and over HTTP: what was
acknowledged must be there when the service has ended. Prints one line; exits with 1 where an answer is
wrong, a favorite is lost, the last import is not served, or memory grows by over 10%.
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

from harness import TOKEN, Service


def feed(name, count):
    rng = random.Random(7)
    return {"type": "FeatureCollection", "features": [
        {"type": "Feature", "id": f"p{n}", "properties": {"name": name},
         "geometry": {"type": "Point", "coordinates": [rng.uniform(-9, 9), rng.uniform(-9, 9)]}}
        for n in range(count)]}


class Load:
    def __init__(self, port):
        self.port, self.stop = port, False
        self.answers, self.problems, self.names = 0, [], {}
        self.lock = threading.Lock()

    def ask(self, seed):
        rng = random.Random(seed)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        while not self.stop:
            lat, lon = rng.uniform(-9, 9), rng.uniform(-9, 9)
            target = f"/nearest?lat={lat:.5f}&lon={lon:.5f}&count=20" if rng.random() < 0.8 else \
                f"/bbox?bbox={lon - .5:.4f},{max(-90, lat - .5):.4f},{lon + .5:.4f},{lat + .5:.4f}"
            try:
                if rng.random() < 0.01:
                    self.ask_favorites(connection)
                connection.request("GET", target)
                answer = connection.getresponse()
                body = json.loads(answer.read())
                names = {f["properties"]["name"] for f in body["features"]}
                self.note(answer.status, answer.getheader("X-Geoq-Generation"), names)
            except Exception as error:  # noqa: BLE001: every failure is a finding
                self.problems.append(repr(error))
                connection.close()

    def ask_favorites(self, connection):
        connection.request("GET", "/favorites", headers={"Authorization": f"Bearer {TOKEN}"})
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            self.problems.append(("favorites", answer.status))

    def note(self, status, generation, names):
        with self.lock:
            self.answers += 1
            if status != 200 or len(names) > 1:
                self.problems.append((status, generation, sorted(names)))
            for name in names:
                if self.names.setdefault(generation, name) != name:
                    self.problems.append(("mixed", generation, name))


def private_memory(pid):
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith(("RssAnon", "RssShmem")))


def add_favorites(binary, database, port, number):
    """Adds one by the tool and one over HTTP, and gives those that were acknowledged."""
    subprocess.run([binary, "favorite", "add", "-q", "--db", database, f"p{number}"], check=True)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("PUT", f"/favorites/p{5_000 + number}", headers={"Authorization": f"Bearer {TOKEN}"})
    status = connection.getresponse().status
    connection.close()
    return {f"p{number}"} | ({f"p{5_000 + number}"} if status in (200, 201, 204) else set())


def main():
    binary = sys.argv[1]
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 600
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 10_000
    with tempfile.TemporaryDirectory() as folder:
        database = str(Path(folder) / "lunch.db")
        feeds = [Path(folder) / f"{name}.json" for name in ("A", "B")]
        for path in feeds:
            path.write_text(json.dumps(feed(path.stem, count)))

        def take(path):
            subprocess.run([binary, "import", "-q", "--source", "both", "--db", database, str(path)],
                           check=True)

        take(feeds[0])
        service = Service(binary, database, "-q")
        load = Load(service.port)
        threads = [threading.Thread(target=load.ask, args=(seed,), daemon=True) for seed in range(8)]
        for thread in threads:
            thread.start()
        memory, begun, round_, favorites = [], time.monotonic(), 0, set()
        while time.monotonic() - begun < seconds:
            time.sleep(min(5, seconds))
            round_ += 1
            take(feeds[round_ % 2])
            memory.append(private_memory(service.process.pid))
            favorites |= add_favorites(binary, database, load.port, round_)
        patience = time.monotonic() + 60
        while str(round_ + 1) not in load.names and time.monotonic() < patience:
            time.sleep(0.05)
        load.stop = True
        for thread in threads:
            thread.join()
        ended = service.end()
        kept = subprocess.run([binary, "favorite", "list", "-q", "--db", database, "-f", "ids"],
                              check=True, capture_output=True, text=True).stdout.split()
    if favorites - set(kept):
        load.problems.append(("lost", sorted(favorites - set(kept))))
    if str(round_ + 1) not in load.names:
        load.problems.append(("the last import was not served", sorted(load.names, key=int)[-1]))
    third = max(1, len(memory) // 3)
    early, late = max(memory[:third]), max(memory[-third:])
    print(f"switch       {load.answers} answers, {len(load.names)} generations seen of {round_ + 1}, "
          f"{len(kept)} favorites, {len(load.problems)} problems, private memory {early // 1024} then {late // 1024} MB, "
          f"exit {ended}")
    for problem in load.problems[:10]:
        print("  ", problem)
    sys.exit(1 if load.problems or ended != 0 or late > early * 1.1 + 20_000 else 0)


if __name__ == "__main__":
    main()
