"""Adversarial texts of a wanted size, for the cost tests of requests and feeds.

    text(name, size, seed)      one text of `NAMES`, at most `size` bytes of UTF-8
    texts(size, seed)           (name, str) for every name
    broken(name, size, seed)    bytes that are not UTF-8, `name` one of `BROKEN`
    fitted(make, encode, ...)   such a text in an encoding that makes it longer
    equivalent(number, pairs)   texts that are canonically equivalent but differ in their bytes

Texts of different seeds differ only in their last bytes, so that no cache answers for another text.
documents.py makes JSON of them.
"""

import random


def family(start, stop):
    return "".join(map(chr, range(start, stop)))


# name -> what is repeated to the wanted size
UNITS = {
    # combining marks: sorting them by class is where normalization may take quadratic time
    "marks alternating": "\u0301\u0323",
    "marks alternating 3": "\u0345\u0334\u0301\u0323",
    "marks one class": "\u0301",
    "marks 0300..036f": family(0x300, 0x370),
    "marks hebrew": "\u05b0\u05b1\u05b2\u05b3\u05b4\u05b5\u05bc\u05bf\u05c1",
    "marks tibetan": "\u0f71\u0f72\u0f74\u0f39",
    "marks expanding": "\u0344",
    "marks musical": "\U0001d165\U0001d167\U0001d172",
    "marked letters": "a\u0323\u0301",
    "composed": "\u1ea5\u1ec7\u01d6",
    # characters that become many when folded or normalized
    "nfkd FDFA": "\ufdfa",
    "nfkd FDFB": "\ufdfb\u3316\u33a8",
    "nfkd ligatures": "\ufb03\u3371\u2474\u1f82",
    "nfd greek": "\u1f82\u0390\u1fb7",
    "nfd exclusions": "\u0958\ufb2c\U0001d160\u2adc",
    "cjk compatibility": "\uf900\U0002fa1d",
    "case expanding": "\u00df\u0130\u0149\u01f0\ufb03\u1e96",
    "dotted I": "I\u0307\u0130",
    "final sigma": "\u03a3",
    "title case": "\u01c5\u01f2",
    "full width": "\uff21\uff42\uff11\uff0c",
    # long grapheme clusters and breaks that look backwards
    "hangul jamo": "\u1100\u1161\u11a8",
    "hangul leads": "\u1100",
    "hangul vowels": "\u1161",
    "hangul syllables": "\uac01\ud7a3\uac00",
    "emoji zwj": "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466\u200d",
    "emoji modifiers": "\U0001f44d\U0001f3fd\ufe0f",
    "emoji tags": "\U0001f3f4\U000e0067\U000e0062\U000e007f",
    "emoji one": "\U0001f355",
    "regional indicators": "\U0001f1e9\U0001f1ea\U0001f1eb",
    "indic conjuncts": "\u0915\u094d",
    "indic joiners": "\u0915\u094d\u200d",
    "prepended": "\u0600",
    "joiners": "\u200d",
    "variation selectors": "\ufe0f\U000e0100",
    # what is not seen
    "bidi overrides": "\u202a\u202e\u202c",
    "bidi isolates": "\u2066\u2067\u2068",
    "bidi unclosed": "\u202e",
    "zero width": "\u200b\u2060\ufeff\u00ad",
    "private use": "\ue000\U000f0000\U0010fffd",
    "noncharacters": "\uffff\ufdd0\U0010ffff",
    "controls": "\x01\x1b\x7f",
    "controls c1": "\x80\x85\x9f",
    "line ends": "\r\n",
    "blanks": " \u00a0\u3000\u2028\t",
    # one character
    "a": "a",
    "space": " ",
    "nine": "9",
    "two bytes": "\u0080",
    # punctuation that a parser stops at
    "commas": ",",
    "comma list": "a,",
    "comma blank": ", ",
    "semicolons": ";",
    "quotes": '"',
    "quoted list": '"a",',
    "weak tags": 'W/"a",',
    "backslashes": "\\",
    "escaped quotes": '\\"',
    "slashes": "/",
    "media types": "a/b;q=0.5,",
    "codings": "gzip;q=0,",
    "addresses": "a.b:1,",
    "colons": ":",
    "dots": ".",
    "minus": "-",
    "path words": "a > ",
    "equal signs": "a=b&",
    "angles": "<a>",
    "apostrophes": "o'\u2019",
    "parentheses": "(a+)+",
    "wildcards": "*%_",
    "percent escapes": "%CC%81%CC%A3",
    "percent signs": "%",
    "bearers": "Bearer ",
    "cookies": "geoq-80=a; ",
    # words
    "short words": "a b c d ",
    "one letter words": "a ",
}


def words(size, rng):
    """Different words, up to the limit."""
    return " ".join(f"{n:x}" for n in range(rng.randrange(99), 99 + size // 2))


def prefixes(size, rng):
    return " ".join("a" * n for n in range(1, int((2 * size) ** 0.5) + 2))


def mixed(size, rng):
    """Characters of all units, in any order; the same 4 000 again and again."""
    return "".join(rng.choice(rng.choice(POOL)) for _ in range(min(size, 4_000))) * (size // 4_000 + 1)


MADE = {
    "many words": words,
    "growing words": prefixes,
    "mixed": mixed,
    "starter and marks": lambda size, rng: "e" + "\u0301\u0323" * (size // 4),
    "marks descending": lambda size, rng: "a" + "\u0301" * (size // 4) + "\u0323" * (size // 4),
    "marks shuffled": lambda size, rng: "a" + "".join(rng.choices(family(0x300, 0x370), k=4_000)) * (size // 8_000 + 1),
    "marks, then letters": lambda size, rng: "\u0301\u0323" * (size // 8) + "b" * (size // 2),
    "words of marks": lambda size, rng: ("a" + "\u0301\u0323" * 60 + " ") * (size // 242 + 1),
    "long word, marks last": lambda size, rng: "b" * (size // 2) + "\u0301\u0323" * (size // 8),
}
NAMES = list(UNITS) + list(MADE)
POOL = list(UNITS.values())

# name -> what is repeated, and is not UTF-8
BROKEN = {
    "continuations": b"\x80",
    "lone leads": b"\xf0",
    "overlong": b"\xc0\x80",
    "surrogates": b"\xed\xa0\x81",
    "beyond 10ffff": b"\xf4\x90\x80\x80",
    "ff": b"\xff",
    "cut marks": b"\xcc\x81\xcc",
    "latin-1": bytes(range(0xA0, 0x100)),
}


def begun(text, size):
    """The beginning of a text: at most `size` bytes, and whole characters."""
    return text.encode()[:max(0, size)].decode("utf-8", "ignore")


def text(name, size, seed=0):
    tag = f"{seed:x}"[-size:]
    room = size - len(tag)
    if name in UNITS:
        unit = UNITS[name]
        return begun(unit * (room // len(unit.encode()) + 1), room) + tag
    return begun(MADE[name](max(room, 1), random.Random(f"{name} {seed % 8}")), room) + tag


def texts(size, seed=0):
    for name in NAMES:
        yield name, text(name, size, seed)


def broken(name, size, seed=0):
    unit, tag = BROKEN[name], f"{seed:x}".encode()[-size:]
    return (unit * (size // len(unit) + 1))[:size - len(tag)] + tag


def equivalent(number, pairs=14):
    """Texts that are canonically equivalent but differ in their bytes for every number below 2^pairs."""
    orders = "\u0301\u0323", "\u0323\u0301"
    return "".join("e" + orders[number >> bit & 1] for bit in range(pairs))


def fitted(make, encode, size, seed):
    """Encodes the longest text of `make(size, seed)` whose encoded form has at most `size` bytes, roughly."""
    room = size
    for _ in range(5):
        data = encode(make(room, seed))
        if len(data) <= size:
            return data
        room = min(room - 1, room * (size - 4) // len(data))
    return encode(make(1, seed))
