import Testing

/// `export`, and what was exported coming in again.
struct ExportCommandTests {
  private let runner = CommandRunner.withSample()

  @Test
  func `export writes geojson by default`() throws {
    let result = runner.geoq("export")
    #expect(result.status == 0)
    #expect(result.error.isEmpty)
    try expectSnapshot(result.out, "export.geojson")
    #expect(runner.geoq("export", "-o", "a.csv").status == 0)
    #expect(runner.folder.text(of: "a.csv")?.hasPrefix("id,name,category,") == true)
  }

  @Test(arguments: ["geojson", "geojsons"])
  func `what was exported imports again and exports as the same bytes`(ending: String) {
    runner.makeFile(Array(Self.oddities.utf8), to: "odd.json")
    #expect(runner.geoq("import", "odd.json").err.contains("2 inserted"))
    #expect(runner.geoq("export", "-o", "first.\(ending)").status == 0)
    let result = runner.geoq("import", "first.\(ending)", "--db", "second.db")
    #expect(result.status == 0)
    #expect(result.err.contains("17 read, 17 inserted"))
    runner.geoq("export", "--db", "second.db", "-o", "second.\(ending)")
    #expect(runner.bytes(of: "second.\(ending)") == runner.bytes(of: "first.\(ending)"))
    #expect(runner.bytes(of: "first.\(ending)").count > 8_000)
  }

  @Test
  func `an export imports into its own database as unchanged`() {
    runner.geoq("export", "-o", "all.geojson")
    let before = runner.bytes(of: "geoq.db")
    let result = runner.geoq("import", "all.geojson")
    #expect(result.status == 0)
    #expect(result.err.contains("15 read, 0 inserted, 0 updated, 15 unchanged, 0 removed"))
    #expect(runner.geoq("export").output == runner.bytes(of: "all.geojson"))
    #expect(before.count == runner.bytes(of: "geoq.db").count)
  }

  @Test
  func `an answer with distances imports without them`() {
    runner.geoq("nearest", "--at", "32.95,-96.82", "-k", "2", "-o", "near.geojson")
    runner.geoq("import", "near.geojson", "--db", "near.db")
    #expect(!runner.geoq("export", "--db", "near.db").out.contains("distance"))
    #expect(runner.geoq("list", "--db", "near.db", "-f", "count").out == "2\n")
  }

  @Test
  func `export takes a box`() {
    let result = runner.geoq("export", "--bbox", "-96.9,32.98,-96.8,33")
    #expect(result.status == 0)
    #expect((result.json["features"] as? [Any])?.count == 1)
    #expect(
      (result.json["bbox"] as? [Double])?.map { ($0 * 100).rounded() } == [
        -9683, 3300, -9683, 3300,
      ]
    )
    let empty = runner.geoq("export", "--bbox", "0,0,1,1")
    #expect(empty.out == #"{"type":"FeatureCollection","generator":"geoq","features":[]}"# + "\n")
  }

  @Test
  func `an export is complete or not there`() {
    runner.folder.write("mine", to: "all.geojson")
    #expect(runner.geoq("export", "-o", "all.geojson").status == 73)
    #expect(runner.folder.text(of: "all.geojson") == "mine")
    #expect(runner.geoq("export", "-o", "all.geojson", "--force").status == 0)
    #expect(runner.folder.names == ["all.geojson", "geoq.db"])
  }

  private static let oddities =
    #"{"restaurants":[{"id":"ø\n\u0001","name":"é\ud83c\udf5c \"\\","closed":true,"rating":4.5,"#
    + #""x":{"y":[1e400,-0,null,"\u0000"]},"hours":"","location":{"lat":-0.0,"lng":180}},"#
    + #"{"name":"Odd","priceLevel":9,"distance":3,"location":{"lat":5e-324,"lng":-180}}]}"#
}
