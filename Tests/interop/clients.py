"""Asks the built service by common HTTP clients, above all those that offer an upgrade to HTTP/2.

    python Tests/interop/clients.py .build/release/geoq [short|long]     the forms are the same

The JDK's HttpClient and `curl --http2` as they come, Apache HttpClient's `Upgrade: TLS/1.2` as raw bytes,
httpx, requests, urllib3 and http.client: ten requests each, GET and POST /nearest in turn. Every answer
must be that of a plain request on a connection of its own, byte for byte, and come within 2 s; a client that waits
longer is asked three times, since the machine may be shared. Clients whose connections can be seen must keep one for
all ten. Exits with 1 if a check fails.
"""

import contextlib
import http.client
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "service"))
from harness import ROOT, Service, arguments, ask, check_all, geoq

COUNT = 10
PAUSE = 2.0
TYPE = {"Content-Type": "application/json"}


def request(n):
    """Method, target and body of request `n`, as Client.java has them."""
    if n % 2 == 0:
        return "GET", f"/nearest?lat={n}&lon=2&count=3", None
    return "POST", "/nearest", f'{{"points":[{{"lat":{n},"lon":2}}],"count":3}}'.encode()


class Late(AssertionError):
    """An answer took too long."""


class Expected:
    """The right answers, by one plain request on a connection of its own each."""

    def __init__(self, service):
        self.bodies = []
        for n in range(COUNT):
            method, target, body = request(n)
            answer = ask(service.port, method, target, TYPE if body else {}, body)
            assert answer.status == 200, (target, answer.status, answer.body[:200])
            assert answer.body.count(b'"Feature"') == 3, answer.body[:200]
            self.bodies.append(answer.body)

    def check(self, answers):
        """(status, seconds, body) of each request in turn; gives what to print."""
        answers = list(answers)
        for n, (status, _, body) in enumerate(answers):
            assert status == 200, f"request {n + 1}: status {status}"
            assert body == self.bodies[n], f"request {n + 1}: {body[:100]}"
        assert len(answers) == COUNT, f"{len(answers)} answers"
        for n, (_, seconds, _) in enumerate(answers):
            if seconds > PAUSE:
                raise Late(f"request {n + 1} took {seconds:.1f} s")
        return f"{COUNT} requests, slowest {max(s for _, s, _ in answers) * 1000:.0f} ms"


def timed(requests, send):
    """Sends each request by `send(method, target, body) -> (status, body)`."""
    for n in requests:
        begun = time.monotonic()
        status, body = send(*request(n))
        yield status, time.monotonic() - begun, body


def in_three(client):
    """Gives a client that is late two more tries: what delays it in the service does so each time."""
    for _ in range(2):
        with contextlib.suppress(Late):
            return client()
    return client()


# -- the clients ----------------------------------------------------------------------------------


def jdk(service, expected, folder):
    result = subprocess.run(
        ["java", "-Xshare:auto", "-XX:TieredStopAtLevel=1", str(Path(__file__).with_name("Client.java")),
         service.url, str(folder)],
        capture_output=True, text=True, timeout=200, check=False,
    )
    lines = [tuple(map(int, line.split())) for line in result.stdout.splitlines()]
    answers = [(status, milliseconds / 1000, (folder / str(n)).read_bytes())
               for n, (status, milliseconds) in enumerate(lines)]
    assert result.returncode == 0, f"request {len(lines) + 1}: {result.stderr.splitlines()[:1]}"
    return expected.check(answers)


def curl(service, expected, folder):
    command = ["curl", "--silent", "--show-error", "--max-time", "15"]
    for n in range(COUNT):
        _, target, body = request(n)
        command += ["--next"] * (n > 0) + ["--http2", "--output", str(folder / str(n)), "--write-out",
                    "%{http_code} %{time_total} %{num_connects}\n", service.url + target]
        if body:
            command += ["--header", "Content-Type: application/json", "--data-binary", body.decode()]
    result = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
    lines = [line.split() for line in result.stdout.splitlines()]
    found = expected.check((int(status), float(seconds), (folder / str(n)).read_bytes())
                           for n, (status, seconds, _) in enumerate(lines))
    connects = sum(int(connects) for _, _, connects in lines)
    return f"{found}, {connects} connections"


def raw_upgrade(fields):
    """Ten requests with the given upgrade; each is answered, and its connection closed."""
    def run(service, expected, folder):
        def send(method, target, body):
            head = f"{method} {target} HTTP/1.1\r\nHost: 127.0.0.1:{service.port}\r\n{fields}"
            if body:
                head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
            with socket.create_connection(("127.0.0.1", service.port), timeout=15) as connection:
                connection.sendall(head.encode() + b"\r\n" + (body or b""))
                answer = b"".join(iter(lambda: connection.recv(65536), b""))
            head, _, found = answer.partition(b"\r\n\r\n")
            assert b"\r\nconnection: close" in head.lower(), f"the connection goes on: {head[:300]}"
            return int(head.split()[1]), found

        return expected.check(timed(range(COUNT), send)) + ", ten connections"
    return run


def with_httpx(service, expected, folder):
    import httpx

    with httpx.Client(timeout=15, trust_env=False) as client:
        def send(method, target, body):
            answer = client.request(method, service.url + target, content=body, headers=TYPE if body else {})
            return answer.status_code, answer.content
        return expected.check(timed(range(COUNT), send)) + f", httpx {httpx.__version__}"


def with_requests(service, expected, folder):
    import requests

    with requests.Session() as session:
        session.trust_env = False

        def send(method, target, body):
            answer = session.request(method, service.url + target, data=body, headers=TYPE if body else {}, timeout=15)
            return answer.status_code, answer.content
        found = expected.check(timed(range(COUNT), send))
        pools = session.get_adapter(service.url).poolmanager.pools
        # this container refuses to be iterated
        connections = sum(pools[key].num_connections for key in pools.keys())  # noqa: SIM118
        assert connections == 1, f"{connections} connections"
    return found + f", one connection, requests {requests.__version__}"


def with_http_client(service, expected, folder):
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=15)
    connection.connect()
    connection.auto_open = 0  # a connection that the service closes is a failure

    def send(method, target, body):
        connection.request(method, target, body, TYPE if body else {})
        answer = connection.getresponse()
        return answer.status, answer.read()
    return expected.check(timed(range(COUNT), send)) + ", one connection"


H2C = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n"
CLIENTS = {
    "JDK HttpClient": jdk,
    "curl --http2": curl,
    "Apache HttpClient's upgrade": raw_upgrade("Upgrade: TLS/1.2\r\nConnection: Upgrade\r\n"),
    "an upgrade to h2c": raw_upgrade(H2C),
    "an upgrade to websocket": raw_upgrade("Upgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"),
    "httpx": with_httpx,
    "requests and urllib3": with_requests,
    "http.client": with_http_client,
}


def main():
    binary, _ = arguments(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        database = folder / "lunch.db"
        geoq(binary, "import", "-q", "--db", database, ROOT / "Data" / "restaurants.json")
        with Service(binary, database, "-q", token=None) as service:
            expected = Expected(service)

            def check(name, client):
                own = folder / name.replace(" ", "-").replace("'", "")
                own.mkdir()
                return name, lambda: in_three(lambda: client(service, expected, own))
            failed = check_all([check(*item) for item in CLIENTS.items()])
    print(f"clients: {len(CLIENTS) - failed} of {len(CLIENTS)} right")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
