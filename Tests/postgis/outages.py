"""What a single replica loses: the network to the server, and the disk of its cache."""

import shutil
import socket
import subprocess
import threading
import time

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
