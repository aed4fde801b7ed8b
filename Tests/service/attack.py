"""Everything at once against a service that is exposed: normal requests must not notice.

    python3 Tests/service/attack.py .build/release/geoq [SECONDS]      default 600; 20 in CI

The service runs with `--host 0.0.0.0 --token-file FILE` and is reached on loopback only. From 127.0.0.2
to 127.0.0.9 come stalled readers, slow heads, slow and large bodies, connections that come and go, hostile
requests (those of hostile.py and of Tests/cost), upgrades, pipelining, POST /nearest at its limits, heavy
searches, the largest pages, readers of favorites, and guesses of the token. From 127.0.0.1 come normal
requests. Then SIGTERM, while all of it goes on.

Prints what was seen. Exits with 1 if a normal request fails or gets a 5xx, waits for more than 100 ms at
the 99th percentile (GEOQ_PROBE_MS), a stranger gets more than a refusal for favorites or writes, anyone
gets a 500, memory (mapped files apart) passes 300 MB, or the process does not end within 11 s of SIGTERM.
"""

import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import hostile
from crowd import ALL, ALL_HTML, Crowd, Flood, Probes, Service, Watch, make_database, peers, raise_descriptor_limit, request
from floods import FAVORITES, POST, REFUSED, bodies, churn, half, silent, stalled, warm_up

SEED = int(os.environ.get("SEED", "20150821"))
PROBE_LIMIT = float(os.environ.get("GEOQ_PROBE_MS", "100"))
MEMORY_LIMIT = 300  # MB
END_LIMIT = 11.0
TOKEN = "a-token-of-the-attacked-0123456789"
CLOSE = ["Connection: close"]
EIGHT = peers(8)


# -- requests ---------------------------------------------------------------------------------------


def hostile_requests(port, rng):
    """Those of hostile.py, and some of each place of the cost test, if it is there."""
    status, api = ask_json(port, "/api")
    assert status == 200, status
    made = [data for data, _ in itertools.chain(
        hostile.declared(api), hostile.parameters(), hostile.targets(), hostile.protocol(), hostile.bodies())]
    made += [data for data, _ in hostile.mutations(list(made), 1_000)]
    sys.path.append(str(Path(__file__).parents[1] / "cost"))
    try:
        import carriers
        import places
    except ImportError:
        return made, 0
    known = list(itertools.chain(places.of_targets(api, "wrong"), carriers.of_headers(), carriers.of_bodies(api)))
    before, begun = len(made), time.monotonic()
    while time.monotonic() - begun < 3 and len(made) < before + 2_000:
        place = rng.choice(known)
        case = place.make(rng.choice(list(place.classes)), rng.choice(place.sizes), rng.getrandbits(30))
        made.append(case.data.replace(b"@PORT@", str(port).encode()))
    return made, len(made) - before


def ask_json(port, target):
    import urllib.request
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{target}", timeout=10) as answer:
        return answer.status, json.loads(answer.read())


def limits():
    """POST /nearest with as many points and answers as there may be, and no two alike."""
    def pieces(number):
        rng = random.Random(number)
        count = [10, 100, 1000][number % 3]
        points = [{"lat": rng.uniform(-90, 90), "lon": rng.uniform(-180, 180)} for _ in range(10_000 // count)]
        return [request("/nearest", "POST", body=json.dumps({"points": points, "count": count}).encode(), fields=CLOSE)]
    return pieces


LETTERS = "aeiourstlnm"


def searches(number):
    """Words that begin many others, over everything there is."""
    rng = random.Random(number)
    words = "+".join("".join(rng.choices(LETTERS, k=rng.choice([1, 1, 2]))) for _ in range(rng.randrange(1, 40)))
    target = rng.choice(["/collections/restaurants/items?limit=10000&sortby=-name", "/radius?lat=0&lon=0&radius=20000000&limit=10000",
                         "/bbox?bbox=-180,-90,180,90&limit=10000", "/nearest?lat=1&lon=2&count=1000", "/count/bbox?bbox=-180,-90,180,90"])
    return [request(f"{target}&q={words}", fields=CLOSE)]


def plans(number):
    """Groups of five that together have all of 64 words: more than there is time for."""
    words = [first + second for first in LETTERS for second in LETTERS]
    random.Random(number).shuffle(words)
    wants = "".join(f"&want=text:{word}" for word in words[:64])
    return [request(f"/cover?lat=1&lon=2&places=5&by={['farthest', 'walk', 'spread'][number % 3]}{wants}", fields=CLOSE)]


def upgrades(number):
    kind = ["h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__", "websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13", "TLS/1.2\r\nConnection: upgrade"][number % 3]
    return [request("/nearest?lat=1&lon=2", fields=[f"Upgrade: {kind}"]) * 3 + request("/healthz", fields=CLOSE)]


def guesses(ids):
    """Writes and favorites without the token, or with a wrong one, in every way there is."""
    def pieces(number):
        rng = random.Random(number)
        guess = rng.choice(["", "wrong", TOKEN[:-1], TOKEN + "0", TOKEN.upper(), "a" * 4_000])
        fields = rng.choice([[], ["Authorization: Bearer " + guess], ["Authorization: Basic " + guess], ["Cookie: geoq=" + guess],
                             [f"Cookie: geoq-{rng.randrange(65536)}={guess}", "Sec-Fetch-Site: same-origin"], ["Origin: http://localhost"],
                             ["X-Forwarded-For: 127.0.0.1", "X-Forwarded-Host: localhost"]])
        method = rng.choice(["PUT", "DELETE", "GET", "TOKEN", "SESSION"])
        if method == "TOKEN":
            return [request(f"/?token={guess or 'x'}", fields=CLOSE)]
        if method == "SESSION":
            return [request("/session", "POST", body=json.dumps({"token": guess}).encode(), fields=CLOSE)]
        target = f"/favorites/{rng.choice(ids)}" if method != "GET" else rng.choice(["/favorites", "/metrics"])
        return [request(target, method, fields=fields + CLOSE)]
    return pieces


def crowds(ids, requests):
    """What runs in each of the attacking processes."""
    favorites = request("/favorites?limit=10000")
    mixed = list(requests)
    random.Random(SEED).shuffle(mixed)
    holding = [stalled(48, 8), stalled(16, 8, ALL_HTML), half(300, EIGHT), silent(200, EIGHT), bodies("slow bodies", 200, POST, whole=False),
               Crowd("favorites unread", 40, EIGHT, lambda _: [favorites * 10], reads=False),
               Crowd("pipelined unread", 16, EIGHT, lambda _: [request("/nearest?lat=1&lon=2&count=100") * 10_000], reads=False)]
    busy = [churn(16, EIGHT), bodies("whole bodies", 16, POST), bodies("refused bodies", 16, REFUSED),
            Crowd("limits", 8, EIGHT, limits()), Crowd("searches", 16, EIGHT, searches),
            Crowd("plans", 8, EIGHT, plans),
            Crowd("largest pages", 4, EIGHT, lambda n: [request(ALL if n % 4 else ALL_HTML, fields=CLOSE)]),
            Crowd("upgrades", 8, EIGHT, upgrades), Crowd("favorites", 16, EIGHT, lambda _: [request("/favorites", fields=CLOSE)]),
            Crowd("guesses", 16, EIGHT, guesses(ids)),
            Crowd("pipelined", 4, EIGHT, lambda _: [request("/nearest?lat=1&lon=2") * 2_000])]
    strange = [Crowd("hostile", 24, EIGHT, lambda n: [mixed[n % len(mixed)]], leaves=True)]
    for crowd in holding + busy + strange:
        crowd.again = 1.0 if crowd in holding else 0.02
    return [holding, busy, strange]


# -- all --------------------------------------------------------------------------------------------


def favorites_of(binary, database):
    listed = subprocess.run([binary, "favorite", "list", "-q", "--db", str(database), "-f", "ids"], check=True, capture_output=True)
    return sorted(listed.stdout.split())


def by_crowd(counts):
    found = {}
    for key, count in counts.items():
        name, what = key.rsplit(": ", 1)
        found.setdefault(name, Counter())[what] += count
    return found


def judge(probes, counts, peak, problems):
    if probes.failures:
        problems.append(f"normal requests: {probes.failures.total()} of {len(probes.found)} failed: {dict(probes.failures.most_common(5))}")
    if probes.percentile(0.99) > PROBE_LIMIT:
        problems.append(f"normal requests wait for {probes.percentile(0.99):.0f} ms at the 99th percentile, {PROBE_LIMIT:.0f} at most")
    if peak > MEMORY_LIMIT:
        problems.append(f"{peak:.0f} MB of memory, {MEMORY_LIMIT} at most")
    for name, seen in by_crowd(counts).items():
        if seen["500"]:
            problems.append(f"{name}: {seen['500']} answers are 500")
        if not seen["opened"]:
            problems.append(f"{name}: no connection came about")
        if name in ("guesses", "favorites", "favorites unread") and (let := sum(n for s, n in seen.items() if s.isdigit() and s[0] in "23")):
            problems.append(f"{name}: {let} were let in without the token: {dict(seen)}")


def main():
    raise_descriptor_limit()
    binary, seconds = str(Path(sys.argv[1]).resolve()), float(sys.argv[2]) if len(sys.argv) > 2 else 600
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        database, ids = make_database(binary, Path(folder), favorites=FAVORITES)
        token_file = Path(folder) / "token"
        token_file.touch(mode=0o600)
        token_file.write_text(TOKEN + "\n")
        before = favorites_of(binary, database)
        service = Service(binary, database, "--host", "0.0.0.0", token_file=token_file, quiet=False)
        warm_up(service.port)
        requests, of_cost = hostile_requests(service.port, random.Random(SEED))
        print(f"attack       {len(requests)} hostile requests, {of_cost} of them from the cost test; {service.memory():.0f} MB", flush=True)
        floods = []
        try:
            with Watch(service) as watch:
                floods += [Flood(service.port, part, seconds + 60) for part in crowds(ids, requests)]
                time.sleep(min(2, seconds / 10))
                normal = Probes(service.port, TOKEN)
                time.sleep(seconds - min(2, seconds / 10))
                normal.end()
            if service.process.poll() is not None:
                problems.append(f"the service ended with {service.process.returncode}")
            took, status = service.end(seconds=30)
        finally:
            counts = sum((flood.cancel() for flood in floods), Counter())
            service.end()
        if took > END_LIMIT or status is None:
            problems.append(f"SIGTERM: the process was there {took:.1f} s later, {END_LIMIT:.0f} at most")
        elif status != 0:
            problems.append(f"SIGTERM: exit status {status}")
        if favorites_of(binary, database) != before:
            problems.append("strangers have changed favorites")
    judge(normal, counts, watch.peak, problems)
    for name, seen in sorted(by_crowd(counts).items()):
        print(f"  {name:18} " + ", ".join(f"{what}: {n}" for what, n in sorted(seen.items())))
    for target in sorted({target for target, _, _ in normal.found}):
        times = sorted(seconds for found, _, seconds in normal.found if found == target)
        print(f"  normal {target[:50]:50} p50 {times[len(times) // 2] * 1000:.1f}, p99 {times[int(len(times) * 0.99)] * 1000:.1f} ms")
    statuses = Counter(status or "no answer" for _, status, _ in normal.found)
    print(f"attack       {seconds:.0f} s; normal requests: {len(normal.found)}, {dict(statuses)}, p50 {normal.percentile(0.5):.1f}, "
          f"p99 {normal.percentile(0.99):.1f}, max {normal.percentile(1):.0f} ms; at most {watch.peak:.0f} MB; "
          f"ended {took:.1f} s after SIGTERM with {status}; {len(problems)} problems")
    for problem in problems:
        print("   ", problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
