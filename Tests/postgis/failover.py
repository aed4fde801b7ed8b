"""A primary with a streaming standby: primaries die, standbys take over, and three replicas follow."""

import json
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

from replicas import Clients, Replica, feed, until


class Node:
    """A server that is a copy of another one, on a port of its own."""

    def __init__(self, check, name):
        self.check = check
        self.data = Path(os.environ["GEOQ_POSTGRES_DATA"]).parent / name
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

    def run(self, program, *words):
        command = [str(self.check.bin / program), *map(str, words)]
        if os.geteuid() == 0:
            command = ["runuser", "-u", "postgres", "--", *command]
        return subprocess.run(command, cwd="/", check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def copy(self, port, *options):
        shutil.rmtree(self.data, ignore_errors=True)
        self.run("pg_basebackup", "-h", "127.0.0.1", "-p", port, "-U", "geoq_owner", "-D", self.data,
                 "-c", "fast", "--no-sync", *options)

    def follow(self, primary):
        """Becomes the standby of a primary that is there."""
        self.copy(primary.port, "-R")
        self.start()
        if not until(lambda: primary.sql("SELECT sync_state FROM pg_stat_replication") == "sync"):
            self.check.say(False, "a standby follows its primary")

    def start(self):
        self.run("pg_ctl", "-D", self.data, "-w", "-l", self.data.with_suffix(".log"), "-o",
                 f"-p {self.port} -c dynamic_shared_memory_type=mmap", "start")

    def stop(self):
        self.run("pg_ctl", "-D", self.data, "-m", "immediate", "-w", "stop")

    def promote(self):
        self.run("pg_ctl", "-D", self.data, "-w", "promote")

    def kill(self):
        """Ends the server as a power cut would, as far as its clients can tell."""
        lines = (self.data / "postmaster.pid").read_text().split("\n")
        children = Path(f"/proc/{lines[0]}/task/{lines[0]}/children").read_text().split()
        os.kill(int(lines[0]), signal.SIGKILL)
        until(lambda: not self.listens())
        # they may still write to the folder
        until(lambda: not any(Path("/proc", child).exists() for child in children))
        # the system would keep the memory that the server shared with its processes
        until(lambda: subprocess.run(["ipcrm", "-m", lines[6].split()[1]], stderr=subprocess.DEVNULL).returncode == 0)

    def listens(self):
        with socket.socket() as one:
            return one.connect_ex(("127.0.0.1", self.port)) == 0

    def end(self):
        if (self.data / "postmaster.pid").exists() and self.listens():
            self.stop()

    def sql(self, *statements):
        command = [str(self.check.bin / "psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"]
        for statement in statements:
            command += ["-c", statement]
        done = subprocess.run([*command, f"postgresql://geoq_owner@127.0.0.1:{self.port}/geoq"],
                              capture_output=True, text=True, check=True)
        return done.stdout.strip()


class Favorites:
    """Changes favorites through all replicas, and knows what they must be."""

    def __init__(self, check, replicas):
        self.check, self.replicas = check, replicas
        self.wanted, self.problems = {}, []
        self.acknowledged = self.refused = 0
        self.slowest = 0.0

    def change(self):
        return self.ask(f"r{self.check.random.randrange(50)}", self.check.random.choice(["PUT", "DELETE"]))

    def ask(self, name, method):
        """Whether a change is acknowledged."""
        start = time.monotonic()
        status, headers, _ = self.check.random.choice(self.replicas).ask(f"/favorites/{name}", method)
        self.slowest = max(self.slowest, time.monotonic() - start)
        if status in (201, 204):
            self.wanted[name] = method == "PUT"
            self.acknowledged += 1
        elif status == 503 and headers["Retry-After"]:
            # it may be done or not
            self.wanted.pop(name, None)
            self.refused += 1
        else:
            self.problems.append((method, name, status))
        return status in (201, 204)

    def lost(self, primary):
        kept = set(primary.sql('SELECT id FROM failover.geoq_favorites').split())
        return [name for name, isKept in self.wanted.items() if (name in kept) != isKept]


class Imports:
    """Imports two feeds in turn, all the time."""

    def __init__(self, check, url, colors):
        self.check, self.url, self.colors = check, url, colors
        self.last = self.count = 0
        self.isDone = False
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        number = 0
        while not self.isDone:
            number += 1
            done = self.check.geoq("import", self.colors[number % 2], "--source", "made", "--json", db=self.url)
            if done.returncode == 0:
                self.count += 1
                self.last = int(json.loads(done.stdout)["generation"])
            time.sleep(0.1)

    def end(self):
        self.isDone = True
        self.thread.join()


def run(check):
    nodes = [Node(check, "north"), Node(check, "south")]
    try:
        primary, standby = nodes
        primary.copy(check.base.rsplit(":", 1)[1])
        primary.start()
        primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
        standby.follow(primary)
        hosts = ",".join(f"127.0.0.1:{node.port}" for node in nodes)
        url = f"postgresql://geoq_owner@{hosts}/geoq?schema=failover&target_session_attrs=read-write"
        made = check.geoq("init", db=url)
        check.say(made.returncode == 0, "init finds the primary among two servers", made.stderr)
        colors = [feed(check, color, min(check.options.size, 2000)) for color in ("red", "blue")]
        check.geoq("import", colors[0], "--source", "made", db=url)
        replicas = [Replica(check, f"failover-{number}", url) for number in range(3)]
        try:
            alone(check, standby, primary, replicas)
            nodes[:] = rounds(check, primary, standby, url, colors, replicas)
            control(check, *nodes, replicas)
        finally:
            for replica in replicas:
                replica.end()
    finally:
        for node in nodes:
            node.end()


def alone(check, standby, primary, replicas):
    """A primary whose standby is away takes no writes."""
    favorites = Favorites(check, replicas)
    check.say(favorites.change(), "favorites are written with a standby")
    standby.stop()
    start = time.monotonic()
    answers = [replica.ask("/favorites/r7", "PUT") for replica in replicas]
    seconds = (time.monotonic() - start) / len(replicas)
    check.say(all(status == 503 and headers["Retry-After"] for status, headers, _ in answers),
              f"and refused without one, after {seconds:.1f} s", [(a[0], a[2]) for a in answers])
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
    check.say(until(lambda: primary.sql(waiting) == "0"), "no session of the server is left waiting")
    check.say(all(replica.ask("/nearest?lat=1&lon=2")[0] == 200 for replica in replicas), "queries are answered")
    standby.start()
    check.say(all(until(lambda r=r: r.ask("/favorites/r7", "PUT")[0] in (201, 204)) for r in replicas),
              "favorites are written again when it is back")


def rounds(check, primary, standby, url, colors, replicas):
    favorites, clients = Favorites(check, replicas), Clients(replicas)
    imports = Imports(check, url, colors)
    lost, agreement, lastImport = [], 0.0, 0
    try:
        for number in range(check.options.failovers):
            end = time.monotonic() + check.random.uniform(0.5, 2)
            while time.monotonic() < end:
                favorites.change()
            primary.kill()
            for _ in range(5):
                favorites.change()
            standby.promote()
            primary, standby = standby, primary
            # until it has a standby of its own it takes no writes
            favorites.change()
            standby.follow(primary)
            start = time.monotonic()
            if not until(favorites.change):
                favorites.problems.append(("no write", number))
            lost += [(number, name) for name in favorites.lost(primary)]
            lastImport = imports.last
            generation = lambda: int(primary.sql("SELECT generation FROM failover.geoq_store"))
            if generation() < lastImport:
                lost.append((number, "import", lastImport, generation()))
            # imports go on meanwhile
            if not all(until(lambda r=r: r.generation() >= lastImport and r.staleness() is None) for r in replicas):
                favorites.problems.append(("replicas are behind", number))
            agreement = max(agreement, time.monotonic() - start)
    finally:
        imports.end()
        clients.end()
    final = int(primary.sql("SELECT generation FROM failover.geoq_store"))
    check.say(all(until(lambda r=r: r.generation() == final) for r in replicas), "replicas agree with the last primary",
              (final, [r.generation() for r in replicas]))
    color = primary.sql("SELECT DISTINCT category FROM failover.restaurants")
    shown = [color.encode() in replica.ask("/collections/restaurants/items?limit=1")[2] for replica in replicas]
    check.say(all(shown), "and show what it has", (color, shown))
    check.say(not lost, f"{check.options.failovers} primaries killed: {favorites.acknowledged} favorites and "
              f"{imports.count} imports acknowledged, none lost; the slowest favorite took {favorites.slowest:.1f} s, "
              f"agreement {agreement:.1f} s", lost)
    check.say(not favorites.problems, "every other write was refused with Retry-After", favorites.problems[:5])
    check.say(not clients.problems, f"{clients.answers} queries: none failed, none mixed", clients.problems[:5])
    check.say(favorites.refused > 0 and imports.count > 1 and len(clients.seen) > 1,
              f"control: {favorites.refused} writes were refused, {len(clients.seen)} generations seen")
    return primary, standby


def control(check, primary, standby, replicas):
    """With asynchronous replication a favorite can be lost: the check must see it."""
    primary.sql("ALTER SYSTEM SET synchronous_standby_names = ''", "SELECT pg_reload_conf()")
    standby.stop()
    favorites = Favorites(check, replicas)
    for number in range(60, 65):
        until(lambda: favorites.ask(f"r{number}", "PUT"))
    check.say(not favorites.lost(primary), "favorites are in the primary")
    primary.kill()
    standby.start()
    standby.promote()
    check.say(len(favorites.lost(standby)) == 5, "control: favorites that the standby never had are found to be lost")
