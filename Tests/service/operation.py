"""What operators of the service need: probes, tunnels, scrapes, variables, a Unix socket, traces.

    .build/python/bin/python Tests/service/operation.py .build/release/geoq     15 s

Prints a line per check; exits with 1 on a problem.
"""

import json
import os
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from harness import ROOT, TOKEN, Service, arguments, ask, check_all, end, geoq
from prometheus_client.parser import text_string_to_metric_families

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
# names, types and what each must be for a service that has answered a few requests
FIGURES = {
    "geoq_build_info": ("gauge", lambda value: value == 1),
    "geoq_generation": ("gauge", lambda value: value == 1),
    "geoq_restaurants": ("gauge", lambda value: value == 15),
    "geoq_staleness_seconds": ("gauge", lambda value: value == 0),
    "geoq_reloads": ("counter", lambda value: value == 0),
    "geoq_failed_reloads": ("counter", lambda value: value == 0),
    "geoq_connections": ("gauge", lambda value: value >= 1),
    "geoq_refused_connections": ("counter", lambda value: value == 0),
    "geoq_protocol_errors": ("counter", lambda value: value == 1),
    "http_server_active_requests": ("gauge", lambda value: value == 1),
    "process_resident_memory_bytes": ("gauge", lambda value: value > 1e6),
    "process_cpu_seconds": ("counter", lambda value: 0 < value < 60),
    "process_start_time_seconds": ("gauge", lambda value: 9 < time.time() - value < 60),
}


def hosts(binary, database):
    with Service(binary, database, "--allow-host", "lunch.test", "--allow-host", "one.test:8443",
                 "--allow-host", "192.0.2.7") as service:
        def status(target, host, headers=()):
            return ask(service.port, "GET", target, headers, host=host).status

        for host in ("localhost:9000", "127.0.0.1:1", "[::1]:9000", "lunch.test", "lunch.test:444",
                     "192.0.2.7:81", "one.test:8443"):
            assert status("/nearest?lat=0&lon=0", host) == 200, host
        for host in ("10.1.2.3:8080", "evil.test", "one.test:8444", "one.test", "192.0.2.8"):
            assert status("/nearest?lat=0&lon=0", host, service.bearer) == 421, host
            assert [status(path, host) for path in ("/healthz", "/readyz", "/metrics")] == [200, 200, 421], host
            assert status("/metrics", host, service.bearer) == 200, host
    refused = subprocess.run([binary, "serve", "--db", database, "--allow-host", "*"], capture_output=True,
                             text=True, timeout=20, check=False)
    assert refused.returncode == 64 and "--allow-host: expected a host" in refused.stderr, refused
    return "7 hosts answered, 5 misdirected; probes and scrapes for any; * refused"


def tunnel(binary, database):
    """A port of another number that forwards bytes, as ssh -L and a mapped port do."""
    with Service(binary, database) as service, socket.create_server(("127.0.0.1", 0)) as door:
        def forward():
            client, _ = door.accept()
            with client, socket.create_connection(("127.0.0.1", service.port)) as inner:
                inner.sendall(client.recv(65_536))
                while piece := inner.recv(65_536):
                    client.sendall(piece)

        thread = threading.Thread(target=forward)
        thread.start()
        answer = ask(door.getsockname()[1], "GET", "/nearest?lat=32.95&lon=-96.82&count=3",
                     {"Connection": "close"})
        thread.join(20)
        assert answer.status == 200 and len(answer.json()["features"]) == 3, answer.status
    return "answered"


def scrape(binary, database):
    with Service(binary, database) as service:
        time.sleep(10)
        assert ask(service.port, "GET", "/nearest?lat=32.95&lon=-96.82").status == 200
        assert ask(service.port, "GET", "/nearest?lat=95&lon=0").status == 400
        with socket.create_connection(("127.0.0.1", service.port)) as broken:
            broken.sendall(b"GET / HTTP/7.7\r\n\r\n")
            broken.recv(1000)
        answer = ask(service.port, "GET", "/metrics", service.bearer)
    text = answer.body.decode()
    families = {family.name: family for family in text_string_to_metric_families(text)}
    for name, (kind, is_right) in FIGURES.items():
        sample = families[name].samples[0]
        assert families[name].type == kind, (name, families[name].type)
        assert is_right(sample.value), (name, sample.value)
    version = geoq(binary, "--version").split()[1]
    assert families["geoq_build_info"].samples[0].labels == {"version": version}
    durations = families["http_server_request_duration_seconds"]
    assert durations.type == "histogram"
    counts = {(s.labels["http_route"], s.labels["http_response_status_code"]): s.value
              for s in durations.samples if s.name.endswith("_count")}
    assert counts["/nearest", "200"] == 1 and counts["/nearest", "400"] == 1, counts
    return f"{len(families)} families"


def variables(binary, database, folder):
    token = folder / "token"
    token.touch(mode=0o600)
    token.write_text(TOKEN + "\n")
    environment = {**os.environ, "GEOQ_DB": str(database), "GEOQ_PORT": "0", "GEOQ_QUIET": "1",
                   "GEOQ_TOKEN_FILE": str(token), "GEOQ_ALLOW_HOST": "lunch.test, 192.0.2.7",
                   "GEOQ_PLACE": "Office=32.95,-96.82,Home=33,-97", "PORT": "1"}
    process = subprocess.Popen([binary, "serve"], env=environment, stdout=subprocess.PIPE, text=True)
    try:
        port = int(process.stdout.readline().rsplit(":", 1)[1])
        assert ask(port, "GET", "/nearest?lat=0&lon=0", host="192.0.2.7").status == 200
        assert ask(port, "GET", "/favorites").status == 401
        assert ask(port, "GET", "/favorites", {"Authorization": f"Bearer {TOKEN}"}).status == 200
        page = ask(port, "GET", "/app/").body.decode()
        assert "Office" in page and "Home" in page
    finally:
        assert end(process) == 0
        process.stdout.close()
    wrong = subprocess.run([binary, "serve"], env={**environment, "GEOQ_PORT": "x"}, capture_output=True,
                           text=True, timeout=20, check=False)
    assert wrong.returncode == 64 and "GEOQ_PORT" in wrong.stderr and "--port" not in wrong.stderr, wrong
    return "lists, flags and values"


def unix_socket(binary, database, folder):
    path = folder / "geoq.sock"

    def ask_socket(target):
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(20)
            client.connect(str(path))
            client.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
            answer = b""
            while piece := client.recv(65_536):
                answer += piece
        return answer

    def start():
        process = subprocess.Popen([binary, "serve", "--db", database, "--unix-socket", path],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        return process, process.stdout.readline()

    first, line = start()
    try:
        assert line == f"unix:{path}\n", line
        mode = path.stat().st_mode
        assert stat.S_ISSOCK(mode) and stat.S_IMODE(mode) == 0o660, oct(mode)
        answer = ask_socket("/nearest?lat=32.95&lon=-96.82&count=2")
        assert answer.startswith(b"HTTP/1.1 200") and answer.count(b'"Feature"') == 2, answer[:200]
        second = subprocess.run([binary, "serve", "--db", database, "--unix-socket", path],
                                capture_output=True, text=True, timeout=20, check=False)
        assert second.returncode == 69 and str(path) in second.stderr, second
        # one that is killed leaves its file, which the next one replaces
        first.kill()
        first.wait()
        assert path.is_socket()
    finally:
        end(first)
    third, _ = start()
    try:
        assert ask_socket("/healthz").startswith(b"HTTP/1.1 200")
    finally:
        assert end(third) == 0
    assert not path.exists()
    path.write_text("not a socket")
    other = subprocess.run([binary, "serve", "--db", database, "--unix-socket", path],
                           capture_output=True, text=True, timeout=20, check=False)
    assert other.returncode == 69 and path.read_text() == "not a socket", other
    for process in (first, third):
        process.stdout.close()
        process.stderr.close()
    return "mode 660, in use, stale and foreign files"


def traces(binary, database):
    sent = {"X-Request-Id": "req-17", "traceparent": TRACE}
    with Service(binary, database, "--behind-proxy") as service:
        answer = ask(service.port, "GET", "/nearest?lat=0&lon=0", sent)
        assert answer.field("X-Request-Id") == "req-17" and answer.field("traceparent") == TRACE
        wrong = ask(service.port, "GET", "/nearest?lat=0&lon=0",
                    {"X-Request-Id": 'a"b' + "c" * 200, "traceparent": TRACE[:-1]})
        assert len(wrong.field("X-Request-Id")) < 30 and wrong.field("traceparent") is None
        assert service.end() == 0
        lines = [json.loads(line) for line in service.stderr().splitlines() if line.startswith("{")]
        entry = next(line for line in lines if line.get("id") == "req-17")
        assert entry["traceparent"] == TRACE and entry["level"] == "info", entry
        start = next(line for line in lines if line.get("event") == "start")
        assert start["port"] == service.port and start["restaurants"] == 15, start
        assert all(line["level"] in ("info", "warning", "error") for line in lines)
        numbers = {key for line in lines for key, value in line.items()
                   if isinstance(value, str) and value.replace(".", "", 1).isdigit()}
        assert not numbers, numbers
    with Service(binary, database) as service:
        answer = ask(service.port, "GET", "/nearest?lat=0&lon=0", sent)
        assert answer.field("X-Request-Id") != "req-17" and answer.field("traceparent") is None
    return "from the request to the log and the answer, behind a proxy only"


def all_addresses(binary, database):
    with Service(binary, database, "--host", "0.0.0.0") as service:
        time.sleep(0.2)
        shown = [line.split("//")[1].split("/")[0] for line in service.stderr().splitlines()
                 if line.startswith("From other machines: ")]
        for authority in shown:
            assert authority.endswith(f":{service.port}"), authority
            assert ask(service.port, "GET", "/nearest?lat=0&lon=0", host=authority).status == 200, authority
    own = subprocess.run(["hostname", "-I"], capture_output=True, text=True, check=False).stdout.split()
    assert len(shown) >= len([address for address in own if ":" not in address]), (own, shown)
    return f"{len(shown)} addresses shown and answered"


def frames(binary, database):
    with Service(binary, database, "--frame-ancestors", "https://intranet.test") as service:
        policy = ask(service.port, "GET", "/app/").field("Content-Security-Policy")
        assert policy.endswith("frame-ancestors 'self' https://intranet.test"), policy
        data = ask(service.port, "GET", "/nearest?lat=0&lon=0").field("Content-Security-Policy")
        assert "frame-ancestors 'none'" in data, data
    return "the page only"


def early_end(binary, database):
    """SIGTERM as soon as the address is printed: the service ends as always, and the signal is not lost."""
    statuses = []
    for _ in range(30):
        service = subprocess.Popen([binary, "serve", "-q", "--db", str(database), "--port", "0"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        service.stdout.readline()
        statuses.append(end(service))
        service.stdout.close()
    assert statuses == [0] * 30, statuses
    return "30 services"


def main():
    binary, _ = arguments(__doc__)
    binary = str(Path(binary).resolve())
    with tempfile.TemporaryDirectory(prefix="operation-") as folder:
        folder = Path(folder)
        database = folder / "lunch.db"
        geoq(binary, "import", "-q", "--db", database, ROOT / "Data/restaurants.json")
        sys.exit(check_all([
            ("hosts", lambda: hosts(binary, database)),
            ("a tunnel", lambda: tunnel(binary, database)),
            ("a scrape 10 s after the start", lambda: scrape(binary, database)),
            ("environment variables", lambda: variables(binary, database, folder)),
            ("a Unix socket", lambda: unix_socket(binary, database, folder)),
            ("a trace", lambda: traces(binary, database)),
            ("all addresses", lambda: all_addresses(binary, database)),
            ("frames", lambda: frames(binary, database)),
            ("SIGTERM at the start", lambda: early_end(binary, database)),
        ]) > 0)


if __name__ == "__main__":
    main()
