"""The states of the lunch page: each has words and a way out.

Loading, nothing found, the service away, newer data, no position, read-only, an empty database, one
restaurant; what is too long, and what is written from right to left.
"""

import json
import sqlite3
import tempfile
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from checks import DESK, FEEDS, PHONE, VIEWS, View, chromium, filters, look, main, wait_for_generation, watched
from playwright.sync_api import expect
from service import ROOT, TOKEN, Service

AWAY = "ERR_CONNECTION_REFUSED"
FAILED = "Failed to load resource"
SMALL = View(320, 568, "dark")
# what makes the page ask whether there is newer data, as coming back to it does
COME_BACK = "() => document.dispatchEvent(new Event('visibilitychange', {bubbles: true}))"


def state(page):
    return page.locator("#state .notice")


def button(page, label):
    return page.locator(".notice").get_by_role("button", name=label)


def feed(features):
    """A GeoJSON text of made-up restaurants."""
    return json.dumps({"type": "FeatureCollection", "features": [
        {"type": "Feature", "id": id_, "geometry": {"type": "Point", "coordinates": [longitude, latitude]}, "properties": properties}
        for id_, longitude, latitude, properties in features]})


@contextmanager
def held(page, pattern):
    """Holds back the requests of a page; gives them."""
    waiting = []
    page.route(pattern, lambda route: waiting.append(route))
    yield waiting
    page.unroute(pattern)


def loading(page, service, shots):
    page.goto(f"{service.address}/app/")
    cards = page.locator(".card").count()
    with held(page, "**/app/?q=*") as waiting:
        page.locator("input[type=search]").fill("thai")
        expect(state(page)).to_contain_text("Loading")
        expect(page.locator(".card")).to_have_count(cards)
        look(page, shots, "state-loading")
        button(page, "Stop").click()
        expect(state(page)).to_have_count(0)
        page.locator("input[type=search]").fill("tha")
        expect(state(page)).to_contain_text("Loading")
        while parse_qs(urlsplit(waiting[-1].request.url).query)["q"] != ["tha"]:
            page.wait_for_timeout(20)
        waiting[-1].continue_()
        expect(page.locator(".card")).to_have_count(3)
        expect(state(page)).to_have_count(0)


def nothing(page, service, shots):
    for path, button_, count in [("/app/?q=zzzz&category=Thai", "Show all", 24), ("/app/favorites?q=zzzz", "Find some", 24)]:
        page.goto(service.address + path)
        expect(page.locator(".empty h2")).to_be_visible()
        look(page, shots)
        page.locator(".empty a", has_text=button_).click()
        expect(page.locator(".card")).to_have_count(count)
    page.goto(f"{service.address}/app/restaurants/nobody")
    expect(page.locator("main p").first).to_contain_text("nobody")
    look(page, shots, "state-missing")
    page.locator("main a").click()
    expect(page.locator(".card")).to_have_count(24)


def away(page, service, shots):
    """What is shown stays, with a notice; the service is found again by itself, or by a button."""
    page.goto(f"{service.address}/app/")
    service.stop()
    page.evaluate(COME_BACK)
    expect(state(page)).to_contain_text("does not answer")
    expect(page.locator(".card")).to_have_count(24)
    look(page, shots, "state-away")
    page.locator("input[type=search]").fill("thai")
    page.wait_for_timeout(300)
    expect(page.locator(".card")).to_have_count(24)
    service.start()
    button(page, "Try again").click()
    expect(state(page)).to_have_count(0)
    page.locator("input[type=search]").fill("tha")
    expect(page.locator(".card")).to_have_count(3)
    service.stop()
    page.locator("input[type=search]").fill("bars")
    expect(state(page)).to_contain_text("does not answer")
    service.start()
    page.evaluate(COME_BACK)
    expect(state(page)).to_have_count(0)
    # an answer that says what is wrong
    busy = "<!DOCTYPE html><main><h1>x</h1><p>too many queries at a time; try again</p></main>"
    page.route("**/app/?q=busy*", lambda route: route.fulfill(status=503, content_type="text/html", body=busy))
    page.locator("input[type=search]").fill("busy")
    expect(state(page)).to_contain_text("too many queries")


def newer(page, service, shots):
    """An import while a person reads: a notice, nothing jumps; scroll, focus and sections stay after updating."""
    own = json.loads((ROOT / FEEDS[1]).read_text())
    first = dict(own["features"][0], id="aaa-new")
    first["properties"] = {"name": "Aardvark Grill", "category": "Thai"}
    added = dict(own, features=[first, *own["features"]])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / Path(FEEDS[1]).name
        page.goto(f"{service.address}/app/?sortby=name")
        page.locator("#more").click()
        expect(page.locator(".card")).to_have_count(48)
        heart = page.locator(".card .heart").nth(30)
        heart.focus()
        page.evaluate("() => document.activeElement.scrollIntoView({block: 'center'})")
        before = page.evaluate("() => [document.activeElement.dataset.id, document.activeElement.getBoundingClientRect().top]")
        path.write_text(json.dumps(added))
        service.import_feeds(path)
        wait_for_generation(page, service)
        page.evaluate(COME_BACK)
        expect(state(page)).to_contain_text("newer data")
        assert before == page.evaluate("() => [document.activeElement.dataset.id, document.activeElement.getBoundingClientRect().top]")
        look(page, shots, "state-newer")
        button(page, "Update").click()
        expect(page.locator(".card h2", has_text="Aardvark")).to_have_count(1)
        expect(page.locator("#count")).to_contain_text("48 of 56")
        after = page.evaluate("() => [document.activeElement.dataset.id, document.activeElement.getBoundingClientRect().top]")
        assert after[0] == before[0] and abs(after[1] - before[1]) <= 1, (before, after)
        expect(state(page)).to_have_count(0)
        # the detail: sections and scroll
        page.goto(f"{service.address}/app/?q=basil")
        page.locator(".card .cover").click()
        page.locator("[data-section=data] summary").click()
        page.locator("[data-section=hours] summary").click()
        page.locator("[data-section=data] summary").focus()
        top = page.evaluate("() => document.activeElement.getBoundingClientRect().top")
        changed = [dict(one, properties={**one["properties"], "formattedAddress": ["Longer street"] * 40}) for one in own["features"]]
        path.write_text(json.dumps(dict(own, features=changed)))
        service.import_feeds(path)
        wait_for_generation(page, service)
        page.evaluate(COME_BACK)
        button(page, "Update").click()
        expect(page.locator("[data-section=address]")).to_contain_text("Longer")
        expect(page.locator("[data-section=data] > div")).to_be_visible()
        expect(page.locator("[data-section=hours] > div")).not_to_be_visible()
        moved = page.evaluate("() => [document.activeElement.closest('details').dataset.section, document.activeElement.getBoundingClientRect().top]")
        assert moved[0] == "data" and abs(moved[1] - top) <= 1, (top, moved)
        # a restaurant that has gone
        name = next(one for one in own["features"] if one["properties"]["name"].startswith("Basil"))
        path.write_text(json.dumps(dict(own, features=[one for one in own["features"] if one is not name])))
        service.import_feeds(path)
        wait_for_generation(page, service)
        page.evaluate(COME_BACK)
        button(page, "Update").click()
        expect(state(page)).to_contain_text("There is no restaurant")
        expect(page.locator("h1")).to_contain_text("Basil")
        service.import_feeds(FEEDS[1])


def positions(browser, service, shots):
    here = {"latitude": 32.95, "longitude": -96.82}
    with watched(browser, service, PHONE, geolocation=here, permissions=["geolocation"]) as page:
        page.goto(f"{service.address}/app/?category=Thai")
        filters(page)
        page.locator("#locate").click()
        page.wait_for_url("**at=32.95**")
        expect(page.locator(".chip[aria-current]")).to_have_count(1)
        expect(page.locator(".card strong").first).to_be_visible()
    with watched(browser, service, PHONE, permissions=[]) as page:
        page.goto(f"{service.address}/app/")
        filters(page)
        page.locator("#locate").click()
        expect(page.locator("#notices .notice")).to_contain_text("may not say where you are")
        look(page, shots, "state-refused")
        button(page, "Type a place").click()
        expect(page.locator("input[name=at]")).to_be_focused()
        page.keyboard.type("nowhere")
        page.keyboard.press("Enter")
        expect(page.locator(".fault")).to_contain_text("is not a place")
        look(page, shots, "state-no-place")


def insecure(shots):
    """From another machine by plain http, browsers tell no position."""
    def story(service, browser):
        service.address = service.address.replace("127.0.0.1", "lunch.test")
        with watched(browser, service, PHONE, permissions=["geolocation"]) as page:
            page.goto(f"{service.address}/app/")
            assert not page.evaluate("() => isSecureContext")
            filters(page)
            page.locator("#locate").click()
            expect(page.locator("#notices .notice")).to_contain_text("secure pages only")
            look(page, shots, "state-insecure")
            button(page, "Office").click()
            page.wait_for_url("**at=Office**")
            expect(page.locator(".card strong").first).to_be_visible()
    return story


def read_only(page, service, shots):
    """Another program keeps the database to itself: what is wrong is said, and the heart does not change."""
    page.goto(f"{service.address}/app/?token={TOKEN}")
    heart = page.locator(".card .heart").first
    blocker = sqlite3.connect(service.database, isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    heart.click()
    page.set_default_timeout(20_000)
    expect(page.locator("#notices .notice")).to_contain_text("has not taken that", timeout=20_000)
    expect(heart).to_have_attribute("aria-pressed", "false")
    look(page, shots, "state-read-only")
    blocker.execute("ROLLBACK")
    blocker.close()
    button(page, "Try again").click()
    expect(heart).to_have_attribute("aria-pressed", "true")
    button(page, "Undo").click()
    expect(heart).to_have_attribute("aria-pressed", "false")
    # the session ends where its token does
    page.context.clear_cookies()
    heart.click()
    expect(page.locator("#notices .notice")).to_contain_text("session is over")
    button(page, "Enter the token again").click()
    expect(page.locator(".device")).to_be_visible()


def few(binary, browser, shots):
    """One restaurant, then none."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "one.geojson"
        path.write_text(feed([("one", 2, 1, {"name": "The Only One"})]))
        with Service(binary, path) as service:
            with watched(browser, service, SMALL) as page:
                page.goto(f"{service.address}/app/?token={TOKEN}")
                expect(page.locator("#count")).to_contain_text("1 of 1")
                expect(page.locator(".chips")).to_have_count(0)
                expect(page.locator("#more")).to_have_count(0)
                expect(page.locator("footer")).to_contain_text("1 restaurant")
                look(page, shots, "state-one")
                page.locator(".card .heart").click()
                expect(page.locator(".card .heart")).to_have_attribute("aria-pressed", "true")
                page.locator(".card .cover").click()
                expect(page.locator("[data-section=nearby]")).to_have_count(0)
                look(page, shots, "state-one-detail")
            service.geoq("source", "remove", "one.geojson")
            with watched(browser, service, SMALL) as page:
                page.goto(f"{service.address}/app/?token={TOKEN}")
                page.goto(f"{service.address}/app/")
                expect(page.locator(".empty")).to_contain_text("geoq import")
                look(page, shots, "state-empty")
                page.goto(f"{service.address}/app/favorites")
                expect(page.locator(".card")).to_contain_text("left its feed")
                look(page, shots, "state-gone")


def awkward(binary, browser, shots):
    """Names too long for any screen, in scripts from right to left, without a space: the layout holds."""
    long = "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogoch " * 8
    names = [long, "x" * 800, "مطعم بيت الشاي القديم في وسط المدينة بجوار السوق الكبير " * 3, "מסעדת הים התיכון", "🍜" * 120,
             "Ein sehr langer Name mit einer Donaudampfschifffahrtsgesellschaft am Ende", "李家小館", "a" + "\u0301" * 300, "\u202etxt.exe"]
    features = [(f"n{index}", index, 1, {
        "name": name, "category": name[:200], "address": name[:200], "city": name[:200], "website": "https://example.org/" + "y" * 500,
        "phone": "+1 555 0100", "hours": name, "description": name * 2, "rating": 4.5, "reviewCount": 123456789, "priceLevel": 4,
        "z" * 200: name}) for index, name in enumerate(names)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("long-" * 30 + ".geojson")
        path.write_text(feed(features))
        with Service(binary, path) as service:
            for view in VIEWS:
                with watched(browser, service, view) as page:
                    page.goto(f"{service.address}/app/?token={TOKEN}")
                    expect(page.locator(".card")).to_have_count(len(names))
                    look(page, shots, f"long-list-{view}")
                    for id_ in ("n0", "n1", "n2") if view.theme == "light" else ("n2",):
                        page.goto(f"{service.address}/app/restaurants/{id_}?near=n0")
                        page.locator("[data-section=data] summary").click()
                        look(page, shots, f"long-detail-{id_}-{view}")
                    page.goto(f"{service.address}/app/?near=n1&q={'w' * 120}")
                    look(page, shots)
                    page.goto(f"{service.address}/app/")
                    page.locator(".heart").nth(1).click()
                    look(page, shots, f"long-notice-{view}")
                    page.locator(".notice button").click()
                    expect(page.locator(".heart[aria-pressed=true]")).to_have_count(0)


def weight(page, service):
    """The page without its map is at most 60 KB, packed."""
    for path in ["/app/", "/app/?at=Office", "/app/favorites"]:
        page.goto(service.address + path, wait_until="networkidle")
        sizes = page.evaluate("""() => [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
            .filter((one) => !/map|openlayers|land\\.geojson|\\/items/.test(one.name)).map((one) => [one.name, one.encodedBodySize])""")
        total = sum(size for _, size in sizes)
        assert 5_000 < total <= 60_000, sizes


def story(binary, shots):
    with Service(binary, *FEEDS) as service, chromium() as browser:
        with watched(browser, service, PHONE) as page:
            loading(page, service, shots)
        with watched(browser, service, PHONE, allowed=[FAILED]) as page:
            nothing(page, service, shots)
        with watched(browser, service, DESK) as page:
            weight(page, service)
        with watched(browser, service, PHONE, allowed=[AWAY, FAILED]) as page:
            away(page, service, shots)
        # what moves has no place to stay at
        with watched(browser, service, PHONE, allowed=[FAILED], reduced_motion="reduce") as page:
            newer(page, service, shots)
        with watched(browser, service, PHONE, allowed=[FAILED]) as page:
            read_only(page, service, shots)
        positions(browser, service, shots)
        few(binary, browser, shots)
        awkward(binary, browser, shots)
    with Service(binary, *FEEDS, options=["--allow-host", "lunch.test"]) as service, \
            chromium("--host-resolver-rules=MAP lunch.test 127.0.0.1") as browser:
        insecure(shots)(service, browser)


if __name__ == "__main__":
    main(story)
