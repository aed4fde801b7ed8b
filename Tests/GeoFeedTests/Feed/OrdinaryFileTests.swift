import Foundation
import GeoIndex
import GeoQuery
import TestSupport
import Testing

@testable import GeoFeed

/// What ordinary programs write, read whole.
struct OrdinaryFileTests {
  @Test(
    arguments: [
      ("name,lat,lon,phone,website\nA,1,2\nB,1,3,555\n", ["A 1.0 2.0", "B 1.0 3.0"]),
      ("name,lat,lon\nA,1,2\nB,1,3,\nC,1,4,, ,\n", ["A 1.0 2.0", "B 1.0 3.0", "C 1.0 4.0"]),
      ("name;lat;lon;a;b\nA;1;2;;\nB;1;3\n", ["A 1.0 2.0", "B 1.0 3.0"]),
    ]
  )
  func `row – empty cells at its end omitted or added – is read`(
    text: String,
    expected: [String]
  ) throws {
    let feed = try Feeds.read(text)
    #expect(feed.places == expected)
    #expect(feed.rejected.isEmpty)
  }

  @Test func `row – a cell more than the header, with text – is rejected`() throws {
    let feed = try Feeds.read("name,lat,lon\nA,1,2,x\nB,1,3\n")
    #expect(feed.places == ["B 1.0 3.0"])
    #expect(feed.rejected.count == 1)
  }

  @Test func `header – the same name twice – numbers the later columns`() throws {
    let feed = try Feeds.read("name,lat,lon,notes,notes,notes_2,notes\nA,1,2,a,b,c,d\n")
    let extra = JSONValue.object(feed.restaurants[0].extra)
    #expect(
      JSONWriter.of(extra) == #"{"notes":"a","notes_3":"b","notes_2":"c","notes_4":"d"}"#
    )
    for name in ["name", "lat", "lon", "id"] {
      let refusal = Feeds.refusal(of: "id,name,lat,lon,\(name)\n1,A,1,2,3\n")
      #expect(refusal?.contains("the header names \"\(name)\" twice") == true)
    }
  }

  @Test(
    arguments: [
      ("name,lat,lon\nA,\"44,567\",\"3,21\"\n", "A 44.567 3.21"),
      ("name;lat;lon\nA;44,567;3,21\n", "A 44.567 3.21"),
      (#"[{"name":"A","lat":"44,567","lon":"3,21"}]"#, "A 44.567 3.21"),
      ("name,location\nA,\"[47.168, -1.48]\"\n", "A 47.168 -1.48"),
      ("name,location\nA,\"(47.168, -1.48)\"\n", "A 47.168 -1.48"),
      (#"[{"name":"A","location":[47.5,-1.5]}]"#, "A 47.5 -1.5"),
      (#"[{"name":"A","coordinates":[-1.5,47.5]}]"#, "A 47.5 -1.5"),
      (#"[{"name":"A","geo_point_2d":[-1.5,47.5]}]"#, "A 47.5 -1.5"),
      (#"[{"name":"A","_geoloc":{"lat":46.5,"lng":7.5}}]"#, "A 46.5 7.5"),
      (#"[{"name":"A","coords":{"lat":46.5,"lon":7.5}}]"#, "A 46.5 7.5"),
      (#"[{"name":"A","coordinate":{"latitude":46.5,"longitude":7.5}}]"#, "A 46.5 7.5"),
      (#"[{"name":"A","center":{"lat":46.5,"lng":7.5}}]"#, "A 46.5 7.5"),
      (
        #"[{"name":"A","lat":{"$numberDouble":"46.5"},"lng":{"$numberDouble":"7.5"}}]"#,
        "A 46.5 7.5"
      ),
      ("name,wkt\nA,MULTIPOINT ((7.5 46.5))\n", "A 46.5 7.5"),
      ("name,coordinates\nA,48.1 11.5\n", "A 48.1 11.5"),
      ("name;Koordinaten\nA;48,1 11,5\n", "A 48.1 11.5"),
      ("name,latlng\nA,48.1;11.5\n", "A 48.1 11.5"),
      ("name,coordinates\nA,48°6'N 11°30'E\n", "A 48.1 11.5"),
      ("name,location\nA,\"E 11.5, N 48.1\"\n", "A 48.1 11.5"),
      ("name,gps\nA,https://www.openstreetmap.org/#map=17/48.1/11.5\n", "A 48.1 11.5"),
      ("name,wkt\nA,MULTIPOINT (7.5 46.5)\n", "A 46.5 7.5"),
      ("name,wkt\nA,GEOMETRYCOLLECTION (POINT (7.5 46.5))\n", "A 46.5 7.5"),
    ]
  )
  func `position – as programs of many languages write it – is read`(
    text: String,
    expected: String
  ) throws {
    let feed = try Feeds.read(text)
    #expect(feed.places == [expected])
  }

  @Test(
    arguments: [
      ("52°29'37.0\"N", "13°23'17.1\"E", 52.49361111111111, 13.388083333333332),
      ("52° 29' 37\" N", "13° 23.285' E", 52.49361111111111, 13.388083333333333),
      ("N 52°29′37″", "E13°23′17.1″", 52.49361111111111, 13.388083333333332),
      ("52.4936° N", "13.388°", 52.4936, 13.388), ("33.86° S", "70 30 W", -33.86, -70.5),
      ("\u{2212}33,86", "\u{2212}70.5", -33.86, -70.5), ("-33°51'36\"", "-70°30'", -33.86, -70.5),
      ("0°30'S", "0°30'W", -0.5, -0.5),
      ("52:29:37", "13:23:17.1", 52.49361111111111, 13.388083333333332),
      ("52°29''37", "13°23'17.1''E", nil, nil),
      ("52°29'37''", "13°23'17.1''E", 52.49361111111111, 13.388083333333332),
      ("52d29m37s", "13d23m17.1s", 52.49361111111111, 13.388083333333332),
      ("52 29", "13 23", nil, nil), ("52°61'", "13°", nil, nil), ("52°29'E", "13°N", nil, nil),
      ("-52°S", "13°", nil, nil), ("52.5°29'", "13°", nil, nil), ("52°29'37\"N x", "13°", nil, nil),
      ("", "13", nil, nil), ("N", "E", nil, nil), ("1°2'3\"4", "13", nil, nil),
    ] as [(String, String, Double?, Double?)]
  )
  func `degrees – with minutes, seconds, hemispheres – are read, and nothing else`(
    latitude: String,
    longitude: String,
    north: Double?,
    east: Double?
  ) throws {
    let cells = [latitude, longitude].map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" }
    let feed = try Feeds.read("name,lat,lon\nA,\(cells[0]),\(cells[1])\nB,1,2\n")
    let found = feed.restaurants.first { $0.name == "A" }?.coordinate
    guard let north, let east else { return #expect(found == nil, "\(latitude) \(longitude)") }
    let place = try #require(found)
    #expect(abs(place.latitude - north) < 1e-12 && abs(place.longitude - east) < 1e-12)
  }

  @Test(
    arguments: [
      "name,location\nA,\nB,\"(40.71, -74.0)\"\n", "name,location\nA,\nB,POINT (-74 40.71)\n",
      #"[{"name":"A"},{"name":"B","lat":40.71,"lng":-74}]"#,
      "{\"name\":\"A\"}\n{\"name\":\"B\",\"lat\":40.71,\"lng\":-74}\n",
      #"{"restaurants":[{"name":"A"},{"name":"B","lat":40.71,"lng":-74}]}"#,
      #"{"places":[{"name":"A"},{"name":"B","lat":40.71,"lng":-74}]}"#,
      #"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"A"},"geometry":null},"#
        + #"{"type":"Feature","properties":{"name":"B"},"geometry":{"type":"Point","coordinates":[-74,40.71]}}]}"#,
    ]
  )
  func `feed – first record without a position – has the others`(text: String) throws {
    let feed = try Feeds.read(text)
    #expect(feed.restaurants.map(\.name) == ["B"])
    #expect(feed.restaurants[0].coordinate.latitude == 40.71)
    #expect(feed.rejected.count == 1)
  }

  @Test func `OpenStreetMap as GeoJSON – recognized by a later record – has its outlines`() throws {
    let feed = try Feeds.read(
      #"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"x"},"geometry":null},"#
        + #"{"type":"Feature","id":"node/1","properties":{"@id":"node/1","amenity":"cafe","name":"A"},"#
        + #""geometry":{"type":"Point","coordinates":[1,2]}},"#
        + #"{"type":"Feature","id":"way/1","properties":{"@id":"way/1","amenity":"cafe","name":"B"},"#
        + #""geometry":{"type":"Polygon","coordinates":[[[7,46],[8,46],[8,47],[7,47],[7,46]]]}}]}"#
    )
    #expect(feed.format == .osm && feed.restaurants.map(\.id) == ["node/1", "way/1"])
    #expect(feed.places == ["A 2.0 1.0", "B 46.5 7.5"])
  }

  @Test(
    arguments: [
      #"{"restaurants":[{"id":1,"name":"A","latlng":{"lat":46.5,"lng":7.5}}]}"#,
      #"{"restaurants":[{"id":1,"name":"A","lat":46.5,"lng":7.5}]}"#,
      #"{"data":[{"id":1,"name":"A","lat":46.5,"lng":7.5}]}"#,
      #"{"meta":{"x":1},"payload":{"venues":[{"id":1,"name":"A","lat":46.5,"lng":7.5}]}}"#,
      #"{"businesses":[{"id":1,"name":"A","latitude":46.5,"longitude":7.5}]}"#,
      #"{"elements":[{"id":1,"type":"cafe","name":"A","lat":46.5,"lon":7.5}]}"#,
    ]
  )
  func `root – a list of any name – is read by common names`(text: String) throws {
    let feed = try Feeds.read(text)
    #expect(
      feed.format == .jsonl && feed.places == ["A 46.5 7.5"] && feed.restaurants[0].id == "1"
    )
  }

  @Test func `named format – members that it does not define – go by common names`() throws {
    let feed = try Feeds.read(
      #"[{"name":"A","address":"1 Main St","city":"Addison","phone":"555-0100","review_count":12,"price":"$$","#
        + #""location":{"lat":1.5,"lng":2.5}}]"#
    )
    let found = try #require(feed.restaurants.first)
    #expect(found.address.street == "1 Main St" && found.address.city == "Addison")
    #expect(found.contact.phone == "555-0100" && found.reviewCount == 12 && found.priceLevel == 2)
    #expect(found.extra.isEmpty)
  }

  @Test(
    arguments: [
      ("@type\t@id\tname\t@lat\t@lon\nnode\t1\tA\t46.5\t7.5\n", "node/1"),
      ("osm_type,osm_id,name,lat,lon\nway,17,A,46.5,7.5\n", "way/17"),
      ("full_id,name,lat,lon\nn17,A,46.5,7.5\n", "n17"),
      (#"[{"_id":{"$oid":"5a"},"name":"A","lat":46.5,"lng":7.5}]"#, "5a"),
      (#"[{"objectID":"o1","name":"A","lat":46.5,"lng":7.5}]"#, "o1"),
      (#"[{"name":"A","placeId":"p1","location":{"lat":46.5,"lng":7.5}}]"#, "p1"),
      (
        #"{"restaurants":[{"title":"A","_id":{"$oid":"5a"},"location":{"lat":46.5,"lng":7.5}}]}"#,
        "5a"
      ),
    ]
  )
  func `id – under another common name – is taken`(text: String, id: String) throws {
    let feed = try Feeds.read(text)
    #expect(feed.restaurants.map(\.id) == [id] && feed.places == ["A 46.5 7.5"])
  }

  @Test func `OBJECTID – the number of a row – is not taken as an id`() throws {
    let feed = try Feeds.read("OBJECTID,name,lat,lon\n1,A,46.5,7.5\n")
    #expect(feed.restaurants[0].id.hasPrefix("a-"))
  }

  @Test(
    arguments: [
      "Liste;;;\nStand: 01.11.2026;;;\n;;;\nName;Küche;Lat;Lon\nA;Grill;52.5;13.4\n",
      "List of restaurants\n\nName,Kitchen,Lat,Lon\nA,Grill,52.5,13.4\n",
    ]
  )
  func `table – title rows above its header – is read from the header on`(text: String) throws {
    let feed = try Feeds.read(text)
    #expect(feed.places == ["A 52.5 13.4"] && feed.rejected.isEmpty)
  }

  @Test(
    arguments: [
      "urn:ogc:def:crs:EPSG::4979", "http://www.opengis.net/def/crs/EPSG/0/4326", "epsg:4326",
      "http://www.opengis.net/def/crs/OGC/0/CRS84h", "urn:ogc:def:crs:OGC:1.3:crs84", "WGS84",
    ]
  )
  func `reference system – WGS84 under another name – is accepted`(name: String) throws {
    let feed = try Feeds.read(
      #"{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"\#(name)"}},"#
        + #""features":[{"type":"Feature","properties":{"name":"A"},"geometry":{"type":"Point","coordinates":[7.5,46.5,3]}}]}"#
    )
    #expect(feed.places == ["A 46.5 7.5"])
  }

  @Test(arguments: ["EPSG:3857", "urn:ogc:def:crs:EPSG::14326", "urn:x:4326", "NAD83", "WGS84:UTM"])
  func `reference system – another one – is refused`(name: String) {
    let refusal = Feeds.refusal(
      of:
        #"{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"\#(name)"}},"features":[]}"#
    )
    #expect(refusal?.contains("is not WGS84 degrees") == true)
  }

  private func feature(_ geometry: String) throws -> Feed {
    try Feeds.read(
      #"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"A"},"geometry":\#(geometry)}]}"#
    )
  }

  @Test(
    arguments: [
      #"{"type":"MultiPoint","coordinates":[[7.5,46.5]]}"#,
      #"{"type":"MultiPoint","coordinates":[[7.5,46.5],[7.5,46.5]]}"#,
      #"{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[7.5,46.5]}]}"#,
      #"{"type":"GeometryCollection","geometries":[{"type":"MultiPoint","coordinates":[[7.5,46.5]]}]}"#,
    ]
  )
  func `geometry – several, with one position – is that point`(geometry: String) throws {
    let feed = try feature(geometry)
    #expect(feed.places == ["A 46.5 7.5"] && feed.warnings.isEmpty)
  }

  @Test(
    arguments: [
      #"{"type":"MultiPoint","coordinates":[[7.5,46.5],[7.5,46.6]]}"#,
      #"{"type":"MultiPoint","coordinates":[]}"#, #"{"type":"GeometryCollection","geometries":[]}"#,
      #"{"type":"Polygon","coordinates":[]}"#, #"{"type":"LineString","coordinates":[]}"#,
      #"{"type":"Polygon","coordinates":[[[-170,0],[0,0],[170,0],[0,10],[-170,0]]]}"#,
      #"{"type":"Polygon","coordinates":[[[0,0],[1,91],[2,0],[0,0]]]}"#,
      #"{"type":"Polygon","coordinates":[[["a",0],[1,1],[2,0]]]}"#,
      #"{"type":"Circle","coordinates":[1,2]}"#,
    ]
  )
  func `geometry – without one position – is rejected`(geometry: String) throws {
    let feed = try feature(geometry)
    #expect(feed.restaurants.isEmpty && feed.rejected.count == 1)
  }

  @Test(
    arguments: [
      ("Polygon", "[[[7,46],[8,46],[8,47],[7,47],[7,46]]]", 46.5, 7.5, "centroid"),
      // a U, whose centroid is between its arms
      ("Polygon", "[[[0,0],[9,0],[9,9],[8,9],[8,1],[1,1],[1,9],[0,9],[0,0]]]", nil, nil, "widest"),
      // a ring
      (
        "Polygon", "[[[0,0],[4,0],[4,4],[0,4],[0,0]],[[1,1],[3,1],[3,3],[1,3],[1,1]]]", 2, nil,
        "widest"
      ),
      ("Polygon", "[[[179,0],[-179,0],[-179,2],[179,2],[179,0]]]", 1, 180, "centroid"),
      (
        "MultiPolygon", "[[[[0,0],[1,0],[1,1],[0,0]]],[[[10,10],[20,10],[20,20],[10,20],[10,10]]]]",
        15, 15, "centroid"
      ),
      ("LineString", "[[0,0],[0,1],[0,3]]", 1.5, 0, "line"),
      ("MultiLineString", "[[[5,5],[5,5.1]],[[0,0],[0,1],[0,3]]]", 1.5, 0, "line"),
    ] as [(String, String, Double?, Double?, String)]
  )
  func `outline – in any GeoJSON – is a point inside it, with a warning`(
    type: String,
    coordinates: String,
    latitude: Double?,
    longitude: Double?,
    word: String
  ) throws {
    let feed = try feature(#"{"type":"\#(type)","coordinates":\#(coordinates)}"#)
    let place = try #require(feed.restaurants.first?.coordinate)
    if let latitude { #expect(abs(place.latitude - latitude) < 1e-9) }
    if let longitude { #expect(abs(abs(place.longitude) - longitude) < 1e-9) }
    #expect(feed.warnings.count == 1 && feed.warnings[0].problem.contains(word))
    if word == "widest" {
      // inside the arms of the U or the band of the ring, 1 degree wide each
      let x = place.longitude
      #expect((0.0...1).contains(x) || (8.0...9).contains(x) || (3.0...4).contains(x))
    }
  }

  @Test func `joined files – a byte order mark before a record – are read`() throws {
    let record = #"{"name":"A","lat":1,"lng":2}"#
    let feed = try Feeds.read("\u{FEFF}\(record)\n\u{FEFF}\(record)\n")
    #expect(feed.restaurants.count + feed.rejected.count == 2 && feed.recordNumbers.first == 1)
    #expect(feed.rejected.allSatisfy { $0.problem.contains("those of record 1") })
  }

  @Test(
    arguments: [
      String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian,
    ],
    [true, false]
  )
  func `text – UTF-16 and UTF-32, with and without a mark – is read`(
    encoding: String.Encoding,
    isMarked: Bool
  ) throws {
    let text = (isMarked ? "\u{FEFF}" : "") + #"[{"name":"Café 寿司 🍣","lat":1,"lng":2}]"#
    let feed = try FeedReader(source: "a").read([UInt8](try #require(text.data(using: encoding))))
    #expect(feed.places == ["Café 寿司 🍣 1.0 2.0"])
    let table = (isMarked ? "\u{FEFF}" : "") + "name\tlat\tlon\nÉté\t1\t2\n"
    let rows = try FeedReader(source: "a").read([UInt8](try #require(table.data(using: encoding))))
    #expect(rows.places == ["Été 1.0 2.0"])
  }

  @Test(
    arguments: [
      [0xFF, 0xFE, 0x7B, 0, 0x00, 0xD8, 0x7B, 0], [0xFF, 0xFE, 0x7B, 0, 0x7D],
      [0x7B, 0, 0, 0, 0, 0, 0x11, 0], [0xFE, 0xFF, 0xDC, 0, 0, 0x7B],
    ] as [[UInt8]]
  )
  func `text – UTF-16 or UTF-32 with half a character – is refused`(bytes: [UInt8]) {
    let refusal = Feeds.refusal(of: bytes)
    #expect(refusal?.contains("character") == true, "\(refusal ?? "read")")
  }

  @Test(
    arguments: [
      #""properties":{"exceededTransferLimit":true}"#, #""exceededTransferLimit":true"#,
      #""links":[{"rel":"self","href":"x"},{"rel":"next","href":"http://x.example/2"}]"#,
      #""numberMatched":250,"numberReturned":1"#, #""totalFeatures":2"#,
      #""next":"http://x.example/2""#, #""nextPageToken":"abc""#, #""total":9,"limit":1"#,
    ]
  )
  func `feed – it says that there is more – is refused unless a part will do`(
    member: String
  ) throws {
    let feature =
      #"{"type":"Feature","properties":{"name":"A"},"geometry":{"type":"Point","coordinates":[7.5,46.5]}}"#
    for text in [
      #"{"type":"FeatureCollection",\#(member),"features":[\#(feature)]}"#,
      #"{"type":"FeatureCollection","features":[\#(feature)],\#(member)}"#,
    ] {
      let refusal = try #require(Feeds.refusal(of: text))
      #expect(refusal.contains("the feed says that it is a part, 1 of"))
      #expect(refusal.contains("next page: http://x.example/2") == member.contains("http"))
      var reader = FeedReader(source: "a")
      reader.allowsPart = true
      #expect(try reader.read(Array(text.utf8)).restaurants.count == 1)
    }
  }

  @Test(
    arguments: [
      #""links":[{"rel":"self","href":"x"}]"#, #""numberMatched":1,"numberReturned":1"#,
      #""total":900"#, #""next":null"#, #""next":"""#, #""exceededTransferLimit":false"#,
      #""total":1,"page":1"#, #""numberMatched":"unknown""#,
    ]
  )
  func `feed – it does not say that there is more – is the whole`(member: String) throws {
    let feed = try Feeds.read(
      #"{"type":"FeatureCollection",\#(member),"features":[{"type":"Feature","properties":{"name":"A"},"#
        + #""geometry":{"type":"Point","coordinates":[7.5,46.5]}}]}"#
    )
    #expect(feed.restaurants.count == 1)
  }

  @Test(
    arguments: [
      ("1,234", 1_234), ("1.234", 1_234), ("1 234 567", 1_234_567), ("1'234", 1_234),
      ("12\u{A0}345", 12_345), ("1\u{202F}234", 1_234), ("1\u{2019}234", 1_234), ("12.0", 12),
      ("0.000", 0), ("1,23", nil), ("1.234,567", nil), ("1,234.5", nil), ("1234.567", nil),
      (",234", nil),
      ("-1,234", nil), ("1,234,", nil), ("1-234", nil),
    ]
  )
  func `count – marks between thousands – is a whole number`(text: String, count: Int?) throws {
    for feed in [
      "name;lat;lon;Bewertungen;rating\nA;1;2;\(text);4,5\n",
      #"[{"name":"A","lat":1,"lon":2,"reviews":"\#(text)","rating":4.5}]"#,
    ] {
      let found = try Feeds.read(feed).restaurants[0]
      #expect(found.reviewCount == count && found.rating == 4.5)
      #expect(found.extra.map(\.value) == (count == nil ? [.string(text)] : []))
    }
  }
}
