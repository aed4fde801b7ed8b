"""Services as replicas: what they answer while PostgreSQL is there, away and back."""

import contextlib
import http.client
import json
import os
import shutil
import signal
import subprocess
import threading
import time

TOKEN = "correct-horse-battery"
# what is waited for comes within seconds; a minute only ends a test that has failed
PATIENCE = 60


class Replica:
    """A service on a free port, with its own cache."""

    def __init__(self, check, name, url, *options, cache=None, small=False):
        self.cache = cache or check.folder / f"cache-{name}"
        self.log = open(check.folder / f"{name}.log", "ab")
        token = check.folder / "token"
        token.write_text(TOKEN + "\n")
        token.chmod(0o600)
        command = [str(check.binary), "serve", "--port", "0", "--db", url, "--cache", str(self.cache),
                   "--token-file", str(token), *options]
        environment = check.environment
        if small:
            # a disk of its own, for temporary files as well
            mount = 'mount -t tmpfs -o size=4m tmpfs "$0"; exec "$@"'
            command = ["unshare", "-m", "sh", "-c", mount, str(self.cache), *command]
            environment = environment | {"TMPDIR": str(self.cache)}
        self.process = subprocess.Popen(
            command, cwd=check.folder, env=environment, stdout=subprocess.PIPE, stderr=self.log,
        )
        line = self.process.stdout.readline().decode()
        self.port = int(line.rsplit(":", 1)[1]) if line else None

    def ask(self, target, method="GET"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, target, headers={"Authorization": f"Bearer {TOKEN}"})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def generation(self):
        return int(self.ask("/healthz")[1]["X-Geoq-Generation"])

    def staleness(self):
        return self.ask("/healthz")[1]["X-Geoq-Staleness"]

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(30)
        self.process.stdout.close()
        self.log.close()
        return code


class Server:
    """The cluster, which is stopped and started."""

    def __init__(self, check):
        self.program = str(check.bin / "pg_ctl")
        self.data = os.environ["GEOQ_POSTGRES_DATA"]

    def control(self, *words):
        command = [self.program, "-D", self.data, "-w", *words]
        if os.geteuid() == 0:
            command = ["runuser", "-u", "postgres", "--", *command]
        subprocess.run(command, cwd="/", check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def stop(self, mode="fast"):
        self.control("-m", mode, "stop")

    def start(self):
        self.control("-l", os.path.join(os.path.dirname(self.data), "server.log"), "start")


def until(condition):
    """Whether something comes true."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def feed(check, color, count):
    """A feed whose every record says which feed it is from."""
    path = check.folder / f"{color}.geojsonseq"
    lines = [
        json.dumps({"type": "Feature", "id": f"r{n}", "geometry": {"type": "Point", "coordinates": [n % 360 - 180, n % 179 - 89]},
                    "properties": {"name": f"Restaurant {n}", "category": color}})
        for n in range(count)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def run(check):
    server = Server(check)
    url = check.url(schema="served")
    check.geoq("init", db=url)
    count = min(check.options.size, 2000)
    colors = {color: feed(check, color, count) for color in ("red", "blue")}
    load = lambda color: check.geoq("import", colors[color], "--source", "made", db=url)
    load("red")
    replica = Replica(check, "one", url)
    try:
        life(check, server, url, replica, load)
        clocks(check, server, url, replica)
        faults(check, server, url, replica, load)
    finally:
        code = replica.end()
    check.say(code == 0, "a replica ends with its signal", code)


def life(check, server, url, replica, load):
    check.say(replica.ask("/readyz")[0] == 200 and replica.generation() == 1, "a replica serves the store")
    load("blue")
    check.say(until(lambda: replica.generation() == 2), "an import by another process is served", replica.generation())
    check.sql("UPDATE served.restaurants SET name = 'Lost', generation = 3 WHERE id = 'r7'",
              "UPDATE served.geoq_store SET generation = 3, edition = edition + 1")
    check.say(until(lambda: replica.generation() == 3) and b"Lost" in replica.ask("/collections/restaurants/items/r7")[2],
              "a change without a notice is found", replica.generation())
    offers = check.folder / "offers.json"
    wings = {"id": 101, "name": "Ten wings", "terms": "Made up.", "amount": 4, "categories": [], "restaurants": ["r1"],
             "retailers": [], "expiration": "Dec 31, 2099 11:59:59 PM"}
    offers.write_text(json.dumps({"offers": [wings]}))
    imported = check.geoq("import", offers, "--source", "offers", db=url)
    check.say(imported.returncode == 0 and until(lambda: b"Ten wings" in replica.ask("/offers")[2]),
              "offers are served", imported.stderr)
    check.say(replica.ask("/favorites/r1", "PUT")[0] == 201 and replica.ask("/favorites/nobody", "PUT")[0] == 404,
              "favorites are written")
    kept = check.geoq("favorite", "list", "-f", "ids", db=url).stdout
    check.say(kept == b"r1\n", "and are in PostgreSQL", kept)
    check.say(b"r1" in replica.ask("/favorites")[2], "favorites are read")

    server.stop()
    check.say(until(lambda: replica.staleness() is not None), "a server that is away is noticed")
    status, headers, _ = replica.ask("/favorites/r2", "PUT")
    check.say(status == 503 and headers["Retry-After"], "favorites are refused meanwhile", (status, headers))
    status, headers, body = replica.ask("/nearest?lat=1&lon=2")
    check.say(status == 200 and int(headers["X-Geoq-Staleness"]) >= 0 and len(json.loads(body)["features"]) > 0,
              "queries are answered, and say how old the data is", (status, headers))
    status, _, body = replica.ask("/readyz")
    check.say(status == 200 and "staleSeconds" in json.loads(body), "the replica stays ready", body)
    check.say(b"r1" in replica.ask("/favorites")[2], "favorites are those that were read last")
    # this one has the same cache, and never reaches the server
    second = Replica(check, "one", url, "--max-staleness", "1")
    try:
        check.say(second.generation() == 3 and second.ask("/nearest?lat=1&lon=2")[0] == 200,
                  "a replica starts from its cache without a server")
        check.say(second.ask("/offers")[0] == 503, "which knows no offers, and says so")
        check.say(until(lambda: second.ask("/readyz")[0] == 503) and second.ask("/nearest?lat=1&lon=2")[0] == 200,
                  "--max-staleness makes it unready, and it still answers")
        nothing = check.geoq("serve", "--port", "0", "--cache", check.folder / "empty", db=url, timeout=60)
        check.say(nothing.returncode == 69 and nothing.stderr.count(b"\n") == 1,
                  "control: without a cache it does not start", nothing.stderr)
        server.start()
        both = (replica, second)
        check.say(all(until(lambda r=r: r.staleness() is None) for r in both), "both notice that the server is back")
        check.say(until(lambda: second.ask("/readyz")[0] == 200), "and are ready")
        check.say(until(lambda: replica.ask("/favorites/r2", "PUT")[0] in (201, 204)), "favorites are written again")
        check.say(until(lambda: b"Ten wings" in second.ask("/offers")[2]), "offers are served again")
        load("red")
        check.say(all(until(lambda r=r: r.generation() == 4) for r in both), "both serve the next import",
                  [r.generation() for r in both])
    finally:
        second.end()
    verdict = check.geoq("verify", "--cache", replica.cache, db=url)
    check.say(b"not as it was imported" not in verdict.stdout, "verify", verdict.stdout)


def clocks(check, server, url, replica):
    """An import by a machine that is days ahead, and caches whose times are not now."""
    ahead = ["faketime", "-f", "+3d"]
    there = float(subprocess.run([*ahead, "date", "+%s"], check=True, capture_output=True).stdout)
    check.say(abs(there - time.time() - 3 * 86_400) < PATIENCE, "control: a clock three days ahead", there)
    last = replica.generation()
    done = subprocess.run([*ahead, str(check.binary), "import", str(check.folder / "blue.geojsonseq"), "--source", "made",
                           "--db", url], env=check.environment, cwd=check.folder, capture_output=True)
    check.say(done.returncode == 0 and until(lambda: replica.generation() == last + 1),
              "replicas serve its import", done.stderr)
    server.stop()
    try:
        for hours, least in [(1, 0), (-1, 3600)]:
            cache = check.folder / f"cache{hours}"
            cache.mkdir()
            for file in replica.cache.iterdir():
                # its owner may remove an older snapshot meanwhile
                with contextlib.suppress(FileNotFoundError):
                    shutil.copyfile(file, cache / file.name)
                    os.utime(cache / file.name, (time.time() + hours * 3600,) * 2)
            other = Replica(check, f"clock{hours}", url, cache=cache)
            try:
                check.say(until(lambda: other.staleness() is not None)
                          and least <= int(other.staleness()) <= least + PATIENCE
                          and other.ask("/nearest?lat=1&lon=2")[0] == 200,
                          f"a cache {abs(hours)} hour {'ahead' if hours > 0 else 'old'} is served, and its age is right",
                          other.staleness())
            finally:
                other.end()
    finally:
        server.start()
    check.say(until(lambda: replica.staleness() is None), "the server is back")


class Clients:
    """Threads that ask replicas all the time."""

    def __init__(self, replicas):
        self.replicas = replicas
        self.problems = []
        self.answers = 0
        self.seen = set()
        self.isDone = False
        self.threads = [threading.Thread(target=self.run, args=(replica,)) for replica in replicas]
        for thread in self.threads:
            thread.start()

    def run(self, replica):
        while not self.isDone:
            try:
                status, headers, body = replica.ask("/collections/restaurants/items?limit=500")
                found = {f["properties"]["category"] for f in json.loads(body)["features"]}
                if status != 200 or len(found) != 1:
                    self.problems.append((status, found))
                self.seen.add(headers["X-Geoq-Generation"])
                self.answers += 1
            except Exception as error:  # noqa: BLE001: every failure counts
                self.problems.append(repr(error))
            time.sleep(0.02)

    def end(self):
        self.isDone = True
        for thread in self.threads:
            thread.join()


def faults(check, server, url, replica, load):
    """Servers that stop, connections that are cut, imports that are killed, next to queries and favorites."""
    other = Replica(check, "two", url)
    replicas = [replica, other]
    clients = Clients(replicas)
    wanted, refused, acknowledged = {}, 0, 0
    kinds = ["stop", "crash", "cut", "kill", "import"]
    try:
        for number in range(check.options.faults):
            if number % len(kinds) == 0:
                check.random.shuffle(kinds)
            fault = kinds[number % len(kinds)]
            if fault in ("stop", "crash"):
                server.stop({"stop": "fast", "crash": "immediate"}[fault])
            elif fault == "cut":
                check.sql("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                          "WHERE application_name LIKE 'geoq serve%'")
            else:
                now = check.sql("SELECT category FROM served.restaurants LIMIT 1")
                color = "red" if now == "blue" else "blue"
                arguments = ["import", str(check.folder / f"{color}.geojsonseq"), "--source", "made", "--db", url]
                process = subprocess.Popen([str(check.binary), *arguments], env=check.environment, cwd=check.folder,
                                           stderr=subprocess.PIPE)
                if fault == "kill":
                    time.sleep(check.random.uniform(0, 1))
                    process.kill()
                said = process.communicate()[1]
                if process.returncode not in (0, -9):
                    clients.problems.append(("import", process.returncode, said))
            for _ in range(5):
                name = f"r{check.random.randrange(50)}"
                method = check.random.choice(["PUT", "DELETE"])
                status, headers, _ = check.random.choice(replicas).ask(f"/favorites/{name}", method)
                if status in (201, 204):
                    wanted[name] = method == "PUT"
                    acknowledged += 1
                elif status == 503 and headers["Retry-After"]:
                    refused += 1
                    # it may be done or not
                    wanted.pop(name, None)
                else:
                    clients.problems.append((method, name, status))
            if fault in ("stop", "crash"):
                server.start()
        # writes are refused until a replica asks the server again
        check.say(all(until(lambda r=r: r.ask("/favorites/r60", "PUT")[0] in (201, 204)) for r in replicas),
                  "favorites are written after all faults")
        last = int(check.sql("SELECT generation FROM served.geoq_store"))
        check.say(all(until(lambda r=r: r.generation() == last) for r in replicas), "replicas agree with the store",
                  (last, [r.generation() for r in replicas]))
    finally:
        clients.end()
        other.end()
    kept = set(check.geoq("favorite", "list", "-f", "ids", db=url).stdout.decode().split())
    lost = [name for name, isKept in wanted.items() if (name in kept) != isKept]
    check.say(not lost, f"{check.options.faults} rounds of faults: {acknowledged} writes acknowledged, none lost", lost)
    check.say(not clients.problems, f"{clients.answers} queries: none failed, none mixed", clients.problems[:5])
    check.say(refused > 0 and len(clients.seen) > 1, f"control: {refused} writes were refused, "
              f"{len(clients.seen)} generations seen")
