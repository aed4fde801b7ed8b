"""Floods of slow readers, bodies and connections against the built service, with and without nginx.

    python3 Tests/service/floods.py .build/release/geoq short|long

The floods come from 127.0.0.2 and other loopback addresses, good clients from 127.0.0.1: these ask for
/nearest, ten features, a search, /api, /metrics and /healthz all the time, on connections that they keep
and on new ones. Without nginx (direct) and after Debian's nginx with a bare proxy_pass (nginx):
16 and 200 readers that stall, 16 of the largest HTML pages; 1 500 bodies of 1 MiB, slow and whole, with a length and in chunks, for
routes that take them and for those that must refuse them; thousands of silent connections from one
address and from many; favorites read by the hundred while their owner writes. Last, a service that may
open 100 (and 256) descriptors gets more connections than that.

Prints a line per flood. Exits with 1 if a good client gets an error or waits for more than 50 ms at the
99th percentile (GEOQ_PROBE_MS), the service takes more than 300 MB of memory (mapped files apart), is
not back within 20% and 8 MB of what it had before 60 s later (short: 20 s), the owner cannot write, or a
service without descriptors spins, drops who is in, or does not answer again. short takes 40 s.
"""

import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from crowd import ALL, ALL_HTML, Client, Crowd, Flood, Probes, Proxy, Service, Watch, make_database, peers, raise_descriptor_limit, request

PROBE_LIMIT = float(os.environ.get("GEOQ_PROBE_MS", "50"))
# a write waits for the disk
WRITE_LIMIT = 10 * PROBE_LIMIT
MEMORY_LIMIT = 300  # MB
MEBIBYTE = 1 << 20
FAVORITES = 300
TOKEN = "a-token-for-the-floods-0123456789"

# -- the floods -------------------------------------------------------------------------------------

QUESTION = b'{"points":[{"lat":48.2,"lon":16.4}],"count":3}'
# a fine question, and spaces up to the largest body there may be
BODY = QUESTION + b" " * (MEBIBYTE - len(QUESTION))


def head(method, target, framing, fields=()):
    lines = [f"{method} {target} HTTP/1.1", *([] if any(f.startswith("Host:") for f in fields) else ["Host: localhost"]),
             *([] if any(f.startswith("Content-Type:") for f in fields) else ["Content-Type: application/json"]),
             "Connection: close", f"Content-Length: {MEBIBYTE}" if framing == "length" else "Transfer-Encoding: chunked", *fields]
    return "\r\n".join([*lines, "", ""]).encode()


# what must be refused, and by which status
REFUSED = [
    ("POST", "/nowhere", []), ("PUT", "/collections/restaurants/items", []), ("POST", "/nearest", ["Host: evil.example"]),
    ("PUT", "/favorites/unknown", ["Authorization: Bearer wrong"]), ("POST", "/nearest", ["Content-Type: text/plain"]),
]
# 408 is for those that are slow
REFUSALS = {"404", "405", "421", "401", "415", "413", "408", "503"}


def bodies(name, connections, kinds, framings=("length", "chunks"), whole=True):
    """Bodies sent at once, or all but a little of them that then comes a byte a second."""
    cases = [(kind, framing) for framing in framings for kind in kinds]
    held = 0 if whole else 100

    def pieces(number):
        (method, target, fields), framing = cases[number % len(cases)]
        opening, closing = (b"", b"") if framing == "length" else (b"%x\r\n" % MEBIBYTE, b"\r\n0\r\n\r\n")
        sent = [head(method, target, framing, fields), opening, memoryview(BODY)[:MEBIBYTE - held]]
        return [piece for piece in [*sent, closing if whole else b""] if piece]

    return Crowd(name, connections, peers(8), pieces, drip=b" " * held)


POST = [("POST", "/nearest", [])]


def stalled(connections, addresses, target=ALL):
    return Crowd("stalled", connections, peers(addresses), lambda _: [request(target)], reads=False)


def silent(connections, sources):
    return Crowd("silent", connections, sources)


def half(connections, sources):
    return Crowd("half heads", connections, sources, lambda _: [b"GET /nearest?lat=1&lon=2 HTTP/1.1\r\nHost: localhost\r\nX: "],
                 drip=b"a" * 100)


def churn(connections, sources):
    return Crowd("churn", connections, sources, lambda _: [request("/healthz", fields=["Connection: close"])], again=0.0)


def direct_floods():
    return {
        "16 stalled readers": [stalled(16, 1)],
        "200 stalled readers": [stalled(200, 8)],
        "1500 slow bodies": [bodies("slow", 1500, POST, whole=False)],
        "1500 whole bodies": [bodies("whole", 1500, POST)],
        "1500 refused bodies": [bodies("refused", 750, REFUSED), bodies("refused, slow", 750, REFUSED, whole=False)],
        "5000 connections of one": [silent(2500, peers(1)), half(2500, peers(1))],
        "3000 connections of many": [silent(1500, peers(1500)), half(1500, peers(1500, 2000)), churn(8, peers(8))],
        "16 readers of large pages": [stalled(16, 2, ALL_HTML)],
    }


def nginx_floods(form):
    # nginx passes on a foreign Host as its own
    refused = [kind for kind in REFUSED if not kind[2] or not kind[2][0].startswith("Host:")]
    count = 1500 if form == "long" else 300
    floods = {
        "16 stalled readers": [stalled(16, 1)],
        "100 stalled readers": [stalled(100, 8)],
        f"{count} slow bodies": [bodies("slow", count, POST, whole=False)],
        f"{count} whole bodies": [bodies("whole", count, POST)],
        f"{count} refused bodies": [bodies("refused", count // 2, refused), bodies("refused, slow", count // 2, refused, whole=False)],
        "4000 connections": [silent(2000, peers(1)), half(2000, peers(2000)), churn(8, peers(8))],
    }
    left_out = {"16 stalled readers", f"{count} slow bodies"} if form == "short" else set()
    return {name: crowds for name, crowds in floods.items() if name not in left_out}


# -- measuring --------------------------------------------------------------------------------------


class Report:
    def __init__(self, form):
        self.problems, self.patience = 0, 60 if form == "long" else 20

    def line(self, name, text, problems):
        self.problems += len(problems)
        print(f"{'FAIL' if problems else 'ok  '}  {name:32} {text}" + "".join(f"\n        {p}" for p in problems), flush=True)


def warm_up(port):
    """One of everything: what is made at the first request is not the floods' doing."""
    client = Client(port)
    for _ in range(3):
        client.ask(request(ALL))
        client.ask(request("/nearest", "POST", body=BODY))
        client.ask(request("/favorites"))
    for _ in range(200):
        client.ask(request("/collections/restaurants/items?q=pizza&limit=5"))
    client.close()
    time.sleep(0.5)


def allowed(before):
    return before * 1.2 + 8


def return_of(service, before, patience):
    """Seconds until the memory is back, None if it does not come back; and the memory then."""
    begun = time.monotonic()
    while (now := service.memory()) > allowed(before) and time.monotonic() - begun < patience:
        time.sleep(0.25)
    return (time.monotonic() - begun if now <= allowed(before) else None), now


def probes_of(found, problems):
    found.end()
    # what nginx takes for an answer of its own is not the service's doing
    limit = PROBE_LIMIT + (found.percentile(0.99, own=True) if found.own else 0)
    if found.failures:
        problems.append(f"good clients: {sum(found.failures.values())} of {len(found.found)} failed: {dict(found.failures.most_common(4))}")
    if found.percentile(0.99) > limit:
        problems.append(f"good clients wait for {found.percentile(0.99):.0f} ms at the 99th percentile, {limit:.0f} at most")
    own = f" (nginx alone {found.percentile(0.99, own=True):.1f})" if found.own else ""
    return f"{len(found.found)} probes, p50 {found.percentile(0.5):.1f}, p99 {found.percentile(0.99):.1f} ms{own}"


def memory_of(service, before, peak, patience, problems):
    if peak > MEMORY_LIMIT:
        problems.append(f"{peak:.0f} MB of memory, {MEMORY_LIMIT} at most")
    took, after = return_of(service, before, patience)
    if took is None:
        problems.append(f"{after:.0f} MB of memory {patience} s later, {allowed(before):.0f} at most")
    return f"{before:.0f} MB, at most {peak:.0f}, then {after:.0f}" + (f" after {took:.0f} s" if took and took > 1 else "")


class Subject:
    """The service under the floods, alone or behind nginx; a new one after a flood that it did not survive well."""

    def __init__(self, report, binary, database, proxied):
        self.report, self.binary, self.database = report, binary, database
        self.front, self.proxy = "nginx" if proxied else "direct", None
        self.start()
        self.proxy = Proxy(self.service.port) if proxied else None
        self.port = self.proxy.port if proxied else self.service.port

    def start(self, port=0):
        # the token of a service without a token file is shown on a terminal only
        self.service = Service(self.binary, self.database, shows_token=True, port=port)
        warm_up(self.service.port)

    def end(self):
        if self.proxy:
            self.proxy.end()
        self.service.end()

    def measure(self, name, crowds, seconds, act=None):
        """A flood with good clients next to it; `act` is done meanwhile, and may find problems of its own."""
        name = f"{self.front}, {name}"
        if os.environ.get("ONLY", "") not in name:
            return
        # every flood is measured against a service in use, not only the first
        warm_up(self.service.port)
        service, problems, before = self.service, [], self.service.memory()
        with Watch(service) as watch:
            flood = Flood(self.port, crowds, seconds)
            time.sleep(0.2)
            found = Probes(self.port, proxied=self.proxy is not None)
            text = act(problems, seconds - 0.4) if act else ""
            counts = flood.end()
            answers = probes_of(found, problems)
            time.sleep(0.2)
        if service.process.poll() is not None:
            raise SystemExit(f"{name}: the service ended with {service.process.returncode}")
        harmless = len(problems)
        memory = memory_of(service, before, watch.peak, self.report.patience, problems)
        if wrong := wrong_refusals(counts):
            problems.append(f"bodies that must be refused: {wrong}")
        came = ", ".join(f"{k} {v}" for k, v in sorted(counts.items()))
        self.report.line(name, f"{answers}; {memory}; {text}{came}", problems)
        if len(problems) > harmless:  # its memory would count against the next flood
            service.end()
            self.start(service.port)


def wrong_refusals(counts):
    return {name: count for name, count in counts.items()
            if name.startswith("refused") and name[-3:].isdigit() and name[-3:] not in REFUSALS}


# -- favorites --------------------------------------------------------------------------------------


def favorites_readers(token=None):
    """Readers of the list with and without the token, some of whom stall."""
    good = request("/favorites?limit=10000", token=token, fields=["Connection: close"])
    stranger = request("/favorites", fields=["Connection: close"])
    return [Crowd("readers", 200, peers(8), lambda n: [stranger if n % 2 else good], again=0.05),
            Crowd("stalled readers", 100, peers(8), lambda n: [request("/favorites?limit=10000", token=token)] * 10, reads=False)]


def owner(subject, ids):
    """Adds and removes favorites as fast as the service lets it."""
    def write(problems, seconds):
        client, times, wrong, number, begun = Client(subject.port), [], Counter(), 0, time.monotonic()
        while time.monotonic() - begun < seconds:
            target = f"/favorites/{ids[FAVORITES + number // 2 % 50]}"
            status, took = client.ask(request(target, "DELETE" if number % 2 else "PUT", token=subject.service.token))
            times.append(took)
            if status not in ({204} if number % 2 else {201, 204}):
                wrong[status] += 1
            number += 1
        client.close()
        late = sorted(times)[int(len(times) * 0.99)] * 1000
        if wrong:
            problems.append(f"the owner: {wrong.total()} of {len(times)} writes failed: {dict(wrong)}")
        if late > WRITE_LIMIT:
            problems.append(f"the owner waits for {late:.0f} ms at the 99th percentile, {WRITE_LIMIT:.0f} at most")
        return f"{len(times)} writes, p99 {late:.0f} ms; "
    return write


# -- descriptors ------------------------------------------------------------------------------------


def without_descriptors(report, binary, database, limit, hold):
    """More connections than descriptors: no spinning, who is in stays in, and all is well afterwards."""
    service, problems = Service(binary, database, descriptors=limit), []
    try:
        inside = Client(service.port)
        status, _ = inside.ask(request("/healthz"))
        flood = Flood(service.port, [silent(2 * limit + 50, peers(8))], hold + 2)
        time.sleep(1)
        begun, used, answered, asked = time.monotonic(), service.processor_seconds(), 0, 0
        while time.monotonic() - begun < hold:
            status, took = inside.ask(request("/nearest?lat=1&lon=2"))
            asked, answered = asked + 1, answered + (status == 200 and took < 1)
            if inside.socket is None:
                break  # a new connection would wait after the flood
            time.sleep(0.25)
        time.sleep(max(0, hold - (time.monotonic() - begun)))
        share = (service.processor_seconds() - used) / (time.monotonic() - begun)
        if share > 0.1:
            problems.append(f"{share:.0%} of a processor while connections wait, 10 % at most")
        if answered < asked:
            problems.append(f"who was in before got {answered} of {asked} answers")
        flood.end()
        begun, again = time.monotonic(), None
        while again is None and time.monotonic() - begun < 5:
            client = Client(service.port, timeout=2)
            status, _ = client.ask(request("/nearest?lat=1&lon=2"))
            client.close()
            again = time.monotonic() - begun if status == 200 else None
        if again is None:
            problems.append("no answer within 5 s of the flood's end")
        inside.close()
        report.line(f"{2 * limit + 50} connections, {limit} descriptors",
                    f"{share:.1%} of a processor, {answered} of {asked} answers to who was in, "
                    f"again after {again or 5:.1f} s", problems)
    finally:
        service.end()


# -- all --------------------------------------------------------------------------------------------


def main():
    raise_descriptor_limit()
    binary, form = str(Path(sys.argv[1]).resolve()), sys.argv[2] if len(sys.argv) > 2 else "short"
    report, seconds, begun = Report(form), 15 if form == "long" else 1.6, time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        database, ids = make_database(binary, Path(folder), favorites=FAVORITES)
        for proxied, floods in [(False, direct_floods()), (True, nginx_floods(form))]:
            subject = Subject(report, binary, database, proxied)
            try:
                for name, crowds in floods.items():
                    subject.measure(name, crowds, seconds)
                if not proxied or form == "long":
                    subject.measure("readers of favorites", favorites_readers(), seconds, owner(subject, ids))
            finally:
                subject.end()
        for limit in [100] if form == "short" else [100, 256]:
            if os.environ.get("ONLY", "") in "descriptors":
                without_descriptors(report, binary, database, limit, 3 if form == "short" else 8)
    print(f"floods       {report.problems} problems, {time.monotonic() - begun:.0f} s")
    sys.exit(1 if report.problems else 0)


if __name__ == "__main__":
    main()
