import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

struct GeoJSONWriterTests {
  private static let first =
    #"{"type":"Feature","id":"a-1","geometry":{"type":"Point","coordinates":[179.5,32.950787]},"#
    + #""properties":{"name":"Café \"A\"","category":"Tex Mex","distance":12.25,"#
    + #""address":"1 Main St, #2","formattedAddress":["1 Main St","Addison"],"phone":"+1","#
    + #""rating":4.5,"priceLevel":2,"closed":true,"source":"f.json","extra":{"x":[0.10,null]}}}"#

  private static let second =
    #"{"type":"Feature","id":"b","geometry":{"type":"Point","coordinates":[-179.0,-0.0]},"#
    + #""properties":{"name":"B","distance":1000000.0,"source":"f.json"}}"#

  @Test func `a collection has a Feature per line and a box that may cross the antimeridian`() {
    #expect(
      AnswerFormat.geojson.text(of: Golden.matches) == """
        {"type":"FeatureCollection","generator":"geoq","bbox":[179.5,-0.0,-179.0,32.950787],"features":[
        \(Self.first),
        \(Self.second)
        ]}

        """
    )
  }

  @Test func `an empty collection has no box`() {
    #expect(
      AnswerFormat.geojson.text(of: [])
        == #"{"type":"FeatureCollection","generator":"geoq","features":[]}"# + "\n"
    )
  }

  @Test func `a sequence frames each Feature with 0x1E and a line feed`() {
    #expect(
      AnswerFormat.geojsonseq.text(of: Golden.matches)
        == [Self.first, Self.second].map {
          // outside a collection each Feature says itself who wrote it
          "\u{1E}{\"type\":\"Feature\",\"generator\":\"geoq\"," + $0.dropFirst(18) + "\n"
        }.joined()
    )
    #expect(AnswerFormat.geojsonseq.text(of: []).isEmpty)
  }

  @Test func `Foundation finds RFC 7946's members in what is written`() throws {
    var random = SplitMix64(stream: "geojson")
    let matches = (0..<30).map { number in
      Match(
        restaurant: .full("\(number)", at: random.coordinate()) { random.hostileText(upTo: 6) },
        distance: random.double(in: 0...1e7)
      )
    }
    let text = AnswerFormat.geojson.text(of: matches)
    let collection = try FoundationJSON.read(text.utf8)
    #expect(collection.names == ["bbox", "features", "generator", "type"])
    #expect(collection["bbox"]?.elements.compactMap(\.number).count == 4)
    let features = collection["features"]?.elements ?? []
    #expect(features.count == 30)
    for (feature, match) in zip(features, matches) {
      #expect(feature.names == ["geometry", "id", "properties", "type"])
      let coordinate = match.restaurant.coordinate
      #expect(
        feature["geometry"]?["coordinates"]?.elements.map(\.number)
          == [coordinate.longitude, coordinate.latitude]
      )
      #expect(feature["properties"]?["distance"]?.number == match.distance)
      let hours = feature["properties"]?["hours"]?.text
      #expect(hours.map { Array($0.utf8) } == match.restaurant.hours.map { Array($0.utf8) })
    }
  }

  @Test func `export, import and export again give the same bytes`() throws {
    var random = SplitMix64(stream: "export")
    let restaurants = (0..<40).map { number in
      Restaurant.full("\(number)", at: random.coordinate()) { random.hostileText(upTo: 6) }
    }
    let first = try TemporaryStore(restaurants)
    for format in [AnswerFormat.geojson, .geojsonseq] {
      func export(_ store: TemporaryStore) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try store.engine().page(Query(.everywhere)).write(with: format.writer()) { bytes += $0 }
        return bytes
      }
      let exported = try export(first)
      let second = try TemporaryStore()
      let report = try second.add(FeedReader(source: "export.geojson").read(exported))
      #expect(report.inserted == 40 && report.rejected.isEmpty)
      #expect(try export(second) == exported, "SEED=\(SplitMix64.seed)")
    }
  }
}
