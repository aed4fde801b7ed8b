"""The story of the lunch page: list, search, detail, heart, favorites, undo; at five sizes, light and dark.

checks.py has what is checked on every page. Exit code 1 with the first failure.
"""

import json
import re
import tempfile
from pathlib import Path

from checks import FEEDS, PHONE, SIZES, VIEWS, chromium, done, filters, fits, look, main, watched
from playwright.sync_api import expect
from service import TOKEN, Service

# on a desk the map is next to the list
COLUMNS = dict(zip(SIZES, (1, 1, 2, 2, 3)))
AWAY = "ERR_CONNECTION_REFUSED"


# what is wrong with a card: a name on the lines of its drawing, a heart that is not right of it, a fact that breaks
CARDS = """() => [...document.querySelectorAll('.card')].flatMap((card) => {
  const [drawing, name, heart] = ['.drawing', 'h2', '.heart'].map((part) => card.querySelector(part).getBoundingClientRect());
  const faults = [];
  if (drawing.bottom > name.top + 1) faults.push('a name lies on its drawing');
  if (heart.left < name.right - 60 || heart.bottom < name.top) faults.push('a heart is not right of its name');
  for (const fact of card.querySelectorAll('.line > span')) if (fact.offsetHeight > 36) faults.push(`${fact.textContent} breaks`);
  const about = card.querySelector('.about');
  if (about && about.offsetHeight > 60) faults.push('a description is longer than two lines');
  return faults;
})"""


# what lies where it must not: the first card too low, a tab outside the window, the end of the page under the bar
PLACES = """() => {
  const box = (selector) => document.querySelector(selector).getBoundingClientRect();
  const faults = [];
  const name = box('.card h2');
  if (innerWidth === 390 && box('.card').top > 220) faults.push('the first card begins below 220 pixels');
  if (name.bottom > innerHeight) faults.push('no card can be seen');
  const tab = box('nav a[aria-current]');
  if (tab.left < 0 || tab.right > innerWidth) faults.push('the chosen tab is outside the window');
  scrollTo(0, document.documentElement.scrollHeight);
  const bar = box('.top');
  if (bar.top > 0 && box('footer').bottom > bar.top + 1) faults.push('the bar covers the end of the page');
  scrollTo(0, 0);
  return faults;
}"""
DISTRICT = [[-96.9, 32.9], [-96.7, 32.9], [-96.7, 32.97], [-96.9, 32.97], [-96.9, 32.9]]


def narrowed(page, service, folder, name):
    """The filters: the same restaurants as the API has, kept on the way to a detail and back, removed one by one."""
    page.goto(f"{service.address}/app/?units=km")
    filters(page)
    look(page, folder, f"filters-{name}")
    chosen = {"radius": "5km", "priceLevel": "3", "rating": "3", "open": "12:00", "within": "south"}
    for field, value in chosen.items():
        page.locator(f"select[name={field}]").select_option(value)
        page.wait_for_url(re.compile(f"{field}={value.replace(':', '(:|%3A)')}"))
    done(page)
    fields = "filter=rating%20>=%203%20and%20priceLevel%20<=%203&open=12:00&within=south"
    count = page.request.get(f"{service.address}/count/radius?lat=32.95&lon=-96.82&radius=5km&{fields}").json()["count"]
    assert 0 < count < 40, count
    expect(page.locator("#count .total")).to_have_text(str(count))
    if page.locator(".map").is_visible():
        expect(page.locator(".map")).to_have_attribute("data-count", str(count))
    chips = page.locator(".chip[aria-current]")
    expect(chips).to_have_count(5)
    look(page, folder, f"chosen-{name}")
    page.locator(".card .cover").first.click()
    page.get_by_role("link", name="All restaurants").click()
    expect(page.locator("#count .total")).to_have_text(str(count))
    for left in range(4, -1, -1):
        chips.first.click()
        expect(chips).to_have_count(left)
    expect(page.locator("#count .total")).to_have_text("55")


def story(page, service, folder, name, columns):
    """With JavaScript and the token."""
    page.goto(f"{service.address}/app/?token={TOKEN}")
    assert page.url == f"{service.address}/app/", page.url
    expect(page.locator(".card")).to_have_count(24)
    found = page.evaluate("() => getComputedStyle(document.querySelector('.cards')).gridTemplateColumns.split(' ').length")
    assert found == columns, f"{found} columns, not {columns}"
    page.locator("#more").click()
    expect(page.locator(".card")).to_have_count(48)
    page.locator("#more").click()
    expect(page.locator(".card")).to_have_count(55)
    expect(page.locator("#count")).to_contain_text("55 of 55")
    expect(page.locator("#more")).to_have_count(0)
    # a place, and the order by distance
    page.goto(f"{service.address}/app/")
    expect(page.locator("#count")).to_contain_text("from Office")
    expect(page.locator(".card h2").first).to_have_text("Yard House")
    expect(page.locator(".card strong").first).to_be_visible()
    expect(page.locator(".card .line").first).to_contain_text("1 min walk")
    faults = page.evaluate(CARDS)
    faults += page.evaluate(PLACES)
    assert not faults, faults
    look(page, folder, f"list-{name}")
    # search as one types: the address follows, and Back goes back
    page.locator("input[type=search]").press_sequentially("thai")
    expect(page.locator(".card")).to_have_count(3)
    page.wait_for_url("**q=thai**")
    page.locator(".chip", has_text="Bars").click()
    expect(page.locator(".card")).to_have_count(1)
    page.go_back()
    expect(page.locator(".card")).to_have_count(3)
    filters(page)
    expect(page.get_by_role("button", name="Show", exact=True)).not_to_be_visible()
    page.locator("select[name=sortby]").select_option("-rating")
    page.wait_for_url("**sortby=-rating**")
    done(page)
    page.locator("input[type=search]").fill("zzzz")
    expect(page.locator(".empty")).to_be_visible()
    look(page, folder, f"empty-{name}")
    # a typing error is noticed
    page.locator("input[type=search]").fill("thia")
    page.get_by_role("link", name="Thai", exact=True).click()
    expect(page.locator(".card")).to_have_count(3)
    # a start by name, and one of several that are meant
    filters(page)
    page.locator("input[name=at]").fill("basil")
    page.locator("input[name=at]").press("Enter")
    expect(page.locator("#count")).to_contain_text("from Basil & Lime")
    filters(page)
    page.locator("input[name=at]").fill("twin")
    page.locator("input[name=at]").press("Enter")
    expect(page.locator(".fault")).to_contain_text("Which one?")
    look(page, folder, f"choice-{name}")
    page.locator("#notices .chip", has_text="East").click()
    expect(page.locator("#count")).to_contain_text("from Twin Kitchen East")
    # help, by the keyboard too
    page.locator(".help summary").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".help p").first).to_be_visible()
    look(page, folder, f"help-{name}")
    page.goto(f"{service.address}/app/")
    page.locator("input[type=search]").fill("basil")
    expect(page.locator(".card")).to_have_count(1)
    # the detail, its sections remembered
    page.locator(".card .cover").click()
    expect(page.locator("h1")).to_have_text("Basil & Lime")
    for link in ["tel:9725550101", "https://www.openstreetmap.org/directions", "https://twitter.com/basillime", "https://basillime.example/"]:
        expect(page.locator(f"a[href^='{link}']").first).to_be_visible()
    expect(page.locator(".actions > .button:visible")).to_have_count(3)
    page.locator(".menu summary").click()
    expect(page.locator(".menu a", has_text="What is near")).to_be_visible()
    look(page, folder, f"detail-{name}")
    # a wrong number, told as the command that corrects it
    page.locator("[data-section=wrong] summary").click()
    expect(page.locator("#correction")).to_contain_text(re.compile(r"^geoq edit \S+ 'phone=\(972\) 555-0101'$", re.M))
    page.locator("[data-section=hours] summary").click()
    page.locator("[data-section=data] summary").click()
    # the page stores this some time after the click
    page.wait_for_function(
        "() => localStorage.getItem('section hours') === 'closed' && localStorage.getItem('section data') === 'open'"
    )
    page.reload()
    expect(page.locator("[data-section=hours] > div")).not_to_be_visible()
    expect(page.locator("[data-section=data] > div")).to_be_visible()
    page.evaluate("() => localStorage.clear()")
    # the heart: the server has said yes, undo, favorites after a reload
    heart = page.locator(".detail .heart")
    heart.click()
    expect(heart).to_have_attribute("aria-pressed", "true")
    notice = page.locator("#notices .notice")
    expect(notice).to_contain_text("is a favorite now")
    notice.get_by_role("button", name="Undo").click()
    expect(heart).to_have_attribute("aria-pressed", "false")
    heart.click()
    expect(heart).to_have_attribute("aria-pressed", "true")
    look(page, folder, f"heart-{name}")
    service.stop()
    heart.click()
    expect(page.locator("#notices .notice")).to_contain_text("has not taken that")
    expect(heart).to_have_attribute("aria-pressed", "true")
    service.start()
    page.locator("nav a", has_text="Favorites").click()
    expect(page.locator(".card h2")).to_have_text(["Basil & Lime"])
    look(page, folder, f"favorites-{name}")
    service.import_feeds(*FEEDS)
    page.reload()
    page.locator(".card .heart").click()
    expect(page.locator("#notices .notice")).to_contain_text("no longer a favorite")
    expect(page.locator(".empty")).to_be_visible()
    page.locator("#notices button").click()
    expect(page.locator(".card .heart")).to_have_attribute("aria-pressed", "true")
    page.locator(".card .heart").click()
    expect(page.locator(".empty")).to_be_visible()
    page.reload()
    expect(page.locator(".empty")).to_be_visible()


def stranger(page, service):
    """Without the token: hearts on the device, then handed to the service."""
    page.goto(f"{service.address}/app/")
    page.locator(".card .heart").nth(1).click()
    expect(page.locator("#notices .notice")).to_contain_text("on this device")
    name = page.locator(".card h2").nth(1).inner_text()
    page.reload()
    expect(page.locator(".card .heart").nth(1)).to_have_attribute("aria-pressed", "true")
    page.goto(f"{service.address}/app/favorites")
    expect(page.locator(".card h2")).to_have_text([name])
    fits(page)
    page.locator(".device summary").click()
    page.locator("input[name=token]").fill(TOKEN)
    page.get_by_role("button", name="Use it").click()
    page.get_by_role("button", name="Hand them to the service").click()
    expect(page.locator(".card h2")).to_have_text([name])
    page.locator(".card .heart").click()
    expect(page.locator(".empty")).to_be_visible()


def position(browser, service):
    here = {"latitude": 32.95, "longitude": -96.82}
    with watched(browser, service, geolocation=here, permissions=["geolocation"]) as page:
        page.goto(f"{service.address}/app/")
        page.locator("#locate").click()
        page.wait_for_url("**at=32.95**")
        expect(page.locator(".card h2").first).to_have_text("Yard House")
    with watched(browser, service, permissions=[]) as page:
        page.goto(f"{service.address}/app/")
        page.locator("#locate").click()
        expect(page.locator("#notices .notice")).to_contain_text("may not say where you are")


def plain(page, service):
    """Without JavaScript: list, search, more, detail, heart, favorites, undo."""
    page.goto(f"{service.address}/app/?token={TOKEN}")
    page.locator("#more").click()
    expect(page.locator("#count")).to_contain_text("24 more of 55")
    page.locator("input[type=search]").fill("basil")
    filters(page)
    page.locator("select[name=sortby]").select_option("name")
    page.locator("select[name=rating]").select_option("3")
    page.get_by_role("button", name="Show").click()
    expect(page.locator(".chip[aria-current]")).to_contain_text("★ 3 or better")
    expect(page.locator(".card")).to_have_count(1)
    page.locator(".card .cover").click()
    page.locator(".detail .heart").click()
    expect(page.locator("#notices")).to_contain_text("is a favorite now")
    page.locator("nav a", has_text="Favorites").click()
    expect(page.locator(".card h2")).to_have_text(["Basil & Lime"])
    page.locator(".card .heart").click()
    expect(page.locator("#notices")).to_contain_text("no longer a favorite")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".card h2")).to_have_text(["Basil & Lime"])
    page.locator(".card .heart").click()
    expect(page.locator(".empty")).to_be_visible()
    fits(page)


def whole(binary, folder):
    with Service(binary, *FEEDS) as service, chromium() as browser, tempfile.TemporaryDirectory() as areas:
        area = {"type": "Feature", "properties": {"name": "south"}, "geometry": {"type": "Polygon", "coordinates": [DISTRICT]}}
        path = Path(areas) / "south.geojson"
        path.write_text(json.dumps(area))
        service.geoq("area", "add", str(path))
        for view in VIEWS:
            with watched(browser, service, view, allowed=[AWAY]) as page:
                narrowed(page, service, folder, str(view))
                story(page, service, folder, str(view), COLUMNS[view.width, view.height])
            print(f"browser: {view} done", flush=True)
        with watched(browser, service) as page:
            stranger(page, service)
        position(browser, service)
        with watched(browser, service, PHONE, java_script_enabled=False) as page:
            plain(page, service)


if __name__ == "__main__":
    main(whole)
