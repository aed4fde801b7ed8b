"""A service for the browser tests: a database of its own, a port of its own, ended by its pid."""

import re
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "browser-tests-0123456789"


class Service:
    def __init__(self, binary, *feeds, options=()):
        self.binary = str(Path(binary).resolve())
        self.folder = tempfile.TemporaryDirectory()
        self.database = str(Path(self.folder.name) / "lunch.db")
        self.options = options
        token = Path(self.folder.name) / "token"
        token.write_text(TOKEN)
        token.chmod(0o600)
        self.token = str(token)
        self.port = "0"
        if feeds:
            self.import_feeds(*feeds)

    def import_feeds(self, *feeds):
        files = [str(ROOT / feed) for feed in feeds]
        subprocess.run([self.binary, "import", "-q", "--db", self.database, *files], check=True)

    def start(self):
        self.process = subprocess.Popen(
            [self.binary, "serve", "-q", "--db", self.database, "--port", self.port, "--token-file", self.token,
             "--place", "Office=32.95,-96.82", *self.options],
            stdout=subprocess.PIPE, text=True,
        )
        self.address = self.process.stdout.readline().strip()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)", self.address)
        assert found, f"no address: {self.address!r}"
        self.port = found[1]
        return self

    def stop(self):
        self.process.terminate()
        self.process.wait(20)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()
        self.folder.cleanup()
