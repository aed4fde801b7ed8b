import GeoIndex
import Testing

@testable import geoq

struct PointArgumentTests {
  @Test(arguments: [
    ("32.7767,-96.7970", 32.7767, -96.797), ("32.7767, -96.7970", 32.7767, -96.797),
    (" 32.7767 ,\t-96.7970 ", 32.7767, -96.797), ("-33.8,151.2", -33.8, 151.2), ("0,0", 0, 0),
    ("90,180", 90, 180), ("-90,-180", -90, -180), ("+1,+2e1", 1, 20),
    ("geo:32.7767,-96.797", 32.7767, -96.797), ("GEO:1,2", 1, 2), ("geo:1,2,135.5", 1, 2),
    ("geo:1,2;u=35", 1, 2), ("32°57′00″N 96°49′12″W", 32.95, -96.82), ("52,5;13,4", 52.5, 13.4),
    ("geo:1,2;crs=wgs84", 1, 2), ("geo:1,2,3;CRS=WGS84;u=1;x", 1, 2),
  ])
  func `a point is read`(text: String, latitude: Double, longitude: Double) throws {
    #expect(try parsePoint(text) == Coordinate(latitude: latitude, longitude: longitude))
  }

  @Test(arguments: [
    "--json", "", ",", "1", "1,", ",1", "1,2,3", "1 2 3", "32,77,-96,79", "32 57 96 49",
    "id:", "https://maps.example/place", "a,b", "nan,1", "1,inf",
    "0x1,2",
  ])
  func `another form is refused`(text: String) {
    #expect(sentence(text) == "expected LAT,LON, got \"\(text)\"")
  }

  @Test(arguments: ["geo:", "geo:1", "geo:1,2,x", "geo:1,2,3,4", "geo:1,2?z=3", "geo:;crs=wgs84"])
  func `a geo URI without a point is refused`(text: String) {
    #expect(sentence(text) == "expected geo:LAT,LON, got \"\(text)\"")
  }

  @Test(arguments: [
    ("-96.82,32.78", "latitude -96.82 is not in -90...90; points are LAT,LON, did you swap them?"),
    ("180,90", "latitude 180 is not in -90...90; points are LAT,LON, did you swap them?"),
    ("geo:-96.82,32", "latitude -96.82 is not in -90...90; points are LAT,LON, did you swap them?"),
    ("95.2,120", "latitude 95.2 is not in -90...90; points are LAT,LON"),
    ("200,32", "latitude 200 is not in -90...90; points are LAT,LON"),
    ("91,200", "latitude 91 is not in -90...90; points are LAT,LON"),
    ("32, 200", "longitude 200 is not in -180...180"),
    ("geo:1,-180.001", "longitude -180.001 is not in -180...180"),
    ("geo:1,2;crs=nad27", #"expected crs=wgs84 or no crs, got "crs=nad27""#),
    ("geo:1,2;crs", #"expected crs=wgs84 or no crs, got "crs""#),
    ("geo:1,2;crs=", #"expected crs=wgs84 or no crs, got "crs=""#),
  ])
  func `an error says what is wrong and what to do`(text: String, expected: String) {
    #expect(sentence(text) == expected)
  }

  @Test
  func `controls in a refused text are made visible`() {
    #expect(sentence("\u{1B}[2J") == #"expected LAT,LON, got "\u{1b}[2J""#)
  }

  private func sentence(_ text: String) -> String? {
    #expect(throws: ArgumentProblem.self) { try parsePoint(text) }?.description
  }
}
