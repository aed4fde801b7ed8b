"""A database that no process has open is a plain file: other programs read it in a read-only place."""

import os
import shutil
import subprocess
import sys
import time
import urllib.request

from store import Finding, feeds, ids
from watch import NAME, READ_ONLY, Service

COUNT = "SELECT count(*) FROM restaurants"
PYTHON = f"import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute('{COUNT}').fetchone()[0])"
READERS = {
    "sqlite3": lambda path: ("sqlite3", path, COUNT),
    "Python": lambda path: (sys.executable, "-c", PYTHON, path),
    "GDAL": lambda path: ("ogrinfo", "-q", "-ro", path, "-dialect", "SQLite", "-sql", COUNT),
}


def mode(database):
    """How SQLite writes the file: 1 with a journal of its own, 2 with WAL; and the count of its changes."""
    with database.open("rb") as file:
        header = file.read(28)
    return header[18], header[24:28]


def read(place, view, program):
    """What a program says in a read-only mount of the folder, and its status."""
    command = (*READ_ONLY, place, view, *READERS[program](view / NAME))
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd="/", timeout=60)
    return done.stdout, done.returncode


class Readers:
    def __init__(self, place, view, size):
        self.place, self.view, self.size = place, view, size
        self.programs = [name for name in READERS if shutil.which(READERS[name]("")[0])]

    def must_read(self, when):
        """The file is alone in its folder but for snapshots, and every program reads it."""
        if mode(self.place / NAME)[0] != 1:
            raise Finding(f"{when}: the file is still in WAL")
        if left := [path.name for path in self.place.iterdir() if path.name.startswith(NAME + "-")]:
            raise Finding(f"{when}: left {' '.join(left)}")
        for program in self.programs:
            said, status = read(self.place, self.view, program)
            if status != 0 or str(self.size) not in said.split():
                raise Finding(f"{when}: {program} reads {said.strip()!r}, status {status}")


def commands(tool, readers, place, old, new):
    known = ids(old)
    for words in [("import", old, "--source", "feed"), ("favorite", "add", known[30], known[31]),
                  ("favorite", "remove", known[30]), ("edit", known[40], "name=Corrected"),
                  ("hide", known[41]), ("edit", known[41], "--undo"), ("import", new, "--source", "feed"),
                  ("compact",), ("verify",), ("nearest", "--at", "48.86,2.35")]:
        tool.must(place / NAME, *words)
        readers.must_read(f"after {words[0]} {words[1] if len(words) > 1 else ''}".strip())
    return len(known)


def service(tool, readers, folder, known):
    """While it runs, the file stays in WAL, also when other processes change favorites; at its end it leaves."""
    database, token = readers.place / NAME, folder / "token"
    token.write_text("secret-of-the-test")
    token.chmod(0o600)
    with Service(tool, database, (), "--token-file", token) as running:
        end = time.monotonic() + 30
        while mode(database)[0] != 2:
            if time.monotonic() > end:
                raise Finding("a service does not keep the file in WAL")
            time.sleep(0.05)
        before = mode(database)
        for number, name in enumerate(known[50:60]):
            if number % 2:
                tool.must(database, "favorite", "add", name)
            else:
                request = urllib.request.Request(f"{running.root}/favorites/{name}", method="PUT", headers={
                    "Authorization": f"Bearer {token.read_text()}"})
                urllib.request.urlopen(request, timeout=30).close()
            tool.must(database, "nearest", "--at", "48.86,2.35")
            if mode(database) != before:
                raise Finding(f"favorite {number} took the file out of WAL under a service")
        tool.must(database, "edit", known[42], "name=Under a service")
        if mode(database)[0] != 2:
            raise Finding("a correction took the file out of WAL under a service")
    readers.must_read("after the end of a service")


def kill(tool, readers, known):
    """A service that was killed leaves WAL; the next one to close mends it."""
    with Service(tool, readers.place / NAME, ()) as running:
        end = time.monotonic() + 30
        while mode(readers.place / NAME)[0] != 2 and time.monotonic() < end:
            time.sleep(0.05)
        tool.must(readers.place / NAME, "favorite", "add", known[61])
        running.process.kill()
    if mode(readers.place / NAME)[0] != 2:
        raise Finding("a service that was killed has left no WAL, so this is no test of it")
    tool.must(readers.place / NAME, "favorite", "add", known[62])
    readers.must_read("after a service was killed and a favorite added")


def control(readers):
    """In WAL SQLite fails there, or the check proves nothing; GDAL then opens the file as immutable by itself."""
    subprocess.run(["sqlite3", str(readers.place / NAME), "PRAGMA journal_mode = WAL"], check=True,
                   capture_output=True)
    blind = [name for name in readers.programs
             if name != "GDAL" and str(readers.size) in read(readers.place, readers.view, name)[0].split()]
    if blind:
        raise Finding(f"the check is blind: in WAL too, {' and '.join(blind)} read the file")


def run(tool, folder, _):
    place, view = folder / "place", folder / "view"
    place.mkdir()
    view.mkdir()
    trial = [*map(str, (*READ_ONLY, place, view)), "true"]
    if os.geteuid() != 0 or subprocess.run(trial, capture_output=True).returncode != 0:
        yield "skipped: only root can make a read-only mount"
        return
    old, new = feeds(tool, folder, 600)
    readers = Readers(place, view, 600)
    commands(tool, readers, place, old, new)
    known = ids(new)
    yield f"{', '.join(readers.programs)} read the file after imports, favorites, edits, hide and compact"
    service(tool, readers, folder, known)
    yield "a service keeps the file in WAL, also from favorites of the tool, and leaves it at its end"
    kill(tool, readers, known)
    yield "a killed service leaves WAL, and the next favorite mends it"
    control(readers)
    yield "in WAL, sqlite3 and Python cannot read it there"
