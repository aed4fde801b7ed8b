#!/usr/bin/env python3
"""Checks the built tool on a store in PostgreSQL, next to the server of Tests/postgis/cluster.

    Tests/postgis/cluster Tests/postgis/check.py BINARY [--rounds N] [--size N] [--only STEP] [--seed S]

Rights, refusals, the same answers as from a file, GDAL's view of the tables, imports that are killed,
two imports at once, services as replicas (replicas.py), a cut network and a full disk (outages.py), and
standbys that take over (failover.py). Prints a line for each check; exit code 1 if one fails.
"""

import argparse
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

import failover
import outages
import replicas

SECRET = "hunter2secret"


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", type=Path)
    parser.add_argument("--rounds", type=int, default=20, help="imports that are killed")
    parser.add_argument("--faults", type=int, default=10, help="rounds of faults with replicas")
    parser.add_argument("--cut", type=int, default=5, help="seconds without a network")
    parser.add_argument("--failovers", type=int, default=2, help="primaries that are killed")
    parser.add_argument("--size", type=int, default=4000, help="restaurants")
    parser.add_argument("--only", help="one step, such as replicas")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    return parser.parse_args()


class Check:
    def __init__(self, options, folder):
        self.binary = options.binary.resolve()
        self.options = options
        self.folder = folder
        self.random = random.Random(options.seed)
        self.address = os.environ["GEOQ_POSTGRES"]
        self.bin = Path(os.environ["GEOQ_POSTGRES_BIN"])
        self.base = re.sub(r"//[^@]*@", "//", self.address).rsplit("/", 1)[0].removeprefix("postgresql://")
        self.failures = 0
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "PGPASSFILE": str(folder / "none"),
        }

    # --- helpers

    def say(self, isGood, what, detail=""):
        print(f"{'ok  ' if isGood else 'FAIL'} {what}", flush=True)
        if not isGood:
            self.failures += 1
            print(f"     {detail}", flush=True)

    def url(self, user="geoq_owner", database="geoq", schema=None, host=None):
        tail = f"?schema={quote(schema, safe='')}" if schema else ""
        return f"postgresql://{user}@{host or self.base}/{database}{tail}"

    def geoq(self, *arguments, db=None, input=None, timeout=300, **environment):
        command = [str(self.binary), *map(str, arguments)]
        if db is not None:
            command += ["--db", str(db)]
        return subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment | environment,
            input=input,
            capture_output=True,
            timeout=timeout,
        )

    def sql(self, *statements, database="geoq"):
        command = [str(self.bin / "psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"]
        for statement in statements:
            command += ["-c", statement]
        done = subprocess.run(
            [*command, self.url(database=database)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"{statements}: {done.stderr}")
        return done.stdout.strip()

    def dump(self, database="geoq"):
        """Everything in a database as text, without what differs from one dump to the next."""
        done = subprocess.run(
            [str(self.bin / "pg_dump"), self.url(database=database)], capture_output=True, check=True
        )
        lines = [line for line in done.stdout.splitlines() if not line.startswith((b"\\restrict", b"\\unrestrict"))]
        return hashlib.sha256(b"\n".join(lines)).hexdigest()

    def generate(self, name, size, seed, changed=0):
        file = self.folder / name
        self.geoq("generate", "--size", size, "--seed", seed, "--changed", changed, "-o", file, "--force")
        return file

    def refused(self, what, code, words, *arguments, db, unchanged=("geoq",), **environment):
        """A command that must fail with one sentence, and change nothing."""
        before = [self.dump(name) for name in unchanged]
        done = self.geoq(*arguments, db=db, **environment)
        text = done.stderr.decode()
        lines = [line for line in text.splitlines() if line.startswith("Error: ")]
        problems = []
        if done.returncode != code:
            problems.append(f"exit code {done.returncode}, not {code}")
        if len(lines) != 1 or (code != 64 and text.count("\n") != 1):
            problems.append("not one sentence")
        if not all(word in text for word in words):
            problems.append(f"not all of {words}")
        if SECRET in text or SECRET.encode() in done.stdout:
            problems.append("it repeats a password")
        if done.stdout:
            problems.append("something on standard output")
        if [self.dump(name) for name in unchanged] != before:
            problems.append("something has changed")
        self.say(not problems, what, f"{problems}: {text!r}")

    # --- checks

    def refusals(self):
        feed = Path("Data/restaurants.json").resolve()
        owner = self.url()
        self.refused("no store yet", 69, ["geoq init"], "nearest", "--at", "1,2", db=owner)
        self.refused("import without init", 69, ["geoq init"], "import", feed, db=owner)
        self.sql(
            f"CREATE ROLE geoq_secret LOGIN PASSWORD '{SECRET}'",
            "CREATE ROLE geoq_poor LOGIN",
            "CREATE ROLE geoq_reader LOGIN",
            "CREATE ROLE geoq_writer LOGIN",
            "CREATE DATABASE plain",
            "CREATE DATABASE narrow ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0",
        )
        self.refused("missing right to make a schema", 77, ["GRANT CREATE ON DATABASE", "geoq_poor"],
                     "init", db=self.url("geoq_poor"))
        self.refused("missing PostGIS", 69, ["CREATE EXTENSION postgis"],
                     "init", db=self.url(database="plain"), unchanged=("plain",))
        self.refused("not UTF8", 65, ["LATIN1", "UTF8"],
                     "init", db=self.url(database="narrow"), unchanged=("narrow",))
        self.refused("unknown database", 69, ["createdb"], "init", db=self.url(database="nosuch"))
        self.refused("unknown user", 77, ["refused the user"], "init", db=self.url("nosuch"))
        self.refused("nobody listens", 69, ["cannot be reached"], "init", db=self.url(host="127.0.0.1:1"))
        self.refused("no password", 77, ["PGPASSWORD", "wants a password"], "init", db=self.url("geoq_secret"))
        self.refused("wrong password", 77, ["refused the password"],
                     "init", db=self.url("geoq_secret"), PGPASSWORD="x" + SECRET)
        for place in (f"postgresql://me:{SECRET}@{self.base}/geoq", f"{self.url()}?password={SECRET}"):
            self.refused("a password in --db", 64, ["must not have a password"], "init", db=place)
            self.refused("a password in GEOQ_DB", 64, ["must not have a password"], "info", db=None, GEOQ_DB=place)
        self.sql("CREATE SCHEMA other", "CREATE TABLE other.theirs (a int)")
        self.refused("foreign schema", 65, ["another program", "?schema="], "init", db=self.url(schema="other"))
        done = self.geoq("init", db=owner)
        self.say(done.returncode == 0, "init", done.stderr)
        before = self.dump()
        done = self.geoq("init", db=owner)
        self.say(done.returncode == 0 and b"nothing was changed" in done.stderr and self.dump() == before,
                 "init again changes nothing", done.stderr)
        self.sql('UPDATE geoq.geoq_store SET "schemaVersion" = 99')
        for command in (["init"], ["info"], ["import", feed]):
            self.refused(f"newer schema: {command[0]}", 65, ["newer geoq", "update geoq"], *command, db=owner)
        self.sql('UPDATE geoq.geoq_store SET "schemaVersion" = 1')
        for command in (["compact"], ["doctor"]):
            self.refused(f"{' '.join(command[:2])}: files only", 64, ["not yet on a store in PostgreSQL"],
                         *command, db=owner)
        self.refused("serve: no password", 77, ["PGPASSWORD"], "serve", "--port", "0", db=self.url("geoq_secret"))
        self.refused("serve: wrong password", 77, ["refused the password"], "serve", "--port", "0",
                     db=self.url("geoq_secret"), PGPASSWORD="x" + SECRET)
        self.refused("serve: nobody listens, nothing cached", 69, ["cannot be reached"], "serve", "--port", "0",
                     db=self.url(host="127.0.0.1:1"))
        self.refused("init of a file", 64, ["the first import creates"], "init", db="lunch.db")
        # a container may not let root do it
        if shutil.which("unshare") and not subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode:
            self.without_library()

    def without_library(self):
        libraries = sorted({str(path.resolve()) for path in Path("/usr/lib").glob("*/libpq.so.5")})
        hidden = "; ".join(f"mount --bind /dev/null {path}" for path in libraries)
        done = subprocess.run(
            ["unshare", "-m", "sh", "-c", f'{hidden}; exec "$0" "$@"', str(self.binary), "info", "--db", self.url()],
            cwd=self.folder, env=self.environment, capture_output=True, check=False,
        )
        text = done.stderr.decode()
        self.say(done.returncode == 69 and "libpq5 on Debian" in text and text.count("\n") == 1,
                 "missing library", (done.returncode, text))
        done = subprocess.run(
            ["unshare", "-m", "sh", "-c", f'{hidden}; exec "$0" "$@"', str(self.binary), "--version"],
            cwd=self.folder, env=self.environment, capture_output=True, check=False,
        )
        self.say(done.returncode == 0, "without the library the rest works", done.stderr)

    def rights(self):
        feed = Path("Data/restaurants.json").resolve()
        document = Path("docs/scaling.md").read_text()
        for name in ("reader", "writer"):
            block = re.search(rf"```sql\n(-- {name}:.*?)```", document, re.DOTALL)
            grants = block[1].replace("lunch_reader", "geoq_reader").replace("lunch_writer", "geoq_writer")
            self.sql(re.sub(r"DATABASE lunch", "DATABASE geoq", grants))
        reader, writer = self.url("geoq_reader"), self.url("geoq_writer")
        done = self.geoq("import", feed, db=writer)
        self.say(done.returncode == 0, "a writer imports", done.stderr)
        done = self.geoq("import", feed, db=writer)
        self.say(done.returncode == 0 and b"15 unchanged" in done.stderr, "and again: nothing changes", done.stderr)
        ids = self.geoq("list", "-f", "ids", db=reader).stdout.decode().split()
        self.say(len(ids) == 15, "a reader asks", ids)
        done = self.geoq("favorite", "add", ids[0], db=writer)
        self.say(done.returncode == 0, "a writer adds favorites", done.stderr)
        for command in (["info"], ["verify"], ["favorite", "list"], ["offers"], ["source", "list"]):
            done = self.geoq(*command, db=reader)
            self.say(done.returncode == 0, f"a reader asks {' '.join(command)}", done.stderr + done.stdout)
        self.refused("a reader does not import", 77, ["too few rights"], "import", feed,
                     "--source", "other", "--allow-duplicates", db=reader)
        self.refused("a reader adds no favorites", 77, ["too few rights"], "favorite", "add", ids[1], db=reader)
        self.refused("without rights nothing is read", 77, ["too few rights"], "list", db=self.url("geoq_poor"))

    def answers(self):
        size = self.options.size
        one = self.generate("one.geojsonseq", size, 1)
        two = self.generate("two.geojsonseq", size, 1, changed=3)
        places = [self.folder / "lunch.db", self.url(schema="answers")]
        self.geoq("init", db=places[1])
        points = "".join(
            f"{self.random.uniform(-90, 90)},{self.random.uniform(-180, 180)}\n" for _ in range(1000)
        ).encode()
        for round, feed in enumerate((one, two, two)):
            reports = [
                self.geoq("import", feed, "--source", "made", "--json", db=place).stdout for place in places
            ]
            reports = [{k: v for k, v in json.loads(text).items() if k != "database"} for text in reports]
            self.say(reports[0] == reports[1], f"import {round}: the same report", reports)
            # a first import makes it anew
            index = self.sql("SELECT indisvalid FROM pg_index WHERE indexrelid = 'answers.restaurants_geom'::regclass")
            self.say(index.strip() == "t", f"import {round}: there is a spatial index", index)
        different = 0
        commands = [
            (["nearest", "--at", "-", "-k", "5", "-f", "jsonl"], points),
            (["radius", "--at", "-", "-r", "300km", "-f", "jsonl"], points[: len(points) // 10 * 2].rsplit(b"\n", 1)[0]),
            (["list", "-f", "csv"], None),
            (["export", "-f", "geojson", "-o", "-"], None),
            (["search", "thai", "--json"], None),
            (["bbox", "--bbox", "170,-60,-170,60", "--json"], None),
            (["list", "--facets", "category", "--json"], None),
            (["heatmap", "-o", "-"], None),
        ]
        for command, text in commands:
            answers = [self.geoq(*command, db=place, input=text) for place in places]
            isSame = answers[0].stdout == answers[1].stdout and answers[0].returncode == 0
            different += not isSame
            self.say(isSame and len(answers[0].stdout) > 100, f"the same answer: {' '.join(command)}",
                     [a.stderr[:200] for a in answers])
        verdict = self.geoq("verify", db=places[1])
        self.say(verdict.returncode == 0, "verify", verdict.stdout + verdict.stderr)
        self.gdal(size)

    def gdal(self, size):
        host, port = self.base.split(":")
        source = f"PG:host={host} port={port} user=geoq_owner dbname=geoq"
        count = json.loads(self.geoq("list", "-f", "json", "--limit", "1", db=self.url(schema="answers")).stdout)
        total = int(self.geoq("list", "-f", "count", db=self.url(schema="answers")).stdout)
        done = subprocess.run(["ogrinfo", "-ro", "-so", source, "answers.restaurants"],
                              capture_output=True, text=True, check=False)
        wanted = {"id", "name", "category", "postalCode", "formattedAddress", "priceLevel", "rating", "extra"}
        columns = set(re.findall(r"^(\w+): ", done.stdout, re.MULTILINE))
        self.say(f"Feature Count: {total}" in done.stdout and wanted <= columns and "Geometry: Point" in done.stdout,
                 f"ogrinfo lists {total} restaurants with their keys", done.stdout[-800:] + done.stderr)
        index = self.sql(
            "SET enable_seqscan = off; EXPLAIN SELECT pk FROM answers.restaurants "
            "WHERE geom && public.ST_MakeEnvelope(1, 2, 3, 4, 4326)"
        )
        self.say("restaurants_geom" in index, "the GiST index is used", index)
        self.say(len(count["items"]) == 1, "keys in JSON", count)

    def kills(self):
        """Imports of two feeds in turn, killed at random: afterwards the store has one of them, whole."""
        url = self.url(schema="kills")
        self.geoq("init", db=url)
        feeds = [self.generate(f"kill{n}.geojsonseq", self.options.size, 1, changed=n * 40) for n in range(2)]
        contents = []
        seconds = 0
        for feed in feeds:
            start = time.monotonic()
            self.geoq("import", feed, "--source", "made", db=url)
            seconds = max(seconds, time.monotonic() - start)
            contents.append(self.geoq("export", "-f", "geojson", "-o", "-", db=url).stdout)
        self.say(contents[0] != contents[1], "the two feeds differ")
        last, undone, done, bad = 1, 0, 0, []
        for number in range(self.options.rounds):
            feed = 1 - last
            process = subprocess.Popen(
                [str(self.binary), "import", str(feeds[feed]), "--source", "made", "--db", url],
                env=self.environment, cwd=self.folder, stderr=subprocess.DEVNULL,
            )
            time.sleep(self.random.uniform(0, seconds * 1.1))
            process.kill()
            code = process.wait()
            export = self.geoq("export", "-f", "geojson", "-o", "-", db=url)
            found = [n for n, text in enumerate(contents) if text == export.stdout]
            if len(found) != 1 or (code == 0 and found[0] != feed):
                bad.append((number, code, found, export.stderr[-200:]))
                continue
            undone += found[0] == last
            done += found[0] != last
            last = found[0]
        verdict = self.geoq("verify", db=url)
        self.say(not bad and verdict.returncode == 0,
                 f"{self.options.rounds} imports killed: {undone} undone, {done} done, none half", (bad, verdict.stdout))
        self.say(undone > 0, "control: some were killed in time")

    def together(self):
        """Two imports at once of two sources, from two processes."""
        url = self.url(schema="together")
        self.geoq("init", db=url)
        feeds = [self.generate(f"together{n}.geojsonseq", self.options.size, 10 + n) for n in range(2)]
        processes = [
            subprocess.Popen(
                [str(self.binary), "import", str(feed), "--source", f"source{n}", "--db", url],
                env=self.environment, cwd=self.folder, stderr=subprocess.PIPE,
            )
            for n, feed in enumerate(feeds)
        ]
        texts = [process.communicate()[1] for process in processes]
        codes = sorted(process.returncode for process in processes)
        count = int(self.geoq("list", "-f", "count", db=url).stdout or 0)
        done = codes.count(0)
        self.say(codes in ([0, 0], [0, 75]) and count == done * self.options.size,
                 f"two imports at once: {done} done, {count} restaurants", (codes, texts))
        self.say(self.geoq("verify", db=url).returncode == 0, "and nothing is mixed")

    def replicas(self):
        replicas.run(self)

    def outages(self):
        outages.run(self)

    def failover(self):
        failover.run(self)


def main():
    options = parse()
    print(f"seed {options.seed}")
    with tempfile.TemporaryDirectory() as folder:
        check = Check(options, Path(folder))
        for step in (check.refusals, check.rights, check.answers, check.kills, check.together,
                     check.replicas, check.outages, check.failover):
            if options.only not in (None, step.__name__):
                continue
            start = time.monotonic()
            step()
            print(f"     {step.__name__}: {time.monotonic() - start:.1f} s", flush=True)
    print(f"{check.failures} failed")
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
