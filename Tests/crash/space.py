"""A full disk, a quota, and folders and disks that cannot be written: one clear error, the old data served."""

import contextlib
import os
import resource
import shutil
import sqlite3
import subprocess

from store import Finding, Tool, clear_error, copy, feeds, ids

NAME = "lunch.db"
NOBODY = 65534


class Disk:
    """A small disk in memory, for root; elsewhere there is none."""

    def __init__(self, place, size="24m"):
        self.place, self.size = place, size
        self.filler = place / "filler"

    def __enter__(self):
        self.place.mkdir()
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={self.size}", "tmpfs",
                               str(self.place)], capture_output=True)
        self.is_there = done.returncode == 0
        return self

    def __exit__(self, *_):
        if self.is_there:
            subprocess.run(["umount", "-l", str(self.place)], check=True)

    def leave(self, free):
        """Fills the disk but for some bytes."""
        self.filler.unlink(missing_ok=True)
        facts = os.statvfs(self.place)
        self.filler.write_bytes(bytes(max(0, facts.f_bavail * facts.f_frsize - free)))

    def remount(self, how):
        subprocess.run(["mount", "-o", f"remount,{how}", str(self.place)], check=True)


class Trials:
    """Operations that must fail, on a store that must stay as it is."""

    def __init__(self, tool, folder, is_short):
        self.tool, self.is_short = tool, is_short
        self.old, self.new = feeds(tool, folder, 2000)
        self.base = folder / "base"
        self.base.mkdir()
        known = ids(self.old)
        self.operations = [("import", self.new, "--source", "feed"), ("favorite", "add", known[40]),
                           ("favorite", "remove", known[1]), ("edit", known[7], "rating=1"),
                           ("area", "add", "POLYGON((0 0,9 0,9 9,0 0))", "--name", "a")]
        tool.must(self.base / NAME, "import", self.old, "--source", "feed")
        tool.must(self.base / NAME, "favorite", "add", *known[:3])
        self.state = tool.state(self.base / NAME)
        self.errors = set()

    def served(self, database, options=None):
        """The old data is there for every reader."""
        options = options or {}
        self.tool.check(database, [self.state], **options)
        self.tool.must(database, "-q", "nearest", "--at", "48.86,2.35", "-k", 5, **options)
        self.tool.must(database, "-q", "search", "the", **options)

    def fail(self, database, operation, where, may_succeed=False, run=None, ask=None):
        """One operation; whether it failed."""
        try:
            done = self.tool.run(database, *operation, **(run or {}))
            if done.returncode == 0 and may_succeed:
                return False
            self.errors.add(clear_error(done).split(": ", 2)[-1])
            self.served(database, ask)
        except Finding as finding:
            raise Finding(f"{where}, {' '.join(map(str, operation[:2]))}: {finding}") from None
        return True


def full(trials, disk):
    """Less and less room, down to none."""
    place, failures = disk.place / "store", 0
    free_bytes = (0, 16 << 10, 40 << 10, 100 << 10, 300 << 10, 1 << 20, 2 << 20)
    for free in free_bytes[:4:3] if trials.is_short else free_bytes:
        for operation in trials.operations:
            disk.filler.unlink(missing_ok=True)
            copy(trials.base, place)
            disk.leave(free)
            failures += trials.fail(place / NAME, operation, f"{free} bytes free", may_succeed=free > 0)
            disk.filler.unlink()
            trials.tool.repeat(place / NAME, *operation)
        shutil.rmtree(place)
        place.mkdir()
        disk.leave(free)
        copied = place / "backup.db"
        done = trials.tool.run(trials.base / NAME, "backup", copied)
        if done.returncode != 0:
            clear_error(done)
            failures += 1
            if left := sorted(path.name for path in place.iterdir()):
                raise Finding(f"a backup with {free} bytes free left {' '.join(left)}")
        done = trials.tool.run(place / NAME, "import", trials.old, "--source", "feed")
        if done.returncode != 0:
            clear_error(done)
            left = sorted(path.name for path in place.iterdir())
            if [name for name in left if not name.endswith(".lock")]:
                raise Finding(f"first import with {free} bytes free left {' '.join(left)}")
    disk.filler.unlink()
    if failures < 4:
        raise Finding(f"only {failures} operations met the full disk")
    return f"full disk: {failures} clear errors, the old data served, all well when there is room again"


def log(trials, disk):
    """A failed import must free the room that its changes took in the log, which a reader keeps."""
    for free in (100 << 10, 300 << 10):
        place = copy(trials.base, disk.place / "store")
        with contextlib.closing(sqlite3.connect(place / NAME)) as reader:
            reader.execute("PRAGMA journal_mode = WAL")
            reader.execute("SELECT generation FROM geoq_store").fetchall()
            disk.leave(free)
            if not trials.fail(place / NAME, trials.operations[0], f"{free} bytes free, a reader"):
                raise Finding("the import did not meet the full disk")
            left = (place / f"{NAME}-wal").stat().st_size
            if left:
                raise Finding(f"an import that failed with {free} bytes free left a log of {left} bytes")
        disk.filler.unlink()
    return "full disk, a reader: the log of failed imports is emptied"


def read_only(trials, disk):
    place = copy(trials.base, disk.place / "store")
    disk.remount("ro")
    try:
        for operation in trials.operations:
            trials.fail(place / NAME, operation, "read-only disk")
    finally:
        disk.remount("rw")
    return f"read-only disk: {len(trials.operations)} clear errors, the old data served"


def forbidden(trials, folder):
    """A folder and a file of another user."""
    place = copy(trials.base, folder / "forbidden")
    options = {}
    if os.geteuid() == 0:
        options = {"user": NOBODY, "group": NOBODY, "extra_groups": [], "cwd": "/"}
        for parent in (folder, *folder.parents):
            if not parent.stat().st_mode & 1:
                if parent != folder:
                    return f"no permission: skipped, others cannot reach {folder}"
                parent.chmod(0o755)
    for path in place.iterdir():
        path.chmod(0o444)
    place.chmod(0o555)
    reach = trials.tool.run(place / NAME, "--version", **options)
    if reach.returncode != 0:
        return f"no permission: skipped, others cannot run {trials.tool.binary}"
    for operation in trials.operations:
        trials.fail(place / NAME, operation, "no permission", run=options, ask=options)
    place.chmod(0o755)
    return f"no permission: {len(trials.operations)} clear errors, the old data served"


def quota(trials, folder):
    failures, size = 0, (trials.base / NAME).stat().st_size
    limits = (0, 4096, 40_000, 200_000, size - 4096, size, size + 40_000)
    for limit in limits[:1] if trials.is_short else limits:
        for operation in trials.operations:
            place = copy(trials.base, folder / "quota")
            run = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))}
            failures += trials.fail(place / NAME, operation, f"files of at most {limit} bytes",
                                    may_succeed=limit > 0, run=run)
            trials.tool.repeat(place / NAME, *operation)
    return f"quota: {failures} clear errors, the old data served"


def run(tool, folder, options):
    # a place that other users can reach
    local = folder / "geoq"
    shutil.copy(tool.binary, local)
    trials = Trials(Tool(local), folder, options.short)
    with Disk(folder / "disk") as disk:
        if disk.is_there:
            yield full(trials, disk)
            yield log(trials, disk)
            yield read_only(trials, disk)
        else:
            yield "full disk, read-only disk: skipped, only root can mount one"
    yield forbidden(trials, folder)
    yield quota(trials, folder)
    for error in sorted(trials.errors):
        yield f"  said: {error}"
