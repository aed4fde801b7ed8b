"""Writes the results as Markdown: targets first, then a section per layout and size."""

from peers import OURS, PEERS, ROOT, WIDE
from targets import rows as target_rows
from workloads import BATCH, BUILD, SEARCHES

MIXES = {"near": "queries near the data", "globe": "queries uniform on the globe"}
TITLES = {OURS: OURS, WIDE: WIDE, **{p.name: p.title for p in PEERS}}


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---" + "|---:" * (len(head) - 1) + "|"]
    return lines + ["| " + " | ".join(row) + " |" for row in rows] + [""]


def number(value):
    """Three figures, without an exponent."""
    digits = 2 if value < 10 else 1 if value < 100 else 0
    return f"{value:,.{digits if value >= 0.1 else 4}f}".replace(",", " ")


def spread(figure):
    return f" ±{figure.spread * 100:.0f} %" if len(figure.rounds) > 1 else ""


def cell(figure, ours):
    """A peer's time, its spread, and how many times ours it is: bold where the peer wins."""
    if not figure or not ours:
        return ""
    times = figure.times(ours)
    ratio = f"{times:.2g}×" if times < 10 else f"{times:,.0f}×".replace(",", " ")
    ratio = f"**{ratio}**" if times < 1 else ratio
    return f"{number(figure.median)}{spread(figure)} ({ratio})"


def own(figure):
    return f"{number(figure.median)}{spread(figure)}" if figure else ""


def hits(figure):
    """Hits per query of ours, which counts those of all queries."""
    line = figure.line
    return number(line["hits"] / line["queries"])


def contenders(results, place, slow, names):
    asked = {k[5] for k in results.figures if k[:3] == place and k[4] == slow and k[3] in names}
    return [name for name in TITLES if name in asked and name != OURS]


def searches(results, place, slow):
    """µs per query, workloads down, contenders across."""
    names = [w.name for w in SEARCHES]
    peers = contenders(results, place, slow, names)
    rows = []
    for name in names:
        ours = results.get(*place, name, "geoq", slow)
        if not ours:
            continue
        theirs = [cell(results.get(*place, name, peer, slow), ours) for peer in peers]
        rows.append([name, f"{ours.line['queries']}", hits(ours), own(ours), *theirs])
    if not rows or (slow and not peers):
        return []
    head = ["µs per query", "queries", "hits", "geoq", *(TITLES[p] for p in peers)]
    return table(head, rows)


def percentiles(results, place):
    """Median, 99 % and 99.9 % of the single queries, workloads down, contenders across."""
    names = [w.name for w in SEARCHES]
    everyone = ["geoq", *contenders(results, place, False, names)]

    def shown(name, contender):
        figure = results.get(*place, name, contender)
        line = figure.line if figure else {}
        times = [number(line[p]) for p in ("p50us", "p99us", "p999us")] if line.get("p50us") else []
        return " / ".join(times)

    rows = [[name, *(shown(name, each) for each in everyone)] for name in names]
    rows = [row for row in rows if any(row[1:])]
    kept = [i for i in range(len(everyone)) if any(row[i + 1] for row in rows)]
    head = ["median / 99 % / 99.9 %, µs", *(TITLES[everyone[i]] for i in kept)]
    return table(head, [[row[0], *(row[i + 1] for i in kept)] for row in rows]) if rows else []


def batch(results, place):
    ours = results.get(*place, BATCH.name, "geoq")
    if not ours:
        return []
    peers = contenders(results, place, False, [BATCH.name])
    theirs = [cell(results.get(*place, BATCH.name, peer), ours) for peer in peers]
    head = ["all queries in one call, µs per query", "cores", "geoq", *(TITLES[p] for p in peers)]
    return table(head, [[BATCH.name, str(ours.line["threads"]), own(ours), *theirs]])


def builds(results, place):
    ours = results.get(*place, BUILD, "geoq")
    if not ours:
        return []
    rows = []
    for name in ["geoq", *contenders(results, place, False, [BUILD])]:
        figure = results.get(*place, BUILD, name)
        if not figure:
            continue
        time = own(figure) if name == "geoq" else cell(figure, ours)
        threads = str(figure.line.get("threads", 1))
        rows.append([TITLES[name], threads, time, number(figure.line["bytesPerPoint"])])
    return table(["", "threads", "build, s", "bytes per point"], rows)


def answers(results, layout, size):
    """How many of each peer's answers are not ours, and how far its distances are from ours."""
    checks = [c for c in results.checks if (c["layout"], c["size"]) == (layout, size)]
    if not checks:
        return []
    peers = [p.name for p in PEERS if any(c["peer"] == p.name for c in checks)]
    found = {(c["workload"], c["peer"]): c for c in checks}

    def shown(check):
        if not check:
            return ""
        ties = f", {check['ties']} ties" if check["ties"] else ""
        return f"{check['members']} + {check['order']} of {check['asked']}{ties}"

    names = [w.name for w in SEARCHES if any(c["workload"] == w.name for c in checks)]
    rows = [[name, *(shown(found.get((name, peer))) for peer in peers)] for name in names]

    def apart(peer):
        metres = [c["metres"] for c in checks if c["peer"] == peer and c["metres"] is not None]
        return f"{max(metres):.2g} m" if metres else ""

    rows.append(["largest error of a distance", *map(apart, peers)])
    head = ["other points + other order", *(TITLES[p] for p in peers)]
    return table(head, rows)


def growth(results):
    """µs per query of k=10 against the number of points, contenders down."""
    sizes = [size for layout, size in results.cells() if layout == "clustered"]
    places = [("clustered", size, "near") for size in sizes]
    rows = []
    for name in TITLES:
        found = [results.get(*place, "k=10", name) for place in places]
        if len(sizes) > 1 and sum(map(bool, found)) > 1:
            rows.append([TITLES[name], *(own(figure) for figure in found)])
    head = ["k=10, µs per query", *(f"{size:,}".replace(",", " ") for size in sizes)]
    title = "## Growth, clustered points, queries near them"
    return [title, "", *table(head, rows)] if rows else []


def section(results, layout, size):
    lines = ["## " + f"{size:,}".replace(",", " ") + f" points, {layout}", ""]
    for mix, words in MIXES.items():
        place = (layout, size, mix)
        tables = [searches(results, place, False), searches(results, place, True)]
        tables += [part(results, place) for part in (batch, builds)]
        if any(tables):
            lines += [f"### {words.capitalize()}", "", *(line for table in tables for line in table)]
    near = percentiles(results, (layout, size, "near"))
    if near:
        lines += ["### Percentiles, queries near the data", "", *near]
    wrong = answers(results, layout, size)
    return lines + (["### Answers that differ from ours", "", *wrong] if wrong else [])


def notes():
    """What a person has to say to the figures: why a line is missed."""
    path = ROOT / "Benchmarks" / "NOTES.md"
    return [path.read_text().strip(), ""] if path.exists() else []


def markdown(results, date):
    lines = ["# Results", "", f"Measured {date} by `Benchmarks/run`; `README.md` says what each"]
    lines += ["row includes. A peer's time is followed by its multiple of geoq's, the median over the"]
    lines += ["rounds; bold where the peer is faster. ± is half of the range.", ""]
    lines += [f"- {word}: {words}" for word, words in results.machine.items()]
    lines += ["", "## Targets", ""]
    lines += table(["1 000 000 clustered points", "wanted", "found", "", "AVX2", ""], target_rows(results))
    lines += notes()
    for layout, size in results.cells():
        lines += section(results, layout, size)
    lines += growth(results)
    return "\n".join(lines).rstrip() + "\n"
