"""Where a request can carry text: one `Place` for every parameter, path, header, member and body.

Routes, parameters and members are read from the service's own /api, so that a new one is covered as
soon as it is declared; what OpenAPI has no word for is listed here.
"""

import base64
import functools
import json
import re
from collections.abc import Callable
from typing import NamedTuple

from documents import SHAPES, VALUES
from measure import Request
from texts import BROKEN, NAMES, broken, fitted, text

TARGET, HEAD, BODY, WRITE = 8_192, 16_384, 1 << 18, 1_024
# bytes of a filter text that the service takes
TEXT = 256
GOOD = {"lat": "1", "lon": "2", "radius": "1000", "bbox": "0,0,9,9", "by": "category",
        "want": "Thai", "at": "1,2&at=3,4"}
OWNED = ["/favorites", "/metrics"]
POINTS = b'"points":[{"lat":1,"lon":2}]'
WANTED = b'"lat":1,"lon":2,"want":["Thai"]'

DIGITS = {name: SHAPES[name] for name in
          ["digits", "fraction", "nines", "exponent", "small by digits", "halfway"]}


def text_bytes(name):
    return lambda size, seed: text(name, size, seed).encode()


def broken_bytes(name):
    return lambda size, seed: broken(name, size, seed)


TEXTS = {**{name: text_bytes(name) for name in NAMES},
         **{f"broken {name}": broken_bytes(name) for name in BROKEN}, **DIGITS}


class Place(NamedTuple):
    """What carries the text, of which classes and sizes, and how a request is made of it."""

    name: str
    classes: dict
    sizes: tuple
    encode: Callable
    request: Callable

    def make(self, kind, size, seed):
        return self.request(fitted(self.classes[kind], self.encode, size, seed), seed)


def message(method, target, fields, body, seed):
    """A request; the fields that it must have come last, if they are not among those given."""
    lines = [method + b" " + target + b" HTTP/1.1", *fields]
    names = {line.split(b":", 1)[0].lower() for line in fields}
    if b"host" not in names:
        lines.append(b"Host: localhost")
    if body is not None and not {b"content-length", b"transfer-encoding"} & names:
        lines.append(b"Content-Length: %d" % len(body))
    if body is not None and b"content-type" not in names:
        lines.append(b"Content-Type: application/json")
    lines.append(b"User-Agent: %x" % seed)
    return b"\r\n".join([*lines, b"", body or b""])


# -- encodings --------------------------------------------------------------------------------------

PLAIN = set(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~,:*")
QUOTED = [bytes([byte]) if byte in PLAIN else b"%%%02X" % byte for byte in range(256)]


def quoted(data):
    return b"".join(map(QUOTED.__getitem__, data))


def same(data):
    return data


def visible(data):
    """As a target has it: what ends a request line is skipped."""
    return data.translate(None, b"\r\n\0 ")


def one_line(data):
    return data.translate(None, b"\r\n\0")


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")


# -- targets ----------------------------------------------------------------------------------------


def operations(api):
    """(path, method, its parameters' names and whether they must be given, members of its body)."""
    def found(node):
        while "$ref" in node:
            target = api
            for step in node["$ref"].removeprefix("#/").split("/"):
                target = target[step.replace("~1", "/")]
            node = target
        return node

    for path, item in api["paths"].items():
        shared = item.get("parameters", [])
        for method, operation in item.items():
            if method == "parameters":
                continue
            parameters = [found(p) for p in shared + operation.get("parameters", [])]
            content = found(operation.get("requestBody", {})).get("content", {})
            schema = found(content.get("application/json", {}).get("schema", {}))
            names = {p["name"]: p.get("required", False) for p in parameters if p["in"] == "query"}
            yield path, method.upper().encode(), names, list(schema.get("properties", {}))


def of_targets(api, token):
    for path, method, parameters, _ in operations(api):
        if method != b"GET":
            continue
        # what the owner alone may read is read by the owner
        fields = [b"Authorization: Bearer " + token.encode()] if path in OWNED else []
        place = functools.partial(target_place, fields=fields)
        route = re.sub(r"\{\w+\}", "x", path).encode()
        for name in re.findall(r"\{\w+\}", path):
            pattern = re.sub(r"\{\w+\}", "0", path.replace(name, "%s")).encode()
            yield place(f"GET {path} {name}", pattern, quoted)
            yield place(f"GET {path} {name}, raw", pattern, visible)
        for name in parameters:
            others = [f"{n}={GOOD[n]}" for n, needed in parameters.items() if needed and n != name]
            start = route + b"?" + "&".join([*others, f"{name}="]).encode()
            yield place(f"GET {path} {name}", start + b"%s", quoted, (TARGET, TEXT + len(start)))
            if name == "at":
                yield place(f"GET {path} at, 2nd", start + b"1,2&at=%s", quoted)
            if name == "want":
                yield list_place(f"GET {path} many wants", route + b"?" + "&".join(others).encode() + b"&", b"want=%s", b"&")
            if name == "bbox":
                yield place(f"GET {path} bbox, 4th", start + b"1,2,3,%s", quoted)
        needed = "&".join(f"{n}={GOOD[n]}" for n, is_needed in parameters.items() if is_needed).encode()
        yield place(f"GET {path} a name", route + b"?" + needed + b"&%s=1", quoted)
    yield target_place("GET an unknown path", b"/%s", quoted)
    yield target_place("GET a raw target", b"%s", visible)
    yield target_place("GET an absolute target", b"http://%s/", visible)
    yield target_place("GET a raw query", b"/nearest?lat=1&lon=2&%s", visible)
    yield target_place("HEAD items q", b"/collections/restaurants/items?q=%s", quoted, method=b"HEAD")
    yield target_place("OPTIONS a path", b"/collections/restaurants/items/%s", quoted, method=b"OPTIONS")
    yield target_place("GET items a filter's value", b"/collections/restaurants/items?filter=name%20~%20%s", quoted)
    yield target_place(
        "GET items a filter's quoted value", b"/collections/restaurants/items?filter=name%20=%20'%s'", quoted)
    for name, unit in [("many parameters", b"q=%s"), ("many names", b"%s=1"), ("many categories", b"category=%s")]:
        yield list_place(f"GET items {name}", b"/collections/restaurants/items?", unit, b"&")
    yield list_place("GET items a list of categories", b"/collections/restaurants/items?category=", b"%s", b",")
    yield list_place("GET items a list of words", b"/collections/restaurants/items?q=", b"%s", b"+")


def target_place(name, pattern, encode, sizes=(TARGET,), method=b"GET", fields=()):
    extra = len(pattern) - 2
    start, end = pattern.split(b"%s")

    def request(data, seed):
        return Request(message(method, start + data + end, fields, None, seed))

    return Place(name, TEXTS, tuple(size - extra for size in sizes), encode, request)


def list_place(name, start, unit, separator):
    """The same text again and again, each in 60 bytes."""

    def request(data, seed):
        one = unit.replace(b"%s", data)
        count = (TARGET - len(start)) // (len(one) + 1)
        return Request(message(b"GET", start + separator.join([one] * count), [], None, seed))

    return Place(name, TEXTS, (60, 240), quoted, request)


def of_cursors(cursor):
    """`cursor`: one that the service gave, taken apart, so that text comes to where a true one has it."""
    parts = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    for index in [None, *range(len(parts))]:
        def encode(data, index=index):
            if index is None:
                return base64url(data)
            pieces = [json.dumps(part).encode() for part in parts]
            return base64url(b"[" + b",".join([*pieces[:index], data, *pieces[index + 1:]]) + b"]")

        def request(data, seed):
            target = b"/collections/restaurants/items?limit=1&sortby=name&cursor=" + data
            return Request(message(b"GET", target, [], None, seed))

        where = "whole" if index is None else f"part {index}"
        yield Place(f"cursor, {where}", VALUES, (TARGET - 80,), encode, request)
