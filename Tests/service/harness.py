"""What tests of the running service share: `geoq serve`, nginx before it, requests with exact headers.

    with Service(binary, database) as service:
        answer = ask(service.port, "PUT", "/favorites/p1", service.bearer)

Every process is ended by its id, every port is a free one, everything stays on loopback.
"""

import contextlib
import http.client
import json
import os
import pty
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "a-token-of-the-tests-0123456789abcdef"


class Service:
    """A running `geoq serve`, with the tests' token in a token file unless `token` is None.

    On a terminal without a token file, the token is the random one that the first line shows.
    """

    def __init__(self, binary, database, *options, token=TOKEN, terminal=False):
        options = list(options)
        if token:
            path = Path(f"{database}.token")
            path.touch(mode=0o600)
            path.write_text(token + "\n")
            options += ["--token-file", str(path)]
        self.log = Path(f"{database}.{time.monotonic_ns()}.log")
        master, out = pty.openpty() if terminal else os.pipe()
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [str(Path(binary).resolve()), "serve", "--db", str(database), "--port", "0", *options],
                stdin=subprocess.DEVNULL, stdout=out, stderr=log,
            )
        os.close(out)
        # kept open, so that the service can write more
        self.stdout = open(master, "rb", buffering=0)
        try:
            self.first_line = self.stdout.readline().decode().strip()
        except OSError:  # a terminal whose last process has ended
            self.first_line = ""
        found = re.search(r":(\d+)(?:/app/\?token=(\S+))?", self.first_line)
        if not found:
            end(self.process)
            self.stdout.close()
            raise AssertionError(f"the service did not start: {self.stderr()[:300]}")
        self.port, self.token = int(found[1]), token or found[2]
        self.url = f"http://127.0.0.1:{self.port}"
        self.bearer = {"Authorization": f"Bearer {self.token}"}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def stderr(self):
        return self.log.read_text(errors="replace")

    def end(self):
        """Ends the service by SIGTERM; gives its exit status."""
        status = end(self.process)
        self.stdout.close()
        return status


def end(process, limit=20):
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        return process.wait(timeout=limit)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return None


def documented_location():
    """The lines that docs/serving.md has for nginx, without their `proxy_pass`."""
    page = (ROOT / "docs/serving.md").read_text()
    block = re.search(r"^```nginx\nlocation / \{\n(.*?)^\}\n```", page, re.DOTALL | re.MULTILINE).group(1)
    return "".join(line for line in block.splitlines(keepends=True) if "proxy_pass" not in line)


class Nginx:
    """A real nginx with a bare `proxy_pass` to a loopback port, as many an operator has it."""

    def __init__(self, folder, port, location=""):
        program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
        assert program, "nginx is missing: run Scripts/setup tests"
        folder = Path(tempfile.mkdtemp(prefix="nginx-", dir=folder))
        self.held, self.port = held_port()
        self.url = f"http://127.0.0.1:{self.port}"
        scratch = "".join(f"{kind}_temp_path {folder};" for kind in
                          ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        config = folder / "nginx.conf"
        config.write_text(
            f"pid {folder}/pid; worker_processes 1; events {{ worker_connections 4096; }}\n"
            f"http {{ access_log off; {scratch}\n"
            f"server {{ listen 127.0.0.1:{self.port} reuseport;\n"
            f"location / {{ proxy_pass http://127.0.0.1:{port}; {location} }} }} }}\n"
        )
        self.process = subprocess.Popen(
            [program, "-p", str(folder), "-c", str(config), "-e", str(folder / "errors"),
             "-g", "daemon off;"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        wait_for(self.port)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        end(self.process)
        self.held.close()


def held_port():
    """A free port, and a socket that keeps it free for a server that listens with SO_REUSEPORT.

    Closed, and the port could go to any connection that is opened meanwhile.
    """
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    held.bind(("127.0.0.1", 0))
    return held, held.getsockname()[1]


def wait_for(port, seconds=60):
    """Waits until a port takes connections."""
    limit = time.monotonic() + seconds
    while True:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        assert time.monotonic() < limit, f"nothing listens on port {port}"
        time.sleep(0.05)


class Answer:
    """An answer as it came; `fields` are pairs, names in lower case."""

    def __init__(self, response):
        self.status = response.status
        self.fields = [(name.lower(), value) for name, value in response.getheaders()]
        self.body = response.read()

    def all(self, name):
        return [value for field, value in self.fields if field == name.lower()]

    def field(self, name):
        values = self.all(name)
        assert len(values) <= 1, (name, values)
        return values[0] if values else None

    def json(self):
        return json.loads(self.body)


class Client:
    """A keep-alive connection that sends the given headers and no others except Host and lengths."""

    def __init__(self, port, timeout=20):
        self.port, self.timeout, self.connection = port, timeout, None

    def ask(self, method, target, headers=(), body=None, host=None):
        for attempt in (1, 2):
            fresh = self.connection is None
            if fresh:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.timeout)
            try:
                return self._ask(method, target, headers, body, host)
            except (http.client.RemoteDisconnected, ConnectionError):
                # an idle connection may have been closed; a new one must answer
                self.close()
                if fresh or attempt == 2:
                    raise

    def _ask(self, method, target, headers, body, host):
        self.connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
        self.connection.putheader("Host", host or f"127.0.0.1:{self.port}")
        for name, value in dict(headers).items():
            self.connection.putheader(name, value)
        if body is not None and "Transfer-Encoding" not in headers:
            self.connection.putheader("Content-Length", str(len(body)))
        self.connection.endheaders(body)
        return Answer(self.connection.getresponse())

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None


def ask(port, method, target, headers=(), body=None, host=None):
    """One request on a connection of its own."""
    client = Client(port)
    try:
        return client.ask(method, target, headers, body, host)
    finally:
        client.close()


def geoq(binary, *arguments, **options):
    """Runs the tool; gives what it prints."""
    result = subprocess.run([str(Path(binary).resolve()), *map(str, arguments)], check=False,
                            capture_output=True, text=True, timeout=120, **options)
    assert result.returncode == 0, f"{arguments}: exit {result.returncode}: {result.stderr}"
    return result.stdout


def check_all(checks):
    """Runs (name, function) pairs and prints a line each; gives the number that failed."""
    failed = 0
    for name, check in checks:
        begun = time.monotonic()
        try:
            found = check()
            print(f"ok    {name}: {found} ({time.monotonic() - begun:.0f} s)", flush=True)
        except Exception as error:  # noqa: BLE001: a failed check is a line, not the end
            failed += 1
            print(f"FAIL  {name}: {type(error).__name__}: {str(error)[:500]}", flush=True)
    return failed


def arguments(doc):
    """The binary and whether the form is long, from `FILE BINARY [short|long]`."""
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["short"], ["long"]):
        sys.exit(doc)
    return sys.argv[1], sys.argv[2:] == ["long"]
