"""kill -9 at random moments of imports, of favorite writes, of corrections and saved areas, and of backups."""

import contextlib
import json
import random
import shutil
import sqlite3
import time

from store import Finding, feeds, ids


def time_of(action, rounds=5):
    """The median, in seconds."""
    times = []
    for _ in range(rounds):
        begun = time.monotonic()
        action()
        times.append(time.monotonic() - begun)
    return sorted(times)[rounds // 2]


def kill_at(process, moment):
    """Waits for a process until a moment, then kills it; its status."""
    try:
        process.wait(timeout=moment)
    except Exception:  # noqa: BLE001: it is still running
        process.kill()
    process.stderr.read()
    return process.wait()


def imports(tool, folder, rounds, rng):
    """One store all along, so that each round works on what the last one left."""
    old, new = feeds(tool, folder, 400)
    states = {}
    for feed in (old, new):
        model = folder / f"{feed.stem}.db"
        tool.must(model, "import", feed, "--source", "feed")
        states[feed] = tool.state(model)
    database = folder / "kills.db"
    tool.must(database, "import", old, "--source", "feed")
    usual = time_of(lambda: [tool.must(database, "import", feed, "--source", "feed")
                               for feed in (new, old)]) / 2
    killed = changed = 0
    before = old
    for number in range(rounds):
        if number % 10 == 9:  # now and then the first import of all
            for path in folder.glob("kills.db*"):
                path.unlink()
            before = None
        after = new if before == old else old
        process = tool.start(database, "import", after, "--source", "feed")
        status = kill_at(process, rng.uniform(0, usual * 1.2))
        allowed = [states[after]]
        if status != 0:
            killed += 1
            allowed.append(states[before] if before else tool.state(folder / "none.db"))
        try:
            found = tool.check(database, allowed)
        except Finding as finding:
            raise Finding(f"import, round {number}: {finding}") from None
        changed += status != 0 and found == states[after]
        before = after if found == states[after] else before
        if before is None:
            tool.must(database, "import", old, "--source", "feed")
            before = old
    return f"{rounds} imports, {killed} killed, of these {changed} after their commit"


def favorites(tool, folder, rounds, rng):
    """Each round adds or removes three; what was acknowledged stays, what was not is there or not."""
    feed, _ = feeds(tool, folder, 400)
    database = folder / "favorites.db"
    tool.must(database, "import", feed, "--source", "feed")
    known, restaurants = ids(feed), tool.state(database).restaurants
    usual = time_of(lambda: [tool.must(database, "favorite", word, known[0])
                               for word in ("add", "remove")]) / 2
    kept, killed, acknowledged = frozenset(), 0, 0
    for number in range(rounds):
        adds = len(kept) < 3 or rng.random() < 0.6
        chosen = rng.sample(known if adds else sorted(kept), 3)
        wanted = kept | set(chosen) if adds else kept - set(chosen)
        process = tool.start(database, "favorite", "add" if adds else "remove", *chosen)
        status = kill_at(process, rng.uniform(0, usual * 1.2))
        state = tool.state(database)
        found = frozenset(state.favorites)
        if state.restaurants != restaurants:
            raise Finding(f"favorites, round {number}: the restaurants have changed")
        if found != wanted and (status == 0 or found != kept):
            raise Finding(f"favorites, round {number}, status {status}: {len(found)} favorites, "
                          f"not {len(wanted)} nor {len(kept)}")
        killed += status != 0
        acknowledged += status == 0
        kept = found
    return f"{rounds} favorite writes, {killed} killed, {acknowledged} acknowledged, none lost"


def offer_rows(database):
    """All offers with their chains, and the revision."""
    with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        rows = connection.execute(
            "SELECT id, name, amount, position, chain FROM offers LEFT JOIN offer_chains ON offer = id ORDER BY id, position"
        ).fetchall()
        revision, = connection.execute("SELECT offersRevision FROM geoq_store").fetchone()
    return rows, revision


def offers(tool, folder, rounds, rng):
    """Imports of offers next to restaurants: each is there entirely or not at all, and no restaurant changes."""
    places, _ = feeds(tool, folder, 400)
    database = folder / "offers.db"
    tool.must(database, "import", places, "--source", "feed")
    restaurants = tool.state(database)
    contents = []
    for number in range(2):
        path = folder / f"offers{number}.json"
        path.write_text(json.dumps({"offers": [
            {"id": index, "name": f"Offer {index}", "amount": number, "retailers": [index, number]}
            for index in range(number * 100, number * 100 + 900)
        ]}))
        tool.must(database, "import", path, "--source", "offers")
        contents.append((path, offer_rows(database)[0]))
    usual = time_of(lambda: [tool.must(database, "import", path, "--source", "offers")
                               for path, _ in contents]) / 2
    current, killed, changed = 1, 0, 0
    for number in range(rounds):
        _, revision = offer_rows(database)
        process = tool.start(database, "import", contents[1 - current][0], "--source", "offers")
        status = kill_at(process, rng.uniform(0, usual * 2))
        if tool.state(database) != restaurants:
            raise Finding(f"offers, round {number}: the restaurants have changed")
        rows, after = offer_rows(database)
        if rows not in (contents[0][1], contents[1][1]) or (status == 0 and rows != contents[1 - current][1]):
            raise Finding(f"offers, round {number}, status {status}: {len(rows)} rows of neither feed")
        is_new = rows == contents[1 - current][1]
        if after != revision + is_new:
            raise Finding(f"offers, round {number}: revision {after} after {revision}")
        killed += status != 0
        changed += status != 0 and is_new
        current = 1 - current if is_new else current
    return f"{rounds} imports of offers, {killed} killed, of these {changed} after their commit"


AREA = "POLYGON((0 0,{0} 0,{0} {0},0 0))"


def corrections(tool, folder, rounds, rng):
    """Edits, hides, undos and saved areas: each is there entirely, restaurants and snapshot included, or not at all."""
    feed, _ = feeds(tool, folder, 400)
    database, model = folder / "edits.db", folder / "model.db"
    tool.must(database, "import", feed, "--source", "feed")
    known = ids(feed)
    usual = time_of(lambda: [tool.must(database, "edit", known[0], *words) for words in (["rating=1"], ["--undo"])]) / 2
    killed = changed = 0
    edited = []
    before = tool.state(database)
    for number in range(rounds):
        chosen = rng.choice(known)
        words = rng.choice([
            ("edit", chosen, f"rating={rng.randint(0, 50) / 10}", f"phone={rng.randint(1, 9)}"),
            ("hide", *rng.sample(known, 3)), ("area", "add", AREA.format(rng.randint(1, 50)), "--name", rng.choice("abc")),
            *([("edit", rng.choice(edited), "--undo")] if edited else []),
        ])
        # the same on a copy that is left alone
        for path in folder.glob("model.db*"):
            path.unlink()
        for path in folder.glob("edits.db*"):
            if not path.name.endswith((".lock", ".tmp")):
                shutil.copy(path, folder / path.name.replace("edits", "model"))
        if tool.run(model, *words).returncode != 0:
            continue
        after = tool.state(model)
        process = tool.start(database, *words)
        status = kill_at(process, rng.uniform(0, usual * 1.2))
        try:
            found = tool.check(database, [after] if status == 0 else [before, after])
        except Finding as finding:
            raise Finding(f"corrections, round {number}, {words}, status {status}: {finding}") from None
        killed += status != 0
        changed += status != 0 and found == after and after != before
        if found == after and words[0] != "area":
            edited = sorted({line.split("\t")[0] for line in found.words if line.split("\t")[0] in known})
        before = found
    return f"{rounds} corrections and areas, {killed} killed, of these {changed} after their commit"


def backups(tool, folder, rounds, rng):
    """A backup is a whole database under its name, or it is not there; an older one of that name stays whole."""
    feed, _ = feeds(tool, folder, 2_000)
    database, copy = folder / "whole.db", folder / "backup.db"
    tool.must(database, "import", feed, "--source", "feed")
    tool.must(database, "favorite", "add", *ids(feed)[:3])
    tool.must(database, "edit", ids(feed)[5], "rating=1")
    state = tool.state(database)
    usual = time_of(lambda: tool.must(database, "backup", copy, "--force"))
    killed = there = 0
    for number in range(rounds):
        isolated = number % 2 == 0
        for path in folder.glob("backup.db*" if isolated else "backup.db.*"):
            path.unlink()
        had = copy.exists()
        process = tool.start(database, "backup", copy, "--force")
        status = kill_at(process, rng.uniform(0, usual * 1.2))
        if copy.exists():
            tool.check(copy, [state])
        elif status == 0 or had:
            raise Finding(f"backups, round {number}, status {status}: no file")
        tool.check(database, [state])
        killed += status != 0
        there += copy.exists()
    return f"{rounds} backups, {killed} killed, {there} whole copies, no part of one"


def run(tool, folder, options):
    rng = random.Random(options.seed)
    for part in (imports, favorites, offers, corrections, backups):
        place = folder / part.__name__
        place.mkdir()
        yield part(tool, place, options.rounds, rng)
        shutil.rmtree(place)
