"""Pictures, the frame at another site, and the pages of the API, in a real browser.

checks.py has what is checked on every page.
"""

import http.server
import threading
import time

from checks import FEEDS, VIEWS, chromium, fits, look, main, watched
from playwright.sync_api import expect
from service import ROOT, Service

ITEMS = "/collections/restaurants/items"
PAGES = {
    "landing": "/?f=html", "collections": "/collections?f=html", "items": f"{ITEMS}?f=html&limit=8", "item": f"{ITEMS}/showcase-01?f=html",
    "api": "/api.html", "cover": "/cover?lat=32.95&lon=-96.82&want=Thai&want=Pizza&f=html", "offers": "/offers?f=html",
}


def is_shown(picture):
    picture.scroll_into_view_if_needed()
    for _ in range(400):
        if picture.evaluate("image => image.complete && image.naturalWidth > 0"):
            return True
        time.sleep(0.05)
    return False


def pictures(page, service, folder, name):
    """A card and a page show the same pictures; the others have drawings."""
    page.goto(f"{service.address}/app/?q=basil")
    expect(page.locator(".card")).to_have_count(1)
    card = page.locator(".card img.picture")
    assert is_shown(card)
    assert card.get_attribute("loading") == "lazy"
    expect(card).to_have_attribute("alt", "Basil & Lime")
    first = card.get_attribute("src")
    page.goto(f"{service.address}/app/")
    assert page.locator(".card img.picture").count() < page.locator(".card .drawing").count()
    assert is_shown(page.locator(".card img.picture").first)
    page.evaluate("() => scrollTo(0, document.querySelector('.card:has(.picture)').offsetTop - 70)")
    for picture in page.locator(".card img.picture").all()[:4]:
        is_shown(picture)
    look(page, folder, f"pictures-{name}")
    page.goto(f"{service.address}/app/restaurants/showcase-01")
    strip = page.locator(".strip img.picture")
    expect(strip).to_have_count(3)
    assert strip.first.get_attribute("src") == first
    assert all(is_shown(picture) for picture in strip.all())
    expect(page.locator(".strip .badge")).to_contain_text("★")
    box, height = page.locator(".strip").bounding_box(), page.viewport_size["height"]
    # about 35% of the height, and never less than can be seen
    assert abs(box["height"] - max(192, 0.35 * height)) < 30, box
    page.locator(".strip ul").focus()
    page.keyboard.press("End")
    page.locator(".strip ul").evaluate("list => { list.scrollLeft = 0 }")
    page.evaluate("() => scrollTo(0, 0)")
    look(page, folder, f"strip-{name}")


def broken(browser, service):
    """A picture that does not come leaves the drawing."""
    context = browser.new_context()
    page = context.new_page()
    context.route("**/images/**", lambda route: route.fulfill(status=404))
    for path in ["/app/?q=basil", "/app/restaurants/showcase-01"]:
        page.goto(service.address + path)
        page.evaluate("() => document.querySelectorAll('img.picture').forEach(picture => picture.scrollIntoView())")
        expect(page.locator("img.picture")).to_have_count(0)
        expect(page.locator(".cover .drawing").first).to_be_visible()
    context.close()


def documents(page, service, folder, name):
    """The pages of the API: readable, and a person comes from one to the other."""
    for title, path in PAGES.items():
        page.goto(service.address + path)
        assert page.evaluate("() => getComputedStyle(document.querySelector('.top')).position") == "sticky", path
        assert page.locator("script").count() == 0, path
        look(page, folder, f"api-{title}-{name}")
    page.goto(f"{service.address}{ITEMS}?f=html&limit=5")
    expect(page.locator(".list h2")).to_have_count(5)
    page.locator(".list summary").first.click()
    expect(page.locator(".list .members").first).to_be_visible()
    fits(page)
    page.get_by_role("link", name="Next page ›").click()
    expect(page.locator(".list h2")).to_have_count(5)
    page.locator(".list h2 a").first.click()
    title = page.locator("h1").inner_text()
    page.get_by_role("link", name="Show it on the lunch page").click()
    expect(page.locator("h1")).to_have_text(title)


class Site(http.server.BaseHTTPRequestHandler):
    """Another site, which may be framed."""

    def do_GET(self):
        links = "<a href='/two'>two</a> <a href='/three'>three</a> <a href='http://lunch.test/'>out</a>"
        body = f"<!DOCTYPE html><html lang=en><title>Site</title><h1>Site {self.path}</h1>{links}".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def home(browser, binary, folder):
    """The frame starts at the site that the operator has named, and the three buttons lead through it."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    site = f"http://localhost:{server.server_address[1]}"
    with Service(binary, FEEDS[0], options=("--web-home", f"{site}/start")) as service:
        for view in VIEWS:
            with watched(browser, service, view, allowed=["frame-src"], others=(site,)) as page:
                steps(page, service, site, folder, str(view))
        server.shutdown()
        server.server_close()
        with watched(browser, service, allowed=["ERR_CONNECTION_REFUSED"], others=(site,)) as page:
            page.goto(f"{service.address}/app/internets")
            expect(page.locator("#notices .notice")).to_contain_text("localhost does not answer.")
            look(page, folder, "internets-away")


def steps(page, service, site, folder, name):
    page.goto(f"{service.address}/app/")
    page.locator("nav a", has_text="Internets").click()
    title = page.frame_locator("#frame").locator("h1")
    back, following = (page.get_by_role("button", name=name) for name in ("Back", "Next"))
    expect(title).to_have_text("Site /start")
    expect(page.get_by_role("link", name="Open in a new tab")).to_have_attribute("href", f"{site}/start")
    for button in (back, following):
        expect(button).to_be_disabled()
    for path in ("two", "three"):
        page.frame_locator("#frame").get_by_text(path).click()
        expect(title).to_have_text(f"Site /{path}")
    look(page, folder, f"internets-{name}")
    expect(following).to_be_disabled()
    page.get_by_role("button", name="Refresh").click()
    expect(following).to_be_disabled()
    expect(title).to_have_text("Site /three")
    back.click()
    expect(title).to_have_text("Site /two")
    following.click()
    expect(title).to_have_text("Site /three")
    for path in ("two", "start"):
        back.click()
        expect(title).to_have_text(f"Site /{path}")
    # at its start, Back would leave the page
    expect(back).to_be_disabled()
    page.frame_locator("#frame").get_by_text("three").click()
    expect(title).to_have_text("Site /three")
    expect(following).to_be_disabled()
    back.click()
    expect(title).to_have_text("Site /start")
    page.get_by_role("button", name="Refresh").click()
    expect(title).to_have_text("Site /start")
    # the policy lets no other site in, and the page says so
    page.frame_locator("#frame").get_by_text("out").click()
    expect(page.locator("#notices .notice")).to_contain_text("this is another site")
    expect(page.get_by_role("button", name="Open it in a new tab")).to_be_visible()


def story(binary, folder):
    options = ("--image-dir", str(ROOT / "Data" / "images"))
    with Service(binary, *FEEDS, options=options) as service, chromium() as browser:
        for view in VIEWS:
            with watched(browser, service, view) as page:
                pictures(page, service, folder, str(view))
                documents(page, service, folder, str(view))
        with watched(browser, service, java_script_enabled=False) as page:
            page.goto(f"{service.address}/app/restaurants/showcase-01")
            expect(page.locator(".strip img.picture")).to_have_count(3)
        broken(browser, service)
        home(browser, binary, folder)


if __name__ == "__main__":
    main(story)
