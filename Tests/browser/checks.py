"""What all stories of the lunch page share: a browser, its sizes and themes, and the checks of every page.

A story is a file of its own next to this one; `Tests/browser/run` finds it. It looks like this:

    from checks import VIEWS, chromium, look, main, watched
    from service import TOKEN, Service

    def story(binary, shots):
        with Service(binary, *FEEDS) as service, chromium() as browser:
            for view in VIEWS:
                with watched(browser, service, view) as page:
                    page.goto(f"{service.address}/app/")
                    look(page, shots, f"list-{view}")

    if __name__ == "__main__":
        main(story)

`watched` fails if a page asks for anything outside the service, writes an error to the console, or violates
its content security policy. `look` checks what is shown right now: no sideways scrolling, and no violation
that axe finds. Look at every page and at every state that a story reaches.
"""

import os
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
FEEDS = ("Data/restaurants.json", "Data/showcase.geojson")
VIOLATIONS = "document.addEventListener('securitypolicyviolation', e => console.error('violation ' + e.violatedDirective));"
AXE = Axe().axe_script
# three of what each broken rule of axe finds
BROKEN = """async () => (await axe.run({resultTypes: ['violations']})).violations.flatMap((rule) => rule.nodes.slice(0, 3)
  .map((node) => `${rule.id}: ${node.html.slice(0, 160)} ${node.failureSummary.slice(0, 240)}`))"""
# a shared machine may be slow
expect.set_options(timeout=15_000)


@dataclass(frozen=True)
class View:
    """A size of the window and a theme."""

    width: int
    height: int
    theme: str = "light"

    def __str__(self):
        return f"{self.width}-{self.theme}"

    @property
    def options(self):
        """What a browser's context needs to show it."""
        return {"viewport": {"width": self.width, "height": self.height}, "color_scheme": self.theme}


SIZES = [(320, 568), (390, 844), (844, 390), (820, 1180), (1440, 900)]
VIEWS = [View(*size, theme) for size in SIZES for theme in ("light", "dark")]
# for a share of the whole: one of `EVERY` hostile texts, and each size in one theme, light and dark by turns
EVERY = int(os.environ.get("EVERY", "1"))
if EVERY > 1:
    VIEWS = [view for number, view in enumerate(VIEWS) if number % 4 in (0, 3)]
PHONE, DESK = View(390, 844), View(1440, 900)


@contextmanager
def chromium(*flags):
    """Debian's chromium, with more flags if a story needs them."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=[*FLAGS, *flags])
        yield browser
        browser.close()


@contextmanager
def watched(browser, service, view=DESK, allowed=(), others=(), looks=True, **options):
    """A page in a context of its own, and at its end a look at all that it did.

    `allowed` are parts of console errors that the story brings about itself, such as ERR_CONNECTION_REFUSED
    if it stops the service; `others` are origins that may be asked in addition to the service. Pages come with
    axe unless the story hardly `looks` at them. Further options are those of `new_context`.
    """
    context = browser.new_context(**{**view.options, **options})
    faults = []
    context.add_init_script(VIOLATIONS)
    if looks:
        # in frames there are whole pages, each with landmarks of its own
        context.add_init_script(f"if (window === top) {{ {AXE} }}")

    def ask(request):
        if not request.url.startswith((service.address + "/", *others, f"blob:{service.address}/", "data:", "about:")):
            faults.append(f"foreign request {request.url}")

    def tell(message):
        if message.type == "error" and not any(part in message.text for part in allowed):
            faults.append(f"console: {message.text}")

    def watch(page):
        page.on("console", tell)
        page.on("pageerror", lambda error: faults.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (faults.append(f"dialog: {dialog.message[:80]}"), dialog.dismiss()))
        page.set_default_timeout(20_000)

    context.on("request", ask)
    context.on("page", watch)
    yield context.new_page()
    context.close()
    assert not faults, faults


def wait_for_generation(page, service):
    """Waits until the service serves what was imported."""
    shown = page.evaluate("() => document.body.dataset.generation")
    for _ in range(400):
        if str(page.request.get(f"{service.address}/healthz").json()["generation"]) != shown:
            return
        page.wait_for_timeout(50)
    raise AssertionError("the import is not served")


def fits(page):
    """Nothing is wider than the window."""
    width = page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert width <= 0, f"{page.url} is {width} pixels too wide"


def accessible(page):
    """axe finds no violation in what is shown."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE)
    faults = page.evaluate(BROKEN)
    assert not faults, f"{page.url}: {faults}"


def look(page, shots=None, name=None):
    """Checks what is shown, and keeps a picture of it if a folder for them is given."""
    fits(page)
    accessible(page)
    if shots and name:
        page.screenshot(path=str(Path(shots) / f"{name}.png"))


def filters(page):
    """Opens the sheet that phones have for all but the words of a search."""
    button = page.get_by_role("button", name="Filters", exact=True)
    if button.is_visible():
        button.click()


def done(page):
    """Closes that sheet again."""
    button = page.get_by_role("button", name="Done", exact=True)
    if button.is_visible():
        button.click()


def main(story):
    """Runs a story: `FILE BINARY [SCREENSHOTS]`. The first failure ends it with exit code 1."""
    binary, *rest = sys.argv[1:]
    shots = rest[0] if rest else None
    if shots:
        Path(shots).mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    story(binary, shots)
    print(f"browser: {Path(sys.argv[0]).stem} is well ({time.monotonic() - start:.0f} s)", flush=True)
