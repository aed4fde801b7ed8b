"""The driver of the benchmarks: makes the points, runs the rounds, prints the tables.

`Benchmarks/run` starts it when everything is installed and built.
"""

import argparse
import datetime
import os
from pathlib import Path

from machine import description
from peers import BUILT, CORES, PEERS, ROOT, Geoq
from points import LAYOUTS, make
from report import markdown
from results import Results
from rounds import Cell, say
from workloads import BUILD, WORKLOADS


def words(text):
    return [word for word in text.split(",") if word]


def parser():
    options = argparse.ArgumentParser(prog="Benchmarks/run", description="geoq beside its peers")
    add = options.add_argument
    add("--sizes", default="1e5,1e6", help="numbers of points (default: %(default)s)")
    add("--layouts", type=words, default=list(LAYOUTS), help="clustered,uniform (default: both)")
    add("--mixes", type=words, default=["near", "globe"], help="near,globe (default: both)")
    add("--rounds", type=int, default=5, help="(default: %(default)s)")
    add("--only", type=words, default=[], help="workloads with these words: k=10,radius,build")
    names = ",".join(p.name for p in PEERS)
    add("--peers", type=words, default=[], help="geoq (it alone) or of " + names)
    add("--quick", action="store_true", help="1e5 clustered points, two rounds, few queries")
    add("--no-answers", action="store_true", help="do not compare the answers")
    add("--geoq", default=str(ROOT / ".build" / "release" / "geoq"), help="the binary to measure")
    add("--wide", help="a build for newer processors (CPU=haswell), measured beside it")
    add("--results", type=Path, help="keep the figures in this file, and add to those in it")
    add("--report", action="store_true", help="measure nothing, show what --results has")
    add("--write", action="store_true", help="write Benchmarks/RESULTS.md too")
    add("--flags", default="", help=argparse.SUPPRESS)
    return options


def settle(settings):
    """Fills in what follows from the options."""
    settings.folder = BUILT
    if settings.quick:
        settings.sizes, settings.layouts, settings.rounds = "1e5", ["clustered"], 2
    settings.sizes = [int(float(size)) for size in words(settings.sizes)]

    names = {w.name for w in WORKLOADS} | {BUILD}

    def wanted(name):
        """A word that is a whole name means that one, another means all names that have it."""
        whole = (word == name if word in names else word in name for word in settings.only)
        return not settings.only or any(whole)

    settings.workloads = [w for w in WORKLOADS if wanted(w.name)]
    if settings.quick:
        settings.workloads = [w.shrunk(10) for w in settings.workloads]
    settings.build = wanted(BUILD)
    return settings


def measure(settings, results):
    for layout in settings.layouts:
        for size in settings.sizes:
            points, queries = make(BUILT / "data", layout, size)
            cell = Cell(settings, layout, size, points, queries)
            steps = [cell.measure] if settings.no_answers else [cell.measure, cell.check]
            try:
                for step in steps:
                    step()
                    results.take(cell)
                    if settings.results:
                        results.save(settings.results)
            finally:
                cell.close()


def warn_if_busy():
    load = os.getloadavg()[0]
    if load > 0.5:
        say(f"the machine is busy (load {load:.1f} on {CORES} cores): do not trust the figures")


def main():
    settings = settle(parser().parse_args())
    results = Results.load(settings.results) if settings.results else Results()
    if not settings.report:
        for binary in filter(None, (settings.geoq, settings.wide)):
            Geoq.check(binary)
        warn_if_busy()
        results.machine = description(settings.flags)
        measure(settings, results)
    text = markdown(results, datetime.date.today().isoformat())
    print(text)
    if settings.write:
        path = ROOT / "Benchmarks" / "RESULTS.md"
        path.write_text(text + service_section(path))
        say("wrote", path.relative_to(ROOT))


def service_section(path):
    """What Benchmarks/service measured, at the end of the file: it stays."""
    start = path.read_text().find("\n## The service") if path.exists() else -1
    return path.read_text()[start:] if start >= 0 else ""


if __name__ == "__main__":
    main()
