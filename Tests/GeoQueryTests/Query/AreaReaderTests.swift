import GeoIndex
import TestSupport
import Testing

@testable import GeoQuery

struct AreaReaderTests {
  private static let square = "[[[0,0],[4,0],[4,4],[0,4],[0,0]]]"

  private func read(_ text: String, nameKey: String = "name") throws -> AreaList {
    try AreaList(parsing: Array(text.utf8), nameKey: nameKey)
  }

  @Test(arguments: [
    #"{"type":"Polygon","coordinates":[[[0,0],[4,0],[4,4],[0,4],[0,0]]]}"#,
    "\u{FEFF} {\"coordinates\":[[[[0,0,9],[4,0,9],[4,4,9],[0,4,9],[0,0,9]]]],\"type\":\"MultiPolygon\"}",
    #"{"type":"Feature","properties":null,"geometry":{"type":"Polygon","coordinates":[[[0,0],[4.0,0],[4,4],[0,4e0],[0,0]]]}}"#,
    #"{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2]},{"type":"Polygon","coordinates":[[[0,0],[4,0],[4,4],[0,4],[0,0]]]}]}"#,
    "POLYGON((0 0,4 0,4 4,0 4,0 0))",
    " polygon  ( ( 0 0 , 4 0, 4 4,\n0 4 ,0 0 ) ) ",
    "SRID=4326;POLYGON Z ((0 0 1,4 0 1,4 4 1,0 4 1,0 0 1))",
    "MULTIPOLYGON (((0 0, 4 0, 4 4, 0 4, 0 0)))",
  ])
  func `a square is read from every form`(_ text: String) throws {
    let list = try read(text)
    #expect(list.warnings == [])
    #expect(list.areas.count == 1)
    #expect(list.areas[0].area == (try read("POLYGON((0 0,4 0,4 4,0 4,0 0))")).areas[0].area)
    #expect(list.areas[0].area.polygons.joined().map(\.count) == [5])
    #expect(list.areas[0].area.contains(.at(1, 3)))
  }

  @Test func `each feature with polygons is an area with its name`() throws {
    let features = [
      #"{"type":"Feature","properties":{"name":"a","code":7},"geometry":{"type":"Polygon","coordinates":\#(Self.square)}}"#,
      #"{"type":"Feature","properties":{"name":"p"},"geometry":{"type":"Point","coordinates":[1,2]}}"#,
      #"{"type":"Feature","properties":{"name":"n"},"geometry":null}"#,
      #"{"type":"Feature","properties":{"name":null},"geometry":{"type":"MultiPolygon","coordinates":[\#(Self.square),[[[9,9],[10,9],[10,10],[9,9]]]]}}"#,
    ]
    let text = #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
    let list = try read(text)
    #expect(list.areas.map(\.name) == ["a", nil])
    #expect(try read(text, nameKey: "code").areas.map(\.name) == ["7", nil])
    #expect(try list.joined().polygons.count == 3)
    #expect(list.areas[1].area.contains(.at(9.5, 9.5)))
  }

  @Test func `an open ring is closed with a warning`() throws {
    let list = try read("POLYGON((0 0,4 0,4 4,0 4),(1 1,2 1,2 2,1 1))")
    #expect(
      list.warnings
        == ["the outline of polygon 1 was not closed; its first position is also its last now"]
    )
    #expect(list.areas[0].area.contains(.at(3, 1)))
    #expect(throws: QueryError.self) { try read("POLYGON((0 0,4 0))") }
  }

  @Test(arguments: [
    ("", "within is empty"),
    ("POINT (1 2)", #"within must be GeoJSON, POLYGON ((…)) or MULTIPOLYGON (((…))), got "POINT""#),
    ("POLYGON EMPTY", "within has no polygon"),
    ("POLYGON ((0 0, 1 x, 1 1, 0 0))", #"within: needs a number at byte 18, got "X""#),
    (
      "POLYGON ((0 0, 1 0, 1 1, 0 0)",
      #"within: needs "," or ")" at byte 30, got the end of the text"#
    ),
    ("POLYGON ((0 0, 1 0, 1 1, 0 0)) x", #"within: needs the end of the text at byte 32, got "X""#),
    (
      "SRID=3857;POLYGON ((0 0, 1 0, 1 1, 0 0))",
      "within has a coordinate system other than SRID=4326;"
    ),
    ("POLYGON ((0 nan, 1 0, 1 1, 0 0))", #"within: needs a number at byte 13, got "NAN""#),
    (
      "POLYGON ((0 91, 1 0, 1 1, 0 91))",
      """
      within: position 1 of the outline of polygon 1, longitude 0.0 and latitude 91.0, is not in \
      -540...540 and -90...90
      """
    ),
    (#"{"type":"Point","coordinates":[1,2]}"#, "within has no polygon"),
    (#"{"type":"Circle"}"#, #"within has the unknown type "Circle""#),
    (#"{"a":1}"#, "within has an object without a type of GeoJSON"),
    (#"{"type":"Polygon"}"#, #"within: needs a list "coordinates", got none"#),
    (
      #"{"type":"Polygon","coordinates":[[[1,"2"]]]}"#,
      #"within: needs positions of longitude and latitude, two numbers; got [1,"2"]"#
    ),
    (
      #"{"type":"Polygon","coordinates":[[[0,1e999],[1,0],[1,1],[0,1e999]]]}"#,
      """
      within: position 1 of the outline of polygon 1, longitude 0.0 and latitude inf, is not in \
      -540...540 and -90...90
      """
    ),
    (
      #"{"type":"Polygon","coordinates":[[[0,0"#,
      #"within is not JSON: at byte 38: the text ends where "," or "]" should be"#
    ),
  ])
  func `what is not an area is refused with one sentence`(_ text: String, _ message: String) {
    do throws(QueryError) {
      _ = try AreaList(parsing: Array(text.utf8))
      Issue.record("\(text) is read")
    } catch {
      #expect(error.description == message)
    }
  }

  @Test(arguments: AreaKind.allCases)
  func `what is written is read as the same area`(_ kind: AreaKind) throws {
    var random = SplitMix64(stream: "area written \(kind.rawValue)")
    let area = try kind.area(using: &random)
    var json = JSONWriter()
    json.geometry(area)
    #expect(try read(json.text).areas.map(\.area) == [area])
  }
}

struct AreaCountTests {
  @Test func `each area counts what a query within it finds`() throws {
    var made = MadeUpRestaurants(seed: 42)
    let file = try TemporarySnapshot(of: made.restaurants(3_000))
    let engine = QueryEngine(file.snapshot)
    var random = SplitMix64(stream: "area counts")
    let areas = try (0..<6).map { number in
      let center = (random.double(in: -96.9 ... -96.7), random.double(in: 32.9...33.1))
      return NamedArea("\(number)", try Area([[AreaKind.star(center, 0.08, 20, &random)]]))
    }
    let box = try #require(BoundingBox(west: -97, south: 32, east: -96.8, north: 33))
    for region: Query.Region in [
      .everywhere, .box(box), .radius(9_000, of: .at(33, -96.8)),
      .nearest(to: .at(33, -96.8), count: 700),
    ] {
      for filter in [Filter(), Filter(categories: ["thai"]), Filter(area: areas[0].area)] {
        let query = Query(region, matching: filter)
        let matches = try engine.page(query).matches.map(\.restaurant.coordinate)
        let counts = try engine.counts(by: areas, of: query)
        #expect(counts.map(\.area) == areas.map(Optional.some) + [nil])
        for (area, count) in zip(areas, counts) {
          #expect(count.count == matches.count { area.area.contains($0) })
        }
        let others = matches.count { place in !areas.contains { $0.area.contains(place) } }
        #expect(counts.last?.count == others)
      }
    }
    #expect(try engine.counts(by: [], of: Query(.everywhere)).map(\.count) == [3_000])
    let twice = try engine.counts(by: [areas[0], areas[0]], of: Query(.everywhere)).map(\.count)
    #expect(twice[0] > 50)
    #expect(twice[0] == twice[1])
    #expect(twice[0] + twice[2] == 3_000)
  }
}
