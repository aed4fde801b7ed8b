"""Slow readers of large answers: those that take at least 1 kB/s get all, slower ones are cut.

    python3 Tests/service/readers.py .build/release/geoq [short|long]     40 s; 90 s

Every reader has a loopback address of its own, since unsent answers are bounded per peer, and all read
at the same time. A reader takes its share each quarter of a second for 40 s (90 s), then the rest as fast
as it comes: a service that cuts it meanwhile leaves it with less than the whole answer, which is compared
byte by byte. Readers below 1 kB/s, and one that takes nothing, must be cut within 30 s: the service's
end of the connection is looked up in /proc. The large answer is 10 000 generated restaurants with a note,
6 MB, more than the kernel's buffers take. Prints a line per reader; exits with 1 on a problem.
"""

import concurrent.futures
import hashlib
import json
import socket
import sys
import tempfile
import time
from pathlib import Path

from harness import Service, arguments, ask, geoq

SIZE = 20_000
NOTE = "n" * 260
LARGE = "/collections/restaurants/items?limit=10000"
TICK = 0.25
CUT = 31  # seconds: 30, and the time to notice
SMALL_BUFFER = 4096
MARGIN = 0.8  # a reader's measured rate may be so much of its intended one


def make_database(binary, folder):
    feed, database = folder / "feed.geojson", folder / "lunch.db"
    geoq(binary, "generate", "-q", "--size", SIZE, "--seed", 1, "-f", "geojson", "-o", feed)
    data = json.loads(feed.read_text())
    for feature in data["features"]:
        feature["properties"]["note"] = NOTE
    feed.write_text(json.dumps(data))
    geoq(binary, "import", "-q", "--db", database, feed)
    return database


def request(port, target, address, buffer):
    """A connection from an address of its own that has sent a GET, with a receive buffer if given."""
    connection = socket.socket()
    if buffer:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    connection.bind((address, 0))
    connection.settimeout(15)
    connection.connect(("127.0.0.1", port))
    connection.sendall(f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode())
    return connection


def trickle(connection, rate, seconds):
    """Takes `rate` bytes a second until `seconds` have passed or the answer ends; gives what came."""
    begun, data = time.monotonic(), bytearray()
    while (passed := time.monotonic() - begun) < seconds:
        while len(data) < rate * passed:
            try:
                piece = connection.recv(min(65_536, int(rate * passed) - len(data) + 1))
            except OSError as error:
                raise AssertionError(f"cut after {passed:.1f} s and {len(data):,} bytes: {error}") from None
            if not piece:
                return data
            data += piece
        time.sleep(TICK)
    return data


def gets_all(port, target, expected, rate, seconds, address, buffer):
    """A reader that is slow for some seconds must get the whole answer."""
    with request(port, target, address, buffer) as connection:
        data = trickle(connection, rate, seconds)
        slow = len(data)
        problem = ""
        try:
            while piece := connection.recv(1 << 20):
                data += piece
        except OSError as error:
            problem = f" ({error})"
        head, _, body = data.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200"), head[:100]
        assert hashlib.sha256(body).digest() == hashlib.sha256(expected).digest(), \
            f"cut: {len(body):,} of {len(expected):,} bytes came{problem}"
        # otherwise the reader was not the one that this test is about
        assert slow >= min(len(data), MARGIN * rate * seconds), f"read {slow:,} bytes in {seconds} s only"
        return f"all {len(body):,} bytes, {slow:,} of them slowly"


def is_cut(port, rate, address, seconds):
    """A reader below the least rate must be cut in time."""
    with request(port, LARGE, address, SMALL_BUFFER) as connection:
        own = connection.getsockname()
        begun, taken = time.monotonic(), 0
        while (passed := time.monotonic() - begun) < seconds:
            if not is_established(port, own):
                return f"cut after {passed:.1f} s and {taken:,} bytes"
            if rate * passed > taken:
                try:
                    taken += len(connection.recv(int(rate * passed) - taken + 1))
                except ConnectionResetError:
                    return f"cut after {passed:.1f} s and {taken:,} bytes"
            time.sleep(TICK)
        raise AssertionError(f"still served after {seconds} s and {taken:,} bytes")


def is_established(port, peer):
    """Whether the service still holds its end of a connection open; the kernel may have data left to send."""
    def word(address, number):
        return socket.inet_aton(address)[::-1].hex().upper() + f":{number:04X}"

    ends = [word("127.0.0.1", port), word(*peer)]
    with open("/proc/net/tcp", encoding="ascii") as table:
        rows = (line.split() for line in table)
        return any(row[1:3] == ends and row[3] == "01" for row in rows)


def main():
    binary, is_long = arguments(__doc__)
    seconds = 90 if is_long else 40
    with tempfile.TemporaryDirectory() as folder:
        database = make_database(binary, Path(folder))
        with Service(binary, database, "-q", token=None) as service:
            large = ask(service.port, "GET", LARGE).body
            assert len(large) > 6_000_000, len(large)
            # an answer that is read slowly to its end
            limit = int(0.8 * seconds * 2_000 / (len(large) / 10_000))
            small = LARGE.replace("10000", str(limit))
            part = ask(service.port, "GET", small).body
            port = service.port

            def reader(rate, target=LARGE, expected=large, buffer=SMALL_BUFFER):
                return lambda address: gets_all(port, target, expected, rate, seconds, address, buffer)

            def stalled(rate):
                return lambda address: is_cut(port, rate, address, CUT)

            readers = {
                "2 kB/s": reader(2_000),
                "2 kB/s to the end": reader(2_000, small, part),
                "20 kB/s": reader(20_000),
                "100 kB/s": reader(100_000),
                # where the kernel takes the last bytes is a matter of chance: several
                "100 kB/s, default buffer": reader(100_000, buffer=None),
                "90 kB/s, default buffer": reader(90_000, buffer=None),
                "80 kB/s, default buffer": reader(80_000, buffer=None),
                "0.3 kB/s": stalled(300),
                "nothing": stalled(0),
            }
            with concurrent.futures.ThreadPoolExecutor(len(readers)) as pool:
                running = {name: pool.submit(run, f"127.0.0.{20 + n}")
                           for n, (name, run) in enumerate(readers.items())}
            failed = sum(not report(name, future) for name, future in running.items())
            assert ask(port, "GET", "/healthz").status == 200
    print(f"readers: {len(readers) - failed} of {len(readers)} right")
    sys.exit(1 if failed else 0)


def report(name, future):
    try:
        print(f"ok    {name}: {future.result()}")
        return True
    except Exception as error:  # noqa: BLE001: a failed check is a line, not the end
        print(f"FAIL  {name}: {type(error).__name__}: {error}")
        return False


if __name__ == "__main__":
    main()
