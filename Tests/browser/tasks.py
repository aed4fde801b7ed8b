"""Three tasks as people do them, on a phone and with a token: each takes less than two minutes of pointer actions.

What a task takes is reckoned by the keystroke-level model (Card, Moran and Newell): 2.65 s for a tap (1.35 to
decide, 1.1 to point, 0.2 to press), 1.3 s for a swipe that scrolls most of a window, 0.28 s for a letter.
"""

import re

from checks import FEEDS, PHONE, chromium, look, main, watched
from playwright.sync_api import expect
from service import TOKEN, Service

TAP, SWIPE, LETTER = 2.65, 1.3, 0.28
CLIPBOARD = {"permissions": ["clipboard-read", "clipboard-write"]}
BOX = """(element) => { const { top, bottom } = element.getBoundingClientRect(); return [top, bottom]; }"""


class Hand:
    """Acts on a page as a person does, and counts."""

    def __init__(self, page):
        self.page, self.taps, self.swipes, self.letters = page, 0, 0, 0

    def tap(self, target):
        """Scrolls until the target is in the window, and taps on it."""
        target.wait_for(state="visible")
        # let what moves come to rest
        self.page.wait_for_timeout(100)
        top, bottom = target.evaluate(BOX)
        height = self.page.viewport_size["height"]
        beyond = max(0, bottom - height, -top)
        self.swipes += -int(-beyond // (0.7 * height))
        self.taps += 1
        target.click()

    def write(self, target, text):
        self.tap(target)
        self.page.keyboard.type(text)
        self.letters += len(text)

    def choose(self, target, value):
        """One tap opens the choices, another takes one."""
        self.tap(target)
        self.page.keyboard.press("Escape")
        self.taps += 1
        target.select_option(value)

    def enter(self):
        self.letters += 1
        self.page.keyboard.press("Enter")

    def back(self):
        self.taps += 1
        self.page.go_back()

    def tell(self, task):
        seconds = self.taps * TAP + self.swipes * SWIPE + self.letters * LETTER
        counts = f"{self.taps} taps, {self.swipes} swipes, {self.letters} letters"
        print(f"browser: {task}: {counts}, {seconds:.0f} s", flush=True)
        assert seconds < 120, f"{task} takes {seconds:.0f} s"


def tab(page, name):
    return page.locator("nav[aria-label=Pages] a", has_text=name)


def copied(page):
    return page.evaluate("() => navigator.clipboard.readText()")


def lunch(browser, service, shots):
    """Lunch for five with different wants from the office by name, shared by link."""
    with watched(browser, service, PHONE, has_touch=True, **CLIPBOARD) as page:
        page.goto(f"{service.address}/app/")
        expect(page.locator("#count")).to_contain_text("from Home")
        hand = Hand(page)
        hand.tap(tab(page, "Wants"))
        expect(page.locator("h1")).to_have_text("Wants")
        more = page.locator("#categories summary")
        hand.tap(page.locator("#categories .chip", has_text="American"))
        for name in ("Thai", "Sushi"):
            hand.tap(more)
            hand.tap(page.locator("#categories .chip", has_text=name).first)
            expect(page.locator("#wants")).to_contain_text(name)
        for number, words in enumerate(("$$", "ice cream"), 4):
            hand.write(page.locator("input[name=words]"), words)
            hand.enter()
            expect(page.locator("#wants li")).to_have_count(number)
        hand.tap(page.locator(".below a"))
        hand.write(page.locator("input[name=at]"), "office")
        hand.enter()
        page.wait_for_url("**at=office**")
        # three places do not have it all
        receipt = page.locator("#together .receipt")
        expect(receipt.locator(".total")).to_contain_text("4 of 5")
        hand.choose(page.locator("select[name=places]"), "4")
        expect(receipt.locator(".total")).to_contain_text("5 of 5")
        hand.tap(page.locator("[data-copy='']").first)
        expect(page.locator("#notices")).to_contain_text("The link is copied.")
        look(page, shots, "task-lunch")
        hand.tell("lunch for five, shared by link")
        link, stops = copied(page), page.locator(".stops a").all_inner_texts()
        assert stops
    with watched(browser, service, PHONE) as page:
        page.goto(link)
        expect(page.locator(".stops a")).to_have_text(stops)
        expect(page.get_by_label("From where")).to_have_value("office")


def favorite(service, shots):
    """A favorite kept, found in a second window and after Back, without the browser's cache of pages."""
    with chromium("--disable-features=BackForwardCache") as browser, watched(browser, service, PHONE, has_touch=True) as page:
        page.goto(f"{service.address}/app/?token={TOKEN}")
        second = page.context.new_page()
        second.goto(f"{service.address}/app/")
        hand = Hand(page)
        card = page.locator(".card").nth(1)
        name = card.locator("h2").inner_text()
        hand.tap(card.locator(".cover"))
        heart = page.locator(".detail .heart")
        hand.tap(heart)
        expect(heart).to_have_attribute("aria-pressed", "true")
        hand.back()
        expect(page.locator(".card .heart").nth(1)).to_have_attribute("aria-pressed", "true")
        assert not page.evaluate("() => performance.getEntriesByType('navigation')[0].type === 'bfcache'")
        hand.page = second
        expect(second.locator(".card .heart").nth(1)).to_have_attribute("aria-pressed", "true")
        hand.tap(tab(second, "Favorites"))
        expect(second.locator(".card h2")).to_have_text([name])
        look(second, shots, "task-favorite")
        hand.tell("a favorite, in two windows and after Back")


def wrong(browser, service, shots):
    """A wrong telephone number: the page gives the command that corrects it, and the command does."""
    with watched(browser, service, PHONE, has_touch=True, **CLIPBOARD) as page:
        page.goto(f"{service.address}/app/")
        hand = Hand(page)
        hand.write(page.locator("input[type=search]"), "basil")
        expect(page.locator(".card")).to_have_count(1)
        hand.tap(page.locator(".card .cover"))
        hand.tap(page.locator("[data-section=wrong] summary"))
        hand.tap(page.locator("[data-copy=correction]"))
        expect(page.locator("#notices")).to_contain_text("Copied.")
        look(page, shots, "task-wrong")
        hand.tell("a wrong telephone number, told")
        id, was = re.search(r"^geoq edit (\S+) '?phone=([^'\n]*)'?$", copied(page), re.M).groups()
        assert was == "(972) 555-0101", was
        service.geoq("edit", id, "phone=972-555-0199")
        for _ in range(100):
            page.reload()
            if page.locator("a[href='tel:9725550199']").count():
                break
            page.wait_for_timeout(100)
        expect(page.locator("[data-section=contact]")).to_contain_text("0199")


def story(binary, shots):
    places = ("--place", "Office=32.95,-96.82")
    with Service(binary, *FEEDS, options=places, place="Home=33.02,-96.75") as service:
        with chromium() as browser:
            lunch(browser, service, shots)
        favorite(service, shots)
        with chromium() as browser:
            wrong(browser, service, shots)


if __name__ == "__main__":
    main(story)
