"""Forty hostile restaurants, as GeoJSON and in other formats.

`feeds(canary)` gives the files of an import, name -> bytes. What they would run sets `window.canary`, opens
a dialog, writes to the console and asks `canary`, an address that nothing else requests.
"""

import json

MARK = "canary"
LONG = "long " + "<b>&\"'" * 200 + "x" * 100_000


def script(canary):
    """JavaScript that is noticed in four ways, without quotes and spaces, so that it fits any attribute."""
    return f"window.{MARK}=1;console.error(`{MARK}`);new/**/Image().src=`{canary}/ran`;alert(`{MARK}`)"


def texts(canary):
    """What must come out as text."""
    run = script(canary)
    return [
        f"<script>{run}</script>", f"<img src=x onerror={run}>", f"\"><svg onload={run}>", f"'><body onload={run}>",
        f"\" onmouseover={run} x=\"", f"' onfocus={run} autofocus x='", f"\"\u0301 onmouseover={run} \u0301", f"<\u0338script>{run}</script>",
        f"</title><script>{run}</script>", f"</textarea></style></noscript></xmp><script>{run}</script>",
        f"<!--<script>{run}</script>", f"--><script>{run}</script>", f"--!><img src=x onerror={run}>", f"<![CDATA[<script>{run}</script>]]>",
        f"]]><script>{run}</script>", f"</bdi></a></dd></dl></ol></body></html><script>{run}</script>", f"</p><table><tr><script>{run}</script>",
        f"<bdi><a href=javascript:{run}>x", f"<math><mtext><style><img src=x onerror={run}>", f"<svg><script>{run}</script></svg>",
        f"<iframe src=javascript:{run}></iframe>", f"<iframe srcdoc=\"<script>{run}</script>\">", f"<object data=javascript:{run}>",
        f"<embed src=javascript:{run}>", f"<form action=javascript:{run}><button>go</button></form>", f"<base href={canary}/>",
        f"<meta http-equiv=refresh content=\"0;url={canary}/refresh\">", f"<link rel=stylesheet href={canary}/style>",
        f"<style>@import url({canary}/style);</style>", f"<video><source onerror={run}>", f"<details open ontoggle={run}>",
        f"&lt;script&gt;{run}&lt;/script&gt;", "&amp;lt;b&amp;gt; &#60;b&#62; &#x3c;i&#x3e; &notit; &copy &", "&#0;&#x202e;&#xD800;&#1114112;",
        f"{{{{constructor.constructor('{run}')()}}}}", f"${{{run}}} <%= 7*7 %> {{% raw %}} #{{7*7}} [[${{7*7}}]]", "{{{raw}}}{{>x}}",
        "\u202egnp.exe\u202c", "\u202eright to left without an end", "\u2066isolate without an end", "\u2069\u2069\u202eout of its isolate",
        "\u2067\u202d\u202a\u202b\u061c\u200e\u200f", "a\u2028b\u2029c\u0085d", "\x00\x01\x08\x0b\x0c\x1b[2J\x1b]0;title\x07\x7f\x80\x9b",
        "tab\tline\nfeed\r\nreturn\rend", "\ufeff\u200b\u2060\u00ad\ufffe\uffff\U0010ffff\ufdd0\U000e0041", "e" + "\u0301\u0323" * 300,
        "\u05d0\u05d1\u05d2 \u0645\u0637\u0639\u0645 12", LONG, "=1+1", "' OR 1=1 --", "\\\"\\u003cscript\\u003e", "+ADw-script+AD4-",
        "\u00bcscript\u00be \uff1cscript\uff1e", f"<a href=\"javascript:{run}\">click</a>", f"<a href=\"{canary}/link\">click</a>",
    ]


def addresses(canary):
    """What looks like an address; only the http(s) ones may become links."""
    run = script(canary)
    return [
        f"javascript:{run}", f"JaVaScRiPt:{run}", f" javascript:{run}", f"java\tscript:{run}", f"java\nscript:{run}", f"\x01javascript:{run}",
        f"javascript://example.org/%0a{run}", f"javascript&colon;{run}", f"&#106;avascript:{run}", f"data:text/html,<script>{run}</script>",
        "data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==", f"vbscript:{run}", "file:///etc/passwd", "//evil.example/x",
        "\\\\evil.example\\x", "/\\evil.example", "http:evil.example", "https:/evil.example", f"view-source:{canary}/", f"blob:{canary}/1",
        f"{canary}/honest", "https://evil.example/\"onmouseover=\"alert(1)", "https://evil.example/'><script>alert(1)</script>",
        "https://user:pass@evil.example/", "HTTPS://EVIL.example/Case", "https://evil.example/\u202egnp.exe", "https://evil.example/a b\tc",
        f"https://evil.example/\njavascript:{run}", "https://", "http://[::1", "https://\u0435vil.example/", f"feed:javascript:{run}",
        "ftp://evil.example/", "mailto:a@evil.example?bcc=b", "intent://x#Intent;scheme=javascript;end", "tel:+1;javascript:alert(1)",
    ]


def forged(canary):
    """Members that look like the service's own links, collections and features, at every depth."""
    run = script(canary)
    links = [{"href": f"javascript:{run}", "rel": "next", "type": "text/html", "title": "Next page"},
             {"href": "https://evil.example/forged", "rel": "self", "type": "text/html"}, {"href": f"{canary}/forged", "rel": "stylesheet"},
             {"href": "//evil.example/forged", "rel": "alternate", "title": "</a><b>"}, {"href": f"data:text/html,{MARK}", "rel": f"\" onclick={run} \""}]
    feature = {"type": "Feature", "id": "forged", "properties": {"name": "Forged feature", "links": links}, "links": links}
    collection = {"id": "forged", "links": links, "title": "Forged collection"}
    one = {"links": links, "features": [feature], "collections": [collection], "href": links[0]["href"], "rel": "next"}
    yield one
    yield {"extra": one}
    yield {"extra": {"extra": one}}
    yield {"a": [one, [one]], "properties": {"properties": one}}
    yield {"links": [[links]], "features": [[feature]], "collections": one}
    yield {"links": {"href": links[0]["href"], "rel": "self"}, "features": {"features": [feature]}}
    yield {"links": links[0]["href"], "features": [run, f"<script>{run}</script>"], "collections": "x"}
    deep = one
    for name in ["links", "features", "collections", "properties", "links", "features", "links"]:
        deep = {name: [deep] if name != "properties" else deep}
    yield deep


def records(canary):
    """(id, properties) of the GeoJSON feed."""
    all_texts, all_addresses = texts(canary), addresses(canary)
    ids = ["<script>alert(1)</script>", "\u202eid", "a b&c=d", "x/y", "?q#f", "\"onclick=\"", "%2e%2e", "\U0001f355", "javascript:1", "{{7*7}}"]
    structures = list(forged(canary))
    for number in range(36):
        name = all_texts[number]
        # NUL is rejected in the fields that a restaurant has, and taken in others
        category, address = (all_texts[index].replace("\0", "") for index in (-1 - number % 20, (number + 13) % len(all_texts)))
        extra = {"website": all_addresses[number], "category": category if len(category) < 250 else "Plain", "address": address, "note": all_texts[(number + 27) % len(all_texts)],
                 "url": all_addresses[(number + 7) % len(all_addresses)], all_texts[(number * 5 + 3) % 36]: "under a hostile name"}
        # once is enough
        extra = {name_: "short" if text == LONG else text for name_, text in extra.items()}
        if number == 20:
            extra["long"] = LONG
        if number < len(structures):
            extra |= structures[number]
        yield (ids[number] if number < len(ids) else f"hostile-{number}"), {"name": name, **extra}


def feeds(canary):
    features = [{"type": "Feature", "id": id_, "geometry": {"type": "Point", "coordinates": [number / 10, 1]}, "properties": properties,
                 "links": [{"href": f"javascript:{script(canary)}", "rel": "next"}]}
                for number, (id_, properties) in enumerate(records(canary))]
    geojson = {"type": "FeatureCollection", "features": features, "links": [{"href": f"{canary}/feed", "rel": "next"}]}
    structures = list(forged(canary))
    plain = [{"id": f"plain-{n}", "name": texts(canary)[n * 8], "location": {"lat": 2, "lng": n}, "contact": {"twitter": texts(canary)[4]},
              **structures[n]} for n in range(2)]
    table = [{"id": f"line-{n}", "name": texts(canary)[n + 4], "lat": 3, "lon": n, "website": addresses(canary)[n + 20], **structures[n + 1]}
             for n in range(2)]
    return {
        "hostile.geojson": json.dumps(geojson).encode(),
        "hostile.json": json.dumps({"restaurants": plain, "links": structures[0]["links"]}).encode(),
        "hostile.jsonl": b"".join(json.dumps(record).encode() + b"\n" for record in table),
    }
