"""How it is asked: one layout and size, all peers alive, workload by workload, round by round.

Within a workload and a round geoq and the peers follow each other, so that what disturbs the
machine disturbs them alike; the order turns from round to round. A record holds one contender's
times.
"""

import sys
import time

from check import compare
from peers import CORES, PEERS, WIDE, Failed, Geoq, Live
from workloads import BATCH, BUILD, BUILD_ALONE


def say(*words):
    print(time.strftime("%H:%M:%S"), *words, file=sys.stderr, flush=True)


class Cell:
    """One layout and size: its points, its queries, and those who answer."""

    def __init__(self, settings, layout, size, points, queries):
        self.settings, self.layout, self.size, self.queries = settings, layout, size, queries
        self.geoq = Geoq(settings.geoq, points)
        self.ours = [self.geoq, *([Geoq(settings.wide, points, WIDE)] if settings.wide else [])]
        self.live = [self.start(s, points) for s in PEERS if self.takes(s)]
        self.live = [peer for peer in self.live if peer]
        self.records = {}
        self.checks = []

    def takes(self, spec):
        wanted = self.settings.peers
        return self.size <= spec.largest and (not wanted or spec.name in wanted)

    def start(self, spec, points):
        try:
            peer = Live(spec, points)
        except (Failed, OSError) as error:
            return say("left out:", error)
        say(f"{spec.title}: built in {peer.built['buildSeconds']:.2f} s")
        return peer

    def close(self):
        for peer in self.live:
            peer.close()

    # MARK: times

    def measure(self):
        for round in range(self.settings.rounds):
            say(f"{self.layout} {self.size:,}: round {round + 1} of {self.settings.rounds}")
            for mix in self.settings.mixes:
                for workload in self.settings.workloads:
                    if mix == "near" or workload.globe:
                        self.ask_all(workload, mix, round)
            if self.settings.build:
                self.build_all(round)

    def ask_all(self, workload, mix, round):
        for slow in (False, True):
            peers = [p for p in self.live if p.spec.answers(workload) and p.spec.slow == slow]
            if slow and not peers:
                continue
            count = workload.slow if slow else workload.queries
            contenders = [*self.ours, *peers]
            turn = round % len(contenders)
            for contender in contenders[turn:] + contenders[:turn]:
                self.ask(contender, workload, mix, count, slow, round)

    def ask(self, contender, workload, mix, count, slow, round):
        options = ["--queries", self.queries[mix], *workload.options(count)]
        try:
            if contender in self.ours:
                line = contender.ask(*options, threads=CORES if workload.batch else 1)
            else:
                line = contender.ask(*options, *(["--no-percentiles"] if round else []))
        except Failed as error:
            return say("left out:", error)
        self.add(contender, workload.name, mix, slow, line["usPerQuery"], line)

    def build_all(self, round):
        options = ["--queries", self.queries["near"], *BATCH.options(1)]
        builders = [
            (geoq, name, lambda geoq=geoq, threads=threads: geoq.ask(*options, threads=threads))
            for geoq in self.ours
            for name, threads in ((BUILD, CORES), (BUILD_ALONE, 1))
        ]
        for peer in self.live:
            if not peer.spec.slow:
                builders.append((peer, BUILD, lambda peer=peer: peer.ask("--op", BUILD)))
            elif round == 0:
                builders.append((peer, BUILD, lambda peer=peer: peer.built))
        for contender, name, ask in builders:
            try:
                line = ask()
            except Failed as error:
                say("left out:", error)
                continue
            self.add(contender, name, "near", False, line["buildSeconds"], line)

    def add(self, contender, workload, mix, slow, figure, line):
        key = (self.layout, self.size, mix, workload, slow, contender.name)
        record = self.records.setdefault(key, {"figures": [], "line": line})
        record["figures"].append(figure)

    # MARK: answers

    def check(self):
        """Compares each peer's answers with ours, over the first queries of each workload.

        Those of our other build must be the same bytes.
        """
        folder = self.settings.folder / "answers"
        folder.mkdir(parents=True, exist_ok=True)
        for workload in self.settings.workloads:
            if workload.batch:
                continue
            say(f"{self.layout} {self.size:,}: answers of {workload.name}")
            options = ["--queries", self.queries["near"], *workload.options(workload.checked)]
            ours = folder / "geoq.jsonl"
            try:
                self.geoq.ask(*options, "--answers", ours)
            except Failed as error:
                say("left out:", error)
                continue
            for other in self.ours[1:]:
                same = folder / "same.jsonl"
                other.ask(*options, "--answers", same)
                if same.read_bytes() != ours.read_bytes():
                    sys.exit(f"benchmarks: {other.name} has other answers of {workload.name}")
            for peer in self.live:
                if peer.spec.answers(workload):
                    self.check_one(peer, workload, options, ours, folder)

    def check_one(self, peer, workload, options, ours, folder):
        theirs = folder / f"{peer.spec.name}.jsonl"
        try:
            peer.ask(*options, "--no-percentiles", "--answers", theirs)
            verdict = compare(workload.op, ours, theirs, peer.spec.exact)
        except (Failed, OSError, ValueError, KeyError) as error:
            return say(f"not compared: {peer.spec.title}, {workload.name}: {error!r}")
        place = {"layout": self.layout, "size": self.size, "workload": workload.name}
        self.checks.append({**place, "peer": peer.spec.name, **verdict})
        theirs.unlink()
