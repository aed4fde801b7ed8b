import GeoFeed
import GeoIndex
import Testing

struct PositionTextTests {
  @Test(arguments: [
    ("32.95,-96.82", 32.95, -96.82), ("32.95 -96.82", 32.95, -96.82), ("1;2", 1, 2),
    ("52,5;13,4", 52.5, 13.4), ("52,5 13,4", 52.5, 13.4), ("52.5N 13.4E", 52.5, 13.4),
    ("N52.5, E13.4", 52.5, 13.4), ("13.4 E, 52.5 N", 52.5, 13.4), ("S 33.8 W 71.5", -33.8, -71.5),
    ("33.8°S 71.5°W", -33.8, -71.5), ("32°57'00\"N 96°49'12\"W", 32.95, -96.82),
    ("32° 57′ 0″ N, 96° 49′ 12″ W", 32.95, -96.82), ("96°49'12\"W 32°57'00\"N", 32.95, -96.82),
    ("N 32° 57.0' W 96° 49.2'", 32.95, -96.82), ("32 57 0 N 96 49 12 W", 32.95, -96.82),
    ("32d57m0s N 96d49m12s W", 32.95, -96.82), ("−33.8 151.2", -33.8, 151.2), ("90 180", 90, 180),
    ("geo:32.95,-96.82?z=9", 32.95, -96.82), ("POINT(-96.82 32.95)", 32.95, -96.82),
    ("32.95N96.82W", 32.95, -96.82),
  ])
  func `numbers, degrees with minutes, and letters in any order are a position`(
    text: String,
    latitude: Double,
    longitude: Double
  ) throws {
    let found = try #require(PositionText.coordinate(in: text))
    #expect(abs(found.latitude - latitude) < 1e-12)
    #expect(abs(found.longitude - longitude) < 1e-12)
  }

  @Test(arguments: [
    ("https://www.google.com/maps/@32.95,-96.82,15z", 32.95, -96.82),
    (
      "https://www.google.com/maps/place/Yard+House/@1.5,2.5,17z/data=!3m1!4b1!8m2!3d32.95!4d-96.82",
      32.95, -96.82
    ),
    ("https://maps.google.com/?q=32.95,-96.82", 32.95, -96.82),
    ("https://www.google.com/maps/search/?api=1&query=32.95%2C-96.82", 32.95, -96.82),
    ("https://www.google.com/maps/dir/?api=1&destination=32.95,-96.82", 32.95, -96.82),
    ("https://www.google.com/maps/place/32.95,-96.82", 32.95, -96.82),
    ("https://www.openstreetmap.org/#map=17/32.95/-96.82", 32.95, -96.82),
    ("https://www.openstreetmap.org/?mlat=32.95&mlon=-96.82#map=17/1/2", 32.95, -96.82),
    ("https://maps.apple.com/?ll=32.95,-96.82&q=Lunch", 32.95, -96.82),
    ("https://maps.apple.com/?q=32.95%2C-96.82", 32.95, -96.82),
    ("https://www.bing.com/maps?cp=32.95~-96.82&lvl=16", 32.95, -96.82),
  ])
  func `a link to a map is the position of its pin, or of its middle`(
    link: String,
    latitude: Double,
    longitude: Double
  ) {
    #expect(
      PositionText.coordinate(in: link) == Coordinate(latitude: latitude, longitude: longitude)
    )
  }

  @Test(arguments: [
    "", " ", "32", "N", "1,2,3", "1 2 3", "32,77,-96,79", "91 0", "0 181", "32 57 96 49", "a b",
    "32.95N 96.82N", "E1 W2", "nan nan", "12:30 5 May", "5100 Belt Line Rd 75254", "75254",
    "1000 Main", "12, Rue X", "S,W", "32.95,-96.82,", "POINT(1)",
    "https://a.test/1,2",
    "https://www.google.com/maps/@x,y", "https://www.openstreetmap.org/#map=17/95/200", "°'\" °'\"",
  ])
  func `any other text is not a position`(text: String) {
    #expect(PositionText.coordinate(in: text) == nil)
  }

  @Test
  func `long texts are refused at once`() {
    for piece in ["1 ", "N", "°", ",", "@1,", "ll=1"] {
      #expect(PositionText.coordinate(in: String(repeating: piece, count: 3_000)) == nil)
      _ = PositionText.coordinate(in: "https://" + String(repeating: piece, count: 300))
    }
  }
}
