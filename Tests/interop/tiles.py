"""Reads the tiles of the service with readers of others, and counts.

    python Tests/interop/tiles.py .build/release/geoq [short|long]     the forms are the same

mapbox-vector-tile decodes every tile of the zooms 0 to 16 that has a restaurant: ids, geometry within half a unit
of a Mercator of this file's own, and counts that add up to the feed's, with a filter and without. GDAL's MVT
driver in pyogrio reads some of every zoom and layout, and all of a zoom by the service's address. TileJSON and style
are followed as a viewer does. Files of tiles are read with pmtiles and with GDAL's PMTiles and MBTiles drivers: their
tiles are the service's. Served by `--tiles`, GDAL's own tiles come back as they are. Exits with 1 if a check fails.
"""

import gzip
import json
import math
import random
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import mapbox_vector_tile
import pyogrio
from pmtiles.reader import MmapSource, Reader, all_tiles

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "service"))
from harness import Service, arguments, ask, check_all, geoq

EXTENT = 4096
GREATEST = math.degrees(math.atan(math.sinh(math.pi)))
CATEGORIES = ["Thai", "Pub", "Café", None]


def layouts():
    """Longitude and latitude of restaurants, by the name of the layout."""
    rng = random.Random(20)
    return {
        "a city": [(rng.gauss(-96.82, 0.02), rng.gauss(32.95, 0.02)) for _ in range(3_000)],
        "the world": [(rng.uniform(-180, 180), math.degrees(math.asin(rng.uniform(-1, 1)))) for _ in range(300)],
        "the antimeridian": [((rng.uniform(179.5, 180.5) + 180) % 360 - 180, rng.uniform(-30, 30))
                             for _ in range(100)] + [(180, 0), (-180, 0)],
        "the poles": [(rng.uniform(-180, 180), rng.choice([-1, 1]) * rng.uniform(84.5, 90)) for _ in range(100)]
        + [(0, 90), (0, -90)],
        "one spot": [(2.3522, 48.8566)] * 2_500,
    }


def place(longitude, latitude, zoom):
    """The position in tiles of a zoom, from the north-west."""
    x = 0.0 if longitude == 180 else longitude / 360 + 0.5
    latitude = max(-GREATEST, min(GREATEST, latitude))
    y = (1 - math.log(math.tan(math.pi / 4 + math.radians(latitude) / 2)) / math.pi) / 2
    return x * 2**zoom, min(max(y, 0), 1) * 2**zoom


class Map:
    """A service over the restaurants of one layout, and what they are."""

    def __init__(self, binary, folder, name, points):
        self.name, self.binary, self.folder = name, binary, folder
        self.points = {f"p{n:05d}": (round(x, 7), round(y, 7), CATEGORIES[n % 4]) for n, (x, y) in enumerate(points)}
        features = [{"type": "Feature", "id": key, "geometry": {"type": "Point", "coordinates": [x, y]},
                     "properties": {"name": f"Place \"{key}\" é\n", **({"category": c} if c else {})}}
                    for key, (x, y, c) in self.points.items()]
        feed, self.database = folder / f"{name}.json", folder / f"{name}.db"
        feed.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
        geoq(binary, "import", "-q", "--db", self.database, feed, "--allow-null-island")
        self.service = Service(binary, self.database, "-q", token=None)

    def get(self, target):
        return ask(self.service.port, "GET", target)

    def addresses(self, zoom):
        """All tiles that may have a restaurant: near an edge, those on both sides of it."""
        found = set()
        for x, y, _ in self.points.values():
            column, row = place(x, y, zoom)
            for dx in (-1e-6, 1e-6):
                for dy in (-1e-6, 1e-6):
                    found.add((min(max(int(column + dx), 0), 2**zoom - 1), min(max(int(row + dy), 0), 2**zoom - 1)))
        return sorted(found)

    def check_zoom(self, zoom, query, expected):
        """Reads all tiles of a zoom."""
        total, seen = 0, set()
        for x, y in self.addresses(zoom):
            answer = self.get(f"/tiles/{zoom}/{x}/{y}.mvt{query}")
            if answer.status == 204:
                assert not answer.body
                continue
            assert answer.status == 200, (answer.status, answer.body[:200])
            total += self.count(answer.body, zoom, x, y, seen)
        assert total == expected, f"zoom {zoom}{query}: {total} restaurants, not {expected}"

    def count(self, body, zoom, x, y, seen):
        """Checks a tile; gives how many restaurants are in it."""
        tile, total = mapbox_vector_tile.decode(body, default_options={"y_coord_down": True}), 0
        for layer in tile.values():
            assert layer["extent"] == EXTENT and layer["version"] == 2, layer
        for feature in tile.get("clusters", {"features": []})["features"]:
            assert feature["properties"]["point_count"] > 1
            total += feature["properties"]["point_count"]
        for feature in tile.get("restaurants", {"features": []})["features"]:
            self.check_restaurant(feature, zoom, x, y)
            key = feature["properties"]["id"]
            assert key not in seen, key
            seen.add(key)
            total += 1
        return total

    def check_restaurant(self, feature, zoom, x, y):
        properties = feature["properties"]
        longitude, latitude, category = self.points[properties["id"]]
        assert properties.get("category") == category, properties
        assert properties["name"] == f"Place \"{properties['id']}\" é\n", properties
        column, row = place(longitude, latitude, zoom)
        east, south = feature["geometry"]["coordinates"]
        assert abs((column - x) * EXTENT - east) <= 0.5001, (zoom, properties, column, east)
        assert abs((row - y) * EXTENT - south) <= 0.5001, (zoom, properties, row, south)

    def check(self):
        for zoom in range(17):
            self.check_zoom(zoom, "", len(self.points))
        thai = sum(category == "Thai" for *_, category in self.points.values())
        for zoom in (0, 7, 12):
            self.check_zoom(zoom, "?category=thai", thai)
        return f"{len(self.points)} restaurants at 17 zooms"


    def check_gdal(self):
        """GDAL's MVT driver finds every feature in some tiles of every zoom."""
        rng, read = random.Random(self.name), 0
        for zoom in range(17):
            addresses = self.addresses(zoom)
            for x, y in rng.sample(addresses, min(3, len(addresses))):
                answer = self.get(f"/tiles/{zoom}/{x}/{y}.mvt")
                if answer.status == 204:
                    continue
                path = self.folder / f"{zoom}-{x}-{y}.mvt"
                path.write_bytes(answer.body)
                expected = {name: len(layer["features"])
                            for name, layer in mapbox_vector_tile.decode(answer.body).items()}
                found = {name: len(pyogrio.raw.read(path, layer=name)[2]) for name, _ in pyogrio.list_layers(path)}
                assert found == expected, (zoom, x, y, found, expected)
                read += 1
        return f"{read} tiles"

    def check_mbtiles(self):
        """An MBTiles has the tiles of the PMTiles, and GDAL's driver opens it."""
        paths = [self.export("--min-zoom", "0", "--max-zoom", "9", "-q", ending=ending) for ending in ("pmtiles", "mbtiles")]
        with paths[0].open("rb") as file:
            expected = {(z, x, 2**z - 1 - y): data for (z, x, y), data in all_tiles(MmapSource(file))}
        with sqlite3.connect(paths[1]) as database:
            found = {(z, x, y): data for z, x, y, data in database.execute("SELECT * FROM tiles")}
            metadata = dict(database.execute("SELECT * FROM metadata"))
            assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert found == expected, (len(found), len(expected))
        assert (metadata["format"], metadata["minzoom"], metadata["maxzoom"]) == ("pbf", "0", "9"), metadata
        assert [layer["id"] for layer in json.loads(metadata["json"])["vector_layers"]] == ["restaurants", "clusters"]
        layers = {name for name, _ in pyogrio.list_layers(paths[1])}
        assert layers == {"restaurants", "clusters"}, layers
        return f"{len(found)} tiles"

    def export(self, *options, ending="pmtiles"):
        path = self.folder / f"{self.name}{len(options)}.{ending}"
        geoq(self.binary, "export", "-q", "--db", self.database, *options, "-o", path)
        return path

    def check_file(self):
        """Reads all tiles of a file; they are those that the service makes."""
        thai = [point for point in self.points.values() if point[2] == "Thai"]
        count = self.check_tiles(self.export("--max-zoom", "12"), "", self.points.values(), 0, 12)
        self.check_tiles(self.export("--min-zoom", "3", "--max-zoom", "5", "--category", "thai"),
                         "?category=thai", thai, 3, 5)
        return f"{count} tiles"

    def check_tiles(self, path, query, points, least, greatest):
        totals, ids, tiles = Counter(), {zoom: set() for zoom in range(least, greatest + 1)}, 0
        with path.open("rb") as file:
            source = MmapSource(file)
            reader = Reader(source)
            header, metadata = reader.header(), reader.metadata()
            last = -1
            for (zoom, x, y), data in all_tiles(source):
                assert reader.get(zoom, x, y) == data
                tile = gzip.decompress(data)
                tiles += 1
                # thousands of requests would take long
                if tiles % 17 == 0 or zoom < 4:
                    assert tile == self.get(f"/tiles/{zoom}/{x}/{y}.mvt{query}").body, (zoom, x, y)
                assert zoom >= last, (zoom, last)
                last = zoom
                totals[zoom] += self.count(tile, zoom, x, y, ids[zoom])
        assert totals == {zoom: len(points) for zoom in ids}, totals
        assert header["clustered"] and (header["min_zoom"], header["max_zoom"]) == (least, greatest), header
        assert header["addressed_tiles_count"] == tiles >= header["tile_entries_count"] >= header["tile_contents_count"]
        longitudes = [-180 if x == 180 else x for x, _, _ in points]
        latitudes = [max(-GREATEST, min(GREATEST, y)) for _, y, _ in points]
        for side, degrees in (("min_lon", min(longitudes)), ("min_lat", min(latitudes)),
                              ("max_lon", max(longitudes)), ("max_lat", max(latitudes))):
            assert abs(header[f"{side}_e7"] - degrees * 1e7) <= 1.01, (side, header, degrees)
        assert [layer["id"] for layer in metadata["vector_layers"]] == ["restaurants", "clusters"], metadata
        return tiles


def gdal_file(world):
    """GDAL's PMTiles driver finds all restaurants, at the zoom that geoq has chosen."""
    path = world.export()
    info = pyogrio.read_info(path, layer="restaurants")
    assert info["driver"] == "PMTiles", info["driver"]
    _, _, _, fields = pyogrio.raw.read(path, layer="restaurants")
    ids = fields[list(info["fields"]).index("id")]
    assert sorted(ids) == sorted(world.points), len(ids)
    return f"{len(ids)} restaurants"


def gdal_address(world):
    """GDAL's MVT driver reads all tiles of a zoom from the service."""
    options = {"TILE_EXTENSION": "mvt", "METADATA_FILE": f"{world.service.url}/tiles.json"}
    _, _, places, fields = pyogrio.raw.read(f"MVT:{world.service.url}/tiles/2", layer="restaurants", **options)
    assert len(places) == len(world.points), len(places)
    return f"{len(places)} restaurants"


def basemap(world, folder):
    """Tiles that GDAL has made come back as they are: vector tiles and pictures."""
    feed, served = folder / "the world.json", []
    vector, picture = folder / "gdal.mbtiles", folder / "picture.mbtiles"
    subprocess.run(["ogr2ogr", "-q", "-f", "MBTiles", vector, feed, "-nln", "places", "-dsco", "MAXZOOM=3"], check=True)
    subprocess.run(["gdal_rasterize", "-q", "-burn", "200", "-ot", "Byte", "-ts", "512", "512", "-a_srs", "EPSG:3857",
                    "-te", *["-20037508", "-20037508", "20037508", "20037508"], "-of", "GTiff", feed,
                    folder / "picture.tif"], check=True, stderr=subprocess.DEVNULL)
    subprocess.run(["gdal_translate", "-q", "-of", "MBTiles", folder / "picture.tif", picture], check=True)
    for path, kind in [(vector, "application/vnd.mapbox-vector-tile"), (picture, "image/png")]:
        with sqlite3.connect(path) as database:
            # GDAL has some that lie next to the world
            tiles = [tile for tile in database.execute("SELECT * FROM tiles").fetchall()
                     if all(0 <= number < 2**tile[0] for number in tile[1:3])]
        with Service(world.binary, world.database, "-q", "--tiles", path, token=None) as service:
            about = ask(service.port, "GET", "/basemap.json").json()
            template = about["tiles"][0][len(service.url):]
            for zoom, x, row, data in tiles:
                target = template.format(z=zoom, x=x, y=2**zoom - 1 - row)
                answer = ask(service.port, "GET", target, {"Accept-Encoding": "gzip"})
                assert answer.status == 200 and answer.body == data, (target, answer.status)
                assert answer.field("content-type") == kind, answer.fields
                assert about["minzoom"] <= zoom <= about["maxzoom"], about
        served.append(f"{len(tiles)} {kind}")
    return ", ".join(served)


def gdal(world, folder):
    """GDAL's MVT driver finds the same restaurants, where they are."""
    answer = world.get("/tiles/0/0/0.mvt")
    path = folder / "0.mvt"
    path.write_bytes(answer.body)
    _, _, _, fields = pyogrio.raw.read(path, layer="restaurants")
    meta = pyogrio.read_info(path, layer="restaurants")
    ids = fields[list(meta["fields"]).index("id")]
    assert sorted(ids) == sorted(world.points), len(ids)
    return f"{len(ids)} restaurants"


def viewer(world):
    """From the style to TileJSON to a tile, with the filter that the style was asked for."""
    style = world.get("/style.json?category=Thai").json()
    assert "glyphs" not in style and "sprite" not in style
    source = style["sources"]["restaurants"]["url"]
    assert source.startswith(world.service.url), source
    tiles = world.get(source[len(world.service.url):]).json()
    template = tiles["tiles"][0][len(world.service.url):]
    answer = world.get(template.replace("{z}", "0").replace("{x}", "0").replace("{y}", "0"))
    tile = mapbox_vector_tile.decode(answer.body)
    assert {f["properties"]["category"] for f in tile["restaurants"]["features"]} == {"Thai"}
    layers = {layer["id"] for layer in tiles["vector_layers"]}
    assert {layer["source-layer"] for layer in style["layers"] if "source" in layer} <= layers
    return template


def main():
    binary, _ = arguments(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        maps = []
        try:
            for name, points in layouts().items():
                maps.append(Map(binary, folder, name, points))
            checks = [(f"tiles of {each.name}", each.check) for each in maps]
            world = next(each for each in maps if each.name == "the world")
            checks += [(f"file of {each.name}", each.check_file) for each in maps]
            checks += [(f"MBTiles of {each.name}", each.check_mbtiles) for each in maps]
            checks += [(f"GDAL's MVT driver, {each.name}", each.check_gdal) for each in maps]
            checks += [("GDAL's PMTiles driver", lambda: gdal_file(world))]
            checks += [("GDAL by the service's address", lambda: gdal_address(world))]
            checks += [("a map below", lambda: basemap(world, folder))]
            checks += [("GDAL's MVT driver", lambda: gdal(world, folder)), ("style and TileJSON", lambda: viewer(world))]
            failed = check_all(checks)
        finally:
            for each in maps:
                each.service.end()
    print(f"tiles: {len(checks) - failed} of {len(checks)} right")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
