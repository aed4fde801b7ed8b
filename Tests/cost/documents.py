"""Adversarial JSON of a wanted size: hostile texts in it, and hostile shapes of it.

    VALUES[name](size, seed)    the bytes of a JSON value, at most `size`
    MEMBERS[name](size, seed)   the bytes of members of an object, without its braces

A few are not JSON at all: what rejects them must be as quick.
"""

import json

from texts import BROKEN, NAMES, broken, equivalent, fitted, text

# the longest number that is worth a try
DIGITS = 100_000


def plain(text):
    return json.dumps(text, ensure_ascii=False).encode("utf-8", "surrogatepass")


def escaped(text):
    """A JSON string in which every character beyond ASCII is an escape."""
    return json.dumps(text).encode()


def tag(seed):
    return b"%d" % (seed % 10**6)


def digits(size):
    return max(1, min(size, DIGITS) - 12)


def array(unit, size):
    return b"[" + b",".join([unit] * max(1, (size - 2) // (len(unit) + 1))) + b"]"


def thousand(name, size, seed):
    """Texts of at most 250 bytes, up to the service's limit."""
    each = max(8, min(250, size // 1000 - 4))
    count = min(1000, size // (each + 4))
    return b"[" + b",".join(plain(text(name, each, seed * 1000 + n)) for n in range(count)) + b"]"


def nested(start, inner, end, size):
    count = (size - len(inner)) // (len(start) + len(end))
    return start * count + inner + end * count


def many(count, size, name_of):
    """At most `count` members with the value 1, up to the limit."""
    parts, left = [], size
    for number in range(count):
        parts.append(name_of(number) + b":1")
        left -= len(parts[-1]) + 1
        if left < 0:
            return b",".join(parts[:-1])
    return b",".join(parts)


SHAPES = {
    "deep arrays": lambda size, seed: nested(b"[", tag(seed), b"]", size),
    "deep objects": lambda size, seed: nested(b'{"a":', tag(seed), b"}", size),
    "unclosed": lambda size, seed: b'[{"a":' * (size // 6),
    "deep and wide": lambda size, seed: b"[" * 30 + array(b"1", size - 60) + b"]" * 30,
    "digits": lambda size, seed: b"1" * digits(size) + tag(seed),
    "fraction": lambda size, seed: b"0." + b"0" * digits(size) + tag(seed),
    "nines": lambda size, seed: b"9." + b"9" * digits(size) + tag(seed),
    "exponent": lambda size, seed: b"1e" + b"0" * digits(size) + tag(seed),
    "small by digits": lambda size, seed: b"1" * digits(size // 2) + b"e-" + b"9" * digits(size // 2) + tag(seed),
    "halfway": lambda size, seed: b"9007199254740993." + b"0" * digits(size - 16) + tag(seed),
    "array of digits": lambda size, seed: array(b"7" * digits(size), size),
    "array of numbers": lambda size, seed: array(b"1", size),
    "array of texts": lambda size, seed: array(b'""', size),
    "1 000 texts of marks": lambda size, seed: thousand("marks alternating", size, seed),
    "1 000 texts of FDFA": lambda size, seed: thousand("nfkd FDFA", size, seed),
    "1 000 equal texts": lambda size, seed: array(plain("\u0301\u0323" * 60), min(size, 244_000)),
    "array of objects": lambda size, seed: array(b"{}", size),
    "array of points": lambda size, seed: array(b'{"lat":1,"lon":2}', size),
    "white space": lambda size, seed: b" " * (size - 8) + tag(seed),
    "escaped NUL": lambda size, seed: b'"' + b"\\u0000" * (size // 6 - 2) + tag(seed) + b'"',
    "lone surrogates": lambda size, seed: b'"' + b"\\ud800" * (size // 6 - 2) + tag(seed) + b'"',
    "short escapes": lambda size, seed: b'"' + b"\\n\\\\" * (size // 4 - 4) + tag(seed) + b'"',
    "object of 10 000": lambda size, seed: b"{" + MEMBERS["10 000 names"](size - 2, seed) + b"}",
    "object of equivalents": lambda size, seed: b"{" + MEMBERS["equivalent names"](size - 2, seed) + b"}",
}
NAMED = {
    "10 000 names": lambda size, seed: many(10_000, size, lambda n: plain(f"{n:x}{seed:x}")),
    "10 000 long names": lambda size, seed: many(
        10_000, size, lambda n: plain("a" * (size // 10_000 - 24) + f"{n:016x}")),
    "equal names": lambda size, seed: many(10_000, size, lambda n: plain(f"a{seed:x}")),
    "equal long names": lambda size, seed: many(64, size, lambda n: plain(text("marks alternating", size // 66, seed))),
    "equivalent names": lambda size, seed: many(10_000, size, lambda n: plain(equivalent(n))),
    "equivalent long names": lambda size, seed: many(64, size, lambda n: plain(equivalent(n, max(6, size // 66 // 5)))),
    "equivalent escaped names": lambda size, seed: many(4_096, size, lambda n: escaped(equivalent(n))),
    "empty names": lambda size, seed: many(10_000, size, lambda n: b'""'),
}
# of these there are escaped forms and many names too, and they come first
HEAVY = ["marks alternating", "marks descending", "marks hebrew", "nfkd FDFA", "emoji zwj", "hangul jamo",
         "final sigma", "mixed"]


def value_of(name, encode=plain):
    return lambda size, seed: fitted(lambda room, seed: text(name, room, seed), encode, size, seed)


def broken_value(name):
    return lambda size, seed: b'"' + broken(name, size - 2, seed) + b'"'


def one_name(make):
    return lambda size, seed: make(size - 2, seed) + b":1"


def many_names(name, count):
    make = value_of(name)
    return lambda size, seed: many(count, size, lambda n: make(size // count - 4, seed * count + n))


VALUES = {
    **SHAPES,
    **{name: value_of(name) for name in NAMES},
    **{f"escaped {name}": value_of(name, escaped) for name in HEAVY},
    **{f"broken {name}": broken_value(name) for name in BROKEN},
}
MEMBERS = {
    **NAMED,
    **{f"a name of {name}": one_name(make) for name, make in VALUES.items() if name not in SHAPES},
    **{f"2 names of {name}": many_names(name, 2) for name in HEAVY},
    **{f"100 names of {name}": many_names(name, 100) for name in HEAVY},
}
