"""Slow clients against the built service: all are cut, and other clients do not notice.

    python3 Tests/service/slow.py .build/release/geoq [CLIENTS]      default 1000 of each kind

Kinds: a header a byte at a time, a body a byte at a time, a reader that does not read, and a
connection without a word. A probe asks all the time. Prints a line per kind; exits with 1 where a
client is alive after 30 s, a probe fails or takes longer than 50 ms (GEOQ_PROBE_MS) at the 99th
percentile, the service takes more than 256 MB, or descriptors do not come back.
"""

import asyncio
import contextlib
import json
import multiprocessing
import os
import random
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HEAD = b"GET /nearest?lat=1&lon=2 HTTP/1.1\r\nHost: localhost\r\n"
BODY_HEAD = (b"POST /nearest HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
             b"Content-Length: 1000\r\n\r\n")
LARGE = b"GET /bbox?bbox=-180,-90,180,90 HTTP/1.1\r\nHost: localhost\r\n\r\n"
LIMIT = 30.0
MEMORY_LIMIT = 256  # MB
PROBE_LIMIT = float(os.environ.get("GEOQ_PROBE_MS", "50"))


async def trickle(writer, head, rest):
    writer.write(head)
    for byte in rest:
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(1)
    await asyncio.sleep(LIMIT + 10)


async def silent(_):
    await asyncio.sleep(LIMIT + 10)


KINDS = {
    "slow header": lambda w: trickle(w, b"", HEAD + b"X: " + b"a" * 100),
    "slow body": lambda w: trickle(w, BODY_HEAD, b" " * 1000),
    "silent": silent,
}


def peer(number):
    """An address of its own for every few clients: the service bounds the connections of one."""
    return f"127.0.0.{2 + number % 8}", 0


async def client(port, number, behave):
    """Seconds until the service closes; None if it does not."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=peer(number))
    begun = time.monotonic()
    task = asyncio.create_task(behave(writer))
    try:
        while await asyncio.wait_for(reader.read(65536), LIMIT + 5):
            pass
        return time.monotonic() - begun
    except (ConnectionError, BrokenPipeError):
        return time.monotonic() - begun
    except TimeoutError:
        return None
    finally:
        task.cancel()
        writer.close()


async def slow_reader(port, number):
    """Asks for megabytes and reads nothing; the kernel says when the connection is gone."""
    # the first ones one after the other: they count as slow when the memory for answers is used up
    await asyncio.sleep(min(number, 10) * 0.3)
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.bind(peer(number))
    connection.setblocking(False)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(connection, ("127.0.0.1", port))
    begun = time.monotonic()
    await loop.sock_sendall(connection, LARGE)
    try:
        while time.monotonic() - begun < LIMIT + 5:
            await asyncio.sleep(0.5)
            state = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0]
            if state != 1:  # no longer established
                return time.monotonic() - begun
        return None
    finally:
        connection.close()


def probe(port, stop, answers):
    """Asks all the time, in a process of its own: a thousand clients keep this one busy."""
    times = []
    while not stop.is_set():
        begun = time.monotonic()
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
            connection.sendall(HEAD + b"Connection: close\r\n\r\n")
            answer = connection.recv(16)
        times.append((time.monotonic() - begun, answer.startswith(b"HTTP/1.1 200")))
        time.sleep(0.01)
    answers.put(times)


async def measure(name, start, port, count):
    stop, answers = multiprocessing.Event(), multiprocessing.Queue()
    prober = multiprocessing.Process(target=probe, args=(port, stop, answers))
    prober.start()
    lives = await asyncio.gather(*(start(port, number) for number in range(count)))
    stop.set()
    times = answers.get(timeout=20)
    prober.join()
    alive = sum(life is None or life > LIMIT for life in lives)
    cut = [life for life in lives if life is not None]
    failed = sum(not ok for _, ok in times)
    p99 = sorted(t for t, _ in times)[int(len(times) * 0.99)] * 1000
    print(f"{name:12} {count} clients, cut after {min(cut, default=0):.1f}-{max(cut, default=0):.1f} s, "
          f"{alive} alive; {len(times)} probes, {failed} failed, p99 {p99:.1f} ms", flush=True)
    return alive == 0 and failed == 0 and p99 <= PROBE_LIMIT


def feed(count):
    rng = random.Random(1)
    return {"type": "FeatureCollection", "features": [
        {"type": "Feature", "id": f"p{n}", "properties": {"name": f"Place {n}" + "x" * 800},
         "geometry": {"type": "Point", "coordinates": [rng.uniform(-179, 179), rng.uniform(-80, 80)]}}
        for n in range(count)]}


def peak(pid):
    """The most memory that a process has had, in MB, pages of mapped files included."""
    return int(re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1]) // 1024


def descriptors(pid):
    """What the open descriptors of a process lead to."""
    found = []
    for name in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            found.append(os.readlink(f"/proc/{pid}/fd/{name}"))
    return found


async def until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        await asyncio.sleep(0.05)


async def run(port, count, pid, database):
    # the service opens the database when it first looks for another generation, this file last
    await until(lambda: f"{database}-shm" in descriptors(pid))
    before = len(descriptors(pid))
    sound = True
    for name, behave in KINDS.items():
        sound &= await measure(name, lambda p, number, b=behave: client(p, number, b), port, count)
    sound &= await measure("slow read", slow_reader, port, count)
    await until(lambda: len(descriptors(pid)) <= before + 2)
    after = len(descriptors(pid))
    print(f"descriptors  {before} before, {after} after; at most {peak(pid)} MB of memory")
    return sound and after <= before + 2 and peak(pid) <= MEMORY_LIMIT


def main():
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    binary, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    with tempfile.TemporaryDirectory() as folder:
        path, database = Path(folder) / "feed.json", str(Path(folder) / "lunch.db")
        path.write_text(json.dumps(feed(10_000)))
        subprocess.run([binary, "import", "-q", "--db", database, str(path)], check=True)
        service = subprocess.Popen([binary, "serve", "-q", "--db", database, "--port", "0"],
                                   stdout=subprocess.PIPE, text=True)
        port = int(service.stdout.readline().rsplit(":", 1)[1])
        try:
            sound = asyncio.run(run(port, count, service.pid, os.path.realpath(database)))
        finally:
            service.send_signal(signal.SIGTERM)
            service.wait(timeout=20)
    sys.exit(0 if sound else 1)


if __name__ == "__main__":
    main()
