"""Compares answers: how many of a peer's differ from ours, in members or in order only.

Two files of answers, a JSON line per query, as --answers writes them. Where ours has distances that
lie within a micrometre of each other, any order of them is right: a tie.
"""

import json
import math

MICROMETRE = 1e-6


def answers(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


def compare(op, ours, theirs, exact):
    """Counts of `asked`, `members` (other points), `order` (the same points), `ties`; `metres` is
    the largest difference of the distances reported for the same point, null without distances."""
    counts = {"asked": 0, "members": 0, "order": 0, "ties": 0, "metres": None}
    for mine, other in zip(answers(ours), answers(theirs), strict=True):
        counts["asked"] += 1
        if op == "count":
            kind = None if found(mine) == other["count"] else "members"
        elif op == "nearest":
            kind = ranking(mine, other, exact)
        else:
            kind = None if set(mine["ids"]) == set(other["ids"]) else "members"
        if kind:
            counts[kind] += 1
        if op != "count" and other["d"]:
            counts["metres"] = max(counts["metres"] or 0, apart(mine, other))
    return counts


def found(answer):
    return answer["count"] if "count" in answer else len(answer["ids"])


def apart(mine, other):
    distances = dict(zip(mine["ids"], mine["d"]))
    both = (abs(distances[i] - d) for i, d in zip(other["ids"], other["d"]) if i in distances)
    return max(both, default=0.0)


def ranking(mine, other, exact):
    """What is wrong with the order of the nearest, if anything."""
    if mine["ids"] == other["ids"]:
        return None
    if len(mine["ids"]) != len(other["ids"]):
        return "members"
    distances = dict(zip(mine["ids"], mine["d"]))
    other_d = other["d"] if exact else [math.inf] * len(other["ids"])
    # by our distances each rank must hold a point as near as ours; only an exact peer's own word
    # is taken for a point that we have not got
    tied = all(
        abs(distances.get(i, d) - wanted) <= MICROMETRE
        for i, d, wanted in zip(other["ids"], other_d, mine["d"])
    )
    if tied:
        return "ties"
    return "order" if set(mine["ids"]) == set(other["ids"]) else "members"
