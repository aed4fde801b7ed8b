"""No request costs the service more than 50 ms of processor time, whatever text it carries.

    python3 Tests/cost/requests.py [BINARY [COUNT]] [--long]      default .build/release/geoq, 4000

Every place of a request (places.py, carriers.py) gets every class of hostile text (texts.py,
documents.py), at the size limits, over the shipped fifteen restaurants; then random places, classes and
sizes, and mutations of their bytes, by a seed (SEED=). Requests are sent one at a time and measured by the
process's own clock (measure.py). Bounds: GEOQ_COST_MS (50) for the cost; an answer, or the end of the
connection, within 2 s; no 5xx. A place is skipped after 2 problems. Prints the problems and the ten worst
places. `--long` (COUNT 100 000) also probes /healthz 1 000 times next to 8 connections that send the
worst: p99 at most 50 ms. First the same code must find planted quadratic costs in a stub. Exits with 1
on a problem.
"""

import argparse
import itertools
import os
import random
import sys
import time
from collections import Counter

import carriers
import places
from documents import HEAVY
from load import probe_beside
from measure import BOUND, CLEARLY, Unanswered
from service import TOKEN, Service, Stub, in_folders

SEED = int(os.environ.get("SEED", "20150821"))
GIVEN_UP_AFTER = 2


class Case:
    """One text in one place, which can be made again with another last byte."""

    def __init__(self, place, kind, size, seed, mutation=None):
        self.place, self.kind, self.size, self.seed, self.mutation = place, kind, size, seed, mutation
        self.name = f"{place.name}: {kind}, {size} bytes" + ("" if mutation is None else ", mutated")

    def make(self, seed):
        request = self.place.make(self.kind, self.size, seed)
        return request if self.mutation is None else carriers.mutated(request, random.Random(self.mutation))


class Run:
    """Measures cases, and keeps the problems and the worst."""

    def __init__(self):
        self.problems, self.worst = [], {}
        self.counts, self.statuses, self.given_up = Counter(), Counter(), Counter()

    def take(self, case, service):
        """Measures a case, and again if it is over the bound."""
        if self.given_up[case.place.name] >= GIVEN_UP_AFTER:
            return
        meter, request = service.meter, case.make(case.seed)
        self.counts[case.place.name] += 1
        try:
            cost, status = meter.take(request)
        except Unanswered as error:
            self.unanswered(case, service, str(error))
            return
        self.statuses[status] += 1
        if status is not None and status >= 500 and status not in request.allowed:
            self.note_problem(case, f"status {status}")
        if cost > BOUND:
            cost = meter.least(case.make, case.seed)
        self.note(case, cost)
        if cost > BOUND:
            self.note_problem(case, f"costs {cost * 1000:.0f} ms")
        if cost > CLEARLY * BOUND:
            # it may not be at rest yet
            service.restart()

    def unanswered(self, case, service, error):
        """Notes what a case has cost until the process was at rest, or for 10 s, and goes on with a fresh
        one; but a process that was only late is forgiven if it answers a variant."""
        cost = service.meter.settle(patience=10) - service.meter.last
        ended = service.process.poll()
        if ended is None and cost <= BOUND:
            try:
                cost, _ = service.meter.take(case.make(case.seed + 1))
            except Unanswered:
                cost = max(cost, service.meter.settle() - service.meter.last)
            else:
                if cost <= BOUND:
                    return self.note(case, cost)
        self.note(case, cost)
        self.note_problem(case, f"{error}; {cost:.1f} s of processor time so far" if ended is None
                          else f"ended the service ({ended})")
        service.restart()

    def note(self, case, cost):
        """Keeps the worst of each place."""
        if cost >= self.worst.get(case.place.name, (0, None))[0]:
            self.worst[case.place.name] = cost, case

    def note_problem(self, case, text):
        self.given_up[case.place.name] += 1
        self.problems.append((case, text))
        print(f"   {case.name}: {text}", flush=True)

    def ten_worst(self):
        return sorted(self.worst.values(), key=lambda entry: -entry[0])[:10]


def systematic(all_places):
    """Every class in every place: the worst classes first, then a class a round for each place, so that
    the beginning of the list covers all places alike."""
    lists = []
    for index, place in enumerate(all_places):
        kinds = list(place.classes)
        heavy = [kind for kind in kinds if kind.removeprefix("a name of ") in HEAVY]
        turned = kinds[index % len(kinds):] + kinds[:index % len(kinds)]
        first = [(kind, 0) for kind in heavy]
        each = [(kind, (number + index) % len(place.sizes)) for number, kind in enumerate(turned)]
        rest = [(kind, size) for size in range(len(place.sizes)) for kind in turned]
        lists.append([(place, kind, place.sizes[size]) for kind, size in dict.fromkeys(first + each + rest)])
    for seed, (place, kind, size) in enumerate(filter(None, itertools.chain(*itertools.zip_longest(*lists)))):
        yield Case(place, kind, size, seed)


def by_chance(all_places, rng):
    while True:
        place = rng.choice(all_places)
        size = max(1, int(rng.choice(place.sizes) * 2 ** -rng.choice([0, rng.uniform(0, 8)])))
        mutation = rng.getrandbits(32) if rng.random() < 0.2 else None
        size = size if mutation is None else min(size, 20_000)
        yield Case(place, rng.choice(list(place.classes)), size, rng.getrandbits(30), mutation)


def control():
    """The planted quadratic costs, found by `Run.take`; and a cheap path, which is not."""
    stub, run, found = Stub(), Run(), {}
    run.note_problem = lambda case, text: found.setdefault(case.place.name, text)
    try:
        for path in ["/cheap", "/before", "/after", "/thread"]:
            place = carriers.body_place(path, path, {"a": places.TEXTS["a"]})
            cases = [Case(place, "a", size, 1) for size in (1 << 18, 1 << 20, 1 << 17)]
            for case in cases:
                run.take(case, stub)
    finally:
        stub.stop()
    sound = set(found) == {"/before", "/after", "/thread"}
    what = ", ".join(f"{name} {text}" for name, text in found.items())
    print(f"control      found {what}; {'sound' if sound else 'NOT SOUND'}", flush=True)
    return sound


def every_place(service):
    api = service.get("/api")
    known = service.get("/collections/restaurants/items?limit=1")["features"][0]["id"]
    found = [*places.of_targets(api, TOKEN), *places.of_cursors(service.cursor()), *carriers.of_headers(),
             *carriers.of_bodies(api), *carriers.of_writes(api, TOKEN, str(known))]
    # what is listed by hand may have been declared since
    return list({place.name: place for place in found}.values())


def measure(run, services, count, only):
    """Requests to both services in turn; what concerns proxies and origins to the one behind a proxy."""
    all_places = [place for place in every_place(services[0]) if only in place.name]
    ordered = systematic(all_places)
    total = sum(len(place.classes) * len(place.sizes) for place in all_places)
    print(f"places       {len(all_places)}, {total} cases of place, class and size; bound {BOUND * 1000:.0f} ms",
          flush=True)
    more = by_chance(all_places, random.Random(SEED))
    for number, case in enumerate(itertools.islice(itertools.chain(ordered, more), count)):
        about_proxies = any(word in case.place.name for word in ["Forwarded", "Origin", "Access-Control"])
        at = 1 if about_proxies else number % 2
        run.take(case, services[at])


def report(run, seconds):
    print(f"requests     {sum(run.counts.values())} in {len(run.counts)} places, {seconds:.0f} s; statuses "
          + ", ".join(f"{status or 'closed'}: {n}" for status, n in sorted(run.statuses.items(), key=str)))
    for cost, case in run.ten_worst():
        print(f"   {cost * 1000:8.2f} ms  {case.name}")
    skipped = [name for name, n in run.given_up.items() if n >= GIVEN_UP_AFTER]
    if skipped:
        print(f"skipped      {len(skipped)} places: {'; '.join(skipped)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", nargs="?", default=".build/release/geoq")
    parser.add_argument("count", nargs="?", type=int)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--only", default="", help="only places with this in their name")
    options = parser.parse_args()
    count = options.count or (100_000 if options.long else 4_000)
    sound = control()
    run, begun, folders = Run(), time.monotonic(), in_folders(2)
    proxied = ["--behind-proxy", "--cors", "https://map.example", "--allow-host", "geoq.example"]
    services = [Service(options.binary, folder.name, *flags) for folder, flags in zip(folders, [[], proxied])]
    try:
        measure(run, services, count, options.only)
        report(run, time.monotonic() - begun)
        if options.long:
            worst = [case.make(seed) for seed in range(4) for _, case in run.ten_worst()]
            sound &= probe_beside(services[0], worst)
    finally:
        ended = [service.stop() for service in services]
    print(f"cost         {sum(run.counts.values())} requests, {len(run.problems)} problems; exit {ended}")
    sys.exit(0 if sound and run.counts and not run.problems and ended == [0, 0] else 1)


if __name__ == "__main__":
    main()
