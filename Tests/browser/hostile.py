"""Hostile texts in every field of a restaurant, on every screen of the lunch page: nothing runs, all is text.

The texts are those of Tests/html/records.py: more than fifty, each in all text fields of one restaurant and of
one offer, and 36 addresses in the fields that may become links. Each is also typed, and stands in the page's own
address. A page may have only such elements and attributes as the same page of an honest restaurant has; its links
lead to the service, the web, a telephone or a map. At 320 pixels nothing is wider than the window. The callouts of
the map are opened one by one, and pages are looked at as `geoq serve --get` saves them, where no policy helps.
Most pages are looked at a dozen at a time, each in a frame that is as large as the window.
EVERY=3 takes every third text and address (checks.py).
"""

import json
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

from checks import DESK, EVERY, FEEDS, PHONE, View, chromium, look, main, wait_for_generation, watched
from map import settled
from playwright.sync_api import expect
from service import ROOT, TOKEN, Service

sys.path.append(str(ROOT / "Tests" / "html"))
import records  # noqa: E402: next to the tests of the other pages
from shown import Listener, Shown

NARROW = View(320, 568)
OFFERS = "Data/offers.json"
FIELDS = ["name", "category", "chain", "address", "crossStreet", "city", "state", "postalCode", "countryCode", "country", "phone", "formattedPhone",
          "twitter", "facebook", "facebookUsername", "facebookName", "imageURL", "website", "hours", "description", "note"]
OFFER_FIELDS = ["name", "description", "terms", "expiration", "large_url"]
FEED = "<b>hostile\u202e\"feed.geojson"
ALONE = 6
SHOWN = ["name", "category", "hours", "description", "website", "imageURL", "formattedPhone", "note"]
# screens that have a text in their address; a further screen adds its own
ASKED = ["/app/?q={0}&category={0}&at={0}&sortby={0}", "/app/?near={0}&units={0}&cursor={0}", "/app/favorites?q={0}&category={0}&ids={0}",
         "/app/favorites?added={0}&removed={0}&at={0}", "/app/internets?at={0}&near={0}",
         "/app/map?q={0}&category={0}&radius={0}&bbox={0}&view={0}", "/app/offers?q={0}&category={0}&pick={0}&want=text:{0}",
         "/app/wants?at=1,1&want=category:{0}&want=text:{0}&want=offer:{0}&words={0}&max={0}&by={0}&places={0}&pick={0}",
         "/app/meet?at=1,1&with={0}&with=1,2&q={0}&by={0}&pick={0}", "/app/shortlist?pick={0}&pick=x{0}&seed={0}&want={0}"]
# the number of frames next to each other
FRAMES = 12
# fills the page with frames of its own size
FRAME = """(addresses) => Promise.all(addresses.map((address, number) => new Promise((done) => {
  if (!number) document.querySelector('main').replaceChildren();
  const frame = Object.assign(document.createElement('iframe'), {name: `frame-${number}`, src: address, onload: () => done()});
  Object.assign(frame.style, {width: `${innerWidth}px`, height: `${innerHeight}px`, border: 0});
  document.querySelector('main').append(frame);
})))"""
PARTS = """() => [...new Set([...document.querySelectorAll('*')].flatMap((e) =>
  [e.localName, ...[...e.attributes].map((a) => e.localName + ' ' + a.name)]))]"""
TEXTS = "() => [...document.querySelectorAll('bdi, .callout strong')].map((e) => e.textContent)"
PICTURES = "() => [...document.querySelectorAll('img')].map((e) => e.alt)"
EMPTY = "<!DOCTYPE html><html lang=en><title>Frames</title><main></main>"
HAS_RUN = f"() => Boolean(window.{records.MARK})"
# what a page shows and consists of, after events on each of its elements; the pictures' texts are those before them
LOOK = f"""() => {{
  const pictures = ({PICTURES})();
  for (const e of document.querySelectorAll('*'))
    for (const kind of ['mouseover', 'focus', 'load', 'error', 'animationstart', 'pointerenter']) e.dispatchEvent(new Event(kind));
  const root = document.documentElement;
  return {{
    pictures, parts: ({PARTS})(), texts: ({TEXTS})(), hasRun: ({HAS_RUN})(), excess: root.scrollWidth - root.clientWidth,
    status: performance.getEntriesByType('navigation')[0].responseStatus,
    links: [...document.querySelectorAll('[href], [src], [action]')]
      .map((e) => e.src || e.action || (e.href?.baseVal ?? e.href ?? '')).filter((text) => !text.startsWith('#')),
  }};
}}"""
# types into the searches of all frames, until each shows what was found, or a notice
TYPE = """(texts) => Promise.all(texts.map((text, number) => new Promise((done, failed) => {
  const { document, Event } = frames[`frame-${number}`];
  document.addEventListener('shown', () => done(), {once: true});
  new MutationObserver(() => done()).observe(document.querySelector('#state'), {childList: true});
  setTimeout(() => failed(new Error(`no answer to ${text}`)), 20000);
  const search = document.querySelector('input[type=search]');
  search.value = text;
  search.dispatchEvent(new Event('input', {bubbles: true}));
})))"""
# as close as a map shows it, in its middle
CLOSE = """([longitude, latitude]) => {
  const view = document.querySelector('.map').map.getView();
  view.setCenter(ol.proj.fromLonLat([longitude, latitude]));
  view.setZoom(19);
}"""
# nothing but what a person has pressed asks for anything
SAFE = ("https://", "http://", "tel:", "geo:")


def places(canary):
    """(id, properties) of restaurants that have one text in all their fields."""
    all_texts = [text.replace("\0", "")[:900] for text in records.texts(canary)[::EVERY]]
    for number, text in enumerate(all_texts):
        place = dict.fromkeys(FIELDS, text)
        place["category"] = text[:200]
        # in all of them, but those that shall lead somewhere
        yield text if 0 < len(text.strip()) < 200 else f"text-{number}", {**place, "formattedAddress": [text, text], text[:200] or "x": text}
    for number, address in enumerate(records.addresses(canary)[::EVERY]):
        links = dict.fromkeys(["website", "imageURL", "phone", "twitter", "facebook", "note"], address.replace("\0", ""))
        yield f"address-{number}", {"name": f"Address {number}", **links}


def point(number):
    """Where a restaurant is: the first ones alone, then two on each spot."""
    return [number / 10 if number < ALONE else 1 + number // 2 / 100, 1]


def write(folder, found):
    """The feeds of the restaurants, their offers and chains, and a picture of each whose id can name a file."""
    feed, offers, chains, images = (folder / name for name in (FEED, "offers.json", "retailers.json", "images"))
    feed.write_text(json.dumps({"type": "FeatureCollection", "features": [
        {"type": "Feature", "id": id_, "geometry": {"type": "Point", "coordinates": point(number)}, "properties": place}
        for number, (id_, place) in enumerate(found)]}))
    offers.write_text(json.dumps({"offers": [
        {"id": f"offer-{number}", "restaurants": [id_], "retailers": [f"chain-{number}"], "categories": [place["name"]], "amount": 1,
         "url": place.get("website", ""), **dict.fromkeys(OFFER_FIELDS, place["name"])} for number, (id_, place) in enumerate(found)]}))
    chains.write_text(json.dumps({"retailers": [{"id": f"chain-{number}", "name": place["name"]} for number, (_, place) in enumerate(found)]}))
    images.mkdir()
    for id_, _ in found:
        if len(name := quote(id_, safe="") + ".svg") < 256:
            shutil.copy(ROOT / "Data" / "images" / "showcase-01.svg", images / name)
    return [feed, chains, offers]


class Screens:
    """Looks at pages: what they may consist of, and what they show."""

    def __init__(self, page, service, allowed):
        self.page, self.service, self.allowed, self.count, self.pictures = page, service, allowed, 0, 0

    def check(self, frame=None, wanted=(), pictured=(), is_styled=True):
        """Checks what a page or frame shows: `wanted` are its texts, `pictured` the names of those whose pictures it has."""
        frame = frame or self.page
        self.count += 1
        found = frame.evaluate(LOOK)
        self.pictures += len(found["pictures"])
        assert found["status"] < 500, f"{frame.url}: {found['status']}"
        if is_styled and found["status"] != 200:
            return
        foreign = set(found["parts"]) - self.allowed
        assert not foreign, f"{frame.url} has {sorted(foreign)}"
        bad = [link for link in found["links"] if not link.startswith((*SAFE, frame.url + "#"))]
        assert not bad, f"{frame.url} leads to {bad}"
        assert not found["hasRun"], f"{frame.url} has run a script"
        assert not is_styled or found["excess"] <= 0, f"{frame.url} is {found['excess']} pixels too wide"
        for texts, names in [(found["texts"], wanted), (found["pictures"], pictured)]:
            shown = Shown(texts)
            lost = [text for text in names if text.strip() and not shown.has(text)]
            assert not lost, f"{frame.url} does not show {lost[:2]!r}"

    def visit(self, path, wanted=()):
        self.page.goto(self.service.address + path)
        self.check(wanted=wanted)

    def frames(self, paths, beside=None):
        """Pages next to each other on a page of their origin, which no page of the service is allowed to be."""
        origin = "" if beside else self.service.address
        if not beside:
            self.page.route(f"{origin}/frames", lambda route: route.fulfill(body=EMPTY, content_type="text/html"))
        self.page.goto(beside or f"{origin}/frames")
        self.page.evaluate(FRAME, [origin + path for path in paths])
        return [self.page.frame(name=f"frame-{number}") for number in range(len(paths))]

    def visit_all(self, visits, beside=None):
        """Visits of (path, texts, names of pictures). `beside` is a page to put them next to, if they are not the service's."""
        visits = list(visits)
        for begin in range(0, len(visits), FRAMES):
            some = visits[begin:begin + FRAMES]
            frames = self.frames([path for path, *_ in some], beside)
            for frame, (_, wanted, pictured) in zip(frames, some):
                self.check(frame, wanted, pictured, is_styled=not beside)
            # what takes a while to run
            assert not any(frame.evaluate(HAS_RUN) for frame in frames), f"one of {[path for path, *_ in some]} has run a script"


def honest(browser, binary):
    """What pages of honest restaurants consist of, with and without the token."""
    parts = set()
    options = ["--image-dir", str(ROOT / "Data" / "images")]
    plan = "at=Office&want=Thai&want=offer:102&want=offer:none&want=text:zzzz&with=32.99,-96.85&pick=showcase-01&pick=showcase-02"
    with Service(binary, *FEEDS, OFFERS, options=options) as service, watched(browser, service, looks=False) as page:
        for path in ["/app/", "/app/favorites", f"/app/?token={TOKEN}", "/app/?q=zzzz&at=nowhere", "/app/?near=x&cursor=x&sortby=x",
                     "/app/?at=Office&category=Thai", "/app/favorites?q=zzzz", "/app/internets", "/app/wants", "/app/wants?want=Thai",
                     f"/app/wants?{plan}", f"/app/meet?{plan}", "/app/meet?with=nowhere", f"/app/offers?{plan}", "/app/offers?q=zzzz",
                     f"/app/offers/102?{plan}", f"/app/shortlist?{plan}&seed=1", "/app/shortlist", "/app/restaurants/showcase-01",
                     "/app/wants?want=Thai&want=text:thai", "/app/?at=twin", "/app/?q=thia", "/app/map?q=yard&radius=1km&at=Office"]:
            page.goto(service.address + path)
            if page.locator(".map").count():
                settled(page)
            parts |= set(page.evaluate(PARTS))
            if page.locator(".heart").count():
                page.locator(".heart").first.click()
                expect(page.locator("#notices .notice").first).to_be_visible()
                parts |= set(page.evaluate(PARTS))
        for id_ in ["/app/?q=basil", "/app/?q=yard"]:
            page.goto(service.address + id_)
            page.locator(".card .cover").first.click()
            parts |= set(page.evaluate(PARTS))
        # a callout of one restaurant, and one of two
        for words in ("yard", "twin"):
            page.goto(f"{service.address}/app/map?q={words}")
            settled(page)
            name = page.locator(".card h2").first
            callout(page, page.request.get(f"{service.address}/collections/restaurants/items?q={words}&f=json").json()["features"][0])
            expect(page.locator(".callout")).to_contain_text(name.inner_text())
            parts |= set(page.evaluate(PARTS))
    # an element may be in the one state or the other
    return parts | {"button disabled", "details open", "button data-gone", "option selected", "div class", "button aria-busy", "a target",
                    "a rel", "em", "p class", "form class", "li class", "html lang", "form hidden"}


def callout(page, feature):
    """Opens the callout of a restaurant by the keyboard."""
    page.evaluate(CLOSE, feature["geometry"]["coordinates"])
    settled(page)
    page.locator(".map").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".callout .place").first).to_be_visible()


def details(screens, found):
    def visit(id_, place):
        wanted = [place[name] for name in ["name", *SHOWN] if name in place]
        wanted += [name for name in place if name not in FIELDS and name != "formattedAddress"]
        return f"/app/restaurants/{quote(id_, safe='')}", wanted, [place["name"]] if len(quote(id_, safe="")) + 4 < 256 else []

    screens.visit_all(visit(id_, place) for id_, place in found)


def plans(screens, found):
    """The offers one by one; wants, people and short lists of five."""
    screens.visit_all((f"/app/offers/offer-{number}?at=1,1", [place["name"]], ()) for number, (_, place) in enumerate(found))
    texts = []
    screens.visit("/app/offers?at=1,1")
    while texts.extend(screens.page.evaluate(TEXTS)) or screens.page.locator(".more a").count():
        screens.visit(screens.page.locator(".more a").get_attribute("href").removeprefix(screens.service.address))
    shown = Shown(texts)
    assert all(shown.has(place["name"]) for _, place in found if place["name"].strip()), "an offer is not in the list"
    screens.visit_all((path, names, ()) for path, names in plan_pages(found))


def plan_pages(found):
    """The pages of a plan with five restaurants and their offers, and what they show."""
    for begin in range(0, len(found), 5):
        some = found[begin:begin + 5]
        ids = [quote(id_, safe="") for id_, _ in some]
        picks = "&".join(f"pick={id_}" for id_ in ids)
        wants = "&".join(f"want=offer:offer-{begin + index}" for index in range(len(some)))
        names = [place["name"] for _, place in some]
        yield f"/app/wants?at=1,1&{wants}&{picks}", names
        yield f"/app/shortlist?{picks}&seed=1&{wants}", names
        yield "/app/meet?near=" + "&with=".join(ids), names


def mapped(screens, found):
    """Every callout of the map: of one restaurant, and of two on one spot."""
    page = screens.page
    page.goto(f"{screens.service.address}/app/map")
    settled(page)
    screens.check()
    for number in [*range(ALONE), *range(ALONE, len(found), 2)]:
        some = found[number:number + (1 if number < ALONE else 2)]
        callout(page, {"geometry": {"coordinates": point(number)}})
        expect(page.locator(".callout .place")).to_have_count(len(some))
        screens.check(wanted=[place["name"] for _, place in some])


def saved(browser, service, folder, targets, allowed):
    """Pages as they are saved: opened from the disk, without the policy of an answer."""
    context, faults = browser.new_context(), []
    # nothing but the file
    context.route(lambda url: not url.startswith("file:"), lambda route: route.abort())
    page = context.new_page()
    page.on("dialog", lambda dialog: (faults.append(dialog.message[:80]), dialog.dismiss()))
    screens = Screens(page, service, allowed)

    def save(number, target):
        command = [service.binary, "serve", "-q", "--db", service.database, *service.options, "--get", target]
        path = folder / f"saved-{number}.html"
        path.write_bytes(subprocess.run(command, check=True, capture_output=True).stdout)
        return path.as_uri()

    with ThreadPoolExecutor(2) as pool:
        addresses = list(pool.map(save, range(len(targets)), [target for target, _ in targets]))
    beside = folder / "beside.html"
    beside.write_text("<!DOCTYPE html><main></main>")
    screens.visit_all([(address, names, ()) for address, (_, names) in zip(addresses, targets)], beside.as_uri())
    context.close()
    assert not faults, faults
    return screens.count


def lists(screens, found):
    """Every card, by the link to the next page."""
    names = [place["name"] for _, place in found]
    screens.visit("/app/?sortby=name")
    while screens.page.locator("#more").count():
        count = screens.page.locator(".card").count()
        screens.page.locator("#more").click()
        expect(screens.page.locator(".card").nth(count)).to_be_attached()
    screens.check(wanted=names)
    look(screens.page)


def typed(screens, found, texts):
    """What is typed and what notices say."""
    page = screens.page
    for begin in range(0, len(texts), FRAMES):
        some = [text.replace("\n", " ").replace("\r", " ")[:120] + "x" for text in texts[begin:begin + FRAMES]]
        frames = screens.frames(["/app/"] * len(some))
        page.evaluate(TYPE, some)
        for frame in frames:
            screens.check(frame)
    for id_, _place in found[:50:5]:
        page.goto(f"{screens.service.address}/app/restaurants/{quote(id_, safe='')}")
        page.locator(".detail .heart").click()
        expect(page.locator("#notices .notice button")).to_be_visible()
        screens.check()
        page.locator("#notices .notice button").click()
        expect(page.locator(".detail .heart")).to_have_attribute("aria-pressed", "false")


def controls(browser, service, allowed):
    """Planted faults are found by the same checks."""
    planted = {
        "a lost text": "for (const e of document.querySelectorAll('.card')) e.remove()",
        "a picture's text": "for (const e of document.querySelectorAll('img')) e.alt = ''",
        "an element": "const e = document.createElement('marquee'); document.body.append(e)",
        "a handler": "document.body.setAttribute('onfocus', '1')",
        "a link": "const e = document.createElement('a'); e.href = 'javascript:1'; document.body.append(e)",
        "a script": "window.canary = 1",
        "a wide text": "const e = document.createElement('p'); e.textContent = 'x'.repeat(900); e.style.overflowWrap = 'normal'; "
                       "document.body.append(e)",
    }
    # not watched: what is planted writes to the console
    context = browser.new_context(**NARROW.options)
    screens = Screens(context.new_page(), service, allowed)
    screens.page.goto(f"{service.address}/app/")
    names = [text for text in screens.page.evaluate(PICTURES) if text][:1]
    assert names
    fine, *frames = screens.frames(["/app/"] * (len(planted) + 1))
    screens.check(fine, names, names)
    for frame, (name, script) in zip(frames, planted.items()):
        frame.evaluate(f"() => {{ {script} }}")
        try:
            screens.check(frame, names, names)
        except AssertionError:
            continue
        raise AssertionError(f"{name} is not found")
    context.close()


def unescaped(browser, service, found, allowed):
    """Screens that show texts as HTML are found: those of the service one by one, and the map's callout."""
    def plant(old, new):
        def answer(route):
            content = route.fetch()
            text = content.text()
            assert old in text
            route.fulfill(response=content, body=text.replace(old, new))
        return answer

    def look_at(pattern, handler, visit):
        context = browser.new_context(**PHONE.options, reduced_motion="reduce")
        context.route(lambda url: not url.startswith(service.address), lambda route: route.abort())
        context.route(pattern, handler)
        try:
            visit(Screens(context.new_page(), service, allowed))
        except AssertionError as error:
            assert " has [" in str(error) or " does not show " in str(error), error
            return context.close()
        raise AssertionError(f"{pattern} does not escape, and that is not found")

    paths = [path for path, _ in plan_pages(found[:5])] + ["/app/offers/offer-1", f"/app/restaurants/{quote(found[1][0], safe='')}"]
    for path in paths:
        pattern = service.address + path.split("?")[0] + "*"
        look_at(pattern, plant("&lt;", "<"), lambda screens, path=path: screens.visit_all([(path, (), ())]))
    look_at("**/app/map.js*", plant("textContent: nameOf(feature)", "innerHTML: nameOf(feature)"),
            lambda screens: mapped(screens, found[:ALONE]))


def story(binary, shots):
    listener = Listener()
    found = list(places(listener.address))
    texts = [text.replace("\0", "")[:300] for text in records.texts(listener.address)[::EVERY]]
    assert len(texts) >= 50 / EVERY
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        allowed = honest(browser, binary)
        feeds = write(Path(folder), found)
        with Service(binary, *feeds, options=["--image-dir", str(Path(folder) / "images")]) as service:
            with watched(browser, service, NARROW, looks=False) as page:
                expect_all(page, service, len(found))
            controls(browser, service, allowed)
            unescaped(browser, service, found, allowed)
            count = 0
            # the layout of each, without the token
            with watched(browser, service, NARROW, looks=False) as page:
                screens = Screens(page, service, allowed)
                lists(screens, found)
                details(screens, found)
                plans(screens, found)
                count += screens.count
                assert screens.pictures > len(found), screens.pictures
            with watched(browser, service, PHONE, reduced_motion="reduce", looks=False) as page:
                screens = Screens(page, service, allowed)
                mapped(screens, found)
                count += screens.count
            targets = [*plan_pages(found), *[(f"/app/restaurants/{quote(id_, safe='')}", [place["name"]]) for id_, place in found[::3]]]
            count += saved(browser, service, Path(folder), targets, allowed)
            # an address that is refused is answered with JSON, which no page may frame
            with watched(browser, service, PHONE, allowed=["Failed to load resource", "frame-ancestors 'none'"], looks=False) as page:
                screens = Screens(page, service, allowed)
                screens.visit_all((path.format(quote(text, safe="")), (), ()) for text in texts for path in ASKED)
                count += screens.count
            # with the token: hearts, notices, favorites, those that have left their feed
            with watched(browser, service, DESK, looks=False) as page:
                page.goto(f"{service.address}/app/?token={TOKEN}")
                screens = Screens(page, service, allowed)
                typed(screens, found, texts)
                service.geoq("favorite", "add", "--", *[id_ for id_, _ in found if not id_.startswith("-")])
                screens.visit("/app/favorites")
                # pictures of restaurants that have gone are answered with 404
                page.wait_for_load_state("networkidle")
                service.geoq("source", "remove", FEED)
                wait_for_generation(page, service)
                screens.visit("/app/favorites?sortby=name")
                expect(page.locator(".card").first).to_contain_text("left its feed")
                count += screens.count
    assert listener.visits == 0, "the canary was asked"
    print(f"browser: {len(found)} hostile restaurants, {count} pages")


def expect_all(page, service, count):
    page.goto(f"{service.address}/app/")
    expect(page.locator("#count")).to_contain_text(f"of {count}")


if __name__ == "__main__":
    main(story)
