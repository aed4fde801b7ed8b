import Testing

/// `nearest`, `radius` and `bbox`: their answers, and the ways to write a place.
struct QueryCommandTests {
  private let runner = CommandRunner.withSample()

  @Test
  func `nearest lists the nearest first`() {
    let result = runner.geoq("nearest", "--at", "32.95,-96.82", "-k", "3", "-f", "table")
    #expect(result.status == 0)
    #expect(result.error.isEmpty)
    #expect(
      result.out == """
        distance  name                 category    address                                id
            73 m  Yard House           Tap House   5100 Belt Line Rd, Dallas              \
        yard-house-dfd1f6d4
           110 m  Pluckers Wing Bar    Wing Joint  5100 Beltline Rd, Addison              \
        pluckers-wing-bar-74180d44
           136 m  Hopdoddy Burger Bar  Burgers     5100 Belt Line Road, STE 502, Addison  \
        hopdoddy-burger-bar-468cdd36
        3 restaurants

        """
    )
  }

  @Test
  func `radius lists what lies within, the circle included`() {
    let result = runner.geoq("radius", "--at", "32.950787,-96.821118", "-r", "0", "-f", "ids")
    #expect(result.status == 0)
    #expect(result.out == "hopdoddy-burger-bar-468cdd36\n")
    let wider = runner.geoq("radius", "--at", "32.950787,-96.821118", "-r", "100", "--json=name")
    #expect(
      wider.out == """
        {"schema":"geoq.matches/1","count":2,"items":[
        {"name":"Hopdoddy Burger Bar"},
        {"name":"Pluckers Wing Bar"}
        ]}

        """
    )
  }

  @Test
  func `bbox lists what lies in the box, its edges included`() {
    let whole = "-96.85424159312772,32.95027115867483,-96.81884050369263,32.99908456526653"
    #expect(runner.geoq("bbox", "--bbox", whole, "-f", "count").out == "15\n")
    let outlier = runner.geoq("bbox", "--bbox", "-96.9,32.98,-96.8,33", "--json=id")
    #expect(outlier.status == 0)
    #expect(outlier.json["count"] as? Int == 1)
    #expect(outlier.out.contains("pappadeaux"))
  }

  @Test(
    arguments: [
      ["--at", "32.95,-96.82"], ["--at=32.95,-96.82"], ["--at", "32.95, -96.82"],
      ["--at", " 32.95 ,\t-96.82 "], ["--at", "geo:32.95,-96.82"],
      ["--at", "GEO:32.95,-96.82,120"],
      ["--at", "geo:32.95,-96.82;crs=wgs84;u=35"], ["--at", "+3.295e1,-96.820"],
    ]
  )
  func `a point is understood in every spelling`(at: [String]) {
    let result = runner.geoq(["nearest", "-k1", "-f", "ids"] + at)
    #expect(result.status == 0)
    #expect(result.out == "yard-house-dfd1f6d4\n")
  }

  @Test(
    arguments: [
      ["--at", "-33.8,151.2"], ["--at=-33.8,151.2"], ["--at", "-33.8, 151.2"],
      ["--at", "geo:-33.8,151.2"],
    ]
  )
  func `a point of the southern half is not an option`(at: [String]) {
    runner.makeFile(
      Array(TestFeed.position("-33.8", "151.2").utf8),
      to: "south.json"
    )
    runner.geoq("import", "south.json")
    let result = runner.geoq(["nearest", "-k", "1", "--json=name"] + at)
    #expect(result.status == 0)
    #expect(result.out.contains(#"{"name":"Odd"}"#))
  }

  @Test(
    arguments: [
      ["--bbox", "-96.9,32.9,-96.8,33.0"], ["--bbox=-96.9,32.9,-96.8,33.0"],
      ["--bbox", "-96.9, 32.9, -96.8, 33.0"],
    ]
  )
  func `a box is understood in every spelling`(box: [String]) {
    let result = runner.geoq(["bbox", "-f", "count"] + box)
    #expect(result.status == 0)
    #expect(result.out == "15\n")
  }

  @Test
  func `a box with west above east crosses the antimeridian`() {
    let around = runner.geoq("bbox", "--bbox", "-96,32,-97,34", "-f", "count")
    #expect(around.out == "0\n")
    #expect(runner.geoq("bbox", "--bbox", "170,32,-96.8,34", "-f", "count").out == "15\n")
  }

  @Test(
    arguments: [
      ("95,0", "latitude 95 is not in -90...90; points are LAT,LON, did you swap them?"),
      ("-96.82,32.95", "did you swap them?"), ("200,100", "latitude 200 is not in -90...90"),
      ("0,200", "longitude 200 is not in -180...180"),
      ("--json", #"expected LAT,LON, got "--json""#),
      ("32.95", "expected LAT,LON"), ("1,2,3", "expected LAT,LON"),
      ("48,2,2,3", "expected LAT,LON"),
      ("nan,0", "expected LAT,LON"), ("1e400,0", "expected LAT,LON"), ("", "expected LAT,LON"),
      ("0x10,0", "expected LAT,LON"), ("geo:1,2;crs=nad27", "expected crs=wgs84 or no crs"),
    ]
  )
  func `a wrong point is a usage error that says what is expected`(at: String, problem: String) {
    expectUsageError(["nearest", "--at", at], "--at: ", problem)
  }

  @Test(
    arguments: [
      ("1,2,3", "expected W,S,E,N"), ("0,1,1,0", "south 1 is above north 0"),
      ("0,-91,1,1", "south -91 is not in -90...90"), ("181,0,1,1", "west 181 is not in"),
      ("--json", #"got "--json""#),
    ]
  )
  func `a wrong box is a usage error that says what is expected`(box: String, problem: String) {
    expectUsageError(["bbox", "--bbox", box], "--bbox: ", problem)
    expectUsageError(["export", "--bbox", box], "--bbox: ", problem)
  }

  @Test(
    arguments: [
      ("87.73", "87.74"), ("87.73m", "87.74 m"), ("0.08773km", "0.08774 KM"),
      ("0.054515mi", "0.054517mi"), ("287.83ft", "287.85 ft"),
    ]
  )
  func `a distance has units`(short: String, long: String) {
    // from Hopdoddy to its nearest neighbor, Pluckers, it is 87.7348 m
    let center = "32.950787,-96.821118"
    for (distance, count) in [(short, "1\n"), (long, "2\n")] {
      let radius = runner.geoq("radius", "--at", center, "-r", distance, "-f", "count")
      #expect(radius.out == count, "\(distance) \(radius.err)")
      let nearest = runner.geoq("nearest", "--at", center, "--max", distance, "-f", "count")
      #expect(nearest.out == count, "\(distance) \(nearest.err)")
    }
  }

  @Test(arguments: ["-5", "5 miles", "nan", "1e400", "1,5km", "", "--json"])
  func `a wrong distance is a usage error`(distance: String) {
    expectUsageError(["radius", "--at", "1,2", "-r", distance], "--radius: ", "distance")
    expectUsageError(["nearest", "--at", "1,2", "--max", distance], "--max: ", "distance")
  }

  @Test(arguments: [["-k", "-1"], ["-k", "x"], ["--count", "1.5"]])
  func `a wrong count is a usage error`(count: [String]) {
    expectUsageError(["nearest", "--at", "1,2"] + count, count[0] == "-k" ? "-" : "--count", "")
  }

  @Test
  func `a count of none and one of too many are answered`() {
    #expect(runner.geoq("nearest", "--at", "1,2", "-k", "0", "-f", "count").out == "0\n")
    #expect(runner.geoq("nearest", "--at", "1,2", "-k", "99999", "-f", "count").out == "15\n")
    #expect(runner.geoq("list", "--limit", "4", "-f", "ids").outLines.count == 4)
  }

  private func expectUsageError(_ arguments: [String], _ option: String, _ problem: String) {
    let result = runner.geoq(arguments)
    #expect(result.status == 64)
    #expect(result.output.isEmpty)
    #expect(result.err.hasPrefix("Error: "))
    #expect(result.err.contains(option) && (problem.isEmpty || result.err.contains(problem)))
  }
}
