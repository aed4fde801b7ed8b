"""The story of a plan: wants from a category and from an offer to a receipt, meeting, the short list, at four
sizes, light and dark; a link opened by another person; everything without JavaScript; and a feed of sixty offers
of chains, some of which have ended on the day that is asked for.
"""

import json
import shutil
from pathlib import Path

from checks import FEEDS, PHONE, VIEWS, chromium, fits, look, main, watched
from playwright.sync_api import expect
from service import ROOT, TOKEN, Service

OFFERS = "Data/offers.json"
DAY = "on=2026-12-01"
PICTURE = ROOT / "Data" / "images" / "showcase-01.svg"
CHAINS = {1: "Target", 2: "Walmart", 3: "Kroger", 4: "Aldi"}


def tab(page, name):
    page.locator("nav[aria-label=Pages] a", has_text=name).click()


def plan(page, name):
    page.locator("nav[aria-label=Plan] a", has_text=name).click()


def wants(page, service, folder, name):
    """From the suggestion, a category, an offer and words to the receipts."""
    page.goto(f"{service.address}/app/")
    tab(page, "Wants")
    expect(page.locator("h1")).to_have_text("Wants")
    look(page, folder, f"wants-empty-{name}")
    expect(page.locator("#try")).to_contain_text("Wing Joint, Thai, Mexican")
    page.locator("#try").click()
    expect(page.locator("#wants li")).to_have_count(3)
    receipt = page.locator("#together .receipt")
    expect(receipt.locator(".total")).to_contain_text("3 of 3")
    expect(receipt.locator("summary")).to_have_text(["Met (3)"])
    before = page.locator(".stops a").all_inner_texts()
    # the choice of cost, by the script: the address follows
    page.locator("select[name=by]").select_option("walk")
    page.wait_for_url("**by=walk**")
    assert "max=&" not in page.url and not page.url.endswith("max="), page.url
    expect(receipt).to_contain_text("the walk through all places")
    walk = page.locator(".stops a").all_inner_texts()
    page.locator("select[name=by]").select_option("spread")
    page.wait_for_url("**by=spread**")
    expect(receipt).to_contain_text("between two of the places")
    spread = page.locator(".stops a").all_inner_texts()
    assert sorted(walk) != sorted(spread), (before, walk, spread)
    page.locator("select[name=places]").select_option("1")
    page.wait_for_url("**places=1**")
    expect(receipt.locator("summary")).to_have_text(["Met (1)", "Missing (2)"])
    page.locator("select[name=places]").select_option("4")
    page.wait_for_url("**places=4**")
    # a category, an offer by its category, words
    page.locator("#categories .chip", has_text="Food Hall").click()
    expect(page.locator("#wants li")).to_have_count(4)
    expect(receipt.locator(".total")).to_contain_text("4 of 4")
    page.locator("#from-offers").click()
    expect(page.locator(".card")).to_have_count(12)
    look(page, folder, f"offers-{name}")
    page.locator("ul[aria-label=Categories] .chip", has_text="Dessert").click()
    expect(page.locator(".card")).to_have_count(1)
    page.locator(".card .cover").first.click()
    expect(page.locator("h1")).to_have_text("Crème brûlée on the house®")
    expect(page.locator(".card h2").first).to_have_text("Yard House")
    look(page, folder, f"offer-{name}")
    page.locator(".button.want").click()
    expect(page.locator(".button.want")).to_contain_text("On the list")
    page.get_by_role("link", name="See the list").click()
    page.locator("#wants div a", has_text="Crème brûlée on the house®").click()
    expect(page.locator("h1")).to_have_text("Crème brûlée on the house®")
    page.go_back()
    expect(page.locator("#wants li").last).to_contain_text("Yard House")
    expect(receipt).to_contain_text("Met (4)")
    expect(receipt).to_contain_text("Missing (1)")
    page.locator("input[name=words]").fill("zzzz")
    page.locator("input[name=words]").press("Enter")
    expect(page.locator("#wants li")).to_have_count(6)
    expect(receipt).to_contain_text("No place has it.")
    expect(page.locator("#alone")).to_have_count(0)
    look(page, folder, f"wants-{name}")
    if folder:
        page.screenshot(path=f"{folder}/wants-{name}-whole.png", full_page=True)
    page.locator("#wants li", has_text="zzzz").locator(".remove").click()
    expect(page.locator("#wants li")).to_have_count(5)
    page.go_back()
    expect(page.locator("#wants li")).to_have_count(6)


def meet(page, service, folder, name):
    page.goto(f"{service.address}/app/wants")
    plan(page, "Meet")
    look(page, folder, f"meet-empty-{name}")
    page.locator("ul[aria-label=Places] .chip", has_text="Office").click()
    page.locator("input[name=with]").fill("32.99,-96.85")
    page.locator("input[name=with]").press("Enter")
    expect(page.locator("#people li")).to_have_count(2)
    expect(page.locator(".card")).to_have_count(12)
    least = page.locator(".card h2").first.inner_text()
    page.locator(".chip", has_text="Short for everyone").click()
    page.wait_for_url("**by=max**")
    expect(page.locator(".card .total").first).to_contain_text("at most")
    assert page.locator(".card h2").first.inner_text() != least
    look(page, folder, f"meet-{name}")
    page.locator(".card .cover").first.click()
    page.locator(".menu summary").click()
    page.locator(".menu a", has_text="Meet from here").click()
    expect(page.locator("#people li")).to_have_count(3)
    page.locator("#people .remove").last.click()
    expect(page.locator("#people li")).to_have_count(2)
    page.locator("input[name=q]").fill("thai")
    page.locator("input[name=q]").press("Enter")
    expect(page.locator(".card")).to_have_count(3)


def short_list(browser, page, service, folder, view):
    """Five cards, one of them picked; another person who opens the link sees the same."""
    page.goto(f"{service.address}/app/?at=Office")
    for count in (1, 2):
        page.locator(".pick:not(.pick-on)").first.click()
        expect(page.locator(".picks")).to_contain_text(f"({count} of 5)")
    tab(page, "Favorites")
    expect(page.locator(".picks")).to_contain_text("(2 of 5)")
    tab(page, "Lunch")
    page.locator("input[type=search]").press_sequentially("thai")
    expect(page.locator(".card")).to_have_count(3)
    page.locator(".pick").first.click()
    expect(page.locator(".picks")).to_contain_text("(3 of 5)")
    look(page, folder, f"picked-{view}")
    page.locator(".card .cover").last.click()
    page.locator(".pick-button").click()
    expect(page.locator(".picks")).to_contain_text("(4 of 5)")
    page.locator(".picks a").click()
    expect(page.locator("h1")).to_have_text("Short list")
    expect(page.locator(".card")).to_have_count(4)
    names = page.locator(".card h2").all_inner_texts()
    page.locator("#pick-one").click()
    chosen = page.locator("#chosen a").inner_text()
    assert chosen in names
    look(page, folder, f"shortlist-{view}")
    with watched(browser, service, PHONE) as other:
        other.goto(page.url)
        expect(other.locator(".card h2")).to_have_text(names)
        expect(other.locator("#chosen a")).to_have_text(chosen)
    page.locator(".pick-on").first.click()
    expect(page.locator(".card")).to_have_count(3)
    expect(page.locator("#chosen")).to_have_count(0)


def plain(page, service, folder):
    """Without JavaScript: list, detail, heart, favorites, wants, receipt, meeting, short list."""
    page.goto(f"{service.address}/app/?token={TOKEN}")
    page.get_by_role("button", name="Filters").click()
    page.locator("input[name=at]").fill("Office")
    page.get_by_role("button", name="Show").click()
    page.locator(".card .cover").first.click()
    expect(page.locator("h1")).to_have_text("Yard House")
    expect(page.locator("[data-section=offers] summary")).to_contain_text("Offers here")
    page.locator("[data-section=offers] .want").first.click()
    expect(page.locator("[data-section=offers] .want.on")).to_have_count(1)
    page.locator(".pick-button").click()
    page.locator(".detail .heart").click()
    tab(page, "Favorites")
    expect(page.locator(".card h2")).to_have_text(["Yard House"])
    page.locator(".card .heart").click()
    expect(page.locator(".empty")).to_be_visible()
    tab(page, "Wants")
    expect(page.locator("#wants li")).to_have_count(1)
    page.locator("#categories .chip", has_text="Thai").first.click()
    page.locator("input[name=words]").fill("rating >= 4")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator("#wants li")).to_have_count(3)
    page.locator("select[name=by]").select_option("walk")
    page.locator("select[name=max]").select_option("5km")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("#together .total")).to_contain_text("3 of 3")
    expect(page.locator("#together")).to_contain_text("the walk through all places")
    expect(page.locator("select[name=max]")).to_have_value("5km")
    # axe needs JavaScript
    fits(page)
    plan(page, "Meet")
    page.locator("input[name=with]").fill("Galleria")
    page.get_by_role("button", name="Add and show").click()
    expect(page.locator("#people li")).to_have_count(2)
    plan(page, "Short list")
    expect(page.locator(".card h2")).to_have_text(["Yard House"])
    page.locator("#pick-one").click()
    expect(page.locator("#chosen")).to_contain_text("Yard House")


def feed(folder):
    """Stores of three of four chains, 123 of them Walmart's, and offers: 60, of which 10 have ended, in 53 categories."""
    stores = [
        {"events": {}, "id": number, "retailer_id": 2 if number < 123 else 1 + number % 2 * 2,
         "lat": 32.95 + number / 1000, "long": -96.82}
        for number in range(170)
    ]
    offers = []
    for number in range(60):
        offer = {
            "id": 7500 + number, "name": f"Offer {number} with a name that takes two lines of a card", "amount": 0.75,
            "description": "Cash back when you buy any one, once a week. " * 4, "terms": "One for each person. " * 20,
            "retailers": [2] if number % 4 == 1 else [1 + number % 4, 2], "categories": [{"name": f"Category {number % 53}"}], "currency": "USD",
        }
        if number % 6 == 0:
            offer["expires"] = ["2026-11-30", "11/30/2026", "30.11.2026", 1796083199][number // 6 % 4]
        if number % 6 == 1:
            offer["expiration"] = "Dec 1, 2026 8:00:00 AM"
        offers.append(offer)
    chains = [{"id": id, "name": name} for id, name in CHAINS.items()]
    for name, items in (("retailers", chains), ("stores", stores), ("offers", offers)):
        file = Path(folder, f"{name}.json")
        file.write_text(json.dumps({name: items}))
        yield str(file)


def many(page, service, folder, name):
    """From all offers to one that is added, its 123 places, and the ranking by chains."""
    page.goto(f"{service.address}/app/offers?at=Office&{DAY}")
    expect(page.locator("#count")).to_have_text("24 of 50 · show 10 ended offers too")
    assert page.locator(".ended").count() == 0
    assert page.get_by_text("$0.75").count() == 24
    page.locator("#count a").click()
    expect(page.locator("#count")).to_have_text("24 of 60 · hide ended offers")
    expect(page.locator(".ended .end").first).to_have_text("Ended 30 Nov 2026")
    assert page.locator(".ended .want").count() == 0
    look(page, folder, f"ended-{name}")
    page.locator("#count a").click()
    expect(page.locator("#count")).to_contain_text("24 of 50")
    # every category can be reached
    chips = page.locator(".chiprow .chip")
    page.locator(".chiprow summary").click()
    expect(chips).to_have_count(46)
    assert all(chip.is_visible() for chip in chips.all())
    look(page, folder, f"categories-{name}")
    chips.last.click()
    expect(page.locator(".card")).to_have_count(1)
    page.go_back()
    # the second page comes below the first
    page.locator("#more").click()
    expect(page.locator(".card")).to_have_count(48)
    expect(page.locator("#count")).to_contain_text("48 of 50")
    # adding one returns to it, and says so
    card = page.locator("#offer-7545")
    card.locator(".want").click()
    expect(card.locator(".want")).to_contain_text("On the list")
    expect(card).to_be_in_viewport()
    expect(page.locator("nav[aria-label=Plan] .chip").first).to_have_text("The list 1")
    look(page, folder, f"added-{name}")
    page.goto(f"{service.address}/app/offers?at=Office&{DAY}")
    card = page.locator("#offer-7501")
    picture = card.locator("img.picture").element_handle()
    page.wait_for_function("image => image.complete && image.naturalWidth > 0", arg=picture)
    card.locator(".cover").click()
    expect(page.locator("h1")).to_contain_text("Offer 1 with")
    expect(page.locator(".worth strong")).to_have_text("$0.75")
    expect(page.locator(".end")).to_have_text("Until 1 Dec 2026")
    expect(page.locator(".strip img.picture")).to_have_count(1)
    expect(page.locator("#count")).to_have_text("12 of 123 places")
    look(page, folder, f"deal-{name}")
    for count in (72, 123):
        page.locator("#more").click()
        expect(page.locator(".card")).to_have_count(count)
    expect(page.locator("#more")).to_have_count(0)
    expect(page.locator("#count")).to_have_text("123 of 123 places")
    # offers of a chain without a branch, of two chains, and one that has ended
    ids = "&".join(f"want=offer:{7500 + number}" for number in (1, 3, 2, 6, 10))
    page.goto(f"{service.address}/app/wants?at=Office&{DAY}&units=mi&{ids}")
    wants = page.locator("#wants li")
    expect(wants.nth(1)).to_contain_text("Walmart, Aldi · 123 places")
    expect(wants.nth(3)).to_contain_text("Ended 30 Nov 2026")
    expect(wants.locator("img.picture")).to_have_count(1)
    expect(page.locator("#together .total")).to_contain_text("4 of 5")
    expect(page.locator("#together")).to_contain_text("It has ended.")
    alone = page.locator("#alone h3")
    expect(alone).to_have_text(["Walmart, nearest 0 ft, 123 places", "Kroger, nearest 8.5 mi, 24 places"])
    expect(page.locator(".plan")).to_contain_text("No branch in the data: Aldi")
    look(page, folder, f"chains-{name}")
    if folder:
        page.screenshot(path=f"{folder}/chains-{name}-whole.png", full_page=True)
    wants.nth(1).locator("a").first.click()
    expect(page.locator("dl")).to_contain_text("Aldi (no branch in the data), Walmart (123 places)")


def many_plain(page, service):
    """The same pages without JavaScript."""
    page.goto(f"{service.address}/app/offers?at=Office&{DAY}")
    page.locator("#more").click()
    expect(page.locator("#count")).to_contain_text("48 of 50")
    card = page.locator(".card").last
    card.locator(".want").click()
    expect(page.locator(".want.on")).to_have_count(1)
    expect(page.locator(".card").last).to_be_in_viewport()
    page.locator(".card .cover").last.click()
    page.locator("#more").click()
    expect(page.locator("#count")).to_contain_text("60 more of ")
    page.go_back()
    page.get_by_role("link", name="See the list").click()
    expect(page.locator("#wants li")).to_have_count(1)
    fits(page)


def whole(binary, folder):
    options = ("--place", "Galleria=32.9299,-96.8206")
    with Service(binary, *FEEDS, OFFERS, options=options) as service, chromium() as browser:
        for view in VIEWS:
            with watched(browser, service, view, locale="de-DE") as page:
                wants(page, service, folder, str(view))
                meet(page, service, folder, str(view))
                short_list(browser, page, service, folder, view)
            print(f"browser: wants {view} done", flush=True)
        with watched(browser, service, PHONE, java_script_enabled=False, locale="de-DE") as page:
            plain(page, service, folder)
        images = Path(service.folder.name) / "images"
        images.mkdir()
        shutil.copy(PICTURE, images / "offer%3A7501.svg")
        with Service(binary, *feed(service.folder.name), options=("--image-dir", str(images))) as chains:
            for view in VIEWS:
                with watched(browser, chains, view, locale="de-DE") as page:
                    many(page, chains, folder, str(view))
                print(f"browser: offers {view} done", flush=True)
            with watched(browser, chains, PHONE, java_script_enabled=False, locale="de-DE") as page:
                many_plain(page, chains)


if __name__ == "__main__":
    main(whole)
