"""Searching, showing more, hearts and updates again and again on one page: its memory stays as it is.

MINUTES=30 makes it long (`make page-soak`); the short form takes half a minute. After some rounds the memory is
measured after a garbage collection, and again at the end; a map next to the list is dragged and zoomed too. A page
that keeps a little of every answer must be found by the same measure. RESTAURANTS=1000000 asks for that many
made-up ones.
"""

import os
import random
import tempfile
import time
from pathlib import Path

from checks import DESK, FEEDS, chromium, main, watched
from playwright.sync_api import expect
from service import TOKEN, Service

MINUTES = float(os.environ.get("MINUTES", "0.4"))
RESTAURANTS = int(os.environ.get("RESTAURANTS", "0"))
WORDS = ["thai", "bar", "grill", "a", "the", "pizza", "tap", "zzzz", "wing", "s", "cafe", ""]
# what may come and go: the text of an answer, compiled code
SLACK = 1_500_000


def use(page, rng):
    """A round: one page all the time, so that nothing is freed by leaving it."""
    search = page.locator("input[type=search]")
    typed = search.input_value()
    for _ in range(3):
        # emptying an empty field causes no event
        typed = rng.choice([text for word in WORDS for text in (word, word + "  ", word + "xx") if text != typed])
        with page.expect_response(lambda answer: "/app/" in answer.url):
            search.fill(typed)
    with page.expect_response(lambda answer: "/app/" in answer.url):
        search.fill(rng.choice(["a", "b", "s", "t"]))
    expect(page.locator(".card").first).to_be_visible()
    if page.locator("#more").count():
        count = page.locator(".card").count()
        page.locator("#more").click()
        expect(page.locator(".card").nth(count)).to_be_visible()
    heart = page.locator(".card .heart").first
    for pressed in ("true", "false"):
        heart.click()
        expect(heart).to_have_attribute("aria-pressed", pressed)
    page.evaluate("() => window.dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))")
    page.mouse.wheel(0, rng.randrange(-2000, 2000))
    canvas = page.locator(".map canvas")
    if canvas.count() and canvas.first.bounding_box():
        box = canvas.first.bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + rng.randrange(-150, 150), y + rng.randrange(-150, 150), steps=5)
        page.mouse.up()
        page.mouse.wheel(0, rng.choice([-300, 300]))
    page.wait_for_load_state("networkidle")


def memory(client):
    for _ in range(3):
        client.send("HeapProfiler.collectGarbage")
    counters = client.send("Memory.getDOMCounters")
    return client.send("Runtime.getHeapUsage")["usedSize"], counters["nodes"], counters["jsEventListeners"]


def grown(page, seconds, rounds):
    """How much the memory has grown from the first part of the time to its end, and what it was."""
    rng = random.Random(18)
    client = page.context.new_cdp_session(page)
    start, done, first = time.monotonic(), 0, None
    while done < rounds or time.monotonic() - start < seconds:
        use(page, rng)
        done += 1
        if first is None and done >= rounds / 3 and time.monotonic() - start >= seconds / 5:
            page.locator("input[type=search]").fill("basil" if not RESTAURANTS else "zzzz")
            page.wait_for_timeout(500)
            first = memory(client)
    page.locator("input[type=search]").fill("basil" if not RESTAURANTS else "zzzz")
    page.wait_for_timeout(500)
    last = memory(client)
    client.detach()
    return [after - before for before, after in zip(first, last)], first, last, done


def story(binary, _):
    with tempfile.TemporaryDirectory() as folder:
        feeds = list(FEEDS)
        service = Service(binary)
        if RESTAURANTS:
            feeds = [Path(folder) / "many.geojsonseq"]
            service.geoq("generate", "--size", str(RESTAURANTS), "--seed", "1", "-f", "geojsonseq", "-o", str(feeds[0]))
        service.import_feeds(*feeds)
        with service, chromium() as browser:
            with watched(browser, service, DESK, looks=False) as page:
                page.goto(f"{service.address}/app/?token={TOKEN}")
                growth, first, last, rounds = grown(page, MINUTES * 60, 9)
                assert growth[0] < SLACK, f"the heap grows: {first} to {last} in {rounds} rounds"
                # nodes of answers that are read and thrown away are counted until they are collected
                assert growth[2] < 20, f"listeners grow: {first} to {last} in {rounds} rounds"
            # the same measure finds a page that keeps a little of each answer
            with watched(browser, service, DESK, looks=False) as page:
                page.goto(f"{service.address}/app/?token={TOKEN}")
                page.evaluate("() => { window.kept = []; document.addEventListener('shown', () => "
                              "kept.push(document.body.cloneNode(true), new Array(60000).fill(1.5))); }")
                leak = grown(page, 0, 9)
                assert leak[0][0] >= SLACK, f"a leak is not found: {leak}"
    print(f"browser: {rounds} rounds in {MINUTES:g} min, heap {first[0] / 1e6:.1f} to {last[0] / 1e6:.1f} MB, "
          f"nodes {first[1]} to {last[1]}, listeners {first[2]} to {last[2]}")


if __name__ == "__main__":
    main(story)
