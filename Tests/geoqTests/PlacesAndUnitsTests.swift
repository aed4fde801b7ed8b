import Testing

@testable import geoq

/// `--at id:ID` and `--at name:NAME`, and `--unit`.
struct PlacesAndUnitsTests {
  private let runner = CommandRunner.withSample()

  @Test(arguments: [
    "id:yard-house-dfd1f6d4", "name:Yard House", "name:yard house", "name:YÁRD HOUSE", "name: yard",
  ])
  func `every query measures from a restaurant by id or name`(place: String) {
    let nearest = runner.geoq("nearest", "--at", place, "-k", "1", "--json=id,distance")
    #expect(nearest.status == 0, "\(nearest.err)")
    #expect(nearest.out.contains(#"{"id":"yard-house-dfd1f6d4","distance":0.0}"#))
    let commands = [
      ["radius", "--at", place, "-r", "1", "-f", "ids"],
      ["search", "yard", "--at", place, "-f", "ids"],
      ["why", "yard-house-dfd1f6d4", "--at", place], ["count", "--at", place, "-r", "1m"],
      ["cover", "--at", place, "--want", "Tap House", "-f", "ids"],
      ["meet", "--at", place, "--at", "0,0", "-f", "ids"],
      ["offers", "--at", place],
    ]
    for command in commands { #expect(runner.geoq(command).status == 0, "\(command)") }
    #expect(runner.geoq(commands[0]).out == "yard-house-dfd1f6d4\n")
    #expect(runner.geoq(commands[3]).out == "1\n")
  }

  @Test
  func `a name that several restaurants have is refused with their ids`() {
    let house = runner.geoq("nearest", "--at", "name:house")
    #expect(house.status == 1)
    #expect(house.out.isEmpty)
    #expect(
      house.err.hasPrefix("Error: --at: 3 restaurants are called \"house\"; give one by its id:\n")
    )
    #expect(house.err.contains("  id:yard-house-dfd1f6d4  Yard House, 5100 Belt Line Rd, Dallas\n"))
  }

  @Test
  func `an unknown id or name is refused with what to do`() {
    let id = runner.geoq("radius", "--at", "id:yard-house", "-r", "1km")
    #expect(id.status == 1)
    #expect(id.err.contains("no restaurant has the id \"yard-house\""))
    #expect(id.err.contains("yard-house-dfd1f6d4"))
    let name = runner.geoq("nearest", "--at", "name:Nobody's")
    #expect(name.status == 1)
    #expect(
      name.err
        == "Error: --at: no restaurant is called \"Nobody's\"; geoq search finds words in names and addresses\n"
    )
    #expect(runner.geoq("nearest", "--at", "name:").status == 64)
  }

  @Test(arguments: [
    ("m", "    73 m"), ("km", " 0.07 km"), ("mi", " 0.05 mi"), ("ft", "  238 ft"),
  ])
  func `tables have distances in the chosen unit`(unit: String, text: String) {
    let command = ["nearest", "--at", "32.95,-96.82", "-k", "1", "-f", "table"]
    let option = runner.geoq(command + ["--unit", unit])
    #expect(option.status == 0, "\(option.err)")
    #expect(option.out.contains("\(text)  Yard House"))
    let joined = runner.geoq(command + ["--unit=" + unit])
    #expect(joined.out == option.out)
    let units = ["GEOQ_UNITS": unit]
    #expect(runner.geoq(command, environment: units).out == option.out)
    // what programs read stays in meters
    let json = ["nearest", "--at", "32.95,-96.82", "-k", "1", "--json=distance"]
    #expect(runner.geoq(json, environment: units).out.contains("72.50034426262593"))
  }

  @Test(arguments: ["name:Gloria's", "name:Gloria’s", "name:gloria’"])
  func `either apostrophe is one of a name`(place: String) {
    let nearest = runner.geoq("nearest", "--at", place, "-k", "1", "-f", "ids")
    #expect(nearest.out == "gloria-s-61836c58\n", "\(nearest.err)")
  }

  @Test
  func `units are rounded with three digits`() {
    let texts = [0, 1, 999.6, 1_609.344, 16_090, 160_000, 1_609_344].map(DistanceUnit.mi.text)
    #expect(
      texts == ["0.00 mi", "0.00 mi", "0.62 mi", "1.00 mi", "10.0 mi", "99.4 mi", "1,000 mi"]
    )
    #expect(DistanceUnit.km.text(1_234) == "1.23 km")
    #expect(DistanceUnit.m.text(1_234.5) == "1,235 m")
    #expect(DistanceUnit.ft.text(0.3048) == "1 ft")
  }

  @Test
  func `an unknown unit is refused`() {
    #expect(runner.geoq("list", "--unit", "yd").status == 64)
    let refused = runner.geoq("list", environment: ["GEOQ_UNITS": "miles"])
    #expect(refused.status == 64)
    #expect(refused.err.contains("GEOQ_UNITS: expected m, km, mi or ft, got \"miles\""))
  }
}
