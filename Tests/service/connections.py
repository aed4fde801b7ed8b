"""Connections that cost memory or places: unread pipelines, and thousands that are idle, against the built service.

    python3 Tests/service/connections.py .build/release/geoq short|long

1. A client sends 10 000 requests (short: 2 000) to a route in one go and reads nothing. The private memory of the warm
   service may grow by one answer and 1 MB. Every kind of answer has its turn: small and large, pages, files of pages,
   documents, errors, bodies.
2. Eighteen addresses open more connections than the service takes, and leave them idle; or keep sending a body
   byte by byte, so that none is idle. A client from another address has an answer within five seconds,
   and one that was there and asks once a second is not cut off.

Prints a line per check; exits with 1 if one fails.
"""

import re
import socket
import sys
import tempfile
import time
from pathlib import Path

from crowd import Service, make_database, raise_descriptor_limit
from harness import check_all

BODY = b'{"points":[{"lat":1,"lon":2},{"lat":3,"lon":4}],"count":100}'
TARGETS = [
    "/", "/?f=html", "/conformance", "/api", "/api.html", "/collections", "/collections/restaurants/schema",
    "/collections/restaurants/items?limit=1000", "/collections/restaurants/items?limit=100&f=html",
    "/nearest?lat=1&lon=2&count=1000", "/radius?lat=1&lon=2&radius=2000000", "/bbox?bbox=-180,-90,180,90&limit=10000",
    "/count/bbox?bbox=-10,-10,10,10", "/facets?by=city", "/cover?lat=1&lon=2&want=Thai", "/meet?at=1,2&at=3,4",
    "/tiles/0/0/0.mvt", "/tiles.json", "/style.json", "/density", "/healthz", "/readyz", "/metrics", "/app/", "/app/map",
    "/app/wants", "/app/licenses", "/app/style.css", "/app/script.js", "/app/openlayers.js", "/app/land.geojson",
    "/nowhere", "POST /nearest",
]
SLACK = 1 << 20


def request(target, fields=b""):
    if target.startswith("POST "):
        fields += b"Content-Type: application/json\r\nContent-Length: %d\r\n" % len(BODY)
        return f"{target} HTTP/1.1\r\nHost: localhost\r\n".encode() + fields + b"\r\n" + BODY
    return f"GET {target} HTTP/1.1\r\nHost: localhost\r\n".encode() + fields + b"\r\n"


def connect(port, source="127.0.0.1", receives=None):
    connection = socket.socket()
    if receives:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receives)
    connection.bind((source, 0))
    connection.settimeout(10)
    connection.connect(("127.0.0.1", port))
    return connection


def answer(port, data, source="127.0.0.1"):
    """All bytes of the answer to a request that ends its connection."""
    with connect(port, source) as connection:
        connection.sendall(data)
        return b"".join(iter(lambda: connection.recv(1 << 20), b""))


def private_bytes(service):
    """Anonymous memory: what a client can make grow."""
    status = Path(f"/proc/{service.process.pid}/status").read_text()
    return int(re.search(r"RssAnon:\s+(\d+)", status)[1]) << 10


def unread(service, target, count):
    once = request(target, b"Connection: close\r\n")
    for _ in range(20):
        length = len(answer(service.port, once))
    time.sleep(0.1)
    before, most = private_bytes(service), 0
    with connect(service.port, receives=4096) as connection:
        connection.setblocking(False)
        # what does not fit into the systems' buffers is not sent
        rest = memoryview(request(target) * count)
        begun = time.monotonic()
        while time.monotonic() - begun < 1.5:
            try:
                rest = rest[connection.send(rest):] if rest else rest
            except BlockingIOError:
                pass
            time.sleep(0.02)
            most = max(most, private_bytes(service))
    grown = most - before
    assert grown <= length + SLACK, f"{grown >> 10} KB more for an answer of {length >> 10} KB"
    return f"{max(0, grown) >> 10} KB more for an answer of {length >> 10} KB"


def crowded(service, begin, drip):
    """Eighteen addresses with all connections they may have, and two other clients."""
    inside = connect(service.port, "127.0.9.1")
    crowd = []
    for number in range(18 * 256):
        try:
            connection = connect(service.port, f"127.0.8.{number % 18 + 1}")
            connection.sendall(begin)
            crowd.append(connection)
        except OSError:
            pass
        if number % 256 == 0:
            asked(inside)
    for connection in crowd:
        connection.setblocking(False)
    asked(inside)
    begun = time.monotonic()
    with connect(service.port, "127.0.9.2") as newcomer:
        newcomer.settimeout(5)
        asked(newcomer)
    took, lasting = time.monotonic() - begun, 0
    for connection in crowd:
        try:
            if drip:
                connection.send(drip)
            lasting += connection.recv(1) != b""
        except BlockingIOError:
            lasting += 1
        except OSError:
            pass
    asked(inside)
    for connection in [inside, *crowd]:
        connection.close()
    time.sleep(0.5)
    return f"{len(crowd)} connections, {lasting} still open, a newcomer waited for {took * 1000:.0f} ms"


def asked(connection):
    connection.sendall(request("/healthz"))
    found = connection.recv(4096)
    assert found.startswith(b"HTTP/1.1 200"), found[:60]


def main():
    binary, form = str(Path(sys.argv[1]).resolve()), sys.argv[2]
    raise_descriptor_limit()
    count = 10_000 if form == "long" else 2_000
    targets = TARGETS if form == "long" else TARGETS[4::5]
    slow = request("POST /nearest")[:-len(BODY)]
    with tempfile.TemporaryDirectory() as folder:
        database, _ = make_database(binary, Path(folder), count=20_000)
        service = Service(binary, database)
        try:
            failed = check_all(
                [(f"{count} unread requests to {t}", lambda t=t: unread(service, t, count)) for t in targets]
                + [("4608 idle connections", lambda: crowded(service, b"", b"")),
                   ("4608 connections that began a head", lambda: crowded(service, b"GET / HT", b"")),
                   ("4608 slow bodies", lambda: crowded(service, slow, b"{"))])
        finally:
            service.end()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
