import GeoIndex

/// The header of a PMTiles 3 file (§3), which may be from any program.
struct PMTilesFileHeader {
  let root: FileBytes.Section
  let metadata: FileBytes.Section
  let leaves: FileBytes.Section
  let data: FileBytes.Section
  let hasPackedDirectories: Bool
  let format: TileFileInfo.Format
  let zooms: (least: Int, greatest: Int)

  /// West, south, east and north in degrees.
  let bounds: [Double]

  /// Reads the header.
  ///
  /// - Throws: `TileFileError` if it is not a header, or has ranges outside the file.
  init(_ file: FileBytes) throws {
    let length = UInt64(PMTilesHeader.length)
    let bytes = try file.read(file.section(0, length, of: file.all), PMTilesHeader.length)
    func fault(_ reason: String) -> TileFileError { TileFileError(file.path, because: reason) }
    guard bytes.starts(with: PMTilesFile.magic) else { throw fault("it is not a PMTiles file") }
    guard bytes[7] == 3 else {
      throw fault("it is PMTiles \(bytes[7]), not 3; make it again as version 3")
    }
    func number(_ offset: Int, _ count: Int) -> UInt64 {
      bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    func section(_ index: Int) throws -> FileBytes.Section {
      try file.section(number(8 + index * 16, 8), number(16 + index * 16, 8), of: file.all)
    }
    root = try section(0)
    metadata = try section(1)
    leaves = try section(2)
    data = try section(3)
    // 1 is none, 2 gzip; 0 means unknown, as for pictures
    guard (1...2).contains(bytes[97]), (0...2).contains(bytes[98]) else {
      throw fault("its compression is not gzip; make it again with gzip")
    }
    hasPackedDirectories = bytes[97] == 2
    guard let format = TileFileInfo.Format(number: bytes[99]) else {
      throw fault("its tiles are neither MVT nor PNG, JPEG, WebP or AVIF")
    }
    self.format = format
    zooms = (Int(bytes[100]), Int(bytes[101]))
    bounds = [102, 106, 110, 114].map {
      Double(Int32(truncatingIfNeeded: number($0, 4))) / 1e7
    }
  }
}
