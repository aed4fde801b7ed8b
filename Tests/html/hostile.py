"""Forty hostile restaurants in the service's HTML: nothing of a feed becomes more than text.

    python Tests/html/hostile.py .build/release/geoq        GEOQ_SHOTS=FOLDER  keep two screenshots

The records of records.py are imported, and every page that shows them is looked at, as the service sends
it and as `geoq serve --get` saves it: by html5lib (no element, attribute or address that runs or fetches
something but the service's own stylesheet, each link the service's own or an http(s) address that the record
has as a text and shows, texts all there, isolated by <bdi>, controls harmless, the policy in a <meta>), and by
Debian's chromium (nothing runs, nothing but that stylesheet is asked for, no link leads to a script), with the
Content-Security-Policy and with the browser told to ignore it. A saved page has no origin, so its policy
refuses the stylesheet: that it says so on the console is all that it may say there. Pages with planted faults must be found by the same checks.
Prints a line per check. Exits with 1 on a problem; takes about 20 s.
"""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse
from collections import Counter
from pathlib import Path

import html5lib
import records
from playwright.sync_api import Error, sync_playwright
from shown import Listener, Shown, matcher

SAVED_ORIGIN = "http://127.0.0.1:8080"
# what the service itself names: conformance classes and reference systems
STANDARDS = "http://www.opengis.net/"
ITEMS = "/collections/restaurants/items"
# the one file that a page loads; its name has a hash of its contents
STYLE = re.compile(r"/app/style\.css\?v=[0-9a-f]{12}")
FORBIDDEN = {"script", "iframe", "frame", "frameset", "object", "embed", "applet", "form", "base", "svg", "math", "template", "style",
             "audio", "video", "source", "input", "button", "textarea", "select", "dialog", "portal", "marquee", "image", "img"}
LINKING = {"src", "srcset", "srcdoc", "action", "formaction", "ping", "background", "poster", "data", "cite", "manifest", "style", "xlink:href"}
RAW = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]")
BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
HONEST_NAME = re.compile("[A-Za-z][A-Za-z0-9_ -]*")


# -- records ----------------------------------------------------------------------------------------


class Record:
    """What the service's JSON has of a restaurant."""

    def __init__(self, feature):
        self.id = feature["id"]
        self.texts, self.names = set(), set()
        self.take(feature["properties"])
        self.texts.add(self.id)
        self.addresses = {text for text in self.texts if text.lower().startswith(("http://", "https://"))}

    def take(self, value):
        if isinstance(value, dict):
            for name, member in value.items():
                self.names |= set() if HONEST_NAME.fullmatch(name) else {name}
                self.take(member)
        elif isinstance(value, list):
            for element in value:
                self.take(element)
        elif isinstance(value, str) and value.strip():
            self.texts.add(value)

    @property
    def path(self):
        return f"{ITEMS}/{urllib.parse.quote(self.id, safe='')}"


# -- by html5lib ------------------------------------------------------------------------------------


class Page:
    """The problems of a page, as strings."""

    def __init__(self, content, origin, shown=(), known=None, is_saved=False):
        self.origin, self.known, self.problems = origin, known, []
        self.addresses = set().union(*(record.addresses for record in shown))
        parser = html5lib.HTMLParser(namespaceHTMLElements=False)
        self.tree = parser.parse(content, **({} if is_saved else {"transport_encoding": "utf-8"}))
        wrong = {error[1] for error in parser.errors} - {"invalid-codepoint"}
        self.note(wrong, f"is not well formed: {sorted(wrong)}")
        text = content.decode()
        found = sorted({f"U+{ord(c):04X}" for c in RAW.findall(text)})
        self.note(found, f"has raw control characters: {found}")
        self.look_at_policy()
        for element in self.tree.iter():
            if isinstance(element.tag, str):
                self.look_at(element)
            else:
                self.note("<" in element.text or records.MARK in element.text, "a text is in a comment")
        self.look_at_direction(self.tree, isolated=False)
        self.look_for(shown)

    def note(self, is_wrong, text):
        if is_wrong and text not in self.problems:
            self.problems.append(text)

    def look_at(self, element):
        tag, attributes = name_of(element), element.attrib
        self.note(tag in FORBIDDEN and not is_map(element), f"has <{tag}>")
        self.note(tag == "meta" and attributes.get("http-equiv", "").lower() == "refresh", "has <meta http-equiv=refresh>")
        is_style = tag == "link" and attributes.get("rel") == "stylesheet" and set(attributes) == {"rel", "href"} and is_own_style(
            attributes["href"], self.origin
        )
        self.note(
            tag == "link" and not is_style and attributes.get("rel") not in ("icon", "alternate", "canonical"), "has <link> to more than itself"
        )
        for name, value in attributes.items():
            self.note(name.lower().startswith("on"), f"has the attribute {name} in <{tag}>")
            self.note(name in LINKING, f"has the attribute {name} in <{tag}>")
            self.note(not re.fullmatch("[a-z-]+", name) and not (name == "viewBox" and is_map(element)), f"has the odd attribute {name!r}")
            self.note(name != "href" and BIDI.search(value), f"has bidi controls in the attribute {name}")
        # the links of the map are looked at with it
        if "href" in attributes and not re.fullmatch("#row-[0-9]+", attributes["href"]):
            self.look_at_link(element, attributes["href"])

    def look_at_link(self, element, address):
        if address.startswith(self.origin + "/") or address == self.origin:
            path = urllib.parse.urlsplit(address).path
            if self.known is not None and path.startswith(ITEMS + "/"):
                id_ = urllib.parse.unquote(path.removeprefix(ITEMS + "/"))
                self.note(id_ not in self.known, f"links to a restaurant that is not there: {id_[:40]!r}")
            return
        if address.startswith(STANDARDS):
            return
        if address not in self.addresses:
            return self.note(True, f"links to {address[:60]!r}, which is not an http(s) address that the record shows")
        text = "".join(element.itertext())
        self.note(element.tag == "a" and not matcher(address).fullmatch(text), f"has the text {text[:40]!r} on a link to {address[:40]!r}")

    def look_at_policy(self):
        head = self.tree.find("head")
        before = []
        for element in head:
            if element.tag == "meta" and element.attrib.get("http-equiv", "").lower() == "content-security-policy":
                break
            before.append(element)
        else:
            return self.note(True, "has no policy in a <meta>")
        self.note(any(element.tag != "meta" or "http-equiv" in element.attrib for element in before), "has elements before its policy")
        policy = {words[0]: words[1:] for words in (part.split() for part in element.attrib.get("content", "").split(";")) if words}
        self.note(policy.get("default-src") != ["'none'"], "has a policy that allows by default")
        self.note(policy.get("base-uri") != ["'none'"], "has a policy that allows <base>")
        for name in ("script-src", "script-src-elem", "script-src-attr"):
            self.note(set(policy.get(name, [])) - {"'none'"}, f"has a policy with {name} {policy.get(name)}")
        for name in ("style-src", "style-src-elem", "style-src-attr", "img-src", "font-src", "connect-src", "frame-src", "form-action"):
            self.note(set(policy.get(name, [])) - {"'none'", "'self'"}, f"has a policy with {name} {policy.get(name)}")
        return None

    def look_at_direction(self, element, isolated):
        isolated = isolated or element.tag == "bdi"
        for text in [element.text, *(child.tail for child in element)]:
            if not text or not isinstance(element.tag, str):
                continue
            if not isolated:
                self.note(BIDI.search(text), f"has bidi controls outside <bdi>, in <{element.tag}>")
        if element.tag == "bdi":
            self.note(leaves_isolate("".join(element.itertext())), "has a text that ends the isolate of its <bdi>")
        for child in element:
            self.look_at_direction(child, isolated)

    def look_for(self, shown):
        isolated = Shown(["".join(element.itertext()) for element in self.tree.iter("bdi")])
        wanted = {text for record in shown for text in record.texts | record.names}
        lost = {text for text in wanted if not isolated.has(text)}
        elsewhere = Shown(list(self.tree.itertext()) if lost else [])
        bare = {text for text in lost if elsewhere.has(text)}
        missing = lost - bare
        self.note(missing, f"does not show {len(missing)} texts, as {sorted(missing)[:1]!r:.80}")
        self.note(bare, f"shows {len(bare)} texts outside <bdi>, as {sorted(bare)[:1]!r:.80}")


def name_of(element):
    """The name of an element, without the namespace that drawings have."""
    return element.tag.rpartition("}")[2]


def is_map(element):
    """Whether an element is the map of a page: points, each with the number of a row and a link to it, and a scale."""
    if name_of(element) != "svg" or element.attrib.get("class") != "points":
        return False
    scale = element[-1] if len(element) and name_of(element[-1]) == "g" else None
    points = [child for child in element if child is not scale]
    drawn = [part for point in points for part in ([point] if name_of(point) == "circle" else list(point))]
    numbers = {point.attrib.get("href"): "".join(point.itertext()) for point in points if name_of(point) == "a"}
    return (
        {name_of(point) for point in points} <= {"a", "circle"}
        and {name_of(part) for part in drawn} <= {"circle", "text"}
        and all(set(part.attrib) <= {"cx", "cy", "r", "x", "y"} for part in drawn)
        and all(number.isdecimal() and href == f"#row-{number}" for href, number in numbers.items())
        and (scale is None or [name_of(part) for part in scale] == ["path", "text"] and bool(re.fullmatch(r"[0-9.]+ k?m", "".join(scale.itertext()))))
    )


def is_own_style(address, origin):
    """Whether an address is that of the service's stylesheet, exactly."""
    return address.startswith(origin) and bool(STYLE.fullmatch(address.removeprefix(origin)))


def leaves_isolate(text):
    """Whether what follows the text's <bdi> would be turned around too: chromium ends the isolate at a U+2069
    without an opening, and at the end of a paragraph."""
    depth = -1 if "\u2029" in text else 0
    for character in text:
        if character in "\u2066\u2067\u2068":
            depth += 1
        elif character == "\u2069":
            depth -= 1
        if depth < 0:
            return True
    return depth < 0


# -- by chromium ------------------------------------------------------------------------------------


class Browser:
    """Pages of one origin in chromium, and what they do there beyond showing themselves."""

    def __init__(self, playwright, listener):
        flags = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
                 "--disable-sync", *(["--no-sandbox"] if os.getuid() == 0 else [])]
        self.browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=flags)
        self.listener, self.clicks = listener, 0

    def open(self, obeys_policy):
        context = self.browser.new_context(bypass_csp=not obeys_policy, accept_downloads=False, viewport={"width": 1000, "height": 800})
        context.route("**/*", self.route)
        context.on("page", lambda page: self.watch(page))
        self.page = context.new_page()
        self.page.set_default_timeout(20_000)
        return self.page

    def watch(self, page):
        page.on("dialog", self.dialog)
        page.on("console", self.console)
        page.on("pageerror", lambda error: self.note(f"a script fails: {error}"))
        page.on("download", lambda _: self.note("a download begins"))

    def note(self, problem):
        if problem not in self.problems:
            self.problems.append(problem)

    def dialog(self, dialog):
        self.note(f"a dialog opens: {dialog.message[:40]}")
        dialog.dismiss()

    def console(self, message):
        found = STYLE.search(message.text)
        if self.address.startswith("file:") and found and "style-src 'self'" in message.text and message.text.count("http") == 1:
            return
        if message.type == "error" or records.MARK in message.text:
            self.note(f"the console says: {message.text[:120]}")

    def route(self, route):
        address = route.request.url
        if self.clicked is not None:
            if address != self.clicked:
                self.note(f"a link to {self.clicked[:60]} asks for {address[:60]}")
            self.led = True
            return route.fulfill(status=204)
        is_own = address == self.address or (not self.address.startswith("file:") and address.startswith(self.origin + "/"))
        if is_own:
            return route.continue_()
        if is_own_style(address, self.origin) and route.request.resource_type == "stylesheet":
            return route.fulfill(status=200, content_type="text/css", body="")
        self.note(f"the page asks for {address[:80]}")
        return route.abort()

    def visit(self, address, origin, clicks=100):
        """The problems of a page; every link that leads away is clicked, and the first few of the service's own."""
        self.problems, self.clicked, self.address, self.origin = [], None, address, origin
        before = self.listener.visits
        try:
            self.page.goto(address, wait_until="load")
            self.page.evaluate("""() => { for (const element of document.querySelectorAll('*'))
                for (const kind of ['mouseover', 'focus', 'toggle', 'load', 'error', 'animationstart']) element.dispatchEvent(new Event(kind)) }""")
            self.page.wait_for_timeout(20)
            # one of each address, found by place
            links = self.page.evaluate("""() => { const seen = new Set()
                const where = (a) => a.localName === 'link' || /^#row-[0-9]+$/.test(a.href.baseVal) ? '' : a.href.baseVal ?? a.href
                return [...document.querySelectorAll('a, area, [*|href]')].map((a, place) => [place, where(a), a.protocol ?? ''])
                    .filter(([, address]) => address && !seen.has(address) && seen.add(address)) }""")
            # an http(s) address that is none leads nowhere
            links = [link for link in links if link[2] != ":" or not link[1].startswith(("http://", "https://"))]
            own = [link for link in links if link[1].startswith(origin + "/")]
            for place, target, protocol in [link for link in links if link not in own][:clicks] + own[:2]:
                self.click(place, target, protocol)
            if self.page.evaluate(f"() => window.{records.MARK}"):
                self.note("a script has run")
        except Error as error:
            self.note(f"chromium: {str(error).splitlines()[0][:100]}")
        if self.listener.visits > before:
            self.note("the canary was asked")
        return self.problems

    def click(self, place, target, protocol):
        if protocol not in ("http:", "https:"):
            self.note(f"a link leads to {target[:60]}")
        self.clicks += 1
        self.clicked, self.led = target.split("#")[0], False
        self.page.evaluate("place => { const a = document.querySelectorAll('a, area, [*|href]')[place]; a.removeAttribute('target'); a.click() }", place)
        patience = time.monotonic() + (20 if protocol in ("http:", "https:") else 0.1)
        while not self.led and time.monotonic() < patience:  # a script need not ask for anything
            self.page.wait_for_timeout(2)
        self.clicked = None


# -- the pages --------------------------------------------------------------------------------------


class Service:
    def __init__(self, binary, folder, canary):
        self.binary, self.database = binary, str(folder / "lunch.db")
        for name, content in records.feeds(canary).items():
            (folder / name).write_bytes(content)
            subprocess.run([binary, "import", "-q", "--allow-partial", "--db", self.database, str(folder / name)], check=True)
        self.process = subprocess.Popen([binary, "serve", "-q", "--db", self.database, "--port", "0"], stdout=subprocess.PIPE, text=True)
        self.port = int(re.search(r":(\d+)", self.process.stdout.readline())[1])
        self.origin = f"http://127.0.0.1:{self.port}"

    def ask(self, target, method="GET", accept="*/*"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request(method, target, headers={"Accept": accept})
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer, content

    def saved(self, target):
        result = subprocess.run([self.binary, "serve", "-q", "--db", self.database, "--get", target], check=True, capture_output=True)
        return result.stdout

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=20)


def pages_of(found):
    """Target -> the records that its page must show."""
    pages = {f"{ITEMS}?limit=1000&f=html": found}
    pages |= {f"{record.path}?f=html": [record] for record in found}
    for target in ["/?f=html", "/conformance?f=html", "/collections?f=html", "/collections/restaurants?f=html", "/api.html"]:
        pages[target] = []
    return pages


def problem_pages(found):
    """Errors, asked for as HTML, with hostile words in them."""
    for text in records.texts("http://127.0.0.1:9")[:40:4]:
        if len(text) < 2_000:
            word = urllib.parse.quote(text, safe="")
            yield from [f"/{word}", f"{ITEMS}/{word}?f=html", f"{ITEMS}?f={word}", f"{ITEMS}?limit={word}&f=html", f"{ITEMS}?{word}=1&f=html",
                        f"{ITEMS}?bbox={word}&f=html", f"{ITEMS}?sortby={word}&f=html"]
    yield from ["/favorites?f=html", f"/favorites/{urllib.parse.quote(found[0].id, safe='')}?f=html"]


def look_at_errors(service, found, known):
    problems, count = Counter(), 0
    for target in problem_pages(found):
        answer, content = service.ask(target, accept="text/html")
        kind, count = answer.getheader("Content-Type", "").split(";")[0], count + 1
        if answer.status >= 500:
            problems[f"status {answer.status} for {target[:60]}"] += 1
        if answer.getheader("X-Content-Type-Options") != "nosniff" or "default-src 'none'" not in answer.getheader("Content-Security-Policy", ""):
            problems["an error without its security headers"] += 1
        if kind == "text/html":
            problems.update(f"an error {problem}" for problem in Page(content, service.origin, known=known).problems)
        elif not kind.endswith("json") or not isinstance(json.loads(content), dict):
            problems[f"an error of type {kind}"] += 1
    return problems, count


# -- planted faults ---------------------------------------------------------------------------------

FINE = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
style-src 'self'; base-uri 'none'"><title>T</title><link rel="stylesheet" href="ORIGIN/app/style.css?v=0123456789ab"></head><body><a href="ORIGIN/">geoq</a><dl><dt>name</dt><dd><bdi>a &lt;b&gt;</bdi></dd>\
<dd><a href="https://e.example/"><bdi>https://e.example/</bdi></a></dd><dd><bdi>p1</bdi></dd></dl>HERE</body></html>"""
LIVE, STILL = True, False


def faults(canary):
    """Name -> (page, whether a browser without a policy notices too)."""
    run = records.script(canary)
    def planted(part, live):
        # the policy goes, so that what is planted is alive
        return re.sub("<meta http-equiv.*?>", "", FINE, count=1).replace("HERE", part) if live else FINE.replace("HERE", part), live
    yield "a javascript: link", *planted(f'<a href="javascript:{run}">next</a>', LIVE)
    yield "an inline script", *planted(f"<script>{run}</script>", LIVE)
    yield "a script held by the policy", FINE.replace("HERE", f"<script>{run}</script>"), LIVE
    yield "a handler", *planted(f'<b onmouseover="{run}">x</b>', LIVE)
    yield "a drawing", *planted("<svg><text>x</text></svg>", STILL)
    yield "a script in the map", *planted(f'<svg class="points"><a href="#row-1"><script>{run}</script></a></svg>', LIVE)
    yield "a foreign link in the map", *planted('<svg class="points"><a href="https://evil.example/"><text>1</text></a></svg>', STILL)
    yield "a broken image", *planted(f'<img src="x:" onerror="{run}">', LIVE)
    yield "a foreign image", *planted(f'<img src="{canary}/image">', LIVE)
    yield "a foreign stylesheet", *planted(f'<link rel="stylesheet" href="{canary}/app/style.css?v=0123456789ab">', LIVE)
    yield "another file as a stylesheet", *planted(f'<link rel="stylesheet" href="ORIGIN{ITEMS}">', LIVE)
    yield "an inline style", FINE.replace("HERE", "<style>*{}</style>"), STILL
    yield "an attribute with a style", FINE.replace("HERE", '<b style="color:red">x</b>'), STILL
    yield "a lax policy for styles", FINE.replace("base-uri", "style-src *; base-uri"), STILL
    yield "a refresh", *planted(f'<meta http-equiv="refresh" content="0;url={canary}/">', LIVE)
    yield "a frame", *planted(f'<iframe src="{canary}/frame"></iframe>', LIVE)
    yield "a data: link", *planted('<a href="data:text/html,x">next</a>', LIVE)
    yield "a forged link", *planted('<a href="https://evil.example/">next</a>', STILL)
    yield "an address with another text", *planted('<a href="https://e.example/">next</a>', STILL)
    yield "a restaurant that is not there", *planted(f'<a href="ORIGIN{ITEMS}/forged">x</a>', STILL)
    yield "a text that is not shown", FINE.replace("a &lt;b&gt;", "a"), STILL
    yield "a text outside bdi", FINE.replace("<bdi>a &lt;b&gt;</bdi>", "a &lt;b&gt;"), STILL
    yield "an override in the title", FINE.replace("<title>T", "<title>T\u202e"), STILL
    yield "the end of a paragraph", FINE.replace("HERE", "<bdi>a\u2029\u202ex</bdi>"), STILL
    yield "the end of an isolate", FINE.replace("HERE", "<bdi>\u2069\u202ex</bdi>"), STILL
    yield "an escape character", FINE.replace("HERE", "\x1b[2J"), STILL
    yield "no policy", re.sub("<meta http-equiv.*?>", "", FINE), STILL
    yield "a late policy", re.sub("(<meta http-equiv.*?>)(<title>T</title>)", r"\2\1", FINE), STILL
    yield "a lax policy", FINE.replace("base-uri", "script-src 'unsafe-inline'; base-uri"), STILL
    yield "crossed tags", FINE.replace("HERE", "</bdi></dl>"), STILL


def control(browser, folder, canary):
    """The planted faults that are not found, and how many there are."""
    record = Record({"id": "p1", "properties": {"name": "a <b>", "website": "https://e.example/"}})
    missed, count, fine = [], 0, FINE.replace("ORIGIN", SAVED_ORIGIN)
    browser.open(obeys_policy=True)
    path = folder / "planted.html"

    def both(page):
        path.write_text(page)
        structure = Page(page.encode(), SAVED_ORIGIN, [record], {"p1"}, is_saved=True).problems
        return structure, list(browser.visit(path.as_uri(), SAVED_ORIGIN))

    if any(found := both(fine.replace("HERE", ""))):
        missed.append(f"the fine page is found wanting: {found}")
    for name, page, live in faults(canary):
        count += 1
        structure, seen = both(page.replace("ORIGIN", SAVED_ORIGIN).replace("HERE", ""))
        if not structure:
            missed.append(f"{name}, by html5lib")
        if live and not seen:
            missed.append(f"{name}, by chromium")
    browser.page.context.close()
    return missed, count


# -- all --------------------------------------------------------------------------------------------


class Report:
    def __init__(self):
        self.failed, self.begun = 0, time.monotonic()

    def line(self, name, problems, text):
        self.failed += bool(problems)
        print(f"{'FAIL' if problems else 'ok  '}  {name:34} {text} ({time.monotonic() - self.begun:.1f} s)", flush=True)
        for problem, count in Counter(problems).most_common(12):
            print(f"        {count}x {problem}")


def browse(browser, report, name, addresses, origin, obeys_policy):
    page, problems, before = browser.open(obeys_policy), Counter(), browser.clicks
    for number, address in enumerate(addresses):
        problems.update(browser.visit(address, origin))
        if (folder := os.environ.get("GEOQ_SHOTS")) and obeys_policy and number < 2 and address.startswith("http"):
            page.screenshot(path=Path(folder) / f"{['items', 'item'][number]}.png", full_page=number == 1)
    page.context.close()
    report.line(name, problems, f"{len(addresses)} pages, {browser.clicks - before} links clicked")


def main():
    binary, report, listener = str(Path(sys.argv[1]).resolve()), Report(), Listener()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        folder = Path(folder)
        browser = Browser(playwright, listener)
        missed, count = control(browser, folder, listener.address)
        report.line("planted faults", missed, f"{count} of them, found by both where both can")
        service = Service(binary, folder, listener.address)
        try:
            _, content = service.ask(f"{ITEMS}?limit=1000&f=json")
            found = [Record(feature) for feature in json.loads(content)["features"]]
            known = {record.id for record in found}
            report.line("records", [] if len(found) == 40 else ["some were rejected"], f"{len(found)} of 40 are in")
            sent, saved, files = Counter(), Counter(), []
            pages = pages_of(found)
            for number, (target, shown) in enumerate(pages.items()):
                answer, content = service.ask(target)
                page = Page(content, service.origin, shown, known)
                if answer.status != 200 or "default-src 'none'" not in answer.getheader("Content-Security-Policy", ""):
                    sent[f"status {answer.status}, or no policy in its header"] += 1
                sent.update(page.problems)
                copy = service.saved(target)
                is_same = copy.replace(SAVED_ORIGIN.encode(), service.origin.encode()) == content
                saved.update((page if is_same else Page(copy, SAVED_ORIGIN, shown, known, is_saved=True)).problems)
                files.append(folder / f"saved-{number}.html")
                files[-1].write_bytes(copy)
            report.line("html5lib, as sent", sent, f"{len(pages)} pages")
            report.line("html5lib, as saved", saved, f"{len(pages)} pages")
            problems, count = look_at_errors(service, found, known)
            report.line("errors", problems, f"{count} of them")
            origin, sent_pages = service.origin, [service.origin + target for target in list(pages)[::3]]
            browse(browser, report, "chromium, as sent", sent_pages, origin, obeys_policy=True)
            saved_pages = [file.as_uri() for file in files]
            browse(browser, report, "chromium, as saved", saved_pages[:3] + saved_pages[-5:], SAVED_ORIGIN, obeys_policy=True)
            browse(browser, report, "chromium, as saved, no policy", saved_pages, SAVED_ORIGIN, obeys_policy=False)
        finally:
            service.end()
            browser.browser.close()
    print(f"html         {report.failed} checks failed, {time.monotonic() - report.begun:.0f} s")
    sys.exit(1 if report.failed else 0)


if __name__ == "__main__":
    main()
