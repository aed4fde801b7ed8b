"""The pictures in README.md and docs, made from the running page, and the texts that can be read in them.

`docs/images/pictures.txt` lists the texts of each picture. The check fails if the page has other texts by now, or a
document another alternative text; `make pictures` makes pictures and list anew (WRITE=1). Pixels are not compared.
"""

import difflib
import os
import re
import struct

from checks import FEEDS, View, chromium, main, watched
from playwright.sync_api import expect
from service import ROOT, Service

IMAGES = ROOT / "docs" / "images"
LIST = IMAGES / "pictures.txt"
LARGEST = 250_000
WANTS = "want=Wing%20Joint&want=Thai&want=Mexican"
# file, alternative text, window, address
PICTURES = [
    ("lunch-map.png", "The lunch page: a list with its map", View(1280, 800), "/app/?radius=2km&units=km"),
    ("lunch-detail.png", "One restaurant with pictures, dark", View(390, 844, "dark"), "/app/restaurants/showcase-01?units=km"),
    ("lunch-wants.png", "A list of wants, and the places found for it", View(1200, 900), f"/app/wants?{WANTS}&units=km"),
    ("lunch-map-phone.png", "The map within two kilometers of the office", View(390, 844), "/app/map?radius=2km&units=km"),
]
# the texts in the window, from top to bottom as the document has them; the map's scale depends on its size
TEXTS = """() => {
  const inside = ({ top, bottom, width, height }) => top >= 0 && bottom <= innerHeight && width > 1 && height > 1;
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.data.trim() || parent.closest('.hidden, .skip, noscript, .ol-scale-line, footer')) continue;
    // of a list of choices, the chosen one is seen
    const choice = parent.closest('select');
    if (choice ? parent !== choice.selectedOptions[0] : !parent.checkVisibility()) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = (choice ?? range).getBoundingClientRect();
    // a row of chips may be scrolled
    const edge = parent.closest('.chips')?.getBoundingClientRect().right || innerWidth;
    if (inside(box) && box.left >= 0 && box.right <= edge + 1) texts.push(node.data.trim().replace(/\\s+/g, ' '));
  }
  return texts;
}"""


def alternatives():
    """The alternative text of each picture of the list in README.md and docs."""
    for document in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for alternative, file in re.findall(r"!\[([^\]]*)\]\([^)]*?images/(lunch-[\w-]+\.png)\)", document.read_text()):
            yield document.name, file, alternative


def pictures(browser, service, write):
    """The list as it is now; with `write`, the pictures too."""
    lines = []
    for file, alternative, view, path in PICTURES:
        with watched(browser, service, view, looks=False, locale="en-US") as page:
            page.goto(service.address + path)
            expect(page.locator("html[data-map-state=idle]")).to_have_count(1)
            page.wait_for_load_state("networkidle")
            if write:
                page.screenshot(path=str(IMAGES / file))
            lines += [f"{file}: {alternative}", *(f"  {text}" for text in page.evaluate(TEXTS)), ""]
    return "\n".join(lines)


def size(file):
    data = (IMAGES / file).read_bytes()
    assert len(data) <= LARGEST, f"{file} has {len(data)} bytes; at most {LARGEST}"
    return struct.unpack(">II", data[16:24])


def story(binary, shots):
    write = os.environ.get("WRITE") == "1"
    options = ("--image-dir", str(ROOT / "Data" / "images"))
    with Service(binary, *FEEDS, "Data/offers.json", options=options) as service, chromium() as browser:
        found = pictures(browser, service, write)
    if write:
        LIST.write_text(found)
    changes = list(difflib.unified_diff(LIST.read_text().splitlines(), found.splitlines(), "pictures.txt", "the page", lineterm="", n=1))
    assert not changes, "\n".join(["the pictures of the documents are old: make pictures", *changes])
    wanted = {file: alternative for file, alternative, _, _ in PICTURES}
    used = list(alternatives())
    for document, file, alternative in used:
        assert wanted.get(file) == alternative, f"{document}: {file} is {wanted.get(file)!r}, not {alternative!r}"
    assert {file for _, file, _ in used} == set(wanted), "each picture is in a document"
    for file, _, view, _ in PICTURES:
        assert size(file) == (view.width, view.height), f"{file} has another size: make pictures"


if __name__ == "__main__":
    main(story)
