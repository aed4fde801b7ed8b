"""Hostile feeds in two lists: those that an import must refuse, and those that it must take.

Each is a name, the file's bytes and, where the content does not say it, more arguments. All are made
here from a seed: the same files every time.
"""

import gzip
import json
import random
from dataclasses import dataclass, field

GOOD = {"id": "good", "name": "Good", "location": {"lat": 1.5, "lng": 2.5}}
PLACE = {"lat": 3.5, "lng": 4.5}


@dataclass
class Feed:
    name: str
    content: bytes
    suffix: str = "json"
    arguments: list[str] = field(default_factory=list)
    # whether it has the restaurant "good"; offers and chains have none
    has_restaurant: bool = True


def text(value) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def feed(*records) -> bytes:
    return text({"restaurants": list(records)})


def with_raw(members: str) -> bytes:
    """A feed of a record written as it is, and of a good one."""
    return b'{"restaurants":[{%s},%s]}' % (members.encode("utf-8", "surrogatepass"), text(GOOD))


def nested(opening: str, closing: str, depth: int) -> str:
    return opening * depth + "1" + closing * depth


def refused(seed: int) -> list[Feed]:
    """Feeds that are none, or of which no record can be taken."""
    return [*broken_bytes(), *cut_short(), *broken_grammar(seed), *wrong_shapes(), *no_records_left(), *refused_offers()]


def accepted(seed: int) -> list[Feed]:
    """Feeds with at least one good record, whatever stands next to it."""
    return [*odd_values(), *odd_positions(), *odd_identities(), *odd_texts(seed), *odd_geometries(), *packed(), *odd_offers()]


OFFER = {"id": 1, "name": "Good", "retailers": [1]}


def refused_offers():
    for root in ("offers", "retailers"):
        for name, records in {
            "no id": [{"name": "A"}], "no name": [{"id": 1}], "a list": [[1, 2]], "numbers": [1, 2], "null": [None],
            "an id of dots": [{"id": "..", "name": "A"}], "U+0000": [{"id": 1, "name": "A\0"}], "no record": [],
        }.items():
            yield Feed(f"{root}: {name}", text({root: records}))
        good = text({root: [OFFER]})
        for count in range(2, len(good), 5):
            yield Feed(f"{root} cut at {count}", good[:count])
        yield Feed(f"{root} twice", b'{"%s":[],"%s":[%s]}' % (root.encode(), root.encode(), text(OFFER)))
        yield Feed(f"{root} as an object", text({root: OFFER}), arguments=["-i", root])
        yield Feed(f"{root} and more", good + b"]")
    yield Feed("too many retailers", text({"offers": [{"id": 1, "name": "A", "retailers": [7] * 20_000}]}))
    yield Feed("stores of chains that are not there", text({"stores": [{"id": 1, "retailer_id": 1, "lat": 1, "long": 2}]}))


def odd_offers():
    marks = "e" + "\u0301" * 200_000
    for root in ("offers", "retailers"):
        for name, members in {
            "marks": {"name": marks, "description": marks, "terms": marks}, "a mark as id": {"id": marks[:2_000]},
            "controls": {"name": "\x1b[31m\r\n\x07"}, "a script": {"url": "javascript:1", "icon_url": "data:x"},
            "amounts": {"amount": -1}, "a large amount": {"amount": 10 ** 300}, "a text as amount": {"amount": "NaN"},
            "lists of lists": {"categories": [[[]]], "retailers": [[1]], "restaurants": {"a": 1}},
            "many members": {f"k{index}": index for index in range(20_000)},
        }.items():
            record = {**OFFER, **members}
            yield Feed(f"{root} with {name}", text({root: [record, {"id": "x", "name": "X"}]}), has_restaurant=False)
        many = [{"id": index, "name": "A", "retailers": [index]} for index in range(20_000)]
        yield Feed(f"20 000 {root}", text({root: many}), has_restaurant=False)
        same = [{"id": 1, "name": "A"}] * 20_000
        yield Feed(f"20 000 {root} of one id", text({root: same}), has_restaurant=False)


def broken_bytes():
    good = feed(GOOD)
    yield Feed("empty", b"")
    for count in (1, 7, 4096, 70_000):
        yield Feed(f"{count} spaces", b" " * count)
        yield Feed(f"{count} line feeds", b"\n" * count)
        yield Feed(f"{count} NULs", b"\0" * count)
    yield Feed("byte order mark alone", b"\xef\xbb\xbf")
    for bad in (b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\x80", b"\xe2\x82", b"\xf8\x88\x80\x80\x80"):
        yield Feed(f"invalid UTF-8 {bad.hex()} in a name", good.replace(b"Good", b"G" + bad))
        yield Feed(f"invalid UTF-8 {bad.hex()} between tokens", good.replace(b":", bad + b":", 1))
    for escape in (r"\ud800", r"\udc00", r"\ud800\ud800", r"\ud800x", r"\u12", r"\x41", r"\u{41}", "\\"):
        yield Feed(f"escape {escape}", good.replace(b"Good", b"G" + escape.encode()))
    for code in range(0x20):
        yield Feed(f"control character {code} in a name", good.replace(b"Good", b"G" + bytes([code])))
    yield Feed("an HTML page", b"<!DOCTYPE html><html><body>Not found</body></html>", "html")
    yield Feed("an XML feed", b"<?xml version='1.0'?><rss><item/></rss>", "xml")
    yield Feed("a PDF", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    yield Feed("a PNG", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    yield Feed("a ZIP", b"PK\x03\x04\x14\0\0\0\x08\0")
    yield Feed("an SQLite database", b"SQLite format 3\0" + b"\0" * 84)
    yield Feed("a gzip header alone", b"\x1f\x8b\x08\0\0\0\0\0\0\x03")
    packed = gzip.compress(good, mtime=0)
    for count in range(1, len(packed), 3):
        yield Feed(f"gzip cut at {count}", packed[:count], "json.gz")
    for place in range(12, len(packed), 5):
        damaged = bytearray(packed)
        damaged[place] ^= 0x55
        yield Feed(f"gzip damaged at {place}", bytes(damaged), "json.gz")


def cut_short():
    small = b'{"restaurants":[{"id":"a","name":"\xc3\xa9\\n","location":{"lat":1.5e0,"lng":-2}}]}'
    for count in range(1, len(small)):
        yield Feed(f"cut at {count}", small[:count])
    geojson = b'{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","coordinates":[2,1]},"properties":{"name":"A"}}]}'
    for count in range(1, len(geojson)):
        yield Feed(f"GeoJSON cut at {count}", geojson[:count], "geojson")


def broken_grammar(seed: int):
    good = feed(GOOD).decode()
    for name, content in {
        "trailing garbage": good + "x", "two documents": good + good, "a comment": good.replace("[", "[/*x*/"),
        "a line comment": good.replace("[", "[//x\n"), "single quotes": good.replace('"', "'"),
        "a comma too many": good.replace("}]", "},]"), "a comma too few": good.replace(',"name"', '"name"'),
        "names without quotes": good.replace('"name"', "name"), "two colons": good.replace(":", "::", 1),
        "a closing bracket too many": good + "]", "brackets crossed": good.replace("}]}", "]}}"),
        "True": good.replace("1.5", "True"), "undefined": good.replace("1.5", "undefined"),
        "a JavaScript callback": f"callback({good})", "an assignment": f"var feed = {good};",
        "a security prefix": f")]}}',\n{good}",
    }.items():
        yield Feed(name, content.encode())
    for number in ("NaN", "Infinity", "-Infinity", "+1", "01", "1.", ".5", "1e", "1e+", "0x10", "1_000", "--1", "1,5", "-"):
        yield Feed(f"the number {number}", good.replace("1.5", number).encode())
    for depth in (40, 512, 513, 100_000):
        for opening, closing in (("[", "]"), ('{"a":', "}")):
            deep = nested(opening, closing, depth)
            yield Feed(f"{depth} deep in {opening} from the root", deep.encode())
    # one byte of the good feed lost or doubled where that leaves no JSON, by Python's parser
    chance = random.Random(seed)
    places = list(range(len(good)))
    chance.shuffle(places)
    for place in places:
        for name, content in (("lost", good[:place] + good[place + 1:]), ("doubled", good[:place] + good[place:place + 1] + good[place:])):
            try:
                json.loads(content)
            except ValueError:
                yield Feed(f"byte {place} {name}", content.encode())


def wrong_shapes():
    for value in (1, -1.5, "text", "", True, False, None, [], {}, [1], ["a"], [None], [[]], [{}], {"a": 1}, {"restaurants": None}, {"restaurants": 1}, {"restaurants": "x"}, {"restaurants": {}}, {"restaurants": []}, {"restaurants": [[]]}, {"restaurants": [1, "a", None]}, {"features": []}, {"type": "FeatureCollection"}, {"type": "FeatureCollection", "features": []}, {"type": "FeatureCollection", "features": {}}, {"type": "Feature"}, {"type": "Point", "coordinates": [1, 2]}, {"type": "Topology", "objects": {}}, {"error": {"code": 404}}, {"message": "Not found"}):
        yield Feed(f"the document {text(value).decode()}", text(value))


def no_records_left():
    """Feeds whose records are all rejected: they must not empty a store."""
    for name, members in {**BAD_POSITIONS, **BAD_RECORDS}.items():
        yield Feed(f"alone: {name}", b'{"restaurants":[{%s}]}' % members.encode())
    for header in ("name,lat,lon", "a,b,c", "name;lat;lon", "name\tlat\tlon"):
        yield Feed(f"the header {header!r} alone", header.encode() + b"\n", "csv")


def position(lat: str, lng: str) -> str:
    return f'"name":"P","location":{{"lat":{lat},"lng":{lng}}}'


BAD_POSITIONS = {
    f"latitude {lat}, longitude {lng}": position(lat, lng)
    for lat, lng in [
        ("90.0000001", "0"), ("-90.0000001", "0"), ("91", "0"), ("1e400", "0"), ("-1e400", "0"), ("1e308", "0"),
        ("0", "1e400"), ("null", "1"), ("1", "null"), ("true", "1"), ("1", "false"), ("[1]", "1"),
        ("1", "[1]"), ("{}", "1"), ('""', "1"), ('"abc"', "1"), ("1" + "0" * 400, "0"),
    ]
} | {
    "no location": '"name":"P"',
    "an empty location": '"name":"P","location":{}',
    "a location null": '"name":"P","location":null',
    "a latitude alone": '"name":"P","location":{"lat":1}',
}

BAD_RECORDS = {
    "no name": '"location":{"lat":1,"lng":2}',
    "an empty name": '"name":"","location":{"lat":1,"lng":2}',
    "a name null": '"name":null,"location":{"lat":1,"lng":2}',
    "a name in a list": '"name":["P"],"location":{"lat":1,"lng":2}',
    "a member twice": '"name":"P","name":"Q","location":{"lat":1,"lng":2}',
}


def odd_values():
    for name, members in BAD_RECORDS.items():
        yield Feed(f"next to a good one: {name}", with_raw(members))
    for number in ("5e-324", "1e-400", "-0.0", "0", "1e0", "1E+1", "18446744073709551616", "9" * 400, "0." + "1" * 10_000, "1" * 1_000_000):
        yield Feed(f"a member of the number {number[:24]}", with_raw(f'"name":"N","location":{{"lat":1,"lng":2}},"x":{number}'))
    for value in ("null", "true", "[]", "{}", '""', "[null]", '{"a":null}', nested("[", "]", 20), nested('{"a":', "}", 20)):
        yield Feed(f"a member of the value {value[:24]}", with_raw(f'"name":"N","location":{{"lat":1,"lng":2}},"x":{value}'))
    for key in ("", " ", "\\u0000", "__proto__", "constructor", "é", "e\\u0301", "x" * 10_000, "\\ud83d\\ude00", "type", "geometry"):
        yield Feed(f"a member named {key[:24]!r}", with_raw(f'"name":"N","location":{{"lat":1,"lng":2}},"{key}":1'))
    for count in (1_000, 20_000):
        many = ",".join(f'"k{index}":{index}' for index in range(count))
        yield Feed(f"{count} members", with_raw(f'"name":"N","location":{{"lat":1,"lng":2}},{many}'))
    for member in ("category", "rating", "priceLevel", "phone", "website", "hours", "address", "city"):
        for value in ("null", "1e400", "-1", "[[]]", '{"a":[1]}', '"' + "x" * 70_000 + '"', "true"):
            yield Feed(f"{member} of {value[:12]}", with_raw(f'"name":"N","location":{{"lat":1,"lng":2}},"{member}":{value}'))


def odd_positions():
    for name, members in BAD_POSITIONS.items():
        yield Feed(f"next to a good one: {name}", with_raw(members))
    for lat, lng in (("90", "0"), ("-90", "0"), ("90", "180"), ("0", "180"), ("0", "-180"), ("-0.0", "-0.0"), ("0", "0"), ("89.99999999", "-179.99999999"), ('"48.2"', '"16.3"'), ("5e-324", "5e-324"), ("1.5e1", "1E1"), ('"48.2N"', "1")):
        yield Feed(f"at {lat}, {lng}", with_raw(position(lat, lng)))
    yield Feed("a location in text", with_raw('"name":"P","location":"1,2"'))
    for lng in ("180.0000001", "-180.0000001", "360", "540", "-540", "1e300"):
        yield Feed(f"at longitude {lng}", with_raw(position("1", lng)))


def odd_identities():
    for name, identity in {
        "empty": '""', "10 KB": '"' + "i" * 10_000 + '"', "a number": "17", "a large number": "18446744073709551617",
        "a list": "[1]", "null": "null", "a path": '"../../etc/passwd"', "a slash": '"/"', "NUL": '"a\\u0000b"',
        "an option": '"--help"', "SQL": "\"'; DROP TABLE restaurants; --\"", "line feeds": '"a\\nb"', "marks": '"e' + "\\u0301" * 100 + '"',
    }.items():
        yield Feed(f"an id: {name}", with_raw(f'"id":{identity},"name":"N","location":{{"lat":1,"lng":2}}'))
    twice = {"id": "same", "name": "One", "location": PLACE}
    yield Feed("one id twice", feed(twice, {**twice, "name": "Two"}, GOOD))
    yield Feed("one id a thousand times", feed(*[{**twice, "name": str(n)} for n in range(1_000)], GOOD))
    yield Feed("one place 20 000 times", feed(*[{"id": str(n), "name": "N", "location": PLACE} for n in range(20_000)], GOOD))
    yield Feed("ids that differ in normalization", feed({"id": "é", "name": "N", "location": PLACE}, {"id": "e\u0301", "name": "N", "location": PLACE}, GOOD))


def odd_texts(seed: int):
    texts = [
        "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "&lt;b&gt;", "javascript:alert(1)", "data:text/html,x",
        "file:///etc/passwd", "//host/path", "https://user:pass@host/", "=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1",
        "\u202eabc", "\u200b", "\u2066x\u2069", "👩‍👩‍👧‍👦", "e" + "\u0301" * 10_000, "\ufeff", "\ufffd", "\u0000", "\u001b[2J", "a\nb", "a\rb",
        "' OR 1=1 --", "%s%n%d", "${7*7}", "{{7*7}}", "$(id)", "`id`", "../..", "C:\\", "con", "NULL", "null", "x" * 60_000, "\U0010ffff", "ﷺ", "ß", "İ",
    ]
    for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32"):
        yield Feed(encoding, feed(GOOD).decode().encode(encoding))
    for one in texts:
        for member in ("name", "category", "website"):
            record = {"id": "odd", "name": "N", "location": PLACE, member: one}
            yield Feed(f"{member} {one[:16]!r}", feed(record, GOOD))
    chance = random.Random(seed)
    for number in range(60):
        name = "".join(chr(chance.choice([chance.randrange(0x20, 0xD800), chance.randrange(0xE000, 0x110000)])) for _ in range(chance.randrange(1, 40)))
        yield Feed(f"random text {number}", feed({"id": "odd", "name": name, "location": PLACE}, GOOD))


def odd_geometries():
    good = {"type": "Feature", "id": "good", "geometry": {"type": "Point", "coordinates": [2.5, 1.5]}, "properties": {"name": "Good"}}
    geometries = [
        None, 1, "x", [], {}, {"type": "Point"}, {"type": "Point", "coordinates": []}, {"type": "Point", "coordinates": [1]},
        {"type": "Point", "coordinates": [1, 2, 3]}, {"type": "Point", "coordinates": [1, 2, 3, 4, 5]}, {"type": "Point", "coordinates": ["1", "2"]},
        {"type": "Point", "coordinates": [[1, 2]]}, {"type": "Point", "coordinates": None}, {"type": "point", "coordinates": [1, 2]},
        {"type": "LineString", "coordinates": [[1, 2], [3, 4]]}, {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 0]]]},
        {"type": "Polygon", "coordinates": []}, {"type": "MultiPoint", "coordinates": [[1, 2]]}, {"type": "GeometryCollection", "geometries": []},
        {"type": "Circle", "coordinates": [1, 2]}, {"type": "Point", "coordinates": [1, 91]}, {"type": "Point", "coordinates": [1, None]},
    ]
    for geometry in geometries:
        odd = {"type": "Feature", "geometry": geometry, "properties": {"name": "Odd"}}
        yield Feed(f"geometry {text(geometry).decode()[:48]}", text({"type": "FeatureCollection", "features": [odd, good]}), "geojson")
    for odd in (None, 1, [], {}, {"type": "FeatureCollection", "features": []}, {"type": "Feature", "properties": None, "geometry": None}):
        yield Feed(f"feature {text(odd).decode()[:48]}", text({"type": "FeatureCollection", "features": [odd, good]}), "geojson")
    for crs in ({"type": "name", "properties": {"name": "urn:ogc:def:crs:OGC:1.3:CRS84"}}, None):
        yield Feed(f"crs {text(crs).decode()[:48]}", text({"type": "FeatureCollection", "crs": crs, "features": [good]}), "geojson")


def packed():
    good = feed(GOOD)
    yield Feed("packed", gzip.compress(good, mtime=0), "json.gz")
    yield Feed("packed by another name", gzip.compress(good, mtime=0))
    yield Feed("packed in two members", gzip.compress(good[:20], mtime=0) + gzip.compress(good[20:], mtime=0), "json.gz")
    yield Feed("packed a thousand times smaller", gzip.compress(good + b" " * 30_000_000, mtime=0), "json.gz")
    yield Feed("byte order mark", b"\xef\xbb\xbf" + good)
    yield Feed("blanks around", b"\r\n\t " + good + b" \n\n")
