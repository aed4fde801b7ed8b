"""The built service over the shipped fifteen restaurants, and the stub of the control."""

import http.client
import json
import signal
import subprocess
import sys
import tempfile
import urllib.parse
from pathlib import Path

from measure import BOUND, Meter

HERE = Path(__file__).parent
TOKEN = "c0st-t0ken-0123456789abcdefghijklmnopqrstuv"


class Service:
    """A running `geoq serve`, with a meter; `restart` gives a fresh one after a hang."""

    def __init__(self, binary, folder, *flags):
        self.folder = Path(folder)
        token = self.folder / "token"
        token.write_text(TOKEN + "\n")
        token.chmod(0o600)
        database = str(self.folder / "lunch.db")
        feed = HERE.parents[1] / "Data/restaurants.json"
        subprocess.run([binary, "import", "-q", "--db", database, feed], check=True)
        self.command = [binary, "serve", "--db", database, "--port", "0", "--token-file", str(token), *flags]
        self.start()

    def start(self):
        self.log = open(self.folder / "log", "ab")
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=self.log, text=True)
        address = self.process.stdout.readline().strip()
        self.port = int(urllib.parse.urlsplit(address).port)
        self.meter = Meter(self.process.pid, self.port)
        for _ in range(20):
            # the first answers of a process cost more than any later one
            self.get("/nearest?lat=1&lon=2&q=a")
            self.get("/collections/restaurants/items?category=Thai")

    def restart(self):
        self.meter.client.close()
        self.process.kill()
        self.process.wait()
        self.log.close()
        self.start()

    def stop(self):
        """Ends it, and gives its exit status."""
        self.meter.client.close()
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return "none within 15 s of SIGTERM"
        finally:
            self.log.close()

    def get(self, target):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request("GET", target)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        if answer.status != 200:
            raise SystemExit(f"GET {target} gave {answer.status}: {body[:300]!r}")
        return json.loads(body)

    def cursor(self):
        """A cursor that it gave for a page sorted by name."""
        page = self.get("/collections/restaurants/items?limit=1&sortby=name")
        following = next(link["href"] for link in page["links"] if link["rel"] == "next")
        return urllib.parse.parse_qs(urllib.parse.urlsplit(following).query)["cursor"][0]


class Stub:
    """The stub of the control, with the same meter."""

    def __init__(self):
        command = [sys.executable, HERE / "stub.py", str(2 * BOUND)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.meter = Meter(self.process.pid, int(self.process.stdout.readline()))

    def restart(self):
        """Waits instead: it does come to rest."""
        self.meter.client.close()
        self.meter.last = self.meter.settle(patience=60)

    def stop(self):
        self.meter.client.close()
        self.process.terminate()
        self.process.wait()


def in_folders(count):
    """Temporary folders, removed with the value."""
    return [tempfile.TemporaryDirectory(prefix="geoq-cost-") for _ in range(count)]
