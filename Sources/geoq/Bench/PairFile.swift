import GeoIndex

/// A file of little-endian float64 pairs, longitude and latitude in degrees.
enum PairFile {
  private static let pairSize = 16

  /// Reads a whole file.
  ///
  /// - Throws: `CommandFailure` if it is missing, empty, ends inside a pair, or has a pair that is
  ///   not a coordinate, which the error names.
  static func read(_ path: String) throws -> [Coordinate] {
    let descriptor = try FeedFile.descriptor(of: path)
    defer { close(descriptor) }
    // the size of a file is known in advance, that of a pipe is not
    var facts = stat()
    if fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG {
      try checkSize(Int(facts.st_size), path: path)
    }
    var coordinates: [Coordinate] = []
    var pending: [UInt8] = []
    while true {
      let chunk = try readChunk(from: descriptor, count: 1 << 20, path: path)
      if chunk.isEmpty { break }
      pending += chunk
      let whole = pending.count - pending.count % pairSize
      try append(pending[..<whole], to: &coordinates, path: path)
      pending.removeFirst(whole)
    }
    try checkSize(coordinates.count * pairSize + pending.count, path: path)
    return coordinates
  }

  private static func checkSize(_ size: Int, path: String) throws {
    guard size > 0 else {
      throw failure(path, "empty; expected little-endian float64 pairs LON,LAT")
    }
    guard size.isMultiple(of: pairSize) else {
      throw failure(
        path,
        "\(size) bytes are not a whole number of pairs of float64 (16 bytes)"
      )
    }
  }

  private static func append(
    _ bytes: ArraySlice<UInt8>,
    to coordinates: inout [Coordinate],
    path: String
  ) throws {
    try bytes.withUnsafeBytes { bytes in
      for offset in stride(from: 0, to: bytes.count, by: pairSize) {
        let (longitude, latitude) = (
          double(in: bytes, at: offset), double(in: bytes, at: offset + 8)
        )
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
          let place = "pair \(coordinates.count) (byte \(coordinates.count * pairSize))"
          throw failure(path, "\(place): \(problem(longitude, latitude)); pairs are LON,LAT")
        }
        coordinates.append(coordinate)
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

  private static func failure(_ path: String, _ problem: String) -> CommandFailure {
    CommandFailure("\(terminalSafe(path)): \(problem)", exitCode: CommandFailure.badData)
  }
}
