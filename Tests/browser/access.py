"""The lunch page without a mouse, for a screen reader, with reduced motion, in either system of units."""

import re

from checks import DESK, FEEDS, PHONE, View, chromium, look, main, watched
from playwright.sync_api import expect
from service import TOKEN, Service

# what has the focus: its name, whether a ring shows it, and whether something covers it
FOCUS = """() => {
  const e = document.activeElement, box = e.getBoundingClientRect(), style = getComputedStyle(e);
  const over = document.elementFromPoint(box.left + box.width / 2, Math.min(box.top + box.height / 2, innerHeight - 1));
  return { tag: e.localName, id: e.id,
    name: (e.matches('input, select') ? e.name : (e.querySelector('h2, .hidden') ?? e).innerText || e.getAttribute('aria-label')) || '',
    ring: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2,
    open: e === over || e.contains(over) || !!over?.closest('label, a, button, summary')?.contains(e) };
}"""


def step(page, key="Tab"):
    """What has the focus; it has a while to come into view."""
    page.keyboard.press(key)
    for _ in range(100):
        page.wait_for_timeout(30)
        found = page.evaluate(FOCUS)
        if found["tag"] in ("body", "html", "iframe") or (found["ring"] and found["open"]):
            break
    return found


def find(page, wanted, key="Tab", limit=80):
    """Presses Tab until something is focused; all on the way can be seen."""
    for _ in range(limit):
        found = step(page, key)
        if found["tag"] in ("body", "html"):
            continue
        assert found["ring"], f"no ring on {found}"
        assert found["open"] or found["tag"] in ("iframe",), f"something covers {found}"
        if wanted in (found["name"], found["id"]):
            return found
    raise AssertionError(f"Tab never comes to {wanted}")


def keyboard(browser, service, view):
    """List, search, order, detail, heart, undo, favorites, removal: without a mouse."""
    with watched(browser, service, view) as page:
        page.goto(f"{service.address}/app/?token={TOKEN}")
        first = step(page)
        assert first["name"] == "Skip to the content", first
        page.keyboard.press("Enter")
        find(page, "q")
        page.keyboard.type("basil")
        expect(page.locator(".card")).to_have_count(1)
        if view == PHONE:
            find(page, "Filters")
            page.keyboard.press("Enter")
        find(page, "sortby")
        find(page, "rating")
        page.keyboard.press("Escape")
        find(page, "Basil & Lime")
        page.keyboard.press("Enter")
        expect(page.locator("h1")).to_have_text("Basil & Lime")
        find(page, "Favorite: Basil & Lime")
        page.keyboard.press("Space")
        expect(page.locator(".detail .heart")).to_have_attribute("aria-pressed", "true")
        find(page, "Undo", "Shift+Tab")
        page.keyboard.press("Enter")
        expect(page.locator(".detail .heart")).to_have_attribute("aria-pressed", "false")
        find(page, "Favorite: Basil & Lime")
        page.keyboard.press("Enter")
        expect(page.locator(".detail .heart")).to_have_attribute("aria-pressed", "true")
        find(page, "Hours")
        page.keyboard.press("Enter")
        expect(page.locator("[data-section=hours] > div")).not_to_be_visible()
        page.keyboard.press("Enter")
        find(page, "Favorites", "Shift+Tab")
        page.keyboard.press("Enter")
        expect(page.locator(".card h2")).to_have_text(["Basil & Lime"])
        find(page, "Basil & Lime")
        page.keyboard.press("Delete")
        expect(page.locator(".empty")).to_be_visible()
        expect(page.get_by_role("link", name="Find some")).to_be_focused()


def reader(browser, service):
    """What a screen reader reads."""
    with watched(browser, service, DESK) as page:
        page.goto(f"{service.address}/app/?token={TOKEN}")
        page.goto(f"{service.address}/app/?q=basil&at=Office")
        spoken = page.locator("body").aria_snapshot()
        for line in ["banner", 'navigation "Pages"', 'link "Lunch"', "main", 'heading "Restaurants" [level=1]', "search",
                     'searchbox "Search"', 'combobox "Sort"', 'combobox "From where"', 'combobox "Rating"', 'button "Near me"',
                     'heading "Basil & Lime" [level=2]', 'button "Favorite: Basil & Lime"', "status", "contentinfo",
                     'img "price level']:
            assert line in spoken, f"{line} is not in\n{spoken}"
        heart = page.get_by_role("button", name="Favorite: Basil & Lime")
        heart.click()
        expect(page.get_by_role("button", name="Favorite: Basil & Lime", pressed=True)).to_be_visible()
        expect(page.get_by_role("status").filter(has_text="is a favorite now")).to_have_count(1)
        page.locator("#notices button").click()
        expect(page.get_by_role("button", name="Favorite: Basil & Lime", pressed=False)).to_be_visible()
        assert page.title() == "Lunch"
        page.locator(".card .cover").click()
        spoken = page.locator("body").aria_snapshot()
        for line in ['heading "Basil & Lime" [level=1]', "article", 'heading "Hours" [level=2]', 'link "Call"']:
            assert line in spoken, f"{line} is not in\n{spoken}"
        assert page.title() == "Basil & Lime"


def motion(browser, service):
    moving = "() => [...document.querySelectorAll('*')].some((e) => getComputedStyle(e).transitionDuration !== '0s')"
    for setting, wanted in [("no-preference", True), ("reduce", False)]:
        with watched(browser, service, DESK, reduced_motion=setting) as page:
            for path in ["/app/", "/app/favorites"]:
                page.goto(service.address + path)
                assert path != "/app/" or page.evaluate(moving) == wanted, (setting, path)


def units(browser, service):
    """Those of the browser's language; the switch changes them on every page."""
    for locale, own, other in [("en-US", "ft", "m"), ("de-DE", "m", "ft")]:
        with watched(browser, service, PHONE, locale=locale) as page:
            page.goto(f"{service.address}/app/?at=Office")
            distance = page.locator(".card strong").first
            expect(distance).to_have_text(re.compile(rf"\S+ {own}$"))
            page.locator("footer a").first.click()
            expect(distance).to_have_text(re.compile(rf"\S+ {other}$"))
            page.locator(".card .cover").first.click()
            assert page.locator("[data-section=nearby] strong").first.inner_text().split()[1] in ("mi", other, "km")
            page.locator("nav a", has_text="Favorites").click()
            expect(page).to_have_url(re.compile("/favorites.*units="))


def zoomed(browser, service, shots):
    """Text twice as large, and forced colors, on a small screen."""
    with watched(browser, service, View(320, 568)) as page:
        for path in ["/app/?at=Office", "/app/?q=basil", "/app/favorites"]:
            page.goto(service.address + path)
            page.evaluate("() => { document.documentElement.style.fontSize = '200%' }")
            look(page, shots, f"zoomed-{path.strip('/').replace('/', '-').split('?')[0]}")
    with watched(browser, service, PHONE, forced_colors="active") as page:
        page.goto(f"{service.address}/app/?at=Office")
        look(page, shots, "forced-colors")


def turned(browser, service):
    """Turning the device with a detail open loses nothing."""
    with watched(browser, service, PHONE) as page:
        page.goto(f"{service.address}/app/?q=basil")
        page.locator(".card .cover").click()
        page.locator("[data-section=data] summary").click()
        for width, height in [(844, 390), (390, 844)]:
            page.set_viewport_size({"width": width, "height": height})
            look(page)
            expect(page.locator("[data-section=data] > div")).to_be_visible()


def story(binary, shots):
    with Service(binary, *FEEDS) as service, chromium() as browser:
        keyboard(browser, service, DESK)
        keyboard(browser, service, PHONE)
        reader(browser, service)
        motion(browser, service)
        units(browser, service)
        zoomed(browser, service, shots)
        turned(browser, service)


if __name__ == "__main__":
    main(story)
