"""Compare CQL2 filters of geoq with pygeofilter: python cql2.py BINARY [COUNT [SEED]]

Some 260 records with all queryables, values and nulls of each, are imported and served. Each generated filter goes to
the service as cql2-text and as cql2-json, which must select the same ids; and to pygeofilter, which reads both with
parsers of its own. Where it reads an encoding otherwise than OGC 21-065r2 says, the filter is counted with the
requirement, and taken from its other parser or, if both do, from its own form of CQL2 JSON.

Its evaluator for Python objects (`native`) knows no nulls: `not` of a comparison with None is true for it, and `<` with
None fails. So its syntax tree is evaluated here in three-valued logic (the truth tables of "CQL2 filter expression"),
geometry by shapely. Its own evaluator must say the same of each record that has all properties of a filter, but for
what it understands otherwise, which is counted as well. What geoq decides otherwise than the standard is counted by
record. Prints the counts and exits 1 if a difference has no such reason.
"""

import collections
import datetime
import json
import random
import re
import sys
import tempfile
import unicodedata
import urllib.parse
from pathlib import Path

import shapely
from pygeofilter import ast, values
from pygeofilter.backends.native.evaluate import NativeEvaluator
from pygeofilter.parsers.cql2_json import parse as parse_json
from pygeofilter.parsers.cql2_text import parse as parse_text

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "service"))
from harness import ROOT, Client, Service, geoq

RECORDS = 260
CONDITIONS = 8  # the service's limit
TEXTS = [
    "O'Neil's", "O''Neil", "50% off", "5000 offers", "a_b", "axb", "a.b", "back\\slash", "Café", "CAFÉ", "cafe", "Cafe\u0301",
    "Straße", "STRASSE", "STRAẞE", "Ødegård", "ødegard", "İstanbul", "Istanbul", "ısırgan", "Οδος", "ΟΔΟΣ", "漢字", "m²", "m2",
    "ﬁsh", "Fish", 'the "best"', "Łódź", "Thai", "thai", "Thai, Bars", "Dallas", "DALLAS", "Zürich", "zurich", "한식", "%", "_", "5", "5.0",
    "true", "AND", "👍 grill", "Ǆ", "ǆ", "naïve", "NAÏVE", "a;b", "x\\%y", "tab\there", "e\u0323\u0301", "ế",
]
NUMBERS = [-3, 0, 0.5, 1, 2, 3.25, 4, 4.5, 5, 10, 1e3, 123456.75]
MEMBERS = ["mixed", "size", "seats", "flag", "list", "day", "attributes.WiFi", "'odd name'", "größe"]
COMPARISONS = {"=": ast.Equal, "<>": ast.NotEqual, "<": ast.LessThan, "<=": ast.LessEqual, ">": ast.GreaterThan, ">=": ast.GreaterEqual}


# MARK: records


def feed(rng, queryables, first):
    """Records with values and nulls of all queryables."""
    features = []
    for number in range(first, first + RECORDS // 2):
        properties = {}
        for name, schema in queryables.items():
            if name in ("id", "source", "sourceID", "latitude", "longitude", "geometry") or (name != "name" and rng.random() < 0.3):
                continue
            if name in ("formattedAddress", "images"):
                properties[name] = rng.sample(TEXTS, rng.randint(1, 3)) if name[0] == "f" else [
                    f"https://pictures.example/{rng.randint(1, 9)}.png" for _ in range(rng.randint(1, 2))]
            elif name == "imageURL" or name == "website":
                properties[name] = f"https://www.example/{rng.choice('aAbB')}_{rng.randint(1, 9)}"
            elif name == "countryCode":
                properties[name] = rng.choice(["US", "DE", "MX", "TR"])
            elif name == "priceLevel":
                properties[name] = rng.randint(1, 4)
            elif name == "reviewCount":
                properties[name] = rng.choice([0, 1, 3, 10, 1000])
            elif name == "ratingScale":
                properties[name] = rng.choice([5, 10])
            elif name == "rating":
                properties[name] = rng.choice([0, 1, 3.25, 4, 4.5, 5])
            elif schema["type"] == "boolean":
                properties[name] = rng.random() < 0.5
            else:
                properties[name] = text_value(rng)
        properties |= members(rng)
        lon, lat = rng.choice([-2, -1, 0, 0.25, 1, 1.5, 2, 179.5]), rng.choice([-2, -1, -0.5, 0, 0.25, 1, 2])
        if rng.random() < 0.08:
            lon = rng.choice([180, -180, -179.5])
        if rng.random() < 0.3:
            lon, lat = round(rng.uniform(-3, 3), 6), round(rng.uniform(-3, 3), 6)
        features.append({"type": "Feature", "id": f"r{number}", "properties": properties,
                         "geometry": {"type": "Point", "coordinates": [lon, lat]}})
    return {"type": "FeatureCollection", "features": features}


def text_value(rng):
    text = rng.choice(TEXTS)
    return text if rng.random() < 0.7 else f"{text} {rng.choice(TEXTS)}"


def members(rng):
    """Members without keys of their own, of several types; a value of none is an explicit null or not there."""
    choice = rng.choice
    found = {
        "mixed": choice([text_value(rng), choice(NUMBERS), rng.random() < 0.5, [1, 2], {"a": 1}, None]),
        "size": choice([text_value(rng), text_value(rng), None]), "seats": choice([*NUMBERS, None]),
        "flag": choice([True, False, None]), "list": choice([[text_value(rng), "x"], ["x"], [1, 2.5], [], None]),
        "day": choice(["2020-01-01", "2024-02-29", "2026-11-28", None]), "attributes": choice([{"WiFi": choice(["free", "no", None])}, {}, None]),
        "odd name": choice([text_value(rng), None]), "größe": choice([*NUMBERS, None]),
    }
    return {name: value for name, value in found.items() if value is not None or rng.random() < 0.3}


def rows(features, queryables):
    """What the properties of each record evaluate to; a list is one text, as the queryables say."""
    found = []
    for feature in features:
        properties = feature["properties"]
        row = {name: flat(properties.get(name)) for name in queryables if name != "geometry"}
        extra = properties.get("extra", {})
        row["id"], row["closed"] = feature["id"], properties.get("closed", False)
        row["longitude"], row["latitude"] = feature["geometry"]["coordinates"]
        row["sourceID"] = flat(properties.get("sourceID"))
        for name in MEMBERS:
            value = extra
            for part in name.split("."):
                value = value.get(part.strip("'")) if isinstance(value, dict) else None
            row[f"extra.{name}"] = flat(value)
        row["geometry"] = shapely.Point(row["longitude"], row["latitude"])
        found.append(row)
    return found


def flat(value):
    if isinstance(value, list):
        entries = [entry if isinstance(entry, str) else json.dumps(entry) for entry in value if not isinstance(entry, dict | list | None)]
        return "; ".join(entries) if entries else None
    return value  # an object is not null, and no value to compare


# MARK: filters: (operator, …), written as text and as JSON


class Filters:
    """Makes filters over some records."""

    def __init__(self, rng, known):
        self.rng, self.known = rng, known
        self.texts = [name for name in known[0] if name not in ("geometry", "closed") and any(isinstance(row[name], str) for row in known)]
        self.numbers = [name for name in known[0] if any(type(row[name]) in (int, float) for row in known)]
        self.flags = ["closed", "extra.flag", "extra.mixed"]

    def any(self, budget, depth=0):
        rng = self.rng
        if budget > 1 and depth < 5 and rng.random() < 0.75:
            left = rng.randint(1, budget - 1)
            parts = [self.any(left, depth + 1), self.any(budget - left, depth + 1)]
            return (rng.choice(["and", "or"]), parts)
        if rng.random() < 0.25 and depth < 5:
            return ("not", self.any(budget, depth + 1))
        if rng.random() < 0.02:
            return ("flag", rng.random() < 0.5)
        return rng.choices([self.text, self.number, self.flag, self.null, self.place, self.date], [40, 25, 6, 12, 15, 2])[0]()

    def text(self):
        rng, name = self.rng, self.rng.choice(self.texts)
        around = rng.choice([(), (), (), ("casei",), ("accenti",), ("casei", "accenti"), ("accenti", "casei")])
        subject = ("property", name, around)
        kind = rng.random()
        if kind < 0.4:
            return ("like", subject, ("text", self.pattern(name), around if rng.random() < 0.95 else ()), rng.random() < 0.3)
        if kind < 0.55:
            count = rng.choice([1, 2, 3, 5])
            return ("in", subject, [("text", self.value(name), around) for _ in range(count)], rng.random() < 0.3)
        return self.compare(subject, ("text", self.value(name), around))

    def compare(self, subject, value):
        pair = [subject, value] if self.rng.random() < 0.85 else [value, subject]
        return ("compare", self.rng.choice([*COMPARISONS, "=", "=", "<>"]), pair)

    def value(self, name):
        """A text that a record has, or nearly."""
        rng = self.rng
        text = rng.choice([row[name] for row in self.known if isinstance(row[name], str)])
        return rng.choice([str, str, str, str.upper, str.lower, plain, lambda text: text[: len(text) // 2], lambda text: rng.choice(TEXTS)])(text)[:60]

    def pattern(self, name):
        rng = self.rng
        found = []
        for character in self.value(name):
            shape = rng.random()
            if shape < 0.12:
                found.append(rng.choice(["%", "_", "_", "_%", "%%", "_" + character]))
            else:
                found.append("\\" + character if character in "%_\\" else character)
        start = rng.randint(0, len(found)) if rng.random() < 0.5 else 0
        return ("%" if start else "") + "".join(found[start:]) + rng.choice(["", "%", "%", "_"])

    def number(self):
        rng, name = self.rng, self.rng.choice(self.numbers)
        subject = ("property", name, ())
        known = [row[name] for row in self.known if type(row[name]) in (int, float)]

        def value():
            return ("number", rng.choice([*known, *NUMBERS]) + rng.choice([0, 0, 0, 1, -0.5]), ())

        kind = rng.random()
        if kind < 0.25:
            return ("between", subject, value(), value(), rng.random() < 0.3)
        if kind < 0.45:
            return ("in", subject, [value() for _ in range(rng.choice([1, 2, 4]))], rng.random() < 0.3)
        return self.compare(subject, value())

    def flag(self):
        return self.compare(("property", self.rng.choice(self.flags), ()), ("flag", self.rng.random() < 0.5, ()))

    def date(self):
        return self.compare(("property", "extra.day", ()), ("date", self.rng.choice(["2020-01-01", "2024-03-01", "2026-11-28"]), ()))

    def null(self):
        rng = self.rng
        subject = ("property", rng.choice([name for name in self.known[0] if name != "geometry"]), ())
        return ("null", subject, rng.random() < 0.5)

    def place(self):
        rng = self.rng
        shape = rng.choice(["point", "polygon", "polygon", "multipolygon", "box", "box"])
        row = rng.choice(self.known)
        if shape == "point":
            geometry = ("point", [row["longitude"], row["latitude"]] if rng.random() < 0.8 else [0.5, 0.5])
        elif shape == "box":
            west, south = rng.randint(-8, 4) / 4, rng.randint(-8, 4) / 4
            geometry = ("box", [west, south, west + rng.randint(0, 12) / 4, south + rng.randint(0, 12) / 4])
            if rng.random() < 0.15:
                geometry = ("box", rng.choice([[170, -5, -170, 5], [179.5, -1, 180, 1], [-180, -90, 180, 90], [-180, -1, -179.5, 2]]))
        elif shape == "polygon":
            geometry = ("polygon", self.polygon(0))
        else:
            geometry = ("multipolygon", [self.polygon(-1.5), self.polygon(2.5)])
            if shapely.Polygon(*split(geometry[1][0])).intersects(shapely.Polygon(*split(geometry[1][1]))):
                geometry = ("polygon", geometry[1][0])
        relation = rng.choice(["s_intersects", "s_intersects", "s_within"])
        is_turned = rng.random() < 0.15 and (relation == "s_intersects" or shape == "point")
        return ("place", relation, geometry, is_turned)

    def polygon(self, x):
        """A valid polygon on a grid that many records are on, perhaps with a hole."""
        rng = self.rng
        while True:
            ring = [[x + rng.randint(-8, 8) / 4, rng.randint(-8, 8) / 4] for _ in range(rng.choice([3, 4, 4, 5, 6]))]
            rings = [[*ring, ring[0]]]
            if rng.random() < 0.3:
                hole = [[x + rng.randint(-4, 4) / 4, rng.randint(-4, 4) / 4] for _ in range(3)]
                rings.append([*hole, hole[0]])
            if shapely.Polygon(*split(rings)).is_valid:
                return rings


def split(rings):
    return rings[0], rings[1:]


def plain(text):
    return accenti(text).casefold()


def conditions(node):
    if node[0] in ("and", "or"):
        return sum(map(conditions, node[1]))
    return conditions(node[1]) if node[0] == "not" else node[0] != "flag"


def word(rng, text):
    return rng.choice([text.upper(), text.upper(), text.lower(), text.capitalize()])


class Text:
    """Writes a filter as CQL2 text, and notes what pygeofilter does not read or reads otherwise."""

    def __init__(self, rng):
        self.rng, self.notes = rng, set()

    def write(self, node):
        rng, kind = self.rng, node[0]
        blank = rng.choice([" ", " ", " ", "  "])
        if kind in ("and", "or"):
            parts = []
            for number, part in enumerate(node[1]):
                own = self.write(part)
                needs = kind == "and" and part[0] == "or"
                if part[0] in ("and", "or") and part[0] != kind and not needs and rng.random() < 0.5:
                    # what comes first is read first, whatever it is
                    if number:
                        self.notes.add("AND before OR: annex B, booleanExpression, booleanTerm")
                elif needs or (part[0] in ("and", "or") and number) or rng.random() < 0.2:
                    own = f"({own})"
                parts.append(own)
            return f"{blank}{word(rng, kind)}{blank}".join(parts)
        if kind == "not":
            if node[1][0] in ("and", "or", "not"):
                self.notes.add("NOT before parentheses with several: annex B, booleanFactor")
            inner = self.write(node[1])
            return f"{word(rng, 'not')} {inner}" if node[1][0] not in ("and", "or", "not") and rng.random() < 0.5 else f"{word(rng, 'not')}{blank}({inner})"
        if kind == "flag":
            self.notes.add("TRUE and FALSE as conditions: annex B, booleanPrimary")
            return word(rng, str(node[1]))
        return self.condition(node, blank)

    def condition(self, node, blank):
        rng, kind = self.rng, node[0]
        if kind == "compare":
            between = rng.choice(["", blank])
            return f"{self.operand(node[2][0])}{between}{node[1]}{between}{self.operand(node[2][1])}"
        if kind == "null":
            return f"{self.operand(node[1])} {word(rng, 'is')} {word(rng, 'not') + ' ' if node[2] else ''}{word(rng, 'null')}"
        if kind == "place":
            pair = ["geometry", self.geometry(node[2])]
            return f"{word(rng, node[1])}({','.join(pair[::-1] if node[3] else pair)})"
        negation = word(rng, "not") + " " if node[-1] else ""
        if kind == "like":
            return f"{self.operand(node[1])} {negation}{word(rng, 'like')} {self.operand(node[2], is_pattern=True)}"
        if kind == "between":
            return f"{self.operand(node[1])} {negation}{word(rng, 'between')} {self.operand(node[2])} {word(rng, 'and')} {self.operand(node[3])}"
        return f"{self.operand(node[1])} {negation}{word(rng, 'in')} ({rng.choice([',', ', ']).join(map(self.operand, node[2]))})"

    def operand(self, node, is_pattern=False):
        rng = self.rng
        kind, value, *around = node
        if kind == "property":
            text = f'"{value}"' if not re.fullmatch(r"[A-Za-z.]+", value) or rng.random() < 0.3 else value
        elif kind == "number":
            text = number_text(rng, value)
            if text.startswith("+"):
                self.notes.add("a number with a plus: annex B, signedNumericLiteral")
        elif kind == "flag":
            text = word(rng, str(value))
        elif kind == "date":
            text = f"DATE('{value}')"
        else:
            if "'" in value or (not is_pattern and "\\" in value) or "\t" in value:
                self.notes.add("escapes in texts: /req/cql2-text/escaping")
            text = value if is_pattern else value.replace("\\", "\\\\")
            text = text.replace("'", rng.choice(["''", "\\'"])).replace("\t", "\\t")
            text = f"'{text}'"
        for name in around[0]:
            text = f"{word(rng, name)}({text})"
        return text

    def geometry(self, node):
        kind, value = node
        if kind == "box":
            return f"BBOX({','.join(map(str, value))})"

        def text(part):
            return f"{part[0]} {part[1]}" if not isinstance(part[0], list) else "(" + ",".join(map(text, part)) + ")"

        return f"POINT({text(value)})" if kind == "point" else kind.upper() + text(value)


def number_text(rng, value):
    text = rng.choice([repr(value), repr(value), f"{value:.10e}".upper()])
    if rng.random() < 0.04 and value >= 0:
        return "+" + text
    return text[1:] if text.startswith("0.") and rng.random() < 0.3 else text


def as_json(node, is_dialect, notes):
    """A filter in CQL2 JSON, or in the form of it that pygeofilter has."""

    def call(name, *arguments):
        return {"op": name, "args": list(arguments)}

    def write(node):
        return as_json(node, is_dialect, notes)

    kind = node[0]
    if kind in ("and", "or"):
        return call(kind, *map(write, node[1]))
    if kind == "not":
        return call("not", write(node[1]))
    if kind == "flag":
        return node[1]
    if kind == "compare":
        return call(node[1], *(as_json_operand(part, is_dialect, notes) for part in node[2]))
    if kind == "null":
        found = call("isNull", as_json_operand(node[1], is_dialect, notes))
    elif kind == "place":
        shape, value = node[2]
        geometry = {"bbox": value} if shape == "box" else {
            "type": {"point": "Point", "polygon": "Polygon", "multipolygon": "MultiPolygon"}[shape], "coordinates": value}
        pair = [{"property": "geometry"}, geometry]
        return call(node[1], *(pair[::-1] if node[3] else pair))
    elif kind == "between":
        low, high = (as_json_operand(part, is_dialect, notes) for part in node[2:4])
        notes.add("three arguments of between: /req/cql2-json/advanced-comparison-operators")
        found = call("between", as_json_operand(node[1], is_dialect, notes), *([[low, high]] if is_dialect else [low, high]))
    elif kind == "in":
        found = call("in", as_json_operand(node[1], is_dialect, notes), [as_json_operand(part, is_dialect, notes) for part in node[2]])
    else:
        found = call("like", *(as_json_operand(part, is_dialect, notes) for part in node[1:3]))
    return call("not", found) if node[-1] else found


def as_json_operand(node, is_dialect, notes):
    kind, value, around = node
    found = {"property": value} if kind == "property" else {"date": value} if kind == "date" else value
    for name in around:
        if name == "accenti":
            notes.add("accenti: /req/cql2-json/accent-insensitive-comparison")
        found = {"function": {"name": name, "arguments": [found]}} if is_dialect else {"op": name, "args": [found]}
    return found


# MARK: the other evaluation


def casei(text):
    """Full case folding (/req/case-insensitive-comparison/casei-function E)."""
    return text.casefold()


def accenti(text):
    """Without nonspacing marks (/req/accent-insensitive-comparison/accenti-function E)."""
    return unicodedata.normalize("NFC", "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn"))


def short(text):
    """As the short grammar of geoq folds: compatibility forms and some letters too."""
    kept = "".join(c for c in unicodedata.normalize("NFKD", text) if unicodedata.category(c) not in ("Mn", "Mc", "Me"))
    return kept.casefold().translate(str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe"}))


def box(west, south, east, north):
    """A box; with west > east both of its turns across the antimeridian (RFC 7946, 5.2)."""
    if west > east:
        return shapely.union(shapely.box(west, south, east + 360, north), shapely.box(west - 360, south, east, north))
    return shapely.box(west, south, east, north)


class Tree:
    """Evaluates a syntax tree of pygeofilter in three-valued logic: True, False, None."""

    def __init__(self, root):
        self.root, self.attributes, self.geometries, self.is_short = root, set(), {}, False
        self.has_null = self.has_cast = False

    def matches(self, row):
        self.has_null = self.has_cast = False
        return self.verdict(self.root, row)

    def verdict(self, node, row):
        if isinstance(node, bool):
            return node
        if isinstance(node, ast.Not):
            return negated(self.verdict(node.sub_node, row))
        if isinstance(node, ast.Combination):
            pair = [self.verdict(part, row) for part in (node.lhs, node.rhs)]
            deciding = isinstance(node, ast.Or)
            return deciding if deciding in pair else None if None in pair else not deciding
        if isinstance(node, ast.SpatialComparisonPredicate):
            left, right = (self.geometry(part, row) for part in (node.lhs, node.rhs))
            return left.within(right) if isinstance(node, ast.GeometryWithin) else left.intersects(right)
        if isinstance(node, ast.IsNull):
            return (self.value(node.lhs, row) is None) != node.not_
        found = self.condition(node, row)
        return negated(found) if getattr(node, "not_", False) else found

    def condition(self, node, row):
        value = self.value(node.lhs, row)
        if isinstance(node, ast.In):
            return self.unknown(any(self.pair(value, self.value(part, row), "=") for part in node.sub_nodes) if self.fits(value, node.sub_nodes[0], row) else None)
        if isinstance(node, ast.Between):
            return self.unknown(node.low <= value <= node.high if type(value) in (int, float) else None)
        if isinstance(node, ast.Like):
            pattern = self.value(node.pattern, row)
            return self.unknown(re.fullmatch(like(pattern), value, re.DOTALL) is not None if isinstance(value, str) else None)
        sign = node.op.value
        other = self.value(node.rhs, row)
        return self.unknown(self.pair(value, other, sign))

    def unknown(self, verdict):
        self.has_null |= verdict is None
        return verdict

    def fits(self, value, first, row):
        return kind(value) is not None and kind(value) == kind(self.value(first, row))

    def pair(self, one, other, sign):
        """Unknown if a value is null, or if they are of two types: geoq casts none ("Type casts" leaves it to systems)."""
        if kind(one) is None or kind(one) != kind(other):
            self.has_cast |= kind(one) is not None and kind(other) is not None
            return None
        return {"=": one == other, "<>": one != other, "<": one < other, "<=": one <= other, ">": one > other, ">=": one >= other}[sign]

    def value(self, node, row):
        if isinstance(node, ast.Attribute):
            self.attributes.add(node.name)
            return row[node.name]
        if isinstance(node, ast.Function):
            inner, names = node, set()
            while isinstance(inner, ast.Function):
                names.add(inner.name)
                inner = inner.arguments[0]
            text = self.value(inner, row)
            if not isinstance(text, str):
                return None
            if len(names) == 2 and self.is_short:
                return short(text)
            return accenti(casei(accenti(text))) if len(names) == 2 else accenti(text) if names == {"accenti"} else casei(text)
        return node.isoformat() if isinstance(node, datetime.date) else node

    def geometry(self, node, row):
        if isinstance(node, ast.Attribute):
            self.attributes.add(node.name)
            return row[node.name]
        if id(node) not in self.geometries:
            # four numbers of either parser are west, south, east, north
            if isinstance(node, ast.Function):
                made = box(*node.arguments)
            elif isinstance(node, values.Envelope):
                made = box(node.x1, node.x2, node.y1, node.y2)
            else:
                made = shapely.geometry.shape(node)
            self.geometries[id(node)] = made
        return self.geometries[id(node)]


def kind(value):
    if value is None or isinstance(value, dict):
        return None
    return bool if isinstance(value, bool) else float if isinstance(value, int | float) else str


def negated(verdict):
    return None if verdict is None else not verdict


def like(pattern):
    """A pattern of LIKE as a regular expression (/req/advanced-comparison-operators/like-predicate E to K)."""
    found, is_escaped = "", False
    for character in pattern:
        if character == "\\" and not is_escaped:
            is_escaped = True
            continue
        found += {"%": ".*", "_": "."}.get(character, re.escape(character)) if not is_escaped else re.escape(character)
        is_escaped = False
    return found


def native(node, notes):
    """pygeofilter's own evaluation; None, and the reason in `notes`, if it understands a part otherwise."""
    stack, reasons = [node], set()
    while stack:
        part = stack.pop()
        if isinstance(part, ast.Like):
            part.singlechar = "_"
            if not isinstance(part.pattern, str):
                reasons.add("CASEI and ACCENTI around a pattern: annex B, patternExpression")
            elif re.search(r"[\\.^$]|\s", part.pattern):
                reasons.add("escapes in patterns: /req/advanced-comparison-operators/like-predicate K")
        if isinstance(part, ast.In) and len(part.sub_nodes) == 1:
            reasons.add("a list of one value, a substring to it: /req/advanced-comparison-operators/in-predicate A")
        if isinstance(part, values.Envelope):
            reasons.add("the order of a bbox: /req/cql2-json/basic-spatial-functions")
        if isinstance(part, datetime.date):
            reasons.add("a DATE, which is compared as its text: queryables, /req/basic-cql2/property")
        if isinstance(part, ast.Node):
            stack += [part.pattern] if isinstance(part, ast.Like) else []
            stack += part.get_sub_nodes()
    notes.update(reasons)
    if reasons or isinstance(node, bool):
        return None
    functions = {"lower": casei, "casei": casei, "accenti": accenti, "bbox": box}
    return NativeEvaluator(functions, use_getattr=False).evaluate(node)


class Nested(dict):
    """A row in which pygeofilter finds members of `extra` by the parts of their names."""

    def __init__(self, row):
        super().__init__(row)
        self["extra"] = Part(row, "extra.")


class Part:
    def __init__(self, row, prefix):
        self.row, self.prefix = row, prefix

    def get(self, name):
        name = self.prefix + name
        return self.row[name] if name in self.row else Part(self.row, name + ".")


# MARK: the comparison


class Comparison:
    def __init__(self, service, known, rng):
        self.client, self.known, self.rng = Client(service.port), known, rng
        self.nested = [Nested(row) for row in known]
        self.counts, self.failures = collections.Counter(), []
        self.read_otherwise, self.evaluated_otherwise, self.decided_otherwise = (collections.Counter() for _ in range(3))

    def ask(self, language, text):
        target = "/collections/restaurants/items?" + urllib.parse.urlencode({"limit": 10_000, "filter-lang": language, "filter": text})
        answer = self.client.ask("GET", target)
        if answer.status != 200:
            return f"status {answer.status}: {answer.body[:300]!r}"
        document = answer.json()
        found = {feature["id"] for feature in document["features"]}
        assert document["numberMatched"] == len(found), target
        return found

    def check(self, filter):
        writer = Text(self.rng)
        text, json_notes = writer.write(filter), set()
        encoded = json.dumps(as_json(filter, False, json_notes), ensure_ascii=False)
        one, other = self.ask("cql2-text", text), self.ask("cql2-json", encoded)
        self.counts["filters"] += 1
        if one != other or isinstance(one, str):
            self.failures.append(f"text and JSON differ: {text}\n    {encoded}\n    {summary(one)}; {summary(other)}")
            return
        root = self.read(text, encoded, filter, writer.notes, json_notes)
        tree = Tree(root)
        own = native(root, notes := set())
        for reason in notes:
            self.evaluated_otherwise[reason] += 1
        wrong = []
        for row, nested in zip(self.known, self.nested):
            verdict = tree.matches(row)
            self.counts["pairs of filter and record"] += 1
            self.counts["pairs with an unknown condition"] += tree.has_null
            self.counts["pairs with a comparison of two types, unknown as well"] += tree.has_cast
            if (verdict is True) != (row["id"] in one) and not self.explained(tree, row, row["id"] in one):
                wrong.append(row["id"])
            if own and not any(row.get(name) is None for name in tree.attributes) and not tree.has_null:
                self.counts["pairs evaluated by pygeofilter itself"] += 1
                if bool(own(nested)) != verdict:
                    self.failures.append(f"pygeofilter's evaluator differs: {text} for {row['id']}")
        if wrong:
            self.failures.append(f"{text}\n    geoq has {len(one)}; differs for {', '.join(sorted(wrong)[:5])}")

    def read(self, text, encoded, filter, notes, json_notes):
        """The syntax tree of pygeofilter, from the first form that it reads as the standard says."""
        roots = []
        for language, parse, source, reasons in (("cql2-text", parse_text, text, notes), ("cql2-json", parse_json, encoded, json_notes)):
            try:
                root = parse(source)
            except Exception as error:  # noqa: BLE001: its errors are of many types
                if not reasons:
                    self.failures.append(f"{language} not read by pygeofilter: {source}: {str(error)[:200]}")
                root = None
            for reason in reasons:
                self.read_otherwise[f"{language}: {reason}"] += 1
            if not reasons and root is not None:
                self.counts[f"read by pygeofilter as {language}"] += 1
                roots.append(root)
        if not roots:
            self.counts["read by pygeofilter in its own form only"] += 1
            roots.append(parse_json(json.dumps(as_json(filter, True, set()))))
        if len(roots) == 2:
            first, second = (Tree(root) for root in roots)
            for row in self.known:
                if first.matches(row) != second.matches(row):
                    self.failures.append(f"pygeofilter's parsers differ: {text}")
                    break
        return roots[0]

    def explained(self, tree, row, answer):
        """Whether geoq decides by a rule of its own, which is counted."""
        turned = dict(row, longitude=-row["longitude"], geometry=shapely.Point(-row["longitude"], row["latitude"]))
        if abs(row["longitude"]) == 180 and (tree.matches(turned) is True) == answer:
            self.decided_otherwise["+180 and -180 are one meridian"] += 1
            return True
        tree.is_short = True
        is_explained = (tree.matches(row) is True) == answer
        tree.is_short = False
        if is_explained:
            self.decided_otherwise["CASEI with ACCENTI folds compatibility forms and ø, ł, … too: accenti-function E"] += 1
        return is_explained


def summary(answer):
    return answer if isinstance(answer, str) else f"{len(answer)} ids"


def main(binary, count=5_000, seed=20261128):
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "cql2.db"
        geoq(binary, "import", "-q", "--db", Path(folder) / "sample.db", ROOT / "Data/restaurants.json")
        schema = geoq(binary, "serve", "--db", Path(folder) / "sample.db", "--get", "/collections/restaurants/queryables")
        queryables = json.loads(schema)["properties"]
        # ids that two sources have, so that records have ids of their source
        for source, first in (("one", 0), ("two", RECORDS // 3)):
            path = Path(folder) / f"{source}.geojson"
            path.write_text(json.dumps(feed(rng, queryables, first)), encoding="utf-8")
            geoq(binary, "import", "-q", "--allow-null-island", "--source", source, "--db", database, path)
        exported = json.loads(geoq(binary, "list", "-f", "geojson", "--db", database))["features"]
        known = rows(exported, queryables)
        assert len(known) == RECORDS // 2 * 2, len(known)
        for name in known[0]:
            present = sum(row[name] is not None for row in known)
            always = name in ("id", "name", "source", "closed", "latitude", "longitude", "geometry")
            assert present > 5 and (always or present < len(known) - 5), f"{name}: {present} of {len(known)} values"
        with Service(binary, database, "-q") as service:
            comparison = Comparison(service, known, rng)
            filters = Filters(rng, known)
            while comparison.counts["filters"] < count:
                filter = filters.any(rng.choice([1, 1, 2, 2, 3, 4, 6, CONDITIONS]))
                if conditions(filter) <= CONDITIONS:
                    comparison.check(filter)
    for name, number in comparison.counts.items():
        print(f"{number:9} {name}")
    for title, counts in (("filters that pygeofilter reads otherwise, or not", comparison.read_otherwise),
                          ("filters that its evaluator understands otherwise", comparison.evaluated_otherwise),
                          ("pairs that geoq decides by a rule of its own", comparison.decided_otherwise)):
        print(f"{title}:")
        for reason, number in counts.most_common():
            print(f"{number:9} {reason}")
    for failure in comparison.failures[:20]:
        print(f"  {failure}")
    print(f"cql2: {len(comparison.failures)} failures, seed {seed}")
    return 1 if comparison.failures else 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3, 4):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:])))
