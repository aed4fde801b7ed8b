// Bersaelor/KDTree, the Swift package of that name: points on the unit sphere, compiled with its sources.
//
//   PEER --points FILE --serve      as serve.hpp says
import Foundation

private let earthRadius = 6_371_008.8  // meters: the mean radius

/// A point of the unit sphere, equal only to itself: the package leaves out points equal to the query.
struct Site: KDTreePoint {
  static let dimensions = 3
  let x, y, z: Double
  let id: UInt32

  init(longitude: Double, latitude: Double, id: UInt32) {
    let (longitude, latitude) = (longitude * .pi / 180, latitude * .pi / 180)
    (x, y, z) = (cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude))
    self.id = id
  }

  func kdDimension(_ dimension: Int) -> Double { dimension == 0 ? x : dimension == 1 ? y : z }

  func squaredDistance(to other: Site) -> Double {
    let (dx, dy, dz) = (x - other.x, y - other.y, z - other.z)
    return dx * dx + dy * dy + dz * dz
  }

  static func == (a: Site, b: Site) -> Bool { a.id == b.id }

  func meters(to other: Site) -> Double {
    2 * earthRadius * asin(min(1, squaredDistance(to: other).squareRoot() / 2))
  }
}

private struct Failure: Error, CustomStringConvertible {
  let description: String
}

private struct Peer {
  let tree: KDTree<Site>
  let buildSeconds: Double
  let bytesPerPoint: Double

  init(points: String) throws {
    let sites = try Self.sites(points)
    let before = residentBytes()
    let start = ContinuousClock.now
    tree = KDTree(values: sites)
    buildSeconds = seconds(since: start)
    bytesPerPoint = Double(residentBytes() - before) / Double(max(sites.count, 1))
  }

  /// A file's points.
  ///
  /// Queries have an id that no point has.
  static func sites(_ path: String, areQueries: Bool = false) throws -> [Site] {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw Failure(description: "cannot read \(path)")
    }
    return data.withUnsafeBytes { bytes in
      let numbers = bytes.bindMemory(to: Double.self)
      return (0..<numbers.count / 2).map {
        let id = areQueries ? .max : UInt32($0)
        return Site(longitude: numbers[2 * $0], latitude: numbers[2 * $0 + 1], id: id)
      }
    }
  }

  func ask(_ op: String, _ query: Site, k: Int, radius: Double) throws -> [Site] {
    switch op {
    case "nearest" where k == 1: tree.nearest(to: query).map { [$0] } ?? []
    case "nearest": tree.nearestK(k, to: query)
    case "radius":
      tree.allPoints(within: 2 * sin(min(radius / (2 * earthRadius), .pi / 2)), of: query)
    default: throw Failure(description: "this peer does not answer: \(op)")
    }
  }

  func run(_ line: String) throws -> String {
    var options: [String: String] = [:]
    var words = line.split(separator: " ").map(String.init)[...]
    while let name = words.popFirst() {
      options[name] = name == "--no-percentiles" ? "" : words.popFirst()
    }
    let op = options["--op"] ?? ""
    if op == "build" { return built }
    guard let path = options["--queries"] else { throw Failure(description: "no --queries") }
    let (k, radius) = (Int(options["--k"] ?? "") ?? 10, Double(options["--radius"] ?? "") ?? 0)
    let count = Int(options["--count"] ?? "") ?? .max
    let all = try Self.sites(path, areQueries: true)
    let timed = all.prefix(count)
    if let answers = options["--answers"] { try write(answers, op, timed, k, radius) }
    for query in all.dropFirst(count).prefix(count) { _ = try ask(op, query, k: k, radius: radius) }
    var hits = 0
    let start = ContinuousClock.now
    for query in timed { hits += try ask(op, query, k: k, radius: radius).count }
    let total = seconds(since: start)
    return """
      {"op":"\(op)","k":\(op == "nearest" ? k : 0),"queries":\(timed.count),\
      "usPerQuery":\(total * 1e6 / Double(timed.count)),"p50us":0,"p99us":0,"p999us":0,"hits":\(hits),\
      "nsPerHit":\(total * 1e9 / Double(max(hits, 1))),"buildSeconds":\(buildSeconds),\
      "bytesPerPoint":\(bytesPerPoint),"threads":1}
      """
  }

  var built: String {
    #"{"op":"build","buildSeconds":\#(buildSeconds),"bytesPerPoint":\#(bytesPerPoint),"threads":1}"#
  }

  private func write(
    _ path: String,
    _ op: String,
    _ queries: ArraySlice<Site>,
    _ k: Int,
    _ radius: Double
  ) throws {
    let lines = try queries.enumerated().map { index, query in
      let found = try ask(op, query, k: k, radius: radius)
      let ids = found.map { "\($0.id)" }.joined(separator: ",")
      let distances = found.map { "\($0.meters(to: query))" }.joined(separator: ",")
      return "{\"q\":\(index),\"ids\":[\(ids)],\"d\":[\(distances)]}\n"
    }
    try lines.joined().write(toFile: path, atomically: false, encoding: .utf8)
  }
}

private func seconds(since start: ContinuousClock.Instant) -> Double {
  let parts = (ContinuousClock.now - start).components
  return Double(parts.seconds) + Double(parts.attoseconds) / 1e18
}

private func residentBytes() -> Int {
  let fields = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(
    separator: " "
  )
  return (fields.flatMap { Int($0[1]) } ?? 0) * Int(getpagesize())
}

@main
struct Main {
  static func main() {
    do {
      let words = CommandLine.arguments
      guard let at = words.firstIndex(of: "--points"), at + 1 < words.count else {
        throw Failure(description: "no --points")
      }
      var peer = try Peer(points: words[at + 1])
      print(peer.built)
      fflush(nil)
      while let line = readLine() {
        if line.contains("--op build") { peer = try Peer(points: words[at + 1]) }
        print(try peer.run(line))
        fflush(nil)
      }
    } catch {
      fputs("bersaelor: \(error)\n", stderr)
      exit(1)
    }
  }
}
