"""The places of text after the request line: headers, bodies, writes, chunks; and mutated bytes."""

from documents import MEMBERS, VALUES
from measure import Request
from places import BODY, HEAD, POINTS, TARGET, TEXT, TEXTS, WANTED, WRITE, Place, message, one_line, operations, quoted, same, visible

ITEMS = b"/collections/restaurants/items?limit=1"
FAVORITE = b"/favorites/x"
# field and what stands before the text; what the service compares, and what it need not look at
READING = [
    "Accept: ", "Accept: text/html;q=", "Accept: a/b, ", "Accept-Encoding: ", "Accept-Encoding: gzip;q=",
    "Accept-Language: ", "Accept-Charset: ", "If-None-Match: ", 'If-None-Match: "', "If-None-Match: W/",
    "If-Match: ", "If-Modified-Since: ", "If-Range: ", "Range: ", "Range: bytes=", "Host: ",
    "Host: localhost", "Host: localhost:", "Host: [", "Connection: ", "Connection: close, ", "Keep-Alive: ",
    "Upgrade: ", "Via: ", "Origin: ", "Origin: http://", "Sec-Fetch-Site: ", "Referer: ", "User-Agent: ",
    "X-Other: ", "Authorization: ", "Authorization: Bearer ", "Cookie: ", "Cookie: geoq-@PORT@=",
    "Forwarded: ", "Forwarded: for=", "X-Forwarded-Host: ", "X-Forwarded-Host: localhost, ",
    "X-Forwarded-Proto: ", "X-Forwarded-Proto: http, ", "X-Forwarded-Prefix: ", "X-Forwarded-Prefix: /",
    "X-Forwarded-For: ", "X-Forwarded-For: 127.0.0.1, ", "X-Request-Id: ", "Traceparent: ", "TE: ", "Date: ",
]
POSTING = [
    "Content-Type: ", "Content-Type: application/json;", "Content-Type: application/json; charset=",
    "Content-Encoding: ", "Content-Language: ", "Expect: ",
]
WRITING = [
    "Authorization: ", "Authorization: Bearer ", "Authorization: Basic ", "Cookie: ", "Cookie: geoq-@PORT@=",
    "Origin: ", "Origin: http://", "Sec-Fetch-Site: ", "Content-Type: ", "X-Forwarded-Host: ",
]
PREFLIGHT = [
    "Origin: ", "Origin: https://", "Access-Control-Request-Method: ", "Access-Control-Request-Headers: ",
]
# of these a broken one leaves open where the request ends
FRAMING = [
    "Content-Length: ", "Content-Length: 1", "Transfer-Encoding: ", "Transfer-Encoding: chunked, ",
    "Trailer: ",
]
REPEATED = [
    "Accept: ", "Accept-Encoding: ", "If-None-Match: ", "Cookie: ", "X-Forwarded-For: ", "X-Forwarded-Host: ",
    "Host: ", "Authorization: ", "X-Other: ",
]


def of_headers():
    def fields(method, target, names, body=None, **more):
        for name in names:
            where = f"{method.decode()} {target.split(b'?')[0].decode()} {name}"
            yield header_place(where, method, target, name.encode(), body, **more)

    yield from fields(b"GET", ITEMS, READING)
    yield from fields(b"POST", b"/nearest", POSTING, b"{" + POINTS + b"}")
    yield from fields(b"POST", b"/nearest", FRAMING, b"{" + POINTS + b"}", is_alone=True, allowed=(501,))
    yield from fields(b"PUT", FAVORITE, WRITING, b"{}")
    yield from fields(b"OPTIONS", ITEMS, PREFLIGHT)
    yield from fields(b"GET", b"/favorites", ["Authorization: Bearer ", "Cookie: geoq-@PORT@=", "Origin: "])
    yield header_place("GET / a field's name", b"GET", b"/", b"", None, end=b": 1")
    for name in REPEATED:
        yield header_place(f"GET / 90 times {name}", b"GET", b"/", name.encode(), None, count=90)
    yield Place("a method", TEXTS, (HEAD - 100,), visible, lambda data, seed: Request(
        message(data, b"/", [], None, seed), is_alone=True, allowed=(501,)))
    yield Place("a version", TEXTS, (4_000,), one_line, lambda data, seed: Request(
        b"GET / HTTP/" + data + b"\r\nHost: localhost\r\n\r\n", is_alone=True, allowed=(505,)))


def header_place(name, method, target, start, body, end=b"", count=1, **more):
    def request(data, seed):
        return Request(message(method, target, [start + data + end] * count, body, seed), **more)

    return Place(name, TEXTS, ((HEAD - 400) // count - len(start),), one_line, request)


def of_bodies(api):
    for path, method, _, members in operations(api):
        if method != b"POST":
            continue
        good = POINTS if "points" in members else b""
        if "want" in members:
            yield body_place(f"POST {path} a member after the wants", path, MEMBERS, b"{" + WANTED + b",%s}")
            yield body_place(f"POST {path} want[0]", path, VALUES, b'{"lat":1,"lon":2,"want":[%s]}')
            yield body_place(f"POST {path} want[1]", path, VALUES, b'{"lat":1,"lon":2,"want":["a",%s]}')
        yield body_place(f"POST {path} body", path, VALUES)
        yield body_place(f"POST {path} raw body", path, TEXTS)
        yield body_place(f"POST {path} a member", path, MEMBERS, b"{%s}")
        if good:
            yield body_place(f"POST {path} a member after points", path, MEMBERS, b"{" + good + b",%s}")
            yield body_place(f"POST {path} points[0]", path, VALUES, b'{"points":[%s]}')
            yield body_place(f"POST {path} points[1]", path, VALUES, b'{"points":[{"lat":1,"lon":2},%s]}')
            yield body_place(f"POST {path} lat", path, VALUES, b'{"points":[{"lat":%s,"lon":2}]}')
            yield body_place(f"POST {path} a point's member", path, MEMBERS, b'{"points":[{"lat":1,%s}]}')
            yield body_place(f"POST {path} category[1]", path, VALUES, b"{" + good + b',"category":["a",%s]}')
        for name in members:
            before = good + b"," if good and name != "points" else b""
            yield body_place(f"POST {path} {name}", path, VALUES, b"{" + before + b'"' + name.encode() + b'":%s}')
    yield body_place("POST /session token", "/session", VALUES, b'{"token":%s}')
    yield body_place("POST /session a member", "/session", MEMBERS, b'{"token":"a",%s}')
    yield body_place("POST /session body", "/session", VALUES)
    yield body_place("POST /conformance body", "/conformance", TEXTS)
    yield Place("POST /nearest a byte too many", TEXTS, (BODY,), same, lambda data, seed: Request(
        message(b"POST", b"/nearest", [], data + b" " * (BODY + 1 - len(data)), seed)))
    yield chunk_place("chunks of one byte", VALUES, 1 << 16,
                      lambda data: b"".join(b"1\r\n%c\r\n" % byte for byte in data) + b"0\r\n\r\n")
    yield chunk_place("a chunk's extension", TEXTS, 8_000, lambda data: b"1;" + data + b"\r\n1\r\n0\r\n\r\n")
    yield chunk_place("a trailer", TEXTS, 8_000, lambda data: b"1\r\n1\r\n0\r\nX: " + data + b"\r\n\r\n")
    yield chunk_place("a trailer's name", TEXTS, 8_000, lambda data: b"1\r\n1\r\n0\r\n" + data + b": 1\r\n\r\n")


def body_place(name, path, classes, pattern=b"%s", method=b"POST", fields=(), sizes=(BODY, 1 << 16, TEXT)):
    extra = len(pattern) - 2
    start, end = pattern.split(b"%s")

    def request(data, seed):
        return Request(message(method, path.encode(), list(fields), start + data + end, seed))

    return Place(name, classes, tuple(size - extra for size in sizes), same, request)


def chunk_place(name, classes, size, chunked):
    def request(data, seed):
        fields = [b"Transfer-Encoding: chunked"]
        return Request(message(b"POST", b"/nearest", fields, chunked(data), seed), is_alone=True)

    return Place(f"POST /nearest {name}", classes, (size,), one_line if classes is TEXTS else same, request)


def of_writes(api, token, known):
    """Changes of favorites, by the owner and by others; `known`: the id of a restaurant."""
    owners = {"owner": [b"Authorization: Bearer " + token.encode()], "stranger": []}
    for path, method, _, _ in operations(api):
        if method not in (b"PUT", b"DELETE"):
            continue
        for who, fields in owners.items():
            name = f"{method.decode()} {path} by {who}"
            start = path.split("{")[0].encode()

            def request(data, seed, method=method, start=start, fields=fields):
                return Request(message(method, start + data, fields, b"" if method == b"PUT" else None, seed))

            yield Place(f"{name}, id", TEXTS, (TARGET - len(start),), quoted, request)
            target = path.split("{")[0] + known
            yield body_place(f"{name}, body", target, VALUES, method=method, fields=fields, sizes=(WRITE, BODY))
            yield body_place(f"{name}, a member", target, MEMBERS, b"{%s}", method, fields, (WRITE, 4 * WRITE))


PUT_IN = [b"\r\n", b"\0", b"%", b"&", b"=", b":", b"\xff", b"9" * 20, b"\xcc\x81\xcc\xa3" * 2_000]


def mutated(request, rng):
    """The request with a few bytes changed, cut, doubled or put in."""
    data = bytearray(request.data)
    for _ in range(rng.choice([1, 1, 2, 5, 20])):
        # in the head rather than far back in a body
        place = rng.randrange(min(len(data), rng.choice([64, 512, 1 << 20])) + 1)
        match rng.randrange(5):
            case 0: data[place:place + 1] = bytes([rng.randrange(256)])
            case 1: data[place:place + rng.randrange(1, 30)] = b""
            case 2: data[place:place] = rng.choice(PUT_IN)
            case 3: data[place:place] = data[:rng.randrange(1, 60)]
            case _: del data[max(1, place):]
    return Request(bytes(data), is_alone=True, allowed=(501, 505))
