"""MapLibre draws /style.json as it is: the tiles of the service, with filters, without fonts or other hosts.

MapLibre GL JS is that of the Python package `maplibre`, in a page that this test puts next to the service. What it has
drawn is asked of MapLibre and of the pixels, and compared with what the routes for programs answer.
"""

import importlib.util
import json
import urllib.request
from pathlib import Path

from checks import FEEDS, chromium, main, watched
from service import Service

MANY = 50_000
SCRIPT = Path(importlib.util.find_spec("maplibre").submodule_search_locations[0], "srcjs", "maplibre-gl.js")
PAGE = """<!doctype html><html lang=en><meta charset=utf-8><title>Style</title>
<style>body { margin: 0 } #map { width: 100vw; height: 100vh }</style><div id=map></div><script src=maplibre-gl.js></script>"""
OPEN = """async ([style, options]) => {
  const map = new maplibregl.Map({container: 'map', style, fadeDuration: 0, attributionControl: false,
    canvasContextAttributes: {preserveDrawingBuffer: true}, ...options});
  map.on('error', (event) => console.error(event.error.message));
  await map.once('idle');
  window.map = map;
}"""
# what is drawn, and the color of its middle
DRAWN = """() => {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [map.getCanvas().width, map.getCanvas().height];
  const context = canvas.getContext('2d');
  context.drawImage(map.getCanvas(), 0, 0);
  const color = ([x, y]) => [...context.getImageData(Math.round(x), Math.round(y), 1, 1).data].slice(0, 3);
  const features = map.queryRenderedFeatures({layers: ['clusters', 'restaurants']});
  return {
    background: color([3, 3]),
    features: features.map((feature) => {
      const {x, y} = map.project(feature.geometry.coordinates);
      const isInside = x > 0 && y > 0 && x < canvas.width && y < canvas.height;
      return {layer: feature.layer.id, x, y, ...feature.properties, color: isInside ? color([x, y]) : null};
    }),
  };
}"""
BACKGROUND, RESTAURANT = [0xF4, 0xF1, 0xEA], [0x1F, 0x6F, 0x8B]


def count(service, query):
    target = f"{service.address}/collections/restaurants/items?limit=1&{query}"
    with urllib.request.urlopen(target.rstrip("&"), timeout=30) as answer:
        return json.load(answer)["numberMatched"]


def serve(route):
    """The page and MapLibre, at the address of the service."""
    if route.request.url.endswith(".js"):
        return route.fulfill(body=SCRIPT.read_bytes(), content_type="text/javascript")
    return route.fulfill(body=PAGE, content_type="text/html")


def draw(page, service, query="", **options):
    page.goto(f"{service.address}/maplibre.html")
    page.evaluate(OPEN, [f"{service.address}/style.json?{query}".rstrip("?"), options])
    return page.evaluate(DRAWN)


def is_near(color, other):
    return color is None or max(abs(a - b) for a, b in zip(color, other)) < 12


def one_by_one(page, service, shots):
    """All restaurants of the feed, and those of a filter; each is where it is, in its color."""
    options = {"center": [-96.83, 32.96], "zoom": 12}
    for query in ["", "category=Burgers"]:
        drawn = draw(page, service, query, **options)
        found = {each["id"]: each for each in drawn["features"]}
        assert is_near(drawn["background"], BACKGROUND), drawn["background"]
        assert len(found) == count(service, query) > 0, (query, len(found))
        assert {each["layer"] for each in found.values()} == {"restaurants"}
        assert sum(is_near(each["color"], RESTAURANT) for each in found.values()) >= len(found) / 2, drawn
        if shots:
            page.screenshot(path=str(Path(shots) / f"style-{'all' if not query else 'filter'}.png"))


def clusters(page, service, shots):
    """Every restaurant of the world is in a circle, and the circles are red."""
    for zoom in (0, 2):
        drawn = draw(page, service, center=[0, 20], zoom=zoom, renderWorldCopies=False)
        total = sum(each.get("point_count", 1) for each in drawn["features"])
        assert zoom > 0 or total == count(service, ""), (zoom, total)
        groups = [each for each in drawn["features"] if each["layer"] == "clusters" and each["color"]]
        # restaurants lie above some
        red = sum(color[0] > max(color[1:]) for color in (each["color"] for each in groups))
        assert red > len(groups) / 2 > 50, (zoom, red, len(groups))
        if shots:
            page.screenshot(path=str(Path(shots) / f"style-zoom-{zoom}.png"))


def story(binary, shots):
    with chromium("--enable-unsafe-swiftshader") as browser:
        for feeds, look in [(FEEDS[:1], one_by_one), ((), clusters)]:
            service = Service(binary, *feeds)
            if not feeds:
                service.make(MANY)
            with service, watched(browser, service) as page:
                page.route("**/maplibre*", serve)
                look(page, service, shots)


if __name__ == "__main__":
    main(story)
