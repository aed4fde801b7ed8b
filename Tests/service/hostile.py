"""Hostile requests as raw bytes against the built service, and a probe after each.

    python3 Tests/service/hostile.py .build/release/geoq [COUNT]      default 5000

Classes: what the OpenAPI document declares, so that every route is asked; parameters, targets, protocol, bodies and
writes, and mutations of all of these by a seed
(SEED=). Prints a line per class; exits with 1 if the service ends, an answer is a 5xx (but 501 and 505, which
say that a request asks for what HTTP/1.1 skips), a request
that must be refused is not, or a probe fails, or takes longer than 50 ms after the same request three times:
the machine may be shared.
"""

import json
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from harness import TOKEN, Service

SEED = int(os.environ.get("SEED", "20150821"))
PROBE_LIMIT = float(os.environ.get("GEOQ_PROBE_MS", "50")) / 1000
HOST = b"Host: localhost\r\n"
OWNER = b"Authorization: Bearer " + TOKEN.encode()
PROBE = b"GET /nearest?lat=1&lon=2 HTTP/1.1\r\n" + HOST + b"\r\n"


def get(target, *fields, host=HOST, version=b"HTTP/1.1"):
    head = b"GET " + (target if isinstance(target, bytes) else target.encode()) + b" " + version
    return head + b"\r\n" + host + b"".join(f + b"\r\n" for f in fields) + b"\r\n"


def send(method, target, body=b"", *fields, type_=b"application/json"):
    head = [method + b" " + target + b" HTTP/1.1", b"Host: localhost",
            b"Content-Length: %d" % len(body)]
    if type_ is not None:
        head.append(b"Content-Type: " + type_)
    return b"\r\n".join([*head, *fields, b"", body])


# -- the classes: (request, the statuses that may come back; None for anything below 500) -----------

NUMBERS = ["", "%20", "+1", "0x10", "1_000", "Infinity", "-inf", "NaN", "nan", "1e400", "-1e400",
           "1" * 400, "1,5", "--1", "1e", "1e+", "%EF%BC%91", "%D9%A1", "1%00", "1%0a",
           "true", "null", "[]", "{}", "1;2", "1&", "%zz", "%", "1.2.3", "9" * 30, "-9223372036854775809",
           "18446744073709551616", "1/0", "1e-400x", "%F0%9F%8D%95", "%ff", "%c3%28", "%ed%a0%80"]
TEXTS = ["'", "' OR 1=1 --", "\"; DROP TABLE restaurants; --", "%", "_", "*", "a*", "\"a\"", "name:a",
         "a OR b", "NEAR(a b)", "a NOT b", "^a", "(a", ")", "-a", "{a}", "{{7*7}}", "${7*7}", "$(id)",
         "`id`", "<script>alert(1)</script>", "\u202ea", "\ufeff", "\u0300" * 500, "(a+)+$", "a" * 2000,
         "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\x1b[2J", "\x7f", "a\nb", "a\r\nSet-Cookie: x=y"]

def quote(text):
    return "".join(f"%{byte:02X}" for byte in text.encode())


def parameters():
    for box in ["1,2,3", "1,2,3,4,5", "1,2,3,4,5,6,7", "a,b,c,d", "0,5,1,4", "0,-91,1,1", "-181,0,1,91",
                ",,,", "1,2,3,", "NaN,0,1,1", "0,0,1e400,1", "0 0 1 1", "[0,0,1,1]", "0,0,1,0x1", "1;2;3;4"]:
        for route in ["/bbox", "/count/bbox", "/collections/restaurants/items"]:
            yield get(f"{route}?bbox={quote(box)}"), {400}
    for box in ["0,0,0,0", "180,-90,-180,90", "-180,-90,180,90", "1,1,0,2", "-0,-0,-0,-0", "180,0,180,0",
                "-181,0,1,1", "170,-20,190,20", "-1e300,0,1e300,1", "1e300,0,-1e300,1", "540,0,-540,1"]:
        for route in ["/bbox", "/count/bbox", "/collections/restaurants/items"]:
            yield get(f"{route}?bbox={box}"), {200}
    for text in TEXTS:
        for name in ["q", "category", "city"]:
            for route in ["/nearest?lat=1&lon=2", "/bbox?bbox=0,0,1,1", "/collections/restaurants/items?limit=1",
                          "/count/bbox?bbox=0,0,9,9"]:
                # a filter's text has at most 256 bytes
                short = len(text.encode()) <= 256
                yield get(f"{route}&{name}={quote(text)}".replace("items&", "items?")), {200 if short else 400}
        for name in ["cursor", "sortby", "datetime", "f", "limit", "offset", quote(text)]:
            # the name and the value of the longest text together are longer than a target may be
            yield get(f"/collections/restaurants/items?{name}={quote(text)}"), {400, 414} if len(text) == 2000 else {400}
        yield get(f"/collections/restaurants/items/{quote(text)}"), {404}
    for name in ["LAT", "lat[]", "lat%00", "%6cat", "lat ", "__proto__", "constructor", "$where"]:
        yield get(f"/nearest?lat=1&lon=2&{quote(name)}=1"), {400}
    for name in ["category", "city", "q", "max"]:
        yield get(f"/nearest?lat=1&lon=2&{name}=1&{name}=2"), {400}
    for text in TEXTS:
        for name in ["q", "category", "chain"]:
            yield get(f"/offers?{name}={quote(text)}"), {200 if len(text.encode()) <= 256 else 400}
        yield get(f"/offers/{quote(text)}"), {404}
        yield get(f"/nearest?lat=1&lon=2&filter=extra.{quote(text)}=1"), {200, 400}
    for path in ["a.b", "'a b'.c", "a" * 256, ".".join("a" * 32)]:
        yield get(f"/nearest?lat=1&lon=2&filter=extra.{quote(path)}=1"), {200}
    for path in ["", ".", "'a", "a" * 257, ".".join("a" * 33)]:
        yield get(f"/nearest?lat=1&lon=2&filter=extra.{quote(path)}=1"), {400}
    for text in TEXTS:
        wanted = {400} if len(text.encode()) > 256 or set(text) & set("=<>~") else {200}
        yield get(f"/cover?lat=1&lon=2&want={quote(text)}&want=Thai"), wanted
        yield send(b"POST", b"/cover", json.dumps({"lat": 1, "lon": 2, "want": ["Thai", text]}).encode()), wanted
    for point in ["1", "1,2,3", "91,0", "0,181", "nan,0", "1,2;3,4", "", ",", "[1,2]", "geo:1,2", "1e400,0"]:
        yield get(f"/meet?at=1,2&at={quote(point)}"), {400}
    yield get("/cover?lat=1&lon=2" + "&want=a" * 64), {200}
    yield get("/cover?lat=1&lon=2" + "&want=a" * 65), {400}
    yield get("/meet?at=1,2" + "&at=1,2" * 63), {200}
    yield get("/meet?at=1,2" + "&at=1,2" * 64), {400}
    for end in ["&places=0", "&places=6", "&places=1&places=1", "&want=offer:1", "&want=x>1", "&want=", "&lat=1", "&rank=1&by=walk"]:
        yield get(f"/cover?lat=1&lon=2&want=a{end}"), {400}
    yield get("/nearest?lat=1&lon=2&category=Thai,%20Pub"), {200}
    yield get("/nearest?lat=1&lon=2&category=" + ",".join(["a"] * 33)), {400}
    for list_ in [",", "Thai,", ",Thai", "Thai,,Pub", "Thai,%20"]:
        yield get(f"/nearest?lat=1&lon=2&category={list_}"), {400}
    yield get("/nearest?" + "&".join(f"a{n}=1" for n in range(1500))), {400, 414}
    yield get("/nearest?lat=1&lon=2&" + "&" * 5000), {200, 400}
    yield get("/nearest?" + "=" * 5000), {400}


def good(parameter):
    """A right value of a declared parameter; two of one that may be repeated."""
    schema = parameter["schema"]
    one = schema["items"] if parameter["explode"] else schema
    if one.get("type") == "array":
        value = "0,0,1,1" if one["items"].get("type") == "number" else one["items"].get("enum", ["Thai"])[0]
    elif "enum" in one:
        value = one["enum"][0]
    else:
        value = "1,2" if "pattern" in one else "Thai" if one.get("type") == "string" else "1"
    return f"{value}&{parameter['name']}={value}" if parameter["explode"] else value


def declared(api):
    """Hostile values of every parameter, methods and bodies of every path of the OpenAPI document."""
    for number, (path, operations) in enumerate(api["paths"].items()):
        # many routes have the same parameters: each of them is asked with another part of the texts
        texts = TEXTS[number % 4::4]
        get_ = operations.get("get", {})
        parameters_ = get_.get("parameters", operations.get("parameters", []))
        for parameter in (p for p in parameters_ if p["in"] == "path"):
            is_text = parameter["schema"]["type"] == "string"
            for value in texts if is_text else NUMBERS:
                other = quote(value) if is_text else value
                target = re.sub(r"\{\w+\}", "0", path.replace(f"{{{parameter['name']}}}", other))
                # a tile without a restaurant has no body, and 1& ends nothing in a path
                yield get(target, OWNER), {400, 404, 405, 414}
        target = re.sub(r"\{\w+\}", "0", path)
        query = [p for p in parameters_ if p["in"] == "query"]
        for parameter in query:
            name, schema = parameter["name"], parameter["schema"]
            others = [f"{p['name']}={good(p)}" for p in query if p["required"] and p is not parameter]
            start = target + "?" + "&".join([*others, f"{name}="])
            is_number = schema.get("type") in ("number", "integer") or "anyOf" in schema
            for value in NUMBERS if is_number else texts:
                # a limit above the maximum counts as that, and what follows & is another parameter
                is_fine = value == "1&" or schema.get("type") == "integer" and value.isdecimal()
                allowed = {400, 414} if (is_number and not is_fine) or "enum" in schema else None
                yield get(start + (value if is_number else quote(value)), OWNER), allowed
            if not parameter["explode"]:
                yield get(f"{start}{good(parameter)}&{name}={good(parameter)}", OWNER), {400}
        if get_:
            yield get(target + "?nonsense=1", OWNER), {400}
        for method in ["get", "post", "put", "delete", "patch"]:
            upper = method.upper().encode()
            if method not in operations:
                yield send(upper, target.encode(), b"{}", OWNER), {405}
            elif method != "get":
                yield send(upper, target.encode(), b"{", OWNER), {400}
                yield send(upper, target.encode(), b"{}", OWNER, type_=b"text/plain"), {415}


def targets():
    steps = ["..", "%2e%2e", "%2E.", ".%2e", "..%2f", "..%5c", "%252e%252e", "..;", "....//", "%c0%ae%c0%ae",
             "..%00", "~", "file:", "%2fetc%2fpasswd", "C:%5cwindows", "/etc/passwd", "..%c0%af", "%uff0e",
             ".git/config", "Package.swift", "geoq.db", "%2e%2e%2f%2e%2e%2fetc%2fpasswd"]
    for step in steps:
        for folder in ["/", "/collections/", "/collections/restaurants/items/", "/api/", "/favorites/", "/images/"]:
            for path in [folder + step, f"{folder}{step}/{step}/etc/passwd"]:
                yield get(path), {400, 404, 405, 503}
    for target in ["*", "", "nowhere", "//", "///", "/%", "/%zz", "/\\", "http://", "http://localhost",
                   "http://evil.example/", "https://localhost:1/", "ftp://localhost/", "//evil.example/",
                   "/" + "a" * 8190, "/" + "a" * 8192, "/" + "a" * 15000, "/" + "a" * 200000, "/#", "/a b",
                   "/?#", "/\x80", "/\xff"]:
        yield get(target.encode("latin-1")), None


def protocol():
    for host in [b"", b"Host:\r\n", HOST * 2, HOST + b"Host: evil.example\r\n", b"Host : localhost\r\n",
                 b"Host: localhost, evil.example\r\n", b"Host: \x00\r\n", b"Host: local\r\n host\r\n",
                 b"Host: localhost:99999999999999999999\r\n", b"Host: [::1\r\n", b"Host: user@localhost\r\n",
                 b"Host: evil.example\r\n", b"Host: localhost.evil.example\r\n", b"Host: " + b"a" * 10000 + b"\r\n"]:
        yield get("/", host=host), {400, 421}
    for version in [b"HTTP/0.9", b"HTTP/2.0", b"HTTP/9.9", b"HTTP/1", b"HTTP/1.1.1", b"HTTPS/1.1", b"", b"http/1.1"]:
        yield get("/", version=version), None
    yield get("/", version=b"HTTP/1.0"), {200}
    for method in [b"TRACE", b"CONNECT", b"BREW", b"get", b"PUT", b"DELETE", b"PATCH", b"\x00", b"G ET", b"A" * 5000,
                   b"PRI", b"PROPFIND", b"\xff\xff"]:
        for target in [b"/", b"/nearest?lat=1&lon=2", b"*", b"localhost:80"]:
            yield method + b" " + target + b" HTTP/1.1\r\n" + HOST + b"\r\n", None
    for field in [b"X: " + b"a" * 20000, b"X\x00: a", b"X: a\x00", b"X", b": a", b" X: a", b"X: a\r\n b", b"X : a",
                  b"X: a\rb", b"X: a\nb", b"\xff: \xff", b"Content-Length: -1", b"Content-Length: +5",
                  b"Content-Length: 0x5", b"Content-Length: 18446744073709551616", b"Content-Length: 1, 2",
                  b"Content-Length: 1\r\nContent-Length: 2", b"Transfer-Encoding: chunked\r\nContent-Length: 5",
                  b"Transfer-Encoding: gzip", b"Transfer-Encoding: chunked, identity", b"Transfer-Encoding: xchunked",
                  b"Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AA",
                  b"Upgrade: websocket\r\nConnection: Upgrade", b"Expect: 100-continue", b"Expect: nonsense",
                  b"Range: bytes=99999999999999999999-", b"Range: bytes=" + b"0-0," * 3000,
                  b"If-None-Match: " + b"\"a\"," * 3000, b"If-None-Match: *", b"Accept: " + b"a/b;q=1," * 1500,
                  b"Accept: ;;;", b"Accept: text/html;q=nan", b"Accept-Encoding: gzip;q=1e400",
                  b"Accept-Encoding: " + b"gzip," * 2000, b"Authorization: Bearer " + b"a" * 8000,
                  b"Origin: null", b"Cookie: " + b"a=b;" * 3000, b"X: a\r\n" * 200, b"X-Forwarded-Host: evil.example",
                  b"X-Forwarded-For: 127.0.0.1", b"X-HTTP-Method-Override: DELETE", b"Connection: close, " + b"x" * 1000,
                  b"Content-Encoding: gzip", b"TE: trailers", b"Proxy-Connection: close", b"Keep-Alive: max=-1"]:
        for target in ["/", "/nearest?lat=1&lon=2", "/collections/restaurants/items"]:
            yield get(target, field), None
    yield b"GET /\r\n\r\n", None
    yield b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(100), None
    yield bytes.fromhex("16030100c8010000c40303") + os.urandom(64), None
    yield b"GET / HTTP/1.1\nHost: localhost\n\n", None
    yield get("/nowhere") * 500, None
    yield b"\r\n" * 1000 + get("/"), None
    for piece in [b"FFFFFFFFFFFFFFFFF\r\n", b"-1\r\n", b"0x5\r\nhello\r\n", b"5;" + b"a" * 100000 + b"\r\n", b"\r\n",
                  b"5\r\nhelloworld", b"0\r\n" + b"X: a\r\n" * 5000 + b"\r\n", b"5 \r\nhello\r\n0\r\n\r\n", b"G\r\n"]:
        yield (b"POST /nearest HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
               b"Transfer-Encoding: chunked\r\n\r\n" + piece), None


def bodies():
    point = {"lat": 1, "lon": 2}
    fine = {"points": [point]}
    wrong = [b"", b"null", b"[]", b"{", b"{}", b"nul", b"\xff\xfe{}", b"\xef\xbb\xbf{}", b"[" * 100000, b"{\"a\":" * 50000,
             b"\x00", b"NaN", b"{\"points\":[]}", b"{\"points\":{}}", b"{\"points\":[1]}", b"{\"points\":[{\"lat\":1}]}",
             b"{\"points\":[{\"lat\":1e400,\"lon\":0}]}", b"{\"points\":[{\"lat\":\"1\",\"lon\":0}]}",
             b"{\"points\":[{\"lat\":91,\"lon\":0}]}", b"{\"points\":[{\"lat\":1,\"lon\":2,\"x\":1}]}",
             b"{\"points\":[{\"lat\":1,\"lat\":2,\"lon\":2}]}", b"{\"points\":null,\"points\":[]}",
             b"{\"points\":[{\"lat\":1,\"lon\":2}],}", b"{\"points\":[{\"lat\":01x,\"lon\":2}]}",
             b"{\"points\":[{\"lat\":1,\"lon\":2}]} trailing", b"{\"points\":[{\"lat\":1" + b"0" * 400 + b",\"lon\":2}]}"]
    wrong += [json.dumps(x).encode() for x in [
        {**fine, "count": 0}, {**fine, "count": -1}, {**fine, "count": 1.5}, {**fine, "count": 1001}, {**fine, "count": "1"},
        {**fine, "count": 2**63}, {**fine, "max": -1}, {**fine, "max": 1e308}, {**fine, "sql": "1"}, {**fine, "category": 1},
        {**fine, "category": [""]}, {**fine, "category": [[]]}, {**fine, "city": ["a"]}, {**fine, "q": ""},
        {"points": [point] * 1001}, {"points": [point] * 101, "count": 100}, {**fine, "__proto__": {}}]]
    for body in wrong:
        yield send(b"POST", b"/nearest", body), {400}
        yield send(b"POST", b"/cover", body), {400}
    cover = {"lat": 1, "lon": 2, "want": ["a"]}
    for change in [{"lat": 91}, {"lat": "1"}, {"lon": None}, {"want": []}, {"want": "a"}, {"want": ["a"] * 65}, {"want": [""]},
                   {"want": [["a"]]}, {"want": ["a" * 257]}, {"want": ["x > 1"]}, {"want": ["offer:1"]}, {"places": 0}, {"places": 6},
                   {"places": 1.5}, {"by": "sum"}, {"max": -1}, {"max": "1 lightyear"}, {"within": "x"}, {"filter": 1}, {"rank": 0}, {"rank": 1, "places": 1}, {"frontier": 1},
                   {"prefer": ""}, {"sql": "1"}, {"__proto__": {}}]:
        yield send(b"POST", b"/cover", json.dumps({**cover, **change}).encode()), {400}
    for body in [b'{"lat":1,"lat":1,"lon":2,"want":["a"]}', b'{"lat":1,"lon":2,"want":["a"],"want":["b"]}', b'{"want":' + b"[" * 100000]:
        yield send(b"POST", b"/cover", body), {400}
    yield send(b"POST", b"/cover", json.dumps({**cover, "want": ["a"] * 64}).encode()), {200}
    yield send(b"POST", b"/cover", b" " * (1 << 20) + b" "), {413, None}
    square = {"type": "Polygon", "coordinates": [[[0, 0], [9, 0], [9, 9], [0, 0]]]}
    for change in [{"lat": 91}, {"lat": 1}, {"radius": 1}, {"bbox": [1, 2, 3]}, {"bbox": [0, 9, 1, 0]}, {"limit": 0}, {"facets": "city"},
                   {"facets": ["x"]}, {"facets": ["city"] * 9}, {"within": "x"}, {"within": 1}, {"within": {}}, {"within": {"type": "Point"}},
                   {"within": {**square, "coordinates": [[[0, 0], [9, 0], [9, 95], [0, 0]]]}}, {"filter": {"op": "x"}}, {"cursor": "x"},
                   {"favorite": True}, {"mark": "favorite"}, {"open": "x"}, {"__proto__": {}}, {"sql": "1"}]:
        yield send(b"POST", b"/search", json.dumps({"within": square, **change}).encode()), {400}
    for body in [b"", b"null", b"[]", b"{", b"\xff\xfe{}", b"[" * 100000, b'{"within":' * 50000, b'{"limit":1,"limit":2}']:
        yield send(b"POST", b"/search", body), {400}
    ring = [[number / 10_000 % 9, number % 7] for number in range(60_000)]
    wide = {**square, "coordinates": [[*ring, ring[0]]]}
    for body in [{}, {"within": square}, {"within": wide}, {"facets": ["area", "name", "extra.x"]}]:
        yield send(b"POST", b"/search", json.dumps(body).encode()), {200}
    yield send(b"POST", b"/search", b" " * (4 << 20) + b" "), {413, None}
    for type_ in [None, b"text/plain", b"application/x-www-form-urlencoded", b"multipart/form-data; boundary=a", b"a" * 2000,
                  b"application/jsonx", b";", b"application/geo+json"]:
        yield send(b"POST", b"/nearest", json.dumps(fine).encode(), type_=type_), {415}
        yield send(b"PUT", b"/favorites/p1", b"{}", OWNER, type_=type_), {415}
    for encoding in [b"gzip", b"br", b"identity", b"x"]:
        yield send(b"POST", b"/nearest", json.dumps(fine).encode(), b"Content-Encoding: " + encoding), {415}
    yield send(b"POST", b"/nearest", b" " * (1 << 20) + b" "), {413, None}
    yield send(b"POST", b"/nearest", json.dumps({"points": [point] * 1000}).encode()), {200}
    for text in TEXTS:
        short = len(text.encode()) <= 256
        yield send(b"POST", b"/nearest", json.dumps({**fine, "q": text, "city": text}).encode()), {200 if short else 400}
        for method in [b"PUT", b"DELETE"]:
            status = {404} if method == b"PUT" else {204}
            yield send(method, b"/favorites/" + quote(text).encode(), b"", OWNER, type_=None), status
            yield send(method, b"/favorites/" + quote(text).encode(), type_=None), {401}
    for origin in [b"https://evil.example", b"null", b"http://localhost:1", b"", b"http://localhost\x00"]:
        for method in [b"PUT", b"DELETE"]:
            yield send(method, b"/favorites/p1", b"", b"Origin: " + origin, type_=None), {400, 401}
    for body in [b"[]", b"null", b"{\"id\":\"p2\"}", b"{", b"1", b"[" * 100000]:
        yield send(b"PUT", b"/favorites/p1", body, OWNER), {400, 413}


def mutations(seeds, count):
    rng = random.Random(SEED)
    for _ in range(count):
        request = bytearray(rng.choice(seeds)[:4000])
        for _ in range(rng.choice([1, 1, 2, 5, 20])):
            place = rng.randrange(len(request) + 1) if request else 0
            match rng.randrange(5):
                case 0: request[place:place + 1] = bytes([rng.randrange(256)])
                case 1: request[place:place + rng.randrange(1, 30)] = b""
                case 2: request[place:place] = rng.choice([b"\r\n", b"\x00", b"%", b"&", b"=", b":", b"\xff", b"9" * 20])
                case 3: request[place:place] = request[:rng.randrange(1, 60)]
                case _: request = request[:max(1, place)]
        yield bytes(request), None


# -- asking -----------------------------------------------------------------------------------------


class Prober:
    """A client that keeps its connection, as a good one does."""

    def __init__(self, port):
        self.port, self.times, self.failed = port, [], 0
        self.connect()

    def connect(self):
        self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=5)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self):
        """Seconds until the answer is there."""
        begun = time.monotonic()
        try:
            self.socket.sendall(PROBE)
            good = whole_answer(self.socket).startswith(b"HTTP/1.1 200")
        except OSError:
            good = False
        seconds = time.monotonic() - begun
        if not good:
            self.failed += 1
            self.socket.close()
            self.connect()
        return seconds

    def ask_after(self, attack):
        """Notes the time of an answer after a request; the least of three, if the first is over the limit."""
        seconds = self.ask()
        for _ in range(2):
            if seconds <= PROBE_LIMIT:
                break
            attack()
            seconds = min(seconds, self.ask())
        self.times.append(seconds)


def whole_answer(connection):
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65536)
        if not piece:
            return data
        data += piece
    head, body = data.split(b"\r\n\r\n", 1)
    length = [int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    while length and len(body) < length[0]:
        piece = connection.recv(65536)
        if not piece:
            break
        body += piece
    return head + b"\r\n\r\n" + body


def attack(port, request):
    """The statuses that come back; the bytes are looked at for what must never be in them."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=5)
    connection.settimeout(0.5)
    data = b""
    try:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        while len(data) < 1 << 22:
            piece = connection.recv(65536)
            if not piece:
                break
            data += piece
    except OSError:
        pass
    finally:
        connection.close()
    found = [int(data[at + 9:at + 12]) for at in places(data, b"HTTP/1.1 ") if data[at + 9:at + 12].isdigit()]
    return found, data


def places(data, mark):
    at = data.find(mark)
    while at >= 0:
        if at == 0 or data[at - 1:at] in (b"\n", b"}"):
            yield at
        at = data.find(mark, at + 1)


def feed():
    rng = random.Random(1)
    return {"type": "FeatureCollection", "features": [
        {"type": "Feature", "id": f"p{n}", "properties": {"name": f"Place {n}", "category": "Thai"},
         "geometry": {"type": "Point", "coordinates": [rng.uniform(-9, 9), rng.uniform(-9, 9)]}}
        for n in range(500)]}


def attack_all(port, process, count):
    prober, problems, seeds, total = Prober(port), [], [], 0
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/api", timeout=5) as answer:
        api = json.loads(answer.read())
    fixed = [("declared", declared(api)), ("parameters", parameters()), ("targets", targets()), ("protocol", protocol()), ("bodies", bodies())]

    def run(name, requests):
        nonlocal total
        seen, asked = {}, 0
        for request, allowed in requests:
            seeds.append(request)
            asked += 1
            statuses, data = attack(port, request)
            first = statuses[0] if statuses else None
            seen[first] = seen.get(first, 0) + 1
            bad = any(status >= 500 and status not in (501, 505) for status in statuses)
            bad |= allowed is not None and first is not None and first not in allowed
            bad |= any(word in data for word in [b"root:x", b"SELECT ", b"/tmp/", b"Fatal"])
            if bad:
                problems.append((name, request[:200], statuses[:3], data[:200]))
            prober.ask_after(lambda: attack(port, request))
            if process.poll() is not None:
                raise SystemExit(f"the service ended with {process.returncode} after {request[:500]!r}")
        total += asked
        counts = ", ".join(f"{status or 'closed'}: {n}" for status, n in sorted(seen.items(), key=str))
        print(f"{name:12} {asked} requests; {counts}", flush=True)

    for name, requests in fixed:
        run(name, requests)
    run("mutations", mutations(list(seeds), max(500, count - total)))
    return prober, problems, total


def main():
    binary, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5000
    with tempfile.TemporaryDirectory() as folder:
        path, database = Path(folder) / "feed.json", str(Path(folder) / "lunch.db")
        path.write_text(json.dumps(feed()))
        subprocess.run([binary, "import", "-q", "--db", database, str(path)], check=True)
        service = Service(binary, database, "-q")
        try:
            prober, problems, total = attack_all(service.port, service.process, count)
        finally:
            ended = service.end()
    times = sorted(prober.times)
    late = sum(t > PROBE_LIMIT for t in times)
    print(f"hostile      {total} requests, {len(problems)} problems; probes: {prober.failed} failed, {late} over "
          f"{PROBE_LIMIT * 1000:.0f} ms, p50 {times[len(times) // 2] * 1000:.2f} ms, "
          f"max {times[-1] * 1000:.1f} ms; exit {ended}")
    for problem in problems[:20]:
        print("  ", *problem)
    sys.exit(1 if problems or prober.failed or late or ended != 0 or total < 2000 else 0)


if __name__ == "__main__":
    main()
