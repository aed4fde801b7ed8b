"""Faults at every call by which an import or a favorite write changes files.

A preloaded library (faults.c) lets the process die before the N-th call, or in the middle of it, or lets
the call fail, once or from then on. Afterwards the store is sound and has the old state or the new
one, entirely, and doing it again succeeds and leaves only the database and its snapshot.
"""

import hashlib
import os
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from store import Finding, State, clear_error, copy, feeds, ids

SOURCE = Path(__file__).with_name("faults.c")
NAME = "lunch.db"
# what happens at the call, and whether all later ones fail too
MODES = [("kill", False), ("torn", False), ("ENOSPC", False), ("ENOSPC", True), ("EIO", False),
         ("EIO", True)]


@dataclass
class Operation:
    name: str
    base: Path
    words: tuple
    old: State
    new: State

    @property
    def is_import(self):
        return self.words[0] == "import"


def library(build):
    """Builds the library that is preloaded."""
    build.mkdir(parents=True, exist_ok=True)
    target = build / "faults.so"
    compiler = os.environ.get("CC", "cc")
    subprocess.run([compiler, "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-pthread",
                    str(SOURCE), "-o", str(target)], check=True)
    return target


class Faults:
    def __init__(self, tool, preload):
        self.tool, self.preload = tool, str(preload)

    def run(self, folder, words, what="kill", at=0, ever=False, skips_sync=False):
        """Runs a command with the library, and returns its result and the record of its calls."""
        log = Path(f"{folder}.log")
        log.unlink(missing_ok=True)
        temporary = folder / "tmp"
        temporary.mkdir(exist_ok=True)
        done = self.tool.run(folder / NAME, *words, environment={
            "LD_PRELOAD": self.preload, "FAULTS_UNDER": str(folder), "FAULTS_LOG": str(log),
            "FAULTS_DO": what, "FAULTS_AT": str(at), "FAULTS_EVER": str(int(ever)),
            "FAULTS_NOSYNC": str(int(skips_sync)), "TMPDIR": str(temporary),
            "SQLITE_TMPDIR": str(temporary)})
        calls = [line.split("\t") for line in log.read_text().splitlines()] if log.exists() else []
        return done, calls


def operations(tool, faults, folder):
    """What is put to the test, each with the folder it begins with."""
    old, new = feeds(tool, folder, 200)
    known = ids(old)
    empty, base, after, half = (folder / f"base-{name}" for name in ("empty", "old", "new", "half"))
    for place in (empty, base):
        place.mkdir()
    imports = ("import", old, "--source", "feed"), ("import", new, "--source", "feed")
    add, remove = ("favorite", "add", *known[30:33]), ("favorite", "remove", known[0], known[50])
    tool.must(base / NAME, *imports[0])
    # the first leaves the feed with the next import
    kept = (known[0], known[50], known[51])
    tool.must(base / NAME, "favorite", "add", *kept)
    state = tool.state(base / NAME)
    copy(base, after)
    tool.must(after / NAME, *imports[1])
    updated = tool.state(after / NAME)

    def with_favorites(state, more=(), less=()):
        return State(state.restaurants, tuple(sorted(set(state.favorites) - set(less) | set(more))), state.words)

    bare = State(state.restaurants, ())
    yield Operation("create", empty, imports[0], State(None, ()), bare)
    yield Operation("import", base, imports[1], state, updated)
    yield Operation("add", base, add, state, with_favorites(state, more=add[2:]))
    yield Operation("remove", base, remove, state, with_favorites(state, less=remove[2:]))
    for name, words in [("edit", ("edit", known[7], "rating=1", "phone=")), ("hide", ("hide", *known[60:63])),
                        ("area", ("area", "add", "POLYGON((0 0,9 0,9 9,0 0))", "--name", "a")), ("rename", ("source", "rename", "feed", "lunch")),
                        ("drop", ("source", "remove", "feed"))]:
        edited = copy(base, folder / f"base-{name}")
        tool.must(edited / NAME, *words)
        yield Operation(name, base, words, state, tool.state(edited / NAME))
    # a process has died while it brought the log into the database: the next one must go on from there
    copy(base, half)
    _, calls = faults.run(copy(base, folder / "trial"), imports[1])
    counted = [call for call in calls if call[0] != "say"]
    pages = [n for n, call in enumerate(counted, 1) if call[0] == "pwrite" and call[1].endswith(NAME)]
    faults.run(half, imports[1], "torn", pages[len(pages) // 2])
    yield Operation("recover", half, add, updated, with_favorites(updated, more=add[2:]))


class Points:
    """Every point of one operation, in one mode."""

    def __init__(self, faults, operation, folder):
        self.faults, self.tool, self.operation, self.folder = faults, faults.tool, operation, folder
        self.known = set()

    def at(self, number, what, ever):
        """Whether a fault was met at the point; raises where it did harm."""
        folder = copy(self.operation.base, self.folder / f"{what}-{int(ever)}-{number}")
        done, calls = self.faults.run(folder, self.operation.words, what, number, ever)
        hits = [call for call in calls if call[3].startswith("!")]
        try:
            self.check(folder, done, hits)
        except Finding as finding:
            place = " ".join(hits[0][:3]).replace(str(folder) + "/", "") if hits else "no fault"
            kept = f"; the folder is kept: {folder}"
            raise Finding(f"{self.operation.name}, {what}{' from then on' if ever else ''} at call "
                          f"{number} ({place}): {finding}{kept}") from None
        shutil.rmtree(folder)
        return bool(hits)

    def check(self, folder, done, hits):
        database, operation = folder / NAME, self.operation
        if done.returncode == 0:
            allowed = [operation.new]
        else:
            allowed = [operation.old, operation.new]
            if not hits or done.returncode != -9:
                clear_error(done)
        # most points leave the same bytes as the one before
        key = self.fingerprint(folder), done.returncode == 0
        if key in self.known:
            return
        self.tool.check(database, allowed)
        self.again(folder)
        self.known.add(key)

    def again(self, folder):
        """Without faults it succeeds, and clears away what was left."""
        past = time.time() - 600
        for path in folder.iterdir():
            if path.suffix == ".tmp":
                os.utime(path, (past, past))
        self.tool.repeat(folder / NAME, *self.operation.words)
        self.tool.check(folder / NAME, [self.operation.new])
        left = sorted(path.name for path in folder.iterdir() if path.name != "tmp")
        if self.operation.is_import and (len(left) != 2 or left[0] != NAME):
            raise Finding(f"left after after another import: {' '.join(left)}")

    @staticmethod
    def fingerprint(folder):
        digest = hashlib.sha256()
        for path in sorted(folder.iterdir()):
            if path.suffix in (".tmp", ".lock"):
                digest.update(path.suffix.encode())
            elif path.is_file():
                digest.update(f"{path.name} {path.stat().st_size} ".encode() + path.read_bytes())
        return digest.digest()


def run(tool, folder, options):
    faults = Faults(tool, library(options.build))
    findings = []
    chosen = options.operations and options.operations.split(",")
    for operation in operations(tool, faults, folder):
        if chosen and operation.name not in chosen:
            continue
        _, calls = faults.run(copy(operation.base, folder / "count"), operation.words)
        counted = [call for call in calls if call[0] != "say"]
        place = folder / operation.name
        place.mkdir()
        points = Points(faults, operation, place)
        tried = 0

        def attempt(point):
            try:
                return points.at(*point)
            except Finding as finding:
                findings.append(finding)
                return True

        for what, ever in MODES:
            numbers = [n for n in range(1 + tried % options.stride, len(counted) + 1, options.stride)
                       if what != "torn" or counted[n - 1][0] in ("write", "pwrite")]
            with ThreadPoolExecutor(options.jobs) as pool:
                tried += sum(pool.map(attempt, [(n, what, ever) for n in numbers]))
            # to the end: until it succeeds without having met the fault
            last = len(counted) + 1
            while what != "torn" and not findings and attempt((last, what, ever)):
                tried, last = tried + 1, last + 1
        yield (f"{operation.name}: {len(counted)} calls, {tried} faults met, "
               f"{len(points.known)} outcomes checked")
        if findings:
            raise Finding(f"{len(findings)} findings:\n    "
                          + "\n    ".join(str(finding) for finding in findings[:20]))
