"""Writes a made-up feed: clustered restaurants as a GeoJSON text sequence, and the cities' centres.

    python3 places.py COUNT FEED CITIES
"""

import json
import random
import sys


def main():
    count = int(float(sys.argv[1]))
    rng = random.Random(20150821)
    cities = [(rng.uniform(-55, 65), rng.uniform(-179, 179)) for _ in range(2_000)]
    with open(sys.argv[3], "w", encoding="ascii") as file:
        for lat, lon in cities:
            file.write(f"{lat:.6f} {lon:.6f}\n")
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        for number in range(count):
            lat, lon = cities[rng.randrange(len(cities))]
            feature = {
                "type": "Feature",
                "id": f"place-{number:08d}",
                "geometry": {"type": "Point", "coordinates": [
                    round(lon + rng.gauss(0, 0.05), 7), round(lat + rng.gauss(0, 0.05), 7)]},
                "properties": {
                    "name": f"Restaurant {number}", "category": f"Kind {number % 40}",
                    "address": f"{number % 999} Main Street", "city": f"City {number % 2_000}"},
            }
            file.write(json.dumps(feature, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
