"""The pages of docs/examples: a map of a served database on a page of another origin, with popups and the attribution.

MapLibre GL JS is that of the Python package `maplibre`, Leaflet that of Debian's libjs-leaflet. A web server of the
test has the pages, as their reader's would, and the service lets its origin read.
"""

import functools
import http.server
import importlib.util
import shutil
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path

from checks import DESK, chromium, main
from playwright.sync_api import expect
from service import ROOT, Service

MAPLIBRE = Path(importlib.util.find_spec("maplibre").submodule_search_locations[0], "srcjs")
LEAFLET = Path("/usr/share/javascript/leaflet")
LIBRARIES = [MAPLIBRE / "maplibre-gl.js", MAPLIBRE / "maplibre-gl.css", LEAFLET / "leaflet.js", LEAFLET / "leaflet.css"]
ADDRESS = "'http://localhost:8080'"
CREDIT, LICENSE = "A & <b>B</b>", "ODbL-1.0"
FEED = "Data/restaurants.json"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextmanager
def pages():
    """A web server with a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield Path(folder), f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        server.server_close()


def maplibre(page, name):
    """A click on the dot of a restaurant opens its popup."""
    page.locator(".maplibregl-ctrl-attrib").wait_for()
    point = page.evaluate(
        """async (name) => {
          for (;;) {
            const dot = map.queryRenderedFeatures({layers: ['restaurants']}).find((each) => each.properties.name === name);
            if (dot) return map.project(dot.geometry.coordinates);
            await new Promise((done) => setTimeout(done, 50));
          }
        }""",
        name,
    )
    page.mouse.click(point["x"], point["y"])
    expect(page.locator(".maplibregl-popup-content")).to_contain_text(name)
    return page.locator(".maplibregl-ctrl-attrib")


def leaflet(page, name):
    """A click on each circle opens a popup with a name of the feed."""
    page.locator("path.leaflet-interactive").first.wait_for()
    assert page.locator("path.leaflet-interactive").count() == 15
    page.locator("path.leaflet-interactive").last.click(force=True)
    expect(page.locator(".leaflet-popup-content b")).not_to_be_empty()
    return page.locator(".leaflet-control-attribution")


def show(browser, service, folder, origin, example, look, shots):
    text = (ROOT / "docs/examples" / example).read_text()
    assert text.count(ADDRESS) == 1
    # modules have no globals, and the test asks the map
    text = text.replace(ADDRESS, f"'{service.address}'").replace("const map =", "const map = window.map =")
    (folder / example).write_text(text)
    context = browser.new_context(**DESK.options)
    faults = []
    page = context.new_page()
    page.on("console", lambda message: message.type == "error" and faults.append(message.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    allowed = (service.address + "/", origin + "/", "data:", f"blob:{origin}/")
    page.on("request", lambda request: request.url.startswith(allowed) or faults.append(request.url))
    page.set_default_timeout(20_000)
    page.goto(f"{origin}/{example}")
    credit = look(page, "Gloria's")
    expect(credit).to_contain_text(f"{CREDIT} ({LICENSE})")
    assert credit.locator("b").count() == 0
    link = credit.get_by_role("link", name=LICENSE)
    expect(link).to_have_attribute("href", "https://opendatacommons.org/licenses/odbl/1-0/")
    if shots:
        page.screenshot(path=str(Path(shots) / f"example-{Path(example).stem}.png"))
    context.close()
    assert not faults, faults


def story(binary, shots):
    with pages() as (folder, origin), chromium("--enable-unsafe-swiftshader") as browser:
        for library in LIBRARIES:
            shutil.copy(library, folder)
        # browsers ask for it
        (folder / "favicon.ico").touch()
        service = Service(binary, options=("--cors", origin))
        service.geoq("import", str(ROOT / FEED), "--attribution", CREDIT, "--license", LICENSE)
        with service:
            show(browser, service, folder, origin, "maplibre.html", maplibre, shots)
            show(browser, service, folder, origin, "leaflet.html", leaflet, shots)


if __name__ == "__main__":
    main(story)
