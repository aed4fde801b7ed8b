"""What another program has written into the database: a right answer or a clear error, never a crash or a hang."""

import contextlib
import os
import sqlite3
import subprocess

from store import ENVIRONMENT, ERROR_CODES, Finding, copy, feeds, ids

NAME = "lunch.db"
# the last is longer than a record of a feed may be
VALUES = ("NULL", "-5", "9223372036854775807", "1e300", "9e999", "'text'", "x'FF00'", "hex(zeroblob(600000))")
LISTS = ("offer_categories", "offer_chains", "offer_restaurants", "offer_restaurantCategories")
BOOKKEEPING = ("geoq_store", "geoq_sources", "geoq_fingerprints", "geoq_records", "geoq_favorites")
TABLES = (*BOOKKEEPING, "restaurants", "chains", "offers", *LISTS)
ENDLESS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i)"


def opened(database):
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("PRAGMA ignore_check_constraints = ON")
    # SpatiaLite's triggers call its functions, which this connection does not have
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger' "
                                      "AND tbl_name = 'restaurants'").fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    return contextlib.closing(connection)


def changes(database):
    """The changes, each with whether it must be refused."""
    with opened(database) as connection:
        for table in TABLES:
            yield (f"ALTER TABLE {table} RENAME TO was; "
                   f"CREATE VIEW {table} AS {ENDLESS} AS generation FROM n"), True
            for row in connection.execute(f"PRAGMA table_info({table})").fetchall():
                for value in VALUES:
                    yield f"UPDATE OR IGNORE {table} SET {row[1]} = {value}", False
    for table in BOOKKEEPING:
        for event in ("INSERT", "UPDATE", "DELETE"):
            yield (f"CREATE TABLE l (i); CREATE TRIGGER t AFTER {event} ON {table} BEGIN "
                   f"INSERT INTO l SELECT * FROM ({ENDLESS} FROM n); END"), True


def ask(tool, database, must_fail, words):
    command = [tool.binary, "--db", str(database), "-q", *map(str, words)]
    try:
        done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, timeout=20)
    except subprocess.TimeoutExpired:
        raise Finding("no end after 20 s") from None
    said = done.stderr.decode(errors="replace").strip()
    if done.returncode not in {0, 1, *ERROR_CODES} or done.returncode == 0 and must_fail:
        raise Finding(f"status {done.returncode}, {said[:300]}")
    if done.returncode != 0 and not said.startswith("Error: "):
        raise Finding(f"no clear error: {said[:300]}")
    return done.returncode


def run(tool, folder, options):
    old, new = feeds(tool, folder, 60)
    base = folder / "base"
    base.mkdir()
    tool.must(base / NAME, "import", old, "--source", "feed")
    tool.must(base / NAME, "favorite", "add", *ids(old)[:3])
    with opened(base / NAME) as connection:
        connection.executescript(
            "INSERT INTO chains (id, name, source) VALUES ('c', 'Chain', 'feed');"
            "INSERT INTO offers (id, name, amount, source) VALUES ('o', 'Offer', 2.5, 'feed');"
            + "".join(f"INSERT INTO {table} VALUES ('o', 0, 'x');" for table in LISTS))
    commands = [("list", "-f", "count"), ("info",), ("favorite", "list"), ("offers",),
                ("source", "rename", "feed", "other"), ("import", new, "--source", "feed")]
    for path in base.glob("*.geoqx"):
        os.unlink(path)
    made, refused = 0, 0
    for change, must_fail in list(changes(base / NAME))[::67 if options.short else 1]:
        place = copy(base, folder / "changed")
        with opened(place / NAME) as connection, contextlib.suppress(sqlite3.IntegrityError):
            connection.executescript(change)
        made += 1
        for words in commands:
            try:
                refused += ask(tool, place / NAME, must_fail, words) != 0
            except Finding as finding:
                raise Finding(f"{change}: {' '.join(map(str, words[:2]))}: {finding}") from None
    yield f"{made} changes by another program: {refused} clear errors, the rest answered"
