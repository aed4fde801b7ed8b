import GeoIndex
import GeoQuery
import Testing

@testable import GeoService

/// The extent that the collection announces, and boxes as map libraries send them.
struct ExtentTests {
  private func service(_ points: [(Double, Double)]) throws -> SampleService {
    try SampleService(
      points.enumerated().map { number, point in
        let coordinate = try #require(Coordinate(latitude: point.0, longitude: point.1))
        return Restaurant(
          id: "\(1_000 + number)",
          name: "A",
          coordinate: coordinate,
          source: "s"
        )
      }
    )
  }

  private func extent(_ points: [(Double, Double)]) throws -> [Double]? {
    let text = try service(points).get("/collections/restaurants").text
    // not by Foundation, whose numbers are not always the nearest
    return text.firstMatch(of: /"bbox":\[\[([^\]]*)\]\]/).map { found in
      found.1.split(separator: ",").compactMap { Double($0) }
    }
  }

  @Test func `a box crosses the antimeridian only if it is narrower than half the globe`() throws {
    #expect(try extent([(0, 179), (1, -178)]) == [179, 0, -178, 1])
    #expect(try extent([(0, 100), (1, -81)]) == [100, 0, -81, 1])
    // 180° wide or more across the antimeridian: as a map shows it
    #expect(try extent([(0, 100), (1, -80), (0, 170)]) == [-80, 0, 170, 1])
    #expect(try extent([(0, 90), (1, -60), (0, 179.9), (0, -179.9)]) == [-179.9, 0, 179.9, 1])
    #expect(try extent([(0, 10), (1, -60)]) == [-60, 0, 10, 1])
    #expect(try extent([(3, 4)]) == [4, 3, 4, 3])
    #expect(try extent([]) == nil)
  }

  @Test func `restaurants all over the world have an extent that a map shows whole`() throws {
    let world = (0..<720).map { (Double($0 % 100) - 50, -179.95 + Double($0) / 2) }
    let box = try #require(try extent(world))
    #expect(box == [-179.95, -50, 179.55, 49])
    // with gaps as wide as the widest, too
    let rare = stride(from: -179.5, through: 179.5, by: 1).map { (0.0, $0) }
    #expect(try extent(rare) == [-179.5, 0, 179.5, 0])
  }

  @Test func `a pole has every longitude`() throws {
    #expect(try extent([(90, 45), (80, 10)]) == [-180, 80, 180, 90])
    #expect(try extent([(-90, 0)]) == [-180, -90, 180, -90])
  }

  @Test func `every restaurant lies in the announced box`() throws {
    var random = SplitMix(state: 20_150_821)
    for round in 0..<200 {
      let width = [0.1, 10, 170, 190, 350, 360][round % 6]
      let start = random.unit() * 360 - 180
      let points = (0..<(1 + round % 7)).map { _ -> (Double, Double) in
        let turned = (start + random.unit() * width).remainder(dividingBy: 360)
        return (random.unit() * 178 - 89, turned)
      }
      let box = try #require(try extent(points))
      let text = box.map(\.description).joined(separator: ",")
      let count = try service(points).get("/count/bbox?bbox=\(text)").json["count"] as? Int
      #expect(count == points.count, "round \(round): \(points) in \(text)")
      // a map that knows no antimeridian sees all of them too, unless the box is a narrow one
      let isNarrow = box[0] > box[2] && box[2] + 360 - box[0] < 180
      if !isNarrow { #expect(points.allSatisfy { box[0] <= $0.1 && $0.1 <= box[2] }) }
    }
  }

  @Test(
    arguments: [
      ("170,-20,190,20", "170,-20,-170,20"), ("-190,-20,-170,20", "170,-20,-170,20"),
      ("530,-20,550,20", "170,-20,-170,20"), ("185,-90,200,90", "-175,-90,-160,90"),
      ("-181,0,1,1", "179,0,1,1"), ("-200,-90,200,90", "-180,-90,180,90"),
      ("-180,-90,180,90", "-180,-90,180,90"), ("0,-90,360,90", "-180,-90,180,90"),
      ("-1e300,-90,1e300,90", "-180,-90,180,90"), ("-0.5,-90,359.5,90", "-180,-90,180,90"),
      ("540,-30,540,30", "180,-30,180,30"), ("540,-30,180,30", "180,-30,180,30"),
      ("177,-20,183,20", "177,-20,-177,20"), ("-97,32,263,33", "-180,32,180,33"),
      ("263,32,264,33", "-97,32,-96,33"), ("170,-20,5,190,20,9", "170,-20,-170,20"),
    ]
  )
  func `longitudes beyond 180 are wrapped`(sent: String, meant: String) throws {
    let service = try SampleService()
    let expected = service.get("/bbox?bbox=\(meant)")
    #expect(!expected.ids.isEmpty)
    #expect(service.get("/bbox?bbox=\(sent)").ids == expected.ids)
    let items = "/collections/restaurants/items?limit=400"
    #expect(service.get("\(items)&bbox=\(sent)").ids == expected.ids)
    let count = service.get("/count/bbox?bbox=\(sent)").json["count"] as? Int
    #expect(count == expected.ids.count)
  }

  @Test(arguments: ["0,-91,1,1", "0,0,1,91", "-181,0,1,91", "190,5,191,4", "1e400,0,1,1"])
  func `latitudes are not wrapped`(box: String) throws {
    #expect(try SampleService().get("/bbox?bbox=\(box)").status == 400)
  }
}
