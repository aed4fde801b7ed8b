"""Images from other hosts: `geoq serve --images` in a network of its own, with listeners of the test's own.

    python3 Tests/service/images.py BINARY

The service fetches from public addresses only, and there is no option that changes that. So the test runs in
a network namespace (unshare) whose loopback device has a public address next to private ones: the host of the
images listens on the first, canaries on the others. Checked: forbidden addresses and redirects reach no
canary; a hundred clients have one fetch; slow hosts keep no query waiting; the folder keeps its bound, and
what is in it after kill -9 is whole. Prints a line per check. Exits with 1 on a problem; takes about 30 s.
"""

import contextlib
import http.client
import http.server
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from collections import Counter
from pathlib import Path

PUBLIC = "93.184.216.34"
# public too, but nothing listens there
EMPTY = "93.184.216.35"
PRIVATE = ["10.0.0.5", "169.254.169.254", "172.16.3.3", "172.31.255.254", "192.0.0.8", "192.168.7.7", "100.64.1.1", "198.18.0.1",
           "203.0.113.9"]
PRIVATE_6 = ["fc00::7", "fd12:3456::7", "2002:a00:5::1", "64:ff9b::a00:5", "2001::a00:5"]
NAMES = [(PUBLIC, "img.example"), ("10.0.0.5", "inside.example"), ("169.254.169.254", "metadata.example"), ("127.0.0.1", "self.example"),
         # a public address next to another one
         (EMPTY, "both.example"), ("10.0.0.5", "both.example"), ("fc00::7", "both.example"), ("::1", "six.example")]
SPELLINGS = [
    "127.0.0.1", "127.0.0.2", "127.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "017700000001", "0", "0.0.0.0", "localhost",
    "localhost.", "self.example", "inside.example", "metadata.example", "10.0.0.5", "167772165", "0xa000005", "169.254.169.254", "2852039166",
    "0xa9fea9fe", "0251.0376.0251.0376", "192.168.7.7", "100.64.1.1", "198.18.0.1", "[::1]", "[::]", "[::ffff:127.0.0.1]",
    "[::ffff:10.0.0.5]", "[64:ff9b::10.0.0.5]", "[::ffff:a9fe:a9fe]", "img.example@127.0.0.1", "img.example@10.0.0.5",
    "127.0.0.1\\@img.example", "img.example:80@10.0.0.5", "127.0.0.1#@img.example", "%31%32%37.0.0.1", "127。0。0。1", "①②⑦.⓪.⓪.①",
    "ⓛocalhost", "127.0.0.1%2f@img.example", "LOCALHOST", "127.000.000.001", "0x0a.0.0.5", "10.5",
    "both.example", "BOTH.example.", "six.example", "172.16.3.3", "172.31.255.254", "192.0.0.8", "203.0.113.9", "[fc00::7]", "[fd12:3456::7]",
    "[2002:a00:5::1]", "[64:ff9b::a00:5]", "[2001::a00:5]", "[0:0:0:0:0:0:0:1]", "[::127.0.0.1]", "[::ffff:7f00:1]", "[::1%25lo]",
    "127.0.0.1.", "0x0", "127.0.1",
]
REDIRECTS = [
    "http://127.0.0.1/", "http://10.0.0.5/", "http://inside.example/", "http://metadata.example/latest/meta-data/", "http://[::1]/",
    "http://2130706433/", "http://0x7f.1/", "//127.0.0.1/", "http://img.example@10.0.0.5/", "http://169.254.169.254/", "file:///etc/passwd",
    "gopher://10.0.0.5/", "ftp://10.0.0.5/", "http://img.example:22/", "https://10.0.0.5/",
]


def png(number, padding=0):
    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    rows = b"".join(b"\0" + bytes((number * 7 + x * y) % 256 for x in range(3 * 8)) for y in range(6))
    head = struct.pack(">IIBBBBB", 8, 6, 8, 2, 0, 0, 0)
    parts = [chunk(b"IHDR", head), chunk(b"tEXt", b"Comment\0" + b"x" * padding), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def is_whole(content):
    return content.startswith(b"\x89PNG") and content.endswith(b"IEND\xaeB`\x82")


class Host(http.server.BaseHTTPRequestHandler):
    """The host of the images, at a public address."""

    asked = Counter()
    lock = threading.Lock()

    def do_GET(self):
        with Host.lock:
            Host.asked[self.path] += 1
        kind, number = self.path.split("/")[1:3]
        if kind == "redirect":
            self.send_response(302)
            self.send_header("Location", REDIRECTS[int(number)])
            self.send_header("Content-Length", "0")
            return self.end_headers()
        if kind == "slow":
            time.sleep(30)
            return None
        if kind == "once":
            time.sleep(0.3)
        content = {
            "html": b"<script>alert(1)</script>", "svg": b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>",
            "bomb": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">IIBBBBB", 100_000, 100_000, 8, 2, 0, 0, 0) + b"x" * 99,
            "huge": b"\x89PNG\r\n\x1a\n" + b"\0" * (3 << 20),
        }.get(kind) or png(int(number), 100_000 if kind == "large" else 0)
        self.send_response(200)
        self.send_header("Content-Type", "image/png")
        self.send_header("Content-Length", str(len(content) + (1000 if kind == "lie" else 0)))
        self.end_headers()
        with contextlib.suppress(OSError):  # clients leave what is too large
            self.wfile.write(content)
        return None

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    # as many connections may wait as come at once
    request_queue_size = 256


class Canaries:
    """Listeners that no fetch may connect to."""

    def __init__(self):
        self.visits = []
        addresses = ["127.0.0.1", "127.0.0.2", *PRIVATE]
        sockets = [(socket.create_server((address, 80)), address) for address in addresses]
        sockets += [(socket.create_server((address, 80), family=socket.AF_INET6), address) for address in ("::1", *PRIVATE_6)]
        sockets += [(socket.create_server((PUBLIC, 22)), f"{PUBLIC}:22")]
        for listener, address in sockets:
            threading.Thread(target=self.take, args=(listener, address), daemon=True).start()
        self.control([(listener.getsockname()[:2], address) for listener, address in sockets])

    def control(self, places):
        """Each of them notices a visit."""
        for place, _ in places:
            socket.create_connection(place).close()
        patience = time.monotonic() + 10
        while len(self.visits) < len(places) and time.monotonic() < patience:
            time.sleep(0.01)
        missed = {address for _, address in places} - set(self.visits)
        assert not missed, f"no canary at {missed}"
        self.visits.clear()

    def take(self, listener, address):
        while True:
            listener.accept()[0].close()
            self.visits.append(address)


class Service:
    def __init__(self, binary, database, *options):
        command = [binary, "serve", "-q", "--db", database, "--port", "0", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.port = int(re.search(r":(\d+)", self.process.stdout.readline())[1])

    def ask(self, target):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("GET", target)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, content, answer

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.process.wait(20)


class Report:
    def __init__(self):
        self.failed, self.begun = 0, time.monotonic()

    def line(self, name, problems, text):
        self.failed += bool(problems)
        print(f"{'FAIL' if problems else 'ok  '}  {name:28} {text} ({time.monotonic() - self.begun:.1f} s)", flush=True)
        for problem in list(problems)[:10]:
            print(f"        {problem}")


def feed(path, addresses):
    records = [
        {"type": "Feature", "id": id_, "geometry": {"type": "Point", "coordinates": [1 + index / 1e4, 2]},
         "properties": {"name": id_, "category": "Thai", "images": [address, "http://img.example/unused/0"]}}
        for index, (id_, address) in enumerate(addresses.items())
    ]
    path.write_text(json.dumps({"type": "FeatureCollection", "features": records}))


def together(count, work):
    results, threads = [None] * count, []
    for number in range(count):
        def run(number=number):
            results[number] = work(number)
        threads.append(threading.Thread(target=run))
        threads[-1].start()
    for thread in threads:
        thread.join()
    return results


def check_forbidden(service, canaries, report):
    problems = []
    ids = [f"spelling-{n}" for n in range(len(SPELLINGS))] + [f"redirect-{n}" for n in range(len(REDIRECTS))]
    for id_ in ids:
        status, _, _ = service.ask(f"/images/{id_}/0")
        if status != 404:
            problems.append(f"{id_}: status {status}")
    problems += [f"a canary was asked at {address}" for address in canaries.visits]
    report.line("forbidden addresses", problems, f"{len(SPELLINGS)} spellings, {len(REDIRECTS)} redirects, {len(canaries.visits)} visits")


def check_contents(service, report):
    problems = []
    for kind in ["html", "svg", "bomb", "huge", "lie"]:
        status, _, _ = service.ask(f"/images/{kind}/0")
        if status != 404:
            problems.append(f"{kind}: status {status}")
    status, content, answer = service.ask("/images/good/0")
    if (status, content) != (200, png(1)) or answer.getheader("Content-Type") != "image/png":
        problems.append(f"the good image: status {status}, {len(content)} bytes")
    if "sandbox" not in answer.getheader("Content-Security-Policy", ""):
        problems.append("an image without its policy")
    report.line("contents", problems, "HTML, SVG, bomb, huge, lying length, one good")


def check_single_flight(service, report):
    results = together(60, lambda _: service.ask("/images/once/0")[:2]) + together(40, lambda _: service.ask("/images/once/0")[:2])
    problems = [f"status {status}" for status, content in results if status != 200 or content != png(2)]
    fetches = Host.asked["/once/2"]
    problems += [f"{fetches} fetches"] if fetches != 1 else []
    report.line("a hundred clients", problems, f"{fetches} fetch")


def check_slow(service, report):
    problems = []
    asking = threading.Thread(target=together, args=(20, lambda number: service.ask(f"/images/slow-{number}/0")))
    asking.start()
    time.sleep(0.3)
    waits = []
    for _ in range(40):
        start = time.monotonic()
        status, _, _ = service.ask("/nearest?lat=2&lon=1&count=3")
        waits.append(time.monotonic() - start)
        if status != 200:
            problems.append(f"a query: status {status}")
    status, _, _ = service.ask("/images/good/0")
    if status != 200:
        problems.append(f"an image that is here: status {status}")
    if max(waits) > 2:
        problems.append(f"a query waited {max(waits):.2f} s")
    asking.join()
    report.line("slow hosts", problems, f"queries wait {max(waits) * 1000:.0f} ms at most")


def check_bound_and_kill(binary, database, folder, report):
    problems, rounds, most = [], 6, 4_000_000
    folder = Path(folder)
    for turn in range(rounds):
        service = Service(binary, database, "--images", "http://img.example", "--images-max", "4")
        stop, given = threading.Event(), []

        def load(number):
            for step in range(200):
                if stop.is_set():
                    return
                try:
                    given.append(service.ask(f"/images/large-{(number * 13 + step * 7 + turn) % 80}/0")[0])
                except (OSError, http.client.HTTPException):  # it was killed meanwhile
                    return

        threads = [threading.Thread(target=load, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        patience = time.monotonic() + 20
        while len(given) < 3 + 11 * turn and time.monotonic() < patience:
            found = sizes(folder)
            # files that two looks find alike were all there between them
            if sum(found.values()) > most and sizes(folder) == found:
                problems.append("the folder is larger than its bound")
            time.sleep(0.01)
        service.end(signal.SIGKILL)
        stop.set()
        for thread in threads:
            thread.join()
        files = [file for file in sizes(folder) if not file.name.endswith(".tmp")]
        broken = [file.name for file in files if not is_whole(file.read_bytes())]
        problems += [f"{name} is not whole" for name in broken]
        if not files:
            problems.append("nothing was kept")
    # what is kept is served again without a fetch
    Host.asked.clear()
    service = Service(binary, database, "--images", "http://img.example", "--images-max", "4")
    found = [service.ask(f"/images/large-{number}/0")[0] for number in range(80)]
    problems += ["an image is lost for good"] if set(found) != {200} else []
    if sum(Host.asked.values()) >= 80:
        problems.append("nothing that was kept was served")
    service.end()
    report.line("bound and kill -9", problems, f"{rounds} kills, {len(files)} images kept, {sum(Host.asked.values())} of 80 fetched again")


def sizes(folder):
    """the size of each file in the folder; the service may remove one while this looks"""
    found = {}
    for file in folder.iterdir():
        try:
            found[file] = file.stat().st_size
        except FileNotFoundError:
            pass
    return found


def main(binary):
    report, canaries = Report(), Canaries()
    server = Server((PUBLIC, 80), Host)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        addresses = {f"spelling-{n}": f"http://{spelling}/image" for n, spelling in enumerate(SPELLINGS)}
        addresses |= {f"redirect-{n}": f"http://img.example/redirect/{n}" for n in range(len(REDIRECTS))}
        addresses |= {f"slow-{n}": f"http://img.example/slow/{n}" for n in range(20)}
        addresses |= {f"large-{n}": f"http://img.example/large/{n}" for n in range(80)}
        addresses |= {kind: f"http://img.example/{kind}/0" for kind in ["html", "svg", "bomb", "huge", "lie"]}
        addresses |= {"good": "http://img.example/good/1", "once": "http://img.example/once/2"}
        feed(Path(folder) / "feed.geojson", addresses)
        database = str(Path(folder) / "lunch.db")
        subprocess.run([binary, "import", "-q", "--db", database, str(Path(folder) / "feed.geojson")], check=True)
        # every spelling that is a host's name is listed: the address alone decides
        names = ",".join(f"http://{name}" for name in SPELLINGS if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.-]*", name))
        service = Service(binary, database, "--images", f"http://img.example,{names}")
        try:
            check_forbidden(service, canaries, report)
            check_contents(service, report)
            check_single_flight(service, report)
            check_slow(service, report)
        finally:
            service.end()
        if canaries.visits:
            report.line("canaries", canaries.visits, "at the end")
        for file in Path(database + ".images").iterdir():
            file.unlink()
        check_bound_and_kill(binary, database, database + ".images", report)
    print(f"images       {report.failed} checks failed, {time.monotonic() - report.begun:.0f} s")
    sys.exit(1 if report.failed else 0)


def enter(binary):
    """Starts this test again in a network of its own."""
    with tempfile.NamedTemporaryFile("w", suffix=".hosts") as hosts:
        hosts.write("127.0.0.1 localhost\n" + "".join(f"{address} {name}\n" for address, name in NAMES))
        hosts.flush()
        setup = "ip link set lo up; " + "".join(f"ip addr add {address}/32 dev lo; " for address in [PUBLIC, EMPTY, *PRIVATE])
        setup += "".join(f"ip addr add {address}/128 dev lo nodad; " for address in PRIVATE_6)
        setup += f'mount --bind {hosts.name} /etc/hosts; exec "$0" "$@"'
        command = ["unshare", *([] if os.getuid() == 0 else ["-r"]), "-n", "-m", "sh", "-ec", setup, sys.executable, __file__, binary, "inside"]
        sys.exit(subprocess.run(command).returncode)


if __name__ == "__main__":
    main(sys.argv[1]) if len(sys.argv) > 2 else enter(str(Path(sys.argv[1]).resolve()))
