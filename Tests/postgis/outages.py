"""What a single replica loses: the network to the server, the disk of its cache, and a table that is locked."""

import json
import shutil
import socket
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from replicas import Clients, Replica, feed, until


class Proxy:
    """Passes bytes on to a server, until the network between them is cut: then they go nowhere."""

    def __init__(self, target):
        host, port = target.split(":")
        self.target = (host, int(port))
        self.isOpen = threading.Event()
        self.isOpen.set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            server = socket.create_connection(self.target)
            for one, other in ((client, server), (server, client)):
                threading.Thread(target=self.copy, args=(one, other), daemon=True).start()

    def copy(self, one, other):
        try:
            while data := one.recv(1 << 16):
                # what was on its way arrives when the network is back
                self.isOpen.wait()
                other.sendall(data)
        except OSError:
            pass
        for end in (one, other):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def end(self):
        self.isOpen.set()
        self.listener.close()


def run(check):
    url = check.url(schema="outages")
    check.geoq("init", db=url)
    colors = {color: feed(check, color, 500) for color in ("red", "blue")}
    load = lambda color: check.geoq("import", colors[color], "--source", "made", db=url)
    load("red")
    network(check, url, load)
    disk(check, url, load)
    locks(check, url)


def network(check, url, load):
    proxy = Proxy(check.base)
    replica = Replica(check, "cut", check.url(schema="outages", host=proxy.address))
    clients = Clients([replica])
    try:
        first = replica.generation()
        check.say(replica.ask("/favorites/r1", "PUT")[0] in (201, 204), "favorites are written through a proxy")
        proxy.isOpen.clear()
        end = time.monotonic() + check.options.cut
        start = time.monotonic()
        status, headers, body = replica.ask("/favorites/r2", "PUT")
        check.say(status == 503 and headers["Retry-After"],
                  f"without the network they are refused, after {time.monotonic() - start:.1f} s", (status, body))
        load("blue")
        check.say(until(lambda: replica.staleness() is not None), "answers say that they may be old")
        check.say(replica.generation() == first, "the old generation is served")
        time.sleep(max(0, end - time.monotonic()))
        proxy.isOpen.set()
        start = time.monotonic()
        check.say(until(lambda: replica.generation() == first + 1 and replica.staleness() is None),
                  f"the import is served {time.monotonic() - start:.1f} s after the network is back")
        check.say(until(lambda: replica.ask("/favorites/r2", "PUT")[0] in (201, 204)), "favorites are written again")
    finally:
        clients.end()
        replica.end()
        proxy.end()
    check.say(not clients.problems, f"{clients.answers} queries: none failed, none mixed", clients.problems[:5])


def disk(check, url, load):
    """A replica whose cache and temporary files are on a disk that the next snapshot does not fit on."""
    # a container may not let root mount
    if not shutil.which("unshare") or subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode:
        return
    folder = check.folder / "small"
    folder.mkdir()
    replica = Replica(check, "full", url, cache=folder, small=True)
    try:
        first = replica.generation()
        large = check.generate("large.geojsonseq", 30_000, 3)
        check.geoq("import", large, "--source", "large", db=url)
        check.say(until(lambda: replica.staleness() is not None) and replica.generation() == first,
                  "a replica whose disk is full serves the old generation, and says so")
        check.say(until(lambda: "lastImportError" in replica.ask("/healthz")[2].decode()), "and that it has failed",
                  replica.ask("/healthz"))
        check.say(replica.ask("/nearest?lat=1&lon=2")[0] == 200 and replica.ask("/favorites/r3", "PUT")[0] in (201, 204),
                  "it answers, and writes favorites")
        log = check.folder / "full.log"
        # the line may come a little after the answer of /healthz
        check.say(until(lambda: "No space left" in log.read_text()), "its log has the reason", log.read_text()[-500:])
        check.geoq("source", "remove", "large", db=url)
        check.say(until(lambda: replica.generation() == first + 2 and replica.staleness() is None),
                  "what fits is served again", replica.ask("/healthz"))
    finally:
        replica.end()


# seconds; without limits of its own a statement waits for a lock as long as another session holds it
PROMPT = 8


class Lock:
    """A session that has locked a table."""

    def __init__(self, check, table):
        sql = f"BEGIN; LOCK TABLE outages.\"{table}\" IN ACCESS EXCLUSIVE MODE; SELECT 'locked'"
        self.session = subprocess.Popen([str(check.bin / "psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", check.url()],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.session.stdin.write(sql + ";\n")
        self.session.stdin.flush()
        assert self.session.stdout.readline() == "locked\n"

    def end(self):
        self.session.stdin.close()
        self.session.wait()
        self.session.stdout.close()


def timed(work):
    start = time.monotonic()
    try:
        return work(), time.monotonic() - start
    except (OSError, subprocess.TimeoutExpired) as error:
        return error, time.monotonic() - start


def locks(check, url):
    """Each table of the store, locked by another session: commands and requests answer, or say why not."""
    tables = check.sql("SELECT tablename FROM pg_tables WHERE schemaname = 'outages' ORDER BY 1").split()
    check.say({"geoq_store", "geoq_favorites", "restaurants", "offers"} <= set(tables), f"{len(tables)} tables", tables)
    more = feed(check, "green", 400)
    commands = [["nearest", "--at", "1,2"], ["info"], ["favorite", "list"], ["favorite", "add", "r5"], ["offers"],
                ["source", "list"], ["export", "-f", "geojson"], ["import", str(more), "--source", "more"]]
    requests = [("/app/", "GET"), ("/app/favorites", "GET"), ("/favorites", "GET"), ("/favorites/r6", "PUT"),
                ("/favorites/r6", "DELETE"), ("/nearest?lat=1&lon=2&mark=favorite", "GET"), ("/healthz", "GET"),
                ("/nearest?lat=1&lon=2", "GET"), ("/offers", "GET")]
    for table in tables:
        # no favorites have been read before
        replica = Replica(check, f"locked-{table}", url)
        lock = Lock(check, table)
        try:
            with ThreadPoolExecutor(4) as pool:
                asked = list(pool.map(lambda one: timed(lambda: replica.ask(*one)), requests))
                ran = list(pool.map(lambda one: timed(lambda: check.geoq(*one, db=url, timeout=20)), commands))
            page, last = asked[0][0], timed(lambda: replica.ask("/app/"))
        finally:
            lock.end()
            replica.end()
        wrong = [(one, answer if isinstance(answer, OSError) else answer[::2], round(seconds, 1))
                 for one, (answer, seconds) in zip(requests, asked) if isinstance(answer, OSError) or seconds > PROMPT
                 or not (answer[0] in (200, 201, 204) or answer[0] == 503 and (
                     "try again" in answer[2].decode() if one[0].startswith("/app") else json.loads(answer[2])["detail"]))]
        for one, (done, seconds) in zip(commands, ran):
            isRight = seconds <= PROMPT and not isinstance(done, Exception) and (
                not done.returncode or b"has locked a table" in done.stderr)
            if not isRight:
                wrong.append((one, getattr(done, "stderr", done), round(seconds, 1)))
        slowest = max(seconds for _, seconds in asked + ran)
        check.say(not wrong, f"{table} is locked: all answer within {slowest:.1f} s", wrong)
        if table in ("geoq_favorites", "geoq_store", "restaurants"):
            (status, _, body), _ = last
            text = body.decode()
            check.say(page[0] == status == 200 and "Favorites are not available now" in text and 'class="heart"' not in text
                      and 'class="card' in text, "  the page has its list, without hearts", text[:500])
    check.say(check.geoq("verify", db=url).returncode == 0, "the store is sound afterwards", check.geoq("verify", db=url))
