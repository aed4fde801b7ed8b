#!/usr/bin/env python3
"""Prints the memory of a service under 10 000 clients of each bad kind, from 100 addresses, as Markdown.

    Benchmarks/Load/clients.py GEOQ DATABASE [CLIENTS]
"""

import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "Tests/service"))
from crowd import ALL, Client, Crowd, Flood, Service, Watch, peers, raise_descriptor_limit, request

SECONDS = 10
HEAD = b"GET /nearest?lat=1&lon=2 HTTP/1.1\r\nHost: localhost\r\nX: "
BODY = b"POST /nearest HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n" + b" " * 50_000
KINDS = {
    "idle": {},
    "slow heads": {"pieces": lambda _: [HEAD], "drip": b"a" * 100},
    "slow bodies": {"pieces": lambda _: [BODY], "drip": b" " * 100},
    "slow readers of 10 000 restaurants": {"pieces": lambda _: [request(ALL)], "reads": False},
    "unread pipelines of 1 000 requests": {"pieces": lambda _: [request("/nearest?lat=1&lon=2&count=100") * 1_000], "reads": False},
}


def main():
    raise_descriptor_limit()
    binary, database, count = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 10_000
    print(f"| {count} clients | private memory before | most | 15 s later |\n|---|---|---|---|")
    for name, how in KINDS.items():
        service = Service(binary, database)
        try:
            client = Client(service.port)
            for _ in range(20):
                client.ask(request(ALL))
                client.ask(request("/nearest?lat=1&lon=2&count=100"))
            client.close()
            time.sleep(0.5)
            before = service.memory()
            with Watch(service) as watch:
                Flood(service.port, [Crowd(name, count, peers(100), **how)], SECONDS).end()
            time.sleep(15)
            print(f"| {name} | {before:.0f} MB | {watch.peak:.0f} MB | {service.memory():.0f} MB |", flush=True)
        finally:
            service.end()


if __name__ == "__main__":
    main()
