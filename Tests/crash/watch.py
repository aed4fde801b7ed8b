"""A service that may only read the store: it serves every import of the store's owner."""

import contextlib
import os
import re
import shutil
import sqlite3
import subprocess
import threading
import time
import urllib.request

from space import NAME, NOBODY
from store import ENVIRONMENT, Finding, Tool, feeds

DROP = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
# makes the owner's folder read-only in a mount namespace of the service
READ_ONLY = ("unshare", "-m", "sh", "-c",
             'mount --bind "$0" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@"')


class Service:
    """`geoq serve` under a prefix of words, and the generation that it serves."""

    def __init__(self, tool, database, prefix, *words):
        command = [*map(str, prefix), tool.binary, "--db", str(database), "-q", "serve", "--port", "0",
                   *map(str, words)]
        self.process = subprocess.Popen(command, env=ENVIRONMENT, text=True, cwd="/",
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.lines = []
        found = re.search(r":(\d+)", self.process.stdout.readline())
        if not found:
            raise Finding(f"the service did not start: {self.process.communicate()[1].strip()}")
        self.root = f"http://127.0.0.1:{found[1]}"
        self.url = f"{self.root}/nearest?lat=48.86&lon=2.35&count=1"
        threading.Thread(target=lambda: self.lines.extend(self.process.stderr), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=30)

    def generation(self):
        with urllib.request.urlopen(self.url, timeout=30) as answer:
            return int(answer.headers["X-Geoq-Generation"])

    def must_serve(self, generation, what):
        end = time.monotonic() + 30
        while (served := self.generation()) != generation:
            if time.monotonic() > end:
                said = "".join(self.lines).strip() or "nothing"
                raise Finding(f"{what}: generation {served} is served, not {generation}; it said {said}")
            time.sleep(0.1)


def follow(tool, place, view, prefix, feed):
    """Imports in each of the owner's ways, each of which the service must notice."""
    database = place / NAME
    with Service(tool, view / NAME, prefix) as service:
        service.must_serve(1, "at the start")
        tool.must(database, "import", feed[1], "--source", "feed")
        service.must_serve(2, "an import in place")
        # a reader keeps the log, so that the import is there and not in the database file
        with contextlib.closing(sqlite3.connect(database)) as reader:
            # in a plain file, a reader would make the import wait
            reader.execute("PRAGMA journal_mode = WAL")
            reader.execute("BEGIN")
            reader.execute("SELECT generation FROM geoq_store").fetchall()
            tool.must(database, "import", feed[0], "--source", "feed")
            if not (place / f"{NAME}-wal").stat().st_size:
                raise Finding("the import has left no log, so this is no test of one")
            service.must_serve(3, "an import that is in the log")
            reader.execute("ROLLBACK")
        tool.must(database, "import", feed[1], "--source", "feed")
        service.must_serve(4, "an import after the log")
        other = place / "other.db"
        with contextlib.closing(sqlite3.connect(database)) as owner:
            owner.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        shutil.copy(database, other)
        tool.must(other, "import", feed[0], "--source", "feed")
        os.rename(f"{other}.5.geoqx", f"{database}.5.geoqx")
        os.rename(other, database)
        service.must_serve(5, "a database that replaces the other")
        tool.must(database, "import", feed[1], "--source", "feed")
        service.must_serve(6, "an import into the new database")


def run(tool, folder, _):
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        yield "skipped: only root can run a service as another user, with setpriv"
        return
    # a place that other users can reach
    folder.chmod(0o755)
    local = folder / "geoq"
    shutil.copy(tool.binary, local)
    tool = Tool(local)
    if subprocess.run([*DROP, local, "--version"], capture_output=True, cwd="/").returncode != 0:
        yield f"skipped: others cannot run {local}"
        return
    feed = feeds(tool, folder, 2000)
    (folder / "view").mkdir()
    forms = {"another user": (folder / "user", folder / "user", DROP)}
    mount = (*READ_ONLY, folder / "mount", folder / "view")
    for name, rest in {"a read-only mount": (), "another user's read-only mount": DROP}.items():
        forms[name] = (folder / "mount", folder / "view", (*mount, *rest))
    (folder / "mount").mkdir()
    if subprocess.run([*map(str, mount), "true"], capture_output=True).returncode != 0:
        yield "read-only mount: skipped, none can be made here"
        forms = {"another user": forms["another user"]}
    for name, (place, view, prefix) in forms.items():
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        tool.must(place / NAME, "import", feed[0], "--source", "feed")
        try:
            follow(tool, place, view, prefix, feed)
        except Finding as finding:
            raise Finding(f"{name}: {finding}") from None
        yield f"{name}: imports in place, in the log and by rename are served"
