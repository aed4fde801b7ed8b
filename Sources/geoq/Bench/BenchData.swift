import GeoFeed
import GeoIndex

/// The points and the queries of a benchmark.
struct BenchData {
  static let defaultSize = 1_000_000

  let points: [Coordinate]

  /// The queries, in the order they are asked.
  let queries: [Coordinate]

  /// Queries for warming up: at most the number of queries.
  let warmUpQueries: [Coordinate]

  /// Reads points and queries from files, or generates them.
  ///
  /// - Throws: `CommandFailure` if a file cannot be read.
  init(_ options: BenchCommand, _ operation: BenchOperation) throws {
    var random = SeededRandom(seed: options.seed)
    if let file = options.points {
      points = try PairFile.read(file)
    } else {
      let size = options.size ?? Self.defaultSize
      let source = ClusteredPoints(size: size, using: &random)
      points = (0..<size).map { _ in source.point(using: &random) }
    }
    if let file = options.queries {
      let all = try PairFile.read(file)
      let count = min(options.count ?? .max, all.count)
      queries = Array(all.prefix(count))
      let others = all.dropFirst(count).prefix(count)
      // without others the last ones, which have left the caches before they are timed
      warmUpQueries = Array(others.isEmpty ? queries.suffix(1_000) : others)
    } else {
      let count = options.count ?? operation.defaultQueryCount
      queries = Self.queries(near: points, count: count, using: &random)
      warmUpQueries = Self.queries(near: points, count: count, using: &random)
    }
  }

  /// Queries near the points: each is a random point, moved a little.
  static func queries(
    near places: [Coordinate],
    count: Int,
    using random: inout SeededRandom
  ) -> [Coordinate] {
    (0..<count).map { _ in
      jittered(places[Int.random(in: places.indices, using: &random)], using: &random)
    }
  }
}

/// A file of little-endian float64 pairs, longitude and latitude in degrees.
enum PairFile {
  private static let pairSize = 16

  /// Reads a whole file.
  ///
  /// - Throws: `CommandFailure` if it is missing, empty, ends inside a pair, or has a pair that is
  ///   not a coordinate, which the error names.
  static func read(_ path: String) throws -> [Coordinate] {
    var file = try FeedFile(path: path)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(file.size ?? 0)
    while case let chunk = try file.readChunk(1 << 20), !chunk.isEmpty { bytes += chunk }
    guard !bytes.isEmpty else {
      throw CommandFailure.badData(path, "empty; expected little-endian float64 pairs LON,LAT")
    }
    guard bytes.count.isMultiple(of: pairSize) else {
      throw CommandFailure.badData(
        path,
        "\(bytes.count) bytes are not a whole number of pairs of float64 (16 bytes)"
      )
    }
    return try bytes.withUnsafeBytes { bytes in
      try stride(from: 0, to: bytes.count, by: pairSize).map { offset in
        let longitude = double(in: bytes, at: offset)
        let latitude = double(in: bytes, at: offset + 8)
        if let point = Coordinate(latitude: latitude, longitude: longitude) { return point }
        throw CommandFailure.badData(
          path,
          "pair \(offset / pairSize) (byte \(offset)): \(problem(longitude, latitude)); "
            + "pairs are LON,LAT"
        )
      }
    }
  }

  private static func double(in bytes: UnsafeRawBufferPointer, at offset: Int) -> Double {
    let bits = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    return Double(bitPattern: UInt64(littleEndian: bits))
  }

  private static func problem(_ longitude: Double, _ latitude: Double) -> String {
    (-180...180).contains(longitude)
      ? "latitude \(latitude) is not in -90...90"
      : "longitude \(longitude) is not in -180...180"
  }
}

/// Generated positions that are distributed like restaurants: many around a few centers, a few
/// around many.
///
/// 20 000 city centers, latitude N(30, 22) clipped to -60…72, longitude uniform, the weight of a
/// center is its rank^-0.9. A point scatters around its center by N(0, σ) northward and eastward, σ
/// = (1 + 0.06·m^0.8)·{0.15, 0.5, 1.5} km with odds .4, .4, .2, where m is the square root of the
/// expected number of points of the center. Degrees have 7 decimals.
struct ClusteredPoints {
  private let centers: [Coordinate]
  private let spreads: [Double]
  private let cumulativeWeights: [Double]

  private static let centerCount = 20_000
  private static let kilometersPerDegree = 111.32

  /// Makes the centers for `count` points.
  init(size: Int, using random: inout SeededRandom) {
    let weights = (1...Self.centerCount).map { pow(Double($0), -0.9) }
    let total = weights.reduce(0, +)
    var sum = 0.0
    cumulativeWeights = weights.map { weight in
      sum += weight / total
      return sum
    }
    spreads = weights.map { 1 + 0.06 * pow(($0 / total * Double(size)).squareRoot(), 0.8) }
    centers = weights.map { _ in
      let latitude = min(72, max(-60, 30 + 22 * random.normal()))
      return coordinate(latitude: latitude, longitude: 360 * random.uniform() - 180)
    }
  }

  func point(using random: inout SeededRandom) -> Coordinate {
    point(inCity: city(using: &random), using: &random)
  }

  /// The center of the next point, counted from 0; those with the greatest weight come first.
  func city(using random: inout SeededRandom) -> Int { city(at: random.uniform()) }

  /// A point around a center.
  func point(inCity city: Int, using random: inout SeededRandom) -> Coordinate {
    let scale = random.uniform()
    let kilometers = scale < 0.4 ? 0.15 : scale < 0.8 ? 0.5 : 1.5
    let spread = spreads[city] * kilometers / Self.kilometersPerDegree
    let center = centers[city]
    let eastward = spread / cos(center.latitude * .pi / 180)
    return coordinate(
      latitude: rounded(center.latitude + spread * random.normal()),
      longitude: rounded(center.longitude + eastward * random.normal())
    )
  }

  /// The center whose share of the weights contains a number, by bisection.
  private func city(at share: Double) -> Int {
    var range = 0..<Self.centerCount - 1
    while !range.isEmpty {
      let middle = (range.lowerBound + range.upperBound) / 2
      if cumulativeWeights[middle] <= share {
        range = middle + 1..<range.upperBound
      } else {
        range = range.lowerBound..<middle
      }
    }
    return range.lowerBound
  }

  private func rounded(_ degrees: Double) -> Double { (degrees * 1e7).rounded() / 1e7 }
}

/// A point near another one: each coordinate is moved by N(0, 0.005) degrees.
func jittered(_ point: Coordinate, using random: inout SeededRandom) -> Coordinate {
  coordinate(
    latitude: point.latitude + 0.005 * random.normal(),
    longitude: point.longitude + 0.005 * random.normal()
  )
}

/// A coordinate whose degrees may be slightly beyond a pole or the antimeridian.
private func coordinate(latitude: Double, longitude: Double) -> Coordinate {
  let turned =
    longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude
  guard let coordinate = Coordinate(latitude: min(90, max(-90, latitude)), longitude: turned) else {
    preconditionFailure("A made-up coordinate must be less than a turn away.")
  }
  return coordinate
}

/// Random numbers that are the same for the same seed.
///
/// G. L. Steele, D. Lea, C. H. Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64
  private var spareNormal: Double?

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A uniform number in 0..<1, with 53 random bits.
  mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// A normal number with mean 0 and standard deviation 1.
  ///
  /// Made in pairs: G. E. P. Box, M. E. Muller, Annals of Mathematical Statistics 29, 1958.
  mutating func normal() -> Double {
    if let spare = spareNormal {
      spareNormal = nil
      return spare
    }
    let radius = (-2 * log(1 - uniform())).squareRoot()
    let angle = 2 * Double.pi * uniform()
    spareNormal = radius * sin(angle)
    return radius * cos(angle)
  }
}
