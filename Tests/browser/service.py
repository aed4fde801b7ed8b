"""A service for the browser tests: a database of its own, a port of its own, ended by its pid."""

import re
import socket
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "browser-tests-0123456789"


class Service:
    def __init__(self, binary, *feeds, options=(), place="Office=32.95,-96.82"):
        self.binary = str(Path(binary).resolve())
        self.folder = tempfile.TemporaryDirectory()
        self.database = str(Path(self.folder.name) / "lunch.db")
        self.options = [*(("--place", place) if place else ()), *options]
        token = Path(self.folder.name) / "token"
        token.write_text(TOKEN)
        token.chmod(0o600)
        self.token = str(token)
        self.port, self.held = "0", None
        if feeds:
            self.import_feeds(*feeds)

    def import_feeds(self, *feeds):
        self.geoq("import", *[str(ROOT / feed) for feed in feeds])

    def geoq(self, *arguments):
        """Runs the tool on the service's database."""
        end = arguments.index("--") if "--" in arguments else len(arguments)
        options = ["-q", "--db", self.database]
        subprocess.run([self.binary, *arguments[:end], *options, *arguments[end:]], check=True)

    def make(self, count):
        """Imports `count` made-up restaurants."""
        feed = str(Path(self.folder.name) / "many.geojsonseq")
        subprocess.run([self.binary, "generate", "-q", "--size", str(count), "-o", feed, "--force"], check=True)
        subprocess.run([self.binary, "import", "-q", "--db", self.database, feed], check=True)

    def start(self):
        self.process = subprocess.Popen(
            [self.binary, "serve", "-q", "--db", self.database, "--port", self.port, "--token-file", self.token,
             *self.options],
            stdout=subprocess.PIPE, text=True,
        )
        self.address = self.process.stdout.readline().strip()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)", self.address)
        assert found, f"no address: {self.address!r}"
        self.port = found[1]
        if self.held:
            self.held.close()
        return self

    def stop(self):
        self.process.terminate()
        self.process.wait(20)
        # until it is started again, no other program may have the port
        self.held = socket.socket()
        self.held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.held.bind(("127.0.0.1", int(self.port)))

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()
        self.held.close()
        self.folder.cleanup()
