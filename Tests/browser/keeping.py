"""Favorites: searched and sorted as the list is, removed in three ways, kept by the service or on the device."""

from checks import DESK, FEEDS, PHONE, View, chromium, done, filters, look, main, watched
from playwright.sync_api import expect
from service import TOKEN, Service

SMALL = View(320, 568, "dark")
FAILED = "Failed to load resource"


def names(page):
    return page.locator(".card h2").all_inner_texts()


def hearts(page, service, count):
    """Presses the first hearts of the list by name."""
    page.goto(f"{service.address}/app/?sortby=name")
    for index in range(count):
        heart = page.locator(".card .heart").nth(index)
        if heart.get_attribute("aria-pressed") == "false":
            heart.click()
        expect(heart).to_have_attribute("aria-pressed", "true")
    return names(page)[:count]


def listed(page, service, shots, name):
    """Search, categories, orders and places as on the list of restaurants; the same with the token and without."""
    kept = hearts(page, service, 6)
    page.goto(f"{service.address}/app/favorites")
    expect(page.locator(".card")).to_have_count(6)
    look(page, shots, f"favorites-{name}")
    filters(page)
    page.locator("select").select_option("name")
    page.wait_for_url("**sortby=name**")
    expect(page.locator(".card h2")).to_have_text(kept)
    page.locator("input[name=at]").fill("Office")
    page.keyboard.press("Enter")
    page.wait_for_url("**at=Office**")
    expect(page.locator(".card strong")).to_have_count(6)
    expect(page.locator(".card h2")).to_have_text(kept)
    filters(page)
    page.locator("select").select_option("")
    expect(page.locator("select option:checked")).to_have_text("Nearest first")
    page.wait_for_url(lambda url: "sortby" not in url)
    done(page)
    expect(page.locator(".card strong")).to_have_count(6)
    meters = [to_feet(text) for text in page.locator(".card strong").all_inner_texts()]
    assert meters == sorted(meters), meters
    page.locator("input[type=search]").fill(kept[2])
    expect(page.locator(".card h2")).to_have_text([kept[2]])
    assert "ids=" not in page.url
    page.reload()
    expect(page.locator(".card h2")).to_have_text([kept[2]])
    page.goto(f"{service.address}/app/favorites")
    page.locator(".chip").first.click()
    expect(page.locator(".chip[aria-current]")).to_have_count(1)
    number = int(page.locator(".chip[aria-current] small").inner_text())
    expect(page.locator(".card")).to_have_count(number)
    return kept


def to_feet(text):
    number, unit = text.split()
    return float(number.replace(",", "")) * {"ft": 1, "mi": 5280, "m": 3.28, "km": 3280}[unit]


def removed(page, service, shots, touch):
    """By button, by the key Delete and by swipe; each can be undone, and the focus goes on to the next one."""
    page.goto(f"{service.address}/app/favorites?sortby=name")
    expect(page.locator(".card")).to_have_count(6)
    kept = names(page)
    undo = page.locator("#notices").get_by_role("button", name="Undo")
    page.locator(".card .heart").nth(1).click()
    expect(page.locator(".card h2")).to_have_text(kept[:1] + kept[2:])
    look(page, shots, "favorites-removed")
    undo.click()
    expect(page.locator(".card h2")).to_have_text(kept)
    page.locator(".card .cover").nth(2).focus()
    page.keyboard.press("Delete")
    expect(page.locator(".card h2")).to_have_text(kept[:2] + kept[3:])
    expect(page.locator(".card:focus-within h2")).to_have_text(kept[3])
    undo.click()
    expect(page.locator(".card h2")).to_have_text(kept)
    if touch:
        page.locator(".card").nth(3).scroll_into_view_if_needed()
        # a short swipe and a downward one do nothing
        swipe(page, 3, -40)
        swipe(page, 3, 0, 60)
        page.wait_for_timeout(200)
        assert names(page) == kept
        page.locator(".card").nth(3).scroll_into_view_if_needed()
        swipe(page, 3, -250)
        expect(page.locator(".card h2")).to_have_text(kept[:3] + kept[4:])
        assert "/favorites" in page.url, "a swipe is no click"
        undo.click()
        expect(page.locator(".card h2")).to_have_text(kept)
    # the last one too can be brought back
    for _ in range(6):
        count = page.locator(".card").count()
        page.locator(".card .heart").first.click()
        expect(page.locator(".card")).to_have_count(count - 1)
    expect(page.locator(".empty")).to_be_visible()
    look(page, shots, "favorites-empty")
    undo.click()
    expect(page.locator(".card")).to_have_count(1)


def swipe(page, index, right, down=0):
    box = page.locator(".card").nth(index).bounding_box()
    x, y = box["x"] + box["width"] - 20, box["y"] + 60
    client = page.context.new_cdp_session(page)
    client.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for step in range(1, 6):
        point = {"x": x + right * step / 5, "y": y + down * step / 5}
        client.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
    client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    client.detach()


def device(browser, service, shots):
    """Without the token the hearts stay in the browser, and are handed over once it has the token."""
    with watched(browser, service, PHONE, allowed=[FAILED], has_touch=True) as page:
        kept = listed(page, service, shots, "device")
        service.stop()
        service.start()
        service.import_feeds(*FEEDS)
        page.goto(f"{service.address}/app/favorites?sortby=name")
        expect(page.locator(".card h2")).to_have_text(kept)
        removed(page, service, shots, touch=True)
        page.evaluate("() => localStorage.setItem('favorites', JSON.stringify(['nobody', ...JSON.parse(localStorage.favorites)]))")
        page.reload()
        expect(page.locator("#count")).to_contain_text("1 not in the data any more")
        last = names(page)
        page.locator(".device summary").click()
        look(page, shots, "favorites-token")
        page.locator("input[name=token]").fill("wrong")
        with_error = page.get_by_role("button", name="Use it")
        with_error.click()
        expect(page.locator("main")).to_contain_text("That did not work")
        look(page, shots, "favorites-wrong-token")
        page.go_back()
        page.locator(".device summary").click()
        page.locator("input[name=token]").fill(TOKEN)
        page.get_by_role("button", name="Use it").click()
        expect(page.locator("#notices")).to_contain_text("2 favorites are kept on this device")
        look(page, shots, "favorites-offered")
        page.get_by_role("button", name="Hand them to the service").click()
        expect(page.locator("#notices")).to_contain_text("1 that it does not know")
        expect(page.locator(".card h2")).to_have_text(last)
        assert page.evaluate("() => localStorage.favorites") == "[]"


def owner(browser, service, shots):
    """With the token: what left its feed is shown, and all survives a restart and another import."""
    with watched(browser, service, PHONE, has_touch=True) as page:
        page.goto(f"{service.address}/app/?token={TOKEN}")
        service.geoq("favorite", "remove", *favorites(page, service))
        kept = listed(page, service, shots, "owner")
        service.stop()
        service.start()
        service.import_feeds(*FEEDS)
        page.goto(f"{service.address}/app/favorites?sortby=name")
        expect(page.locator(".card h2")).to_have_text(kept)
        removed(page, service, shots, touch=True)
        kept = hearts(page, service, 6)
        service.geoq("source", "remove", "showcase.geojson")
        page.goto(f"{service.address}/app/favorites?sortby=name")
        expect(page.locator(".card h2")).to_have_text(kept)
        gone = page.locator(".card", has_text="left its feed")
        count = gone.count()
        assert count > 0
        look(page, shots, "favorites-gone")
        expect(gone.first.locator("a")).to_have_count(0)
        gone.first.locator(".heart").click()
        expect(gone).to_have_count(count - 1)
        expect(page.locator("#notices")).to_contain_text("no longer a favorite")
        expect(page.locator("#notices button")).to_have_count(0)


def elsewhere(browser, service, token):
    """A heart on a restaurant's page is seen after Back and in a second window; order and search are kept on the way."""
    with watched(browser, service, PHONE, allowed=[FAILED]) as page:
        page.goto(f"{service.address}/app/{token}")
        page.goto(f"{service.address}/app/?q=a&sortby=-rating")
        cards = names(page)
        other = page.context.new_page()
        other.goto(f"{service.address}/app/?q=a&sortby=-rating")
        page.locator(".card a").first.click()
        heart = page.locator(".detail .heart")
        was = heart.get_attribute("aria-pressed")
        now = "false" if was == "true" else "true"
        heart.click()
        expect(heart).to_have_attribute("aria-pressed", now)
        expect(other.locator(".card .heart").first).to_have_attribute("aria-pressed", now)
        other.close()
        page.go_back()
        expect(page.locator(".card .heart").first).to_have_attribute("aria-pressed", now)
        page.locator(".card a").first.click()
        page.get_by_role("link", name="All restaurants").click()
        page.wait_for_url("**/app/?q=a&sortby=-rating")
        expect(page.locator(".card h2")).to_have_text(cards)
        page.get_by_role("link", name="Favorites", exact=True).first.click()
        page.wait_for_url("**/app/favorites?*sortby=-rating*")


def favorites(page, service):
    answer = page.request.get(f"{service.address}/favorites", headers={"Authorization": f"Bearer {TOKEN}"})
    return [feature["id"] for feature in answer.json()["features"]]


def story(binary, shots):
    with Service(binary, *FEEDS) as service, chromium() as browser:
        device(browser, service, shots)
        owner(browser, service, shots)
        elsewhere(browser, service, "")
        elsewhere(browser, service, f"?token={TOKEN}")
        with watched(browser, service, DESK, java_script_enabled=False) as page:
            page.goto(f"{service.address}/app/favorites")
            assert "needs JavaScript" in page.content()


if __name__ == "__main__":
    main(story)
