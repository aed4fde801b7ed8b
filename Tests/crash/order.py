"""The order of writes, fsync and rename: what a power cut needs, which a kill does not show.

The calls come from faults.c. With fsync made a no-op the same check must find fault with every operation,
or it proves nothing.
"""

import os

import faults
from store import Finding, copy

WRITES = ("write", "pwrite", "writev", "pwritev", "ftruncate")


def is_nameless(name):
    """Whether it is a temporary file of SQLite that has lost its name: it is gone after a crash, synced or not."""
    return name.startswith("etilqs_") and name.endswith(" (deleted)")


class Order:
    """Reads a record of calls and notes what is out of order."""

    def __init__(self, database):
        self.database, self.log = database, database + "-wal"
        # the journal holds what the database was like before its mode changed
        self.journal = database + "-journal"
        self.unsynced, self.unnamed, self.seen = set(), set(), set()
        self.problems = []

    def note(self, call, path, other, result):
        short = os.path.basename(path) or path
        if call == "say":
            self.end("it said that it was done")
        # the index of the log is made anew after a crash, and the lock means nothing then
        elif result != "ok" or path.endswith(("-shm", ".lock")) or is_nameless(short):
            return
        elif call in WRITES:
            self.write(call, path, short)
        elif call in ("fsync", "fdatasync"):
            self.unsynced.discard(path)
            self.unnamed = {name for name in self.unnamed if os.path.dirname(name) != path}
        elif call == "rename":
            if path in self.unsynced:
                self.problems.append(f"{short} was renamed before it was synced")
            self.unsynced.discard(path)
            self.unnamed.discard(path)
            self.unnamed.add(other)
        elif call == "unlink":
            self.remove(path, short)

    def write(self, call, path, short):
        if path == self.database and {self.log, self.journal} & self.unsynced:
            self.problems.append(f"{call} of {short} before its log or journal was synced")
        if path == self.log and call == "ftruncate":
            if self.database in self.unsynced:
                self.problems.append("the log was cut before the database was synced")
            return
        if path not in self.seen:
            self.seen.add(path)
            if path != self.database:
                self.unnamed.add(path)
        self.unsynced.add(path)

    def remove(self, path, short):
        if path in (self.log, self.journal) and self.database in self.unsynced:
            self.problems.append("the log or journal was removed before the database was synced")
        if path.endswith(".geoqx") and {self.log, self.database} & self.unsynced:
            self.problems.append(f"{short} was removed before the commit was synced")
        self.unsynced.discard(path)
        self.unnamed.discard(path)
        self.seen.discard(path)

    def end(self, when):
        for path in sorted(self.unsynced):
            self.problems.append(f"{when} before {os.path.basename(path)} was synced")
        for path in sorted(self.unnamed):
            self.problems.append(f"{when} before the folder with {os.path.basename(path)} was synced")


def problems(folder, calls):
    order = Order(str(folder / faults.NAME))
    for call in calls:
        order.note(*call)
    order.end("it ended")
    return order.problems


def run(tool, folder, options):
    recorder = faults.Faults(tool, faults.library(options.build))
    for operation in faults.operations(tool, recorder, folder):
        for skips_sync in (False, True):
            place = copy(operation.base, folder / "order")
            done, calls = recorder.run(place, operation.words, skips_sync=skips_sync)
            if done.returncode != 0:
                raise Finding(f"{operation.name}: status {done.returncode}, {done.stderr.decode()}")
            found = problems(place, calls)
            if skips_sync and not found:
                raise Finding(f"{operation.name}: the check is blind: it passes without fsync")
            if found and not skips_sync:
                raise Finding(f"{operation.name}: " + "; ".join(found))
        syncs = sum(call[0] in ("fsync", "fdatasync") for call in calls)
        yield (f"{operation.name}: {len(calls)} calls in order, {syncs} of them fsync; "
               f"without these {len(found)} faults found, the first: {found[0]}")
