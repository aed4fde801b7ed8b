"""The map: pins fitted, clusters that open, callouts, cards and pins, searching from the map, tiles, rotation.

The map of the page is asked for the pixels of its pins (`frame.map`), and what it shows is compared with what the
routes for programs answer. checks.py has what is checked on every page.
"""

import itertools
import json
import math
import urllib.request
from urllib.parse import parse_qs, urlsplit

from checks import DESK, FEEDS, PHONE, VIEWS, chromium, look, main, watched
from playwright.sync_api import expect
from service import Service

MANY = 20_000
RADIUS = 6_378_137  # of the sphere of Web Mercator
PIXELS = """() => {
  const frame = document.querySelector('.map');
  const edge = frame.getBoundingClientRect();
  const sources = frame.map.getLayers().getArray().map((layer) => layer.getSource?.());
  const clusters = sources.find((source) => source?.getDistance);
  return clusters.getFeatures().map((cluster) => {
    const members = cluster.get('features');
    const [x, y] = frame.map.getPixelFromCoordinate(cluster.getGeometry().getCoordinates());
    return {
      ids: members.map((member) => member.getId() ?? member.get('id')),
      count: members.reduce((sum, member) => sum + (member.get('point_count') ?? 1), 0),
      x: edge.x + x, y: edge.y + y,
      isInside: x > 0 && y > 0 && x < edge.width && y < edge.height,
      isFree: x > 70 && y > 120 && x < edge.width - 90 && y < edge.height - 40,
    };
  });
}"""

# the lines of the layer of circles, boxes and ways
LINES = """() => document.querySelector('.map').map.getLayers().getArray().find((layer) => layer.getZIndex() === 2)
  .getSource().getFeatures().map((mark) => mark.getGeometry()).filter((shape) => shape.getType() === 'LineString')
  .map((line) => line.getCoordinates())"""


def ask(service, path):
    with urllib.request.urlopen(service.address + path, timeout=30) as answer:
        return json.load(answer)


def settled(page):
    """Waits until the map shows what it is to show."""
    page.locator("html[data-map-state=idle]").wait_for(state="attached")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    page.locator("html[data-map-state=idle]").wait_for(state="attached")


def shown(page):
    """The pins and clusters."""
    settled(page)
    return page.evaluate(PIXELS)


def query(page):
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def zoom(page):
    return page.evaluate("() => document.querySelector('.map').map.getView().getZoom()")


def open_map(page, service, view, text=""):
    """The map, by its button if there is no room for it."""
    page.goto(f"{service.address}/app/{text}")
    if view.width < 1000:
        expect(page.locator(".map")).not_to_be_visible()
        page.locator("#to-map").click()
        page.wait_for_url("**/app/map**")
    settled(page)


def pins(page, service, view, shots):
    """The fifteen, fitted; clusters open; a callout leads to the detail, and Back to the same map."""
    open_map(page, service, view)
    places = shown(page)
    assert all(place["isInside"] for place in places), places
    assert sum(place["count"] for place in places) == 15 == int(page.locator(".map").get_attribute("data-count"))
    look(page, shots, f"map-{view}")
    before = zoom(page)
    cluster = max(places, key=lambda place: place["count"])
    assert cluster["count"] > 1
    page.mouse.click(cluster["x"], cluster["y"])
    page.wait_for_function("(before) => document.querySelector('.map').map.getView().getZoom() > before + 0.3", arg=before)
    for _ in range(6):
        single = next((place for place in shown(page) if place["count"] == 1 and place["isFree"]), None)
        if single:
            break
        cluster = next(place for place in shown(page) if place["isFree"])
        page.mouse.click(cluster["x"], cluster["y"])
        page.wait_for_timeout(400)
    name = ask(service, f"/collections/restaurants/items/{single['ids'][0]}?f=json")["properties"]["name"]
    page.mouse.click(single["x"], single["y"] - 12)
    link = page.locator(".callout .place")
    expect(link.locator("strong")).to_have_text(name)
    settled(page)
    look(page, shots, f"callout-{view}")
    there = query(page)["view"]
    link.click()
    expect(page.locator("h1")).to_have_text(name)
    assert page.url.endswith("/app/restaurants/" + single["ids"][0]), page.url
    settled(page)
    expect(page.locator(".map")).to_have_attribute("data-count", "12")
    look(page, shots, f"map-detail-{view}")
    page.go_back()
    settled(page)
    assert query(page)["view"] == there, page.url


def cards(page, service, shots):
    """A card lights its pin, a pin its card; a search as one types changes the map."""
    open_map(page, service, DESK)
    card = page.locator(".card").nth(2)
    card.hover()
    expect(page.locator(".map")).to_have_attribute("data-lit", card.get_attribute("data-id"))
    page.mouse.move(5, 5)
    expect(page.locator(".map")).to_have_attribute("data-lit", "")
    card.locator(".cover").focus()
    expect(page.locator(".map")).to_have_attribute("data-lit", card.get_attribute("data-id"))
    page.locator("input[type=search]").press_sequentially("wing")
    expect(page.locator(".card")).to_have_count(2)
    expect(page.locator(".map")).to_have_attribute("data-count", "2")
    single = next(place for place in shown(page) if place["count"] == 1)
    page.mouse.move(single["x"], single["y"] - 12)
    expect(page.locator(".card.lit")).to_have_attribute("data-id", single["ids"][0])
    look(page, shots, "map-lit")


def searching(page, service, view, shots):
    """The part of the map that is shown, the nearest to a click, and a circle around it."""
    open_map(page, service, view)
    expect(page.locator(".map-area")).not_to_be_visible()
    edge = page.locator(".map").bounding_box()
    middle = (edge["x"] + edge["width"] / 2, edge["y"] + edge["height"] / 2)
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0] - edge["width"] / 3, middle[1] + 20, steps=6)
    # dropped while it moves, a map flies on: how far depends on the machine
    page.wait_for_timeout(300)
    page.mouse.up()
    expect(page.locator(".map-area")).to_be_visible()
    page.wait_for_url("**view=**")
    settled(page)
    there = query(page)["view"]
    page.locator(".map-area").click()
    page.wait_for_url("**bbox=**")
    settled(page)
    west, south, east, north = map(float, query(page)["bbox"].split(","))
    sides = page.evaluate("() => { const { map } = document.querySelector('.map'); return map.getView().calculateExtent(map.getSize()); }")
    expected = [x / RADIUS * 180 / math.pi for x in sides[::2]] + [
        math.degrees(2 * math.atan(math.exp(y / RADIUS)) - math.pi / 2) for y in sides[1::2]
    ]
    assert all(abs(one - other) < 1e-3 for one, other in zip((west, east, south, north), expected)), (page.url, expected)
    found = ask(service, f"/count/bbox?bbox={query(page)['bbox']}")["count"]
    assert 0 < found < 15, (found, page.url)
    expect(page.locator(".map")).to_have_attribute("data-count", str(found))
    expect(page.locator("#count .total")).to_have_text(str(found))
    assert query(page)["view"] == there
    expect(page.locator(".map-area")).not_to_be_visible()
    look(page, shots, f"area-{view}")
    page.locator(".chip", has_text="In a part of the map").click()
    settled(page)
    expect(page.locator(".map")).to_have_attribute("data-count", "15")
    # where no pin is
    taken = shown(page)
    free = next(
        (edge["x"] + x, edge["y"] + y)
        for x in range(90, int(edge["width"]) - 90, 20)
        for y in range(int(edge["height"]) - 90, 130, -20)
        if all(abs(edge["x"] + x - place["x"]) + abs(edge["y"] + y - place["y"]) > 90 for place in taken)
    )
    page.mouse.click(*free)
    link = page.locator(".callout .nearest .place")
    expect(link).to_be_visible()
    at = parse_qs(urlsplit(page.locator(".callout .from").get_attribute("href")).query)["at"][0]
    latitude, longitude = at.split(",")
    nearest = ask(service, f"/nearest?lat={latitude}&lon={longitude}&count=1")["features"][0]
    expect(link.locator("strong")).to_have_text(nearest["properties"]["name"])
    settled(page)
    look(page, shots, f"nearest-{view}")
    page.locator(".callout .rings a").nth(2).click()
    page.wait_for_url("**radius=**")
    settled(page)
    radius = query(page)["radius"]
    found = ask(service, f"/count/radius?lat={latitude}&lon={longitude}&radius={radius}")["count"]
    expect(page.locator(".map")).to_have_attribute("data-count", str(found))
    expect(page.locator("#count .total")).to_have_text(str(found))
    look(page, shots, f"circle-{view}")


def starting(page, service, view, shots):
    """From the operator's first place: the near ones, rings at round distances, and another start by a click."""
    page.goto(f"{service.address}/app/")
    expect(page.locator("#count")).to_contain_text("from Office")
    expect(page.locator(".card h2").first).to_have_text("Yard House")
    open_map(page, service, view)
    assert sum(place["count"] for place in shown(page) if place["isInside"]) == 14
    expect(page.locator(".map-note")).to_contain_text("1 farther away")
    frame = page.locator(".map")
    step = float(frame.get_attribute("data-rings").split()[1])
    feet, miles = step / 0.3048, step / 1609.344
    assert any(abs(unit / 10 ** math.floor(math.log10(unit) + 1e-9) - digit) < 1e-6
               for unit in (feet, miles, step) for digit in (1, 2, 5)), step
    look(page, shots, f"start-{view}")
    page.locator(".map-note button").click()
    expect(page.locator(".map-note")).not_to_be_visible()
    assert sum(place["count"] for place in shown(page) if place["isInside"]) == 15
    # other rings, closer up
    for _ in range(6):
        page.locator(".map .ol-zoom-in").click()
        settled(page)
        if float(frame.get_attribute("data-rings").split()[1]) < step:
            break
    else:
        raise AssertionError(f"closer up, the rings are {frame.get_attribute('data-rings')}, not below {step}")
    edge = frame.bounding_box()
    taken = shown(page)
    free = next(
        (edge["x"] + x, edge["y"] + y)
        for x in range(90, int(edge["width"]) - 90, 20)
        for y in range(int(edge["height"]) - 90, 130, -20)
        if all(abs(edge["x"] + x - place["x"]) + abs(edge["y"] + y - place["y"]) > 90 for place in taken)
    )
    page.mouse.click(*free)
    page.get_by_role("link", name="Start here").click()
    page.wait_for_url("**at=32.**")
    expect(page.locator("#count")).to_contain_text("from 32.")


def circles(page, service, shots):
    """The edge of a circle is one line that closes; around a pole it goes around the world."""
    world = 2 * math.pi * RADIUS
    for at, radius, turns in [("32.95,-96.82", "3km", 0), ("0,179.9", "1000km", 0), ("80,10", "2000km", 1), ("-75,170", "3000km", 1)]:
        page.goto(f"{service.address}/app/map?at={at}&radius={radius}")
        settled(page)
        line, = page.evaluate(LINES)
        steps = [abs(after[0] - before[0]) for before, after in itertools.pairwise(line)]
        assert max(steps) < world / 4, (at, max(steps))
        assert abs(abs(line[-1][0] - line[0][0]) - turns * world) < 1, (at, line[0], line[-1])
        assert abs(line[-1][1] - line[0][1]) < 1, (at, line[0], line[-1])
        if turns and shots:
            page.screenshot(path=f"{shots}/circle-pole{at.split(',')[0]}.png")


def keyboard(page, service):
    """Arrows move, plus and minus zoom, Enter opens what is in the middle, Escape closes it."""
    open_map(page, service, DESK, "?q=pluckers")
    page.locator(".map").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".callout .place strong")).to_have_text("Pluckers Wing Bar")
    expect(page.locator(".callout .place")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".callout")).not_to_be_visible()
    page.locator(".map").focus()
    before = zoom(page)
    page.keyboard.press("-")
    page.wait_for_function("(before) => document.querySelector('.map').map.getView().getZoom() < before - 0.4", arg=before)
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**view=**")


def coinciding(page, service, shots):
    """Two restaurants on one spot are listed."""
    open_map(page, service, PHONE, "?q=twin")
    page.goto(page.url + "&view=" + page.evaluate(
        """() => { const map = document.querySelector('.map').map;
          const [x, y] = map.getView().getCenter();
          const longitude = x / 20037508.342789244 * 180;
          const latitude = Math.atan(Math.exp(y / 20037508.342789244 * Math.PI)) * 360 / Math.PI - 90;
          return `${latitude},${longitude},18.8`; }"""))
    pair, = shown(page)
    assert pair["count"] == 2
    page.mouse.click(pair["x"], pair["y"])
    expect(page.locator(".callout .place strong")).to_have_text(["Twin Kitchen East", "Twin Kitchen West"])
    look(page, shots, "map-twins")


def rotation(browser, service):
    """Turning the device loses neither the part of the map nor what is open on the detail."""
    with watched(browser, service, PHONE) as page:
        open_map(page, service, PHONE)
        page.locator(".map .ol-zoom-in").click()
        page.wait_for_url("**view=**")
        settled(page)
        center = "() => document.querySelector('.map').map.getView().getCenter().map(Math.round)"
        before = page.evaluate(center), zoom(page)
        for width, height in [(844, 390), (390, 844)]:
            page.set_viewport_size({"width": width, "height": height})
            settled(page)
            assert (page.evaluate(center), zoom(page)) == before
            expect(page.locator(".map")).to_have_attribute("data-count", "15")
        page.goto(f"{service.address}/app/?q=pluckers")
        page.locator(".card .cover").click()
        page.locator("[data-section=data] summary").click()
        settled(page)
        for width, height in [(844, 390), (390, 844)]:
            page.set_viewport_size({"width": width, "height": height})
            settled(page)
            expect(page.locator("[data-section=data] > div")).to_be_visible()
            expect(page.locator(".map")).to_have_attribute("data-count", "12")
        # a tablet that is turned has room for the map then
        page.set_viewport_size({"width": 820, "height": 1180})
        page.goto(f"{service.address}/app/")
        expect(page.locator(".map")).not_to_be_visible()
        page.set_viewport_size({"width": 1180, "height": 820})
        expect(page.locator(".map")).to_have_attribute("data-count", "15")


def away(browser, service):
    """Without the library's file, and without the restaurants: a sentence, and the list as it is."""
    with watched(browser, service, DESK, allowed=("ERR_FAILED",)) as page:
        page.route("**/app/openlayers.js*", lambda route: route.abort())
        page.goto(f"{service.address}/app/")
        expect(page.locator(".map-note")).to_have_text("The map could not be loaded.")
        expect(page.locator(".card")).to_have_count(15)
    with watched(browser, service, DESK, allowed=("ERR_FAILED",)) as page:
        page.route("**/items?*", lambda route: route.abort())
        page.goto(f"{service.address}/app/")
        expect(page.locator(".map-note")).to_contain_text("could not be fetched")
        page.unroute("**/items?*")
        page.locator(".map-note button").click()
        expect(page.locator(".map")).to_have_attribute("data-count", "15")
        expect(page.locator(".map-note")).not_to_be_visible()


def tiles(page, service, view, shots):
    """More than the map holds: counts that add up, circles that open, the callout from the tile's keys."""
    open_map(page, service, view)
    assert page.locator(".map").get_attribute("data-tiles")
    expect(page.locator(".map")).to_have_attribute("data-count", str(MANY))
    expect(page.locator(".map-note")).to_contain_text("20,000 restaurants")
    look(page, shots, f"tiles-{view}")
    for step in range(12):
        places = [place for place in shown(page) if place["isFree"]]
        place = min(places, key=lambda place: (place["count"] != 1 or step == 0, -place["count"]))
        if place["count"] == 1 and step > 0:
            break
        before = zoom(page)
        page.mouse.click(place["x"], place["y"])
        page.wait_for_function("(before) => document.querySelector('.map').map.getView().getZoom() > before", arg=before)
    assert place["count"] == 1, place
    name = ask(service, f"/collections/restaurants/items/{place['ids'][0]}?f=json")["properties"]["name"]
    page.mouse.click(place["x"], place["y"] - 12)
    expect(page.locator(".callout .place strong")).to_have_text(name)
    page.locator(".callout .place").click()
    expect(page.locator("h1")).to_have_text(name)
    # a filter counts in the tiles too
    facets = ask(service, "/facets?by=category")["facets"]
    category, count = next((facet["value"], facet["count"]) for facet in facets if facet["value"])
    page.goto(f"{service.address}/app/map?category={category}&category=Pub")
    pub = next(facet["count"] for facet in facets if facet["value"] == "Pub")
    expect(page.locator(".map")).to_have_attribute("data-count", str(count + (pub if category != "Pub" else 0)))
    # so does a part of the map; of a circle nothing beyond it is shown
    box = "bbox=-30,-40,120,70"
    count = ask(service, f"/count/bbox?{box}")["count"]
    assert 2_000 < count < MANY
    page.goto(f"{service.address}/app/map?{box}")
    expect(page.locator(".map")).to_have_attribute("data-count", str(count))
    radius = 5_000_000
    count = ask(service, f"/count/radius?lat=48&lon=8&radius={radius}")["count"]
    assert 2_000 < count < MANY
    page.goto(f"{service.address}/app/map?at=48,8&radius={radius}")
    shown(page)
    # the cells at its edge count as a whole
    assert abs(int(page.locator(".map").get_attribute("data-count")) - count) < count / 10
    look(page, shots, f"tiles-circle-{view}")
    # with a start, the page of the list fits
    page.goto(f"{service.address}/app/map?at=48,8")
    shown(page)
    assert 24 <= int(page.locator(".map").get_attribute("data-count")) < MANY / 10


def story(binary, shots):
    with Service(binary, "Data/restaurants.json") as service, chromium() as browser:
        for view in VIEWS:
            if view.width > 320:
                with watched(browser, service, view, reduced_motion="reduce") as page:
                    starting(page, service, view, shots)
    with Service(binary, "Data/restaurants.json", place=None) as service, chromium() as browser:
        with watched(browser, service) as page:
            page.goto(f"{service.address}/app/")
            assert page.locator(".map").count(), f"{binary} was built without the map: Scripts/map-library"
        for view in VIEWS:
            with watched(browser, service, view) as page:
                pins(page, service, view, shots)
        for view in (PHONE, DESK):
            with watched(browser, service, view, reduced_motion="reduce") as page:
                searching(page, service, view, shots)
        with watched(browser, service) as page:
            cards(page, service, shots)
        with watched(browser, service) as page:
            keyboard(page, service)
        with watched(browser, service) as page:
            circles(page, service, shots)
        rotation(browser, service)
        away(browser, service)
        # no other host is asked unless the operator wants it
        with watched(browser, service, java_script_enabled=False) as page:
            page.goto(f"{service.address}/app/map")
            expect(page.locator(".map noscript")).to_be_attached()
    with Service(binary, *FEEDS, place=None) as service, chromium() as browser, watched(browser, service, PHONE) as page:
        coinciding(page, service, shots)
    many = Service(binary, place=None)
    many.make(MANY)
    with many as service, chromium() as browser:
        for view in (PHONE, DESK):
            with watched(browser, service, view, reduced_motion="reduce") as page:
                tiles(page, service, view, shots)


if __name__ == "__main__":
    main(story)
