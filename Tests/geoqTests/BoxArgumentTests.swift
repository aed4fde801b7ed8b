import GeoIndex
import Testing

@testable import geoq

struct BoxArgumentTests {
  @Test(arguments: [
    ("-97,32.5,-96.5,33", [-97, 32.5, -96.5, 33]),
    (" -97 , 32.5, -96.5,\t33", [-97, 32.5, -96.5, 33]),
    ("170,-20,-170,20", [170, -20, -170, 20]), ("-180,-90,180,90", [-180, -90, 180, 90]),
    ("1,2,1,2", [1, 2, 1, 2]),
  ])
  func `a box is read, across the antimeridian too`(text: String, sides: [Double]) throws {
    let box = BoundingBox(west: sides[0], south: sides[1], east: sides[2], north: sides[3])
    #expect(try parseBox(text) == box)
  }

  @Test(arguments: [
    "", "1,2,3", "1,2,3,", "1,2,3,4,5", "--json", "1 2 3 4", "1,2,3,x", "1,2,3,nan", "a,1,2,3,4",
  ])
  func `another form is refused`(text: String) {
    #expect(sentence(text) == "expected W,S,E,N (longitude first), got \"\(text)\"")
  }

  @Test(arguments: [
    ("-97,33,-96,32", "south 33 is above north 32; a box is W,S,E,N"),
    ("32,-97,33,-96", "south -97 is not in -90...90; a box is W,S,E,N (longitude first)"),
    ("200,1,2,3", "west 200 is not in -180...180; a box is W,S,E,N (longitude first)"),
    ("1,2,-180.5,3", "east -180.5 is not in -180...180; a box is W,S,E,N (longitude first)"),
    ("1,2,3,90.1", "north 90.1 is not in -90...90; a box is W,S,E,N (longitude first)"),
  ])
  func `an error says what is wrong and what to do`(text: String, expected: String) {
    #expect(sentence(text) == expected)
  }

  private func sentence(_ text: String) -> String? {
    #expect(throws: ArgumentProblem.self) { try parseBox(text) }?.description
  }
}
