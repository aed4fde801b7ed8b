"""A snapshot that another program overwrites while it is served: answers may be wrong, the service goes on."""

import http.client
import os
import random
import urllib.parse

from space import NAME
from store import Finding, feeds
from watch import Service

BOX = "bbox=-180,-90,180,90"
TARGETS = [
    "/nearest?lat=48.86&lon=2.35&count=10", "/nearest?lat=0&lon=0&count=200&category=pizza", "/nearest?lat=1&lon=2&filter=rating%20%3E%204",
    "/radius?lat=48.86&lon=2.35&radius=500000", f"/bbox?{BOX}&limit=500", "/count/bbox?bbox=170,-90,-170,90", f"/facets?by=city&{BOX}",
    "/collections/restaurants/items?q=the", "/collections/restaurants/items?sortby=-rating&limit=200", "/density?zoom=3",
    "/cover?lat=48.86&lon=2.35&want=pizza&want=thai", "/meet?at=48.86,2.35&at=48.9,2.4", "/tiles/0/0/0.mvt", "/tiles/5/16/11.mvt",
    "/collections/restaurants/items/unknown", "/app/?q=cafe", "/readyz", "/metrics"]


def damages(good, rng):
    """What is written over the file, by name."""
    head, count = good[:4096], len(good) - 4096
    flipped = bytearray(good)
    for _ in range(len(good) // 200):
        flipped[rng.randrange(len(good))] = rng.randrange(256)
    yield "other bytes", rng.randbytes(len(good))
    yield "other bytes after the head", head + rng.randbytes(count)
    yield "zeros", bytes(len(good))
    yield "ones after the head", head + b"\xff" * count
    yield "flipped bytes", bytes(flipped)
    yield "moved bytes", head + good[4103:] + bytes(7)


def ask_everything(service, what, rng):
    port = urllib.parse.urlsplit(service.url).port
    for target in rng.sample(TARGETS, len(TARGETS)):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        try:
            connection.request("GET", target)
            connection.getresponse().read()
        except (OSError, http.client.HTTPException):
            # a feature of damaged bytes may break off; the process may not end
            if service.process.poll() is not None:
                raise Finding(f"{what}, {target}: the service ended with {service.process.returncode}: {''.join(service.lines)[-300:]}") from None
        finally:
            connection.close()


def run(tool, folder, options):
    tool.must(folder / NAME, "import", feeds(tool, folder, 20_000)[0], "--source", "feed")
    snapshot, rng = folder / f"{NAME}.1.geoqx", random.Random(options.seed)
    good, rounds = snapshot.read_bytes(), 1 if options.short else 10
    for _ in range(rounds):
        for what, bytes_ in damages(good, rng):
            write(snapshot, good)
            with Service(tool, folder / NAME, ()) as service:
                service.must_serve(1, "at the start")
                write(snapshot, bytes_)
                ask_everything(service, what, rng)
    yield f"{6 * rounds} snapshots overwritten while they are served: the service goes on"


def write(path, content):
    """In place, as no program should."""
    file = os.open(path, os.O_WRONLY)
    os.pwrite(file, content, 0)
    os.close(file)
