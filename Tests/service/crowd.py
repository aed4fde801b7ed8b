"""What the floods and the attack share: a running service, nginx in front of it, crowds of clients that
misbehave, and good clients whose waiting is measured.

Each crowd and each prober is a process of its own. Crowds bind to loopback addresses other than that
of the good clients (127.0.0.1) and run at a lower priority: on two cores, clients that compete with the
service for the processor would be measured instead of the service.
"""

import heapq
import json
import multiprocessing
import os
import pty
import random
import re
import resource
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from harness import end, held_port, wait_for

NICE = 10
# the largest answers
ALL = "/bbox?bbox=-180,-90,180,90&limit=10000"
ALL_HTML = "/collections/restaurants/items?limit=10000&f=html"
MIX = ["/nearest?lat=48.2&lon=16.37", "/collections/restaurants/items?limit=10", "/api", "/metrics", "/healthz",
       "/collections/restaurants/items?q=pizza&limit=5"]
# answered by nginx itself
OWN = "/answered-by-the-proxy"


def peers(count, first=2):
    """Loopback addresses, 127.0.0.2 and those that follow."""
    return [f"127.0.{n // 250}.{n % 250 + 1}" for n in range(first - 1, first - 1 + count)]


def raise_descriptor_limit():
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)


# -- the service ------------------------------------------------------------------------------------


def make_database(binary, folder, count=50_000, favorites=0):
    """A database of made-up restaurants, some of them favorites. Returns its path and some ids."""
    feed, database = folder / "feed.geojsonseq", folder / "lunch.db"
    made = subprocess.run([binary, "generate", "-q", "--size", str(count), "--seed", "1"], check=True, capture_output=True).stdout
    # longer records, so that sixteen of the largest answers are more than the 64 MiB that may be unsent
    feed.write_bytes(made.replace(b'"properties":{', b'"properties":{"description":"' + b"Good food. " * 20 + b'",'))
    subprocess.run([binary, "import", "-q", "--db", str(database), str(feed)], check=True)
    ids = [json.loads(line.strip(b"\x1e"))["id"] for line in made.split(b"\n")[:max(400, favorites)]]
    if favorites:
        subprocess.run([binary, "favorite", "add", "-q", "--db", str(database), *ids[:favorites]],
                       check=True, stdout=subprocess.DEVNULL)
    return database, ids


class Service:
    """A running `geoq serve`; its standard output is a terminal if it is to show its token."""

    def __init__(self, binary, database, *arguments, token_file=None, shows_token=False, descriptors=None, port=0,
                 quiet=True):
        command = [binary, "serve", "--db", str(database), "--port", str(port), *arguments, *(["-q"] if quiet else [])]
        if token_file:
            command += ["--token-file", str(token_file)]

        def limit():
            if descriptors:
                resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

        terminal = pty.openpty() if shows_token else None
        self.process = subprocess.Popen(
            command, stdout=terminal[1] if terminal else subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=limit)
        if terminal:
            os.close(terminal[1])
        output = os.fdopen(terminal[0], "rb") if terminal else self.process.stdout
        self.output = output  # kept open: the service may go on writing
        address = re.fullmatch(r"http://[^:]+:(\d+)(?:/app/\?token=(\S+))?/?", output.readline().decode().strip())
        self.port, self.pid = int(address[1]), self.process.pid
        self.token = token_file.read_text().strip() if token_file else address[2]

    def memory(self):
        """Resident megabytes without the pages of mapped files."""
        found = re.search(r"RssAnon:\s+(\d+)", Path(f"/proc/{self.pid}/status").read_text())
        return int(found[1]) / 1024 if found else 0.0

    def processor_seconds(self):
        fields = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self, seconds=20):
        """Ends it, by force if it must be. Returns the seconds it took and its exit status, None if by force."""
        begun = time.monotonic()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            status = None
        return time.monotonic() - begun, status


class Proxy:
    """nginx with a bare proxy_pass in front of a service, and with an answer of its own for comparison."""

    def __init__(self, upstream):
        # nginx keeps bodies and answers in files: in memory, so that the disk is not measured
        self.folder = tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
        folder, (self.held, self.port) = self.folder.name, held_port()
        program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
        assert program, "nginx is missing: run Scripts/setup tests"
        temporary = " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
        file = Path(folder) / "nginx.conf"
        file.write_text(f"""
            {"user root;" if os.getuid() == 0 else ""}
            worker_processes 2; worker_rlimit_nofile 16384; pid {folder}/pid;
            events {{ worker_connections 8192; }}
            http {{
              access_log off; {temporary}
              server {{
                listen 127.0.0.1:{self.port} backlog=4096 reuseport;
                location / {{ proxy_pass http://127.0.0.1:{upstream}; }}
                location = {OWN} {{ return 200; }}
              }}
            }}
        """)
        self.process = subprocess.Popen([program, "-p", folder, "-c", str(file), "-e", f"{folder}/errors", "-g", "daemon off;"])
        wait_for(self.port)

    def end(self):
        end(self.process)
        self.held.close()
        self.folder.cleanup()


class Watch:
    """The most memory that a service takes while this lasts."""

    def __init__(self, service):
        self.service, self.peak, self.stop = service, service.memory(), threading.Event()
        self.thread = threading.Thread(target=self.look, daemon=True)

    def look(self):
        while not self.stop.wait(0.05):
            try:
                self.peak = max(self.peak, self.service.memory())
            except OSError:  # it has ended
                return

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()


# -- clients that behave ----------------------------------------------------------------------------


def request(target, method="GET", token=None, body=None, host="127.0.0.1", fields=()):
    head = [f"{method} {target} HTTP/1.1", f"Host: {host}", *fields]
    if token:
        head.append(f"Authorization: Bearer {token}")
    if body is not None:
        head += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*head, "", ""]).encode() + (body or b"")


class Client:
    """A connection that is kept open from one request to the next."""

    def __init__(self, port, timeout=10):
        self.port, self.timeout, self.socket, self.rest = port, timeout, None, b""

    def ask(self, data):
        """The status, None if there is no whole answer, and the seconds it took, connecting included."""
        begun = time.monotonic()
        try:
            if self.socket is None:
                self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=self.timeout)
                self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.socket.sendall(data)
            status, closes = self.answer()
        except (OSError, ValueError, IndexError):
            status, closes = None, True
        if closes:
            self.close()
        return status, time.monotonic() - begun

    def answer(self):
        data = b""
        while b"\r\n\r\n" not in data:
            data += self.piece()
        head, body = data.split(b"\r\n\r\n", 1)
        lines = head.lower().split(b"\r\n")
        status = int(lines[0].split()[1])
        length = [int(line.split(b":")[1]) for line in lines if line.startswith(b"content-length:")]
        if b"transfer-encoding: chunked" in lines:
            while not body.endswith(b"0\r\n\r\n"):
                body += self.piece()
        elif length:
            while len(body) < length[0]:
                body += self.piece()
        return status, b"connection: close" in lines

    def piece(self):
        piece = self.socket.recv(65536)
        if not piece:
            raise OSError("closed")
        return piece

    def close(self):
        if self.socket:
            self.socket.close()
        self.socket = None


def _probe(port, token, mix, seed, keeps, stop, results):
    rng, client, found = random.Random(seed), Client(port), []
    while not stop.is_set():
        target = rng.choice(mix)
        fields = [] if keeps else ["Connection: close"]
        found.append((target, *client.ask(request(target, token=token, fields=fields))))
        time.sleep(0.004)
    results.append(found)


def _probe_process(port, token, mix, stop, queue):
    found = []
    threads = [threading.Thread(target=_probe, args=(port, token, mix, seed, seed < 2, stop, found)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    queue.put([entry for part in found for entry in part])


class Probes:
    """Good clients from 127.0.0.1: two keep their connection, two open one for each request."""

    def __init__(self, port, token=None, proxied=False, mix=MIX):
        self.stop, self.queue = multiprocessing.Event(), multiprocessing.Queue()
        mix = [*mix, OWN] if proxied else mix
        self.process = multiprocessing.Process(target=_probe_process, args=(port, token, mix, self.stop, self.queue), daemon=True)
        self.process.start()

    def end(self):
        self.stop.set()
        found = self.queue.get(timeout=60)
        self.process.join()
        self.own = [entry for entry in found if entry[0] == OWN]
        self.found = [entry for entry in found if entry[0] != OWN]
        return self

    def percentile(self, share, own=False):
        """Milliseconds, of nginx's own answers or of the service's; infinite for a request without an answer."""
        times = sorted(seconds if status else float("inf") for _, status, seconds in (self.own if own else self.found))
        return times[min(len(times) - 1, int(len(times) * share))] * 1000 if times else float("inf")

    @property
    def failures(self):
        """Requests that got no answer or another status than 200, by target and status."""
        return Counter(f"{target.split('?')[0]} {status or 'no answer'}" for target, status, _ in self.found if status != 200)


# -- clients that do not ----------------------------------------------------------------------------


@dataclass
class Crowd:
    """Connections that all do the same: send the pieces, then drip, and read or do not read."""

    name: str
    connections: int
    sources: list
    #: what the n-th connection sends at once
    pieces: object = field(default=lambda number: [])
    #: what it sends after that, a byte every `pause` seconds
    drip: bytes = b""
    pause: float = 1.0
    reads: bool = True
    #: whether it goes as soon as there is a part of an answer
    leaves: bool = False
    #: after its end a connection is opened again, this many seconds later; None for never
    again: float | None = None


class Visitor:
    """One connection of a crowd, without blocking."""

    def __init__(self, crowd, number):
        self.crowd, self.number, self.socket = crowd, number, None
        self.turn = 0

    def open(self, port):
        self.socket = socket.socket()
        self.socket.setblocking(False)
        if not self.crowd.reads:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        # IP_BIND_ADDRESS_NO_PORT: the port is chosen by connect, so that thousands fit
        self.socket.setsockopt(socket.IPPROTO_IP, 24, 1)
        self.socket.bind((self.crowd.sources[self.number % len(self.crowd.sources)], 0))
        self.socket.connect_ex(("127.0.0.1", port))
        self.pieces = [memoryview(piece) for piece in self.crowd.pieces(self.number + self.turn * 7919)]
        self.dripped, self.begun, self.answered = 0, False, False
        self.turn += 1

    @property
    def interest(self):
        return (select.EPOLLIN if self.crowd.reads else 0) | (select.EPOLLOUT if self.pieces else 0) | select.EPOLLRDHUP

    def send(self):
        while self.pieces:
            sent = self.socket.send(self.pieces[0][:262_144])
            self.pieces[0] = self.pieces[0][sent:]
            if not self.pieces[0]:
                self.pieces.pop(0)

    def send_drip(self):
        """Whether there is more to drip."""
        if self.pieces:
            return True
        if self.dripped < len(self.crowd.drip):
            self.socket.send(self.crowd.drip[self.dripped:self.dripped + 1])
            self.dripped += 1
        return self.dripped < len(self.crowd.drip)


def _visit(port, crowds, seconds, stop, queue):
    """Runs crowds until the end, then closes all their connections."""
    os.nice(NICE)
    raise_descriptor_limit()
    poll, open_, counts, due, order = select.epoll(), {}, Counter(), [], 0

    def later(delay, action, visitor):
        nonlocal order
        order += 1
        heapq.heappush(due, (time.monotonic() + delay, order, action, visitor))

    def enter(visitor):
        try:
            visitor.open(port)
        except OSError as error:
            counts[f"{visitor.crowd.name}: {type(error).__name__}"] += 1
            if visitor.socket:
                visitor.socket.close()
            if visitor.crowd.again is not None:
                later(max(0.1, visitor.crowd.again), enter, visitor)
            return
        counts[f"{visitor.crowd.name}: opened"] += 1
        open_[visitor.socket.fileno()] = visitor
        poll.register(visitor.socket.fileno(), visitor.interest)
        if visitor.crowd.drip:
            later(random.random() * visitor.crowd.pause, drip, visitor)

    def leave(visitor):
        number = visitor.socket.fileno()
        if number not in open_:
            return
        if not visitor.answered:
            counts[f"{visitor.crowd.name}: cut"] += 1
        del open_[number]
        poll.unregister(number)
        visitor.socket.close()
        if visitor.crowd.again is not None:
            # who was turned away does not hammer at the door: that would measure the client's processor
            later(visitor.crowd.again if visitor.answered else max(0.05, visitor.crowd.again), enter, visitor)

    def drip(visitor):
        if visitor.socket.fileno() not in open_:
            return
        try:
            if visitor.send_drip():
                later(visitor.crowd.pause, drip, visitor)
        except BlockingIOError:
            later(visitor.crowd.pause, drip, visitor)
        except OSError:
            leave(visitor)

    def meet(visitor, event):
        if event & select.EPOLLOUT:
            try:
                visitor.send()
                if not visitor.pieces:
                    poll.modify(visitor.socket.fileno(), visitor.interest)
            except BlockingIOError:
                pass
            except OSError:  # an answer may be there all the same
                visitor.pieces = []
                poll.modify(visitor.socket.fileno(), visitor.interest)
        if event & select.EPOLLIN:
            data = visitor.socket.recv(262_144)
            if not data:
                return leave(visitor)
            if not visitor.begun:
                visitor.begun, visitor.answered = True, True
                counts[f"{visitor.crowd.name}: {data[9:12].decode('latin-1') if data[:5] == b'HTTP/' else 'nonsense'}"] += 1
            return leave(visitor) if visitor.crowd.leaves else None
        if event & (select.EPOLLHUP | select.EPOLLERR) or (event & select.EPOLLRDHUP and not visitor.crowd.reads):
            leave(visitor)
        return None

    begun = time.monotonic()
    waiting = [Visitor(crowd, number) for crowd in crowds for number in range(crowd.connections)]
    while time.monotonic() - begun < seconds and not stop.is_set():
        for visitor in waiting[:100]:  # some at a time, so that admitted clients go on
            enter(visitor)
        waiting = waiting[100:]
        while due and due[0][0] <= time.monotonic():
            _, _, action, visitor = heapq.heappop(due)
            action(visitor)
        wait = 0 if waiting else min(0.2, max(0.0, due[0][0] - time.monotonic()) if due else 0.2)
        for number, event in poll.poll(wait, 512):
            visitor = open_.get(number)
            if visitor is None:
                continue
            try:
                meet(visitor, event)
            except OSError:
                leave(visitor)
    for visitor in list(open_.values()):
        counts[f"{visitor.crowd.name}: held"] += 1
        visitor.socket.close()
    queue.put(counts)


class Flood:
    """Crowds in a process of their own, for some seconds or until they are canceled."""

    def __init__(self, port, crowds, seconds):
        self.stop, self.queue = multiprocessing.Event(), multiprocessing.Queue()
        self.process = multiprocessing.Process(target=_visit, args=(port, crowds, seconds, self.stop, self.queue), daemon=True)
        self.process.start()

    def end(self):
        """Waits for its end, and returns the counts of the connections."""
        counts = self.queue.get(timeout=900)
        self.process.join()
        return counts

    def cancel(self):
        self.stop.set()
        return self.end()
