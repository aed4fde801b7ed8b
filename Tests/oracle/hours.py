"""Compare the hours of geoq with opening-hours-py: python hours.py DIR [VALUES]

Two runs: the first writes DIR/pairs.jsonl, values of opening hours with times; then the test suite
HoursOracle (GEOQ_HOURS_DIR=DIR) writes DIR/states.txt; the second run compares. The values are made up with
the shapes and about the shares of OpenStreetMap's, and real ones: the lines of the file VALUES, such as the
sample in the source of opening-hours-py or the values of an extract. Prints the share read and the disagreements
by kind of value, and exits 1 if a figure falls short.

Not compared, because the evaluators differ or cannot know, and counted: states that geoq says are unknown
for the sun, an open end or a holiday; times in the night of a rule that stands after one for the day, which
geoq keeps as the specification says; `||` at times that the rules before leave closed; weekdays within
holidays (`SH Mo-Fr`). A rule of a comment alone is unknown, as the specification says.
"""

import datetime
import json
import os
import random
import re
import sys

from opening_hours import OpeningHours

LEAST_READ = 0.95
LEAST_PAIRS = 20_000
TIMES = 14
MADE_UP = 4_000
DAYS = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"]
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


def clock(rng, low, high):
    hour = rng.randint(low, high)
    return f"{hour:02}:{rng.choice(['00'] * 6 + ['30'] * 4 + ['15', '45'])}"


def spans(rng):
    shape = rng.random()
    if shape < 0.5:
        return f"{clock(rng, 7, 12)}-{clock(rng, 18, 23)}"
    if shape < 0.8:
        comma = rng.choice([",", ", "])
        return f"{clock(rng, 11, 12)}-{clock(rng, 14, 15)}{comma}{clock(rng, 17, 19)}-{clock(rng, 21, 23)}"
    if shape < 0.95:
        return f"{clock(rng, 10, 18)}-{rng.choice(['00:00', '24:00', '01:00', '02:00', '03:30', '26:00'])}"
    return "00:00-24:00"


def days(rng):
    first, last = sorted(rng.sample(range(7), 2))
    shape = rng.random()
    if shape < 0.6:
        return f"{DAYS[first]}-{DAYS[last]}"
    if shape < 0.75:
        return DAYS[first]
    if shape < 0.9:
        return f"{DAYS[first]},{DAYS[last]}"
    return f"{DAYS[last]}-{DAYS[first]}"


def week(rng):
    """Rules that divide the week, as most values do."""
    cuts = sorted(rng.sample(range(1, 7), rng.choice([0, 0, 1, 1, 1, 2, 2, 3])))
    runs = [list(range(a, b)) for a, b in zip([0, *cuts], [*cuts, 7])]
    rules = []
    for run in runs:
        name = DAYS[run[0]] if len(run) == 1 else f"{DAYS[run[0]]}-{DAYS[run[-1]]}"
        if len(runs) > 1 and rng.random() < 0.12:
            if rng.random() < 0.5:
                rules.append(name + " off")
        else:
            rules.append(f"{name} {spans(rng)}")
    return "; ".join(rules) or "Mo-Su " + spans(rng)


def date(rng):
    return f"{rng.choice(MONTHS)} {rng.randint(1, 28):02}"


def dates(rng):
    shape = rng.random()
    if shape < 0.3:
        return f"{rng.choice(MONTHS)}-{rng.choice(MONTHS)}"
    if shape < 0.55:
        return f"{date(rng)}-{date(rng)}"
    if shape < 0.7:
        return date(rng)
    if shape < 0.78:
        return rng.choice(["easter", "easter -2 days", "easter +1 day", "easter -2 days-easter +1 day"])
    if shape < 0.86:
        return f"{rng.randint(2025, 2028)} {date(rng)}"
    if shape < 0.92:
        return f"{rng.randint(2025, 2027)} {rng.choice(MONTHS)}"
    if shape < 0.96:
        return rng.choice(["2026", "2026-2027", "2027+", "2026-2030/2"])
    return f"week {rng.choice(['01-20', '10-30', '40-53', '02-52/2', '05'])}"


def nth(rng):
    return f"{rng.choice(DAYS)}[{rng.choice(['1', '2', '3', '-1', '1,3', '2-4', '1,-1'])}]"


# the shares are about those of values on restaurants
KINDS = {
    "week": (40, week),
    "week, holidays": (16, lambda r: f"{week(r)}; {r.choice(['PH off', 'PH closed', 'PH ' + spans(r), 'SH off', 'Su,PH off'])}"),
    "days with holidays": (5, lambda r: f"{days(r)},PH {spans(r)}"),
    "24/7": (2, lambda r: r.choice(["24/7", "Mo-Su 00:00-24:00", "24/7; Dec 25 off", "00:00-24:00", "24/7; " + date(r) + " off"])),
    "added rules": (4, lambda r: f"{week(r)}, {days(r)} {spans(r)}"),
    "overridden days": (5, lambda r: f"{week(r)}; {days(r)} {r.choice(['off', spans(r), '12:00-15:00 off'])}"),
    "months and dates": (12, lambda r: f"{week(r)}; {dates(r)} {r.choice(['off', 'closed', days(r) + ' ' + spans(r), spans(r)])}"),
    "seasons": (5, lambda r: f"{dates(r)}: {days(r)} {spans(r)}; {dates(r)} {days(r)} {spans(r)}"),
    "nth weekday": (3, lambda r: f"{week(r)}; {nth(r)} {r.choice(['off', spans(r)])}"),
    "comment": (3, lambda r: f"{week(r)} {r.choice(['', 'open ', 'unknown '])}\"{r.choice(['by appointment', 'kitchen until 21:00', 'nur im Sommer'])}\""),
    "comment alone": (1, lambda r: r.choice(['"by appointment"', '"on request"', "Mo-Fr \"by appointment\""])),
    "open end": (4, lambda r: f"{days(r)} {clock(r, 10, 19)}+" if r.random() < 0.6 else f"{days(r)} {spans(r)}+"),
    "sun": (2, lambda r: f"{days(r)} {r.choice(['10:00-sunset', 'sunrise-sunset', 'dawn-dusk', '09:00-(sunset-01:00)', 'sunset-02:00'])}"),
    "fallback": (1, lambda r: f"{week(r)} || {r.choice(['off', 'unknown', days(r) + ' unknown'])}"),
    "sloppy": (3, lambda r: sloppy(r)),
}


def sloppy(rng):
    """What opening-hours-py tolerates as well."""
    value = week(rng)
    return rng.choice([
        value.lower(), value.replace("; ", ";"), value.replace("; ", " ; "), re.sub(r"\b0(\d):", r"\1:", value),
        value.replace("-", " - ") if re.fullmatch(r"[\d:,-]+", value) else value.replace(":00-", ":00 - "), value.upper(), value + " ",
    ])


def real_values(path):
    """The lines of a file, without its comments."""
    if not path:
        return []
    with open(path, encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    return [line for line in lines if line and not line.startswith("#")]


def evaluator(value):
    """The other evaluator for a value; None if it does not read it."""
    try:
        return OpeningHours(specified(value))
    except Exception:  # its errors are of many types
        return None


def specified(value):
    """The value with `unknown` before a comment that stands instead of times and states."""
    rules = re.split(r'(;|\|\|)(?=(?:[^"]*"[^"]*")*[^"]*$)', value)
    return "".join(
        rule.replace('"', 'unknown "', 1)
        if '"' in rule and not re.search(r"\d:\d|24/7|sun|\b(open|off|closed|unknown)\b", re.sub(r'"[^"]*"', "", rule)) else rule
        for rule in rules
    )


def times_for(rng, value):
    """Times at which the state may change, and others; about the dates that the value names."""
    minutes = [int(h) % 24 * 60 + int(m) for h, m in re.findall(r"(\d\d?):(\d\d)", value)] or [0, 720]
    months = [MONTHS.index(m) + 1 for m in re.findall("|".join(MONTHS), value)]
    for number in range(TIMES):
        day = datetime.date(2026, 1, 1) + datetime.timedelta(rng.randrange(730))
        if months and number % 2:
            ends = [int(d) for d in re.findall(r"[A-Z][a-z]{2} (\d\d?)\b(?!:)", value)] or [1, 28]
            base = datetime.date(rng.choice([2026, 2027]), rng.choice(months), min(28, rng.choice(ends)))
            day = base + datetime.timedelta(rng.randint(-2, 2))
        minute = (rng.choice(minutes) + rng.choice([-1, 0, 0, 1, 30])) % 1440 if number % 3 else rng.randrange(1440)
        yield datetime.datetime(day.year, day.month, day.day, minute // 60, minute % 60)


def write(folder, path):
    rng = random.Random(20261128)
    made = {}
    weights = [weight for weight, _ in KINDS.values()]
    while len(made) < MADE_UP:
        kind = rng.choices(list(KINDS), weights)[0]
        made.setdefault(KINDS[kind][1](rng), kind)
    real = dict.fromkeys(real_values(path), "real")
    with open(os.path.join(folder, "pairs.jsonl"), "w", encoding="utf-8") as file:
        for value, kind in {**made, **real}.items():
            times = [time.isoformat()[:16] for time in times_for(rng, value)]
            file.write(json.dumps({"kind": kind, "value": value, "times": times}) + "\n")


def state(hours, time):
    return {"OPEN": "o", "CLOSED": "c", "UNKNOWN": "u"}[str(hours.state(time)[0]).rsplit(".", maxsplit=1)[-1].upper()]


def explained(value, time, own, other):
    """Why the evaluators differ; None if nothing explains it."""
    if own == "u" and re.search("sun|dawn|dusk", value):
        return "the sun decides"
    if own == "u" and re.search(r"\d\+", value):
        return "an open end"
    if own == "u" and "PH" in value and (time.month, time.day) in {(1, 1), (12, 25)}:
        return "a holiday"
    if "||" in value and other == "c":
        return "a fallback within a day"
    if re.search(r"[PS]H (Mo|Tu|We|Th|Fr|Sa|Su)", value):
        return "weekdays within holidays"
    rules = value.split(";")
    # the rule alone has this night, and it is a later one
    night = [r for r in rules[1:] if own == "o" and time.hour < 12 and (alone := evaluator(r.strip())) and state(alone, time) == "o"
             and state(alone, time - datetime.timedelta(hours=time.hour, minutes=time.minute + 1)) == "o"]
    return "the night of a later rule" if night and other == "c" else None


def compare(folder):
    with open(os.path.join(folder, "pairs.jsonl"), encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    with open(os.path.join(folder, "states.txt"), encoding="utf-8") as file:
        answers = file.read().splitlines()
    figures, reasons, bad, unread = {}, {}, [], []
    for row, answer in zip(rows, answers, strict=True):
        value = row["value"]
        hours = evaluator(value)
        if hours is None:
            continue
        figure = figures.setdefault(row["kind"], {"values": 0, "read": 0, "pairs": 0, "agree": 0})
        figure["values"] += 1
        if answer == "-":
            unread.append(value)
            continue
        figure["read"] += 1
        for text, own in zip(row["times"], answer, strict=True):
            time = datetime.datetime.fromisoformat(text)
            other = state(hours, time)
            if own != other and (reason := explained(value, time, own, other)):
                reasons[reason] = reasons.get(reason, 0) + 1
                continue
            figure["pairs"] += 1
            figure["agree"] += own == other
            if own != other:
                bad.append(f"{value!r} at {text} ({time:%a}): geoq {own}, opening-hours-py {other}")
    print(f"{'kind':20} {'values':>7} {'read':>7} {'share':>7} {'pairs':>7} {'agree':>7}")
    total = {key: sum(figure[key] for figure in figures.values()) for key in ("values", "read", "pairs", "agree")}
    for kind, figure in [*sorted(figures.items()), ("all", total)]:
        share = figure["read"] / figure["values"]
        print(f"{kind:20} {figure['values']:7} {figure['read']:7} {share:7.1%} {figure['pairs']:7} {figure['agree']:7}")
    for reason, count in sorted(reasons.items()):
        print(f"not compared: {count:5} {reason}")
    for line in [*(f"not read: {value!r}" for value in unread[:20]), *bad[:40]]:
        print(f"  {line}")
    passed = total["read"] >= LEAST_READ * total["values"] and total["pairs"] >= LEAST_PAIRS and not bad
    return 0 if passed else 1


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    if not os.path.exists(os.path.join(sys.argv[1], "states.txt")):
        os.makedirs(sys.argv[1], exist_ok=True)
        sys.exit(write(*sys.argv[1:2], sys.argv[2] if len(sys.argv) == 3 else None))
    sys.exit(compare(sys.argv[1]))
