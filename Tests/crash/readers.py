"""Eight processes that ask, over and over, and one that imports: each answer belongs to one generation."""

import json
import random
import threading
import time

from store import Finding

MARKS = ("Amber", "Beryl")
SIZE = 3000


def feed(folder, mark):
    """A feed whose every record bears the mark, some of them under an id of its own."""
    rng, path = random.Random(7), folder / f"{mark}.geojsonseq"
    with path.open("w", encoding="utf-8") as file:
        for number in range(SIZE):
            name = f"{mark}{number}" if number % 3 == 0 else f"p{number}"
            json.dump({"type": "Feature", "id": name,
                       "properties": {"name": f"{mark} Kitchen", "city": mark, "category": "Thai"},
                       "geometry": {"type": "Point",
                                    "coordinates": [rng.uniform(-9, 9), rng.uniform(-9, 9)]}}, file)
            file.write("\n")
    return path


class Readers:
    def __init__(self, tool, database, seconds):
        self.tool, self.database = tool, database
        self.end = time.monotonic() + seconds
        self.lock = threading.Lock()
        self.answers, self.imports, self.problems, self.seen = 0, 0, [], set()

    def question(self, rng):
        """A command, and how many records it must find, or nothing if that is not known."""
        lat, lon = f"{rng.uniform(-9, 9):.4f}", f"{rng.uniform(-9, 9):.4f}"
        return rng.choice([
            (["nearest", f"--at={lat},{lon}", "-k", "50"], 50),
            (["nearest", f"--at={lat},{lon}", "-k", "20", "--category", "Thai"], 20),
            (["radius", f"--at={lat},{lon}", "-r", "400km"], None),
            (["bbox", "--bbox=-3,-3,3,3"], None),
            (["search", "kitchen"], SIZE),
            (["list", "--where", "category = Thai", "--sort", "name"], SIZE),
            (["export"], SIZE),
        ])

    def ask(self, seed):
        rng = random.Random(seed)
        while time.monotonic() < self.end and not self.problems:
            words, expected = self.question(rng)
            shape = "geojsonseq" if words[0] == "export" else "jsonl"
            try:
                done = self.tool.run(self.database, *words, "-f", shape)
                self.judge(words, expected, done)
            except Exception as problem:  # noqa: BLE001: every failure is a finding
                self.problems.append(f"{' '.join(words)}: {problem!r}")

    def judge(self, words, expected, done):
        if done.returncode != 0 or done.stderr:
            raise Finding(f"status {done.returncode}, {done.stderr.decode(errors='replace').strip()}")
        records = [json.loads(line) for line in done.stdout.replace(b"\x1e", b"").splitlines()]
        names = {record.get("properties", record)["name"].split()[0] for record in records}
        if len(names) > 1 or expected not in (None, len(records)):
            raise Finding(f"{len(records)} records of {sorted(names)}")
        with self.lock:
            self.answers += 1
            self.seen |= names

    def take(self, feeds):
        while time.monotonic() < self.end and not self.problems:
            self.imports += 1
            done = self.tool.run(self.database, "import", feeds[self.imports % 2], "--source", "feed",
                                 "-q")
            if done.returncode != 0:
                self.problems.append(f"import: status {done.returncode}, {done.stderr.decode()}")


def run(tool, folder, options):
    database, both = folder / "lunch.db", [feed(folder, mark) for mark in MARKS]
    tool.must(database, "import", both[0], "--source", "feed")
    readers = Readers(tool, database, options.seconds)
    threads = [threading.Thread(target=readers.ask, args=(options.seed * 100 + n,)) for n in range(8)]
    threads.append(threading.Thread(target=readers.take, args=(both,)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if readers.problems:
        raise Finding(f"{len(readers.problems)} problems after {readers.answers} answers:\n    "
                      + "\n    ".join(readers.problems[:10]))
    if readers.imports > 2 and readers.seen != set(MARKS):
        raise Finding(f"the readers have seen {sorted(readers.seen)} only")
    tool.must(database, "verify")
    yield (f"8 readers, {options.seconds:.0f} s: {readers.answers} answers, {readers.imports} imports, "
           f"no error, no mixed answer")
