"""The tool under test, and what a store holds: shared by the crash tests."""

import hashlib
import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

# a Swift program that is killed would otherwise spend minutes on its backtrace
ENVIRONMENT = {**os.environ, "SWIFT_BACKTRACE": "enable=no"}
ERROR_CODES = {65, 69, 73, 74, 75, 77}


class Finding(Exception):
    """What a test must not see."""


@dataclass(frozen=True)
class State:
    """All that a store must keep: its restaurants as exported, its favorites, and its corrections and saved areas
    without their times. No store: nothing."""

    restaurants: bytes | None
    favorites: tuple
    words: tuple = ()

    def __str__(self):
        if self.restaurants is None:
            return "no database"
        digest = hashlib.sha256(self.restaurants).hexdigest()[:8]
        return f"{self.restaurants.count(10)} restaurants ({digest}), {len(self.favorites)} favorites, {len(self.words)} corrections and areas"


class Tool:
    def __init__(self, binary):
        self.binary = str(Path(binary).resolve())

    def run(self, database, *words, environment=None, **options):
        """Runs a command to its end; a hang is a finding."""
        command = [self.binary, "--db", str(database), *map(str, words)]
        try:
            return subprocess.run(command, env={**ENVIRONMENT, **(environment or {})},
                                  capture_output=True, timeout=120, **options)
        except subprocess.TimeoutExpired:
            raise Finding(f"{' '.join(map(str, words))}: no end after 120 s") from None

    def must(self, database, *words, **options):
        """Runs a command that must succeed, and returns what it wrote."""
        done = self.run(database, *words, **options)
        if done.returncode != 0:
            raise Finding(f"{' '.join(map(str, words))}: status {done.returncode}, "
                          f"{(done.stderr + done.stdout).decode(errors='replace').strip()}")
        return done.stdout

    def repeat(self, database, *words):
        """Does again what may have been done; to remove what is gone already is an error of its own."""
        done = self.run(database, *words)
        if done.returncode == 1 and (words[:2] == ("favorite", "remove") or words[0] == "source"):
            return
        if done.returncode != 0:
            raise Finding(f"again: status {done.returncode}, {done.stderr.decode(errors='replace')}")

    def start(self, database, *words):
        return subprocess.Popen([self.binary, "--db", str(database), *map(str, words)],
                                env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def state(self, database, **options):
        """What the store holds, after `geoq verify` has found nothing wrong with it."""
        if not Path(database).exists():
            return State(None, ())
        self.must(database, "verify", **options)
        restaurants = self.must(database, "-q", "export", "-f", "geojsonseq", **options)
        favorites = self.must(database, "-q", "favorite", "list", "-f", "ids", **options)
        lists = [self.must(database, "-q", *words, **options) for words in (("edit", "--list"), ("area", "list"))]
        words = [line.rsplit("\t", 1)[0] for text in lists for line in text.decode().splitlines()[1:]]
        return State(restaurants, tuple(favorites.decode().split()), tuple(words))

    def check(self, database, allowed, **options):
        """The store's state, which must be one of those allowed."""
        state = self.state(database, **options)
        if state not in allowed:
            raise Finding(f"{state} instead of {' or '.join(map(str, allowed))}")
        return state


def clear_error(done):
    """Fails unless a command failed as it should: a known status, one sentence, no answer."""
    text = done.stderr.decode(errors="replace")
    lines = [line for line in text.splitlines() if not line.startswith("warning: ")]
    if done.returncode not in ERROR_CODES:
        raise Finding(f"status {done.returncode}: {text.strip()}")
    if len(lines) != 1 or not lines[0].startswith("Error: ") or done.stdout:
        raise Finding(f"no clear error: {text!r}, {done.stdout[:80]!r}")
    return lines[0]


def feeds(tool, folder, size):
    """Two feeds of one source: the second changes a third of the first, drops 20 and adds 20."""
    old, new, other = (Path(folder) / name for name in ("old.geojsonseq", "new.geojsonseq", "other"))
    make = ("-q", "generate", "--size", size, "--force", "-f", "geojsonseq", "-o")
    tool.must("none.db", *make, old)
    tool.must("none.db", *make, new, "--changed", 30)
    tool.must("none.db", *make, other, "--seed", 2)
    lines = new.read_bytes().splitlines(keepends=True)[20:]
    new.write_bytes(b"".join(lines + other.read_bytes().splitlines(keepends=True)[:20]))
    return old, new


def ids(feed):
    """The ids of a feed, as they come."""
    return [json.loads(line.lstrip(b"\x1e"))["id"] for line in feed.read_bytes().splitlines()]


def copy(base, folder):
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(base, folder)
    return folder
